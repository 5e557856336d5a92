//! The heaps of FDGMalloc: whose superblock a block lies in, and what is left when the pool has
//! no superblock any more.

use std::collections::BTreeMap;
use std::sync::Mutex;

use heapwood_device::allocator::{Allocator, Handle};
use heapwood_device::allocators::FdgMalloc;
use heapwood_device::simt::Warp;
use heapwood_tests::conformance::{Coroutines, Machine, OsThreads, Pool};

const POOL: u64 = 1 << 20;
/// Units of a superblock, of 16 bytes each.
const SUPERBLOCK: u32 = 8192 / 16;

/// An empty heap.
fn heap<M: Machine>(machine: &M) -> Pool<FdgMalloc> {
    let pool = Pool::<FdgMalloc>::new(POOL, M::PROCESSORS, &[]).expect("a pool");
    machine.launch(&|warp| {
        // SAFETY: a launch of all threads over a heap without blocks.
        unsafe { pool.allocator().init(warp) };
    });
    pool
}

/// Runs `kernel` on one thread.
fn alone(kernel: impl Fn(<OsThreads as Machine>::Warp) + Sync) {
    OsThreads.launch(&|warp| {
        if warp.thread() == 0 {
            kernel(warp);
        }
    });
}

/// No superblock has blocks of two warps, however their lanes diverge, and no two blocks
/// overlap.
fn warps_have_superblocks_of_their_own<M: Machine>(machine: &M, seed: u32) {
    const BLOCKS: u32 = 20;
    let pool = heap(machine);
    let owners = Mutex::new(BTreeMap::new());
    machine.launch(&|warp| {
        for turn in 0..BLOCKS {
            let bytes = u64::from((warp.thread() ^ turn ^ seed) % 3 * 16 + 16);
            let block = pool.allocator().malloc(warp, bytes);
            assert!(!block.is_null(), "{bytes} bytes");
            let mut owners = owners.lock().expect("no panic in here");
            for unit in block..block + (bytes / 16) as u32 {
                let other = owners.insert(unit, warp.warp());
                assert_eq!(other, None, "unit {unit} was granted twice");
            }
        }
    });
    let owners = owners.into_inner().expect("no panic in here");
    let mut superblocks = BTreeMap::new();
    for (unit, warp) in &owners {
        let owner = *superblocks.entry(unit / SUPERBLOCK).or_insert(*warp);
        assert_eq!(owner, *warp, "superblock {}", unit / SUPERBLOCK);
    }
}

#[test]
fn threads_have_superblocks_of_their_own() {
    for seed in 0..20 {
        warps_have_superblocks_of_their_own(&OsThreads, seed);
    }
}

#[test]
fn warps_of_diverging_lanes_have_superblocks_of_their_own() {
    for seed in 0..60 {
        warps_have_superblocks_of_their_own(&Coroutines::new(u64::from(seed)), seed);
    }
}

#[test]
fn a_superblock_is_cut_to_its_end() {
    let pool = heap(&OsThreads);
    alone(|warp| {
        let malloc = |bytes| pool.allocator().malloc(warp, bytes);
        for unit in 0..SUPERBLOCK {
            assert_eq!(malloc(16), unit);
        }
        // A whole superblock is the pool's, and not what is cut next.
        assert_eq!(malloc(8192), SUPERBLOCK);
        assert_eq!(malloc(16), 2 * SUPERBLOCK);
        assert_eq!(malloc(8192 - 16), 2 * SUPERBLOCK + 1);
        assert_eq!(malloc(32), 3 * SUPERBLOCK);
        // A request that does not fit into the rest begins another superblock. The heap keeps the
        // one with more bytes left.
        assert_eq!(malloc(8192 - 16), 4 * SUPERBLOCK);
        assert_eq!(malloc(32), 3 * SUPERBLOCK + 2);
    });
}

#[test]
fn less_than_a_superblock_serves_small_requests() {
    let pool = heap(&OsThreads);
    let most = FdgMalloc::max_block(pool.heap());
    alone(|warp| {
        let malloc = |bytes| pool.allocator().malloc(warp, bytes);
        assert!(malloc(most + 1).is_null());
        assert!(!malloc(most - 4096).is_null());
        assert!(malloc(4112).is_null());
        for _ in 0..4096 / 16 {
            assert!(!malloc(16).is_null());
        }
        assert!(malloc(0).is_null() && malloc(u64::MAX).is_null());
    });
}
