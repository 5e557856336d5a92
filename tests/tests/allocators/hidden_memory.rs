//! That allocators with hints hide no memory for good: whatever threads did to each other while
//! blocks came and went, once they are done requests of all sizes get all that is free.
//!
//! A refusal of these is no evidence of a full heap while others are in the middle of their calls:
//! they may be about to list a block with free slices, or to give it back. So schedules are tried,
//! half of them over weak memory, in which lanes stall there, with some blocks left live, that keep
//! the segments and blocks around them from becoming free as a whole.

use std::cell::Cell;

use cuda_std::atomic::AtomicU32;
use cuda_std::atomic::Ordering::{AcqRel, Acquire};
use heapwood_device::allocator::{Allocator, Handle};
use heapwood_device::allocators::{
    Clustered, Collaborative, Gallatin, Halloc, Independent, PageRuns, PageSearch,
};
use heapwood_device::simt::Warp;
use heapwood_tests::conformance::Pool;
use heapwood_tests::lockstep::{self, Lockstep, Plan, Policy, Random};

const WARPS: u32 = 2;
/// Atomic operations of a run, many times what most need.
const STEPS: u64 = 40_000_000;

/// A heap, and how many lanes of each warp use it.
#[derive(Clone, Copy)]
struct Load {
    pool_bytes: u64,
    parameters: &'static [(&'static str, &'static str)],
    lanes: u32,
    /// The most slots for blocks, and the largest requests in bytes.
    slots: u64,
    largest: u64,
    /// The largest request of those that fill the heap in the end, a power of two.
    filler: u64,
    turns: u32,
}

/// Bytes that are free when requests of all sizes are refused, the largest first.
fn hidden<A: Allocator<Handle = u32>>(load: Load, seed: u64) -> u64 {
    let pool = Pool::<A>::new(load.pool_bytes, 4, load.parameters).expect("a pool");
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
            let mut bytes = load.filler;
            // Halloc has classes of three quarters of a power of two as well.
            while bytes >= 16 {
                while !heap.malloc(warp, bytes).is_null() {}
                while !heap.malloc(warp, bytes / 4 * 3).is_null() {}
                bytes /= 2;
            }
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

fn find<A: Allocator<Handle = u32>>(load: Load, seeds: u64) {
    let found: Vec<(u64, u64)> = (0..seeds)
        .map(|seed| (seed, hidden::<A>(load, seed)))
        .filter(|(_, bytes)| *bytes != 0)
        .collect();
    assert!(found.is_empty(), "seeds and bytes: {found:?}");
}

/// Segments of two blocks of a word of bits.
#[test]
fn few_lanes_hide_nothing() {
    let load = Load {
        pool_bytes: 4_000,
        parameters: &[("segment", "1024")],
        filler: 1024,
        lanes: 4,
        slots: 40,
        largest: 600,
        turns: 24,
    };
    find::<Gallatin>(load, 4000);
}

/// One segment, so that all lanes meet at a few words.
#[test]
fn many_lanes_hide_nothing() {
    let load = Load {
        pool_bytes: 2_500,
        parameters: &[("segment", "1024")],
        filler: 1024,
        lanes: 32,
        slots: 100,
        largest: 40,
        turns: 12,
    };
    find::<Gallatin>(load, 600);
}

/// Blocks of two words of bits.
#[test]
fn blocks_of_several_words_hide_nothing() {
    let load = Load {
        pool_bytes: 75_000,
        parameters: &[("segment", "32768")],
        filler: 32768,
        lanes: 4,
        slots: 200,
        largest: 600,
        turns: 80,
    };
    find::<Gallatin>(load, 200);
}

/// Slabs of 16 KiB, three or more, and pages.
#[test]
fn slabs_hide_nothing() {
    let load = Load {
        pool_bytes: 120_000,
        parameters: &[("slab", "16384"), ("share", "60")],
        filler: 32_768,
        lanes: 4,
        slots: 600,
        largest: 2_000,
        turns: 200,
    };
    find::<Halloc<PageRuns>>(load, 300);
}

/// Tiers of seven words and fewer, which each lane fills and empties again and again, so that pages are
/// split and merged, and words are removed from the summaries, while others free pages of theirs.
#[test]
fn summaries_hide_nothing() {
    let load = Load {
        pool_bytes: 16_000,
        parameters: &[("page", "16")],
        filler: 4_096,
        lanes: 4,
        slots: 200,
        largest: 600,
        turns: 200,
    };
    find::<PageSearch<Collaborative>>(load, 300);
    find::<PageSearch<Independent>>(load, 300);
    find::<PageSearch<Clustered>>(load, 300);
}
