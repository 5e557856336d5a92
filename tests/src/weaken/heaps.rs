//! Small heaps under a mix of requests and releases by few lanes or many, whose
//! blocks change hands: what the conformance suite does, at a size at which
//! thousands of schedules can be tried.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use heapwood_device::allocator::Allocator;
use heapwood_device::allocators::ouroboros::queue::{Array, Hierarchy, Linked};
use heapwood_device::allocators::ouroboros::{
    Ouroboros, OuroborosChunks, OuroborosPages, OuroborosShared, Parameters,
};
use heapwood_device::allocators::{
    BuddyAlloc, CMalloc, CfMalloc, Clustered, Collaborative, FlatterScatter, Gallatin, Halloc,
    Independent, LlvmLibc, Observed, PageRuns, PageSearch, ScatterAlloc, XMalloc,
};
use heapwood_device::simt::Warp;

use super::Workload;
use crate::conformance::clauses::Slot;
use crate::conformance::{Bench, Case, Failure, Kernel, Machine, case, plain};
use crate::lockstep::{self, Lockstep, Plan, Random};

/// Two warps in lockstep, over weak memory while the heap is not at rest.
struct TwoWarps {
    launches: AtomicU64,
    /// Steps of a run. Most that are in order take less than a twentieth of it; while
    /// lanes stall, one in some thousands needs half of it, or twice as many.
    steps: u64,
}

impl TwoWarps {
    /// The plan of the next launch.
    fn plan(&self) -> Plan {
        let seed = self.launches.fetch_add(1, Relaxed);
        let plan = Plan {
            step_limit: self.steps,
            ..Plan::varied(2, 4, 60, seed)
        };
        plan.weak()
    }
}

impl Machine for TwoWarps {
    type Warp = Lockstep;
    const THREADS: u32 = 64;
    const PROCESSORS: u32 = 4;
    const TURNS: u32 = 12;
    const REPEATS: u32 = 1;

    fn try_launch(&self, kernel: Kernel<'_, Lockstep>) -> Result<(), Failure> {
        lockstep::run(self.plan(), kernel)?;
        Ok(())
    }

    fn try_launch_alone(&self, thread: u32, kernel: Kernel<'_, Lockstep>) -> Result<(), Failure> {
        lockstep::run_alone(self.plan(), thread, kernel)?;
        Ok(())
    }

    fn count_atomics(&self, _kernel: Kernel<'_, Lockstep>) -> u64 {
        unreachable!("no workload counts")
    }
}

/// How full a heap becomes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Load {
    /// Few blocks at a time, so that few requests are refused.
    Light,
    /// Up to all that there is.
    Full,
    /// The same, of a heap with few chunks and queues without room for what they have.
    Cramped,
}

/// The workload of the lanes.
struct Mix {
    /// Lanes of each warp that do anything.
    lanes: u32,
    /// The most that they ask for.
    most: u64,
    /// The maximum of one request in eight, in bytes.
    large: u64,
    turns: u64,
    seed: u64,
}

fn lane(bench: &Bench<TwoWarps>, warp: Lockstep, slots: &[Slot], mix: &Mix) {
    let mut random = Random::new(mix.seed << 8 | u64::from(warp.thread()));
    for _ in 0..mix.turns {
        let slot = &slots[random.below(slots.len() as u64) as usize];
        let (together, apart) = (random.one_in(3), random.one_in(3));
        if let Some(block) = slot.exchange(None) {
            bench.retire(warp, block, together);
            continue;
        }
        let most = if random.one_in(8) {
            mix.large
        } else {
            mix.most
        };
        if let Some(block) = bench.obtain(warp, random.below(most) + 1, apart)
            && let Some(other) = slot.exchange(Some(block))
        {
            bench.retire(warp, other, false);
        }
    }
}

fn heap<A: Allocator<Handle = u32>>(case: Case, load: Load, seed: u64) {
    let machine = TwoWarps {
        launches: AtomicU64::new(seed << 16),
        steps: match load {
            Load::Cramped => 1_000_000,
            Load::Light | Load::Full => 2_000_000,
        },
    };
    let traits = plain();
    use_heap(&Bench::new::<A>(case, &machine, &traits), load, seed);
}

/// The mix on a heap, and what must hold afterwards.
fn use_heap(bench: &Bench<TwoWarps>, load: Load, seed: u64) {
    let mut random = Random::new(seed);
    let (lanes, slots, part) = match load {
        Load::Light => (random.choose(&[1, 2, 4]), random.choose(&[2, 8]), 24),
        Load::Full => (
            random.choose(&[1, 2, 4, 32]),
            random.choose(&[2, 8, 100]),
            3,
        ),
        Load::Cramped => (random.choose(&[1, 2, 4]), random.choose(&[2, 8, 16]), 3),
    };
    let sizes = match load {
        Load::Cramped => [16, 16, 32, 32],
        Load::Light | Load::Full => [16, 64, 256, 600],
    };
    let mix = Mix {
        lanes,
        large: bench.max_block() / part,
        most: random.choose(&sizes),
        turns: random.choose(&[8, 24]),
        seed,
    };
    let slots: Vec<_> = (0..slots).map(|_| Slot::default()).collect();
    bench.launch(&|warp| {
        if warp.lane() < mix.lanes {
            lane(bench, warp, &slots, &mix);
        }
    });
    let live = bench.ledger.live();
    bench.retire_all(&live);
    if bench.properties.walkable {
        let used = bench.occupancy().used_bytes;
        assert_eq!(used, 0, "bytes in use in a heap without blocks");
    }
    let most = bench.max_block();
    if bench.properties.reuses_across_sizes {
        let block = bench.alone(|warp| bench.obtain(warp, most, false));
        assert!(block.is_some(), "a block of all that there is");
    }
    assert!(bench.pool.guards_intact());
}

/// Chunks of 256 bytes.
#[derive(Clone, Copy)]
struct Small;

// SAFETY: it sets those that it may.
unsafe impl Parameters for Small {
    const CHUNK_BITS: u32 = 8;
    const CAPACITY_BITS: u32 = 6;
    const FIRST_CHUNKS_FROM: u32 = 320;
}

/// Chunks of 64 bytes, and queues of two entries.
#[derive(Clone, Copy)]
struct Cramped;

// SAFETY: it sets those that it may.
unsafe impl Parameters for Cramped {
    const CHUNK_BITS: u32 = 6;
    const CAPACITY_BITS: u32 = 1;
}

/// Six chunks.
const FEW: Case = case(8_384, &[]);

const REGIONS: Case = case(17_024, &[("region", "64")]);
const CHUNKS: Case = case(16_000, &[]);
/// Eleven pages.
const PAGES: Case = case(16_000, &[("page", "1024")]);
/// Twelve pages in three access blocks.
const ACCESS_BLOCKS: Case = case(12_600, &[("page", "1024"), ("block", "4096")]);
/// Twelve slabs; and five with bitfields that several lanes initialise.
const LIBC_SLABS: Case = case(12_800, &[("slab", "1024")]);
const LIBC_FIELDS: Case = case(21_000, &[("slab", "4096")]);
/// Eight superblocks; each request for a larger block takes a whole one.
const SUPERBLOCKS: Case = case(16_000, &[("superblock", "1024")]);
/// Seven superblocks; the lanes cut most blocks off a common one.
const CUT_SUPERBLOCKS: Case = case(24_000, &[("superblock", "2048")]);

/// Segments of two blocks; of sixteen; and of blocks of two words of bits.
const SEGMENTS: Case = case(12_000, &[("segment", "1024")]);
const BLOCKS: Case = case(40_000, &[("segment", "8192")]);
const WORDS: Case = case(100_500, &[("segment", "32768")]);

/// Some hundred units: a root of 16 KiB, and others.
const UNITS: Case = case(30_000, &[("unit", "64")]);
/// More groups of the least blocks than names.
const NAMES: Case = case(36_000, &[("unit", "16")]);

/// Two slabs beside the least pool of large blocks; and one beside some words of pages.
const SLABS: Case = case(21_000, &[("share", "99")]);
const RUNS: Case = case(20_000, &[("share", "1")]);

/// Seven words of pages, and two and one in the tiers of larger ones.
const DRAWN: Case = case(18_000, &[("page", "64")]);

macro_rules! workloads {
    ($($name:literal: $allocator:ty, $case:expr, $load:ident;)*) => {
        vec![$(Workload {
            name: $name,
            run: |seed| heap::<$allocator>($case, Load::$load, seed),
        },)*]
    };
}

pub(super) fn workloads() -> Vec<Workload> {
    workloads! {
        "cmalloc": CMalloc, REGIONS, Light;
        "cfmalloc": CfMalloc, REGIONS, Light;
        "checked": Observed<CfMalloc>, REGIONS, Light;
        "pages-array": Ouroboros<Small, OuroborosPages<Array>>, CHUNKS, Full;
        "pages-hierarchy": Ouroboros<Small, OuroborosPages<Hierarchy>>, CHUNKS, Full;
        "pages-linked": Ouroboros<Small, OuroborosPages<Linked>>, CHUNKS, Full;
        "chunks-array": Ouroboros<Small, OuroborosChunks<Array>>, CHUNKS, Full;
        "chunks-hierarchy": Ouroboros<Small, OuroborosChunks<Hierarchy>>, CHUNKS, Full;
        "chunks-linked": Ouroboros<Small, OuroborosChunks<Linked>>, CHUNKS, Full;
        "shared": Ouroboros<Small, OuroborosShared>, CHUNKS, Full;
        "shared-hierarchy": Ouroboros<Small, OuroborosShared<Hierarchy>>, CHUNKS, Full;
        "shared-linked": Ouroboros<Small, OuroborosShared<Linked>>, CHUNKS, Full;
        "scatter": ScatterAlloc, PAGES, Full;
        "flatter": FlatterScatter, ACCESS_BLOCKS, Full;
        "llvmlibc": LlvmLibc, LIBC_SLABS, Full;
        "llvmlibc-fields": LlvmLibc, LIBC_FIELDS, Full;
        "gallatin": Gallatin, SEGMENTS, Full;
        "gallatin-blocks": Gallatin, BLOCKS, Full;
        "gallatin-words": Gallatin, WORDS, Cramped;
        "xmalloc": XMalloc, SUPERBLOCKS, Full;
        "xmalloc-cut": XMalloc, CUT_SUPERBLOCKS, Full;
        "buddy": BuddyAlloc, UNITS, Full;
        "buddy-names": BuddyAlloc, NAMES, Full;
        "halloc": Halloc<PageRuns>, SLABS, Full;
        "halloc-pages": Halloc<PageRuns>, RUNS, Full;
        "pagesearch": PageSearch<Collaborative>, DRAWN, Full;
        "pagesearch-independent": PageSearch<Independent>, DRAWN, Full;
        "pagesearch-clustered": PageSearch<Clustered>, DRAWN, Full;
        "cramped-pages": Ouroboros<Cramped, OuroborosPages<Array>>, FEW, Cramped;
        "cramped-chunks": Ouroboros<Cramped, OuroborosChunks<Array>>, FEW, Cramped;
        "cramped-shared": Ouroboros<Cramped, OuroborosShared>, FEW, Cramped;
        "cramped-hierarchy": Ouroboros<Cramped, OuroborosShared<Hierarchy>>, FEW, Cramped;
        "cramped-linked": Ouroboros<Cramped, OuroborosShared<Linked>>, FEW, Cramped;
    }
}
