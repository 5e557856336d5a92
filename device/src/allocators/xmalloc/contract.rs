//! XMalloc as an [`Allocator`].

use core::sync::atomic::Ordering::{AcqRel, Relaxed};

use cuda_std::atomic::AtomicU32;

use super::XMalloc;
use super::carve::NO_CUT;
use super::layout::{self, Layout, ROW, class_of, units_of};
use super::tables::{Class, NONE, RUN, Superblock, UNUSED, class_in};
use crate::allocator::{Allocator, Handle, Heap, Request, SetupError};
use crate::allocators::circular::Group;
use crate::allocators::common::units;
use crate::simt::Warp;

/// Units of the header of a coalesced block.
const HEADER: u32 = 1;

impl XMalloc {
    /// How many lanes' parts of a coalesced block are live.
    ///
    /// # Safety
    ///
    /// `block` is the first unit of a coalesced block; the caller owns a part of it, or all.
    #[inline(always)]
    unsafe fn header(&self, block: u32) -> &AtomicU32 {
        let offset = u64::from(block) << self.layout.unit_shift();
        // SAFETY: a unit of the heap, whose first word is always atomic as long as a part is live.
        unsafe { &*self.blocks.add(offset as usize).cast() }
    }

    /// A run of superblocks for `bytes`, or null.
    #[inline(always)]
    fn run<W: Warp>(&self, warp: W, bytes: u64) -> u32 {
        let last = bytes.saturating_sub(1) >> self.layout.shift;
        if last >= u64::from(self.layout.superblocks) {
            return u32::NULL;
        }
        let first = self.find_run(warp, last as u32 + 1);
        if first == NONE {
            return u32::NULL;
        }
        first << self.layout.unit_bits()
    }

    /// The superblock of a unit.
    #[inline(always)]
    fn superblock_of(&self, block: u32) -> u32 {
        block >> self.layout.unit_bits()
    }

    /// The first unit of the basic block of this class in which unit `block` lies.
    #[inline(always)]
    fn start_of(&self, block: u32, class: Class) -> u32 {
        let superblock = self.superblock_of(block) << self.layout.unit_bits();
        superblock + self.index_of(block, class) * units_of(class.number())
    }
}

impl Allocator for XMalloc {
    type Handle = u32;

    const FREES: bool = true;
    const REUSES_ACROSS_SIZES: bool = true;
    // Of the parts of a coalesced block nothing is kept but their number.
    const WALKABLE: bool = false;
    // Blocks that others are about to enqueue, bring home or claim in vain are not seen.
    const EXACT_NULL: bool = false;
    // A refusal empties all bins, and looks at the whole map or all superblocks.
    const BOUNDED_REFUSAL: bool = false;

    fn setup(request: &Request) -> Result<Heap, SetupError> {
        layout::plan(request)
    }

    #[inline(always)]
    unsafe fn new(heap: Heap) -> Self {
        Self {
            blocks: heap.pointers[0],
            queues: heap.pointers[1],
            tables: heap.pointers[2],
            layout: Layout::unpack(&heap.integers),
        }
    }

    fn max_block(heap: &Heap) -> u64 {
        let layout = Layout::unpack(&heap.integers);
        u64::from(layout.superblocks) << layout.shift
    }

    unsafe fn init<W: Warp>(self, warp: W) {
        let superblocks = self.layout.superblocks;
        let groups = (1 << self.layout.unit_bits()) / 32;
        // SAFETY: classes, and superblocks, words of the map and groups that the tables have.
        // Relaxed, all: the heap is used by later launches only.
        unsafe {
            let mut number = 0;
            while number < self.layout.classes() {
                let class = Class::new(number);
                self.bin(class).init(warp);
                self.homes(class).init(warp);
                if warp.thread() == 0 {
                    self.cut(class).store(NO_CUT, Relaxed);
                    self.home_count(class).store(0, Relaxed);
                }
                number += 1;
            }
            self.unused().init(warp);
            if warp.thread() == 0 {
                self.frontier().store(0, Relaxed);
                self.unused_count().store(superblocks, Relaxed);
                self.place().store(0, Relaxed);
                self.run_place().store(0, Relaxed);
            }
            let mut at = warp.thread();
            while at < superblocks.next_multiple_of(ROW) {
                self.word_at(at).store(UNUSED, Relaxed);
                at += warp.threads();
            }
            let mut word = warp.thread();
            while word < superblocks.div_ceil(32).next_multiple_of(ROW) {
                let left = superblocks.saturating_sub(32 * word);
                let bits = if left < 32 { (1 << left) - 1 } else { u32::MAX };
                self.map(32 * word).store(bits, Relaxed);
                word += warp.threads();
            }
            let mut superblock = warp.thread();
            while superblock < superblocks {
                let mut group = 0;
                while group < groups {
                    let superblock = Superblock::new(superblock);
                    self.bits(superblock, group).store(0, Relaxed);
                    group += 1;
                }
                superblock += warp.threads();
            }
        }
    }

    /// Lanes that request blocks of one class together get them from one source.
    #[inline(always)]
    fn malloc<W: Warp>(self, warp: W, bytes: u64) -> u32 {
        let wanted = units(bytes, self.layout.unit_shift());
        if wanted > self.layout.max_units() {
            return self.run(warp, bytes);
        }
        // SAFETY: a class, as there are so many units.
        self.blocks(warp, unsafe { Class::new(class_of(wanted)) })
    }

    /// One basic block for the lanes, behind a header that counts them. If their sum has no
    /// class, or there is no such block, each lane requests its own.
    ///
    /// Both kinds of request are turns of one loop, so that the search is compiled once.
    #[inline(always)]
    fn malloc_coalesced<W: Warp>(self, warp: W, bytes: u64) -> u32 {
        let wanted = units(bytes, self.layout.unit_shift());
        let most = self.layout.max_units();
        let group = Group::form(warp, wanted);
        let total = group.total + u64::from(HEADER);
        let is_one = total <= u64::from(most);
        let mut is_together = is_one & (group.mask.count_ones() > 1);
        loop {
            let (mut count, mut wants) = (wanted, wanted <= most);
            if is_together {
                (count, wants) = (total as u32, group.leads());
            }
            let mut block = u32::NULL;
            if wants {
                // SAFETY: a class, as there are so many units.
                block = self.blocks(warp, unsafe { Class::new(class_of(count)) });
            }
            if !is_together {
                if wants {
                    return block;
                }
                return self.run(warp, bytes);
            }
            // All lanes of the group meet here.
            let first = warp.shuffle(group.mask, block, group.leader);
            if !first.is_null() {
                if group.leads() {
                    // SAFETY: the block is ours, and no thread has a part of it yet.
                    // Relaxed: `sync` orders it.
                    let header = unsafe { self.header(first) };
                    header.store(group.mask.count_ones(), Relaxed);
                }
                // The leader acquired the block for all of its lanes.
                warp.sync(group.mask);
                return first + HEADER + group.before as u32;
            }
            is_together = false;
        }
    }

    #[inline(always)]
    unsafe fn free<W: Warp>(self, warp: W, block: u32) {
        if block.is_null() {
            return;
        }
        let superblock = self.superblock_of(block);
        // SAFETY: a live block is a run, a basic block or a part of one, that its owner gives up.
        unsafe {
            let superblock = Superblock::new(superblock);
            // Relaxed: as long as the block lives the superblock is cut as it was, or the first
            // of the run; the count is not used.
            let word = self.word(superblock).load(Relaxed);
            if word == RUN {
                self.free_run(superblock);
                return;
            }
            let class = Class::new(class_in(word));
            let start = self.start_of(block, class);
            if start != block {
                // A part of a coalesced block. Release: our accesses to it come before what the
                // next owner of the whole does, to whom the last one passes them on. Acquire: so
                // that it can.
                if self.header(start).fetch_add(u32::MAX, AcqRel) != 1 {
                    return;
                }
            }
            self.give_block(warp, start, class);
        }
    }

    #[inline(always)]
    fn address(self, block: u32) -> *mut u8 {
        self.blocks
            .wrapping_add((block as usize) << self.layout.unit_shift())
    }

    fn contains(self, block: u32) -> bool {
        self.superblock_of(block) < self.layout.superblocks
    }

    unsafe fn granted(self, block: u32, requested: u64) -> u64 {
        let superblock = self.superblock_of(block);
        // SAFETY: a live block is of a superblock, which begins a run or has a class.
        unsafe {
            let superblock = Superblock::new(superblock);
            // Relaxed: as in `free`.
            let word = self.word(superblock).load(Relaxed);
            if word == RUN {
                return u64::from(self.bits(superblock, 0).load(Relaxed)) << self.layout.shift;
            }
            let class = Class::new(class_in(word));
            let units = if self.start_of(block, class) == block {
                units_of(class.number())
            } else {
                units(requested, self.layout.unit_shift())
            };
            u64::from(units) << self.layout.unit_shift()
        }
    }
}
