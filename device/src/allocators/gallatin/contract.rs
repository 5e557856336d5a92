//! Gallatin as an [`Allocator`].

use core::sync::atomic::Ordering::Relaxed;

use super::Gallatin;
use super::blocks::{AT_REST, class_of};
use super::buffers::EMPTY;
use super::counts::{CLOSED, COUNT_MASK};
use super::layout::{self, Layout, levels};
use super::patience::Patience;
use super::segments::{NO_SEGMENT, RUN, segment_class};
use super::slices::Taken;
use super::tables::{Block, NO_CLASS};
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
    ///
    /// # Safety
    ///
    /// `class` is one of the heap.
    #[inline(always)]
    unsafe fn slice<W: Warp>(&self, warp: W, class: u32) -> u32 {
        let lane = warp.lane();
        let mask = warp.converge();
        let group = warp.match_any(mask, class);
        let mut rest = group;
        let mut block = u32::NULL;
        let mut patience = Patience::NEW;
        let mut pause = Backoff::new();
        loop {
            let first = if rest == 0 { lane } else { leader(rest) };
            let mut taken = Taken::NONE.to_bits();
            if rest != 0 && lane == first {
                // SAFETY: the caller's promise; `rest` has lanes.
                taken = unsafe {
                    self.find(warp, class, rest.count_ones(), patience)
                        .to_bits()
                };
            }
            // All lanes take part until the last is done, whatever their groups: see
            // `Warp::converge`.
            let taken = Taken::from_bits(warp.shuffle64(mask, taken, first));
            // The leader acquired the slices for all of its lanes.
            warp.sync(mask);
            let place = rank(rest, lane);
            let served = (place < taken.count) & (rest >> lane & 1 == 1);
            if served {
                block = taken.unit + (place << taken.class);
            }
            let done = warp.ballot(mask, served) & group;
            let later = taken.patience();
            let is_refused = done == 0 && later.is_none();
            rest = if is_refused { 0 } else { rest & !done };
            if warp.ballot(mask, rest != 0) & mask == 0 {
                return block;
            }
            let waits = rest != 0 && later.is_some();
            patience = later.unwrap_or(Patience::NEW);
            if warp.ballot(mask, waits) & mask != 0 {
                // All lanes pause, so that none holds up another that is at work.
                pause.pause(warp);
            }
        }
    }

    /// The segment of a unit, and the unit within it.
    #[inline(always)]
    fn split(&self, unit: u32) -> (u32, u32) {
        let bits = self.layout.segment_bits;
        (unit >> bits, unit & ((1 << bits) - 1))
    }

    /// Bytes of a slice of `class`.
    #[inline(always)]
    fn slice_bytes(&self, class: u32) -> u64 {
        1 << (class + self.layout.unit_shift)
    }

    /// What a block has in live slices and free ones, in bytes, if it is of its segment.
    ///
    /// # Safety
    ///
    /// `block` is one of the heap.
    unsafe fn occupancy_of(&self, block: Block) -> Occupancy {
        // SAFETY: the caller's promise.
        // Relaxed, all: the heap is at rest.
        unsafe {
            let class = segment_class(self.segment(block.segment).load(Relaxed));
            if class >= RUN || self.layout.all_blocks(class) >> block.number & 1 == 0 {
                return Occupancy::default();
            }
            let slices = self.layout.slices(class);
            let mut free = slices;
            if class_of(self.state(block).load(Relaxed)) != NO_CLASS {
                // Of a block that is not open the count is larger.
                let claimed = self.count(block).load(Relaxed) & COUNT_MASK;
                free = slices.saturating_sub(claimed);
                let mut word = self.first_slice(block, class) / 32;
                let end = word + self.layout.words(class);
                while word < end {
                    free += self
                        .bits_word(block.segment, word)
                        .load(Relaxed)
                        .count_ones();
                    word += 1;
                }
            }
            let bytes = self.slice_bytes(class);
            Occupancy {
                used_bytes: u64::from(slices - free) * bytes,
                free_bytes: u64::from(free) * bytes,
                largest_free_bytes: if free > 0 { bytes } else { 0 },
            }
        }
    }

    /// What a segment is as a whole: the first of a run of free ones, or of a live one.
    ///
    /// # Safety
    ///
    /// `segment` is one of the heap.
    unsafe fn occupancy_of_run(&self, segment: u32) -> Occupancy {
        let shift = self.layout.segment_shift();
        // SAFETY: the caller's promise.
        // Relaxed, all: the heap is at rest.
        unsafe {
            if segment_class(self.segment(segment).load(Relaxed)) == RUN {
                return Occupancy {
                    used_bytes: u64::from(self.run_length(segment).load(Relaxed)) << shift,
                    ..Occupancy::default()
                };
            }
            let tree = self.free_tree();
            let is_free =
                |segment: u32| tree.word(0, segment / 64).load(Relaxed) >> (segment % 64) & 1 == 1;
            if !is_free(segment) {
                return Occupancy::default();
            }
            let mut end = segment + 1;
            if segment == 0 || !is_free(segment - 1) {
                while end < self.layout.segments && is_free(end) {
                    end += 1;
                }
            }
            Occupancy {
                used_bytes: 0,
                free_bytes: 1 << shift,
                largest_free_bytes: u64::from(end - segment) << shift,
            }
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
        // SAFETY: the segments, buffers, gates and trees of the heap.
        // Relaxed, all: the heap is used by later launches only.
        unsafe {
            let mut id = warp.thread();
            while id < layout.segments << layout.record_block_bits() {
                let block = self.block(id);
                self.state(block).store(AT_REST, Relaxed);
                self.count(block).store(CLOSED, Relaxed);
                if block.number == 0 {
                    self.segment(block.segment).store(NO_SEGMENT, Relaxed);
                    self.hinted(block.segment).store(0, Relaxed);
                }
                id += warp.threads();
            }
            let mut index = warp.thread();
            while index < layout.all_buffers() {
                self.buffer(index).store(u64::from(EMPTY), Relaxed);
                index += warp.threads();
            }
            let mut class = warp.thread();
            while class <= layout.classes() {
                self.gate(class).store(0, Relaxed);
                class += warp.threads();
            }
            let [first, second, third] = levels(layout.segments);
            let words = layout.tree_words();
            let free = self.free_tree();
            let mut index = warp.thread();
            while index < words * layout.trees() {
                // The tree of free segments is the first, and has them all.
                let word = free.word(0, index);
                let mut bits = 0;
                if index < first {
                    bits = ones(layout.segments - 64 * index);
                } else if index < first + second {
                    bits = ones(first - 64 * (index - first));
                } else if index < first + second + third {
                    bits = ones(second);
                }
                word.store(bits, Relaxed);
                index += warp.threads();
            }
        }
    }

    /// Lanes that request slices of one class together claim them by one addition.
    #[inline(always)]
    fn malloc<W: Warp>(self, warp: W, bytes: u64) -> u32 {
        let last = bytes.saturating_sub(1) >> self.layout.unit_shift;
        if last < 1 << (self.layout.segment_bits - 1) {
            let class = 32 - (last as u32).leading_zeros();
            // SAFETY: at most half a segment.
            return unsafe { self.slice(warp, class) };
        }
        let segments = last >> self.layout.segment_bits;
        if segments >= u64::from(self.layout.segments) {
            return u32::NULL;
        }
        self.find_run(segments as u32 + 1)
    }

    #[inline(always)]
    unsafe fn free<W: Warp>(self, _warp: W, block: u32) {
        if block.is_null() {
            return;
        }
        let (segment, unit) = self.split(block);
        // SAFETY: the caller's promise: a live block is a run, or a slice of its segment's class,
        // that its owner gives up.
        unsafe {
            // Relaxed: as long as the block lives the segment has its class.
            let class = segment_class(self.segment(segment).load(Relaxed));
            if class == RUN {
                self.free_run(segment);
            } else {
                self.free_slice(segment, class, unit >> class);
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
        let (segment, _) = self.split(block);
        // SAFETY: the caller's promise: a live block is of the heap.
        unsafe {
            // Relaxed: as in `free`.
            let class = segment_class(self.segment(segment).load(Relaxed));
            if class == RUN {
                let length = u64::from(self.run_length(segment).load(Relaxed));
                return length << self.layout.segment_shift();
            }
            self.slice_bytes(class)
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
        while id < self.layout.segments << self.layout.record_block_bits() {
            let block = self.block(id);
            // SAFETY: a block of the heap.
            unsafe {
                add(self.occupancy_of(block));
                if block.number == 0 {
                    add(self.occupancy_of_run(block.segment));
                }
            }
            id += warp.threads();
        }
        sum
    }
}
