//! Runs: blocks of memory of more than half a block. Up to half a segment they are one, two, four
//! or more of its blocks side by side, which begin at a multiple of as many; above that they are
//! segments side by side, the last in the pool that there are.
//!
//! The state of a run's first block has the class, or [`RUN`] for segments, whose number is
//! beside it. Only the run's owner changes either; late threads may pin the block for a
//! moment, and learn that it is not what they looked for.
//!
//! A run of segments is claimed one after the other; who loses one gives back the others.
//!
//! | operation | order | why |
//! |---|---|---|
//! | bits cleared | acquire | pairs with the release of who set them: former owners are done |
//! | words stored when segments are freed | release | as above |
//! | state, length | relaxed | the run is its owner's |

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use super::Gallatin;
use super::blocks::class_added;
use super::segments::{pick, scatter};
use super::tables::{Block, RUN, Segment};
use super::tree::{NONE, lowest};
use crate::allocator::Handle;
use crate::simt::Warp;

/// In place of a unit: another was quicker.
const LOST: u32 = u32::MAX - 1;
/// Runs of segments that a request loses to others before it is refused.
const RUN_TRIES: u32 = 64;

/// The places of `1 << bits` free blocks side by side in a word, that begin at a multiple of as
/// many.
#[inline(always)]
pub fn places(word: u32, bits: u32) -> u32 {
    let length = 1 << bits;
    let (mut places, mut step) = (word, 1);
    while step < length {
        places &= places >> step;
        step *= 2;
    }
    // Every bit whose number is a multiple of the length.
    let mut multiples = 1;
    while step < 32 {
        multiples |= multiples << step;
        step *= 2;
    }
    places & multiples
}

impl Gallatin {
    /// A run for a request whose last unit is number `last`, if need be after all buffers were
    /// emptied: its first unit, or null.
    #[inline(always)]
    pub(super) fn find_run<W: Warp>(&self, warp: W, last: u32) -> u32 {
        let what = u64::from(warp.thread()) << 32 | u64::from(last);
        // SAFETY: the parts of this heap.
        unsafe { outlined(self.tables, self.records, self.layout.to_bits(), what) }
    }

    /// [`Self::find_run`] without the buffers.
    #[inline(always)]
    fn search_run(&self, last: u32, spread: u32) -> u32 {
        let segments = last >> (self.layout.segment_bits - 1);
        if segments == 0 {
            return self.take_blocks(32 - last.leading_zeros(), spread);
        }
        self.take_segments((last >> self.layout.segment_bits) + 1)
    }

    /// A run of `class`, which is not sliced: its first unit, or null. The first in the pool as
    /// long as no thread is in the way, and then the first from a place that differs by `spread`.
    #[inline(always)]
    fn take_blocks(&self, class: u32, spread: u32) -> u32 {
        let tree = self.blocks_tree();
        let words = tree.lowest_words();
        let (mut index, mut left, mut turn) = (0, words, 0);
        let mut is_alone = true;
        while left > 0 {
            // SAFETY: below the words of the lowest level.
            // Relaxed: a hint.
            let word = unsafe { tree.word(0, index).load(Relaxed) };
            let mut rest = word.rotate_right(turn);
            let mut is_lost = false;
            while rest != 0 && !is_lost {
                let segment = 64 * index + (lowest(rest) + turn) % 64;
                rest &= rest - 1;
                // SAFETY: the tree holds segments of the heap, and the class is not sliced.
                let first = unsafe {
                    let segment = Segment::new(segment);
                    self.take_blocks_of(segment, class, spread, is_alone)
                };
                if first < LOST {
                    return first;
                }
                is_lost = first == LOST;
            }
            index += 1;
            left -= 1;
            if is_lost {
                is_alone = false;
                let place = scatter(spread);
                index = ((u64::from(place) * u64::from(words)) >> 32) as u32;
                (left, turn) = (words, place % 64);
            }
            if index == words {
                index = 0;
            }
        }
        u32::NULL
    }

    /// A run of `class` in a segment: its first unit, or null; or [`LOST`] if another was quicker
    /// and `may_lose`.
    ///
    /// # Safety
    ///
    /// `class` is not sliced.
    #[inline(always)]
    unsafe fn take_blocks_of(
        &self,
        segment: Segment,
        class: u32,
        spread: u32,
        may_lose: bool,
    ) -> u32 {
        let bits = class - self.layout.block_bits();
        let blocks = u32::MAX >> (32 - (1 << bits));
        let spread = if may_lose { 0 } else { spread };
        let word = self.segment(segment);
        // Relaxed: the exchange decides.
        let mut seen = word.load(Relaxed);
        // A turn that fails has found that another took or freed some.
        while places(seen, bits) != 0 {
            let number = pick(places(seen, bits), spread);
            let taken = blocks << number;
            // Acquire: the former owners of the blocks are done with them.
            let held = word.compare_exchange(seen, seen & !taken, Acquire);
            if held == seen {
                self.unhint(segment, seen, taken);
                // SAFETY: the blocks whose bits the exchange cleared are ours.
                return unsafe { self.begin_run(Block::new(segment, number), class) };
            }
            if may_lose {
                return LOST;
            }
            seen = held;
        }
        u32::NULL
    }

    /// A run of `length` segments: its first unit, or null.
    #[inline(always)]
    fn take_segments(&self, length: u32) -> u32 {
        for _ in 0..RUN_TRIES {
            let first = self.last_run(length);
            if first == NONE {
                break;
            }
            // SAFETY: the tree holds segments of the heap; after the claim they are ours.
            unsafe {
                if self.claim_segments(first, length) {
                    // Relaxed: the run is ours until it is freed, by a thread that got it from
                    // us by synchronisation.
                    let first = Segment::new(first);
                    self.run_length(first).store(length, Relaxed);
                    return self.begin_run(Block::new(first, 0), RUN);
                }
            }
        }
        u32::NULL
    }

    /// Gives the first block of a run its class, and returns the run's first unit.
    ///
    /// # Safety
    ///
    /// The caller owns the run, whose blocks are at rest.
    #[inline(always)]
    unsafe fn begin_run(&self, first: Block, class: u32) -> u32 {
        // An addition, since others may pin it for a moment.
        // Relaxed: as for the length.
        self.state(first).fetch_add(class_added(class), Relaxed);
        self.first_unit(first)
    }

    /// The first of the last `length` free segments in a row, or [`NONE`].
    #[inline(always)]
    fn last_run(&self, length: u32) -> u32 {
        let tree = self.free_tree();
        let (mut run, mut index) = (0, tree.lowest_words());
        while index > 0 {
            index -= 1;
            // SAFETY: below the words of the lowest level.
            // Relaxed: a hint; the claim decides.
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
    unsafe fn claim_segments(&self, first: u32, length: u32) -> bool {
        let all = self.layout.all_blocks();
        let mut segment = first;
        // SAFETY: the segments are of the heap; what is given back was claimed here.
        unsafe {
            while segment < first + length {
                let claimed = Segment::new(segment);
                // Acquire: the former owners of the blocks are done with them.
                if self.segment(claimed).compare_exchange(all, 0, Acquire) != all {
                    self.leave_free(claimed);
                    if segment > first {
                        self.give_segments(first, segment);
                    }
                    return false;
                }
                segment += 1;
            }
        }
        let end = first + length;
        let mut index = first / 64;
        while 64 * index < end {
            // SAFETY: as above. The segments are ours, so that nothing is to be looked at again.
            unsafe {
                let mask = mask(index, first, end);
                self.free_tree().clear_bits(index, mask);
                self.blocks_tree().clear_bits(index, mask);
            }
            index += 1;
        }
        true
    }

    /// Frees the segments from `first` to `end`.
    ///
    /// # Safety
    ///
    /// The caller owns all of their blocks, which are at rest, and gives them up. There is one
    /// at least.
    #[inline(always)]
    unsafe fn give_segments(&self, first: u32, end: u32) {
        let mut segment = first;
        while segment < end {
            let all = self.layout.all_blocks();
            // SAFETY: the segment is ours. A store: no other thread changes a word without bits.
            let given = unsafe { Segment::new(segment) };
            // Release: all that was done to the blocks comes before their next owners.
            self.segment(given).store(all, Release);
            segment += 1;
        }
        let mut index = first / 64;
        while 64 * index < end {
            // SAFETY: as above; the hints come after what they stand for.
            unsafe {
                let mask = mask(index, first, end);
                self.free_tree().set_bits(index, mask);
                self.blocks_tree().set_bits(index, mask);
            }
            index += 1;
        }
    }

    /// Frees a run.
    ///
    /// # Safety
    ///
    /// `first` is the first block of a live run of `class`, which the caller gives up.
    #[inline(always)]
    pub(super) unsafe fn free_run(&self, first: Block, class: u32) {
        let what = u64::from(class) << 32 | u64::from(self.id(first));
        let bits = self.layout.to_bits();
        // SAFETY: the parts of this heap, and a live run that its owner gives up.
        unsafe { outlined_free(self.tables, self.records, bits, what) }
    }

    /// [`Self::free_run`], in line.
    ///
    /// # Safety
    ///
    /// As for that.
    #[inline(always)]
    unsafe fn end_run(&self, first: Block, class: u32) {
        let segment = first.segment();
        // Relaxed, both: as when the run began; what follows releases them.
        let change = class_added(class).wrapping_neg();
        self.state(first).fetch_add(change, Relaxed);
        // SAFETY: the blocks of the run are ours, and now at rest.
        unsafe {
            if class == RUN {
                let length = self.run_length(segment).load(Relaxed);
                self.give_segments(segment.number(), segment.number() + length);
            } else {
                let blocks = 1 << (class - self.layout.block_bits());
                self.give_blocks(segment, u32::MAX >> (32 - blocks) << first.number());
            }
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

/// The search for a run, out of line: it is rare, and would be much of every kernel. `what` is the
/// last unit, and in the high half a number that differs from thread to thread.
///
/// # Safety
///
/// The pointers and the bits of the layout are those of a heap.
#[inline(never)]
unsafe fn outlined(tables: *mut u8, records: *mut u8, layout: u64, what: u64) -> u32 {
    // SAFETY: the parts of a heap.
    let heap = unsafe { Gallatin::of_tables(tables, records, layout) };
    let mut is_drained = false;
    loop {
        let first = heap.search_run(what as u32, (what >> 32) as u32);
        if !first.is_null() || is_drained || !heap.drain() {
            return first;
        }
        is_drained = true;
    }
}

/// [`Gallatin::free_run`], out of line as [`outlined`]. `what` is the class, and in the low half
/// the number of the first block.
///
/// # Safety
///
/// As for both.
#[inline(never)]
unsafe fn outlined_free(tables: *mut u8, records: *mut u8, layout: u64, what: u64) {
    // SAFETY: the parts of a heap, and a live run in it that its owner gives up.
    unsafe {
        let heap = Gallatin::of_tables(tables, records, layout);
        heap.end_run(heap.block(what as u32), (what >> 32) as u32)
    }
}
