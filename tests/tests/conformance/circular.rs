//! The circular allocators with their parameters, and attacked where they are
//! most likely to break: small pools near exhaustion with tiny regions, under
//! many schedules.

use heapwood_device::allocator::{Allocator, Observe, Request, SetupError};
use heapwood_device::allocators::{CMalloc, CfMalloc, CfmMalloc, CmMalloc};
use heapwood_tests::conformance;
use heapwood_tests::conformance::{
    Case, Coroutines, Machine, OsThreads, Pool, Traits, case, circular, clauses, each,
};

const PARAMETERS: &[Case] = &[
    case(1 << 16, &[("split", "uniform")]),
    case(100_003, &[("split", "heap")]),
    case(1 << 18, &[("split", "heap"), ("chunk", "512")]),
    case(1 << 16, &[("region", "64")]),
    case(77_777, &[("region", "1024"), ("split", "uniform")]),
    case(1 << 16, &[("region", "65536")]),
    case(1 << 16, &[("frag", "1.5")]),
    case(1 << 16, &[("frag", "16"), ("split", "heap")]),
    case(1 << 17, &[("chunk", "256"), ("frag", "2")]),
    case(1 << 17, &[("unit", "64")]),
    case(200_000, &[("unit", "256"), ("split", "heap")]),
];

macro_rules! parameter_tests {
    ($($name:ident: $allocator:ty, $traits:expr;)*) => {$(
        conformance!(
            $name: $allocator, $traits, PARAMETERS, PARAMETERS;
            sizes disjoint exhaustion recovery reuse_across_sizes freed_by_others coalesced
            concurrent reset walk
        );
    )*};
}

parameter_tests! {
    cmalloc: CMalloc, circular::two_words();
    cfmalloc: CfMalloc, circular::fused();
    cmmalloc: CmMalloc, circular::two_words();
    cfmmalloc: CfmMalloc, circular::fused();
}

const ATTACKED: &[Case] = &[
    case(12_000, &[("region", "64")]),
    case(12_000, &[("region", "64"), ("split", "uniform")]),
    case(11_111, &[("region", "128"), ("split", "heap")]),
    case(16_000, &[("region", "256"), ("frag", "2")]),
    case(20_000, &[("region", "32768")]),
    case(50_000, &[("unit", "128"), ("region", "512")]),
];

fn attack<A: Allocator<Handle = u32>>(traits: &Traits) {
    for seed in 0..8 {
        let machine = Coroutines::new(seed << 32);
        each::<A, _>(ATTACKED, &machine, traits, clauses::concurrent);
        each::<A, _>(ATTACKED, &machine, traits, clauses::coalesced);
    }
    each::<A, _>(ATTACKED, &OsThreads, traits, clauses::concurrent);
}

#[test]
fn cmalloc_is_attacked() {
    attack::<CMalloc>(&circular::two_words());
}

#[test]
fn cfmalloc_is_attacked() {
    attack::<CfMalloc>(&circular::fused());
}

#[test]
fn cmmalloc_is_attacked() {
    attack::<CmMalloc>(&circular::two_words());
}

#[test]
fn cfmmalloc_is_attacked() {
    attack::<CfmMalloc>(&circular::fused());
}

fn check_setup<A: Allocator>() {
    let small = Pool::<A>::new(1024, 4, &[]).err();
    assert!(matches!(small, Some(SetupError::PoolTooSmall { .. })));
    for parameter in [
        ("split", "none"),
        ("frag", "0.5"),
        ("frag", "17"),
        ("frag", "x"),
        ("chunk", "-1"),
        ("region", "100"),
        ("region", "8"),
        ("unit", "48"),
        ("unit", "8192"),
    ] {
        let refused = Pool::<A>::new(1 << 20, 4, &[parameter]).err();
        assert!(
            matches!(refused, Some(SetupError::BadParameter { .. })),
            "{parameter:?}"
        );
    }
    // Half the pool in one block at least, however it is split.
    for split in ["tail", "uniform", "heap"] {
        let pool = Pool::<A>::new(1 << 20, 4, &[("split", split)]).expect("a pool");
        assert!(A::max_block(pool.heap()) >= 1 << 19, "{split}");
    }
    // More processors than chunks.
    for processors in [0, 1, 132, 1000] {
        for split in ["tail", "uniform", "heap"] {
            for pool_bytes in [10_000, 15_000, 40_000, 80_000] {
                let plan = A::setup(&Request {
                    base: std::ptr::null_mut(),
                    pool_bytes,
                    processors,
                    parameters: &[("split", split)],
                    observe: Observe::GUARDS,
                });
                let Ok(_) = plan else { continue };
                let pool = Pool::<A>::new(pool_bytes, processors, &[("split", split)]);
                let pool = pool.expect("it was planned");
                OsThreads.launch(&|warp| {
                    // SAFETY: a launch of all threads over a heap without blocks.
                    unsafe { pool.allocator().init(warp) };
                });
                assert!(pool.guards_intact(), "{processors} {split} {pool_bytes}");
            }
        }
    }
}

#[test]
fn setup_checks_what_is_asked() {
    check_setup::<CMalloc>();
    check_setup::<CfMalloc>();
    check_setup::<CmMalloc>();
    check_setup::<CfmMalloc>();
}
