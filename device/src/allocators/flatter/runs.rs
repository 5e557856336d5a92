//! Blocks of half a page or more: pages in a row, which are locked one by one.
//!
//! A request reads words until it has seen as many unused pages in a row, and then locks them. If
//! another thread has used one of them since, it unlocks what it has, and goes on behind that page.

use core::sync::atomic::Ordering::Relaxed;

use super::FlatterScatter;
use super::pages::{LOCKED, is_unused, size_of};
use crate::allocator::Handle;
use crate::simt::Warp;

impl FlatterScatter {
    /// A run of `length` pages: its first unit, or null.
    ///
    /// # Safety
    ///
    /// `length` is from 1 to `layout.pages`.
    #[inline(always)]
    pub(super) unsafe fn find_run<W: Warp>(&self, warp: W, length: u32) -> u32 {
        let start = self.start(warp, length << self.layout.unit_bits());
        // A head start on the requests for chunks, as mallocMC has it.
        let begin = self.start_page(start, start.access_block);
        let begin = begin.saturating_add(length);
        // From there to the end, and then from the front on, with the runs that lie across.
        let mut from = begin;
        let mut turn = 0;
        while turn < 2 {
            // SAFETY: the caller's promise.
            let page = unsafe { self.take_run(warp, from, length) };
            if page != u32::NULL {
                return page << self.layout.unit_bits();
            }
            from = 0;
            turn += 1;
        }
        u32::NULL
    }

    /// The first page of a run of `length` pages from page `from` on, locked, or null.
    ///
    /// # Safety
    ///
    /// As for [`Self::find_run`].
    #[inline(always)]
    unsafe fn take_run<W: Warp>(&self, warp: W, from: u32, length: u32) -> u32 {
        let (mut page, mut run) = (from, 0);
        // SAFETY: pages below `layout.pages`; those of the run were seen below it.
        unsafe {
            while page < self.layout.pages {
                // Relaxed: a hint; locks decide.
                let is_free = is_unused(self.word(page).load(Relaxed));
                page += 1;
                run = if is_free { run + 1 } else { 0 };
                if run < length {
                    continue;
                }
                let first = page - length;
                let locked = self.lock_pages(first, length);
                if locked == length {
                    self.set_length(first, length);
                    return first;
                }
                page = first + locked + 1;
                run = 0;
                warp.back_off();
            }
        }
        u32::NULL
    }

    /// Locks pages from `first` on, all of `length` or none, and returns how many could be.
    ///
    /// # Safety
    ///
    /// `first + length` is at most `layout.pages`.
    #[inline(always)]
    unsafe fn lock_pages(&self, first: u32, length: u32) -> u32 {
        let mut locked = 0;
        // SAFETY: the caller's promise; what is unlocked was locked here.
        unsafe {
            while locked < length && self.lock(first + locked) {
                locked += 1;
            }
            if locked < length {
                for page in first..first + locked {
                    self.unlock(page, 0);
                }
            }
        }
        locked
    }

    /// The pages of the run that begins with a page of this word; 0 if none does.
    #[inline(always)]
    pub(super) fn run_length(&self, word: u64) -> u32 {
        let size = size_of(word);
        if size & LOCKED == 0 {
            return 0;
        }
        size & !LOCKED
    }

    /// Frees a run.
    ///
    /// # Safety
    ///
    /// The caller owns the run of `length` pages from `first` on, and gives it up.
    #[inline(always)]
    pub(super) unsafe fn free_run(&self, first: u32, length: u32) {
        // SAFETY: the caller's promise.
        unsafe {
            self.unlock(first, length);
            for page in first + 1..first + length {
                self.unlock(page, 0);
            }
        }
    }
}
