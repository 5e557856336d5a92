//! Segments: which of their blocks are free.
//!
//! A segment's word has a bit for each free block. Who clears bits owns the blocks, and whoever
//! owns a block may set its bit again. Requests take one of the lowest segment that has some;
//! runs ([`super::runs`]) take several side by side, or all blocks of several segments.
//!
//! Two trees have hints: of segments with free blocks, and of segments whose blocks are all free.
//! Who makes a word what a hint stands for sets it afterwards; who takes that away clears it, and
//! looks at the word again.
//!
//! | operation | order | why |
//! |---|---|---|
//! | bits cleared | acquire | pairs with the release: the blocks' former owner is done |
//! | bits set | release | all that was done to the blocks comes before |
//! | loads | relaxed | hints; and after a hint was cleared, what that acquired is seen |

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use super::Gallatin;
use super::tables::Block;
use super::tree::NONE;
use crate::simt::Warp;

/// The bits of a word from `from` on, around the end: the first that is set of some.
#[inline(always)]
pub fn pick(bits: u32, from: u32) -> u32 {
    (bits.rotate_right(from % 32).trailing_zeros() + from) % 32
}

impl Gallatin {
    /// A free block, which the caller then owns: its number, or [`NONE`].
    #[inline(always)]
    pub(super) fn take_block<W: Warp>(&self, warp: W) -> u32 {
        let bits = self.layout.to_bits();
        // SAFETY: the parts of this heap.
        unsafe { outlined(self.tables, self.records, bits, warp.processor()) }
    }

    /// [`Self::take_block`], in line: bit `spread` of a word, or one that follows, so that those
    /// who take at a time rarely want the same.
    #[inline(always)]
    fn search_block(&self, spread: u32) -> u32 {
        let tree = self.blocks_tree();
        // A turn that fails takes a segment out of the tree.
        for _ in 0..self.layout.segments + 32 {
            let segment = tree.find();
            if segment == NONE {
                return NONE;
            }
            // SAFETY: the trees hold segments of the heap.
            unsafe {
                let word = self.segment(segment);
                // Relaxed: a hint; `fetch_and` decides.
                let mut seen = word.load(Relaxed);
                while seen != 0 {
                    let number = pick(seen, spread);
                    let bit = 1 << number;
                    // Acquire: the block's former owner is done with it.
                    seen = word.fetch_and(!bit, Acquire);
                    if seen & bit != 0 {
                        self.unhint(segment, seen, bit);
                        return self.id(Block { segment, number });
                    }
                }
                self.leave_blocks(segment);
            }
        }
        NONE
    }

    /// Takes a segment out of the trees that it is no longer to be in, after the bits of `taken`
    /// were cleared in its word, which was `before`.
    ///
    /// # Safety
    ///
    /// `segment` is one of the heap.
    #[inline(always)]
    pub(super) unsafe fn unhint(&self, segment: u32, before: u32, taken: u32) {
        // SAFETY: the caller's promise.
        unsafe {
            if before == self.layout.all_blocks() {
                self.leave_free(segment);
            }
            if before == taken {
                self.leave_blocks(segment);
            }
        }
    }

    /// Takes a segment out of the tree of those with free blocks, unless it has some.
    ///
    /// # Safety
    ///
    /// `segment` is one of the heap.
    #[inline(always)]
    unsafe fn leave_blocks(&self, segment: u32) {
        let tree = self.blocks_tree();
        // SAFETY: the caller's promise.
        unsafe {
            tree.clear(segment);
            // Relaxed: if the hint was set for a block that we did not see, we have acquired it.
            if self.segment(segment).load(Relaxed) != 0 {
                tree.set(segment);
            }
        }
    }

    /// Takes a segment out of the tree of free ones, unless it is free.
    ///
    /// # Safety
    ///
    /// `segment` is one of the heap.
    #[inline(always)]
    pub(super) unsafe fn leave_free(&self, segment: u32) {
        let tree = self.free_tree();
        // SAFETY: the caller's promise.
        unsafe {
            tree.clear(segment);
            // Relaxed: as for blocks.
            if self.segment(segment).load(Relaxed) == self.layout.all_blocks() {
                tree.set(segment);
            }
        }
    }

    /// Frees blocks of a segment: a bit for each.
    ///
    /// # Safety
    ///
    /// The caller owns the blocks, which are at rest, and gives them up. There is one at least.
    #[inline(always)]
    pub(super) unsafe fn give_blocks(&self, segment: u32, blocks: u32) {
        // SAFETY: the caller's promise.
        unsafe {
            // Release: all that was done to the blocks comes before their next owners.
            let before = self.segment(segment).fetch_or(blocks, Release);
            if before == 0 {
                self.blocks_tree().set(segment);
            }
            if before | blocks == self.layout.all_blocks() {
                self.free_tree().set(segment);
            }
        }
    }
}

/// [`Gallatin::take_block`], out of line as it is long, and rare.
///
/// # Safety
///
/// The pointers and the bits of the layout are those of a heap.
#[inline(never)]
unsafe fn outlined(tables: *mut u8, records: *mut u8, layout: u64, spread: u32) -> u32 {
    Gallatin::of_tables(tables, records, layout).search_block(spread)
}
