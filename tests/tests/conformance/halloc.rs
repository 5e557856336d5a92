//! Halloc against the contract: over pools of few slabs, of several heads for each class, and of
//! other shares.

use heapwood_device::allocator::Allocator;
use heapwood_device::allocators::{CudaMalloc, Halloc, Observed, PageRuns};
use heapwood_tests::conformance;
use heapwood_tests::conformance::{
    Case, LARGE, OsThreads, POOLS, Traits, case, clauses, each, plain, stress,
};

conformance!(halloc: Halloc<PageRuns>, plain(), POOLS, POOLS);
conformance!(halloc_slabs: Halloc<PageRuns>, plain(), SLABS, FEW_SLABS);
conformance!(halloc_large_cuda: Halloc<CudaMalloc>, plain(), POOLS, POOLS);

/// As few slabs as there may be, two or four heads for each class, and large slabs.
const SLABS: &[Case] = &[
    case(20_000, &[]),
    case(1_400_000, &[("slab", "8192"), ("share", "90")]),
    case(3 << 20, &[("slab", "8192")]),
    case(1 << 20, &[("slab", "131072"), ("share", "50")]),
];

/// Those of them that lanes in lockstep get through soon.
const FEW_SLABS: &[Case] = &[
    case(20_000, &[]),
    case(1_400_000, &[("slab", "8192"), ("share", "90")]),
];

// Full heaps, in modules of their own beside those of the other clauses.
mod full {
    use super::*;

    conformance!(halloc: Halloc<PageRuns>, plain(), POOLS, POOLS; churn);
    conformance!(halloc_shares: Halloc<PageRuns>, plain(), SHARES, SHARES; churn);
    conformance!(halloc_large_cuda: Halloc<CudaMalloc>, plain(), POOLS, POOLS; churn);
}

/// Pools that are mostly slabs, or mostly large blocks.
const SHARES: &[Case] = &[
    case(1 << 16, &[("share", "30")]),
    case(100_003, &[("share", "90")]),
    case(1 << 20, &[("share", "50"), ("slab", "65536")]),
];

/// Header and canary are in use, but not granted.
fn checked() -> Traits {
    Traits {
        overhead: 32,
        ..plain()
    }
}

conformance!(
    halloc_checked: Observed<Halloc<PageRuns>>, checked(), POOLS, POOLS;
    sizes disjoint exhaustion recovery reuse_across_sizes freed_by_others coalesced concurrent
    setup reset walk double_frees foreign_handles overruns
);

#[test]
fn stressed() {
    for name in ["halloc", "halloc_observed", "halloc_large_cuda"] {
        stress(name);
    }
}

#[test]
fn large_pools() {
    large_pool::<Halloc<PageRuns>>();
    large_pool::<Halloc<CudaMalloc>>();
}

fn large_pool<A: Allocator>() {
    each::<A, _>(LARGE, &OsThreads, &plain(), clauses::exhaustion);
    each::<A, _>(LARGE, &OsThreads, &plain(), clauses::concurrent);
    each::<A, _>(LARGE, &OsThreads, &plain(), clauses::freed_by_others);
}
