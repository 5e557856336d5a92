//! Random page search against the contract: each search over pools of few pages, of partial words,
//! and of other page sizes.

use heapwood_device::allocator::Allocator;
use heapwood_device::allocators::{Clustered, Collaborative, Independent, Observed, PageSearch};
use heapwood_tests::conformance;
use heapwood_tests::conformance::{
    Case, LARGE, OsThreads, POOLS, Traits, case, clauses, each, plain, stress,
};

conformance!(pagesearch: PageSearch<Collaborative>, plain(), POOLS, POOLS);
conformance!(pagesearch_pages: PageSearch<Collaborative>, plain(), PAGES, PAGES);
conformance!(pagesearch_independent: PageSearch<Independent>, plain(), POOLS, POOLS);
conformance!(pagesearch_clustered: PageSearch<Clustered>, plain(), POOLS, POOLS);

/// Small and large pages.
const PAGES: &[Case] = &[
    case(20_000, &[("page", "16")]),
    case(300_007, &[("page", "256")]),
];

// Full heaps, in modules of their own beside those of the other clauses.
mod full {
    use super::*;

    conformance!(pagesearch: PageSearch<Collaborative>, plain(), POOLS, POOLS; churn);
    conformance!(pagesearch_pages: PageSearch<Collaborative>, plain(), PAGES, PAGES; churn);
    conformance!(pagesearch_independent: PageSearch<Independent>, plain(), POOLS, POOLS; churn);
    conformance!(pagesearch_clustered: PageSearch<Clustered>, plain(), POOLS, POOLS; churn);
}

/// Header and canary are in use, but not granted.
fn checked() -> Traits {
    Traits {
        overhead: 32,
        ..plain()
    }
}

conformance!(
    pagesearch_checked: Observed<PageSearch<Collaborative>>, checked(), POOLS, POOLS;
    sizes disjoint exhaustion recovery reuse_across_sizes freed_by_others coalesced concurrent
    setup reset walk double_frees foreign_handles overruns
);

#[test]
fn stressed() {
    for name in [
        "pagesearch",
        "pagesearch_observed",
        "pagesearch_search_independent",
        "pagesearch_search_clustered",
    ] {
        stress(name);
    }
}

#[test]
fn large_pools() {
    large_pool::<PageSearch<Collaborative>>();
    large_pool::<PageSearch<Independent>>();
    large_pool::<PageSearch<Clustered>>();
}

fn large_pool<A: Allocator>() {
    each::<A, _>(LARGE, &OsThreads, &plain(), clauses::exhaustion);
    each::<A, _>(LARGE, &OsThreads, &plain(), clauses::concurrent);
    each::<A, _>(LARGE, &OsThreads, &plain(), clauses::freed_by_others);
}
