//! How much of its memory a circular heap serves to small requests before it
//! refuses one: a walk that gives up early must not pass for an exhausted heap.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use heapwood_device::allocator::{Allocator, Handle};
use heapwood_device::allocators::{CMalloc, CfMalloc, CfmMalloc, CmMalloc};
use heapwood_device::simt::Warp;
use heapwood_tests::conformance::{Machine, OsThreads, Pool};
use heapwood_tests::lockstep::Random;

/// Blocks of 128 to 240 bytes and now and then a smaller one, by a thread until it is
/// refused, take nearly all of the pool.
///
/// A region that is known to refuse a size may serve smaller ones, so these requests search it
/// themselves. The test uses one thread, because a request gives up waiting for a chunk that
/// another thread holds.
fn mixed_blocks_fill<A: Allocator>(parameters: &[(&str, &str)]) {
    let bytes = 64 << 20;
    let pool = Pool::<A>::new(bytes, 4, parameters).expect("a pool");
    // SAFETY: a launch of all threads over a heap without blocks.
    OsThreads.launch(&|warp| unsafe { pool.allocator().init(warp) });
    let used = AtomicU64::new(0);
    OsThreads.launch(&|warp| {
        if warp.thread() != 0 {
            return;
        }
        let mut random = Random::new(3);
        loop {
            let wanted = match random.one_in(1000) {
                true => 16 * (1 + random.below(7)),
                false => 16 * (8 + random.below(8)),
            };
            if pool.allocator().malloc(warp, wanted).is_null() {
                break;
            }
            used.fetch_add(wanted, Relaxed);
        }
    });
    // The table of headers has up to a quarter.
    let used = used.into_inner();
    assert!(
        10 * used >= 7 * bytes,
        "{used} bytes of {bytes}, {parameters:?}"
    );
}

fn regions_small_and_large<A: Allocator>() {
    mixed_blocks_fill::<A>(&[]);
    mixed_blocks_fill::<A>(&[("region", "1048576")]);
}

#[test]
fn cmalloc_fills_its_pool() {
    regions_small_and_large::<CMalloc>();
}

#[test]
fn cfmalloc_fills_its_pool() {
    regions_small_and_large::<CfMalloc>();
}

#[test]
fn cmmalloc_fills_its_pool() {
    regions_small_and_large::<CmMalloc>();
}

#[test]
fn cfmmalloc_fills_its_pool() {
    regions_small_and_large::<CfmMalloc>();
}
