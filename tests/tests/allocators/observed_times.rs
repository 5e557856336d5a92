//! The times of calls: sums of them, and delays.

use std::time::{Duration, Instant};

use heapwood_device::allocator::{Allocator, Observe};
use heapwood_device::allocators::{
    AtomicMalloc, CallTimes, CfMalloc, Observed, OuroborosPVl, REQUEST_DELAY, RING_HEAD_WORDS,
    RING_WORD, STRETCH_ONE,
};
use heapwood_tests::conformance::{Coroutines, Machine, OsThreads, Pool};

const CLOCKS: Observe = Observe {
    clocks: true,
    ..Observe::NOTHING
};
const DELAYS: Observe = Observe {
    delays: true,
    ..Observe::NOTHING
};

/// An empty heap, for which the host has written these words from the place of the ring on.
fn heap<A: Allocator, M: Machine>(
    machine: &M,
    observe: Observe,
    first: u64,
    words: &[u64],
) -> Pool<Observed<A>> {
    let pool = Pool::<Observed<A>>::observed(1 << 20, M::PROCESSORS, &[], observe);
    let pool = pool.expect("a pool");
    for (place, word) in (first as usize..).zip(words) {
        pool.write_word(place, *word);
    }
    machine.launch(&|warp| {
        // SAFETY: a launch of all threads over a heap without blocks.
        unsafe { pool.allocator().init(warp) };
    });
    pool
}

/// Each thread requests and frees so many blocks.
fn take_turns<A: Allocator, M: Machine>(machine: &M, pool: &Pool<Observed<A>>, turns: u32) {
    machine.launch(&|warp| {
        let heap = pool.allocator();
        for turn in 0..turns {
            let block = heap.malloc(warp, u64::from(1 + turn));
            // SAFETY: nothing uses the block.
            unsafe { heap.free(warp, block) };
        }
    });
}

fn every_call_counts<A: Allocator, M: Machine>(machine: &M) {
    let mut head = [0_u64; RING_HEAD_WORDS];
    let address = head.as_mut_ptr().expose_provenance() as u64;
    let pool = heap::<A, M>(machine, CLOCKS, RING_WORD, &[address, 0]);
    let turns = M::TURNS.min(32);
    take_turns(machine, &pool, turns);
    drop(pool);
    let times = CallTimes::from_words(head);
    let calls = u64::from(turns * M::THREADS);
    assert_eq!((times.requests, times.frees), (calls, calls));
    assert_eq!(head[0], 0, "nothing was to be recorded");
}

#[test]
fn every_call_counts_on_os_threads() {
    every_call_counts::<CfMalloc, _>(&OsThreads);
    every_call_counts::<OuroborosPVl, _>(&OsThreads);
}

#[test]
fn every_call_counts_in_lockstep() {
    for seed in 0..4 {
        every_call_counts::<CfMalloc, _>(&Coroutines::new(seed));
        every_call_counts::<OuroborosPVl, _>(&Coroutines::new(seed));
    }
}

/// The time in which one thread requests and frees so many blocks.
fn alone<A: Allocator>(pool: &Pool<Observed<A>>, calls: u64) -> Duration {
    let begun = Instant::now();
    let launch = OsThreads.try_launch_alone(0, &|warp| {
        for _ in 0..calls {
            let heap = pool.allocator();
            let block = heap.malloc(warp, 16);
            // SAFETY: nothing uses the block.
            unsafe { heap.free(warp, block) };
        }
    });
    launch.expect("a launch");
    begun.elapsed()
}

#[test]
fn a_delayed_call_takes_as_long_at_least() {
    const CALLS: u64 = 10;
    // Nanoseconds on a host.
    for (delays, least) in [([20_000, 0, 0], 20_000), ([0, 30_000, 0], 30_000)] {
        let pool = heap::<AtomicMalloc, _>(&OsThreads, DELAYS, REQUEST_DELAY, &delays);
        assert!(alone(&pool, CALLS) >= Duration::from_nanos(CALLS * least));
    }
}

#[test]
fn a_stretched_call_takes_so_many_times_longer_at_least() {
    const TIMES: u64 = 300;
    let both = Observe {
        clocks: true,
        ..DELAYS
    };
    let mut head = [0_u64; RING_HEAD_WORDS];
    let address = head.as_mut_ptr().expose_provenance() as u64;
    let words = [address, 0, 0, 0, TIMES * STRETCH_ONE];
    let pool = heap::<CfMalloc, _>(&OsThreads, both, RING_WORD, &words);
    let took = alone(&pool, 10);
    drop(pool);
    let times = CallTimes::from_words(head);
    let calls = Duration::from_nanos(times.request_cycles + times.free_cycles);
    assert!(
        calls > Duration::ZERO && took >= calls * TIMES as u32,
        "{took:?} {calls:?}"
    );
}
