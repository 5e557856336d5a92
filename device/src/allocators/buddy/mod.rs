//! The 3L allocator (Lee, A New Non-Blocking Approach on GPU Dynamical Memory Management, 2014):
//! a buddy system with a queue of signals for each size of blocks.
//!
//! Blocks of *level* k are 2^k units. A level has a circular queue, and HEAD and TAIL, whose
//! tickets are drawn by `fetch_add`. A thread that draws a ticket of HEAD looks at the signal in
//! its slot (section 3, figure 1 of the paper):
//!
//! | signal | paper | here |
//! |---|---|---|
//! | ADDRESS | a free block, which is the reader's now | a group with free blocks, which is the reader's to take from ([`queue`]) |
//! | EMPTY | nothing yet: if no more slots are there split a block of the level above, or else wait | the reader makes it CAPTURED, and draws again |
//! | CAPTURED | the block has been merged: draw another ticket | the same: the group has no free block left |
//! | OVERFLOW | refuse | no level that is large enough counts a free block, and none below has pairs to merge: refuse |
//!
//! *Pair creation*: a block of a level above is split into buddies: one is the
//! request's and the others go to their level; here in steps of up to five levels, and the
//! last step makes as many blocks as the lanes of the warp want together. *Merging*: if the
//! buddy of a freed block is free, both are one block of the level above; here not at
//! once but when it is needed ([`merge`]).
//!
//! # What is mended
//!
//! - *Nobody waits.* In the paper the thread of an even ticket waits until that of an odd one
//!   has split a block, and both are lanes of one warp as a rule. Since sm_70 lanes are
//!   scheduled apart, and before it they were not to be waited for at all; a thread whose slot
//!   is never filled waits for ever. Here nothing is announced by a ticket. A thread that finds no
//!   block on its level takes one above and splits it for itself and the lanes that run with it,
//!   and a slot that is not filled is skipped: its producer sees that, and draws another ticket.
//! - *Buddies merge in one step.* The paper takes the smaller of two buddies off the queue,
//!   then the larger, in this order so that two threads do not each take one; a thread that
//!   loses the second puts the first back, and in between it is no thread's. Here the signals of
//!   buddies are neighbouring bits of one word, and one exchange takes all pairs of it.
//! - *Blocks are not split and merged by turns.* In the paper a thread that frees the last block
//!   merges it up to the root, and the next request splits the root again. Here the pairs of
//!   some groups of each level stay as they are. A request merges them before it is refused,
//!   so that after all frees a block of the largest size can be had, as in the paper
//!   ([`merge`]).
//! - *Blocks are not looked into.* In the paper a free block holds the number of its slot.
//!   Whoever merges reads it from the buddy, which may be live, and then what its owner wrote:
//!   a race, and a slot that any number names. Here the place of a signal follows from the
//!   block's number.
//! - *Queues do not overflow.* In the paper each merge leaves a captured slot behind, so that
//!   a circular queue of any length is full at some time. Here the slots are of groups of 32
//!   blocks, and a group is in its queue at most once, which a bit of its word says: a queue
//!   has a slot for each group ([`queue`]).
//!
//! # Invariants
//!
//! - *Who changes a bit of a group's word from 1 to 0 owns the block* until it frees it
//!   ([`groups`]). The exchange of the word decides, whatever was read before. Since a block has
//!   a bit for itself, no value that comes again (ABA) gives it to two.
//! - *A group with a free block is listed*: it is in its level's queue, or a thread holds it
//!   that lists it again unless it takes all that is free there. So no free block is lost.
//! - *A group with two free buddies is named*, or a thread is about to name it or to merge
//!   them ([`merge`]). So no two free buddies are lost to a request for both.
//! - *The count of a level's free blocks is never too low*: what is freed is counted before its
//!   bit is set, what is split or merged is counted on its new level before it is counted off
//!   its old one. So with no free block counted from a level on, and nothing named below it,
//!   there is nothing that a request overlooked but what other calls in progress moved, or were
//!   about to name or to merge.
//!
//! # How long a call takes
//!
//! `free` sets a bit and names a group, and merges the pairs of one group a level at most. An
//! exchange is repeated if another thread's has succeeded, and nothing waits: it is lock-free.
//! `malloc` is refused at once where the counts say so. If they say that there is
//! something, and it is another thread's to split, merge or put into a queue, it looks again up
//! to [`search::MAX_LOOKS`] times, with pauses that grow, and is refused then. That is a bound,
//! not a wait: a thread that is descheduled in the middle of a call delays no other beyond it. It
//! may have requests refused though, so that a null is no evidence.

mod contract;
mod descriptions;
mod groups;
mod layout;
mod merge;
mod queue;
mod search;

use layout::Layout;

/// The 3L allocator: the addresses and constants of a heap.
///
/// Invariant: the blocks, tables and names that `plan` divided lie there, and stay mapped. Queues
/// and names have groups of their levels: only this module writes them. So what a
/// `Level` has can be found without a promise; methods that ask for who holds a
/// group or owns blocks are unsafe.
#[derive(Clone, Copy)]
pub struct BuddyAlloc {
    blocks: *mut u8,
    tables: *mut u8,
    names: *mut u8,
    layout: Layout,
}

impl BuddyAlloc {
    /// The heap of these parts, for a task out of line: no block is looked into.
    ///
    /// # Safety
    ///
    /// The pointers and the bits of the layout are those of a heap.
    #[inline(always)]
    unsafe fn without_blocks(tables: *mut u8, names: *mut u8, layout: u64) -> Self {
        Self {
            blocks: core::ptr::null_mut(),
            tables,
            names,
            layout: Layout::from_bits(layout),
        }
    }
}
