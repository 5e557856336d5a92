//! The 3L allocator as an [`Allocator`].

use core::sync::atomic::Ordering::Relaxed;

use super::BuddyAlloc;
use super::groups::nth;
use super::layout::{self, GROUP_BLOCKS, LEVELS, Layout, Level};
use super::search::Taken;
use crate::allocator::{Allocator, Handle, Heap, Occupancy, Request, SetupError};
use crate::allocators::common::units;
use crate::allocators::ouroboros::Group;
use crate::simt::{Warp, leader, rank};

/// The least level whose blocks have so many units, at least one.
#[inline(always)]
fn level_of(units: u32) -> u32 {
    32 - (units - 1).leading_zeros()
}

/// The level of a block, and its number there. An address of no block has a level or a number that
/// no heap has.
#[inline(always)]
fn parts(block: u32) -> (u32, u32) {
    let level = (block | 1 << (LEVELS - 1)).trailing_zeros();
    (level, block >> level >> 1)
}

impl BuddyAlloc {
    /// Blocks for the lanes that call this together, of the same or other levels.
    #[inline(always)]
    fn block<W: Warp>(&self, warp: W, level: Level) -> u32 {
        let lane = warp.lane();
        let mask = warp.converge();
        let group = warp.match_any(mask, level.number());
        let mut rest = group;
        let mut block = u32::NULL;
        loop {
            let first = if rest == 0 { lane } else { leader(rest) };
            let mut taken = Taken::NOTHING.to_bits();
            if rest != 0 && lane == first {
                taken = self.find(warp, level, rest.count_ones()).to_bits();
            }
            // All lanes take part until the last is done, whatever their groups: see
            // `Warp::converge`.
            let taken = Taken::from_bits(warp.shuffle64(mask, taken, first));
            // The leader acquired the blocks for all of its lanes.
            warp.sync(mask);
            let place = rank(rest, lane);
            let served = (place < taken.bits.count_ones()) & (rest >> lane & 1 == 1);
            if served {
                let index = taken.group * GROUP_BLOCKS + nth(taken.bits, place);
                block = (2 * index + 1) << level.number();
            }
            let done = warp.ballot(mask, served) & group;
            // Without a block for one of them, all are refused.
            rest = if done == 0 { 0 } else { rest & !done };
            if warp.ballot(mask, rest != 0) & mask == 0 {
                return block;
            }
        }
    }
}

impl Allocator for BuddyAlloc {
    type Handle = u32;

    const FREES: bool = true;
    const REUSES_ACROSS_SIZES: bool = true;
    const WALKABLE: bool = true;
    // A block that another thread splits or merges is hidden for a moment.
    const EXACT_NULL: bool = false;
    // A request merges what is named, up to 4096 groups a level, before it is refused.
    const BOUNDED_REFUSAL: bool = false;

    fn setup(request: &Request) -> Result<Heap, SetupError> {
        layout::plan(request)
    }

    #[inline(always)]
    unsafe fn new(heap: Heap) -> Self {
        Self {
            blocks: heap.pointers[0],
            tables: heap.pointers[1],
            names: heap.pointers[2],
            layout: Layout {
                units: heap.integers[0] as u32,
                unit_shift: heap.integers[1] as u32,
            },
        }
    }

    fn max_block(heap: &Heap) -> u64 {
        let layout = Layout {
            units: heap.integers[0] as u32,
            unit_shift: heap.integers[1] as u32,
        };
        1 << (layout.top() + layout.unit_shift)
    }

    unsafe fn init<W: Warp>(self, warp: W) {
        // SAFETY: nothing else uses the heap during the launch.
        unsafe {
            self.init_groups(warp);
            self.init_queues(warp);
            self.init_names(warp);
        }
    }

    /// Lanes that request blocks of one level together get them from the same group, or as
    /// parts of one block.
    #[inline(always)]
    fn malloc<W: Warp>(self, warp: W, bytes: u64) -> u32 {
        let units = units(bytes, self.layout.unit_shift);
        let level = level_of(units);
        if level > self.layout.top() {
            return u32::NULL;
        }
        // SAFETY: up to the top there are levels.
        self.block(warp, unsafe { Level::new(level) })
    }

    /// Lanes that free blocks of one group together give them back together.
    #[inline(always)]
    unsafe fn free<W: Warp>(self, warp: W, block: u32) {
        if block.is_null() {
            return;
        }
        let (level, index) = parts(block);
        let word = self.layout.word(level, index / GROUP_BLOCKS);
        let all = warp.converge();
        let group = Group::by_key(warp, all, word);
        let bits = group.union(warp, all, 1 << (index % GROUP_BLOCKS));
        // Accesses of the lanes to their blocks come before their leader's release.
        warp.sync(all);
        if group.leads() {
            // SAFETY: live blocks, and each lane gives up one of them.
            unsafe { self.give(warp, Level::new(level), index / GROUP_BLOCKS, bits) };
        }
    }

    #[inline(always)]
    fn address(self, block: u32) -> *mut u8 {
        let (level, index) = parts(block);
        self.blocks
            .wrapping_add((index as usize) << (level + self.layout.unit_shift))
    }

    fn contains(self, block: u32) -> bool {
        let (level, index) = parts(block);
        level <= self.layout.top() && index < self.layout.blocks(level)
    }

    unsafe fn granted(self, block: u32, _requested: u64) -> u64 {
        1 << (parts(block).0 + self.layout.unit_shift)
    }

    fn walk<W: Warp>(self, warp: W) -> Occupancy {
        let mut sum = Occupancy::default();
        if warp.thread() != 0 {
            return sum;
        }
        // A free block is one that a request would find: merged.
        // SAFETY: a level of the heap.
        self.sweep(warp, unsafe { Level::new(self.layout.top()) });
        for level in 0..=self.layout.top() {
            // SAFETY: a level of the heap.
            // Relaxed: the heap is at rest.
            let count = self.free_count(unsafe { Level::new(level) }).load(Relaxed);
            let bytes = 1 << (level + self.layout.unit_shift);
            sum.free_bytes += u64::from(count) * bytes;
            if count != 0 {
                sum.largest_free_bytes = bytes;
            }
        }
        let pool = u64::from(self.layout.units) << self.layout.unit_shift;
        sum.used_bytes = pool - sum.free_bytes;
        sum
    }
}
