//! Large blocks in a part of the pool: runs of pages ([`pages`](super::pages)).
//!
//! A block is named by its first page. Each request adds its pages to a word, and searches from
//! there on, and at last from the first page: so requests at the same time do not meet, and find
//! memory that no thread has used lately.

use core::sync::atomic::Ordering::Relaxed;

use super::pages::{NONE, PageMap, table_bytes};
use crate::allocator::{Allocator, Handle, Heap, Occupancy, Request, SetupError};
use crate::simt::Warp;

/// The logarithms of a page's bytes: minimum, and maximum except for pools of more than
/// [`MAX_PAGES`] of those.
const MIN_PAGE_SHIFT: u32 = 6;
const PAGE_SHIFT: u32 = 12;
/// Pages that a pool has at least, if that makes them no smaller than the smallest ones; and at
/// most.
const MIN_PAGES: u64 = 4096;
const MAX_PAGES: u64 = 1 << 20;

/// Runs of pages.
#[derive(Clone, Copy)]
pub struct PageRuns {
    /// The first page.
    base: *mut u8,
    map: PageMap,
    /// The logarithm of a page's bytes.
    page_shift: u32,
}

/// Bytes of so many pages with their tables.
fn bytes_of(pages: u64, page_shift: u32) -> u64 {
    (pages << page_shift) + table_bytes(pages)
}

impl PageRuns {
    /// Bytes of a page of the heap with this integer.
    #[inline(always)]
    pub(super) fn page_bytes(integer: u64) -> u64 {
        1 << (integer >> 32)
    }

    /// Bytes of so many pages.
    #[inline(always)]
    fn bytes(&self, pages: u32) -> u64 {
        u64::from(pages) << self.page_shift
    }

    /// The bits of a word of the map of a heap at rest.
    ///
    /// # Safety
    ///
    /// `at` is below `pages`.
    unsafe fn free_bits(&self, at: u32) -> u32 {
        // SAFETY: a page of the map.
        // Relaxed: the heap is at rest.
        unsafe { self.map.word(at).load(Relaxed) }
    }

    /// The longest run of those that begin in the word from page `at` on.
    ///
    /// # Safety
    ///
    /// `at` is below `pages`, and the first page of a word.
    unsafe fn longest_from(&self, at: u32) -> u32 {
        let mut longest = 0;
        // SAFETY: the word has a page; those before and behind are looked at if they have one.
        unsafe {
            let mut bits = self.free_bits(at);
            if at != 0 && self.free_bits(at - 32) >> 31 == 1 {
                // Of a run that begins before.
                bits &= bits.wrapping_add(1);
            }
            while bits != 0 {
                let start = bits.trailing_zeros();
                let mut length = (bits >> start).trailing_ones();
                let end = start + length;
                bits &= bits.wrapping_add(1 << start);
                let mut next = at + 32;
                let mut goes_on = end == 32;
                while goes_on && next < self.map.pages {
                    let more = self.free_bits(next).trailing_ones();
                    length += more;
                    goes_on = more == 32;
                    next += 32;
                }
                if length > longest {
                    longest = length;
                }
            }
        }
        longest
    }
}

impl Allocator for PageRuns {
    type Handle = u32;

    const FREES: bool = true;
    const REUSES_ACROSS_SIZES: bool = true;
    const WALKABLE: bool = true;
    // Pages that others claim in vain are hidden for a moment.
    const EXACT_NULL: bool = false;
    // A refusal looks at all of the map.
    const BOUNDED_REFUSAL: bool = false;

    fn setup(request: &Request) -> Result<Heap, SetupError> {
        let bytes = request.pool_bytes;
        let suits = (bytes / MIN_PAGES).checked_ilog2().unwrap_or(0);
        let mut page_shift = suits.clamp(MIN_PAGE_SHIFT, PAGE_SHIFT);
        while bytes >> page_shift > MAX_PAGES {
            page_shift += 1;
        }
        let mut pages = bytes / ((1 << page_shift) + 4);
        // The map has 64 bytes for 512 pages: the first number is at most some dozens too high.
        while pages > 0 && bytes_of(pages, page_shift) > bytes {
            pages -= 1;
        }
        if pages == 0 {
            let needed = bytes_of(1, MIN_PAGE_SHIFT);
            return Err(SetupError::PoolTooSmall { needed });
        }
        let null = core::ptr::null_mut();
        Ok(Heap {
            pointers: [request.base, null, null, null],
            integers: [u64::from(page_shift) << 32 | pages, 0, 0, 0, 0, 0, 0],
        })
    }

    #[inline(always)]
    unsafe fn new(heap: Heap) -> Self {
        let (pages, page_shift) = (heap.integers[0] as u32, (heap.integers[0] >> 32) as u32);
        let bytes = u64::from(pages) << page_shift;
        Self {
            base: heap.pointers[0],
            map: PageMap {
                tables: heap.pointers[0].wrapping_add(bytes as usize),
                pages,
            },
            page_shift,
        }
    }

    fn max_block(heap: &Heap) -> u64 {
        (heap.integers[0] & u64::from(u32::MAX)) << (heap.integers[0] >> 32)
    }

    unsafe fn init<W: Warp>(self, warp: W) {
        // SAFETY: nothing else uses the heap during the launch.
        unsafe { self.map.reset(warp) };
    }

    #[inline(always)]
    fn malloc<W: Warp>(self, warp: W, bytes: u64) -> u32 {
        let last = bytes.saturating_sub(1) >> self.page_shift;
        if last >= u64::from(self.map.pages) {
            return u32::NULL;
        }
        let first = self.map.find_run(warp, last as u32 + 1);
        if first == NONE { u32::NULL } else { first }
    }

    #[inline(always)]
    unsafe fn free<W: Warp>(self, _warp: W, block: u32) {
        if !block.is_null() {
            // SAFETY: a live block is a run that its owner gives up.
            // Relaxed: only its owner writes or reads its length.
            unsafe {
                let length = self.map.length(block).load(Relaxed);
                self.map.give_run(block, block + length);
            }
        }
    }

    #[inline(always)]
    fn address(self, block: u32) -> *mut u8 {
        self.base.wrapping_add(self.bytes(block) as usize)
    }

    fn contains(self, block: u32) -> bool {
        block < self.map.pages
    }

    unsafe fn granted(self, block: u32, _requested: u64) -> u64 {
        // SAFETY: a live block begins with a page.
        // Relaxed: as in `free`.
        self.bytes(unsafe { self.map.length(block).load(Relaxed) })
    }

    fn walk<W: Warp>(self, warp: W) -> Occupancy {
        let mut sum = Occupancy::default();
        let mut word = warp.thread();
        while word < self.map.pages.div_ceil(32) {
            let at = 32 * word;
            let left = self.map.pages - at;
            let here = if left < 32 { left } else { 32 };
            // SAFETY: the first page of a word with a page.
            let (free, longest) = unsafe { (self.free_bits(at), self.longest_from(at)) };
            let free = free.count_ones();
            sum.free_bytes += self.bytes(free);
            sum.used_bytes += self.bytes(here - free);
            let longest = self.bytes(longest);
            if longest > sum.largest_free_bytes {
                sum.largest_free_bytes = longest;
            }
            word += warp.threads();
        }
        sum
    }
}
