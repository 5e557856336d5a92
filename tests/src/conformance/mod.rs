//! The conformance suite: the contract of [`Allocator`], clause by clause, for every
//! allocator, on OS threads and on warps in lockstep.
//!
//! An allocator joins by one line in `tests/conformance/every_allocator.rs`. A clause checks
//! every block that it gets (place, alignment, size, overlap with live blocks,
//! contents) and, whenever the heap is at rest, all that the heap says about
//! itself.

mod bench;
pub mod circular;
pub mod clauses;
mod emptied;
pub mod external;
pub mod history;
mod ledger;
mod machine;
pub mod overlaps;
pub mod planted;
mod pool;
pub mod published;
mod stress;

pub use bench::{Bench, Case, Traits};
pub use ledger::{Block, Caller, Freed, Ledger};
pub use machine::{Coroutines, Failure, Kernel, Machine, OsThreads};
pub use pool::{AnyPool, Pool};
pub use stress::stress;

use heapwood_device::allocator::Allocator;

/// Pools of different sizes, odd ones among them.
pub const POOLS: &[Case] = &[case(1 << 16, &[]), case(100_003, &[]), case(1 << 20, &[])];

/// A large pool, for OS threads.
pub const LARGE: &[Case] = &[case(64 << 20, &[])];

/// A pool of `pool_bytes` with parameters.
pub const fn case(pool_bytes: u64, parameters: &'static [(&'static str, &'static str)]) -> Case {
    Case {
        pool_bytes,
        parameters,
    }
}

/// Nothing to know of an allocator.
pub const fn plain() -> Traits {
    Traits {
        overhead: 0,
        keeps_sizes: false,
        most: |bytes| bytes,
        inspect: |_, _| {},
    }
}

/// Runs a clause on a fresh heap for each case.
pub fn each<A: Allocator, M: Machine>(
    cases: &[Case],
    machine: &M,
    traits: &Traits,
    clause: fn(&Bench<M, A::Handle>),
) {
    for case in cases {
        clause(&Bench::new::<A>(*case, machine, traits));
    }
}

/// One test for each clause on each machine.
///
/// `conformance!(name: Type, traits, cases for OS threads, cases in lockstep);`
/// makes a module `name` of tests; failures thus name the allocator. With
/// `; clause clause ...` behind the cases it runs these clauses only.
#[macro_export]
macro_rules! conformance {
    ($name:ident: $allocator:ty, $traits:expr, $threads:expr, $lockstep:expr) => {
        $crate::conformance! {
            $name: $allocator, $traits, $threads, $lockstep;
            sizes disjoint exhaustion provided recovery reuse_across_sizes freed_by_others
            coalesced concurrent setup reset walk overwritten
        }
    };
    ($name:ident: $allocator:ty, $traits:expr, $threads:expr, $lockstep:expr; $($clauses:ident)*) => {
        mod $name {
            #[allow(unused_imports)]
            use super::*;

            $crate::conformance! { @ $allocator, $traits, $threads, $lockstep; $($clauses)* }
        }
    };
    (@ $allocator:ty, $traits:expr, $threads:expr, $lockstep:expr; $($clause:ident)*) => {$(
        mod $clause {
            #[allow(unused_imports)]
            use super::*;
            use $crate::conformance::{Coroutines, OsThreads, clauses, each};

            #[test]
            fn threads() {
                each::<$allocator, _>($threads, &OsThreads, &$traits, clauses::$clause);
            }

            #[test]
            fn lockstep() {
                let machine = Coroutines::new(1000);
                each::<$allocator, _>($lockstep, &machine, &$traits, clauses::$clause);
            }
        }
    )*};
}
