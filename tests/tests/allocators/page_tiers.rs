//! The tiers of random page search: that pages are split and merged for requests of any tier, and
//! only whole pages are.

use std::sync::Mutex;

use heapwood_device::allocator::{Allocator, Handle};
use heapwood_device::allocators::{Clustered, Collaborative, Independent, PageSearch};
use heapwood_device::simt::Warp;
use heapwood_tests::conformance::{Coroutines, Machine, OsThreads, Pool};

const PAGE: u64 = 64;
/// Pages of the first tier in one of the third.
const GROUP: usize = 16;

/// An empty heap of some words in each of five tiers.
fn heap<A: Allocator, M: Machine>(machine: &M) -> Pool<A> {
    let pool = Pool::<A>::new(100_000, M::PROCESSORS, &[("page", "64")]).expect("a pool");
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

/// Blocks of `bytes` until the heap refuses one.
fn fill<A: Allocator<Handle = u32>, W: Warp>(pool: &Pool<A>, warp: W, bytes: u64) -> Vec<u32> {
    let request = || Some(pool.allocator().malloc(warp, bytes)).filter(|block| !block.is_null());
    std::iter::from_fn(request).collect()
}

fn free<A: Allocator<Handle = u32>, W: Warp>(pool: &Pool<A>, warp: W, block: u32) {
    // SAFETY: the block lives.
    unsafe { pool.allocator().free(warp, block) };
}

/// Used and largest free bytes of a heap at rest.
fn occupancy<A: Allocator, M: Machine>(machine: &M, pool: &Pool<A>) -> [u64; 2] {
    let sums = Mutex::new([0_u64; 2]);
    machine.launch(&|warp| {
        let part = pool.allocator().walk(warp);
        let mut sums = sums.lock().expect("no thread panics in here");
        sums[0] = sums[0].wrapping_add(part.used_bytes);
        sums[1] = sums[1].max(part.largest_free_bytes);
    });
    sums.into_inner().expect("no thread panics in here")
}

fn all_memory_serves_each_size<A: Allocator<Handle = u32>, M: Machine>(machine: &M) {
    let pool = heap::<A, M>(machine);
    for bytes in [64, 16_384, 1024, 256, 4096, 192, 3072, 2048, 128, 768, 64] {
        let blocks = Mutex::new(Vec::new());
        alone(machine, |warp| {
            *blocks.lock().expect("one thread") = fill(&pool, warp, bytes);
        });
        let blocks = blocks.into_inner().expect("one thread");
        let [used, largest] = occupancy(machine, &pool);
        assert_eq!(used, blocks.len() as u64 * bytes, "blocks of {bytes}");
        assert!(
            largest < bytes,
            "{largest} bytes are free beside blocks of {bytes}"
        );
        // Blocks of a whole page leave nothing over.
        if bytes.ilog2().is_multiple_of(2) && bytes.is_power_of_two() {
            let all = (pool.heap().integers[0] & 0xffff_ffff) * PAGE;
            assert_eq!(used, all, "blocks of {bytes}");
        }
        alone(machine, |warp| {
            blocks.iter().for_each(|block| free(&pool, warp, *block))
        });
        assert_eq!(occupancy(machine, &pool)[0], 0);
    }
}

#[test]
fn all_memory_of_the_tiers_serves_each_size() {
    all_memory_serves_each_size::<PageSearch<Collaborative>, _>(&OsThreads);
    all_memory_serves_each_size::<PageSearch<Independent>, _>(&OsThreads);
    all_memory_serves_each_size::<PageSearch<Clustered>, _>(&OsThreads);
    let lockstep = Coroutines::new(1000);
    all_memory_serves_each_size::<PageSearch<Collaborative>, _>(&lockstep);
}

#[test]
fn pages_of_a_tier_are_one_of_the_next_when_all_are_free() {
    let pool = heap::<PageSearch<Collaborative>, _>(&OsThreads);
    alone(&OsThreads, |warp| {
        let heap = pool.allocator();
        let mut blocks = fill(&pool, warp, PAGE);
        blocks.sort_by_key(|block| heap.address(*block) as usize);
        // The pages lie at the begin of the pool, so that the second group is a page of 1 KiB.
        let group = &blocks[GROUP..2 * GROUP];
        let address = heap.address(group[0]);
        for (index, block) in group.iter().enumerate() {
            assert_eq!(heap.address(*block) as usize, address as usize + 64 * index);
        }
        // All but the sixth, and so three quarters.
        for block in group.iter().filter(|block| **block != group[5]) {
            free(&pool, warp, *block);
        }
        assert!(heap.malloc(warp, 1024).is_null());
        let quarters = fill(&pool, warp, 256);
        assert_eq!(quarters.len(), 3);
        // The others are in the first tier.
        let rest = fill(&pool, warp, PAGE);
        assert_eq!(rest.len(), 3);
        // A page of the third tier from three of the second and four of the first.
        for block in quarters.into_iter().chain(rest).chain([group[5]]) {
            assert!(heap.malloc(warp, 1024).is_null());
            free(&pool, warp, block);
        }
        let whole = heap.malloc(warp, 1024);
        assert_eq!(heap.address(whole), address);
        // The page is split over two tiers.
        free(&pool, warp, whole);
        assert_eq!(fill(&pool, warp, PAGE).len(), GROUP);
    });
}
