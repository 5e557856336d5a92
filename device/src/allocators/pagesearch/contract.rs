//! Random page search as an [`Allocator`].

use core::marker::PhantomData;

use super::layout::{
    DEFAULT_PAGE_SHIFT, Layout, Length, MAX_LENGTH, MAX_PAGE_SHIFT, MIN_PAGE_SHIFT, Meaning, Name,
    TIERS, Tier, meaning,
};
use super::map::first_run;
use super::search::Search;
use super::{PageSearch, Tiers};
use crate::allocator::{Allocator, Handle, Heap, Occupancy, Request, SetupError};
use crate::allocators::common::units;
use crate::allocators::halloc::{PageRuns, Relay};
use crate::simt::{Warp, low_bits};

/// The maximum number of bytes of a pool: more than any device has.
const MAX_POOL: u64 = 1 << 40;
/// The granularity of the parts of the pool.
const LINE: u64 = 256;
/// Percent of the pool for the tiers, unless the parameter says otherwise.
const SHARE: u64 = 60;
const PARAMETERS: &str = "page=BYTES, a power of two from 16 to 4096, share=PERCENT of the pool for \
                          pages, 1 to 99";

/// The parameters of a request: the logarithm of a page's bytes, if given, and the percentage of
/// the tiers.
fn parameters(request: &Request) -> Result<(Option<u32>, u64), SetupError> {
    let bad = SetupError::BadParameter {
        expected: PARAMETERS,
    };
    let (mut page_shift, mut share) = (None, SHARE);
    for (name, text) in request.parameters {
        let value = text.parse::<u64>().unwrap_or(0);
        match *name {
            "page" if value.is_power_of_two() => match value.ilog2() {
                shift @ MIN_PAGE_SHIFT..=MAX_PAGE_SHIFT => page_shift = Some(shift),
                _ => return Err(bad),
            },
            "share" if (1..=99).contains(&value) => share = value,
            _ => return Err(bad),
        }
    }
    Ok((page_shift, share))
}

/// The heap of large blocks inside a heap.
#[inline(always)]
fn large_heap(heap: &Heap) -> Heap {
    PageRuns::heap(heap.pointers[2], heap.integers[1])
}

impl Tiers {
    /// The free pages of a word of a heap at rest, and the longest run of those that are free or
    /// can be merged, in bytes.
    ///
    /// # Safety
    ///
    /// The word has a page.
    unsafe fn free_bytes(&self, tier: Tier, index: u32) -> [u64; 2] {
        // SAFETY: the caller's promise.
        let (free, available) =
            unsafe { (self.free_pages(tier, index), self.available(tier, index)) };
        let mut longest = 0;
        for number in 1..=MAX_LENGTH {
            // SAFETY: 1 to the maximum.
            let length = unsafe { Length::new(number) };
            if first_run(available, length) != 0 {
                longest = number;
            }
        }
        [free.count_ones(), longest].map(|pages| u64::from(pages) << self.layout.shift(tier))
    }
}

impl<S: Search> PageSearch<S> {
    /// A block in the tiers, or null.
    #[inline(always)]
    fn small<W: Warp>(&self, warp: W, tier: Tier, length: Length) -> u32 {
        let mut page = S::search(&self.tiers, warp, tier, length);
        if page == u32::NULL {
            page = self.tiers.pass(warp, tier, length);
        }
        if page == u32::NULL {
            return page;
        }
        Name { tier, length, page }.handle()
    }
}

impl<S: Search> Allocator for PageSearch<S> {
    type Handle = u32;

    const FREES: bool = true;
    const REUSES_ACROSS_SIZES: bool = true;
    const WALKABLE: bool = true;
    // Pages that others claim in vain are hidden for a moment, and free pages may move while a pass
    // goes by.
    const EXACT_NULL: bool = false;
    // A refusal looks at all words with free pages, in which a run may not fit.
    const BOUNDED_REFUSAL: bool = false;

    fn setup(request: &Request) -> Result<Heap, SetupError> {
        let (page_shift, share) = parameters(request)?;
        if request.pool_bytes > MAX_POOL {
            return Err(SetupError::PoolTooLarge { limit: MAX_POOL });
        }
        let large = |offset: u64, pool_bytes: u64| Request {
            base: request.base.wrapping_add(offset as usize),
            pool_bytes,
            parameters: &[],
            ..*request
        };
        let least_large = match PageRuns::setup(&large(0, 0)) {
            Err(SetupError::PoolTooSmall { needed }) => needed,
            _ => 0,
        };
        let shift = page_shift.unwrap_or(DEFAULT_PAGE_SHIFT);
        let least = Layout::min_bytes(shift).next_multiple_of(LINE);
        let needed = least + least_large;
        if request.pool_bytes < needed {
            return Err(SetupError::PoolTooSmall { needed });
        }
        let shared = (request.pool_bytes / 100 * share).next_multiple_of(LINE);
        let bytes = shared.clamp(least, request.pool_bytes - least_large) & !(LINE - 1);
        let mut shift = shift;
        while page_shift.is_none() && shift < MAX_PAGE_SHIFT && !Layout::is_numbered(bytes, shift) {
            shift += 1;
        }
        let layout = Layout::plan(bytes, shift);
        let end = layout.bytes().next_multiple_of(LINE);
        let inner = PageRuns::setup(&large(end, request.pool_bytes - end))?;
        Ok(Heap {
            pointers: [
                request.base,
                request.base.wrapping_add(layout.blocks() as usize),
                request.base.wrapping_add(end as usize),
                core::ptr::null_mut(),
            ],
            integers: [layout.to_bits(), inner.integers[0], 0, 0, 0, 0, 0],
        })
    }

    #[inline(always)]
    unsafe fn new(heap: Heap) -> Self {
        Self {
            tiers: Tiers {
                blocks: heap.pointers[0],
                tables: heap.pointers[1],
                layout: Layout::from_bits(heap.integers[0]),
            },
            large_base: heap.pointers[2],
            large_integer: heap.integers[1],
            search: PhantomData,
        }
    }

    fn max_block(heap: &Heap) -> u64 {
        let tiers = Layout::from_bits(heap.integers[0]).max_block();
        tiers.max(PageRuns::max_block(&large_heap(heap)))
    }

    unsafe fn init<W: Warp>(self, warp: W) {
        // SAFETY: nothing else uses either heap during the launch.
        unsafe {
            self.tiers.init(warp);
            self.large().init(warp);
        }
    }

    #[inline(always)]
    fn malloc<W: Warp>(self, warp: W, bytes: u64) -> u32 {
        let first_pages = units(bytes, self.tiers.layout.page_shift);
        if let Some((tier, length)) = Layout::place(first_pages) {
            let block = self.small(warp, tier, length);
            if !block.is_null() {
                return block;
            }
        }
        // SAFETY: the heap of large blocks, which `new` was given.
        unsafe { PageRuns::relay_malloc(warp, self.large_base, self.large_integer, bytes) }
    }

    #[inline(always)]
    unsafe fn free<W: Warp>(self, warp: W, block: u32) {
        if block.is_null() {
            return;
        }
        // SAFETY: a live block of one of the two heaps, which its owner gives up.
        unsafe {
            match meaning(block) {
                Meaning::Small(Name { tier, length, page }) => {
                    let run = low_bits(length.number()) << (page % 32);
                    self.tiers.give(tier, page / 32, run);
                }
                Meaning::Large(page) => {
                    PageRuns::relay_free(warp, self.large_base, self.large_integer, page);
                }
            }
        }
    }

    #[inline(always)]
    fn address(self, block: u32) -> *mut u8 {
        match meaning(block) {
            Meaning::Small(name) => {
                let offset = self.tiers.layout.offset(name.tier, name.page);
                self.tiers.blocks.wrapping_add(offset as usize)
            }
            Meaning::Large(page) => self.large().address(page),
        }
    }

    fn contains(self, block: u32) -> bool {
        match meaning(block) {
            Meaning::Small(Name { tier, length, page }) => {
                page % 32 + length.number() <= 32
                    && page + length.number() <= self.tiers.layout.pages(tier)
            }
            Meaning::Large(page) => self.large().contains(page),
        }
    }

    unsafe fn granted(self, block: u32, requested: u64) -> u64 {
        match meaning(block) {
            Meaning::Small(name) => {
                u64::from(name.length.number()) << self.tiers.layout.shift(name.tier)
            }
            // SAFETY: a live large block.
            Meaning::Large(page) => unsafe { self.large().granted(page, requested) },
        }
    }

    fn walk<W: Warp>(self, warp: W) -> Occupancy {
        let mut sum = self.large().walk(warp);
        for number in 0..TIERS {
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

impl<S: Search> PageSearch<S> {
    /// The allocator of large blocks.
    fn large(&self) -> PageRuns {
        // SAFETY: the heap that `setup` described has this one in it.
        unsafe { PageRuns::new(PageRuns::heap(self.large_base, self.large_integer)) }
    }
}
