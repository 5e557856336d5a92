//! The benchmark's count of refusals that overlap a free, in lockstep.

use heapwood_device::allocator::Allocator;
use heapwood_device::bench::{AllocDealloc, WARPS_WORDS, WarpsArguments};
use heapwood_device::kernel::Kernel;

use super::pool::Pool;
use crate::lockstep::{self, Plan};

/// Warps, each requesting a block once and freeing it.
const WARPS: u32 = 3;

/// Requests that were refused, those among them that overlapped a free, and frees,
/// where `WARPS` warps want the same memory.
pub fn refusals<A: Allocator>(seed: u64, counts_frees: bool) -> [u32; 3] {
    let pool = Pool::<A>::new(1 << 15, 4, &[]).expect("a pool");
    let plan = |warps| Plan::varied(warps, 1, 20, seed);
    let init = lockstep::run(plan(1), |warp| {
        // SAFETY: a launch of all threads over a heap without blocks.
        unsafe { pool.allocator().init(warp) };
    });
    init.unwrap_or_else(|error| panic!("{error}"));
    let mut counters = [0; WARPS_WORDS];
    let arguments = WarpsArguments {
        counters: counters.as_mut_ptr(),
        // More than half of the pool.
        bytes: A::max_block(pool.heap()) * 3 / 4,
        kept: 1,
        counts_frees,
    };
    let run = lockstep::run(plan(WARPS), |warp| {
        // SAFETY: the counters are there, 0 at first.
        unsafe { AllocDealloc::run(warp, pool.allocator(), arguments) };
    });
    run.unwrap_or_else(|error| panic!("{error}"));
    let [refused, overlapping, begun, ended, requested] = counters;
    assert_eq!(begun, ended, "every free that began has ended");
    assert_eq!(requested, if counts_frees { WARPS } else { 0 });
    [refused, overlapping, ended]
}
