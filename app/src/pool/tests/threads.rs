//! Threads that share a pool.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::device::Device;
use crate::pool::{Block, HostProvider, Limits, Pool, Stream};
use crate::random::SplitMix64;

const THREADS: u64 = 4;

/// The first words of a block, in the host's memory.
fn fill(block: &Block<HostProvider>, value: u64) {
    let words = std::ptr::with_exposed_provenance_mut::<u64>(block.address() as usize);
    for index in 0..block.requested() as usize / 8 {
        // SAFETY: the block has that many words, and only its owner uses it.
        unsafe { words.add(index).write(value) };
    }
}

fn holds(block: &Block<HostProvider>, value: u64) -> bool {
    let words = std::ptr::with_exposed_provenance::<u64>(block.address() as usize);
    // SAFETY: as above, and `fill` has written them.
    (0..block.requested() as usize / 8).all(|index| unsafe { words.add(index).read() } == value)
}

#[test]
fn blocks_of_several_threads_do_not_overlap() {
    let limits = Limits {
        cached_bytes: 1 << 16,
    };
    let pool = Pool::new(HostProvider, limits);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let pool = &pool;
            scope.spawn(move || {
                let mut random = SplitMix64::new(thread);
                let mut blocks = Vec::new();
                for _ in 0..100_000 {
                    if blocks.len() < 16 && random.word().is_multiple_of(2) {
                        let block = pool.allocate(8 * (1 + random.word() % 512)).unwrap();
                        let value = random.word();
                        fill(&block, value);
                        blocks.push((block, value));
                    } else if !blocks.is_empty() {
                        let index = random.word() as usize % blocks.len();
                        let (block, value) = blocks.swap_remove(index);
                        assert!(holds(&block, value), "another thread has written");
                        pool.deallocate(block);
                    }
                    assert!(pool.stats().cached_bytes <= limits.cached_bytes);
                }
                blocks
                    .into_iter()
                    .for_each(|(block, _)| pool.deallocate(block));
            });
        }
    });
    let stats = pool.stats();
    assert_eq!((stats.live_blocks, stats.live_bytes), (0, 0));
    assert_eq!((stats.requested_bytes, stats.pending_bytes), (0, 0));
    assert_eq!(stats.held_bytes, stats.cached_bytes);
    assert!(stats.live_high_water_bytes <= stats.held_high_water_bytes);
    assert_eq!(pool.trim(0), stats.cached_bytes);
    let stats = pool.stats();
    assert_eq!((stats.held_bytes, stats.released), (0, stats.misses));
}

#[test]
fn threads_share_streams_and_too_little_memory() {
    let device = Device::new(1 << 16);
    let streams = [device.stream(), device.stream()];
    let pool = Pool::new(device.clone(), Limits::default());
    let is_refused = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (pool, device, streams, is_refused) = (&pool, &device, &streams, &is_refused);
            scope.spawn(move || {
                let mut random = SplitMix64::new(thread);
                let mut blocks = Vec::new();
                for _ in 0..30_000 {
                    let stream = &streams[random.word() as usize % 2];
                    match random.word() % 5 {
                        0 | 1 => match pool.allocate_async(1 + random.word() % 4096, stream) {
                            Ok(block) => {
                                let users = device.users(block.address());
                                assert!(users.iter().all(|&user| user == stream.id()));
                                stream.launch(block.address());
                                blocks.push((block, stream));
                            }
                            Err(_) => is_refused.store(true, Relaxed),
                        },
                        2 | 3 => {
                            if let Some((block, stream)) = blocks.pop() {
                                pool.deallocate_async(block, stream);
                            }
                        }
                        _ => stream.advance(random.word() % 8),
                    }
                }
                for (block, stream) in blocks {
                    pool.deallocate_async(block, stream);
                }
            });
        }
    });
    assert!(is_refused.load(Relaxed), "memory always sufficed");
    let stats = pool.stats();
    assert_eq!(stats.live_bytes, 0);
    assert_eq!(stats.held_bytes, stats.cached_bytes + stats.pending_bytes);
    assert_eq!(stats.held_bytes, device.state().used);
    assert!(stats.held_high_water_bytes <= device.state().most_used);
    drop(pool);
    assert_eq!(device.state().used, 0);
}

#[test]
fn no_request_is_refused_as_long_as_free_memory_could_serve_it() {
    const MAX_BYTES: u64 = 64 << 10;
    // Room for the live blocks, of many sizes, and for nothing else.
    let device = Device::new(THREADS * MAX_BYTES);
    let stream = device.stream();
    let pool = Pool::new(device.clone(), Limits::default());
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (pool, stream) = (&pool, &stream);
            scope.spawn(move || {
                let mut random = SplitMix64::new(thread);
                for _ in 0..20_000 {
                    let bytes = 1 + random.word() % MAX_BYTES;
                    let block = pool.allocate(bytes).expect("its share");
                    match random.word() % 2 {
                        0 => pool.deallocate(block),
                        _ => pool.deallocate_async(block, stream),
                    }
                }
            });
        }
    });
    let stats = pool.stats();
    assert_eq!((stats.refused, stats.live_bytes), (0, 0));
    assert!(stats.released > 1000, "{stats:?}");
    drop(pool);
    assert_eq!(device.state().used, 0);
}

#[test]
fn ten_million_random_operations_leak_nothing() {
    const OPERATIONS: u64 = 10_000_000;
    let device = Device::new(u64::MAX);
    let streams = [device.stream(), device.stream()];
    let limits = Limits {
        cached_bytes: 16 << 20,
    };
    let pool = Pool::new(device.clone(), limits);
    let allocations = std::thread::scope(|scope| {
        let work = |thread| {
            let (pool, streams) = (&pool, &streams);
            scope.spawn(move || {
                let (mut random, mut allocations) = (SplitMix64::new(thread), 0);
                let mut blocks = Vec::new();
                for _ in 0..OPERATIONS / THREADS {
                    let stream = &streams[random.word() as usize % 2];
                    let is_async = random.word().is_multiple_of(2);
                    if random.word() % 64 >= blocks.len() as u64 {
                        let bytes = random.word() % (512 << (random.word() % 18));
                        blocks.push(match is_async {
                            true => pool.allocate_async(bytes, stream).unwrap(),
                            false => pool.allocate(bytes).unwrap(),
                        });
                        allocations += 1;
                        continue;
                    }
                    let chosen = random.word() as usize % blocks.len();
                    let block = blocks.swap_remove(chosen);
                    if !is_async {
                        pool.deallocate(block);
                        continue;
                    }
                    if random.word().is_multiple_of(8) {
                        stream.launch(block.address());
                    }
                    pool.deallocate_async(block, stream);
                    if random.word().is_multiple_of(16) {
                        stream.finish();
                    }
                }
                blocks.into_iter().for_each(|block| pool.deallocate(block));
                allocations
            })
        };
        let threads: Vec<_> = (0..THREADS).map(work).collect();
        let counts = threads.into_iter().map(|thread| thread.join().unwrap());
        counts.sum::<u64>()
    });
    let stats = pool.stats();
    assert_eq!((stats.live_blocks, stats.live_bytes), (0, 0));
    assert_eq!((stats.requested_bytes, stats.refused), (0, 0));
    assert_eq!(stats.hits + stats.misses, allocations);
    pool.empty_cache();
    let stats = pool.stats();
    assert_eq!((stats.held_bytes, stats.released), (0, stats.misses));
    assert_eq!((stats.cached_bytes, stats.pending_bytes), (0, 0));
    assert_eq!(device.state().used, 0);
}
