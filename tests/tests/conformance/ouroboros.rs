//! The six Ouroboros allocators, plain and checked, held to the contract of all
//! allocators; with the paper's parameters, and with chunks of 256 bytes, where
//! queues cross from chunk to chunk all the time.

use heapwood_device::allocators::ouroboros::queue::{Array, Hierarchy, Linked};
use heapwood_device::allocators::ouroboros::{
    Instance, Ouroboros, OuroborosChunks, OuroborosPages, Parameters, Split,
};
use heapwood_device::allocators::{
    Observed, OuroborosCS, OuroborosCVa, OuroborosCVl, OuroborosPS, OuroborosPVa, OuroborosPVl,
};
use heapwood_tests::conformance;
use heapwood_tests::conformance::{
    Case, Coroutines, OsThreads, Traits, case, clauses, each, plain, stress,
};

/// Pools of some dozen chunks and more, odd ones among them.
const POOLS: &[Case] = &[case(1 << 19, &[]), case(1_234_567, &[])];
/// The same for chunks of 256 bytes.
const SMALL: &[Case] = &[
    case(60_000, &[]),
    case(1 << 18, &[]),
    case(1 << 19, &[("unit", "64")]),
];

/// Header and canary are in use, but not granted.
fn checked(inside: Traits) -> Traits {
    Traits {
        overhead: 32,
        ..inside
    }
}

macro_rules! six {
    ($($name:ident $checked:ident: $allocator:ty;)*) => {$(
        conformance!($name: $allocator, plain(), POOLS, POOLS);
        conformance!(
            $checked: Observed<$allocator>, checked(plain()), POOLS, POOLS;
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

/// Requests and frees on full heaps.
mod full {
    use super::*;

    const FULL: &[Case] = &[case(1 << 20, &[]), case(1 << 21, &[])];

    conformance!(p_s: OuroborosPS, plain(), FULL, FULL; churn);
    conformance!(p_va: OuroborosPVa, plain(), FULL, FULL; churn);
    conformance!(p_vl: OuroborosPVl, plain(), FULL, FULL; churn);
    conformance!(c_s: OuroborosCS, plain(), FULL, FULL; churn);
    conformance!(c_va: OuroborosCVa, plain(), FULL, FULL; churn);
    conformance!(c_vl: OuroborosCVl, plain(), FULL, FULL; churn);
}

/// Chunks of 256 bytes, with queues that are soon full, and that have a chunk from the
/// beginning in the larger pool.
#[derive(Clone, Copy)]
struct Small;

// SAFETY: it sets those that it may.
unsafe impl Parameters for Small {
    const CHUNK_BITS: u32 = 8;
    const CAPACITY_BITS: u32 = 7;
    const FIRST_CHUNKS_FROM: u32 = 320;
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

/// Small heaps near exhaustion under many more schedules: queues that find no
/// chunk, chunks that wander between queue, stack and pool.
fn attack<I: Instance>() {
    const ATTACKED: &[Case] = &[case(20_000, &[]), case(33_333, &[])];
    for seed in 1..6 {
        let machine = Coroutines::new(seed << 32);
        each::<Ouroboros<Small, I>, _>(ATTACKED, &machine, &plain(), clauses::concurrent);
        each::<Ouroboros<Small, I>, _>(ATTACKED, &machine, &plain(), clauses::coalesced);
    }
    each::<Ouroboros<Small, I>, _>(ATTACKED, &OsThreads, &plain(), clauses::concurrent);
}

macro_rules! attacked {
    ($($name:ident: $instance:ty;)*) => {
        mod attacked {
            use super::*;

            $(
                #[test]
                fn $name() {
                    attack::<$instance>();
                }
            )*
        }
    };
}

attacked! {
    pages_in_arrays: OuroborosPages<Array>;
    pages_in_hierarchies: OuroborosPages<Hierarchy>;
    pages_in_lists: OuroborosPages<Linked>;
    chunks_in_arrays: OuroborosChunks<Array>;
    chunks_in_hierarchies: OuroborosChunks<Hierarchy>;
    chunks_in_lists: OuroborosChunks<Linked>;
    mixed: Split<OuroborosPages<Hierarchy>, OuroborosChunks<Linked>, 3>;
}

/// The device's stress kernel, on OS threads.
#[test]
fn stressed() {
    stress("ouroboros_p_s");
    stress("ouroboros_p_va");
    stress("ouroboros_p_vl");
    stress("ouroboros_c_s");
    stress("ouroboros_c_va");
    stress("ouroboros_c_vl");
    stress("ouroboros_p_vl_observed");
    stress("ouroboros_c_vl_observed");
}
