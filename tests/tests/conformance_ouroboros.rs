//! The six Ouroboros allocators, plain and checked, held to the contract of all
//! allocators; with the paper's parameters, and with chunks of 256 bytes, where
//! queues cross from chunk to chunk all the time.

use heapwood_device::allocators::ouroboros::queue::{Array, Hierarchy, Linked};
use heapwood_device::allocators::ouroboros::{
    Ouroboros, OuroborosChunks, OuroborosPages, Parameters, Split,
};
use heapwood_device::allocators::{
    Checked, OuroborosCS, OuroborosCVa, OuroborosCVl, OuroborosPS, OuroborosPVa, OuroborosPVl,
};
use heapwood_tests::conformance;
use heapwood_tests::conformance::{Case, Traits, case, plain};

/// Pools of some dozen chunks and more, odd ones among them.
const POOLS: &[Case] = &[case(1 << 19, &[]), case(1_234_567, &[])];
/// The same for chunks of 256 bytes.
const SMALL: &[Case] = &[case(60_000, &[]), case(1 << 18, &[])];

/// Header and canary are in use, but not granted.
fn checked<A>(inside: Traits<A>) -> Traits<A> {
    Traits {
        overhead: 32,
        ..inside
    }
}

macro_rules! six {
    ($($name:ident $checked:ident: $allocator:ty;)*) => {$(
        conformance!($name: $allocator, plain(), POOLS, POOLS);
        conformance!(
            $checked: Checked<$allocator>, checked(plain()), POOLS, POOLS;
            sizes disjoint exhaustion recovery reuse_across_sizes freed_by_others coalesced
            concurrent setup reset walk double_frees foreign_handles overruns
        );
    )*};
}

six! {
    p_s p_s_checked: OuroborosPS;
    p_va p_va_checked: OuroborosPVa;
    p_vl p_vl_checked: OuroborosPVl;
    c_s c_s_checked: OuroborosCS;
    c_va c_va_checked: OuroborosCVa;
    c_vl c_vl_checked: OuroborosCVl;
}

/// Chunks of 256 bytes, with queues that are soon full.
#[derive(Clone, Copy)]
struct Small;

impl Parameters for Small {
    const CHUNK_BITS: u32 = 8;
    const CAPACITY_BITS: u32 = 7;
}

macro_rules! small {
    ($($name:ident: $instance:ty;)*) => {$(
        conformance!($name: Ouroboros<Small, $instance>, plain(), SMALL, SMALL);
    )*};
}

small! {
    small_p_s: OuroborosPages<Array>;
    small_p_va: OuroborosPages<Hierarchy>;
    small_p_vl: OuroborosPages<Linked>;
    small_c_s: OuroborosChunks<Array>;
    small_c_va: OuroborosChunks<Hierarchy>;
    small_c_vl: OuroborosChunks<Linked>;
    small_mixed: Split<OuroborosPages<Array>, OuroborosChunks<Linked>, 2>;
}
