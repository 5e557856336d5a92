//! Checked mode: as good an allocator as the one inside, silent on correct use,
//! and exact about wrong use.

use heapwood_device::allocators::{
    AtomicMalloc, AwMalloc, BuddyAlloc, CMalloc, CfMalloc, CfmMalloc, CmMalloc, CudaMalloc,
    FdgMalloc, FlatterScatter, Gallatin, LlvmLibc, Observed, ScatterAlloc, SpreadMalloc, XMalloc,
};
use heapwood_tests::conformance;
use heapwood_tests::conformance::{POOLS, Traits, circular, plain};

/// Header and canary are in use, but not granted.
fn checked(inside: Traits) -> Traits {
    Traits {
        overhead: 32,
        ..inside
    }
}

// An overwritten block of AWMalloc has no header left to tell by: the clause
// about it does not apply in checked mode.
conformance!(
    atomicmalloc_checked: Observed<AtomicMalloc>, checked(plain()), POOLS, POOLS;
    sizes disjoint exhaustion coalesced setup reset overruns
);
conformance!(
    spread_checked: Observed<SpreadMalloc>, checked(plain()), POOLS, POOLS;
    sizes disjoint exhaustion coalesced setup reset overruns
);
conformance!(
    fdgmalloc_checked: Observed<FdgMalloc>, checked(plain()), POOLS, POOLS;
    sizes disjoint exhaustion coalesced setup reset overruns
);
conformance!(
    awmalloc_checked: Observed<AwMalloc>, checked(plain()), POOLS, POOLS;
    sizes disjoint coalesced setup reset double_frees overruns
);

// A block that was freed may be anybody's, and a handle of nothing any address: neither is
// tried.
conformance!(
    cudamalloc_checked: Observed<CudaMalloc>, checked(plain()), POOLS, POOLS;
    sizes disjoint exhaustion recovery freed_by_others coalesced concurrent setup reset overruns
);

macro_rules! whole_suite {
    ($($name:ident: $allocator:ty, $traits:expr;)*) => {$(
        conformance!(
            $name: Observed<$allocator>, checked($traits), POOLS, POOLS;
            sizes disjoint exhaustion recovery reuse_across_sizes freed_by_others coalesced
            concurrent setup reset walk double_frees foreign_handles overruns
        );
    )*};
}

whole_suite! {
    cmalloc_checked: CMalloc, circular::two_words();
    cfmalloc_checked: CfMalloc, circular::fused();
    cmmalloc_checked: CmMalloc, circular::two_words();
    cfmmalloc_checked: CfmMalloc, circular::fused();
    scatteralloc_checked: ScatterAlloc, plain();
    flatterscatter_checked: FlatterScatter, plain();
    gallatin_checked: Gallatin, plain();
    llvmlibc_checked: LlvmLibc, plain();
    xmalloc_checked: XMalloc, plain();
    buddy_checked: BuddyAlloc, plain();
}
