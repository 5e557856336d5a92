//! Recorded calls: the places of their events are an order in which they can be replayed.

use std::collections::HashMap;

use cuda_std::atomic::AtomicU64;
use cuda_std::atomic::Ordering::{AcqRel, Relaxed};
use heapwood_device::allocator::{Allocator, Handle, Observe};
use heapwood_device::allocators::{
    AtomicMalloc, CfMalloc, EVENT_WORDS, Gallatin, Observed, Operation, OuroborosPS, OuroborosPVl,
    RING_HEAD_WORDS, RING_WORD, RecordedCall,
};
use heapwood_device::simt::Warp;
use heapwood_tests::conformance::{Coroutines, Machine, OsThreads, Pool};
use heapwood_tests::lockstep::Random;

const RECORDS: Observe = Observe {
    records: true,
    ..Observe::NOTHING
};
/// Places through which threads hand blocks to each other.
const SLOTS: usize = 8;

/// A ring with room for so many events.
struct Ring(Vec<u64>);

impl Ring {
    fn new(events: usize) -> Self {
        Self(vec![u64::MAX; RING_HEAD_WORDS + EVENT_WORDS * events])
    }

    /// An empty heap whose calls it records.
    fn heap<A: Allocator, M: Machine>(
        &mut self,
        machine: &M,
        bytes: u64,
        observe: Observe,
    ) -> Pool<Observed<A>> {
        let pool = Pool::<Observed<A>>::observed(bytes, M::PROCESSORS, &[], observe);
        let pool = pool.expect("a pool");
        self.0[0] = 0;
        let events = (self.0.len() - RING_HEAD_WORDS) / EVENT_WORDS;
        let first = RING_WORD as usize;
        pool.write_word(first, self.0.as_mut_ptr().expose_provenance() as u64);
        pool.write_word(first + 1, events as u64);
        machine.launch(&|warp| {
            // SAFETY: a launch of all threads over a heap without blocks.
            unsafe { pool.allocator().init(warp) };
        });
        pool
    }

    /// The events in the order of their places, and how many have none.
    fn events(&self) -> (Vec<RecordedCall>, u64) {
        let (events, _) = self.0[RING_HEAD_WORDS..].as_chunks::<EVENT_WORDS>();
        let places = self.0[0];
        let written = events.len().min(places as usize);
        let events = events[..written].iter().map(|words| {
            RecordedCall::from_words(*words).expect("a place that was taken has an event")
        });
        (events.collect(), places - written as u64)
    }
}

/// Each thread requests blocks, leaves them to others, and frees those that it finds.
fn hand_over<A: Allocator, M: Machine>(machine: &M, pool: &Pool<Observed<A>>, turns: u32) {
    let slots: Vec<AtomicU64> = (0..SLOTS)
        .map(|_| AtomicU64::new(A::Handle::NULL.to_bits()))
        .collect();
    machine.launch(&|warp| {
        let heap = pool.allocator();
        let mut random = Random::new(u64::from(warp.thread()));
        for _ in 0..turns {
            let block = heap.malloc(warp, 1 + random.below(1000));
            let slot = &slots[random.below(SLOTS as u64) as usize];
            let left = A::Handle::from_bits(slot.swap(block.to_bits(), AcqRel));
            // SAFETY: whoever left the block there has given it up.
            unsafe { heap.free(warp, left) };
        }
    });
    machine.launch(&|warp| {
        for slot in slots
            .iter()
            .skip(warp.thread() as usize)
            .step_by(M::THREADS as usize)
        {
            let left = A::Handle::from_bits(slot.load(Relaxed));
            // SAFETY: as above.
            unsafe { pool.allocator().free(warp, left) };
        }
    });
}

/// Replays the events: a block is granted while it does not live, and freed while it does. Returns
/// the numbers of grants, refusals and frees.
fn replay(events: &[RecordedCall]) -> [u64; 3] {
    let mut live = HashMap::new();
    let mut counts = [0; 3];
    for (number, event) in events.iter().enumerate() {
        counts[event.operation as usize] += 1;
        match event.operation {
            Operation::Granted => {
                let before = live.insert(event.address, number);
                assert_eq!(before, None, "{number}: {event:?} lives");
            }
            Operation::Freed => {
                let before = live.remove(&event.address);
                assert!(before.is_some(), "{number}: {event:?} does not live");
            }
            Operation::Refused => {}
        }
    }
    assert!(live.is_empty(), "{live:?}");
    counts
}

/// The events of threads that hand blocks over, over a heap of so many bytes.
pub fn record<A: Allocator, M: Machine>(machine: &M, bytes: u64) -> Vec<RecordedCall> {
    recorded::<A, M>(machine, bytes, RECORDS).0
}

fn recorded<A: Allocator, M: Machine>(
    machine: &M,
    bytes: u64,
    observe: Observe,
) -> (Vec<RecordedCall>, [u64; 3]) {
    let turns = M::TURNS.min(64);
    let requests = u64::from(turns * M::THREADS);
    let mut ring = Ring::new(2 * requests as usize);
    let pool = ring.heap::<A, M>(machine, bytes, observe);
    hand_over(machine, &pool, turns);
    let (events, missing) = ring.events();
    assert_eq!(missing, 0);
    let [granted, refused, freed] = replay(&events);
    assert_eq!(granted + refused, requests);
    assert_eq!(granted, freed);
    (events, [granted, refused, freed])
}

fn every_place_follows<M: Machine>(machine: &M) {
    for bytes in [1 << 16, 1 << 20] {
        recorded::<CfMalloc, M>(machine, bytes, RECORDS);
        recorded::<Gallatin, M>(machine, bytes, RECORDS);
        recorded::<OuroborosPS, M>(machine, bytes, RECORDS);
        recorded::<OuroborosPVl, M>(machine, bytes, RECORDS);
    }
    let both = Observe {
        guards: true,
        ..RECORDS
    };
    recorded::<CfMalloc, M>(machine, 1 << 16, both);
}

#[test]
fn grants_and_frees_of_a_block_take_turns_on_os_threads() {
    every_place_follows(&OsThreads);
}

#[test]
fn grants_and_frees_of_a_block_take_turns_in_lockstep() {
    for seed in 0..4 {
        every_place_follows(&Coroutines::new(seed));
    }
}

#[test]
fn refusals_are_recorded() {
    let (_, [_, refused, _]) = recorded::<CfMalloc, OsThreads>(&OsThreads, 1 << 13, RECORDS);
    assert!(refused > 0);
}

#[test]
fn events_beyond_the_ring_are_counted() {
    let mut ring = Ring::new(10);
    let pool = ring.heap::<AtomicMalloc, OsThreads>(&OsThreads, 1 << 16, RECORDS);
    let requests = OsThreads.try_launch_alone(0, &|warp| {
        for bytes in 1..=14 {
            pool.allocator().malloc(warp, bytes);
        }
    });
    requests.expect("a launch");
    let (events, missing) = ring.events();
    assert_eq!((events.len(), missing), (10, 4));
    let sizes: Vec<u64> = events.iter().map(|event| event.bytes).collect();
    assert_eq!(sizes, (1..=10).collect::<Vec<u64>>());
}
