//! Halloc (Adinetz and Pleiter, GTC 2014): slabs of chunks of one size with a bitmap that
//! tells the free ones, and for each size a *head*, the slab from which requests are served.
//!
//! A part of the pool is divided into *slabs*, a power of two of bytes each. A slab is free, or
//! divided into chunks of one size *class*: 1, 2, 3, 4, 6, 8, 12, ... units ([`layout`]). A
//! request takes the next ticket of the head of its class, and the chunk with that number, or
//! another one if that is taken. A head that is filled beyond a threshold is replaced
//! ([`heads`]). A request that is too large for a chunk goes to another allocator ([`relay`]): runs
//! of pages in the rest of the pool ([`pages`]), or the heap of the system.
//!
//! The invariants, and the operation that decides each:
//!
//! - *Who adds to the count of taken chunks in a slab's word, and finds there the class that it
//!   expects and a count that was lower than the chunks, has a permit for a chunk*
//!   ([`slabs`]). One addition is both, whatever was read before. Until it is taken back, the
//!   slab keeps its class.
//! - *There are at least as many clear bits as permits*: a bit is cleared before the count is
//!   lowered. So whoever has a permit finds a bit ([`chunks`]), and changing it from 0 to 1
//!   makes the chunk its own.
//! - *Who exchanges the word of a slab with count 0 for one without a class owns the slab*, and
//!   gives it back to the free ones ([`sets`]).
//! - *Who clears a slab's bit in the set of free slabs owns it*, and gives it a class.
//! - *Who clears a page's bit in the map of free pages owns it*.
//!
//! Everything else is a hint: which slab is a head, in which set of its class a slab is. A wrong
//! one costs a search. That none is lost, so that all memory is found by whoever looks
//! everywhere, is argued in [`sets`].
//!
//! Differences from the published code, and why:
//!
//! - Class and count are one word, which is changed before a bit is. In the published code the
//!   bit comes first and the class is checked afterwards.
//! - The ticket is in that word, too: one addition for all lanes of a class yields permits and
//!   chunks that lie side by side. The published counters are a second word.
//! - Chunks of neighbouring numbers have bits in neighbouring words, so that lanes do not meet in
//!   one, and a chunk that is taken leads to 31 others that are far from it.
//! - A head is replaced by a thread that sets a flag. Others go on with the old head, and at last
//!   take chunks from other slabs: no thread waits for long, as who holds the published lock may.
//! - A large pool has several heads for each class: all that take of one slab meet in its word.
//! - Slabs that are heads but empty, and the allocator of large blocks, serve requests that would
//!   be refused, the latter those that use at least a quarter of a page.
//! - Large blocks are runs of pages under a bitmap as well, where the published ones are CUDA's.
//!
//! No call waits for another thread, so that lanes of a warp may run in any order. A lane meets
//! the others of its warp only in `sync`, votes and shuffles over the mask that it has read at
//! the start of the call, and all of them come by these as often as the last one; between two of
//! them each loop of a lane ends by itself: it fails where another thread succeeds, and who has
//! a permit finds a bit. Tasks out of line have no collective. A thread that stops anywhere keeps
//! from others what it holds there: a slab that it has taken out of the free ones or is about to
//! put into a set, pages that it has claimed, a flag at a head. They look elsewhere.
//!
//! No number is read twice with a meaning between: a slab's word is changed by one operation
//! that returns what it was, or exchanged with all that it was, its ticket, count and class. A
//! ticket comes around after 2^32 requests of a slab; an exchange that takes a class away or
//! makes a head finds the same word then only if the same is true of the slab.

mod chunks;
mod contract;
mod descriptions;
mod heads;
mod layout;
mod level;
mod pages;
mod relay;
mod requests;
mod runs;
mod search;
mod sets;
mod slabs;
mod word;

use layout::Layout;
pub use runs::PageRuns;

/// The slabs of a heap: their addresses and constants.
///
/// Invariant: the tables that a [`Layout`] divides lie there, and stay mapped. Heads and sets have
/// slabs of the heap: only this module writes the tables. A [`Slab`](word::Slab) or
/// [`Class`](level::Class) is one of the heap, so that what belongs to it can be found without a
/// promise; methods that ask for who owns a slab or a chunk are unsafe.
#[derive(Clone, Copy)]
struct Slabs {
    blocks: *mut u8,
    tables: *mut u8,
    layout: Layout,
}

impl Slabs {
    /// The slabs with these tables and these bits of a layout, for a task out of line: such tasks
    /// touch no blocks.
    ///
    /// # Safety
    ///
    /// The tables and the bits are those of a heap.
    unsafe fn without_blocks(tables: *mut u8, layout: u64) -> Self {
        Self {
            blocks: core::ptr::null_mut(),
            tables,
            layout: Layout::from_bits(layout),
        }
    }
}

/// Halloc over an allocator of large blocks.
#[derive(Clone, Copy)]
pub struct Halloc<L> {
    slabs: Slabs,
    large: L,
    /// The heap of large blocks.
    base: *mut u8,
    integer: u64,
}
