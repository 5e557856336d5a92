//! Segments: which class they have, which of their blocks are at rest, and runs of them.
//!
//! A segment's word has the class in its high half, or that the segment has none, or is the
//! first of a run; and in its low half a bit for each block at rest. Who clears a bit owns the
//! block, and learns of the same operation which class it has: it gives back what is not of its
//! class. Who exchanges a word with all bits of its class for that of a segment without class
//! owns the segment. A segment without class and a run have no bits, so that no late thread can
//! change their words.
//!
//! Requests for blocks format the lowest free segments; runs are taken from the other end of
//! the pool. A gate a class has one thread at a time format a segment that has several blocks,
//! while the others wait for a few turns: they would all format one.
//!
//! | operation | order | why |
//! |---|---|---|
//! | bit cleared | acquire | pairs with the two below: the block's former owner is done |
//! | word stored by the segment's owner | release | its past comes before its blocks' owners |
//! | bit set | acq_rel | the block's past, and that of all blocks for who completes it |
//! | word exchanged for none | acquire | as above |

use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use super::Gallatin;
use super::blocks::NO_CLASS;
use super::layout::Layout;
use super::tables::Block;
use super::tree::NONE;
use crate::simt::{Backoff, Warp};

/// The word of a segment without class: free, or inside a run.
pub const NO_SEGMENT: u64 = (NO_CLASS as u64) << 32;
/// The class of the first segment of a run.
pub const RUN: u32 = 30;
/// Turns that a thread waits at a gate.
const GATE_TURNS: u32 = 10;
/// Runs that a request loses to others before it is refused.
const RUN_TRIES: u32 = 64;

/// The class in a segment's word, [`RUN`] or [`NO_CLASS`].
#[inline(always)]
pub fn segment_class(word: u64) -> u32 {
    (word >> 32) as u32
}

/// The bits of a word from `from` on, around the end: the first that is set of some.
#[inline(always)]
pub fn pick(bits: u32, from: u32) -> u32 {
    (bits.rotate_right(from % 32).trailing_zeros() + from) % 32
}

impl Gallatin {
    /// A block of `class` from a segment that has blocks at rest, or none. The caller owns it.
    #[inline(always)]
    pub(super) fn take_resting(&self, class: u32, spread: u32) -> Option<Block> {
        let tree = self.resting_tree(class);
        // A turn that fails takes a segment out of the tree, or gave another class its block back.
        for _ in 0..self.layout.segments + 32 {
            let segment = tree.find();
            if segment == NONE {
                return None;
            }
            // SAFETY: the trees hold segments of the heap.
            unsafe {
                let word = self.segment(segment);
                // Relaxed: a hint; `fetch_and` decides.
                let mut seen = word.load(Relaxed);
                while segment_class(seen) == class && seen as u32 != 0 {
                    let number = pick(seen as u32, spread);
                    let bit = 1_u64 << number;
                    // Acquire: the block's former owner is done with it.
                    seen = word.fetch_and(!bit, Acquire);
                    if seen & bit == 0 {
                        continue;
                    }
                    let block = Block { segment, number };
                    if segment_class(seen) != class {
                        self.give_block(block);
                        break;
                    }
                    if seen as u32 == bit as u32 {
                        self.leave_tree(segment, class);
                    }
                    return Some(block);
                }
                self.leave_tree(segment, class);
            }
        }
        None
    }

    /// Takes a segment out of the tree of those of `class` with blocks at rest, unless it has
    /// some.
    ///
    /// # Safety
    ///
    /// `segment` is one of the heap, and `class` one of its classes.
    #[inline(always)]
    unsafe fn leave_tree(&self, segment: u32, class: u32) {
        let tree = self.resting_tree(class);
        // SAFETY: the caller's promise.
        unsafe {
            tree.clear(segment);
            // Relaxed: if the bit had been set for a block that we did not see, we have
            // acquired it.
            let word = self.segment(segment).load(Relaxed);
            if segment_class(word) == class && word as u32 != 0 {
                tree.set(segment);
            }
        }
    }

    /// Gives a block back to its segment, and the segment to the pool if it was the last.
    ///
    /// # Safety
    ///
    /// The caller owns the block, and gives it up.
    #[inline(always)]
    pub(super) unsafe fn give_block(&self, block: Block) {
        let bit = 1_u64 << block.number;
        // SAFETY: the caller's promise: until the bit is set, the segment keeps its class.
        // After the exchange it is ours.
        unsafe {
            let word = self.segment(block.segment);
            // Release: all that was done to the block comes before its next owner. Acquire: if
            // it is the last, all that was done to the others does.
            let before = word.fetch_or(bit, AcqRel);
            let class = segment_class(before);
            let all = self.layout.all_blocks(class);
            let now = before | bit;
            if now as u32 != all {
                if before as u32 == 0 {
                    self.resting_tree(class).set(block.segment);
                }
                return;
            }
            // Acquire: as above, of who took and gave back a block meanwhile.
            if word.compare_exchange(now, NO_SEGMENT, Acquire) == now {
                if all != 1 {
                    self.resting_tree(class).clear(block.segment);
                }
                self.free_tree().set(block.segment);
            } else if before as u32 == 0 {
                // Another has taken a block of the only one.
                self.resting_tree(class).set(block.segment);
            }
        }
    }

    /// Formats a free segment, if there is one: the caller owns the first of its blocks.
    #[inline(always)]
    fn format(&self, class: u32) -> Option<Block> {
        let segment = self.free_tree().take();
        if segment == NONE {
            return None;
        }
        let others = self.layout.all_blocks(class) & !1;
        // SAFETY: the segment is ours, and has no bits that a late thread could clear.
        unsafe {
            // Release: what its last owner did, which we have acquired, comes before what the
            // owners of its blocks do.
            let word = u64::from(class) << 32 | u64::from(others);
            self.segment(segment).store(word, Release);
            if others != 0 {
                self.resting_tree(class).set(segment);
            }
        }
        Some(Block { segment, number: 0 })
    }

    /// A block of `class` that the caller owns, or none if there is none at rest and no free
    /// segment.
    ///
    /// # Safety
    ///
    /// `class` is one of the heap.
    #[inline(always)]
    pub(super) unsafe fn take_block<W: Warp>(&self, warp: W, class: u32) -> Option<Block> {
        // A segment of one block is nobody else's.
        if self.layout.all_blocks(class) == 1 {
            return self.format(class);
        }
        // SAFETY: the caller's promise.
        let gate = unsafe { self.gate(class) };
        let mut pause = Backoff::new();
        let mut turns = 0;
        loop {
            let block = self.take_resting(class, warp.processor());
            if block.is_some() || self.free_tree().find() == NONE {
                return block;
            }
            // Relaxed: the gate spares segments, and protects nothing.
            let passes = gate.compare_exchange(0, 1, Relaxed) == 0;
            // Who waited in vain goes on: whoever is inside need not be running.
            if passes || turns == GATE_TURNS {
                let block = self.format(class);
                if passes {
                    gate.store(0, Relaxed);
                }
                return block;
            }
            turns += 1;
            pause.pause(warp);
        }
    }

    /// A run of `length` segments, if need be after all buffers were emptied: its first unit, or
    /// null.
    #[inline(always)]
    pub(super) fn find_run(&self, length: u32) -> u32 {
        // SAFETY: the parts of this heap.
        unsafe {
            outlined(
                self.blocks,
                self.tables,
                self.records,
                self.layout.to_bits(),
                length,
            )
        }
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
                let got = tree.clear_bits(index, mask);
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
        unsafe { outlined_free(self.blocks, self.tables, self.records, bits, first) }
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
unsafe fn outlined(
    blocks: *mut u8,
    tables: *mut u8,
    records: *mut u8,
    layout: u64,
    length: u32,
) -> u32 {
    let heap = Gallatin {
        blocks,
        tables,
        records,
        layout: Layout::from_bits(layout),
    };
    let mut first = heap.take_run(length);
    if first == NONE && heap.drain() {
        first = heap.take_run(length);
    }
    if first == NONE {
        return NONE;
    }
    first << heap.layout.segment_bits
}

/// [`Gallatin::free_run`], out of line as [`outlined`].
///
/// # Safety
///
/// As for both.
#[inline(never)]
unsafe fn outlined_free(
    blocks: *mut u8,
    tables: *mut u8,
    records: *mut u8,
    layout: u64,
    first: u32,
) {
    let heap = Gallatin {
        blocks,
        tables,
        records,
        layout: Layout::from_bits(layout),
    };
    // SAFETY: the caller's promise.
    unsafe { heap.release_run(first) }
}
