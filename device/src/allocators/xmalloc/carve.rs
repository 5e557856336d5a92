//! Superblocks that are cut: each class cuts basic blocks off one superblock, front to back.
//!
//! The *cut* of a class is a word, `superblock << 32 | blocks`: how many blocks of the superblock
//! have been cut off. Requests add to it, so that as many as there are blocks are served without
//! a failed exchange; one that reads a number past the last has got nothing. A thread that cuts the
//! last block off replaces the word. Others wait a few turns for that, and then replace it
//! themselves.
//!
//! How far past the last the number may grow is bounded: a thread looks before it adds, so that
//! each adds to a word at most once that it saw too early, 32 at the most.
//!
//! | operation | order | why |
//! |---|---|---|
//! | exchange that installs a superblock | release | its word is stored, and it was acquired from the map |
//! | addition, swap that retires | acquire | pairs with that; additions continue its release sequence |
//! | loads | relaxed | hints |

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use super::XMalloc;
use super::blocks::Request;
use super::tables::{Class, NONE, Superblock, word_of};

/// The number of blocks that is past the last of any superblock.
const PAST: u32 = 1 << 30;
/// The cut of a class that has no superblock.
pub const NO_CUT: u64 = (NONE as u64) << 32 | PAST as u64;
/// Classes with no more blocks a superblock cut none together: a request has a superblock of its
/// own, whose rest is home at once. Otherwise requests for many large blocks would wait
/// for one superblock after the other.
pub const FEW: u32 = 16;

/// Basic blocks that were cut off.
#[derive(Clone, Copy)]
pub struct Slice {
    /// Their superblock; a number of none if there are no blocks.
    pub superblock: u32,
    /// The first.
    pub first: u32,
    /// How many: 0 if there was none.
    pub count: u32,
    /// Whether the superblock has no more.
    pub is_last: bool,
}

impl XMalloc {
    /// Whether the cut of a class has blocks left; a hint.
    #[inline(always)]
    pub(super) fn has_cut(&self, class: Class) -> bool {
        // Relaxed: a hint.
        let seen = self.cut(class).load(Relaxed);
        (seen as u32) < self.capacity(class)
    }

    /// Cuts up to as many blocks off as are requested.
    #[inline(always)]
    pub(super) fn cut_off(&self, request: Request) -> Slice {
        let (class, wanted) = (request.class(), request.wanted());
        let capacity = self.capacity(class);
        let mut slice = Slice {
            superblock: 0,
            first: 0,
            count: 0,
            is_last: false,
        };
        if self.has_cut(class) {
            // Acquire: the superblock is as its installer left it.
            let before = self.cut(class).fetch_add(u64::from(wanted), Acquire);
            let (superblock, first) = ((before >> 32) as u32, before as u32);
            if first < capacity {
                let left = capacity - first;
                slice = Slice {
                    superblock,
                    first,
                    count: if wanted < left { wanted } else { left },
                    is_last: wanted >= left,
                };
            }
        }
        slice
    }

    /// Makes a superblock the one that a class cuts, with `count` blocks cut off, unless it has
    /// another; whether it did.
    ///
    /// # Safety
    ///
    /// `count` is at most the blocks of a superblock of the class. The caller owns the
    /// superblock, whose bits of home blocks are clear, and gives up all but these blocks if the
    /// answer is yes.
    #[inline(always)]
    pub(super) unsafe fn install(&self, class: Class, superblock: Superblock, count: u32) -> bool {
        let capacity = self.capacity(class);
        let ours = u64::from(superblock.number()) << 32 | u64::from(count);
        // Relaxed: the exchange releases it.
        self.word(superblock).store(word_of(class, 0), Relaxed);
        // Relaxed: a hint.
        let mut seen = self.cut(class).load(Relaxed);
        // An exchange that fails was another's, or an addition by one who looked before the last
        // block was cut off: there are no more of these than threads.
        while seen as u32 >= capacity {
            // Release: whoever cuts a block off finds the superblock ready.
            let held = self.cut(class).compare_exchange(seen, ours, Release);
            if held == seen {
                return true;
            }
            seen = held;
        }
        false
    }

    /// Takes what is left of the superblock that a class cuts away from it.
    #[inline(always)]
    pub(super) fn retire_cut(&self, class: Class) -> Slice {
        let capacity = self.capacity(class);
        // Acquire: as in `cut_off`.
        let before = self.cut(class).swap(NO_CUT, Acquire);
        let (superblock, first) = ((before >> 32) as u32, before as u32);
        Slice {
            superblock,
            first,
            count: capacity.saturating_sub(first),
            is_last: true,
        }
    }
}
