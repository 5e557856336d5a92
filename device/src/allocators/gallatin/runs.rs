//! Runs of segments, for requests of more than half a segment: the last in the pool that there
//! are, while blocks are in the first.

use core::sync::atomic::Ordering::Relaxed;

use super::Gallatin;
use super::segments::{NO_SEGMENT, RUN};
use super::tree::NONE;

/// Runs that a request loses to others before it is refused.
const RUN_TRIES: u32 = 64;

impl Gallatin {
    /// A run of `length` segments, if need be after all buffers were emptied: its first unit, or
    /// null.
    #[inline(always)]
    pub(super) fn find_run(&self, length: u32) -> u32 {
        // SAFETY: the parts of this heap.
        unsafe { outlined(self.tables, self.records, self.layout.to_bits(), length) }
    }

    /// A run of `length` segments, the last in the pool that there is: the first of them, or
    /// [`NONE`].
    #[inline(always)]
    pub(super) fn take_run(&self, length: u32) -> u32 {
        for _ in 0..RUN_TRIES {
            let first = self.last_run(length);
            if first == NONE {
                return NONE;
            }
            // SAFETY: the segments are of the heap; after the claim they are ours.
            unsafe {
                if self.claim_run(first, length) {
                    // Relaxed, both: the run is ours until it is freed, by a thread that got it
                    // from us by synchronisation.
                    self.run_length(first).store(length, Relaxed);
                    self.segment(first).store(u64::from(RUN) << 32, Relaxed);
                    return first;
                }
            }
        }
        NONE
    }

    /// The first of the last `length` free segments in a row, or [`NONE`].
    #[inline(always)]
    fn last_run(&self, length: u32) -> u32 {
        let tree = self.free_tree();
        let (mut run, mut index) = (0, tree.lowest_words());
        while index > 0 {
            index -= 1;
            // SAFETY: below the words of the lowest level.
            // Relaxed: a hint; `claim_run` decides.
            let mut word = unsafe { tree.word(0, index).load(Relaxed) };
            let mut left = 64;
            // From the highest bit on.
            while left > 0 {
                let ones = word.leading_ones();
                let ones = if ones < left { ones } else { left };
                run += ones;
                left -= ones;
                if run >= length {
                    return 64 * index + left + (run - length);
                }
                if left == 0 {
                    break;
                }
                run = 0;
                word = if ones == 64 { 0 } else { word << ones };
                let zeros = word.leading_zeros();
                let zeros = if zeros < left { zeros } else { left };
                left -= zeros;
                word = if zeros == 64 { 0 } else { word << zeros };
            }
        }
        NONE
    }

    /// Claims the segments from `first` on, or none of them.
    ///
    /// # Safety
    ///
    /// The segments are of the heap, and `length` is not 0.
    #[inline(always)]
    unsafe fn claim_run(&self, first: u32, length: u32) -> bool {
        let (tree, end) = (self.free_tree(), first + length);
        let mut index = first / 64;
        while 64 * index < end {
            let mask = mask(index, first, end);
            // SAFETY: the caller's promise; what is given back was claimed here.
            unsafe {
                let got = tree.clear_bits(index, mask) & mask;
                if got != mask {
                    if got != 0 {
                        tree.set_bits(index, got);
                    }
                    if 64 * index > first {
                        self.give_run(first, 64 * index);
                    }
                    return false;
                }
            }
            index += 1;
        }
        true
    }

    /// Gives the segments from `first` to `end` back.
    ///
    /// # Safety
    ///
    /// The caller owns them, which have no class, and gives them up. There is one at least.
    #[inline(always)]
    unsafe fn give_run(&self, first: u32, end: u32) {
        let tree = self.free_tree();
        let mut index = first / 64;
        while 64 * index < end {
            // SAFETY: the caller's promise.
            unsafe { tree.set_bits(index, mask(index, first, end)) };
            index += 1;
        }
    }

    /// Frees a run.
    ///
    /// # Safety
    ///
    /// `first` is the first segment of a run that the caller owns, and gives up.
    #[inline(always)]
    pub(super) unsafe fn free_run(&self, first: u32) {
        let bits = self.layout.to_bits();
        // SAFETY: the parts of this heap, and the caller's promise.
        unsafe { outlined_free(self.tables, self.records, bits, first) }
    }

    /// [`Self::free_run`], in line.
    ///
    /// # Safety
    ///
    /// As for that.
    #[inline(always)]
    unsafe fn release_run(&self, first: u32) {
        // SAFETY: the caller's promise.
        unsafe {
            // Relaxed, both: the run is ours; the bits release the word.
            let length = self.run_length(first).load(Relaxed);
            self.segment(first).store(NO_SEGMENT, Relaxed);
            self.give_run(first, first + length);
        }
    }
}

/// The bits of the segments from `first` to `end` in word `index`, which has one of them.
#[inline(always)]
fn mask(index: u32, first: u32, end: u32) -> u64 {
    let at = 64 * index;
    let low = first.saturating_sub(at);
    let high = if end - at < 64 { end - at } else { 64 };
    u64::MAX << low & u64::MAX >> (64 - high)
}

/// The search for a run, out of line: it is rare, and would be much of every kernel.
///
/// # Safety
///
/// The pointers and the bits of the layout are those of a heap.
#[inline(never)]
unsafe fn outlined(tables: *mut u8, records: *mut u8, layout: u64, length: u32) -> u32 {
    let heap = Gallatin::of_tables(tables, records, layout);
    let mut is_drained = false;
    loop {
        let first = heap.take_run(length);
        if first != NONE {
            return first << heap.layout.segment_bits;
        }
        if is_drained || !heap.drain() {
            return NONE;
        }
        is_drained = true;
    }
}

/// [`Gallatin::free_run`], out of line as [`outlined`].
///
/// # Safety
///
/// As for both.
#[inline(never)]
unsafe fn outlined_free(tables: *mut u8, records: *mut u8, layout: u64, first: u32) {
    let heap = Gallatin::of_tables(tables, records, layout);
    // SAFETY: the caller's promise.
    unsafe { heap.release_run(first) }
}
