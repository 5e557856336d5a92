//! Where a request for a chunk looks: at the pages of an access block, from a hashed one on, and
//! then at those of the other access blocks.
//!
//! The hash is mallocMC's, of size, multiprocessor and warp. Requests begin in one of
//! [`BLOCK_STRIDE`] access blocks. When a request finds nothing where it began, those that follow
//! begin so many access blocks further on.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU32;

use super::FlatterScatter;
use super::pages::{Fit, Try};
use crate::allocator::Handle;
use crate::simt::Warp;

/// Access blocks over which requests are scattered.
const BLOCK_STRIDE: u32 = 4;
/// Factors of the hash: of bytes and multiprocessors.
const SIZE_FACTOR: u32 = 38_183;
const PROCESSOR_FACTOR: u32 = 17_497;
/// Lanes that are taken to request the same.
const WARP_LANES: u64 = 32;
/// Passes over all pages of a request that another thread overtakes in each.
const PASSES: u32 = 4;

/// Where a request begins.
#[derive(Clone, Copy)]
pub struct ProbeStart {
    /// The hash.
    pub hash: u32,
    /// The access block.
    pub access_block: u32,
    /// The word of [`FlatterScatter::moved`] when it was chosen.
    moved: u32,
}

impl FlatterScatter {
    /// How often requests have moved on to other access blocks.
    #[inline(always)]
    fn moved(&self) -> &AtomicU32 {
        // SAFETY: `plan` placed an aligned word at the start of the table.
        unsafe { &*self.table.cast() }
    }

    /// Makes requests begin in the first access blocks.
    #[inline(always)]
    pub(super) fn reset_start(&self) {
        self.moved().store(0, Relaxed);
    }

    /// Where a request for so many units begins.
    #[inline(always)]
    pub(super) fn start<W: Warp>(&self, warp: W, units: u32) -> ProbeStart {
        let bytes = u64::from(units) << self.layout.unit_shift();
        // Warps whose lanes fill pages begin at other pages.
        let distance = 1 + ((WARP_LANES * bytes) >> self.layout.page_shift) as u32;
        let hash = (bytes as u32)
            .wrapping_mul(SIZE_FACTOR)
            .wrapping_add(warp.processor().wrapping_mul(PROCESSOR_FACTOR))
            .wrapping_add(warp.warp().wrapping_mul(distance));
        // Relaxed: a hint.
        let moved = self.moved().load(Relaxed);
        let position = (hash % BLOCK_STRIDE).wrapping_add(moved.wrapping_mul(BLOCK_STRIDE));
        let blocks = self.layout.access_blocks();
        ProbeStart {
            hash,
            access_block: position.checked_rem(blocks).unwrap_or(0),
            moved,
        }
    }

    /// The page where a request begins.
    #[inline(always)]
    pub(super) fn start_page(&self, start: ProbeStart, access_block: u32) -> u32 {
        let pages = self.layout.pages_of(access_block);
        let page = (start.hash >> 8).checked_rem(pages).unwrap_or(0);
        (access_block << self.layout.block_bits) + page
    }

    /// A chunk of at least so many units: the unit with which it begins, or null.
    ///
    /// # Safety
    ///
    /// Two chunks of so many units fit into a page, and `units` is not 0.
    #[inline(always)]
    pub(super) unsafe fn find<W: Warp>(&self, warp: W, units: u32) -> u32 {
        let fit = Fit {
            least: units,
            most: units * self.layout.waste,
        };
        let start = self.start(warp, units);
        let mut passes = 0;
        loop {
            let mut was_overtaken = false;
            // SAFETY: the caller's promise.
            let block = unsafe { self.pass(warp, start, fit, &mut was_overtaken) };
            passes += 1;
            if !block.is_null() || !was_overtaken || passes == PASSES {
                return block;
            }
            warp.back_off();
        }
    }

    /// A pass of [`Self::find`] over all pages. `was_overtaken` becomes true if the request lost a
    /// page to another thread, or found one that another held in vain.
    ///
    /// # Safety
    ///
    /// As for [`Self::find`], of `fit.least`.
    #[inline(always)]
    unsafe fn pass<W: Warp>(
        &self,
        warp: W,
        start: ProbeStart,
        fit: Fit,
        was_overtaken: &mut bool,
    ) -> u32 {
        let blocks = self.layout.access_blocks();
        let mut access_block = start.access_block;
        for turn in 0..blocks {
            let first = access_block << self.layout.block_bits;
            let end = first + self.layout.pages_of(access_block);
            let begin = self.start_page(start, access_block);
            let mut page = begin;
            loop {
                page += 1;
                if page == end {
                    page = first;
                }
                // SAFETY: a page of the access block. The chunk of a page that was entered is
                // taken.
                unsafe {
                    let chunk = match self.try_page(page, fit) {
                        Try::Divided => 0,
                        Try::Entered(size) => size * self.take_chunk(warp, page, size, start.hash),
                        tried => {
                            *was_overtaken |= tried == Try::Lost;
                            if page == begin {
                                break;
                            }
                            continue;
                        }
                    };
                    return (page << self.layout.unit_bits()) + chunk;
                }
            }
            // Relaxed, both: a hint. Of requests that move on at the same time one counts.
            if turn == 0 && self.moved().load(Relaxed) == start.moved {
                self.moved().store(start.moved.wrapping_add(1), Relaxed);
            }
            access_block += 1;
            if access_block == blocks {
                access_block = 0;
            }
        }
        u32::NULL
    }
}
