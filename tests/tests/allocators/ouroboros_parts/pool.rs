//! The chunk pool.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use heapwood_device::allocators::ouroboros::queue::Array;
use heapwood_device::allocators::ouroboros::{Arena, Chunk, NONE};
use heapwood_device::simt::Warp;
use heapwood_tests::conformance::Machine;
use heapwood_tests::lockstep::Random;

use super::{Tiny, arena, everywhere, heap};

/// Gives chunks back, as they were taken.
///
/// # Safety
///
/// The caller has taken them.
unsafe fn give<W: Warp>(arena: &Arena<Tiny>, warp: W, first: u32, length: u32) {
    // SAFETY: what was taken is chunks of the heap.
    unsafe {
        let first = Chunk::new(first);
        if length == 1 {
            arena.give_chunk(warp, first);
        } else {
            arena.give_run(first);
        }
    }
}

/// Chunks are never in two hands; runs and single chunks share the map; all come
/// back.
fn pool<M: Machine>(machine: &M, seed: u32) {
    let memory = heap::<M, Array>(machine, 70);
    let owners: Vec<AtomicU32> = (0..arena(&memory).chunks())
        .map(|_| AtomicU32::new(0))
        .collect();
    machine.launch(&|warp| {
        let arena = &arena(&memory);
        let me = warp.thread() + 1;
        let mut random = Random::new(u64::from(seed) << 16 | u64::from(me));
        let mut runs: Vec<(u32, u32)> = Vec::new();
        let own = |first: u32, length: u32, from: u32, to: u32| {
            for owner in &owners[first as usize..(first + length) as usize] {
                assert_eq!(owner.swap(to, SeqCst), from, "of {first}, {length}");
            }
        };
        for _ in 0..M::TURNS * 2 {
            if runs.len() > 3 || (!runs.is_empty() && random.one_in(2)) {
                let index = random.below(runs.len() as u64) as usize;
                let (first, length) = runs.swap_remove(index);
                own(first, length, me, 0);
                // SAFETY: this thread has taken them.
                unsafe { give(arena, warp, first, length) };
                continue;
            }
            let length = random.choose(&[1, 1, 1, 2, 3, 7, 33, 40]);
            let first = if length == 1 {
                arena.take_chunk(warp)
            } else {
                // SAFETY: not 0.
                unsafe { arena.take_run(warp, length) }
            };
            if first != NONE {
                assert!(first + length <= arena.chunks());
                own(first, length, 0, me);
                runs.push((first, length));
            }
        }
        for (first, length) in runs {
            own(first, length, me, 0);
            // SAFETY: as above.
            unsafe { give(arena, warp, first, length) };
        }
    });
    machine.launch(&|warp| {
        let arena = &arena(&memory);
        if warp.thread() == 0 {
            let all = arena.chunks();
            // SAFETY: not 0.
            let run = unsafe { arena.take_run(warp, all) };
            assert_eq!(run, 0, "the pool is whole again");
            assert_eq!(arena.take_chunk(warp), NONE);
            // SAFETY: the run that was taken.
            unsafe { arena.give_run(Chunk::new(run)) };
            let mut chunks: Vec<u32> = (0..all).map(|_| arena.take_chunk(warp)).collect();
            assert_eq!(arena.take_chunk(warp), NONE);
            chunks.sort_unstable();
            assert!(chunks.into_iter().eq(0..all));
        }
    });
}

#[test]
fn the_pool_gives_no_chunk_twice() {
    everywhere(100, pool, pool);
}
