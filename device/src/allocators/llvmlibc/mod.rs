//! LLVM libc's `malloc` for GPUs: slabs of chunks of one size, each behind a pointer that counts
//! its users. The first user of a slab makes it, and the last one gives it back.
//!
//! The pool is divided into *slabs*. A slab in use has *chunks* of one size class behind a
//! bitfield, or is one of a *run* that serves a larger request. Requests find slabs by a table of
//! *slots*, in which each class begins to search at a place of its own ([`search`]).
//!
//! A slot's word ([`slots`]) holds a tag and a *count* of the chunks and threads inside. The tag
//! says that the slot is empty, claimed for a class, or *live*: then it has the class and the slab.
//! The invariants, and the operation that decides each:
//!
//! - *A thread enters a slab by an addition to the count*, which returns the tag and the count
//!   before. It may take a chunk if the slot was live for its class, and the count below the
//!   number of chunks. Otherwise it leaves again and touches nothing.
//! - *As many chunks are free as threads may take one.* A chunk's bit is cleared before its owner
//!   leaves. So a thread that may take a chunk finds a clear bit ([`field`]), and changing it from 0
//!   to 1 makes the chunk its own.
//! - *A slab with users stays in its slot.* The exchange that retires it expects a count of 0. Its
//!   success makes the slab the thread's own, which gives it back.
//! - *A slab without users is retired.* The thread whose subtraction makes the count of a live slot
//!   0 tries it. If it fails, then another thread has entered and does so later, or has retired it.
//!   A request of another class that finds a count of 0 also tries it.
//! - *The owner of a claimed slot is one thread*: it changed the whole word from 0. It puts a slab
//!   into the slot by an addition, as others may be inside in vain.
//! - *A slab has one owner*: a slot, a run, or the thread that changed its owner word from that of a
//!   free slab ([`slabs`]). A run is taken slab by slab.
//! - *A retired slab has clear bits*, as it has no users. So chunks of the same size or larger ones
//!   need not clear them.
//!
//! The count does not overflow: a slab has less than 2^17 chunks, and each thread adds 32 at most
//! before it subtracts. It does not underflow: each thread subtracts as many as it has added, after
//! that.
//!
//! Everything else is a hint: what a load of a word showed, and where requests begin.
//!
//! A request waits where another thread has claimed a slot for the same class and is about to put a
//! slab there. The number of its pauses is bounded ([`contract`]): then it goes on and claims a slot
//! itself. Wherever a thread stops, it holds back no more than the chunk or slab that it was about
//! to take or give back.

mod contract;
mod descriptions;
mod field;
mod layout;
mod search;
mod slabs;
mod slots;

use layout::Layout;

/// LLVM libc's GPU malloc: the addresses and constants of a heap.
#[derive(Clone, Copy)]
pub struct LlvmLibc {
    blocks: *mut u8,
    tables: *mut u8,
    layout: Layout,
}
