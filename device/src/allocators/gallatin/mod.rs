//! Gallatin (McCoy and Pandey, PPoPP 2024): the pool is cut into *segments*, a segment into
//! *blocks*, a block into *slices* of one size. Trees of bits, 64 to a word as in a van Emde Boas
//! tree, find segments; requests claim slices of a block by an addition.
//!
//! Where things are (section 4 of the paper):
//!
//! - A segment has a bit for each free block. A tree has a bit for each segment with free blocks,
//!   another for each whose blocks are all free, and one a class for each with slices that were
//!   freed ([`tree`], [`segments`]).
//! - A buffer for each class and multiprocessor names the block whose slices its requests
//!   claim ([`buffers`]). Where blocks are large for the pool multiprocessors share buffers, so
//!   that a class holds a 32nd part of the pool at most.
//! - A block has a state, with its class, a count of claimed slices, and a bit for each slice that
//!   was freed ([`blocks`], [`counts`]).
//!
//! The invariants, and the operation that decides each:
//!
//! - *Who clears a block's bit in the word of its segment owns the block.*
//! - *Who moves a block's count on owns the slices that it passed*, if the count belonged to an
//!   open block. The count has the class beside it: a thread that read the buffer long ago
//!   learns from its addition what the block is now, and gives back what it did not want.
//! - *Who clears a slice's bit owns the slice.* A thread clears bits only while it has pinned
//!   the block, so that the block has the class that the thread knows.
//! - *Who exchanges the state of a block whose words of bits are all full and counted, and which
//!   no thread has pinned, owns the block*, and gives it back to its segment.
//!
//! Everything else is a hint: which block a buffer names, the bits of the trees, and which blocks
//! have free slices. A thread that clears a hint looks again at what it stands for; who sets it
//! does so after what it stands for. Both are read-modify-writes of one word, so that one of the
//! two sees the other, and no memory is hidden for good.
//!
//! Differences from the paper, and why:
//!
//! - Slices are freed in a bitmap, not by a counter a block: what was freed of a block that still
//!   has live slices serves requests when there is nothing else, where in the published code it is
//!   out of reach until all of the block is back.
//! - Blocks have one size, and the class is theirs, not their segment's: what one class gives back
//!   serves any other at once, and a class with a few live slices holds a few blocks.
//! - What is larger than half a block is a run of blocks or of segments ([`runs`]).
//! - Buffers are emptied before a request is refused, so that all of a heap that was freed is one
//!   free block again. In the published code blocks in buffers stay there.
//! - A segment has at most 32 blocks, so that they are one word.

mod blocks;
mod buffers;
mod contract;
mod counts;
mod descriptions;
mod drain_buffers;
mod layout;
mod partial_blocks;
mod retry_budget;
mod runs;
mod segments;
mod slices;
mod tables;
mod tree;

use layout::Layout;

/// Gallatin: the addresses and constants of a heap.
///
/// Invariant: the tables and records that `plan` divided lie there, and stay mapped. Buffers name
/// blocks of the heap, and trees its segments: only this module writes the tables. A `Block`,
/// `Segment` or `SliceClass` is one of the heap, so that what is at one can be found without
/// a promise; methods that ask for who owns it are unsafe.
#[derive(Clone, Copy)]
pub struct Gallatin {
    blocks: *mut u8,
    tables: *mut u8,
    records: *mut u8,
    layout: Layout,
}

impl Gallatin {
    /// The heap as its tasks see it, the functions that are not inlined: none of them asks for
    /// the address of a block.
    ///
    /// # Safety
    ///
    /// The pointers and the bits of the layout are those of a heap.
    #[inline(always)]
    unsafe fn of_tables(tables: *mut u8, records: *mut u8, layout: u64) -> Self {
        Self {
            blocks: core::ptr::null_mut(),
            tables,
            records,
            layout: Layout::from_bits(layout),
        }
    }
}
