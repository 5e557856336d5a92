//! Segments: which of their blocks are free.
//!
//! A segment's word has a bit for each free block. A thread that clears bits owns the blocks, and
//! whoever owns a block may set its bit again. Requests take one of the first segment that has
//! some, and who loses one to another goes to a segment near by: 132 multiprocessors that want a
//! block at once would take turns at one word otherwise. Runs ([`super::runs`]) take several blocks
//! side by side, or all blocks of several segments.
//!
//! Two trees have hints: of segments with free blocks, and of segments whose blocks are all free.
//! A thread that makes a word what a hint stands for sets it afterwards; who takes that away clears
//! it, and looks at the word again.
//!
//! | operation | order | why |
//! |---|---|---|
//! | bits cleared | acquire | pairs with the release: the blocks' former owner is done |
//! | bits set | release | all that was done to the blocks comes before |
//! | loads | relaxed | hints; and after a hint was cleared, what that acquired is seen |

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use super::Gallatin;
use super::tables::{Block, Segment};
use super::tree::NONE;

/// The bits of a word from `from` on, around the end: the first that is set of some.
#[inline(always)]
pub fn pick(bits: u32, from: u32) -> u32 {
    (bits.rotate_right(from % 32).trailing_zeros() + from) % 32
}

/// Another number, far from those of the numbers near by (Knuth's multiplicative hash).
#[inline(always)]
pub fn scatter(number: u32) -> u32 {
    number.wrapping_add(1).wrapping_mul(0x9e37_79b9)
}

impl Gallatin {
    /// A free block, which the caller then owns: its number, or [`NONE`]. `spread` differs
    /// between those who take at a time.
    #[inline(always)]
    pub(super) fn take_block(&self, spread: u32) -> u32 {
        // SAFETY: the parts of this heap.
        unsafe { outlined(self.tables, self.records, self.layout.to_bits(), spread) }
    }

    /// [`Self::take_block`], in line: a block of the first segment that has some, as long as
    /// no thread is in the way, and then of one of the first few.
    #[inline(always)]
    fn search_block(&self, spread: u32) -> u32 {
        let tree = self.blocks_tree();
        let (mut place, mut from) = (0, spread);
        // A turn that finds no block takes a segment out of the tree.
        let mut left = self.layout.segments + 32;
        while left > 0 {
            let Some(segment) = tree.find(place) else {
                break;
            };
            let word = self.segment(segment);
            // Relaxed: a hint; `fetch_and` decides.
            let seen = word.load(Relaxed);
            if seen == 0 {
                self.leave_blocks(segment);
                left -= 1;
                continue;
            }
            let number = pick(seen, from);
            let bit = 1 << number;
            // Acquire: the block's former owner is done with it.
            let seen = word.fetch_and(!bit, Acquire);
            if seen & bit != 0 {
                self.unhint(segment, seen, bit);
                // SAFETY: a segment's word has bits of its blocks.
                return self.id(unsafe { Block::new(segment, number) });
            }
            // Another was quicker, and has the block: those who lose go apart.
            from = scatter(from);
            place = from >> 16;
        }
        NONE
    }

    /// Takes a segment out of the trees that it is no longer to be in, after the bits of `taken`
    /// were cleared in its word, which was `before`.
    #[inline(always)]
    pub(super) fn unhint(&self, segment: Segment, before: u32, taken: u32) {
        if before == self.layout.all_blocks() {
            self.leave_free(segment);
        }
        if before == taken {
            self.leave_blocks(segment);
        }
    }

    /// Takes a segment out of the tree of those with free blocks, unless it has some.
    #[inline(always)]
    fn leave_blocks(&self, segment: Segment) {
        let tree = self.blocks_tree();
        tree.clear(segment);
        // Relaxed: if the hint was set for a block that we did not see, we have acquired it.
        if self.segment(segment).load(Relaxed) != 0 {
            tree.set(segment);
        }
    }

    /// Takes a segment out of the tree of free ones, unless it is free.
    #[inline(always)]
    pub(super) fn leave_free(&self, segment: Segment) {
        let tree = self.free_tree();
        tree.clear(segment);
        // Relaxed: as for blocks.
        if self.segment(segment).load(Relaxed) == self.layout.all_blocks() {
            tree.set(segment);
        }
    }

    /// Frees blocks of a segment: a bit for each.
    ///
    /// # Safety
    ///
    /// The caller owns the blocks, which are at rest, and gives them up. There is one at least.
    #[inline(always)]
    pub(super) unsafe fn give_blocks(&self, segment: Segment, blocks: u32) {
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

/// [`Gallatin::take_block`], out of line as it is long, and rare.
///
/// # Safety
///
/// The pointers and the bits of the layout are those of a heap.
#[inline(never)]
unsafe fn outlined(tables: *mut u8, records: *mut u8, layout: u64, spread: u32) -> u32 {
    // SAFETY: the parts of a heap.
    unsafe { Gallatin::of_tables(tables, records, layout).search_block(spread) }
}
