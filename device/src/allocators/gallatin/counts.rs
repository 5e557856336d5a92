//! Counts: who claims which slices of an open block.
//!
//! A block is *open* as long as slices are left to be claimed. Its *count* is how many were, with
//! the class in the highest bits, or that the block is closed. A claim is an addition: who moved
//! the count on owns the slices that it passed. A slice beyond the block's is refused, so
//! that a count that is exhausted may go on growing: by what the lanes that run at a time add a
//! few times each, since the block leaves the buffer before they are done.
//!
//! | operation | order | why |
//! |---|---|---|
//! | count, added to | acquire | pairs with the store: former owners are done, bits are clear |
//! | count, stored when opened | release | as above |
//! | count, exchanged when closed | acquire | as for a claim |
//! | state, class added when opened | release | the bits are clear before a pin finds the class |

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use cuda_std::atomic::store_four;

use super::Gallatin;
use super::blocks::{HINTED, class_added};
use super::tables::{Block, NO_CLASS, SliceClass};

/// Bits of a count below the class.
const COUNT_BITS: u32 = 27;
/// The claimed slices in a count.
pub const COUNT_MASK: u32 = (1 << COUNT_BITS) - 1;
/// The count of a block that is not open.
pub const CLOSED: u32 = NO_CLASS << COUNT_BITS | 1 << 20;

/// The count of an open block of `class` with so many slices claimed.
#[inline(always)]
pub fn open_count(class: u32, slices: u32) -> u32 {
    class << COUNT_BITS | slices
}

/// A count that an addition found.
#[derive(Clone, Copy)]
pub struct Claim {
    /// The class of the block.
    pub class: u32,
    /// The first slice that was added.
    pub first: u32,
    /// How many of them are the caller's: 0 if the block was not open.
    pub count: u32,
}

impl Gallatin {
    /// Claims up to `wanted` slices of a block.
    #[inline(always)]
    pub(super) fn claim(&self, block: Block, wanted: u32) -> Claim {
        self.claimed(self.add(block, wanted), wanted)
    }

    /// Adds to a block's count, and returns it as it was before.
    #[inline(always)]
    pub(super) fn add(&self, block: Block, wanted: u32) -> u32 {
        // Acquire: what was done to the slices before the block was opened, and that their bits
        // are clear, comes before. Others have added since, by read-modify-writes.
        self.count(block).fetch_add(wanted, Acquire)
    }

    /// The claim of a thread that found a count of `before` and added `wanted`.
    #[inline(always)]
    pub(super) fn claimed(&self, before: u32, wanted: u32) -> Claim {
        let class = before >> COUNT_BITS;
        let first = before & COUNT_MASK;
        let mut count = 0;
        if class != NO_CLASS {
            let left = self.layout.slices(class).saturating_sub(first);
            count = if left < wanted { left } else { wanted };
        }
        Claim {
            class,
            first,
            count,
        }
    }

    /// Opens a block, whose first `count` slices the caller takes.
    ///
    /// # Safety
    ///
    /// The caller owns the block, and gives up what it does not take.
    #[inline(always)]
    pub(super) unsafe fn open(&self, block: Block, class: SliceClass, count: u32) {
        let words = self.layout.words(class.number());
        // SAFETY: the words of the block. No thread has a slice of it, and none clears bits of one
        // at rest.
        // Relaxed, all: what follows releases them.
        unsafe {
            let mut word = 0;
            if words >= 4 {
                while word < words {
                    store_four(&*self.bits(block, word).cast(), 0);
                    word += 4;
                }
            }
            while word < words {
                self.bits_word(block, word).store(0, Relaxed);
                word += 1;
            }
        }
        // An addition, since others may pin a block at rest for a moment.
        // Release: who pins it then finds the bits clear.
        let added = class_added(class.number());
        let before = self.state(block).fetch_add(added, Release);
        if before & HINTED != 0 {
            // By a thread that was late. The block is to be in the lists of its class.
            self.list(block, class);
        }
        // Release: as for the state, for who claims slices.
        let count = open_count(class.number(), count);
        self.count(block).store(count, Release);
    }

    /// Frees what no thread has claimed of a block, which is then not open.
    #[inline(always)]
    pub(super) fn close(&self, block: Block) {
        // Acquire: as for a claim.
        let before = self.count(block).swap(CLOSED, Acquire);
        let rest = self.claimed(before, u32::MAX >> 1);
        if rest.count != 0 {
            // SAFETY: slices that the exchange found unclaimed are ours.
            unsafe { self.free_range(block, rest) }
        }
    }
}
