//! That the suite finds what it is for: faults that are planted in allocators of different kinds,
//! whether they can be walked or not. Each failure must say which block it is about, and why.

use std::panic::{AssertUnwindSafe, catch_unwind};

use heapwood_device::allocator::Allocator;
use heapwood_device::allocators::{CfMalloc, OuroborosPS, XMalloc};
use heapwood_tests::conformance;
use heapwood_tests::conformance::planted::{
    GrantsTwice, LosesBlocks, NoFault, Planted, ReleasesNothing,
};
use heapwood_tests::conformance::{
    Bench, Case, Coroutines, Machine, OsThreads, case, clauses, plain,
};

/// A clause, with its name for messages.
type Clause<M> = (&'static str, fn(&Bench<M>));

macro_rules! named {
    ($($clause:ident)*) => {
        [$((stringify!($clause), clauses::$clause as fn(&Bench<M>)),)*]
    };
}

/// The clauses with enough frees that one loses its block.
fn that_free<M: Machine>() -> [Clause<M>; 3] {
    named! { disjoint recovery concurrent }
}

/// The failure of a clause on a heap, if it finds a fault.
fn failure<A: Allocator<Handle = u32>, M: Machine>(
    case: Case,
    machine: &M,
    (name, clause): Clause<M>,
) -> Option<String> {
    let traits = plain();
    let run = || clause(&Bench::new::<A>(case, machine, &traits));
    let panic = catch_unwind(AssertUnwindSafe(run)).err()?;
    let message = panic.downcast_ref::<String>();
    let message = message.unwrap_or_else(|| panic!("{name} says nothing"));
    Some(message.clone())
}

/// Whether a message has all of these parts, and is one line.
fn says(message: &str, parts: &[&str]) -> bool {
    message.lines().count() == 1 && parts.iter().all(|part| message.contains(part))
}

fn finds_lost_blocks<A: Allocator<Handle = u32>, M: Machine>(case: Case, machine: &M) {
    for clause in that_free() {
        let message = failure::<A, M>(case, machine, clause);
        let message = message.unwrap_or_else(|| panic!("{} finds nothing", clause.0));
        let parts = [
            "granted to nobody since",
            "block 0x",
            "granted), requested by warp ",
            "freed by warp ",
        ];
        assert!(says(&message, &parts), "{}: {message}", clause.0);
    }
}

/// Runs. At least one must fail because two threads were granted the same block. In others no two
/// threads meet, or one frees the block before the other has it, and another failure comes first.
/// In lockstep alone, which ends a run at its first fault: threads go on, and a block that is freed
/// twice may leave the allocator's own structures without an end.
const RUNS: usize = 100;

fn finds_blocks_granted_twice<A: Allocator<Handle = u32>, M: Machine>(case: Case, machine: &M) {
    let [clause] = named! { concurrent };
    let mut messages = (0..RUNS).filter_map(|_| failure::<A, M>(case, machine, clause));
    let parts = [
        "block 0x",
        "requested by warp ",
        " overlaps block 0x",
        "which lives",
    ];
    assert!(messages.any(|message| says(&message, &parts)));
}

/// In lockstep alone: a processor such as x86 orders more than is asked for.
fn finds_a_missing_release<A: Allocator<Handle = u32>>(case: Case) {
    let message = {
        type M = Coroutines;
        let [clause] = named! { concurrent };
        failure::<A, M>(case, &Coroutines::new(1000), clause).expect("a failure")
    };
    let parts = [
        "nothing orders the accesses to the block 0x",
        "freed by warp ",
        "a release in `free` or an acquire in `malloc` is missing",
        " race (replay with ",
    ];
    assert!(says(&message, &parts), "{message}");
}

macro_rules! kinds {
    ($($kind:ident: $inner:ty, $walks:literal, $case:expr;)*) => {$(
        mod $kind {
            use super::*;

            const CASE: Case = $case;

            type With<P> = Planted<$inner, P, $walks>;

            #[test]
            fn lost_blocks_are_found() {
                finds_lost_blocks::<With<LosesBlocks>, _>(CASE, &OsThreads);
                finds_lost_blocks::<With<LosesBlocks>, _>(CASE, &Coroutines::new(1000));
            }

            #[test]
            fn blocks_granted_twice_are_found() {
                finds_blocks_granted_twice::<With<GrantsTwice>, _>(CASE, &Coroutines::new(1000));
            }

            #[test]
            fn a_missing_release_is_found() {
                finds_a_missing_release::<With<ReleasesNothing>>(CASE);
            }

            conformance!(
                without_a_fault: With<NoFault>, plain(), &[CASE], &[CASE];
                disjoint recovery reuse_across_sizes freed_by_others coalesced concurrent churn
            );
        }
    )*};
}

kinds! {
    walkable: CfMalloc, true, case(1 << 16, &[]);
    not_walkable: CfMalloc, false, case(1 << 16, &[]);
    never_walkable: XMalloc, false, case(1 << 16, &[("superblock", "1024")]);
    keeping_sizes: OuroborosPS, true, case(1 << 19, &[]);
    keeping_sizes_not_walkable: OuroborosPS, false, case(1 << 19, &[]);
}
