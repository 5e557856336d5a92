//! Allocators that are not in the table yet, against the contract: XMalloc, Gallatin and the 3L
//! buddy allocator.

use heapwood_device::allocators::{BuddyAlloc, Checked, Gallatin, XMalloc};
use heapwood_tests::conformance;
use heapwood_tests::conformance::{Case, POOLS, Traits, case, plain};

conformance!(xmalloc: XMalloc, plain(), POOLS, POOLS);
conformance!(xmalloc_superblocks: XMalloc, plain(), SUPERBLOCKS, SUPERBLOCKS);
conformance!(gallatin: Gallatin, plain(), POOLS, POOLS);
conformance!(gallatin_segments: Gallatin, plain(), SEGMENTS, FEW_SEGMENTS);
conformance!(buddy: BuddyAlloc, plain(), POOLS, POOLS);
conformance!(buddy_units: BuddyAlloc, plain(), UNITS, UNITS);

/// Superblocks of 64 units, of 1024, and of 4096.
const SUPERBLOCKS: &[Case] = &[
    case(1 << 16, &[("superblock", "1024")]),
    case(1 << 19, &[("superblock", "16384")]),
    case(1 << 20, &[("superblock", "65536")]),
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

/// Units larger than blocks are aligned to.
const UNITS: &[Case] = &[
    case(1 << 16, &[("unit", "64")]),
    case(300_007, &[("unit", "256")]),
];

// Full heaps, in modules of their own beside those of the other clauses.
mod full {
    use super::*;

    conformance!(xmalloc: XMalloc, plain(), POOLS, POOLS; churn);
    conformance!(gallatin: Gallatin, plain(), POOLS, POOLS; churn);
    conformance!(buddy: BuddyAlloc, plain(), POOLS, POOLS; churn);
}

/// Header and canary are in use, but not granted.
fn checked() -> Traits {
    Traits {
        overhead: 32,
        ..plain()
    }
}

conformance!(
    gallatin_checked: Checked<Gallatin>, checked(), POOLS, POOLS;
    double_frees foreign_handles overruns
);
