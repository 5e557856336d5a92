//! Gallatin as an [`Allocator`].

use core::sync::atomic::Ordering::Relaxed;

use super::Gallatin;
use super::blocks::{AT_REST, class_of};
use super::buffers::EMPTY;
use super::counts::{CLOSED, COUNT_MASK};
use super::layout::{self, Layout, levels};
use super::retry_budget::RetryBudget;
use super::runs::places;
use super::slices::Taken;
use super::tables::{Block, NO_CLASS, RUN, Segment, SliceClass};
use crate::allocator::{Allocator, Handle, Heap, Occupancy, Request, SetupError};
use crate::simt::{Backoff, Warp, leader, rank};

/// The lowest bits of a word, as many as `count`, at most 64.
#[inline(always)]
fn ones(count: u32) -> u64 {
    if count >= 64 {
        u64::MAX
    } else {
        (1 << count) - 1
    }
}

impl Gallatin {
    /// Slices for the lanes that call this together, of the same or other classes.
    #[inline(always)]
    fn slice<W: Warp>(&self, warp: W, class: SliceClass) -> u32 {
        let lane = warp.lane();
        let mask = warp.converge();
        let group = warp.match_any(mask, class.number());
        let mut rest = group;
        let mut block = u32::NULL;
        let mut budget = RetryBudget::NEW;
        let mut pause = Backoff::new();
        loop {
            let first = if rest == 0 { lane } else { leader(rest) };
            let mut taken = Taken::NONE.to_bits();
            if rest != 0 && lane == first {
                taken = self.find(warp, class, rest.count_ones(), budget).to_bits();
            }
            // All lanes take part until the last is done, whatever their groups: see
            // `Warp::converge`.
            let taken = Taken::from_bits(warp.shuffle64(mask, taken, first));
            // The leader acquired the slices for all of its lanes.
            warp.sync(mask);
            let place = rank(rest, lane);
            let served = (place < taken.count()) & (rest >> lane & 1 == 1);
            if served {
                block = taken.slice(place, class.number());
            }
            let done = warp.ballot(mask, served) & group;
            let later = taken.budget();
            let is_refused = done == 0 && later.is_none();
            rest = if is_refused { 0 } else { rest & !done };
            if warp.ballot(mask, rest != 0) & mask == 0 {
                return block;
            }
            let waits = rest != 0 && later.is_some();
            budget = later.unwrap_or(RetryBudget::NEW);
            if warp.ballot(mask, waits) & mask != 0 {
                // All lanes pause, so that none holds up another that is at work.
                pause.pause(warp);
            }
        }
    }

    /// The block that a unit is of, and the unit within it.
    ///
    /// # Safety
    ///
    /// The unit is one of the heap.
    #[inline(always)]
    unsafe fn split(&self, unit: u32) -> (Block, u32) {
        let bits = self.layout.block_bits();
        // SAFETY: each unit of the heap is of a block.
        let block = unsafe { self.block(unit >> bits) };
        (block, unit & ((1 << bits) - 1))
    }

    /// Bytes of a slice or run of `class`, which is not of segments.
    #[inline(always)]
    fn class_bytes(&self, class: u32) -> u64 {
        1 << (class + self.layout.unit_shift)
    }

    /// Bytes of the live run of segments that begins with `first`.
    #[inline(always)]
    fn run_bytes(&self, first: Segment) -> u64 {
        // Relaxed: as long as the run lives it has this length.
        let length = self.run_length(first).load(Relaxed);
        u64::from(length) << self.layout.segment_shift()
    }

    /// The contents that begin in a block: slices, live and free, or a live run.
    fn occupancy_of(&self, block: Block) -> Occupancy {
        // Relaxed, all: the heap is at rest.
        let class = class_of(self.state(block).load(Relaxed));
        if class >= self.layout.sliced() {
            let used_bytes = match class {
                NO_CLASS => 0,
                RUN => self.run_bytes(block.segment()),
                _ => self.class_bytes(class),
            };
            return Occupancy {
                used_bytes,
                ..Occupancy::default()
            };
        }
        let slices = self.layout.slices(class);
        // Of a block that is not open the count is larger.
        let claimed = self.count(block).load(Relaxed) & COUNT_MASK;
        let mut free = slices.saturating_sub(claimed);
        for word in 0..self.layout.words(class) {
            // SAFETY: a word of a block of the class.
            let bits = unsafe { self.bits_word(block, word) };
            free += bits.load(Relaxed).count_ones();
        }
        let bytes = self.class_bytes(class);
        Occupancy {
            used_bytes: u64::from(slices - free) * bytes,
            free_bytes: u64::from(free) * bytes,
            largest_free_bytes: if free > 0 { bytes } else { 0 },
        }
    }

    /// The free blocks of a segment; the largest run that begins there.
    fn occupancy_of_free(&self, segment: Segment) -> Occupancy {
        let segment = segment.number();
        let all = self.layout.all_blocks();
        // SAFETY: this and those around it that are below `layout.segments`.
        // Relaxed: the heap is at rest.
        let word = |segment: u32| unsafe { self.segment(Segment::new(segment)).load(Relaxed) };
        let is_free = |segment: u32| word(segment) == all;
        let block_bytes = self.class_bytes(self.layout.block_bits());
        let free = word(segment);
        let mut largest = 0;
        if is_free(segment) {
            let mut end = segment + 1;
            if segment == 0 || !is_free(segment - 1) {
                while end < self.layout.segments && is_free(end) {
                    end += 1;
                }
            }
            largest = u64::from(end - segment) << self.layout.segment_shift();
        } else {
            for bits in 0..self.layout.blocks_bits() {
                if places(free, bits) != 0 {
                    largest = block_bytes << bits;
                }
            }
        }
        Occupancy {
            used_bytes: 0,
            free_bytes: u64::from(free.count_ones()) * block_bytes,
            largest_free_bytes: largest,
        }
    }
}

impl Allocator for Gallatin {
    type Handle = u32;

    const FREES: bool = true;
    const REUSES_ACROSS_SIZES: bool = true;
    const WALKABLE: bool = true;
    // A block that is being opened or given back, slices that were freed and are not listed
    // yet, and segments that were claimed for a run in vain are hidden for a moment.
    const EXACT_NULL: bool = false;
    // A refusal may look at the bits of all blocks that others have listed.
    const BOUNDED_REFUSAL: bool = false;

    fn setup(request: &Request) -> Result<Heap, SetupError> {
        layout::plan(request)
    }

    #[inline(always)]
    unsafe fn new(heap: Heap) -> Self {
        Self {
            blocks: heap.pointers[0],
            tables: heap.pointers[1],
            records: heap.pointers[2],
            layout: Layout::from_bits(heap.integers[0]),
        }
    }

    fn max_block(heap: &Heap) -> u64 {
        let layout = Layout::from_bits(heap.integers[0]);
        u64::from(layout.segments) << layout.segment_shift()
    }

    unsafe fn init<W: Warp>(self, warp: W) {
        let layout = self.layout;
        // SAFETY: the segments, buffers and trees of the heap.
        // Relaxed, all: the heap is used by later launches only.
        unsafe {
            let mut id = warp.thread();
            while id < layout.segments << layout.blocks_bits() {
                let block = self.block(id);
                self.state(block).store(AT_REST, Relaxed);
                self.count(block).store(CLOSED, Relaxed);
                if block.number() == 0 {
                    self.segment(block.segment())
                        .store(layout.all_blocks(), Relaxed);
                    self.hinted(block.segment()).store(0, Relaxed);
                }
                id += warp.threads();
            }
            let mut index = warp.thread();
            while index < layout.buffers() {
                self.buffer(index).store(u64::from(EMPTY), Relaxed);
                index += warp.threads();
            }
            if warp.thread() == 0 {
                self.buffered().store(0, Relaxed);
            }
            let [first, second, _] = levels(layout.segments);
            let words = layout.tree_words();
            let free = self.free_tree();
            let mut at = warp.thread();
            while at < words {
                let mut bits = ones(second);
                if at < first {
                    bits = ones(layout.segments - 64 * at);
                } else if at < first + second {
                    bits = ones(first - 64 * (at - first));
                }
                // The first two trees have all segments, the others none.
                let mut tree = 0;
                while tree < layout.trees() {
                    let word = free.word(0, tree * words + at);
                    word.store(if tree < 2 { bits } else { 0 }, Relaxed);
                    tree += 1;
                }
                at += warp.threads();
            }
        }
    }

    /// Lanes that request slices of one class together claim them by one addition.
    #[inline(always)]
    fn malloc<W: Warp>(self, warp: W, bytes: u64) -> u32 {
        let last = bytes.saturating_sub(1) >> self.layout.unit_shift;
        if last < 1 << (self.layout.block_bits() - 1) {
            let class = 32 - (last as u32).leading_zeros();
            // SAFETY: slices of at most half a block are of a sliced class.
            return self.slice(warp, unsafe { SliceClass::new(class) });
        }
        if last >> self.layout.segment_bits >= u64::from(self.layout.segments) {
            return u32::NULL;
        }
        self.find_run(warp, last as u32)
    }

    #[inline(always)]
    unsafe fn free<W: Warp>(self, _warp: W, block: u32) {
        if block.is_null() {
            return;
        }
        // SAFETY: a live block is a run, or a slice of a block of the class, that its owner gives
        // up.
        unsafe {
            let (of, unit) = self.split(block);
            // Relaxed: as long as one of its slices lives the block has its class.
            let class = class_of(self.state(of).load(Relaxed));
            if class < self.layout.sliced() {
                self.free_slice(of, class, unit >> class);
            } else {
                self.free_run(of, class);
            }
        }
    }

    #[inline(always)]
    fn address(self, block: u32) -> *mut u8 {
        self.blocks
            .wrapping_add((block as usize) << self.layout.unit_shift)
    }

    fn contains(self, block: u32) -> bool {
        block >> self.layout.segment_bits < self.layout.segments
    }

    unsafe fn granted(self, block: u32, _requested: u64) -> u64 {
        // SAFETY: a live block is of the heap.
        let (of, _) = unsafe { self.split(block) };
        // Relaxed: as in `free`.
        match class_of(self.state(of).load(Relaxed)) {
            RUN => self.run_bytes(of.segment()),
            class => self.class_bytes(class),
        }
    }

    fn walk<W: Warp>(self, warp: W) -> Occupancy {
        let mut sum = Occupancy::default();
        let mut add = |found: Occupancy| {
            sum.used_bytes += found.used_bytes;
            sum.free_bytes += found.free_bytes;
            if found.largest_free_bytes > sum.largest_free_bytes {
                sum.largest_free_bytes = found.largest_free_bytes;
            }
        };
        let mut id = warp.thread();
        while id < self.layout.segments << self.layout.blocks_bits() {
            // SAFETY: the number of a block of the heap.
            let block = unsafe { self.block(id) };
            add(self.occupancy_of(block));
            if block.number() == 0 {
                add(self.occupancy_of_free(block.segment()));
            }
            id += warp.threads();
        }
        sum
    }
}
