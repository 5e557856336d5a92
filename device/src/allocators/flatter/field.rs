//! The bits of a page's chunks, set while a chunk has an owner: masks of 32 bits at the end of the
//! page, the first mask last.
//!
//! A thread reads or changes these words only while it may take a chunk of the page, owns one, or
//! has locked the page. So they are never another block's data by then.

use core::sync::atomic::Ordering::{Relaxed, Release};

use cuda_std::atomic::AtomicU32;

use super::FlatterScatter;
use super::layout::MASK_BYTES;
use crate::allocators::bits::{lowest, take_bit};
use crate::simt::Warp;

impl FlatterScatter {
    /// A mask of a page.
    ///
    /// # Safety
    ///
    /// `page` is below `layout.pages`, and `group` a group of its chunks. The caller has locked the
    /// page, or is inside it and may take or owns a chunk.
    #[inline(always)]
    unsafe fn mask(&self, page: u32, group: u32) -> &AtomicU32 {
        let end = (u64::from(page) + 1) << self.layout.page_shift;
        let offset = end - u64::from(MASK_BYTES) * (u64::from(group) + 1);
        // SAFETY: the caller's promise: the words lie behind all chunks, and are atomic as long as
        // the page is so divided.
        unsafe { &*self.blocks.add(offset as usize).cast() }
    }

    /// Initialises the bits of `capacity` chunks. The caller owns the first chunk.
    ///
    /// # Safety
    ///
    /// `page` is below `layout.pages`, and the caller has locked it. So many chunks fit.
    #[inline(always)]
    pub(super) unsafe fn init_field(&self, page: u32, capacity: u32) {
        let mut group = 0;
        while 32 * group < capacity {
            let bits = u32::from(group == 0);
            // SAFETY: the caller's promise.
            // Relaxed: the addition that sets the page's size releases them.
            unsafe { self.mask(page, group).store(bits, Relaxed) };
            group += 1;
        }
    }

    /// Takes a chunk of a page with chunks of `size`; `hash` selects the first mask.
    ///
    /// # Safety
    ///
    /// The caller has entered the page and may take a chunk.
    #[inline(always)]
    pub(super) unsafe fn take_chunk<W: Warp>(
        &self,
        warp: W,
        page: u32,
        size: u32,
        hash: u32,
    ) -> u32 {
        let capacity = self.layout.capacity(size);
        let groups = capacity.div_ceil(32);
        let mut group = (hash >> 16).checked_rem(groups).unwrap_or(0);
        // There is a clear bit for each thread that may take a chunk. A pass that finds none was
        // overtaken by threads that took theirs: they made progress.
        loop {
            for _ in 0..groups {
                let bits = lowest(capacity - 32 * group);
                // SAFETY: the caller's promise; the group is below `groups`.
                let mask = unsafe { self.mask(page, group) };
                if let Some(taken) = take_bit(mask, bits, warp.lane()) {
                    return 32 * group + taken.bit;
                }
                group += 1;
                if group == groups {
                    group = 0;
                }
            }
            warp.back_off();
        }
    }

    /// Clears the bit of a chunk.
    ///
    /// # Safety
    ///
    /// The caller owns the chunk and gives it up.
    #[inline(always)]
    pub(super) unsafe fn clear_bit(&self, page: u32, chunk: u32) {
        // SAFETY: the caller's promise.
        // Release: our accesses to the chunk come before its next owner's.
        unsafe {
            self.mask(page, chunk / 32)
                .fetch_and(!(1 << (chunk % 32)), Release);
        }
    }
}
