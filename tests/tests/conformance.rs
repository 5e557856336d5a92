//! The contract of the trait `Allocator`, for every allocator; see
//! `heapwood_tests::conformance`.

use heapwood_device::allocator::Allocator;
use heapwood_device::allocators::{
    AtomicMalloc, AwMalloc, CMalloc, CfMalloc, CfmMalloc, CmMalloc, CudaMalloc, FdgMalloc,
    OuroborosPS, ScatterAlloc,
};
use heapwood_tests::conformance;
use heapwood_tests::conformance::{
    Case, LARGE, OsThreads, POOLS, case, circular, clauses, each, overlaps, plain, stress,
};

conformance!(atomicmalloc: AtomicMalloc, plain(), POOLS, POOLS);
conformance!(awmalloc: AwMalloc, plain(), POOLS, POOLS);
conformance!(cmalloc: CMalloc, circular::two_words(), POOLS, POOLS);
conformance!(cfmalloc: CfMalloc, circular::fused(), POOLS, POOLS);
conformance!(cmmalloc: CmMalloc, circular::two_words(), POOLS, POOLS);
conformance!(cfmmalloc: CfmMalloc, circular::fused(), POOLS, POOLS);
conformance!(scatteralloc: ScatterAlloc, plain(), POOLS, POOLS);
conformance!(scatteralloc_pages: ScatterAlloc, plain(), PAGES, PAGES);
conformance!(cudamalloc: CudaMalloc, plain(), POOLS, POOLS);
conformance!(fdgmalloc: FdgMalloc, plain(), POOLS, POOLS);

/// Pages of 64 units, of 32 x 32 chunks, and of units of 64 bytes.
const PAGES: &[Case] = &[
    case(1 << 16, &[("page", "1024")]),
    case(1 << 19, &[("page", "16384")]),
    case(1 << 20, &[("page", "65536")]),
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
    cmalloc_checked cfmmalloc_checked scatteralloc_checked
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
    awmalloc: AwMalloc;
    cmalloc: CMalloc;
    cfmalloc: CfMalloc;
    cmmalloc: CmMalloc;
    cfmmalloc: CfmMalloc;
    scatteralloc: ScatterAlloc;
    cudamalloc: CudaMalloc;
    fdgmalloc: FdgMalloc;
}

/// What the benchmark says about refusals: schedules in which a free is under way
/// while a request is refused, and others in which none is, are told apart. A refusal of
/// this allocator is short enough for both.
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
