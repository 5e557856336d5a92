//! Where a request for chunks looks: first at some pages from the place on to which it is
//! hashed, then at all.
//!
//! A request is hashed by the size of its chunks, its multiprocessor and its thread, over a
//! part of the pool ([`Layout::scattered_from`](super::layout::Layout)). Requests of one size
//! and multiprocessor share a *place*: how far behind the hashed page they begin. When the
//! pages there are full, a search goes on over the super blocks and notes in the place how
//! far it had to go, so that the next requests begin there.
//!
//! A search looks at the fill levels and the map of a super block, and reads the words of
//! those regions only that have a page with free chunks.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic;

use super::ScatterAlloc;
use super::layout::{Layout, PLACE_BITS, REGION_PAGES, SUPER_PAGES};
use super::pages::{Fit, Taken};
use crate::simt::Warp;

/// Pages that a request looks at before it searches.
const PROBES: u32 = 8;
/// Odd numbers that make a hash of a size, a multiprocessor and a thread.
const SIZE_FACTOR: u32 = 0x85eb_ca77;
const PROCESSOR_FACTOR: u32 = 0xc2b2_ae3d;
const THREAD_FACTOR: u32 = 0x9e37_79b1;

/// Where a request begins.
#[derive(Clone, Copy)]
pub struct Start {
    /// The place whose word moves it.
    place: u32,
    /// The page to which it is hashed.
    hashed: u32,
    /// The page where it begins.
    pub page: u32,
}

impl ScatterAlloc {
    /// Where a request for chunks of which a page has `capacity` begins.
    #[inline(always)]
    pub(super) fn start<W: Warp>(&self, warp: W, capacity: u32) -> Start {
        let size = capacity.wrapping_mul(SIZE_FACTOR);
        let processor = warp.processor().wrapping_mul(PROCESSOR_FACTOR);
        // As many threads as a page has chunks, at most, go to the same page.
        let threads = warp.thread() >> (31 - capacity.leading_zeros());
        let both = size.wrapping_add(processor);
        let hash = both.wrapping_add(threads.wrapping_mul(THREAD_FACTOR));
        let from = self.layout.scattered_from();
        let part = self.layout.pages - from;
        let hashed = from + ((u64::from(hash) * u64::from(part)) >> 32) as u32;
        let place = both.wrapping_mul(THREAD_FACTOR) >> (32 - PLACE_BITS);
        // SAFETY: a place has so many bits.
        // Relaxed: a hint.
        let moved = unsafe { self.place(place).load(Relaxed) };
        Start {
            place,
            hashed,
            page: self.wrapped(u64::from(hashed) + u64::from(moved)),
        }
    }

    /// Notes that a request that began at `start` was served at `page`.
    #[inline(always)]
    pub(super) fn note(&self, start: Start, page: u32) {
        let behind = u64::from(page) + u64::from(self.layout.pages) - u64::from(start.hashed);
        // SAFETY: `start` has a place.
        // Relaxed: a hint, below the number of pages.
        unsafe { self.place(start.place).store(self.wrapped(behind), Relaxed) };
    }

    /// The page with this number, modulo the pages, of which it is less than twice as many.
    #[inline(always)]
    fn wrapped(&self, page: u64) -> u32 {
        let pages = u64::from(self.layout.pages);
        (if page < pages { page } else { page - pages }) as u32
    }

    /// Up to `wanted` chunks of some page that has `capacity` of them, or fewer and larger
    /// ones. The request is one of several of a warp's lanes, by `part`.
    ///
    /// # Safety
    ///
    /// `wanted` is from 1 to 32, `capacity` a number that `layout.capacity` returned, and
    /// `part` below 32.
    #[inline(always)]
    pub(super) unsafe fn find<W: Warp>(
        &self,
        warp: W,
        capacity: u32,
        wanted: u32,
        part: u32,
    ) -> Taken {
        let start = self.start(warp, capacity);
        let fit = Fit {
            least: capacity,
            most: capacity,
        };
        // SAFETY: the caller's promise; `wrapped` returns pages, as there is one at least.
        unsafe {
            let mut page = start.page + part;
            for _ in 0..PROBES {
                if page >= self.layout.pages {
                    page = 0;
                }
                let taken = self.try_page(warp, page, fit, wanted);
                if taken.count != 0 {
                    return taken;
                }
                page += 1;
            }
            let request = capacity << 8 | wanted;
            let bits = self.layout.to_bits();
            let taken = outlined(warp, self.blocks, self.tables, bits, request, page);
            let taken = Taken::from_bits(taken);
            if taken.count != 0 {
                self.note(start, taken.page);
            }
            taken
        }
    }

    /// Searches all super blocks from that of `page` on.
    ///
    /// # Safety
    ///
    /// As for [`Self::find`], of `fit.most` for `capacity`.
    #[inline(always)]
    unsafe fn search<W: Warp>(&self, warp: W, page: u32, fit: Fit, wanted: u32) -> Taken {
        let super_blocks = self.layout.super_blocks();
        let mut super_block = page / SUPER_PAGES;
        for _ in 0..super_blocks {
            // The last page may be that of the last super block.
            if super_block >= super_blocks {
                super_block = 0;
            }
            // SAFETY: the super block is one of the heap, and otherwise the caller's promise.
            let taken = unsafe { self.search_super_block(warp, super_block, fit, wanted) };
            if taken.count != 0 {
                return taken;
            }
            super_block += 1;
        }
        Taken::NONE
    }

    /// Searches a super block: pages with free chunks first.
    ///
    /// # Safety
    ///
    /// As for [`Self::search`]; `super_block` is below `layout.super_blocks()`.
    #[inline(always)]
    unsafe fn search_super_block<W: Warp>(
        &self,
        warp: W,
        super_block: u32,
        fit: Fit,
        wanted: u32,
    ) -> Taken {
        // SAFETY: the caller's promise: regions and pages are of the super block. Pages that
        // are not there have words that do not fit, and no bits in the map.
        unsafe {
            let first = super_block * SUPER_PAGES;
            let mut open = bits_of(atomic::load_row(self.levels(super_block)), |level| {
                level != 0
            });
            while open != 0 {
                let page = first + REGION_PAGES * open.trailing_zeros();
                open &= open - 1;
                let low = bits_of(atomic::load_row(self.words(page)), |word| fit.serves(word));
                let high = bits_of(atomic::load_row(self.words(page + 16)), |word| {
                    fit.serves(word)
                });
                let mut serving = high << 16 | low;
                while serving != 0 {
                    let page = page + serving.trailing_zeros();
                    serving &= serving - 1;
                    let taken = self.try_page(warp, page, fit, wanted);
                    if taken.count != 0 {
                        return taken;
                    }
                }
            }
            let mut unused = bits_of(atomic::load_row(self.map_row(super_block)), |word| {
                word != 0
            });
            while unused != 0 {
                let page = first + REGION_PAGES * unused.trailing_zeros();
                unused &= unused - 1;
                // Relaxed: a hint; `try_page` claims the page.
                let mut bits = self.map(page).load(Relaxed);
                while bits != 0 {
                    let page = page + bits.trailing_zeros();
                    bits &= bits - 1;
                    let taken = self.try_page(warp, page, fit, wanted);
                    if taken.count != 0 {
                        return taken;
                    }
                }
            }
            Taken::NONE
        }
    }
}

/// A bit for each word of a row for which `is_set` holds.
#[inline(always)]
fn bits_of(row: [[u32; 4]; 4], is_set: impl Fn(u32) -> bool) -> u32 {
    let [a, b, c, d] = row;
    let four = |words: [u32; 4]| {
        u32::from(is_set(words[0]))
            | u32::from(is_set(words[1])) << 1
            | u32::from(is_set(words[2])) << 2
            | u32::from(is_set(words[3])) << 3
    };
    four(a) | four(b) << 4 | four(c) << 8 | four(d) << 12
}

/// The search of [`ScatterAlloc::find`], out of line: it is rare, and would be most of every
/// kernel. `request` is the capacity and, in the low byte, the chunks that are wanted. First
/// among chunks of up to twice the size, then among all that are large enough.
///
/// # Safety
///
/// The pointers and the bits of the layout are those of a heap; otherwise as for `find`.
#[inline(never)]
unsafe fn outlined<W: Warp>(
    warp: W,
    blocks: *mut u8,
    tables: *mut u8,
    layout: u64,
    request: u32,
    page: u32,
) -> u64 {
    let heap = ScatterAlloc {
        blocks,
        tables,
        layout: Layout::from_bits(layout),
    };
    let (capacity, wanted) = (request >> 8, request & 0xff);
    let mut least = capacity.div_ceil(2);
    loop {
        let fit = Fit {
            least,
            most: capacity,
        };
        // SAFETY: the caller's promise.
        let taken = unsafe { heap.search(warp, page, fit, wanted) };
        if taken.count != 0 || least == 1 {
            return taken.to_bits();
        }
        least = 1;
    }
}
