//! ScatterAlloc as an [`Allocator`].

use core::sync::atomic::Ordering::Relaxed;

use super::ScatterAlloc;
use super::layout::{self, LONG_PLACE, Layout, REGION_PAGES, SUPER_PAGES};
use super::pages::{RUN, Taken, UNUSED, capacity_of, free_of};
use super::runs::NONE;
use crate::allocator::{Allocator, Handle, Heap, Occupancy, Request, SetupError};
use crate::simt::{Warp, leader, rank};

impl ScatterAlloc {
    /// Chunks for the lanes that call this together, with the same or other numbers of chunks
    /// a page.
    ///
    /// # Safety
    ///
    /// `capacity` is a number that `layout.capacity` returned, from 2 on.
    #[inline(always)]
    unsafe fn chunk<W: Warp>(&self, warp: W, capacity: u32) -> u32 {
        let lane = warp.lane();
        let mask = warp.converge();
        // Lanes that a page suffices for are a group, which takes its chunks together.
        let same = warp.match_any(mask, capacity);
        let part = rank(same, lane).checked_div(capacity).unwrap_or(0);
        let group = warp.match_any(mask, capacity << 5 | part);
        let mut rest = group;
        let mut block = u32::NULL;
        loop {
            let first = if rest == 0 { lane } else { leader(rest) };
            let mut taken = Taken::NONE.to_bits();
            if rest != 0 && lane == first {
                // SAFETY: the caller's promise; `rest` has lanes.
                taken = unsafe { self.find(warp, capacity, rest.count_ones()).to_bits() };
            }
            // All lanes take part until the last is done, whatever their groups: see
            // `Warp::converge`.
            let taken = Taken::from_bits(warp.shuffle64(mask, taken, first));
            // The leader acquired the page, and with it the bits, for all of its lanes.
            warp.sync(mask);
            let place = rank(rest, lane);
            let served = (place < taken.count) & (rest >> lane & 1 == 1);
            if served {
                let mut chunk = place;
                if !taken.is_fresh {
                    // SAFETY: the leader got a permit for each of these lanes.
                    chunk = unsafe { self.take_bit(warp, taken.page, taken.capacity, first) };
                }
                let units = chunk * self.layout.stride(taken.capacity);
                block = (taken.page << self.layout.unit_bits()) + units;
            }
            let done = warp.ballot(mask, served) & group;
            rest = if done == 0 { 0 } else { rest & !done };
            if warp.ballot(mask, rest != 0) & mask == 0 {
                return block;
            }
        }
    }

    /// The page of a block, and the unit within it where the block begins.
    #[inline(always)]
    fn split(&self, block: u32) -> (u32, u32) {
        let bits = self.layout.unit_bits();
        (block >> bits, block & ((1 << bits) - 1))
    }

    /// Unused pages in a row from `page` on.
    ///
    /// # Safety
    ///
    /// `page` is below `layout.pages`.
    unsafe fn run_from(&self, page: u32) -> u32 {
        let mut end = page;
        while end < self.layout.pages {
            // SAFETY: a page of the heap.
            let word = unsafe { self.map(end).load(Relaxed) };
            let left = REGION_PAGES - end % REGION_PAGES;
            let ones = (word >> (end % REGION_PAGES)).trailing_ones();
            end += ones;
            if ones < left {
                break;
            }
        }
        end - page
    }

    /// The used and the free bytes of a page.
    ///
    /// # Safety
    ///
    /// `page` is below `layout.pages`.
    unsafe fn occupancy_of(&self, page: u32) -> Occupancy {
        let page_shift = self.layout.page_shift;
        // SAFETY: the caller's promise.
        unsafe {
            let word = self.word(page).load(Relaxed);
            if word == RUN {
                return Occupancy {
                    used_bytes: u64::from(self.bitmap(page).load(Relaxed)) << page_shift,
                    ..Occupancy::default()
                };
            }
            if word != UNUSED {
                let (capacity, free) = (capacity_of(word), free_of(word));
                let chunk = u64::from(self.layout.stride(capacity)) << self.layout.unit_shift();
                return Occupancy {
                    used_bytes: u64::from(capacity - free) * chunk,
                    free_bytes: u64::from(free) * chunk,
                    largest_free_bytes: if free > 0 { chunk } else { 0 },
                };
            }
            let is_unused =
                |page: u32| self.map(page).load(Relaxed) >> (page % REGION_PAGES) & 1 == 1;
            if !is_unused(page) {
                // Inside a run.
                return Occupancy::default();
            }
            let mut sum = Occupancy {
                free_bytes: 1 << page_shift,
                ..Occupancy::default()
            };
            if page == 0 || !is_unused(page - 1) {
                sum.largest_free_bytes = u64::from(self.run_from(page)) << page_shift;
            }
            sum
        }
    }
}

impl Allocator for ScatterAlloc {
    type Handle = u32;

    const FREES: bool = true;
    const REUSES_ACROSS_SIZES: bool = true;
    const WALKABLE: bool = true;
    // A page that is being divided or given back, and pages that were claimed for a run in
    // vain, are hidden for a moment.
    const EXACT_NULL: bool = false;
    // A refusal looks at every super block.
    const BOUNDED_REFUSAL: bool = false;

    fn setup(request: &Request) -> Result<Heap, SetupError> {
        layout::plan(request)
    }

    #[inline(always)]
    unsafe fn new(heap: Heap) -> Self {
        Self {
            blocks: heap.pointers[0],
            tables: heap.pointers[1],
            layout: Layout::unpack(&heap.integers),
        }
    }

    fn max_block(heap: &Heap) -> u64 {
        let layout = Layout::unpack(&heap.integers);
        u64::from(layout.pages) << layout.page_shift
    }

    unsafe fn init<W: Warp>(self, warp: W) {
        // SAFETY: the pages of super blocks, and places.
        // Relaxed, all: the heap is used by later launches only.
        unsafe {
            let mut page = warp.thread();
            while page < self.layout.super_blocks() * SUPER_PAGES {
                self.word(page).store(UNUSED, Relaxed);
                if page.is_multiple_of(REGION_PAGES) {
                    let left = self.layout.pages.saturating_sub(page);
                    let bits = if left < REGION_PAGES {
                        (1 << left) - 1
                    } else {
                        u32::MAX
                    };
                    self.map(page).store(bits, Relaxed);
                    self.level(page).store(0, Relaxed);
                }
                page += warp.threads();
            }
            let mut place = warp.thread();
            while place <= LONG_PLACE {
                self.place(place).store(0, Relaxed);
                place += warp.threads();
            }
        }
    }

    /// Lanes that request chunks of one size together get them from the same pages.
    #[inline(always)]
    fn malloc<W: Warp>(self, warp: W, bytes: u64) -> u32 {
        let last = bytes.saturating_sub(1);
        let units = last >> self.layout.unit_shift();
        if units < u64::from(self.layout.page_units() / 2) {
            let capacity = self.layout.capacity(units as u32 + 1);
            // SAFETY: of so many units a page has two chunks at least.
            return unsafe { self.chunk(warp, capacity) };
        }
        let pages = last >> self.layout.page_shift;
        if pages >= u64::from(self.layout.pages) {
            return u32::NULL;
        }
        let page = self.find_run(warp, pages as u32 + 1);
        if page == NONE {
            return u32::NULL;
        }
        page << self.layout.unit_bits()
    }

    #[inline(always)]
    unsafe fn free<W: Warp>(self, _warp: W, block: u32) {
        if block.is_null() {
            return;
        }
        let (page, unit) = self.split(block);
        // SAFETY: the caller's promise: a live block is a run, or a chunk of its page, that
        // its owner gives up.
        unsafe {
            // Relaxed: as long as the block lives the page is divided as it was, or the first
            // of the run; the count is a hint.
            let word = self.word(page).load(Relaxed);
            if word == RUN {
                self.free_run(page);
                return;
            }
            let stride = self.layout.stride(capacity_of(word));
            self.free_chunk(page, word, unit.checked_div(stride).unwrap_or(0));
        }
    }

    #[inline(always)]
    fn address(self, block: u32) -> *mut u8 {
        self.blocks
            .wrapping_add((block as usize) << self.layout.unit_shift())
    }

    fn contains(self, block: u32) -> bool {
        block >> self.layout.unit_bits() < self.layout.pages
    }

    unsafe fn granted(self, block: u32, _requested: u64) -> u64 {
        let (page, _) = self.split(block);
        // SAFETY: the caller's promise: a live block is of the heap.
        unsafe {
            // Relaxed: as in `free`.
            let word = self.word(page).load(Relaxed);
            if word == RUN {
                return u64::from(self.bitmap(page).load(Relaxed)) << self.layout.page_shift;
            }
            u64::from(self.layout.stride(capacity_of(word))) << self.layout.unit_shift()
        }
    }

    fn walk<W: Warp>(self, warp: W) -> Occupancy {
        let mut sum = Occupancy::default();
        let mut page = warp.thread();
        while page < self.layout.pages {
            // SAFETY: a page of the heap.
            let found = unsafe { self.occupancy_of(page) };
            sum.used_bytes += found.used_bytes;
            sum.free_bytes += found.free_bytes;
            if found.largest_free_bytes > sum.largest_free_bytes {
                sum.largest_free_bytes = found.largest_free_bytes;
            }
            page += warp.threads();
        }
        sum
    }
}
