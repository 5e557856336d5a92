//! The Ouroboros allocators with their published algorithms, which are forms of their
//! own: held to the contract of all allocators by their abilities, and to what the paper
//! says that they do.

use std::sync::Mutex;

use heapwood_device::allocator::Allocator;
use heapwood_device::allocators::ouroboros::queue::{Array, Hierarchy, Walked};
use heapwood_device::allocators::ouroboros::{
    Ouroboros, OuroborosPages, OuroborosShared, Parameters,
};
use heapwood_device::allocators::{
    Observed, OuroborosCSPaper, OuroborosCVaPaper, OuroborosCVlPaper, OuroborosPSPaper,
    OuroborosPVaPaper, OuroborosPVlPaper,
};
use heapwood_device::simt::Warp;
use heapwood_tests::conformance;
use heapwood_tests::conformance::{
    Case, Coroutines, Machine, OsThreads, Pool, Traits, case, clauses, each, plain, stress,
};

/// Pools of some dozen chunks of 8 KiB and more.
const CHUNKS: &[Case] = &[case(1 << 19, &[]), case(1_234_567, &[])];
/// For lanes in lockstep, which take long to empty the slots of a queue's chunks.
const FEW_CHUNKS: &[Case] = &[case(1 << 19, &[])];

conformance!(ouroboros_p_s: OuroborosPSPaper, plain(), CHUNKS, CHUNKS);
conformance!(ouroboros_p_va: OuroborosPVaPaper, plain(), CHUNKS, FEW_CHUNKS);
conformance!(ouroboros_p_vl: OuroborosPVlPaper, plain(), CHUNKS, FEW_CHUNKS);
conformance!(ouroboros_c_s: OuroborosCSPaper, plain(), CHUNKS, CHUNKS);
conformance!(ouroboros_c_va: OuroborosCVaPaper, plain(), CHUNKS, FEW_CHUNKS);
conformance!(ouroboros_c_vl: OuroborosCVlPaper, plain(), CHUNKS, FEW_CHUNKS);
conformance!(
    ouroboros_c_s_checked: Observed<OuroborosCSPaper>, Traits { overhead: 32, ..plain() },
    CHUNKS, CHUNKS; concurrent double_frees overruns
);

/// Chunks of 256 bytes and instances up to 16 KiB, and queues that are soon full of chunks and of
/// what is left of them; in the larger heap virtualized ones have chunks from the beginning.
#[derive(Clone, Copy)]
struct Small;

// SAFETY: it sets those that it may.
unsafe impl Parameters for Small {
    const CHUNK_BITS: u32 = 8;
    const CAPACITY_BITS: u32 = 7;
    const FIRST_CHUNKS_FROM: u32 = 512;
    const STACKED: u32 = 6;
}

type SmallPages<Q> = Ouroboros<Small, OuroborosPages<Q>>;
type SmallShared<Q> = Ouroboros<Small, OuroborosShared<Q>>;

const SMALL: &[Case] = &[case(60_000, &[]), case(1 << 18, &[])];

conformance!(small_ouroboros_p_s: SmallPages<Array>, plain(), SMALL, SMALL);
conformance!(small_ouroboros_p_vl: SmallPages<Walked>, plain(), SMALL, SMALL);
conformance!(small_ouroboros_c_s: SmallShared<Array>, plain(), SMALL, SMALL);
conformance!(small_ouroboros_c_va: SmallShared<Hierarchy>, plain(), SMALL, SMALL);
conformance!(small_ouroboros_c_vl: SmallShared<Walked>, plain(), SMALL, SMALL);

/// Attacks an allocator with small chunks near exhaustion, and one with chunks of 8 KiB.
fn is_stacked_under_attack<Few: Allocator<Handle = u32>>(name: &str, seeds: u64) {
    const NEAR_EXHAUSTION: &[Case] = &[case(20_000, &[]), case(33_333, &[])];
    for seed in 1..=seeds {
        let machine = Coroutines::new(seed << 32);
        each::<Few, _>(NEAR_EXHAUSTION, &machine, &plain(), clauses::concurrent);
        each::<Few, _>(NEAR_EXHAUSTION, &machine, &plain(), clauses::coalesced);
    }
    each::<Few, _>(NEAR_EXHAUSTION, &OsThreads, &plain(), clauses::concurrent);
    stress(name);
}

#[test]
fn ouroboros_p_s_is_attacked() {
    is_stacked_under_attack::<SmallPages<Array>>("ouroboros_p_s_large_paper", 2);
}

#[test]
fn ouroboros_p_va_is_attacked() {
    type Few = SmallPages<Hierarchy>;
    is_stacked_under_attack::<Few>("ouroboros_p_va_large_paper", 2);
}

#[test]
fn ouroboros_p_vl_is_attacked() {
    type Few = SmallPages<Walked>;
    is_stacked_under_attack::<Few>("ouroboros_p_vl_large_paper", 3);
}

#[test]
fn ouroboros_c_s_is_attacked() {
    type Few = SmallShared<Array>;
    is_stacked_under_attack::<Few>("ouroboros_c_s_sharing_paper", 5);
}

#[test]
fn ouroboros_c_va_is_attacked() {
    type Few = SmallShared<Hierarchy>;
    is_stacked_under_attack::<Few>("ouroboros_c_va_sharing_paper", 2);
}

#[test]
fn ouroboros_c_vl_is_attacked() {
    type Few = SmallShared<Walked>;
    is_stacked_under_attack::<Few>("ouroboros_c_vl_sharing_paper", 2);
}

fn empty<A: Allocator>(bytes: u64, parameters: &[(&str, &str)]) -> Pool<A> {
    let pool = Pool::<A>::new(bytes, OsThreads::PROCESSORS, parameters).expect("a pool");
    // SAFETY: a launch of all threads over a heap without blocks.
    OsThreads.launch(&|warp| unsafe { pool.allocator().init(warp) });
    pool
}

/// A heap on which one thread of several allocates and frees while the others are idle.
struct Turns<A: Allocator> {
    pool: Pool<A>,
}

impl<A: Allocator<Handle = u32>> Turns<A> {
    fn malloc(&self, thread: u32, bytes: u64) -> u32 {
        let block = Mutex::new(u32::MAX);
        OsThreads.launch(&|warp| {
            if warp.thread() == thread {
                *block.lock().expect("one thread") = self.pool.allocator().malloc(warp, bytes);
            }
        });
        block.into_inner().expect("one thread")
    }

    fn free(&self, block: u32) {
        OsThreads.launch(&|warp| {
            if warp.thread() == 0 {
                // SAFETY: each block is freed once.
                unsafe { self.pool.allocator().free(warp, block) };
            }
        });
    }

    fn granted(&self, block: u32, bytes: u64) -> u64 {
        // SAFETY: tests ask for blocks that live.
        unsafe { self.pool.allocator().granted(block, bytes) }
    }

    /// As many blocks as there are.
    fn all(&self, bytes: u64) -> Vec<u32> {
        std::iter::repeat_with(|| self.malloc(0, bytes))
            .take_while(|&block| block != u32::MAX)
            .collect()
    }
}

fn chunk_of(block: u32) -> u32 {
    block / (8192 / 16)
}

/// Algorithm 4 by one thread after the other: all take pages of the chunk at the front
/// of the queue, which stays there until the last of them is gone, and is enqueued at the
/// end when the first page comes back; without pages in use it is another's.
fn shares_the_front<A: Allocator<Handle = u32>>() {
    let turns = Turns {
        pool: empty::<A>(1 << 20, &[]),
    };
    // Eight pages of 1 KiB to a chunk.
    let blocks: Vec<u32> = (0..16).map(|index| turns.malloc(index % 4, 1024)).collect();
    let chunks: Vec<u32> = blocks.iter().map(|&block| chunk_of(block)).collect();
    assert!(chunks[..8].iter().all(|&chunk| chunk == chunks[0]));
    assert!(chunks[8..].iter().all(|&chunk| chunk == chunks[8]));
    assert_ne!(chunks[0], chunks[8]);
    // The second comes back first, and is at the front.
    turns.free(blocks[9]);
    turns.free(blocks[1]);
    turns.free(blocks[2]);
    let again = [0, 1, 2].map(|thread| turns.malloc(thread, 1024));
    assert_eq!(again, [blocks[9], blocks[1], blocks[2]]);
    // All of its pages: a block of the whole chunk's size gets it.
    for block in &blocks[..8] {
        turns.free(*block);
    }
    let whole: Vec<u32> = (0..128).map(|_| turns.malloc(3, 8192)).collect();
    assert!(
        whole
            .iter()
            .any(|&block| block != u32::MAX && chunk_of(block) == chunks[0])
    );
    assert!(whole.contains(&u32::MAX));
}

#[test]
fn the_front_chunk_is_shared() {
    shares_the_front::<OuroborosCSPaper>();
    shares_the_front::<OuroborosCVaPaper>();
    shares_the_front::<OuroborosCVlPaper>();
}

/// A chunk that becomes free while it is queued behind the front is available to others at once.
/// Its entry is still in the queue, but leads no thread to the chunk.
fn drops_what_is_left_behind<A: Allocator<Handle = u32>>() {
    let turns = Turns {
        pool: empty::<A>(1 << 20, &[]),
    };
    let blocks: Vec<u32> = (0..16).map(|_| turns.malloc(0, 1024)).collect();
    let (queued, front) = (chunk_of(blocks[0]), chunk_of(blocks[8]));
    turns.free(blocks[8]);
    turns.free(blocks[9]);
    turns.free(blocks[0]);
    assert_eq!(chunk_of(turns.malloc(1, 1024)), front);
    for block in &blocks[1..8] {
        turns.free(*block);
    }
    let whole = turns.malloc(2, 8192);
    assert_eq!(chunk_of(whole), queued);
    assert_eq!(chunk_of(turns.malloc(3, 1024)), front);
    let other = chunk_of(turns.malloc(1, 1024));
    assert!(other != front && other != queued);
    // Divided again, by another class, it is enqueued by that one only.
    turns.free(whole);
    let small = turns.malloc(2, 512);
    assert_eq!(chunk_of(small), queued);
    assert_eq!(chunk_of(turns.malloc(3, 512)), queued);
    assert_eq!(chunk_of(turns.malloc(0, 1024)), other);
}

#[test]
fn a_chunk_that_was_free_in_the_queue_is_dropped_there() {
    drops_what_is_left_behind::<OuroborosCSPaper>();
    drops_what_is_left_behind::<OuroborosCVaPaper>();
    drops_what_is_left_behind::<OuroborosCVlPaper>();
}

/// A large block is a page of the instance whose chunks are the next power of two of
/// chunks, and comes back as such: to its own class for ever, or to the pool.
fn stacks_instances<A: Allocator<Handle = u32>>() {
    let turns = Turns {
        pool: empty::<A>(1 << 20, &[]),
    };
    let chunks = turns.all(8192);
    for &block in &chunks {
        turns.free(block);
    }
    let turns = Turns {
        pool: empty::<A>(1 << 20, &[]),
    };
    let large = turns.malloc(0, 20_000);
    assert_eq!(turns.granted(large, 20_000), 32_768);
    turns.free(large);
    let left = turns.all(8192);
    let kept = if A::REUSES_ACROSS_SIZES { 0 } else { 4 };
    // Or 5: a virtualized queue has a chunk for its entry.
    assert!(
        (kept..=kept + 1).contains(&(chunks.len() - left.len())),
        "{}",
        left.len()
    );
    if !A::REUSES_ACROSS_SIZES {
        assert_eq!(turns.malloc(1, 17_000), large);
    }
    // The largest is a power of two of chunks.
    let heap = empty::<A>(1 << 20, &[]);
    let most = A::max_block(heap.heap());
    assert_eq!(most, 1 << 19);
    let turns = Turns { pool: heap };
    assert_eq!(turns.malloc(2, most + 1), u32::MAX);
    assert_eq!(turns.granted(turns.malloc(2, most), most), most);
}

#[test]
fn large_blocks_are_pages_of_larger_instances() {
    stacks_instances::<OuroborosPSPaper>();
    stacks_instances::<OuroborosPVaPaper>();
    stacks_instances::<OuroborosPVlPaper>();
    stacks_instances::<OuroborosCSPaper>();
    stacks_instances::<OuroborosCVaPaper>();
    stacks_instances::<OuroborosCVlPaper>();
}

/// An enqueue begins at the end of the queue and a dequeue at its beginning: neither passes the 128
/// chunks in between.
#[test]
fn a_walk_begins_at_either_end() {
    let pool = empty::<SmallPages<Walked>>(1 << 20, &[]);
    let free = |warp, block| {
        // SAFETY: each block is freed once.
        unsafe { pool.allocator().free(warp, block) };
    };
    let last = Mutex::new(u32::MAX);
    OsThreads.launch(&|warp| {
        if warp.thread() == 0 {
            let mut blocks: Vec<u32> = std::iter::repeat_with(|| pool.allocator().malloc(warp, 16))
                .take(8191)
                .collect();
            *last.lock().expect("one thread") = blocks.pop().expect("a block");
            for block in blocks {
                free(warp, block);
            }
        }
    });
    let last = last.into_inner().expect("one thread");
    let freed = OsThreads.count_atomics(&|warp| free(warp, last));
    let allocated = OsThreads.count_atomics(&|warp| {
        pool.allocator().malloc(warp, 16);
    });
    // Two accesses for each chunk that is passed; one that is retired is returned.
    assert!(freed < 64 && allocated < 64, "{freed}, {allocated}");
}
