//! That every refusal of the six Ouroboros allocators is evidence: no page and no chunk that was
//! unowned during the whole call could have served the request. Lanes stall in the middle of their
//! calls, in heaps that are full most of the time.

use std::sync::Mutex;

use heapwood_device::allocator::{Allocator, Handle, Observe, REFUSAL_ACCESSES, Request};
use heapwood_device::allocators::ouroboros::queue::{Array, Hierarchy, Linked};
use heapwood_device::allocators::ouroboros::{
    Instance, Ouroboros, OuroborosChunks, OuroborosPages, Parameters,
};
use heapwood_device::allocators::{
    OuroborosCS, OuroborosCVa, OuroborosCVl, OuroborosPS, OuroborosPVa, OuroborosPVl,
};
use heapwood_tests::conformance::history::{Attack, Fit, attack};
use heapwood_tests::conformance::{Machine, OsThreads, Pool};

/// Bytes of a chunk.
const CHUNK: u64 = 256;

/// Chunks of 256 bytes: five classes of pages, and queues of 64 entries a chunk.
#[derive(Clone, Copy)]
struct Small;

// SAFETY: it sets those that it may.
unsafe impl Parameters for Small {
    const CHUNK_BITS: u32 = CHUNK.ilog2();
    const CAPACITY_BITS: u32 = 7;
    const FIRST_CHUNKS_FROM: u32 = 320;
}

/// Schedules that each heap is attacked under.
const SEEDS: std::ops::Range<u64> = 0..60;

/// Chunks of the heaps.
const CHUNKS: u64 = 12;

/// Bytes of a pool with so many chunks.
fn pool_bytes<A: Allocator>() -> u64 {
    let fits = |bytes: &u64| {
        let request = Request {
            base: std::ptr::null_mut(),
            pool_bytes: *bytes,
            processors: 4,
            parameters: &[],
            observe: Observe::GUARDS,
        };
        A::setup(&request).is_ok_and(|heap| A::max_block(&heap) >= CHUNKS * CHUNK)
    };
    (0..1 << 16).step_by(64).find(fits).expect("a size")
}

/// Lanes with four blocks each at most, which are more than the heap holds: for each
/// refused request, no more blocks of as many bytes were free all the time than were
/// promised to others and than the allocator has for itself.
fn refuses_on_evidence<I: Instance>(parts: &[u64], coalesced: u64, spare: usize) {
    let load = Attack {
        pool_bytes: pool_bytes::<Ouroboros<Small, I>>(),
        parameters: &[],
        parts,
        lanes: 20,
        turns: 24,
        coalesced,
    };
    let found = attack::<Ouroboros<Small, I>>(load, SEEDS, |pool| Fit::SomeBlock {
        base: pool.allocator().address(0) as usize,
        chunk: CHUNK as usize,
        spare,
    });
    assert!(found.refusals > 100, "{} refused", found.refusals);
    assert!(found.wrong.is_empty(), "{:?}", &found.wrong[..1]);
}

macro_rules! refusals {
    ($($name:ident: $instance:ty, $spare:expr;)*) => {$(
        mod $name {
            use super::*;

            #[test]
            fn of_small_pages() {
                refuses_on_evidence::<$instance>(&[CHUNKS * CHUNK / 64], 0, $spare);
            }

            #[test]
            fn of_whole_chunks() {
                refuses_on_evidence::<$instance>(&[CHUNKS + 2], 0, $spare);
            }

            #[test]
            fn of_mixed_sizes() {
                refuses_on_evidence::<$instance>(&[CHUNKS + 2, 2 * CHUNKS, 4 * CHUNKS], 2, $spare);
            }
        }
    )*};
}

/// Bytes of the chunks that the queues of two classes may have.
const QUEUE: usize = 3 * CHUNK as usize;

refusals! {
    pages_in_arrays: OuroborosPages<Array>, 0;
    pages_in_hierarchies: OuroborosPages<Hierarchy>, 0;
    pages_in_lists: OuroborosPages<Linked>, 0;
    chunks_in_arrays: OuroborosChunks<Array>, 0;
    chunks_in_hierarchies: OuroborosChunks<Hierarchy>, QUEUE;
    chunks_in_lists: OuroborosChunks<Linked>, QUEUE;
}

/// A full heap. One thread requests further blocks from it, again and again.
struct Full<A> {
    pool: Pool<A>,
    blocks: Vec<u32>,
}

impl<A: Allocator<Handle = u32>> Full<A> {
    /// Full of blocks of so many bytes.
    fn of(bytes: u64) -> Self {
        let pool = Pool::<A>::new(16 << 20, 4, &[]).expect("a pool");
        // SAFETY: a launch of all threads over a heap without blocks.
        OsThreads.launch(&|warp| unsafe { pool.allocator().init(warp) });
        let all = Mutex::new(Vec::new());
        OsThreads.count_atomics(&|warp| {
            let next = || Some(pool.allocator().malloc(warp, bytes));
            let served = std::iter::from_fn(next).take_while(|block| !block.is_null());
            all.lock().expect("no panic in here").extend(served);
        });
        let blocks = all.into_inner().expect("no panic in here");
        Self { pool, blocks }
    }

    /// Frees the blocks for whose index that holds.
    fn free(&self, is_freed: impl Fn(usize) -> bool + Sync) {
        let (pool, blocks) = (&self.pool, &self.blocks);
        OsThreads.count_atomics(&|warp| {
            for (_, block) in blocks
                .iter()
                .enumerate()
                .filter(|(index, _)| is_freed(*index))
            {
                // SAFETY: the block is live, and freed once.
                unsafe { pool.allocator().free(warp, *block) };
            }
        });
    }

    /// A request is refused, after no more accesses than the most.
    fn refuses(&self, bytes: u64) {
        for _ in 0..3 {
            let pool = &self.pool;
            let accesses = OsThreads.count_atomics(&|warp| {
                let block = pool.allocator().malloc(warp, bytes);
                assert!(block.is_null(), "{bytes} bytes served");
            });
            assert!(accesses <= REFUSAL_ACCESSES, "{bytes}: {accesses}");
            println!("{bytes} bytes refused after {accesses} accesses");
        }
    }
}

/// A refusal is bounded whatever the heap holds: blocks of one size, pages of another
/// class that are free, chunks with a few free pages, a map with gaps everywhere.
fn refusals_are_bounded<A: Allocator<Handle = u32>>() {
    let full = Full::<A>::of(16);
    let most = A::max_block(full.pool.heap());
    for bytes in [16, 100, 4096, 8192, 100_000, most] {
        full.refuses(bytes);
    }
    // One page of each chunk is used.
    full.free(|index| index % 512 != 0);
    for bytes in [8192, 100_000, most] {
        full.refuses(bytes);
    }
    let gaps = Full::<A>::of(8192);
    gaps.free(|index| index % 2 == 0);
    for bytes in [16_384, 100_000, most] {
        gaps.refuses(bytes);
    }
}

#[test]
fn refusals_take_few_accesses() {
    refusals_are_bounded::<OuroborosPS>();
    refusals_are_bounded::<OuroborosPVa>();
    refusals_are_bounded::<OuroborosPVl>();
    refusals_are_bounded::<OuroborosCS>();
    refusals_are_bounded::<OuroborosCVa>();
    refusals_are_bounded::<OuroborosCVl>();
}
