//! Segments: which class they have, and which of their blocks are at rest.
//!
//! A segment's word has the class in its high half, or that the segment has none, or is the
//! first of a run; and in its low half a bit for each block at rest. Who clears a bit owns the
//! block, and learns of the same operation which class it has: it gives back what is not of its
//! class. Who exchanges a word with all bits of its class for that of a segment without class
//! owns the segment. A segment without class and a run have no bits, so that no late thread can
//! change their words.
//!
//! Requests for blocks format one of the lowest free segments; runs ([`super::runs`]) are taken
//! from the other end of the pool. A gate a class lets as many threads at a time format segments
//! as make blocks for 32 requests, while the others look again later: each would format one.
//!
//! | operation | order | why |
//! |---|---|---|
//! | bit cleared | acquire | pairs with the two below: the block's former owner is done |
//! | word stored by the segment's owner | release | its past comes before its blocks' owners |
//! | bit set | acq_rel | the block's past, and that of all blocks for who completes it |
//! | word exchanged for none | acquire | as above |

use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use super::Gallatin;
use super::tables::{Block, NO_CLASS};
use super::tree::NONE;
use crate::simt::Warp;

/// The word of a segment without class: free, or inside a run.
pub const NO_SEGMENT: u64 = (NO_CLASS as u64) << 32;
/// The class of the first segment of a run.
pub const RUN: u32 = 30;
/// In place of a block: others are making some.
pub const GATED: u32 = NONE - 1;

/// Where a block may come from.
#[derive(Clone, Copy)]
#[repr(u32)]
pub enum Source {
    /// A segment that has some at rest.
    Resting,
    /// A free segment, too, if the gate lets the caller format it.
    Gate,
    /// A free segment, too.
    Any,
}

/// The class in a segment's word, [`RUN`] or [`NO_CLASS`].
#[inline(always)]
pub fn segment_class(word: u64) -> u32 {
    (word >> 32) as u32
}

/// The bits of a word from `from` on, around the end: the first that is set of some.
#[inline(always)]
pub fn pick(bits: u32, from: u32) -> u32 {
    (bits.rotate_right(from % 32).trailing_zeros() + from) % 32
}

impl Gallatin {
    /// A block of `class` from a segment that has blocks at rest: its number, or [`NONE`]. The
    /// caller owns it.
    #[inline(always)]
    fn take_resting(&self, class: u32, spread: u32) -> u32 {
        let tree = self.resting_tree(class);
        // A turn that fails takes a segment out of the tree, or gave another class its block back.
        for _ in 0..self.layout.segments + 32 {
            let segment = tree.find();
            if segment == NONE {
                return NONE;
            }
            // SAFETY: the trees hold segments of the heap.
            unsafe {
                let word = self.segment(segment);
                // Relaxed: a hint; `fetch_and` decides.
                let mut seen = word.load(Relaxed);
                while segment_class(seen) == class && seen as u32 != 0 {
                    let number = pick(seen as u32, spread);
                    let bit = 1_u64 << number;
                    // Acquire: the block's former owner is done with it.
                    seen = word.fetch_and(!bit, Acquire);
                    if seen & bit == 0 {
                        continue;
                    }
                    let block = Block { segment, number };
                    if segment_class(seen) != class {
                        self.give_block(block);
                        break;
                    }
                    if seen as u32 == bit as u32 {
                        self.leave_tree(segment, class);
                    }
                    return self.id(block);
                }
                self.leave_tree(segment, class);
            }
        }
        NONE
    }

    /// Takes a segment out of the tree of those of `class` with blocks at rest, unless it has
    /// some.
    ///
    /// # Safety
    ///
    /// `segment` is one of the heap, and `class` one of its classes.
    #[inline(always)]
    unsafe fn leave_tree(&self, segment: u32, class: u32) {
        let tree = self.resting_tree(class);
        // SAFETY: the caller's promise.
        unsafe {
            tree.clear(segment);
            // Relaxed: if the bit had been set for a block that we did not see, we have
            // acquired it.
            let word = self.segment(segment).load(Relaxed);
            if segment_class(word) == class && word as u32 != 0 {
                tree.set(segment);
            }
        }
    }

    /// Gives a block back to its segment, and the segment to the pool if it was the last.
    ///
    /// # Safety
    ///
    /// The caller owns the block, and gives it up.
    #[inline(always)]
    pub(super) unsafe fn give_block(&self, block: Block) {
        let bit = 1_u64 << block.number;
        // SAFETY: the caller's promise: until the bit is set, the segment keeps its class.
        // After the exchange it is ours.
        unsafe {
            let word = self.segment(block.segment);
            // Release: all that was done to the block comes before its next owner. Acquire: if
            // it is the last, all that was done to the others does.
            let before = word.fetch_or(bit, AcqRel);
            let class = segment_class(before);
            let all = self.layout.all_blocks(class);
            let now = before | bit;
            if now as u32 != all {
                if before as u32 == 0 {
                    self.resting_tree(class).set(block.segment);
                }
                return;
            }
            // Acquire: as above, of who took and gave back a block meanwhile.
            if word.compare_exchange(now, NO_SEGMENT, Acquire) == now {
                if all != 1 {
                    self.resting_tree(class).clear(block.segment);
                }
                self.free_tree().set(block.segment);
            } else if before as u32 == 0 {
                // Another has taken a block of the only one.
                self.resting_tree(class).set(block.segment);
            }
        }
    }

    /// Formats a free segment, if there is one: the caller owns the first of its blocks, whose
    /// number is returned, or [`NONE`].
    #[inline(always)]
    fn format(&self, class: u32, spread: u32) -> u32 {
        let segment = self.free_tree().take(spread);
        if segment == NONE {
            return NONE;
        }
        let others = self.layout.all_blocks(class) & !1;
        // SAFETY: the segment is ours, and has no bits that a late thread could clear.
        unsafe {
            // Release: what its last owner did, which we have acquired, comes before what the
            // owners of its blocks do.
            let word = u64::from(class) << 32 | u64::from(others);
            self.segment(segment).store(word, Release);
            if others != 0 {
                self.resting_tree(class).set(segment);
            }
        }
        self.id(Block { segment, number: 0 })
    }

    /// A block of `class` that the caller owns: its number, or [`NONE`] if there is none, or
    /// [`GATED`].
    ///
    /// # Safety
    ///
    /// `class` is one of the heap.
    #[inline(always)]
    pub(super) unsafe fn take_block<W: Warp>(&self, warp: W, class: u32, from: Source) -> u32 {
        let what = class << 2 | from as u32;
        let bits = self.layout.to_bits();
        // SAFETY: the parts of this heap, and the caller's promise.
        unsafe { outlined(self.tables, self.records, bits, what, warp.processor()) }
    }

    /// [`Self::take_block`], in line.
    ///
    /// # Safety
    ///
    /// As for that.
    #[inline(always)]
    unsafe fn search_block(&self, class: u32, from: u32, spread: u32) -> u32 {
        if self.layout.all_blocks(class) == 1 {
            // A segment of one block is nobody else's.
            let is_asked = from != Source::Resting as u32;
            return if is_asked {
                self.format(class, spread)
            } else {
                NONE
            };
        }
        // SAFETY: the caller's promise.
        let gate = unsafe { self.gate(class) };
        let mut passes = false;
        let block = loop {
            let block = self.take_resting(class, spread);
            let is_last = from == Source::Resting as u32 || self.free_tree().find() == NONE;
            if block != NONE || is_last {
                break block;
            }
            if passes || from == Source::Any as u32 {
                break self.format(class, spread);
            }
            // Relaxed, all: the gate spares segments, and protects nothing.
            passes = gate.fetch_add(1, Relaxed) < 32 >> self.layout.blocks_bits(class);
            if !passes {
                gate.fetch_add(u32::MAX, Relaxed);
                return GATED;
            }
            // Who was inside before may have made blocks since.
        };
        if passes {
            gate.fetch_add(u32::MAX, Relaxed);
        }
        block
    }
}

/// [`Gallatin::take_block`], out of line as it is long, and rare. `what` is the class, and in the
/// lowest two bits the source.
///
/// # Safety
///
/// The pointers and the bits of the layout are those of a heap; otherwise as for that.
#[inline(never)]
unsafe fn outlined(tables: *mut u8, records: *mut u8, layout: u64, what: u32, spread: u32) -> u32 {
    let heap = Gallatin::of_tables(tables, records, layout);
    // SAFETY: the caller's promise.
    unsafe { heap.search_block(what >> 2, what & 3, spread) }
}
