//! Where a request for chunks looks: first at some pages from the one on to which it is
//! hashed, then in a super block of each part of the pool, then everywhere.
//!
//! A request is hashed by the size of its chunks, its multiprocessor and its thread, over a
//! part of the pool ([`Layout::part_pages`]). Requests of one size and multiprocessor share a
//! *place*: how far behind the hashed page they begin. When the pages there are full, a search
//! goes on and notes in the place how far it had to go, so that the next requests begin there.
//!
//! In a pool too small for parts ([`Layout::parts`]) requests of one size are not scattered: all
//! search, from regions that their size selects.
//!
//! A search looks at the fill levels and the map of a super block, and reads the words of
//! those regions only that have a page with free chunks. It stays scattered: thousands of
//! requests may find a part full at once, and would all try for the first page of the next.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic;

use super::ScatterAlloc;
use super::layout::{Layout, PLACE_BITS, REGION_PAGES, SUPER_PAGES};
use super::pages::{Fit, Taken};
use crate::allocators::bits::pick;
use crate::allocators::common::bits_of;
use crate::simt::Warp;

/// Pages that a request looks at before it searches.
const PROBES: u32 = 8;
/// Pages of a pool in which requests of one size have all pages to begin at; in smaller ones they
/// have `1 << FEW_STARTS_BITS`, since each holds a page for that size. Of 4147 pages a tree of
/// 66,443 triangles left no two side by side, with a quarter of the pool in use.
const MANY_PAGES: u32 = 1 << 14;
/// The logarithm of the pages where requests of one size begin in a small pool.
const FEW_STARTS_BITS: u32 = 5;
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
    /// The hash.
    pub hash: u32,
}

impl ScatterAlloc {
    /// Whether requests of one size are scattered, and try pages before they search. A small
    /// pool has too few pages for that: soon a chunk would lie in each, and no page be left for
    /// another size or a run. There chunks are taken of divided pages as long as one has any.
    #[inline(always)]
    fn is_scattered(&self) -> bool {
        self.layout.parts() != 0
    }

    /// The page where a request for chunks, `capacity` to a page, begins.
    #[inline(always)]
    pub(super) fn start<W: Warp>(&self, warp: W, capacity: u32) -> Start {
        let size = capacity.wrapping_mul(SIZE_FACTOR);
        // Common to the requests of one place.
        let mut common = size;
        let mut hash = size;
        if self.is_scattered() {
            let processor = warp.processor().wrapping_mul(PROCESSOR_FACTOR);
            // As many threads as a page has chunks, at most, go to the same page.
            let threads = warp.thread() >> (31 - capacity.leading_zeros());
            let thread = processor.wrapping_add(threads.wrapping_mul(THREAD_FACTOR));
            common = size.wrapping_add(processor);
            hash = size.wrapping_add(thread);
            if self.layout.pages < MANY_PAGES {
                let few = (thread >> (32 - FEW_STARTS_BITS)).wrapping_mul(THREAD_FACTOR);
                hash = size.wrapping_add(few);
                common = hash;
            }
        }
        let part = self.layout.part_pages();
        let first = self.layout.pages - part;
        let hashed = first + ((u64::from(hash) * u64::from(part)) >> 32) as u32;
        let place = common.wrapping_mul(THREAD_FACTOR) >> (32 - PLACE_BITS);
        // SAFETY: a place has so many bits.
        // Relaxed: a hint.
        let moved = unsafe { self.place(place).load(Relaxed) };
        Start {
            place,
            hashed,
            page: self.wrapped(u64::from(hashed) + u64::from(moved)),
            hash,
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

    /// The page with this number modulo the pages; it is less than twice their number.
    #[inline(always)]
    fn wrapped(&self, page: u64) -> u32 {
        let pages = u64::from(self.layout.pages);
        (if page < pages { page } else { page - pages }) as u32
    }

    /// Up to `wanted` chunks of some page that has `capacity` of them, or fewer and larger
    /// ones.
    ///
    /// # Safety
    ///
    /// `wanted` is from 1 to 32, and `capacity` a number that `layout.capacity` returned.
    #[inline(always)]
    pub(super) unsafe fn find<W: Warp>(&self, warp: W, capacity: u32, wanted: u32) -> Taken {
        let start = self.start(warp, capacity);
        let fit = Fit {
            least: capacity,
            most: capacity,
        };
        // SAFETY: the caller's promise; `wrapped` returns pages, as there is one at least.
        unsafe {
            let mut page = start.page;
            let probes = if self.is_scattered() { PROBES } else { 0 };
            for _ in 0..probes {
                let taken = self.try_page(warp, page, fit, wanted);
                if taken.count != 0 {
                    return taken;
                }
                page += 1;
                if page == self.layout.pages {
                    page = 0;
                }
            }
            let request = capacity << 8 | wanted;
            let bits = self.layout.to_bits();
            let (page, hash) = (start.page, start.hash);
            let taken = outlined(warp, self.blocks, self.tables, bits, request, page, hash);
            let taken = Taken::from_bits(taken);
            if taken.count != 0 {
                self.note(start, taken.page);
            }
            taken
        }
    }

    /// Searches a super block of each part, from that of `page` on, and then all. Which page it
    /// tries first in each depends on `hash`.
    ///
    /// # Safety
    ///
    /// As for [`Self::find`], of `fit.most` for `capacity`; `page` is below `layout.pages`.
    #[inline(always)]
    unsafe fn search<W: Warp>(
        &self,
        warp: W,
        page: u32,
        fit: Fit,
        wanted: u32,
        hash: u32,
    ) -> Taken {
        let super_blocks = self.layout.super_blocks();
        let (mut near, mut turn) = (page, 0);
        let mut super_block = page / SUPER_PAGES;
        while turn < self.layout.parts() + super_blocks {
            if turn < self.layout.parts() {
                super_block = near / SUPER_PAGES;
                near = self.layout.part_before(near);
            }
            // SAFETY: the super block is one of the heap, and otherwise the caller's promise.
            let taken = unsafe { self.search_super_block(warp, super_block, fit, wanted, hash) };
            if taken.count != 0 {
                return taken;
            }
            turn += 1;
            super_block += 1;
            if super_block >= super_blocks {
                super_block = 0;
            }
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
        hash: u32,
    ) -> Taken {
        let (of_regions, of_pages) = (hash % 16, hash / 16);
        // SAFETY: the caller's promise: regions and pages are of the super block. Pages that
        // are not there have words that do not fit, and no bits in the map.
        unsafe {
            let first = super_block * SUPER_PAGES;
            let mut open = bits_of(atomic::load_row(self.levels(super_block)), |level| {
                level != 0
            });
            while open != 0 {
                let region = pick(open, of_regions);
                open &= !(1 << region);
                let page = first + REGION_PAGES * region;
                let low = bits_of(atomic::load_row(self.words(page)), |word| fit.serves(word));
                let high = atomic::load_row(self.words(page + 16));
                let high = bits_of(high, |word| fit.serves(word));
                let serving = high << 16 | low;
                let taken = self.try_pages(warp, page, serving, fit, wanted, of_pages);
                if taken.count != 0 {
                    return taken;
                }
            }
            let mut unused = bits_of(atomic::load_row(self.map_row(super_block)), |word| {
                word != 0
            });
            while unused != 0 {
                let region = pick(unused, of_regions);
                unused &= !(1 << region);
                let page = first + REGION_PAGES * region;
                // Relaxed: a hint; `try_page` claims the page.
                let bits = self.map(page).load(Relaxed);
                let taken = self.try_pages(warp, page, bits, fit, wanted, of_pages);
                if taken.count != 0 {
                    return taken;
                }
            }
            Taken::NONE
        }
    }

    /// [`Self::try_page`] of the pages of a region that have a bit in `bits`.
    ///
    /// # Safety
    ///
    /// As for that; `first` is the region's first page, and pages with bits are of the heap.
    #[inline(always)]
    unsafe fn try_pages<W: Warp>(
        &self,
        warp: W,
        first: u32,
        mut bits: u32,
        fit: Fit,
        wanted: u32,
        from: u32,
    ) -> Taken {
        while bits != 0 {
            let bit = pick(bits, from);
            bits &= !(1 << bit);
            // SAFETY: the caller's promise.
            let taken = unsafe { self.try_page(warp, first + bit, fit, wanted) };
            if taken.count != 0 {
                return taken;
            }
        }
        Taken::NONE
    }
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
    hash: u32,
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
        let taken = unsafe { heap.search(warp, page, fit, wanted, hash) };
        if taken.count != 0 || least == 1 {
            return taken.to_bits();
        }
        least = 1;
    }
}
