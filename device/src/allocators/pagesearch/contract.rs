//! Random page search as an [`Allocator`].

use core::marker::PhantomData;

use super::layout::{Layout, Length, MAX_LENGTH, MAX_PAGE_SHIFT, MIN_PAGE_SHIFT, Name, Tier};
use super::map::first_run;
use super::search::Search;
use super::{PageSearch, Tiers};
use crate::allocator::{Allocator, Handle, Heap, Occupancy, Request, SetupError};
use crate::allocators::common::units;
use crate::simt::{Warp, low_bits};

/// The maximum number of bytes of a pool: more than any device has.
const MAX_POOL: u64 = 1 << 40;

/// The logarithm of a page's bytes, if a request has that parameter.
fn page_shift(request: &Request) -> Result<Option<u32>, SetupError> {
    let bad = SetupError::BadParameter {
        expected: "page=BYTES, a power of two from 16 to 4096",
    };
    let mut page_shift = None;
    for (name, text) in request.parameters {
        let value = text.parse::<u64>().unwrap_or(0);
        if *name != "page" || !value.is_power_of_two() {
            return Err(bad);
        }
        match value.ilog2() {
            shift @ MIN_PAGE_SHIFT..=MAX_PAGE_SHIFT => page_shift = Some(shift),
            _ => return Err(bad),
        }
    }
    Ok(page_shift)
}

impl Tiers {
    /// The free pages of a word of a heap at rest, and the longest run of them that a block can
    /// have, in bytes.
    ///
    /// # Safety
    ///
    /// The word has a page.
    unsafe fn free_bytes(&self, tier: Tier, index: u32) -> [u64; 2] {
        // SAFETY: the caller's promise.
        let free = unsafe { self.free_pages(tier, index) };
        let mut longest = 0;
        for number in 1..=MAX_LENGTH {
            // SAFETY: 1 to the maximum.
            let length = unsafe { Length::new(number) };
            if first_run(free, length) != 0 {
                longest = number;
            }
        }
        [free.count_ones(), longest].map(|pages| u64::from(pages) << self.layout.shift(tier))
    }
}

impl<S: Search> Allocator for PageSearch<S> {
    type Handle = u32;

    const FREES: bool = true;
    const REUSES_ACROSS_SIZES: bool = true;
    const WALKABLE: bool = true;
    // Pages that others claim in vain are hidden for a moment, free pages may move while a pass
    // goes by, and a pass ends after many words in which the block did not fit.
    const EXACT_NULL: bool = false;
    // A refusal reads all rows of the summaries.
    const BOUNDED_REFUSAL: bool = false;

    fn setup(request: &Request) -> Result<Heap, SetupError> {
        let page_shift = page_shift(request)?;
        if request.pool_bytes > MAX_POOL {
            return Err(SetupError::PoolTooLarge { limit: MAX_POOL });
        }
        let mut shift = page_shift.unwrap_or(MIN_PAGE_SHIFT);
        let needed = Layout::min_bytes(shift);
        if request.pool_bytes < needed {
            return Err(SetupError::PoolTooSmall { needed });
        }
        let is_numbered = |shift| Layout::is_numbered(request.pool_bytes, shift);
        while page_shift.is_none() && shift < MAX_PAGE_SHIFT && !is_numbered(shift) {
            shift += 1;
        }
        let layout = Layout::plan(request.pool_bytes, shift);
        let mut heap = Heap {
            pointers: [core::ptr::null_mut(); 4],
            integers: [0; 7],
        };
        heap.pointers[0] = request.base;
        heap.pointers[1] = request.base.wrapping_add(layout.blocks() as usize);
        heap.integers[0] = layout.to_bits();
        Ok(heap)
    }

    #[inline(always)]
    unsafe fn new(heap: Heap) -> Self {
        Self {
            tiers: Tiers {
                blocks: heap.pointers[0],
                tables: heap.pointers[1],
                layout: Layout::from_bits(heap.integers[0]),
            },
            search: PhantomData,
        }
    }

    fn max_block(heap: &Heap) -> u64 {
        Layout::from_bits(heap.integers[0]).max_block()
    }

    unsafe fn init<W: Warp>(self, warp: W) {
        // SAFETY: nothing else uses the heap during the launch.
        unsafe { self.tiers.init(warp) }
    }

    #[inline(always)]
    fn malloc<W: Warp>(self, warp: W, bytes: u64) -> u32 {
        let first_pages = units(bytes, self.tiers.layout.page_shift);
        let Some((tier, length)) = self.tiers.layout.place(first_pages) else {
            return u32::NULL;
        };
        let mut page = S::search(&self.tiers, warp, tier, length);
        if page == u32::NULL {
            page = self.tiers.pass(warp, tier, length);
        }
        if page == u32::NULL {
            return page;
        }
        Name { tier, length, page }.handle()
    }

    #[inline(always)]
    unsafe fn free<W: Warp>(self, _: W, block: u32) {
        let name = Name::of(block).filter(|_| !block.is_null());
        let Some(Name { tier, length, page }) = name else {
            return;
        };
        let run = low_bits(length.number()) << (page % 32);
        // SAFETY: a live block, which its owner gives up.
        unsafe { self.tiers.give(tier, page / 32, run) }
    }

    #[inline(always)]
    fn address(self, block: u32) -> *mut u8 {
        let Some(name) = Name::of(block) else {
            return core::ptr::null_mut();
        };
        let offset = self.tiers.layout.offset(name.tier, name.page);
        self.tiers.blocks.wrapping_add(offset as usize)
    }

    fn contains(self, block: u32) -> bool {
        let Some(Name { tier, length, page }) = Name::of(block) else {
            return false;
        };
        let layout = &self.tiers.layout;
        tier.number() < layout.tiers
            && page % 32 + length.number() <= 32
            && page + length.number() <= layout.pages(tier)
    }

    unsafe fn granted(self, block: u32, _: u64) -> u64 {
        Name::of(block).map_or(0, |Name { tier, length, .. }| {
            u64::from(length.number()) << self.tiers.layout.shift(tier)
        })
    }

    fn walk<W: Warp>(self, warp: W) -> Occupancy {
        let mut sum = Occupancy::default();
        for number in 0..self.tiers.layout.tiers {
            // SAFETY: below the tiers.
            let tier = unsafe { Tier::new(number) };
            let pages = self.tiers.layout.pages(tier);
            let mut index = warp.thread();
            while index < pages.div_ceil(32) {
                // SAFETY: a word with a page.
                let [free, longest] = unsafe { self.tiers.free_bytes(tier, index) };
                sum.free_bytes += free;
                // A page is in use unless it is free in one of the tiers.
                if number == 0 {
                    let left = pages - 32 * index;
                    let there = if left < 32 { left } else { 32 };
                    let bytes = u64::from(there) << self.tiers.layout.shift(tier);
                    sum.used_bytes = sum.used_bytes.wrapping_add(bytes);
                }
                sum.used_bytes = sum.used_bytes.wrapping_sub(free);
                if longest > sum.largest_free_bytes {
                    sum.largest_free_bytes = longest;
                }
                index += warp.threads();
            }
        }
        sum
    }
}
