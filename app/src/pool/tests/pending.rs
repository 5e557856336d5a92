//! Memory that work may still use.

use std::sync::Arc;

use super::device::{Device, TestError};
use super::free_pending;
use crate::pool::{Limits, Pool, PoolBuffer, Stats};

const SIZES: [u64; 2] = [4096, 64 << 20];

fn pool(device: &Device) -> Pool<Device> {
    Pool::new(device.clone(), Limits::default())
}

#[test]
fn pending_memory_is_used_again_on_its_stream_only() {
    for bytes in SIZES {
        let device = Device::new(u64::MAX);
        let (one, other) = (device.stream(), device.stream());
        let pool = pool(&device);
        let address = free_pending(&pool, bytes, &one);
        assert_eq!(pool.stats().pending_bytes, bytes);

        let elsewhere = [
            pool.allocate(bytes).unwrap(),
            pool.allocate_async(bytes, &other).unwrap(),
        ];
        assert!(elsewhere.iter().all(|block| block.address() != address));
        let again = pool.allocate_async(bytes, &one).unwrap();
        assert_eq!(again.address(), address);
        assert_eq!((pool.stats().hits, pool.stats().misses), (1, 3));
        for block in elsewhere.into_iter().chain([again]) {
            pool.deallocate(block);
        }
    }
}

#[test]
fn memory_is_free_for_all_once_its_event_has_completed() {
    for bytes in SIZES {
        let device = Device::new(u64::MAX);
        let (one, other) = (device.stream(), device.stream());
        let pool = pool(&device);
        for stream in [None, Some(&other)] {
            let block = pool.allocate_async(bytes, &one).unwrap();
            let address = block.address();
            one.launch(address);
            one.launch(address);
            pool.deallocate_async(block, &one);
            one.launch(0);
            let take = || match stream {
                None => pool.allocate(bytes).unwrap(),
                Some(stream) => pool.allocate_async(bytes, stream).unwrap(),
            };
            one.advance(1);
            let before = take();
            assert_ne!(before.address(), address);
            one.advance(1);
            let after = take();
            assert_eq!(after.address(), address);
            one.finish();
            pool.deallocate(before);
            pool.deallocate(after);
            pool.trim(0);
        }
    }
}

#[test]
fn a_block_that_is_granted_pending_stays_so_whoever_frees_it() {
    for bytes in SIZES {
        let device = Device::new(u64::MAX);
        let (one, other) = (device.stream(), device.stream());
        let pool = pool(&device);
        let address = free_pending(&pool, bytes, &one);

        // Granted behind the work on `one`, and not used at all.
        let unused = pool.allocate_async(bytes, &one).unwrap();
        assert_eq!(unused.address(), address);
        pool.deallocate(unused);
        let fresh = pool.allocate(bytes).unwrap();
        assert_ne!(fresh.address(), address);
        pool.deallocate(fresh);
        pool.trim(0);

        // Freed on another stream, on which nothing is pending.
        let unused = pool.allocate_async(bytes, &one).unwrap();
        assert_eq!(unused.address(), address);
        pool.deallocate_async(unused, &other);
        let fresh = [
            pool.allocate(bytes).unwrap(),
            pool.allocate_async(bytes, &other).unwrap(),
        ];
        assert!(fresh.iter().all(|block| block.address() != address));
        one.finish();
        let settled = pool.allocate(bytes).unwrap();
        assert_eq!(settled.address(), address);
        for block in fresh.into_iter().chain([settled]) {
            pool.deallocate(block);
        }
    }
}

#[test]
fn work_on_two_streams_must_be_done_on_both() {
    let device = Device::new(u64::MAX);
    let (one, other) = (device.stream(), device.stream());
    for (first, second) in [(&one, &other), (&other, &one)] {
        let pool = pool(&device);
        let address = free_pending(&pool, 512, &one);
        let block = pool.allocate_async(512, &one).unwrap();
        other.launch(address);
        pool.deallocate_async(block, &other);

        first.finish();
        pool.reclaim();
        assert_eq!(pool.stats().pending_bytes, 512);
        assert_eq!(pool.stats().cached_bytes, 0);
        second.finish();
        pool.reclaim();
        assert_eq!(pool.stats().pending_bytes, 0);
        assert_eq!(pool.stats().cached_bytes, 512);
        let block = pool.allocate(512).unwrap();
        assert_eq!(block.address(), address);
        pool.deallocate(block);
    }
}

#[test]
fn later_work_of_a_stream_implies_earlier_work() {
    let device = Device::new(u64::MAX);
    let one = device.stream();
    let pool = pool(&device);
    let address = free_pending(&pool, 512, &one);
    for _ in 0..3 {
        let block = pool.allocate_async(512, &one).unwrap();
        assert_eq!(block.address(), address);
        one.launch(address);
        pool.deallocate_async(block, &one);
    }
    one.advance(3);
    pool.reclaim();
    assert_eq!(pool.stats().pending_bytes, 512);
    one.advance(1);
    pool.reclaim();
    assert_eq!(pool.stats().cached_bytes, 512);
}

#[test]
fn the_last_block_of_a_stream_is_taken_first() {
    let device = Device::new(u64::MAX);
    let one = device.stream();
    let pool = pool(&device);
    let blocks = [0; 3].map(|_| pool.allocate_async(512, &one).unwrap());
    let addresses = blocks.each_ref().map(|block| block.address());
    for block in blocks {
        one.launch(block.address());
        pool.deallocate_async(block, &one);
    }
    let own = pool.allocate_async(512, &one).unwrap();
    assert_eq!(own.address(), addresses[2]);
    // To others goes the first that is done.
    one.advance(2);
    let idle = pool.allocate(512).unwrap();
    assert_eq!(idle.address(), addresses[0]);
    one.finish();
    pool.deallocate(own);
    pool.deallocate(idle);
}

#[test]
fn buffers_go_back_as_they_were_made() {
    let device = Device::new(1 << 40);
    let one = device.stream();
    let pool = Arc::new(pool(&device));
    let plain: PoolBuffer<u64, _> = PoolBuffer::new(&pool, 100).unwrap();
    let tied: PoolBuffer<u32, _> = PoolBuffer::on_stream(&pool, 256, one.clone()).unwrap();
    let empty: PoolBuffer<u32, _> = PoolBuffer::new(&pool, 0).unwrap();
    assert_eq!((plain.len(), tied.len()), (100, 256));
    assert!(empty.is_empty() && !plain.is_empty());
    let expected = Stats {
        misses: 3,
        live_blocks: 3,
        live_bytes: 2560,
        requested_bytes: 1824,
        held_bytes: 2560,
        live_high_water_bytes: 2560,
        held_high_water_bytes: 2560,
        ..Stats::default()
    };
    assert_eq!(pool.stats(), expected);
    assert_eq!(pool.stats().internal_fragmentation(), 1.0 - 1824.0 / 2560.0);
    one.launch(tied.address());
    assert_eq!((tied.block_bytes(), plain.block_bytes()), (1024, 1024));
    drop((plain, tied, empty));
    let stats = pool.stats();
    assert_eq!((stats.cached_bytes, stats.pending_bytes), (1536, 1024));
    assert_eq!((stats.live_blocks, stats.requested_bytes), (0, 0));
    assert_eq!(stats.internal_fragmentation(), 0.0);
    let too_long = PoolBuffer::<u64, _>::new(&pool, usize::MAX);
    assert_eq!(too_long.unwrap_err(), TestError::Exhausted);
}

#[test]
fn a_buffer_of_a_stream_may_be_given_back_as_idle() {
    let device = Device::new(1 << 40);
    let one = device.stream();
    let pool = Arc::new(pool(&device));
    let buffer: PoolBuffer<u32, _> = PoolBuffer::on_stream(&pool, 256, one.clone()).unwrap();
    let address = buffer.address();
    one.launch(address);
    one.finish();
    // Queued since, but not on the buffer.
    one.launch(0);
    buffer.retire();
    let stats = pool.stats();
    assert_eq!((stats.cached_bytes, stats.pending_bytes), (1024, 0));
    let other: PoolBuffer<u32, _> = PoolBuffer::new(&pool, 256).unwrap();
    assert_eq!(other.address(), address);
}

#[test]
fn what_a_failed_device_has_is_abandoned_and_never_granted_again() {
    let device = Device::new(u64::MAX);
    let one = device.stream();
    let pool = pool(&device);
    let blocks = [0; 3].map(|_| pool.allocate_async(512, &one).unwrap());
    let [pending, recorded_late, idle] = blocks;
    one.launch(pending.address());
    pool.deallocate_async(pending, &one);
    device.state().failed = true;
    one.finish();
    pool.deallocate_async(recorded_late, &one);
    assert_eq!(pool.stats().abandoned_bytes, 512);
    let refused = pool.allocate(512).unwrap_err();
    assert_eq!((refused, pool.stats().refused), (TestError::Failed, 1));
    pool.deallocate(idle);
    let stats = pool.stats();
    assert_eq!((stats.cached_bytes, stats.pending_bytes), (512, 512));
    // Only what is idle is given back.
    drop(pool);
    assert_eq!(device.state().used, 1024);
}

#[test]
fn a_pool_waits_for_its_work_when_it_ends() {
    let device = Device::new(u64::MAX);
    let one = device.stream();
    let pool = pool(&device);
    for bytes in SIZES {
        free_pending(&pool, bytes, &one);
    }
    drop(pool);
    assert_eq!(one.positions(), (2, 2));
    assert_eq!(device.state().used, 0);
}

#[test]
#[should_panic(expected = "another pool's")]
fn a_block_goes_back_to_its_own_pool() {
    let device = Device::new(u64::MAX);
    let block = pool(&device).allocate(1).unwrap();
    pool(&device).deallocate(block);
}
