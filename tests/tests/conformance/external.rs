//! The contract of the trait `Allocator` for allocators of the user's, in C. `external` does not
//! declare the properties that clauses require; the lists here name the clauses that each one
//! fulfils.

use heapwood_device::allocators::{External, Observed};
use heapwood_tests::conformance;
use heapwood_tests::conformance::{
    Case, OsThreads, POOLS, Traits, case, clauses, each, external, plain, stress,
};

conformance!(
    units: External, units(), POOLS, POOLS;
    sizes disjoint exhaustion recovery freed_by_others coalesced setup reset
);
conformance!(
    freelist: External, freelist(), FREELIST, FREELIST;
    disjoint recovery freed_by_others coalesced
);
conformance!(
    freelist_observed: Observed<External>, freelist_observed(), FREELIST, FREELIST;
    disjoint recovery freed_by_others coalesced
);

mod full {
    use super::*;

    conformance!(units: External, units(), POOLS, POOLS; churn);
}

const FREELIST: &[Case] = &[
    case(100_003, &[("name", "freelist")]),
    case(1 << 20, &[("name", "freelist")]),
];

/// A header in front of each block, and lists of powers of two that never merge.
fn freelist() -> Traits {
    Traits {
        keeps_sizes: true,
        ..plain()
    }
}

/// With guards, which are in use and not granted.
fn freelist_observed() -> Traits {
    Traits {
        overhead: 32,
        ..freelist()
    }
}

fn units() -> Traits {
    Traits {
        most: external::most_of_units,
        ..plain()
    }
}

/// On threads alone: the lockstep machine does not see by what C orders the owners of a block,
/// and would take that for a race.
#[test]
fn concurrent() {
    each::<External, _>(POOLS, &OsThreads, &units(), clauses::concurrent);
    each::<External, _>(FREELIST, &OsThreads, &freelist(), clauses::concurrent);
}

/// On threads alone, for the same reason.
#[test]
fn overruns() {
    each::<Observed<External>, _>(
        FREELIST,
        &OsThreads,
        &freelist_observed(),
        clauses::overruns,
    );
}

#[test]
fn stressed() {
    stress("external");
    stress("external_observed");
}
