//! The bits of a page's chunks, set while a chunk has an owner: in the page's bitmap for up
//! to 32, or else in words at the end of the page, 32 chunks a word.
//!
//! A thread reads or changes these words only while it owns a chunk of the page, or has a
//! permit for one, or has claimed the page. So they are never another block's data by then.
//!
//! Which words of a page were seen full is a hint in the page's bitmap. It may be wrong: then
//! whoever has a permit looks at all of them.

use core::sync::atomic::Ordering::{Relaxed, Release};

use cuda_std::atomic::AtomicU32;

use super::ScatterAlloc;
use crate::allocators::bits::{lowest, take_bit};
use crate::simt::Warp;

/// The bits of group `group` of `capacity` chunks.
#[inline(always)]
fn group_mask(capacity: u32, group: u32) -> u32 {
    lowest(capacity - 32 * group)
}

impl ScatterAlloc {
    /// The word of the bits of group `group` of a page with `capacity` chunks.
    ///
    /// # Safety
    ///
    /// `page` is below `layout.pages`, and `group` a group of the chunks. The caller owns the
    /// page, a chunk of it, or a permit for one.
    #[inline(always)]
    unsafe fn bits(&self, page: u32, capacity: u32, group: u32) -> &AtomicU32 {
        // SAFETY: the caller's promise: the words lie at the end of the page, behind all
        // chunks, and are atomic as long as the page is so divided.
        unsafe {
            if capacity <= 32 {
                return self.bitmap(page);
            }
            let end = (u64::from(page) + 1) << self.layout.page_shift;
            let offset = end - 4 * (u64::from(group) + 1);
            &*self.blocks.add(offset as usize).cast()
        }
    }

    /// Sets the bits of the first `count` chunks of a page, at most 32, and clears the others.
    ///
    /// # Safety
    ///
    /// The caller owns the page, which has `capacity` chunks and `count` of them at least.
    #[inline(always)]
    pub(super) unsafe fn init_bits(&self, page: u32, capacity: u32, count: u32) {
        // SAFETY: the caller's promise.
        unsafe {
            // Relaxed, all: the store of the page's word releases them.
            self.bits(page, capacity, 0).store(lowest(count), Relaxed);
            if capacity <= 32 {
                return;
            }
            let mut group = 1;
            while 32 * group < capacity {
                self.bits(page, capacity, group).store(0, Relaxed);
                group += 1;
            }
            self.bitmap(page).store(count / 32, Relaxed);
        }
    }

    /// Takes a chunk of a page; `spread` selects where the search begins.
    ///
    /// # Safety
    ///
    /// The caller has a permit for a chunk of the page, which has `capacity` chunks.
    #[inline(always)]
    pub(super) unsafe fn take_bit<W: Warp>(
        &self,
        warp: W,
        page: u32,
        capacity: u32,
        spread: u32,
    ) -> u32 {
        let groups = capacity.div_ceil(32);
        let first =
            ((u64::from(spread.wrapping_mul(0x9e37_79b1)) * u64::from(groups)) >> 32) as u32;
        // SAFETY: the caller's promise; `group` is below `groups`.
        unsafe {
            // Relaxed: a hint.
            let mut full = if groups > 1 {
                self.bitmap(page).load(Relaxed)
            } else {
                0
            };
            // There is a clear bit for each permit. A pass that finds none was overtaken by
            // threads that took theirs: they made progress.
            loop {
                let mut group = first;
                for _ in 0..groups {
                    if full >> group & 1 == 0 {
                        let bit = self.take_bit_of(page, capacity, group, warp.lane());
                        if bit < 32 {
                            return 32 * group + bit;
                        }
                    }
                    group += 1;
                    if group == groups {
                        group = 0;
                    }
                }
                full = 0;
                warp.back_off();
            }
        }
    }

    /// Takes a chunk of a group, the first free one from `from` on: its bit, or 32.
    ///
    /// # Safety
    ///
    /// As for [`Self::take_bit`], and `group` is a group of the chunks.
    #[inline(always)]
    unsafe fn take_bit_of(&self, page: u32, capacity: u32, group: u32, from: u32) -> u32 {
        let mask = group_mask(capacity, group);
        // SAFETY: the caller's promise.
        unsafe {
            let Some(taken) = take_bit(self.bits(page, capacity, group), mask, from) else {
                return 32;
            };
            if capacity > 32 && taken.is_last {
                // Relaxed: a hint.
                self.bitmap(page).fetch_or(1 << group, Relaxed);
            }
            taken.bit
        }
    }

    /// Clears the bit of a chunk.
    ///
    /// # Safety
    ///
    /// The caller owns the chunk, one of `capacity`, and gives it up.
    #[inline(always)]
    pub(super) unsafe fn clear_bit(&self, page: u32, capacity: u32, chunk: u32) {
        let (group, bit) = (chunk / 32, chunk % 32);
        // SAFETY: the caller's promise.
        unsafe {
            let word = self.bits(page, capacity, group);
            // Release: our accesses to the chunk come before its next owner's.
            let before = word.fetch_and(!(1 << bit), Release);
            let mask = group_mask(capacity, group);
            if capacity > 32 && before & mask == mask {
                // Relaxed: a hint.
                self.bitmap(page).fetch_and(!(1 << group), Relaxed);
            }
        }
    }
}
