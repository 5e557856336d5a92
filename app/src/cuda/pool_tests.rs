//! Tests of the caching pool over a device's memory. They need a GPU, and say so and pass
//! without one.

use std::cell::Cell;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::tests::{LIMIT, gpu, kernel, words};
use super::{Buffer, CudaError, DeviceMemory, DeviceStream, Function, LaunchShape};
use crate::pool::size_class::MAX_CLASS;
use crate::pool::{Limits, Pool};
use crate::random::SplitMix64;

/// Held by tests that need much of the device's memory, or count it.
fn whole_device() -> MutexGuard<'static, ()> {
    static DEVICE: Mutex<()> = Mutex::new(());
    DEVICE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps the GPU busy for so long.
fn spin(function: &Function, nanoseconds: u64) {
    // SAFETY: the kernel takes one number and touches no memory.
    unsafe { function.launch(LaunchShape::new(1, 1), &[nanoseconds]) }.unwrap();
}

#[test]
fn memory_of_a_pool_waits_for_the_kernels_that_use_it() {
    let Some(gpu) = gpu() else { return };
    let memory = gpu.memory();
    let stream = memory.stream();
    let pool = Pool::new(memory, Limits::default());
    // Loaded before: loading waits for kernels.
    let busy = kernel(&gpu, "spin");
    let block = pool.allocate_async(4096, &stream).unwrap();
    let other = pool.allocate(4096).unwrap();
    let address = block.address();
    spin(&busy, 2_000_000_000);
    pool.deallocate_async(block, &stream);
    pool.reclaim();
    assert_eq!(pool.stats().pending_bytes, 4096);
    let again = pool.allocate_async(4096, &stream).unwrap();
    assert_eq!(again.address(), address);
    pool.deallocate(again);
    assert_eq!(pool.stats().pending_bytes, 4096);
    gpu.synchronize_within(LIMIT).unwrap();
    pool.reclaim();
    assert_eq!(pool.stats().cached_bytes, 4096);
    let again = pool.allocate(4096).unwrap();
    assert_eq!(again.address(), address);
    pool.deallocate(again);
    pool.deallocate(other);
    assert_eq!(pool.trim(0), 8192);
}

#[test]
fn a_pool_gives_the_device_back_what_it_needs() {
    let Some(gpu) = gpu() else { return };
    let _turn = whole_device();
    let pool = Pool::new(gpu.memory(), Limits::default());
    let free = gpu.free_memory().unwrap();
    let first = pool.allocate(free / 2).unwrap();
    pool.deallocate(first);
    let second = pool.allocate(free / 4 * 3).unwrap();
    let stats = pool.stats();
    assert_eq!(
        (stats.misses, stats.released, stats.cached_bytes),
        (2, 1, 0)
    );
    pool.deallocate(second);
    let error = pool
        .allocate(gpu.properties().total_memory * 2)
        .unwrap_err();
    assert!(matches!(error, CudaError::OutOfMemory { .. }), "{error:?}");
    assert_eq!(pool.stats().held_bytes, 0);
}

#[test]
fn memory_of_a_dropped_buffer_is_used_again() {
    let Some(gpu) = gpu() else { return };
    let _turn = whole_device();
    let buffer = Buffer::new(&gpu, 8 * 1000).unwrap();
    let address = buffer.address();
    // Loaded before: loading waits for kernels.
    let busy = kernel(&gpu, "spin");
    spin(&busy, 1_000_000_000);
    drop(buffer);
    let again = Buffer::new(&gpu, 8 * 999).unwrap();
    assert_eq!(again.address(), address);
    again.upload(0, &[7_u64; 999]).unwrap();
    assert_eq!(words(&again), [7; 999]);

    // Large memory is given back, not kept.
    let before = gpu.pool().stats();
    let bytes = gpu.properties().total_memory / 4;
    drop(Buffer::new(&gpu, bytes).unwrap());
    let after = gpu.pool().stats();
    assert_eq!(after.held_bytes, before.held_bytes);
    assert_eq!(after.pending_bytes, before.pending_bytes);
}

#[test]
fn the_driver_has_a_pool_of_its_own() {
    let Some(gpu) = gpu() else { return };
    let memory = gpu.memory();
    let address = memory.obtain_async(1 << 20).unwrap();
    assert_eq!(address.get() % 256, 0);
    // SAFETY: it is given back once, and nothing uses it.
    unsafe { memory.release_async(address) };
    gpu.synchronize_within(LIMIT).unwrap();
}

#[test]
fn free_memory_is_asked_for_when_the_pool_has_given_its_own_back() {
    let Some(gpu) = gpu() else { return };
    let _turn = whole_device();
    // Loaded before: loading waits for kernels.
    let busy = kernel(&gpu, "spin");
    let kept = Buffer::new(&gpu, 1 << 20).unwrap();
    let idle = gpu.pool().allocate(3 << 20).unwrap();
    gpu.pool().deallocate(idle);
    let buffers: Vec<Buffer> = (0..8)
        .map(|_| Buffer::new(&gpu, MAX_CLASS).unwrap())
        .collect();
    spin(&busy, 1_000_000_000);
    drop(buffers);
    let stats = gpu.pool().stats();
    assert_eq!(stats.cached_bytes, 3 << 20);
    assert_eq!(stats.pending_bytes, 8 * MAX_CLASS);
    let free = gpu.free_memory().unwrap();
    assert_eq!(gpu.pool().stats().held_bytes, kept.bytes());
    // Other tests have a little.
    Buffer::new(&gpu, free / 8 * 7).unwrap();
}

#[test]
fn the_driver_gets_the_memory_that_it_needs_of_the_pool() {
    let Some(gpu) = gpu() else { return };
    let block = gpu.pool().allocate(1 << 20).unwrap();
    gpu.pool().deallocate(block);
    let calls = Cell::new(0);
    let call = || {
        calls.set(calls.get() + 1);
        match gpu.pool().stats().held_bytes {
            0 => Ok(calls.get()),
            _ => Err(CudaError::DriverOutOfMemory { call: "cuCall" }),
        }
    };
    assert_eq!(gpu.with_memory(call), Ok(2));
    // Without memory to give back there is no second try.
    let live = Buffer::new(&gpu, 512).unwrap();
    calls.set(0);
    assert!(gpu.with_memory(call).is_err());
    assert_eq!(calls.get(), 1);
    drop(live);
}

#[test]
fn ten_million_random_operations_of_four_threads_leak_nothing() {
    const OPERATIONS: u64 = 10_000_000;
    const THREADS: u64 = 4;
    let Some(gpu) = gpu() else { return };
    let _turn = whole_device();
    let busy = kernel(&gpu, "spin");
    let free = gpu.free_memory().unwrap();
    let limits = Limits {
        cached_bytes: 256 << 20,
    };
    let pool = Pool::new(gpu.memory(), limits);
    let allocations = std::thread::scope(|scope| {
        let work = |thread| {
            let (pool, busy, stream) = (&pool, &busy, gpu.memory().stream());
            scope
                .spawn(move || random_operations(pool, &stream, busy, OPERATIONS / THREADS, thread))
        };
        let threads: Vec<_> = (0..THREADS).map(work).collect();
        let counts = threads.into_iter().map(|thread| thread.join().unwrap());
        counts.sum::<u64>()
    });
    let stats = pool.stats();
    assert_eq!((stats.live_blocks, stats.refused), (0, 0));
    assert_eq!(stats.hits + stats.misses, allocations);
    pool.empty_cache();
    let stats = pool.stats();
    assert_eq!((stats.held_bytes, stats.released), (0, stats.misses));
    // The contexts of other tests' processes take their part.
    assert!(gpu.free_memory().unwrap() + (4 << 30) > free);
}

/// Allocations and deallocations at random, each with a stream or without; returns how many
/// allocations there were. A kernel makes some of them pending now and then.
fn random_operations(
    pool: &Pool<DeviceMemory>,
    stream: &DeviceStream,
    busy: &Function,
    operations: u64,
    seed: u64,
) -> u64 {
    let mut random = SplitMix64::new(seed);
    let mut next = |below| random.below(below);
    let (mut blocks, mut allocations) = (Vec::new(), 0);
    for operation in 0..operations {
        if operation.is_multiple_of(1000) {
            spin(busy, 10_000);
        }
        let is_async = next(2) == 0;
        if blocks.len() < 64 && next(64) >= blocks.len() as u64 {
            let most = 512 << next(11);
            let bytes = 1 + next(most);
            blocks.push(match is_async {
                true => pool.allocate_async(bytes, stream).unwrap(),
                false => pool.allocate(bytes).unwrap(),
            });
            allocations += 1;
        } else {
            let block = blocks.swap_remove(next(blocks.len() as u64) as usize);
            match is_async {
                true => pool.deallocate_async(block, stream),
                false => pool.deallocate(block),
            }
        }
    }
    blocks
        .into_iter()
        .for_each(|block| pool.deallocate_async(block, stream));
    allocations
}
