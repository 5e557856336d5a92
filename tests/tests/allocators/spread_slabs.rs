//! The slabs of SpreadMalloc: which multiprocessor allocates from a slab, and that no memory is
//! lost to slabs.

use std::collections::BTreeMap;
use std::sync::Mutex;

use heapwood_device::allocator::{Allocator, Handle};
use heapwood_device::allocators::SpreadMalloc;
use heapwood_device::simt::Warp;
use heapwood_tests::conformance::{Coroutines, Machine, OsThreads, Pool};
use heapwood_tests::lockstep::Random;

const UNIT: u64 = 16;

/// An empty heap.
fn heap<M: Machine>(machine: &M, bytes: u64) -> Pool<SpreadMalloc> {
    let pool = Pool::<SpreadMalloc>::new(bytes, M::PROCESSORS, &[]).expect("a pool");
    machine.launch(&|warp| {
        // SAFETY: a launch of all threads over a heap without blocks.
        unsafe { pool.allocator().init(warp) };
    });
    pool
}

/// Units of a slab.
fn slab_units(pool: &Pool<SpreadMalloc>) -> u32 {
    1 << pool.heap().integers[4]
}

/// Runs `kernel` on one thread.
fn alone(kernel: impl Fn(<OsThreads as Machine>::Warp) + Sync) {
    OsThreads.launch(&|warp| {
        if warp.thread() == 0 {
            kernel(warp);
        }
    });
}

/// No slab has blocks of two multiprocessors, however lanes diverge, and no blocks overlap.
fn processors_have_slabs_of_their_own<M: Machine>(machine: &M, seed: u32) {
    const BLOCKS: u32 = 20;
    let pool = heap(machine, 8 << 20);
    let owners = Mutex::new(BTreeMap::new());
    machine.launch(&|warp| {
        for turn in 0..BLOCKS {
            let bytes = u64::from((warp.thread() ^ turn ^ seed) % 3 * 16 + 16);
            let block = pool.allocator().malloc(warp, bytes);
            assert!(!block.is_null(), "{bytes} bytes");
            let mut owners = owners.lock().expect("no panic in here");
            for unit in block..block + (bytes / UNIT) as u32 {
                let other = owners.insert(unit, warp.processor());
                assert_eq!(other, None, "unit {unit} was granted twice");
            }
        }
    });
    let mut slabs = BTreeMap::new();
    for (unit, processor) in owners.into_inner().expect("no panic in here") {
        let slab = unit / slab_units(&pool);
        let owner = *slabs.entry(slab).or_insert(processor);
        assert_eq!(owner, processor, "slab {slab}");
    }
}

#[test]
fn workers_have_slabs_of_their_own() {
    for seed in 0..20 {
        processors_have_slabs_of_their_own(&OsThreads, seed);
    }
}

#[test]
fn warps_of_diverging_lanes_have_slabs_of_their_own() {
    for seed in 0..40 {
        processors_have_slabs_of_their_own(&Coroutines::new(u64::from(seed)), seed);
    }
}

/// Threads request blocks of several sizes until each was refused the least: then every unit is
/// granted, once.
fn all_units_are_granted<M: Machine>(machine: &M, seed: u64, sizes: &[u64]) {
    let pool = heap(machine, 40 << 10);
    let granted = Mutex::new(BTreeMap::new());
    machine.launch(&|warp| {
        let mut random = Random::new(seed << 8 | u64::from(warp.thread()));
        loop {
            let bytes = random.choose(sizes);
            let block = pool.allocator().malloc(warp, bytes);
            if block.is_null() && bytes == UNIT {
                return;
            }
            if !block.is_null() {
                let other = granted
                    .lock()
                    .expect("no panic in here")
                    .insert(block, bytes);
                assert_eq!(other, None, "block {block}");
            }
        }
    });
    let mut next = 0;
    for (block, bytes) in granted.into_inner().expect("no panic in here") {
        assert_eq!(u64::from(block), next, "seed {seed}");
        next += bytes / UNIT;
    }
    assert_eq!(next * UNIT, SpreadMalloc::max_block(pool.heap()));
}

#[test]
fn no_unit_is_lost_to_a_slab() {
    for seed in 0..30 {
        for sizes in [&[16, 112][..], &[16, 48, 80], &[16, 640, 2_000]] {
            all_units_are_granted(&OsThreads, seed, sizes);
            all_units_are_granted(&Coroutines::new(seed), seed, sizes);
        }
    }
}

#[test]
fn an_empty_heap_serves_a_request_for_all_of_it() {
    let pool = heap(&OsThreads, 1 << 20);
    let most = SpreadMalloc::max_block(pool.heap());
    alone(|warp| {
        let malloc = |bytes| pool.allocator().malloc(warp, bytes);
        assert!(malloc(most + 1).is_null() && malloc(u64::MAX).is_null());
        assert_eq!(malloc(most), 0);
        assert!(malloc(0).is_null());
    });
}

#[test]
fn a_slab_is_used_to_its_end() {
    let pool = heap(&OsThreads, 1 << 20);
    let slab = slab_units(&pool);
    let most = u64::from(slab / 8) * UNIT;
    alone(|warp| {
        let malloc = |bytes| pool.allocator().malloc(warp, bytes);
        for unit in 0..slab {
            assert_eq!(malloc(16), unit);
        }
        // The pool serves more than an eighth of a slab.
        assert_eq!(malloc(most + 16), slab);
        let second = slab + slab / 8 + 1;
        assert_eq!(malloc(16), second);
        for eighth in 0..7 {
            assert_eq!(malloc(most), second + 1 + eighth * slab / 8);
        }
        // A request that does not fit begins another slab.
        assert_eq!(malloc(most), second + slab);
        assert_eq!(malloc(16), second + slab + slab / 8);
    });
}

#[test]
fn common_requests_cost_one_access_and_repeated_refusals_a_few() {
    let pool = heap(&OsThreads, 1 << 20);
    let accesses = |bytes| {
        OsThreads.count_atomics(&|warp| {
            pool.allocator().malloc(warp, bytes);
        })
    };
    let most = SpreadMalloc::max_block(pool.heap());
    accesses(16);
    for bytes in [0, 16, 48, most / 2] {
        assert_eq!(accesses(bytes), 1, "{bytes}");
    }
    assert_eq!(accesses(most + 1), 0);
    accesses(most);
    assert_eq!(accesses(most), 5);
}
