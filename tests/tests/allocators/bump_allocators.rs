//! Refused requests must not consume memory of the bump allocators. A repeated request that does
//! not fit must neither use up memory for later ones, nor count towards an overflow of the offset.

use std::collections::BTreeSet;

use heapwood_device::allocator::{Allocator, Handle};
use heapwood_device::allocators::{AtomicMalloc, AwMalloc, SpreadMalloc};
use heapwood_device::simt::Warp;
use heapwood_tests::conformance::{Coroutines, Machine, OsThreads, Pool};
use heapwood_tests::lockstep::{self, Lockstep, Plan, Random};

const POOL: u64 = 64 << 10;

/// An empty heap.
fn heap<A: Allocator, M: Machine>(machine: &M) -> Pool<A> {
    let pool = Pool::<A>::new(POOL, M::PROCESSORS, &[]).expect("a pool");
    machine.launch(&|warp| {
        // SAFETY: a launch of all threads over a heap without blocks.
        unsafe { pool.allocator().init(warp) };
    });
    pool
}

/// Runs `kernel` on one thread.
fn alone<M: Machine>(machine: &M, kernel: impl Fn(M::Warp) + Sync) {
    machine.launch(&|warp| {
        if warp.thread() == 0 {
            kernel(warp);
        }
    });
}

/// The 16-byte blocks that are left of a heap that loses no memory.
fn blocks_left<A: Allocator, M: Machine>(machine: &M, pool: &Pool<A>) -> u64 {
    let count = std::sync::atomic::AtomicU64::new(0);
    alone(machine, |warp| {
        while !pool.allocator().malloc(warp, 16).is_null() {
            count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
    });
    count.into_inner()
}

fn refused_requests_take_nothing<A: Allocator, M: Machine>(machine: &M) {
    let pool = heap::<A, M>(machine);
    let most = A::max_block(pool.heap());
    alone(machine, |warp| {
        assert!(!pool.allocator().malloc(warp, most / 2).is_null());
    });
    for bytes in [most / 2 + 32, most, most + 1, 1 << 36, u64::MAX] {
        machine.launch(&|warp| {
            for _ in 0..5 {
                assert!(pool.allocator().malloc(warp, bytes).is_null(), "{bytes}");
            }
        });
    }
    assert_eq!(blocks_left(machine, &pool), most.div_ceil(32));
    assert_eq!(blocks_left(machine, &pool), 0);
}

#[test]
fn refused_requests_take_nothing_from_threads() {
    refused_requests_take_nothing::<AtomicMalloc, _>(&OsThreads);
    refused_requests_take_nothing::<SpreadMalloc, _>(&OsThreads);
}

#[test]
fn refused_requests_take_nothing_from_lanes() {
    for seed in 0..20 {
        refused_requests_take_nothing::<AtomicMalloc, _>(&Coroutines::new(seed));
        refused_requests_take_nothing::<SpreadMalloc, _>(&Coroutines::new(seed));
    }
}

/// Small requests fit into the remaining bytes, while others are refused: by lanes of the same warp
/// and of another, under schedules with stalls.
#[test]
fn requests_that_fit_are_served_beside_refused_ones() {
    for seed in 0..150 {
        let machine = Coroutines::new(seed);
        let pool = heap::<AtomicMalloc, Coroutines>(&machine);
        let most = AtomicMalloc::max_block(pool.heap());
        // The remaining bytes suffice for all small requests exactly.
        let small = 2 * 32 * 2 * 48;
        alone(&machine, |warp| {
            assert!(!pool.allocator().malloc(warp, most - small).is_null());
        });
        let taken = std::sync::Mutex::new(BTreeSet::new());
        let kernel = |warp: Lockstep| {
            let mut random = Random::new(seed << 8 | u64::from(warp.thread()));
            let mut served = 0;
            while served < 2 {
                let large = random.one_in(2);
                let bytes = if large {
                    random.choose(&[small + 16, most, u64::MAX])
                } else {
                    48
                };
                let block = pool.allocator().malloc(warp, bytes);
                assert_eq!(block.is_null(), large, "seed {seed}: {bytes} bytes");
                if !large {
                    served += 1;
                    assert!(taken.lock().expect("no panic in here").insert(block));
                }
            }
        };
        if let Err(error) = lockstep::run(Plan::varied(2, 32, 20, seed), kernel) {
            panic!("{error}");
        }
        let starts: Vec<u32> = taken.into_inner().expect("no panic").into_iter().collect();
        assert!(starts.windows(2).all(|pair| pair[1] - pair[0] == 3));
        assert_eq!(blocks_left(&machine, &pool), 0);
    }
}

#[test]
fn what_fits_costs_one_access_and_what_does_not_a_few() {
    let pool = heap::<AtomicMalloc, OsThreads>(&OsThreads);
    let most = AtomicMalloc::max_block(pool.heap());
    let accesses = |bytes| {
        OsThreads.count_atomics(&|warp| {
            pool.allocator().malloc(warp, bytes);
        })
    };
    for bytes in [0, 16, most / 2] {
        assert_eq!(accesses(bytes), 1, "{bytes}");
    }
    assert_eq!(accesses(most + 1), 0);
    assert!(accesses(most) <= 3);
}

/// AWMalloc serves whatever the pool can hold and refuses the rest; what it refuses
/// does not move its head.
fn refused_requests_leave_the_head<M: Machine>(machine: &M) {
    let pool = heap::<AwMalloc, M>(machine);
    let most = AwMalloc::max_block(pool.heap());
    machine.launch(&|warp| {
        for bytes in [most + 1, 1 << 36, u64::MAX] {
            assert!(pool.allocator().malloc(warp, bytes).is_null(), "{bytes}");
        }
    });
    alone(machine, |warp| {
        let first = pool.allocator().malloc(warp, 16);
        assert!(pool.allocator().malloc(warp, u64::MAX).is_null());
        let second = pool.allocator().malloc(warp, 16);
        assert_eq!((first, second), (0, 1));
    });
}

#[test]
fn refused_requests_leave_the_head_where_it_is() {
    refused_requests_leave_the_head(&OsThreads);
    for seed in 0..5 {
        refused_requests_leave_the_head(&Coroutines::new(seed));
    }
}

/// Exclusive requests are served until the pool was granted once, without overlap, and
/// never again, also by lanes that ask at the same time and beside other requests.
fn exclusive_blocks_lie_over_no_other<M: Machine>(machine: &M) {
    let pool = heap::<AwMalloc, M>(machine);
    let most = AwMalloc::max_block(pool.heap());
    let starts = std::sync::Mutex::new(Vec::new());
    machine.launch(&|warp| {
        let bytes = 16 << (warp.thread() % 5);
        for _ in 0..most / bytes {
            let block = pool.allocator().malloc_exclusive(warp, bytes);
            if !block.is_null() {
                starts
                    .lock()
                    .expect("no panic in here")
                    .push((block, bytes));
            }
        }
    });
    let mut starts = starts.into_inner().expect("no panic in here");
    starts.sort_unstable();
    let ends = starts
        .iter()
        .map(|&(block, bytes)| u64::from(block) * 16 + bytes);
    for (end, next) in ends.zip(&starts[1..]) {
        assert!(end <= u64::from(next.0) * 16, "{starts:?}");
    }
    let granted: u64 = starts.iter().map(|start| start.1).sum();
    // The allocator wastes at most the bytes that all lanes request at a time.
    let at_once: u64 = (0..u64::from(M::THREADS))
        .map(|thread| 16 << (thread % 5))
        .sum();
    assert!(
        granted <= most && granted + 2 * at_once >= most,
        "{granted} of {most}"
    );
    alone(machine, |warp| {
        assert!(pool.allocator().malloc_exclusive(warp, 16).is_null());
        assert!(!pool.allocator().malloc(warp, 16).is_null());
    });
}

#[test]
fn exclusive_blocks_lie_over_no_other_one() {
    exclusive_blocks_lie_over_no_other(&OsThreads);
    for seed in 0..10 {
        exclusive_blocks_lie_over_no_other(&Coroutines::new(seed));
    }
}
