//! Blocks of more than half a superblock: runs of superblocks.
//!
//! A request searches the map for as many set bits in a row, and claims them, a word at a time.
//! If another thread claims one of them first, it gives back what it has and goes on behind.
//! Each search begins where the one before it would end, so that requests at the same time do
//! not meet. A run of one superblock is obtained like one that is cut.
//!
//! The first superblock's word and the first word of its bits name the run. They are written by
//! its owner only.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic;

use super::XMalloc;
use super::superblocks::ROW_SUPERBLOCKS;
use super::tables::{NONE, RUN, Superblock, UNUSED};
use crate::allocators::circular::runs::starts;
use crate::simt::Warp;

/// The bits of the word of the map from superblock `at` on that stand for those from `first` to
/// `end`, at least one.
#[inline(always)]
fn mask(at: u32, first: u32, end: u32) -> u32 {
    let low = first.saturating_sub(at);
    let high = if end - at < 32 { end - at } else { 32 };
    u32::MAX << low & u32::MAX >> (32 - high)
}

/// A scan over the map, word by word, for a run.
struct Scan {
    wanted: u32,
    /// In front of this superblock nothing counts.
    from: u32,
    /// Length of the run that the words so far end with.
    run: u32,
    /// The first superblock of a run that is long enough, or [`NONE`].
    found: u32,
}

impl Scan {
    /// Scans the word of the superblocks from `at` on.
    #[inline(always)]
    fn add(&mut self, word: u32, at: u32) {
        if at < self.from || self.found != NONE {
            return;
        }
        let ones = word.trailing_ones();
        if self.run + ones >= self.wanted {
            self.found = at - self.run;
        } else if ones == 32 {
            self.run += ones;
        } else {
            if self.wanted <= 32 {
                let inside = starts(word, self.wanted);
                if inside != 0 {
                    self.found = at + inside.trailing_zeros();
                }
            }
            self.run = word.leading_ones();
        }
    }
}

impl XMalloc {
    /// A run of `length` superblocks: its first one, or [`NONE`].
    #[inline(always)]
    pub(super) fn find_run<W: Warp>(&self, warp: W, length: u32) -> u32 {
        if length > self.layout.superblocks || length == 0 {
            return NONE;
        }
        let bits = self.layout.to_bits();
        // SAFETY: the parts of this heap; a length that it has.
        unsafe { outlined(warp, self.blocks, self.queues, self.tables, bits, length) }
    }

    /// Frees a run.
    ///
    /// # Safety
    ///
    /// `first` is the first superblock of a run that the caller owns, and gives up.
    #[inline(always)]
    pub(super) unsafe fn free_run(&self, first: Superblock) {
        let bits = self.layout.to_bits();
        // SAFETY: the parts of this heap, and a run that is ours.
        unsafe { freed(self.blocks, self.queues, self.tables, bits, first) }
    }

    /// [`Self::free_run`] itself.
    ///
    /// # Safety
    ///
    /// As there.
    #[inline(always)]
    unsafe fn free_all(&self, first: Superblock) {
        // SAFETY: the run is ours.
        unsafe {
            // Relaxed: the run is ours; the bits in the map release what we store.
            let length = self.bits(first, 0).load(Relaxed);
            self.bits(first, 0).store(0, Relaxed);
            if length == 1 {
                self.give_superblock(first);
                return;
            }
            self.word(first).store(UNUSED, Relaxed);
            self.give_run(first.number(), first.number() + length);
        }
    }

    /// Gives the superblocks from `first` to `end` back, if any.
    ///
    /// # Safety
    ///
    /// The caller owns these superblocks, and gives them up.
    #[inline(always)]
    unsafe fn give_run(&self, first: u32, end: u32) {
        let mut at = first / 32 * 32;
        while at < end {
            // SAFETY: superblocks that are ours.
            unsafe { self.give_bits(at, mask(at, first, end)) };
            at += 32;
        }
    }

    /// Claims the superblocks from `first` to `end`: [`NONE`], or one that another has claimed.
    ///
    /// # Safety
    ///
    /// `first` is below `end`, which is at most `layout.superblocks`.
    #[inline(always)]
    unsafe fn claim_run(&self, first: u32, end: u32) -> u32 {
        let mut at = first / 32 * 32;
        while at < end {
            let wanted = mask(at, first, end);
            // SAFETY: superblocks of the heap; what is given back was claimed here.
            unsafe {
                let got = self.claim(at, wanted);
                if got != wanted {
                    if got != 0 {
                        self.give_bits(at, got);
                    }
                    if at > first {
                        self.give_run(first, at);
                    }
                    return at + (wanted & !got).trailing_zeros();
                }
            }
            at += 32;
        }
        NONE
    }

    /// Takes a run of `length` superblocks from the word of `from` on, or returns [`NONE`].
    ///
    /// # Safety
    ///
    /// `from` is below `layout.superblocks`, and `length` is not 0.
    #[inline(always)]
    unsafe fn take_run<W: Warp>(&self, warp: W, from: u32, length: u32) -> u32 {
        let mut from = from / 32 * 32;
        loop {
            let first = self.scan(from, length);
            if first == NONE {
                return NONE;
            }
            // SAFETY: bits of superblocks of the heap were set.
            let refused = unsafe { self.claim_run(first, first + length) };
            if refused == NONE {
                return first;
            }
            // Another thread was faster. From the word of its superblock on we look again; its
            // success bounds how often.
            from = refused / 32 * 32;
            warp.back_off();
        }
    }

    /// The first superblock of a run of `length` unused ones in the map from `from` on, the
    /// first of a word, or [`NONE`].
    #[inline(always)]
    fn scan(&self, from: u32, length: u32) -> u32 {
        let mut scan = Scan {
            wanted: length,
            from,
            run: 0,
            found: NONE,
        };
        let mut at = from / ROW_SUPERBLOCKS * ROW_SUPERBLOCKS;
        while at < self.layout.superblocks && scan.found == NONE {
            // SAFETY: `at` is a superblock of the heap. Those that are not there have no bits, so
            // that a run ends in front of them.
            let [mut a, mut b, mut c, d] = unsafe { atomic::load_row(self.map_row(at)) };
            let mut four = 0;
            while four < 4 {
                scan.add(a[0], at);
                scan.add(a[1], at + 32);
                scan.add(a[2], at + 64);
                scan.add(a[3], at + 96);
                (a, b, c) = (b, c, d);
                at += 128;
                four += 1;
            }
        }
        scan.found
    }

    /// [`Self::find_run`] itself, of a length that is not 0.
    #[inline(always)]
    fn search_run<W: Warp>(&self, warp: W, length: u32) -> u32 {
        let mut from = 0;
        if length > 1 {
            // Relaxed: a hint.
            let place = self.run_place().fetch_add(length, Relaxed);
            from = place.checked_rem(self.layout.superblocks).unwrap_or(0);
        }
        let mut is_again = false;
        loop {
            let mut first = NONE;
            // SAFETY: `from` is below the number of superblocks, at least one.
            unsafe {
                // Relaxed: an estimate, which is right while no thread claims or gives back.
                if length == 1 {
                    first = self.obtain(warp).map_or(NONE, Superblock::number);
                } else if self.unused_count().load(Relaxed) >= length {
                    first = self.take_run(warp, from, length);
                    if first == NONE {
                        first = self.take_run(warp, 0, length);
                    }
                }
                if first != NONE {
                    // Relaxed, both: the run is ours until it is freed, by a thread that got it
                    // from us by synchronisation.
                    let first = Superblock::new(first);
                    self.bits(first, 0).store(length, Relaxed);
                    self.word(first).store(RUN, Relaxed);
                }
            }
            if first != NONE || is_again {
                return first;
            }
            self.flush(warp);
            is_again = true;
        }
    }
}

/// [`XMalloc::find_run`], out of line, as it is long.
///
/// # Safety
///
/// The pointers and the bits of the layout are those of a heap, and `length` is not 0.
#[inline(never)]
unsafe fn outlined<W: Warp>(
    warp: W,
    blocks: *mut u8,
    queues: *mut u8,
    tables: *mut u8,
    layout: u64,
    length: u32,
) -> u32 {
    // SAFETY: the parts of a heap.
    unsafe { XMalloc::of_parts(blocks, queues, tables, layout).search_run(warp, length) }
}

/// [`XMalloc::free_run`], out of line likewise.
///
/// # Safety
///
/// The pointers and the bits of the layout are those of a heap; otherwise as there.
#[inline(never)]
unsafe fn freed(blocks: *mut u8, queues: *mut u8, tables: *mut u8, layout: u64, first: Superblock) {
    // SAFETY: the parts of a heap, and a run in it that is ours.
    unsafe { XMalloc::of_parts(blocks, queues, tables, layout).free_all(first) };
}
