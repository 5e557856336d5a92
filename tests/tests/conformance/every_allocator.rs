//! The contract of the trait `Allocator`, for every allocator; see
//! `heapwood_tests::conformance`.

use heapwood_device::allocator::Allocator;
use heapwood_device::allocators::{
    AtomicMalloc, AwMalloc, BuddyAlloc, CMalloc, CfMalloc, CfmMalloc, CmMalloc, CudaMalloc,
    FdgMalloc, FlatterScatter, Gallatin, LlvmLibc, OuroborosPS, ScatterAlloc, SpreadMalloc,
    XMalloc,
};
use heapwood_tests::conformance;
use heapwood_tests::conformance::{
    Case, LARGE, OsThreads, POOLS, case, circular, clauses, each, overlaps, plain, stress,
};

conformance!(atomicmalloc: AtomicMalloc, plain(), POOLS, POOLS);
conformance!(spread: SpreadMalloc, plain(), POOLS, POOLS);
conformance!(awmalloc: AwMalloc, plain(), POOLS, POOLS);
conformance!(cmalloc: CMalloc, circular::two_words(), POOLS, POOLS);
conformance!(cfmalloc: CfMalloc, circular::fused(), POOLS, POOLS);
conformance!(cmmalloc: CmMalloc, circular::two_words(), POOLS, POOLS);
conformance!(cfmmalloc: CfmMalloc, circular::fused(), POOLS, POOLS);
conformance!(scatteralloc: ScatterAlloc, plain(), POOLS, POOLS);
conformance!(scatteralloc_pages: ScatterAlloc, plain(), PAGES, PAGES);
conformance!(flatterscatter: FlatterScatter, plain(), POOLS, POOLS);
conformance!(flatterscatter_pages: FlatterScatter, plain(), ACCESS_BLOCKS, ACCESS_BLOCKS);
conformance!(cudamalloc: CudaMalloc, plain(), POOLS, POOLS);
conformance!(fdgmalloc: FdgMalloc, plain(), POOLS, POOLS);
conformance!(gallatin: Gallatin, plain(), POOLS, POOLS);
conformance!(gallatin_segments: Gallatin, plain(), SEGMENTS, FEW_SEGMENTS);
conformance!(xmalloc: XMalloc, plain(), POOLS, POOLS);
conformance!(xmalloc_superblocks: XMalloc, plain(), SUPERBLOCKS, SUPERBLOCKS);
conformance!(llvmlibc: LlvmLibc, plain(), POOLS, POOLS);
conformance!(llvmlibc_slabs: LlvmLibc, plain(), SLABS, SLABS);
conformance!(buddy: BuddyAlloc, plain(), POOLS, POOLS);
conformance!(buddy_units: BuddyAlloc, plain(), UNITS, UNITS);

/// Pages of 64 units, of 32 x 32 chunks, and of units of 64 bytes.
const PAGES: &[Case] = &[
    case(1 << 16, &[("page", "1024")]),
    case(1 << 19, &[("page", "16384")]),
    case(1 << 20, &[("page", "65536")]),
];

/// Pages of 64 units in access blocks of eight, of 1024 without waste, and of units of 32 bytes.
const ACCESS_BLOCKS: &[Case] = &[
    case(1 << 16, &[("page", "1024"), ("block", "8192")]),
    case(1 << 19, &[("page", "16384"), ("waste", "1")]),
    case(2 << 20, &[("page", "262144"), ("block", "524288")]),
];

/// Segments of 64 units, and few that are large.
const FEW_SEGMENTS: &[Case] = &[
    case(1 << 16, &[("segment", "1024")]),
    case(1 << 20, &[("segment", "131072")]),
];
/// The same, and so many that trees have three levels.
const SEGMENTS: &[Case] = &[
    case(1 << 16, &[("segment", "1024")]),
    case(1 << 20, &[("segment", "131072")]),
    case(5 << 20, &[("segment", "1024")]),
];
/// For requests of many sizes on a full heap: where segments are few, those of the least size soon
/// have them all, and all other requests are refused.
const CHURNED_SEGMENTS: &[Case] = &[
    case(1 << 16, &[("segment", "1024")]),
    case(1 << 20, &[("segment", "32768")]),
];

/// Superblocks of 64 units, of 1024, and of 4096.
const SUPERBLOCKS: &[Case] = &[
    case(1 << 16, &[("superblock", "1024")]),
    case(1 << 19, &[("superblock", "16384")]),
    case(1 << 20, &[("superblock", "65536")]),
];

/// Slabs of 64 units, of 1024, and of 4096.
const SLABS: &[Case] = &[
    case(1 << 16, &[("slab", "1024")]),
    case(1 << 19, &[("slab", "16384")]),
    case(2 << 20, &[("slab", "65536")]),
];

/// Units larger than blocks are aligned to.
const UNITS: &[Case] = &[
    case(1 << 16, &[("unit", "64")]),
    case(300_007, &[("unit", "256")]),
];

// Full heaps, in modules of their own beside those of the other clauses.
mod full {
    use super::*;

    conformance!(cmalloc: CMalloc, circular::two_words(), POOLS, POOLS; churn);
    conformance!(cfmalloc: CfMalloc, circular::fused(), POOLS, POOLS; churn);
    conformance!(cmmalloc: CmMalloc, circular::two_words(), POOLS, POOLS; churn);
    conformance!(cfmmalloc: CfmMalloc, circular::fused(), POOLS, POOLS; churn);
    conformance!(scatteralloc: ScatterAlloc, plain(), POOLS, POOLS; churn);
    conformance!(scatteralloc_pages: ScatterAlloc, plain(), PAGES, PAGES; churn);
    conformance!(flatterscatter: FlatterScatter, plain(), POOLS, POOLS; churn);
    conformance!(flatterscatter_pages: FlatterScatter, plain(), ACCESS_BLOCKS, ACCESS_BLOCKS; churn);
    conformance!(gallatin: Gallatin, plain(), POOLS, POOLS; churn);
    conformance!(gallatin_segments: Gallatin, plain(), CHURNED_SEGMENTS, CHURNED_SEGMENTS; churn);
    conformance!(xmalloc: XMalloc, plain(), POOLS, POOLS; churn);
    conformance!(xmalloc_superblocks: XMalloc, plain(), SUPERBLOCKS, SUPERBLOCKS; churn);
    conformance!(llvmlibc: LlvmLibc, plain(), POOLS, POOLS; churn);
    conformance!(buddy: BuddyAlloc, plain(), POOLS, POOLS; churn);
}

macro_rules! stressed {
    ($($name:ident)*) => {
        // The device's stress kernel, on OS threads.
        mod stressed {
            use super::*;

            $(
                #[test]
                fn $name() {
                    stress(stringify!($name));
                }
            )*
        }
    };
}

stressed! {
    atomicmalloc awmalloc cmalloc cfmalloc cmmalloc cfmmalloc scatteralloc cudamalloc fdgmalloc
    gallatin xmalloc cmalloc_observed cfmmalloc_observed scatteralloc_observed gallatin_observed
    xmalloc_observed buddy buddy_observed spread spread_observed flatterscatter
    flatterscatter_observed llvmlibc llvmlibc_observed
}

fn large_pool<A: Allocator>() {
    // The structure is looked at in smaller pools, where that takes less time.
    each::<A, _>(LARGE, &OsThreads, &plain(), clauses::exhaustion);
    each::<A, _>(LARGE, &OsThreads, &plain(), clauses::concurrent);
    each::<A, _>(LARGE, &OsThreads, &plain(), clauses::freed_by_others);
}

macro_rules! large {
    ($($name:ident: $allocator:ty;)*) => {
        mod large {
            use super::*;

            $(
                #[test]
                fn $name() {
                    large_pool::<$allocator>();
                }
            )*
        }
    };
}

large! {
    atomicmalloc: AtomicMalloc;
    spread: SpreadMalloc;
    awmalloc: AwMalloc;
    cmalloc: CMalloc;
    cfmalloc: CfMalloc;
    cmmalloc: CmMalloc;
    cfmmalloc: CfmMalloc;
    scatteralloc: ScatterAlloc;
    flatterscatter: FlatterScatter;
    cudamalloc: CudaMalloc;
    fdgmalloc: FdgMalloc;
    gallatin: Gallatin;
    llvmlibc: LlvmLibc;
    xmalloc: XMalloc;
    buddy: BuddyAlloc;
}

/// The benchmark's counts of refusals distinguish schedules in which a free is under way during a
/// refusal from those in which none is. A refusal of this allocator is short enough for both.
#[test]
fn refusals_that_overlap_a_free_are_counted_apart() {
    let (mut with, mut without) = (0, 0);
    for seed in 0..400 {
        let [refused, overlapping, freed] = overlaps::refusals::<OuroborosPS>(seed, true);
        assert_eq!(refused + freed, 3, "seed {seed}");
        assert!(overlapping <= refused, "seed {seed}");
        with += overlapping;
        without += refused - overlapping;
        // Without the count the schedule is another, but nothing is lost.
        let [refused, overlapping, freed] = overlaps::refusals::<OuroborosPS>(seed, false);
        assert!(refused < 3 && overlapping == 0 && freed == 0, "seed {seed}");
    }
    assert!(with > 20 && without > 20, "{with} with, {without} without");
}
