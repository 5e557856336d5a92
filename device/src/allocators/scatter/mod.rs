//! ScatterAlloc (Steinberger, Kenzel, Kainz and Schmalstieg, InPar 2012): pages that are
//! divided into chunks of one size, and requests that are scattered over the pages by
//! hashing.
//!
//! The pool is divided into *pages*, a power of two of bytes each. A page is unused, or one
//! of a run of pages that is a block, or divided into chunks of one size. 32 pages are a
//! *region*, 16 regions a *super block*, whose tables lie together ([`layout`]).
//!
//! The invariants, and the operation that decides each:
//!
//! - *Who clears a page's bit in the map owns the page* until it gives the page back
//!   ([`pages`]). The exchange on the bit decides, whatever was read before.
//! - *Who lowers the count of free chunks in a page's word may take as many of its chunks.*
//!   The word also holds the chunk size, so that one exchange confirms both: a thread that
//!   read the word long ago lowers nothing unless the page is now as it was then. Until the
//!   owner of a chunk raises the count again, the page is not whole, and keeps its size.
//! - *There are at least as many clear bits as permits*: a bit is cleared before the count is
//!   raised. So whoever has a permit finds a bit ([`chunks`]), and changing it from 0 to 1
//!   makes the chunk its own.
//! - *Who exchanges the word of a page whose chunks are all free for 0 owns the page*, and
//!   gives it back to the map.
//!
//! Everything else is a hint: a region's fill level, which group of a page's bits are full,
//! where requests of a kind were served last. A wrong hint costs a search.
//!
//! Differences from the paper, and why:
//!
//! - Chunk size and count are one word. In the paper they are two, between whose changes
//!   a thread may stall.
//! - Requests of a page or more take runs of pages from a map of bits ([`runs`]), without the
//!   lock that the published code takes, which serves one such request at a time.
//! - Lanes that request chunks of one size together get them from one page by one exchange,
//!   without the header of the paper's coalesced blocks: each is freed on its own.
//! - A request that would be refused takes a chunk of any size that is large enough.

mod chunks;
mod contract;
mod descriptions;
mod layout;
mod pages;
mod runs;
mod search;

use layout::Layout;

/// ScatterAlloc: the addresses and constants of a heap.
#[derive(Clone, Copy)]
pub struct ScatterAlloc {
    blocks: *mut u8,
    tables: *mut u8,
    layout: Layout,
}
