//! XMalloc (Huang, Rodrigues, Jones, Buck and Hwu, CIT 2010): superblocks that are cut into
//! basic blocks of a size class, FIFO bins of free basic blocks, and requests of a warp that
//! are coalesced.
//!
//! The pool is divided into *superblocks*, a power of two of bytes each. A superblock is
//! unused, or part of a run of superblocks that is a block, or cut into *basic blocks* of one
//! size class (`layout`). A free basic block lies in the bin of its class, a bounded queue
//! without a lock (`fifo`); or in its superblock, if the bin is full; or it has not been cut
//! off yet.
//!
//! The invariants, and the operation that decides each:
//!
//! - *Who exchanges a slot of a bin that holds a basic block owns the block.* The slot holds
//!   the block and a ticket in one word.
//! - *Who moves the cut of a class owns the blocks in between* (`carve`). The word names the
//!   superblock and how far it is cut.
//! - *Who lowers the count of a superblock's home blocks may take as many of them*, and there
//!   are at least as many bits: a bit is set before the count is raised (`home`). The word
//!   holds the class, too, so that one exchange confirms both.
//! - *Who exchanges the word of a superblock all of whose blocks are home for 0 owns the
//!   superblock*, and gives it back to the map (`superblocks`).
//! - *Who clears a superblock's bit in the map owns the superblock*, until it sets it again.
//!
//! The other queues hold superblocks: those that are unused, and for each class those with home
//! blocks. They are hints: an entry that is wrong costs a try, one that is missing a search.
//!
//! Differences from the paper, and why:
//!
//! - A bin's slots have tickets that whoever comes later may overtake, so that nobody waits for a
//!   thread whose turn it is.
//! - Blocks go home to their superblocks when a bin is full, and those of all bins before a
//!   request is refused (`flush`). So memory serves other sizes again.
//! - Of a coalesced block only the header tells that it is one: a lane's part never lies at the
//!   start of a basic block, where all others do. So blocks that are not coalesced have no
//!   header.

mod blocks;
mod carve;
mod contract;
mod descriptions;
mod fifo;
mod flush;
mod home;
mod layout;
mod refill;
mod runs;
mod superblocks;
mod tables;

pub use fifo::{Fifo, NOTHING, Tickets};
use layout::Layout;

/// XMalloc: the addresses and constants of a heap.
///
/// Invariant: the superblocks, queues and tables that `plan` divided lie there, and stay mapped.
/// Queues, cuts and the map have superblocks of the heap: only this module writes them. A
/// `Class` or `Superblock` is one of the heap, so that the
/// words of one can be found without a promise; methods that ask for who owns a block are unsafe.
#[derive(Clone, Copy)]
pub struct XMalloc {
    blocks: *mut u8,
    queues: *mut u8,
    tables: *mut u8,
    layout: Layout,
}

impl XMalloc {
    /// The heap of these parts, for a task out of line.
    ///
    /// # Safety
    ///
    /// The pointers and the bits of the layout are those of a heap.
    #[inline(always)]
    unsafe fn of_parts(blocks: *mut u8, queues: *mut u8, tables: *mut u8, layout: u64) -> Self {
        Self {
            blocks,
            queues,
            tables,
            layout: Layout::from_bits(layout),
        }
    }
}
