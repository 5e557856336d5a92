//! That Gallatin hides no memory for good: whatever threads did to each other while blocks came
//! and went, once they are done requests of the least size get all that is free.
//!
//! A refusal of Gallatin is no evidence of a full heap while others are in the middle of their
//! calls: they may be about to list a block with free slices, or to give it back. So schedules
//! are tried, half of them over weak memory, in which lanes stall there, with some blocks left
//! live, that keep the segments and blocks around them from becoming free as a whole.

use std::cell::Cell;

use cuda_std::atomic::AtomicU32;
use cuda_std::atomic::Ordering::{AcqRel, Acquire};
use heapwood_device::allocator::{Allocator, Handle};
use heapwood_device::allocators::Gallatin;
use heapwood_device::simt::Warp;
use heapwood_tests::conformance::Pool;
use heapwood_tests::lockstep::{self, Lockstep, Plan, Policy, Random};

const WARPS: u32 = 2;
/// Atomic operations of a run, many times what most need.
const STEPS: u64 = 4_000_000;

/// A heap, and how many lanes of each warp use it.
#[derive(Clone, Copy)]
struct Load {
    pool_bytes: u64,
    segment: &'static str,
    lanes: u32,
    /// The most slots for blocks, and the largest requests in bytes.
    slots: u64,
    largest: u64,
    turns: u32,
}

/// Bytes that are free when the smallest request is refused.
fn hidden(load: Load, seed: u64) -> u64 {
    let parameters = [("segment", load.segment)];
    let pool = Pool::<Gallatin>::new(load.pool_bytes, 4, &parameters).expect("a pool");
    let heap = *pool.allocator();
    let calm = || Plan::new(1, Policy::Random { period: 64 }, seed);
    // SAFETY: a launch of all lanes over a heap without blocks.
    lockstep::run(calm(), |warp| unsafe { heap.init(warp) }).expect("init");
    let mut random = Random::new(seed);
    let slots = 1 + random.below(load.slots);
    let largest = random.choose(&[16, 32, load.largest]);
    let mut words = vec![u32::NULL; slots as usize];
    let words = words.as_mut_ptr();
    // SAFETY: one of the words, which live until all lanes are done.
    let slot = |index: u64| unsafe { &*words.add(index as usize).cast::<AtomicU32>() };
    let kernel = |warp: Lockstep| {
        if warp.lane() >= load.lanes {
            return;
        }
        let mut random = Random::new(seed << 8 | u64::from(warp.thread()));
        for _ in 0..load.turns {
            let slot = slot(random.below(slots));
            let mut block = slot.swap(u32::NULL, Acquire);
            if block.is_null() {
                block = slot.swap(heap.malloc(warp, random.below(largest) + 1), AcqRel);
            }
            // SAFETY: the block was in a slot, from which this lane took it.
            unsafe { heap.free(warp, block) };
        }
    };
    let plan = Plan {
        step_limit: STEPS,
        ..Plan::varied(WARPS, load.lanes, 60, seed)
    };
    let plan = if seed.is_multiple_of(2) {
        plan
    } else {
        plan.weak()
    };
    lockstep::run(plan, kernel).unwrap_or_else(|error| panic!("{seed}: {error}"));
    let free = Cell::new(0);
    let fill = |warp: Lockstep| {
        if warp.lane() == 0 {
            while !heap.malloc(warp, 1).is_null() {}
        }
        warp.sync(u32::MAX);
        free.set(free.get() + heap.walk(warp).free_bytes);
    };
    let plan = Plan {
        step_limit: STEPS,
        ..calm()
    };
    lockstep::run(plan, fill).unwrap_or_else(|error| panic!("{seed}: {error}"));
    free.into_inner()
}

fn find(load: Load, seeds: u64) {
    let found: Vec<(u64, u64)> = (0..seeds)
        .map(|seed| (seed, hidden(load, seed)))
        .filter(|(_, bytes)| *bytes != 0)
        .collect();
    assert!(found.is_empty(), "seeds and bytes: {found:?}");
}

/// Segments of two blocks of a word of bits.
#[test]
fn few_lanes_hide_nothing() {
    let load = Load {
        pool_bytes: 4_000,
        segment: "1024",
        lanes: 4,
        slots: 40,
        largest: 600,
        turns: 24,
    };
    find(load, 4000);
}

/// One segment, so that all lanes meet at a few words.
#[test]
fn many_lanes_hide_nothing() {
    let load = Load {
        pool_bytes: 2_500,
        segment: "1024",
        lanes: 32,
        slots: 100,
        largest: 40,
        turns: 12,
    };
    find(load, 600);
}

/// Blocks of two words of bits.
#[test]
fn blocks_of_several_words_hide_nothing() {
    let load = Load {
        pool_bytes: 75_000,
        segment: "32768",
        lanes: 4,
        slots: 200,
        largest: 600,
        turns: 80,
    };
    find(load, 200);
}
