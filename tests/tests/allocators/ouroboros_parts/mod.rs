//! The parts of Ouroboros, each attacked on its own, at sizes where every
//! crossing happens often: the bulk semaphore, the chunk pool, the three queues.
//! On warps in lockstep under random, priority and stalling schedules, and on OS
//! threads.

mod groups;
mod pool;
mod queues;
mod retired;
mod semaphore;

use heapwood_device::allocator::Allocator;
use heapwood_device::allocators::ouroboros::queue::Queue;
use heapwood_device::allocators::ouroboros::{
    Arena, Class, METADATA_BYTES, Ouroboros, OuroborosChunks, Parameters,
};
use heapwood_tests::conformance::{Coroutines, Machine, OsThreads, Pool};

/// Chunks of 64 bytes: 16 entries of a queue.
#[derive(Clone, Copy)]
struct Tiny;

// SAFETY: it sets those that it may.
unsafe impl Parameters for Tiny {
    const CHUNK_BITS: u32 = 6;
    const CAPACITY_BITS: u32 = 6;
}

const ENTRIES: u32 = 1 << Tiny::ENTRY_BITS;
/// Not the first.
// SAFETY: `Tiny` has three, whose queues are those that the heap is planned for.
const CLASS: Class = unsafe { Class::new(1) };

/// Memory for a heap of tiny chunks.
type Memory<Q> = Pool<Ouroboros<Tiny, OuroborosChunks<Q>>>;

/// The smallest heap of so many tiny chunks, or a few more, since tables are aligned;
/// initialised for queues of kind `Q`.
fn heap<M: Machine, Q: Queue>(machine: &M, chunks: u32) -> Memory<Q> {
    // The bytes of the chunks without any table.
    let mut bytes = u64::from(chunks) * (Tiny::CHUNK_BYTES + METADATA_BYTES);
    let pool = loop {
        bytes += 64;
        if let Ok(pool) = Memory::<Q>::new(bytes, 4, &[])
            && arena(&pool).chunks() >= chunks
        {
            break pool;
        }
    };
    assert!(arena(&pool).chunks() < chunks + 16);
    machine.launch(&|warp| {
        // SAFETY: a launch of all threads over a heap without blocks.
        unsafe { pool.allocator().init(warp) };
    });
    pool
}

fn arena<Q: Queue>(memory: &Memory<Q>) -> Arena<Tiny> {
    // SAFETY: the memory was set up for these parameters.
    unsafe { Arena::new(memory.heap()) }
}

/// Runs a test on both machines, under many schedules. Miri cannot switch stacks: there
/// it runs on threads only, once, since Miri has seeds of its own.
fn everywhere(repeats: u32, test: impl Fn(&Coroutines, u32), threads: impl Fn(&OsThreads, u32)) {
    let (repeats, on_threads) = if cfg!(miri) { (0, 1) } else { (repeats, 4) };
    for repeat in 0..repeats {
        test(&Coroutines::new(u64::from(repeat) << 20), repeat);
    }
    for repeat in 0..on_threads {
        threads(&OsThreads, repeat);
    }
}
