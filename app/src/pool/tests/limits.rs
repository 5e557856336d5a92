//! The memory that a pool keeps, and the memory that it gives back.

use super::device::{Call, Device, TestError};
use super::free_pending;
use crate::pool::{Limits, Pool, Stats};

const MIB: u64 = 1 << 20;

/// The sizes given back since the last look.
fn released(device: &Device) -> Vec<u64> {
    let log = std::mem::take(&mut device.state().log);
    let releases = log.into_iter().filter_map(|call| match call {
        Call::Release(_, bytes) => Some(bytes),
        Call::Obtain(..) => None,
    });
    releases.collect()
}

fn free(pool: &Pool<Device>, sizes: &[u64]) {
    let blocks: Vec<_> = sizes.iter().map(|&bytes| pool.allocate(bytes)).collect();
    for block in blocks {
        pool.deallocate(block.unwrap());
    }
}

#[test]
fn no_more_is_kept_than_the_limit() {
    let device = Device::new(u64::MAX);
    let limits = Limits {
        cached_bytes: 3 * 512,
    };
    let pool = Pool::new(device.clone(), limits);
    free(&pool, &[512, 512, 1024]);
    assert_eq!(released(&device), [1024]);
    assert_eq!(pool.stats().cached_bytes, 1024);
    free(&pool, &[512, 512, 512, 512]);
    assert_eq!(released(&device), [512]);
    assert_eq!(pool.stats().cached_bytes, 3 * 512);
}

#[test]
fn a_limit_of_nothing_keeps_nothing() {
    let device = Device::new(u64::MAX);
    let limits = Limits { cached_bytes: 0 };
    let pool = Pool::new(device.clone(), limits);
    free(&pool, &[1, 64 * MIB]);
    assert_eq!(device.state().used, 0);
    let stats = pool.stats();
    assert_eq!((stats.hits, stats.released, stats.held_bytes), (0, 2, 0));
}

#[test]
fn pending_memory_beyond_the_limit_is_given_back_when_it_is_idle() {
    let device = Device::new(u64::MAX);
    let one = device.stream();
    let pool = Pool::new(device.clone(), Limits { cached_bytes: 1024 });
    let blocks = [0; 4].map(|_| pool.allocate_async(512, &one).unwrap());
    for block in blocks {
        one.launch(block.address());
        pool.deallocate_async(block, &one);
    }
    assert_eq!(pool.reclaim(), 0);
    assert_eq!(pool.stats().pending_bytes, 2048);
    one.finish();
    assert_eq!(pool.reclaim(), 1024);
    let stats = pool.stats();
    assert_eq!((stats.cached_bytes, stats.pending_bytes), (1024, 0));
    assert_eq!(stats.held_bytes, 1024);
}

#[test]
fn the_limit_holds_without_a_reclaim_for_sizes_that_nobody_requests_again() {
    let device = Device::new(u64::MAX);
    let one = device.stream();
    let limits = Limits {
        cached_bytes: 1024 * MIB,
    };
    let pool = Pool::new(device.clone(), limits);
    let (mut looks, mut freed) = (0, 0);
    for pages in 20..120 {
        let block = pool.allocate_async(2 * MIB * pages, &one).unwrap();
        one.launch(block.address());
        let (bytes, before) = (block.bytes(), pool.stats());
        pool.deallocate_async(block, &one);
        one.finish();
        freed += bytes;
        let stats = pool.stats();
        let free = stats.cached_bytes + stats.pending_bytes;
        assert!(free <= 2 * limits.cached_bytes + bytes, "{free}");
        let settled = |stats: Stats| (stats.cached_bytes, stats.released);
        looks += u64::from(settled(stats) != settled(before));
    }
    assert!(
        (1..=freed / limits.cached_bytes).contains(&looks),
        "{looks}"
    );
}

#[test]
fn an_emptied_cache_waits_for_pending_work_and_leaves_what_is_live() {
    let device = Device::new(u64::MAX);
    let one = device.stream();
    let pool = Pool::new(device.clone(), Limits::default());
    let live = pool.allocate(4096).unwrap();
    free(&pool, &[512, 64 * MIB]);
    free_pending(&pool, 1024, &one);
    assert_eq!(pool.empty_cache(), 64 * MIB + 1024 + 512);
    assert_eq!(released(&device), [64 * MIB, 512, 1024]);
    assert_eq!(one.positions(), (1, 1));
    let stats = pool.stats();
    assert_eq!((stats.held_bytes, device.state().used), (4096, 4096));
    assert_eq!((stats.cached_bytes, stats.pending_bytes), (0, 0));
    assert_eq!(pool.empty_cache(), 0);
    pool.deallocate(live);
}

#[test]
fn trim_gives_back_the_largest_first() {
    let device = Device::new(u64::MAX);
    let pool = Pool::new(device.clone(), Limits::default());
    free(&pool, &[512, MIB, 40 * MIB, 64 * MIB, 4096]);
    assert_eq!(pool.trim(u64::MAX), 0);
    assert_eq!(pool.trim(41 * MIB), 64 * MIB + 40 * MIB);
    assert_eq!(released(&device), [64 * MIB, 40 * MIB]);
    assert_eq!(pool.trim(4608), MIB);
    assert_eq!(pool.trim(0), 4608);
    assert_eq!(pool.trim(0), 0);
    assert_eq!((pool.stats().held_bytes, device.state().used), (0, 0));
}

#[test]
fn trim_leaves_what_is_pending_or_live() {
    let device = Device::new(u64::MAX);
    let one = device.stream();
    let pool = Pool::new(device.clone(), Limits::default());
    let live = pool.allocate(512).unwrap();
    free_pending(&pool, 1024, &one);
    assert_eq!(pool.trim(0), 0);
    one.finish();
    assert_eq!(pool.trim(0), 1024);
    assert_eq!(pool.stats().held_bytes, live.bytes());
    pool.deallocate(live);
}

#[test]
fn without_memory_what_is_needed_is_given_back() {
    let device = Device::new(100 * MIB);
    let pool = Pool::new(device.clone(), Limits::default());
    free(&pool, &[40 * MIB, 34 * MIB, 20 * MIB, MIB]);
    released(&device);
    let block = pool.allocate(44 * MIB).unwrap();
    assert_eq!(released(&device), [40 * MIB, 34 * MIB]);
    let other = pool.allocate(56 * MIB).unwrap();
    assert_eq!(released(&device), [20 * MIB, MIB]);
    assert_eq!(pool.allocate(1).unwrap_err(), TestError::Exhausted);
    let stats = pool.stats();
    assert_eq!((stats.misses, stats.refused, stats.hits), (6, 1, 0));
    assert_eq!(stats.held_high_water_bytes, 100 * MIB);
    pool.deallocate(block);
    pool.deallocate(other);
}

#[test]
fn pending_memory_is_waited_for_before_a_request_fails() {
    let device = Device::new(4096);
    let one = device.stream();
    let pool = Pool::new(device.clone(), Limits::default());
    free_pending(&pool, 2048, &one);
    free(&pool, &[1024]);
    // Idle memory suffices for this one.
    let block = pool.allocate(1536).unwrap();
    assert_eq!(one.positions(), (1, 0));
    let other = pool.allocate(2560).unwrap();
    assert_eq!(one.positions(), (1, 1));
    assert_eq!(released(&device), [1024, 2048]);
    pool.deallocate(block);
    pool.deallocate(other);
}

#[test]
fn of_pending_memory_what_is_not_needed_is_kept() {
    let device = Device::new(128 * MIB);
    let one = device.stream();
    let pool = Pool::new(device.clone(), Limits::default());
    for bytes in [20 * MIB, 72 * MIB] {
        free_pending(&pool, bytes, &one);
    }
    let block = pool.allocate(60 * MIB).unwrap();
    assert_eq!(one.positions(), (2, 2));
    assert_eq!(released(&device), [72 * MIB]);
    assert_eq!(pool.stats().cached_bytes, 20 * MIB);
    pool.deallocate(block);
}

#[test]
fn pending_memory_is_waited_for_if_idle_memory_is_not_enough() {
    let device = Device::new(4096);
    let one = device.stream();
    let pool = Pool::new(device.clone(), Limits::default());
    free_pending(&pool, 2048, &one);
    free(&pool, &[1024]);
    let block = pool.allocate(3584).unwrap();
    assert_eq!(released(&device), [1024, 2048]);
    pool.deallocate(block);
}

#[test]
fn small_blocks_are_given_back_in_few_steps_until_it_helps() {
    let device = Device::new(64 * MIB);
    let pool = Pool::new(device.clone(), Limits::default());
    free(&pool, &[512; 64 * MIB as usize / 512]);
    // As a driver whose pages all have a block.
    device.state().is_fragmented = true;
    device.state().refused = 0;
    let block = pool.allocate(1024).unwrap();
    // Before, and after 2, 4, 8, 16 and 32 MiB.
    assert_eq!(device.state().refused, 6);
    assert_eq!(device.state().used, 1024);
    pool.deallocate(block);
}

#[test]
fn what_is_done_suffices_before_pending_memory_is_waited_for() {
    let device = Device::new(2048);
    let (done, pending) = (device.stream(), device.stream());
    let pool = Pool::new(device.clone(), Limits { cached_bytes: 0 });
    for stream in [&done, &pending] {
        free_pending(&pool, 1024, stream);
    }
    done.finish();
    let block = pool.allocate(512).unwrap();
    assert_eq!(released(&device), [1024]);
    assert_eq!(pending.positions(), (1, 0));
    pool.deallocate(block);
}

#[test]
fn a_fault_is_no_reason_to_give_memory_back() {
    let device = Device::new(u64::MAX);
    let pool = Pool::new(device.clone(), Limits::default());
    free(&pool, &[512]);
    device.state().failed = true;
    assert_eq!(pool.allocate(1024).unwrap_err(), TestError::Failed);
    assert!(released(&device).is_empty());
}

#[test]
fn large_blocks_serve_what_leaves_little_of_them() {
    let device = Device::new(u64::MAX);
    let pool = Pool::new(device.clone(), Limits::default());
    free(&pool, &[80 * MIB, 72 * MIB]);
    for (request, served) in [
        (64 * MIB, 72 * MIB),
        (64 * MIB - 1, 64 * MIB),
        (72 * MIB, 72 * MIB),
        (72 * MIB + 1, 80 * MIB),
        (81 * MIB, 82 * MIB),
    ] {
        let block = pool.allocate(request).unwrap();
        assert_eq!(block.bytes(), served, "{request}");
        assert_eq!(block.requested(), request);
        pool.deallocate(block);
        // New ones must not serve the next request.
        device.state().log.clear();
        if served != 72 * MIB && served != 80 * MIB {
            pool.trim(0);
            free(&pool, &[80 * MIB, 72 * MIB]);
        }
    }
    let sizes = [72 * MIB, 80 * MIB];
    let blocks = sizes.map(|bytes| pool.allocate(bytes).unwrap());
    assert_eq!(blocks.each_ref().map(|block| block.bytes()), sizes);
    blocks.into_iter().for_each(|block| pool.deallocate(block));
}

#[test]
fn a_request_beyond_counting_is_refused() {
    let device = Device::new(1 << 40);
    let pool = Pool::new(device.clone(), Limits::default());
    let small = pool.allocate(0).unwrap();
    assert_eq!((small.bytes(), small.requested()), (512, 0));
    for bytes in [u64::MAX, u64::MAX - MIB] {
        assert_eq!(pool.allocate(bytes).unwrap_err(), TestError::Exhausted);
    }
    pool.deallocate(small);
}
