//! FlatterScatter as an [`Allocator`].

use core::sync::atomic::Ordering::Relaxed;

use super::FlatterScatter;
use super::layout::{self, Layout};
use super::pages::{LOCKED, is_unused, level_of, size_of};
use crate::allocator::{Allocator, Handle, Heap, Occupancy, Request, SetupError};
use crate::simt::Warp;

impl FlatterScatter {
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
    /// `page` is at most `layout.pages`.
    unsafe fn run_from(&self, page: u32) -> u32 {
        let mut end = page;
        // SAFETY: pages of the heap.
        while end < self.layout.pages && unsafe { is_unused(self.word(end).load(Relaxed)) } {
            end += 1;
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
            let size = size_of(word);
            if size & LOCKED != 0 {
                return Occupancy {
                    used_bytes: u64::from(self.run_length(word)) << page_shift,
                    ..Occupancy::default()
                };
            }
            if !is_unused(word) {
                let used = level_of(word);
                let free = self.layout.capacity(size) - used;
                let chunk = u64::from(size) << self.layout.unit_shift();
                return Occupancy {
                    used_bytes: u64::from(used) * chunk,
                    free_bytes: u64::from(free) * chunk,
                    largest_free_bytes: if free > 0 { chunk } else { 0 },
                };
            }
            let mut sum = Occupancy {
                free_bytes: 1 << page_shift,
                ..Occupancy::default()
            };
            if page == 0 || !is_unused(self.word(page - 1).load(Relaxed)) {
                sum.largest_free_bytes = u64::from(self.run_from(page)) << page_shift;
            }
            sum
        }
    }
}

impl Allocator for FlatterScatter {
    type Handle = u32;

    const FREES: bool = true;
    const REUSES_ACROSS_SIZES: bool = true;
    const WALKABLE: bool = true;
    // A page is hidden for a moment while a thread divides it, is inside it in vain, or has locked
    // it for a run in vain.
    const EXACT_NULL: bool = false;
    // A refusal looks at every page.
    const BOUNDED_REFUSAL: bool = false;

    fn setup(request: &Request) -> Result<Heap, SetupError> {
        layout::plan(request)
    }

    #[inline(always)]
    unsafe fn new(heap: Heap) -> Self {
        Self {
            blocks: heap.pointers[0],
            table: heap.pointers[1],
            layout: Layout::unpack(&heap.integers),
        }
    }

    fn max_block(heap: &Heap) -> u64 {
        let layout = Layout::unpack(&heap.integers);
        u64::from(layout.pages) << layout.page_shift
    }

    unsafe fn init<W: Warp>(self, warp: W) {
        if warp.thread() == 0 {
            self.reset_start();
        }
        let mut page = warp.thread();
        while page < self.layout.pages {
            // SAFETY: a page of the heap.
            // Relaxed: the heap is used by later launches only.
            unsafe { self.word(page).store(0, Relaxed) };
            page += warp.threads();
        }
    }

    #[inline(always)]
    fn malloc<W: Warp>(self, warp: W, bytes: u64) -> u32 {
        let last = bytes.saturating_sub(1);
        let units = (last >> self.layout.unit_shift()) + 1;
        if units < u64::from(self.layout.page_units() / 2) {
            // SAFETY: of less than half a page's units two chunks fit beside their bits.
            return unsafe { self.find(warp, units as u32) };
        }
        let pages = last >> self.layout.page_shift;
        if pages >= u64::from(self.layout.pages) {
            return u32::NULL;
        }
        // SAFETY: the pool has so many pages.
        unsafe { self.find_run(warp, pages as u32 + 1) }
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
            // Relaxed: as long as the block lives the page keeps its size, or the length of the
            // run. The level is not used.
            let word = self.word(page).load(Relaxed);
            let length = self.run_length(word);
            if length != 0 {
                self.free_run(page, length);
                return;
            }
            self.clear_bit(page, unit.checked_div(size_of(word)).unwrap_or(0));
            self.leave(page);
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
        // Relaxed: as in `free`.
        let word = unsafe { self.word(page).load(Relaxed) };
        let length = self.run_length(word);
        if length != 0 {
            return u64::from(length) << self.layout.page_shift;
        }
        u64::from(size_of(word)) << self.layout.unit_shift()
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
