//! The three queues.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use heapwood_device::allocators::ouroboros::queue::{
    self, Array, End, Hierarchy, Linked, Queue, VOID,
};
use heapwood_device::allocators::ouroboros::{Arena, Chunk, Group};
use heapwood_device::simt::Warp;
use heapwood_tests::conformance::{Coroutines, Machine, OsThreads};
use heapwood_tests::lockstep::Random;

use super::semaphore::Words;
use super::{CLASS, ENTRIES, Memory, Tiny, arena, everywhere, heap};

/// Room for `n` entries for this thread alone.
fn reserve<W: Warp, Q: Queue>(warp: W, arena: &Arena<Tiny>, n: u32) -> bool {
    let alone = Group::alone(warp);
    Q::reserve(warp, arena, alone.mask, CLASS, n, &alone) != 0
}

/// Threads enqueue numbers and dequeue them, in bursts, so that the queue grows over
/// many chunks and shrinks to nothing; each number comes out once. A permit is a
/// number that was enqueued.
fn queue_is_exact<M: Machine, Q: Queue>(machine: &M, seed: u32) {
    let mut random = Random::new(u64::from(seed));
    let chunks = 2 + random.below(30) as u32;
    let memory = heap::<M, Q>(machine, chunks);
    let words = Words::new();
    let permits = words.semaphore();
    let state: Vec<AtomicU32> = (0..4096).map(|_| AtomicU32::new(0)).collect();
    let (next, refused) = (AtomicU32::new(0), AtomicU32::new(0));
    let burst = 1 + random.below(40) as u32;
    // Chunks that are retired become room again, or all go back to the pool.
    let keep = seed % 3 * 2;
    let dequeue = |warp: M::Warp| {
        let arena = &arena(&memory);
        // SAFETY: the caller has a permit, for this position; its slot is empty when that is
        // counted.
        let entry = unsafe {
            let position = queue::positions(arena, CLASS, End::Front, 1);
            let (entry, chunk) = queue::dequeue::<_, _, Q>(warp, arena, CLASS, position);
            Q::finish(warp, arena, CLASS, chunk, 1, keep, &Group::alone(warp));
            entry
        };
        assert_ne!(entry, VOID);
        let before = state[entry as usize].swap(2, SeqCst);
        assert_eq!(before, 1, "entry {entry}");
    };
    for round in 0..3 {
        machine.launch(&|warp| {
            let arena = &arena(&memory);
            let mut random =
                Random::new(u64::from(seed ^ round << 8) << 16 | u64::from(warp.thread()));
            let mut left = 0;
            for _ in 0..M::TURNS.min(200) {
                if left == 0 {
                    left = 1 + random.below(u64::from(burst)) as u32;
                    if random.one_in(2) {
                        // A burst of requests.
                        for _ in 0..left {
                            if permits.take(1) == 1 {
                                dequeue(warp);
                            }
                        }
                        left = 0;
                        continue;
                    }
                }
                let n = 1 + random.below(u64::from(left.min(5))) as u32;
                left -= n;
                if next.load(SeqCst) as usize + 400 > state.len() {
                    continue;
                }
                if !reserve::<_, Q>(warp, arena, n) {
                    refused.fetch_add(1, SeqCst);
                    continue;
                }
                let entry = next.fetch_add(n, SeqCst);
                // SAFETY: there is room for these positions, and each is used once.
                unsafe {
                    let position = queue::positions(arena, CLASS, End::Back, n);
                    for index in 0..n {
                        assert_eq!(state[(entry + index) as usize].swap(1, SeqCst), 0);
                        let position = position.wrapping_add(index);
                        queue::enqueue::<_, _, Q>(warp, arena, CLASS, position, entry + index, 1);
                    }
                }
                permits.signal(n);
            }
        });
    }
    machine.launch(&|warp| {
        while permits.take(1) == 1 {
            dequeue(warp);
        }
    });
    for entry in 0..next.load(SeqCst) {
        assert_eq!(
            state[entry as usize].load(SeqCst),
            2,
            "entry {entry} was lost"
        );
    }
    check_closed(machine, &memory);
}

/// An empty queue gives all of its chunks back, and grows again.
pub fn check_closed<M: Machine, Q: Queue>(machine: &M, memory: &Memory<Q>) {
    machine.launch(&|warp| {
        let arena = &arena(memory);
        if warp.thread() != 0 {
            return;
        }
        for _ in 0..3 {
            // SAFETY: the run that is given back was taken here. There is room for two entries,
            // which are dequeued after that, each at a position of its own.
            unsafe {
                queue::close::<_, _, Q>(warp, arena, CLASS, |entry| panic!("{entry} is left"));
                assert_eq!(
                    arena.take_run(warp, arena.chunks()),
                    0,
                    "the queue keeps chunks"
                );
                arena.give_run(Chunk::new(0));
                if !reserve::<_, Q>(warp, arena, 2) {
                    panic!("no room in an empty queue");
                }
                let back = queue::positions(arena, CLASS, End::Back, 2);
                let front = queue::positions(arena, CLASS, End::Front, 2);
                for index in 0..2 {
                    queue::enqueue::<_, _, Q>(warp, arena, CLASS, back.wrapping_add(index), 7, 1);
                }
                for index in 0..2 {
                    let position = front.wrapping_add(index);
                    let (entry, chunk) = queue::dequeue::<_, _, Q>(warp, arena, CLASS, position);
                    assert_eq!(entry, 7);
                    Q::finish(warp, arena, CLASS, chunk, 1, 1, &Group::alone(warp));
                }
            }
        }
    });
}

/// Positions start shortly before they wrap to 0; here all threads enqueue and dequeue
/// until they have.
fn queue_wraps<M: Machine, Q: Queue>(machine: &M) {
    let memory = heap::<M, Q>(machine, 12);
    let sum = AtomicU32::new(0);
    machine.launch(&|warp| {
        let arena = &arena(&memory);
        for turn in 0..8 {
            // The queue is full where others have entries in all of its chunks.
            let has_room = (0..1000).any(|_| {
                let has_room = reserve::<_, Q>(warp, arena, 1);
                if !has_room {
                    warp.back_off();
                }
                has_room
            });
            if has_room {
                // SAFETY: there is room for an entry, and one was enqueued for each that is
                // dequeued.
                unsafe {
                    let back = queue::positions(arena, CLASS, End::Back, 1);
                    queue::enqueue::<_, _, Q>(
                        warp,
                        arena,
                        CLASS,
                        back,
                        warp.thread() * 8 + turn,
                        1,
                    );
                    let front = queue::positions(arena, CLASS, End::Front, 1);
                    let (_, chunk) = queue::dequeue::<_, _, Q>(warp, arena, CLASS, front);
                    Q::finish(warp, arena, CLASS, chunk, 1, 1, &Group::alone(warp));
                }
                sum.fetch_add(1, SeqCst);
            }
        }
    });
    let done = sum.load(SeqCst);
    assert!(M::THREADS < 32 || done > 10 * ENTRIES, "{done} entries");
    check_closed(machine, &memory);
}

/// Closing while others enqueue and dequeue: nothing is lost, and what the closing
/// thread gets it hands on.
fn closed_under_use<M: Machine, Q: Queue>(machine: &M, seed: u32) {
    let memory = heap::<M, Q>(machine, 20);
    let keep = seed % 3;
    let (enqueued, dequeued, kept) = (AtomicU32::new(0), AtomicU32::new(0), AtomicU32::new(0));
    let words = Words::new();
    let permits = words.semaphore();
    let dequeue = |warp: M::Warp| {
        let arena = &arena(&memory);
        // SAFETY: the caller has a permit, for this position; its slot is empty when that is
        // counted.
        let entry = unsafe {
            let position = queue::positions(arena, CLASS, End::Front, 1);
            let (entry, chunk) = queue::dequeue::<_, _, Q>(warp, arena, CLASS, position);
            Q::finish(warp, arena, CLASS, chunk, 1, keep, &Group::alone(warp));
            entry
        };
        if entry != VOID {
            dequeued.fetch_add(1, SeqCst);
        }
    };
    machine.launch(&|warp| {
        let arena = &arena(&memory);
        let mut random = Random::new(u64::from(seed) << 16 | u64::from(warp.thread()));
        for _ in 0..M::TURNS.min(100) {
            match random.below(8) {
                0 => {
                    queue::close::<_, _, Q>(warp, arena, CLASS, |_| {
                        kept.fetch_add(1, SeqCst);
                    });
                }
                1..4 => {
                    if permits.take(1) == 1 {
                        dequeue(warp);
                    }
                }
                _ => {
                    if reserve::<_, Q>(warp, arena, 1) {
                        enqueued.fetch_add(1, SeqCst);
                        // SAFETY: there is room for the position, which is used once.
                        unsafe {
                            let back = queue::positions(arena, CLASS, End::Back, 1);
                            queue::enqueue::<_, _, Q>(warp, arena, CLASS, back, 1, 1);
                        }
                        permits.signal(1);
                    }
                }
            }
        }
    });
    machine.launch(&|warp| {
        while permits.take(1) == 1 {
            dequeue(warp);
        }
    });
    let out = dequeued.load(SeqCst) + kept.load(SeqCst);
    assert_eq!(
        out,
        enqueued.load(SeqCst),
        "{} were kept",
        kept.load(SeqCst)
    );
    check_closed(machine, &memory);
}

macro_rules! queues {
    ($($name:ident: $queue:ty;)*) => {$(
        mod $name {
            use super::*;

            #[test]
            fn every_entry_comes_out_once() {
                everywhere(120, queue_is_exact::<_, $queue>, queue_is_exact::<_, $queue>);
            }

            #[test]
            fn positions_wrap() {
                let wraps = |machine: &Coroutines, _| queue_wraps::<_, $queue>(machine);
                let threads = |machine: &OsThreads, _| queue_wraps::<_, $queue>(machine);
                everywhere(20, wraps, threads);
            }

            #[test]
            fn it_is_closed_under_use() {
                everywhere(120, closed_under_use::<_, $queue>, closed_under_use::<_, $queue>);
            }
        }
    )*};
}

queues! {
    array: Array;
    hierarchy: Hierarchy;
    linked: Linked;
}
