//! FlatterScatter (mallocMC 3, Lenz and Widera 2024): pages of chunks of one size, and a table of
//! pages that requests probe from a hashed start on. A flatter hierarchy than that of ScatterAlloc:
//! no regions, no fill levels of regions, and no second level of bits in a page.
//!
//! The pool is divided into *pages*, and these into *access blocks* of as many pages each. A page
//! serves chunks of one size. The first request that uses an unused page decides the size. Others
//! may use chunks of up to `waste` times what they want. Larger requests take pages in a row.
//!
//! The table has a word for each page ([`pages`]): the *size* of its chunks, a flag that locks the
//! page, and the *filling level*, which counts the threads and chunks that are inside. The
//! invariants, and the operation that decides each:
//!
//! - *A thread enters a page by an addition to its filling level*, which returns the size and the
//!   level before. It may take a chunk if the page has the size that it read, and the level was
//!   below the number of chunks. Otherwise it leaves again and touches nothing.
//! - *As many chunks are free as threads may take one.* A chunk's bit is cleared before its owner
//!   leaves. So a thread that may take a chunk finds a clear bit ([`field`]), and changing it from 0
//!   to 1 makes the chunk its own.
//! - *A page whose filling level is 0 is unused*, whatever its size: no bit is set, and no thread
//!   may take a chunk. An exchange of this word for a locked one makes the page the thread's own.
//! - *All other changes of a word are additions*, so that threads that enter in vain and leave again
//!   disturb none.
//!
//! So nothing is cleaned up when the last chunk of a page is freed: the next request of that size
//! enters, one of another size locks the page. Memory comes back in full.
//!
//! Everything else is a hint: what a load of a word showed, and where requests begin.
//!
//! No call waits for another. A failed exchange or addition means that another thread is inside the
//! page, and the request goes on to the next.

mod contract;
mod descriptions;
mod field;
mod layout;
mod pages;
mod runs;
mod search;

use layout::Layout;

/// FlatterScatter: the addresses and constants of a heap.
#[derive(Clone, Copy)]
pub struct FlatterScatter {
    blocks: *mut u8,
    table: *mut u8,
    layout: Layout,
}
