//! The table: a word for each page, `size << 32 | level`.
//!
//! The size is that of the page's chunks in units, 0 if it never had any, or [`LOCKED`] and, in the
//! first page of a run, the number of its pages. The level counts the threads and chunks inside.
//!
//! | operation | order | why |
//! |---|---|---|
//! | exchange for a locked word | acquire | pairs with `leave` and `unlock`: all who used the page are done |
//! | addition that sets the size | release | the page's bits are initialised before a thread enters |
//! | addition that enters | acquire | pairs with that one, and with `leave`: as many bits are clear as it says |
//! | addition that leaves | release | our bit is clear, and our accesses are done, before the level says so |
//! | addition that unlocks | release | our accesses to the page come before its next owner's |
//!
//! Words change by read-modify-writes only, which continue each other's release sequences: a thread
//! that acquires one acquires all before it.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use cuda_std::atomic::AtomicU64;

use super::FlatterScatter;
use super::layout::HEADER_BYTES;

/// The size of a page that one thread owns: a page of a run, or one that is being divided.
pub const LOCKED: u32 = 1 << 31;

/// The size in a word.
#[inline(always)]
pub fn size_of(word: u64) -> u32 {
    (word >> 32) as u32
}

/// The filling level in a word.
#[inline(always)]
pub fn level_of(word: u64) -> u32 {
    word as u32
}

/// Whether a page with this word is unused.
#[inline(always)]
pub fn is_unused(word: u64) -> bool {
    level_of(word) == 0 && size_of(word) & LOCKED == 0
}

/// The size in the upper half of a word.
#[inline(always)]
fn sized(size: u32) -> u64 {
    u64::from(size) << 32
}

/// Sizes of chunks that serve a request.
#[derive(Clone, Copy)]
pub struct Fit {
    /// The size that it wants, and that of pages that are divided for it.
    pub least: u32,
    /// The largest size.
    pub most: u32,
}

impl Fit {
    /// Whether it is served by chunks of this size.
    #[inline(always)]
    fn serves(self, size: u32) -> bool {
        self.least <= size && size <= self.most
    }
}

/// The outcome of a try at a page.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Try {
    /// The page was divided for the request, whose chunk is the first.
    Divided,
    /// The request may take a chunk of this size.
    Entered(u32),
    /// The page has no chunk for it.
    Unsuitable,
    /// Another thread was faster.
    Lost,
}

impl FlatterScatter {
    /// The word of a page.
    ///
    /// # Safety
    ///
    /// `page` is below `layout.pages`.
    #[inline(always)]
    pub(super) unsafe fn word(&self, page: u32) -> &AtomicU64 {
        // SAFETY: `plan` placed an aligned word for each page behind the header of the table.
        unsafe {
            let words = self.table.add(HEADER_BYTES as usize).cast::<AtomicU64>();
            &*words.add(page as usize)
        }
    }

    /// Tries to have a chunk of a page.
    ///
    /// # Safety
    ///
    /// `page` is below `layout.pages`, and two chunks of `fit.least` fit into a page. The caller
    /// takes a chunk if the page was entered.
    #[inline(always)]
    pub(super) unsafe fn try_page(&self, page: u32, fit: Fit) -> Try {
        // SAFETY: the caller's promise; a page that was locked is divided.
        unsafe {
            // Relaxed: a hint; the exchange or the addition decides.
            let seen = self.word(page).load(Relaxed);
            let size = size_of(seen);
            if fit.serves(size) {
                if level_of(seen) >= self.layout.capacity(size) {
                    return Try::Unsuitable;
                }
                return self.enter(page, fit);
            }
            if !is_unused(seen) {
                return Try::Unsuitable;
            }
            if !self.exchange_for_lock(page, seen) {
                return Try::Lost;
            }
            self.init_field(page, self.layout.capacity(fit.least));
            // Release: a thread that enters finds the bits initialised. An addition, as other
            // threads may be inside the page in vain.
            let change = sized(fit.least).wrapping_sub(sized(LOCKED)) + 1;
            self.word(page).fetch_add(change, Release);
            Try::Divided
        }
    }

    /// Enters a page; leaves it again if its size is another by now, or its chunks are taken.
    ///
    /// # Safety
    ///
    /// As for [`Self::try_page`].
    #[inline(always)]
    unsafe fn enter(&self, page: u32, fit: Fit) -> Try {
        // SAFETY: the caller's promise.
        unsafe {
            // Acquire: the page's bits are initialised, and each chunk that its level does not
            // count has a clear one.
            let before = self.word(page).fetch_add(1, Acquire);
            let size = size_of(before);
            if fit.serves(size) && level_of(before) < self.layout.capacity(size) {
                return Try::Entered(size);
            }
            self.leave(page);
            Try::Lost
        }
    }

    /// Leaves a page.
    ///
    /// # Safety
    ///
    /// As for [`Self::word`]; the caller has entered the page and is done with it.
    #[inline(always)]
    pub(super) unsafe fn leave(&self, page: u32) {
        // SAFETY: the caller's promise.
        // Release: the bit of our chunk is clear, and our accesses to the chunk are done.
        unsafe { self.word(page).fetch_add(u64::MAX, Release) };
    }

    /// Locks a page if it is unused.
    ///
    /// # Safety
    ///
    /// As for [`Self::word`].
    #[inline(always)]
    pub(super) unsafe fn lock(&self, page: u32) -> bool {
        // SAFETY: the caller's promise.
        unsafe {
            // Relaxed: a hint; the exchange decides.
            let seen = self.word(page).load(Relaxed);
            is_unused(seen) && self.exchange_for_lock(page, seen)
        }
    }

    /// Exchanges the word `seen` of an unused page for a locked one.
    ///
    /// # Safety
    ///
    /// As for [`Self::word`], and [`is_unused`] holds for `seen`.
    #[inline(always)]
    unsafe fn exchange_for_lock(&self, page: u32, seen: u64) -> bool {
        // SAFETY: the caller's promise.
        // Acquire: accesses of the page's former owners come before ours.
        unsafe {
            self.word(page)
                .compare_exchange(seen, sized(LOCKED), Acquire)
                == seen
        }
    }

    /// Records in the first page of a run how many pages it has.
    ///
    /// # Safety
    ///
    /// As for [`Self::word`]; the caller has locked the page.
    #[inline(always)]
    pub(super) unsafe fn set_length(&self, page: u32, pages: u32) {
        // SAFETY: the caller's promise.
        // Relaxed: only those read it that got the block's handle with synchronisation.
        unsafe { self.word(page).fetch_add(sized(pages), Relaxed) };
    }

    /// Makes a locked page unused, whose length was set to `pages`, or 0.
    ///
    /// # Safety
    ///
    /// As for [`Self::word`]; the caller has locked the page and gives it up.
    #[inline(always)]
    pub(super) unsafe fn unlock(&self, page: u32, pages: u32) {
        // SAFETY: the caller's promise.
        // Release: our accesses to the page come before those of its next owner.
        unsafe {
            let change = sized(LOCKED | pages).wrapping_neg();
            self.word(page).fetch_add(change, Release);
        }
    }
}
