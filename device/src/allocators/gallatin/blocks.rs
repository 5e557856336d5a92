//! Blocks: when one is whole again.
//!
//! A block is *at rest*, with its bit in its segment's word, or *live*: opened by a thread that
//! owned it, until all of its slices are free. Three things belong to it: its count
//! ([`super::counts`]), a bit for each slice that was freed ([`super::slices`]), and its
//! *state*: the class, or that the block is at rest; how many threads have pinned it; whether it
//! is in the lists of blocks with free slices ([`super::partial_blocks`]); and how many of its
//! words of bits are full.
//!
//! A word becomes full by the `fetch_or` of some free, and ceases to be by the exchange of some
//! request that takes slices again. Of a word these alternate, and each is counted in the state
//! by whom it was done, afterwards. A request counts while it pins the block. So if no thread has
//! pinned it, no more words are counted than are full: if all are counted, all slices are free.
//! Then nobody has a slice, and nobody may take one without a pin: the exchange of such a state
//! for that of rest makes the block its owner's.
//!
//! | operation | order | why |
//! |---|---|---|
//! | state, full words added | acq_rel | passes on what was acquired of words |
//! | state, pinned | acquire | pairs with the addition of the class when the block was opened |
//! | state, unpinned | acq_rel | as for full words |
//! | state exchanged for rest | acquire | all that was done to the block comes before |

use core::sync::atomic::Ordering::{AcqRel, Acquire};

use super::Gallatin;
use super::tables::{Block, NO_CLASS, SliceClass};

/// Bits of a state.
const STATE_CLASS_SHIFT: u32 = 59;
/// The block is in the lists of blocks with free slices.
pub const HINTED: u64 = 1 << 58;
/// One pin.
pub const PIN: u64 = 1 << 32;
/// The first value of the count of full words: a request may take of a word, and count that, before
/// the thread that filled it has counted. So the count does not fall below 0.
const NO_WORDS: u64 = 1 << 24;
/// The state of a block at rest.
pub const AT_REST: u64 = (NO_CLASS as u64) << STATE_CLASS_SHIFT | NO_WORDS;

/// The class in a state.
#[inline(always)]
pub fn class_of(state: u64) -> u32 {
    (state >> STATE_CLASS_SHIFT) as u32
}

/// The term that gives the state of a block at rest a class.
#[inline(always)]
pub fn class_added(class: u32) -> u64 {
    u64::from(class).wrapping_sub(u64::from(NO_CLASS)) << STATE_CLASS_SHIFT
}

impl Gallatin {
    /// Counts words that the caller filled in the block's state, which is returned. It is also
    /// called for a word that got its first free slice: then the state says whether the block is
    /// listed, and an addition of 0 orders the two with who takes it off the lists.
    ///
    /// # Safety
    ///
    /// The caller filled as many words, and has not counted them.
    #[inline(always)]
    pub(super) unsafe fn fill(&self, block: Block, words: u32) -> u64 {
        // Acquire: the last one owns what all freed. Release: passes on what we acquired of the
        // words, and shows who clears the hint our bits.
        let before = self.state(block).fetch_add(u64::from(words), AcqRel);
        before + u64::from(words)
    }

    /// Whether [`Self::freed`] has anything to do.
    #[inline(always)]
    pub(super) fn is_event(&self, state: u64) -> bool {
        self.is_sliced(state) && (state & HINTED == 0 || self.is_whole(state))
    }

    /// Whether a block with this state has slices: it is not at rest, and in no run.
    #[inline(always)]
    pub(super) fn is_sliced(&self, state: u64) -> bool {
        self.slice_class(state).is_some()
    }

    /// The class of the slices of a block with this state, if it has some.
    #[inline(always)]
    pub(super) fn slice_class(&self, state: u64) -> Option<SliceClass> {
        let class = class_of(state);
        // SAFETY: the class was just compared.
        (class < self.layout.sliced()).then(|| unsafe { SliceClass::new(class) })
    }

    /// Whether all slices of a block with this state are free, and no thread has pinned it.
    #[inline(always)]
    fn is_whole(&self, state: u64) -> bool {
        let class = class_of(state);
        let counted = state & (HINTED - 1);
        self.is_sliced(state) && counted == NO_WORDS + u64::from(self.layout.words(class))
    }

    /// The steps after [`Self::fill`] of so many words, which returned `state`.
    #[inline(always)]
    pub(super) fn freed(&self, block: Block, state: u64, words: u32) {
        if words != 0 && self.is_whole(state) {
            self.complete(block, state);
        } else if self.is_sliced(state) && state & HINTED == 0 {
            self.hint(block);
        }
    }

    /// [`Self::freed`], out of line.
    #[inline(always)]
    pub(super) fn outlined_freed(&self, block: Block, state: u64, words: u32) {
        let what = self.id(block) << 1 | words;
        let bits = self.layout.to_bits();
        // SAFETY: the parts of this heap, and one of its blocks.
        unsafe { outlined_free(self.tables, self.records, bits, what, state) }
    }

    /// Gives a block that is whole back to its segment, unless another does. `state` is one that
    /// the block had.
    #[inline(always)]
    pub(super) fn complete(&self, block: Block, state: u64) {
        if self.is_whole(state) {
            let (id, bits) = (self.id(block), self.layout.to_bits());
            // SAFETY: the parts of this heap, and one of its blocks.
            unsafe { outlined_complete(self.tables, self.records, bits, id, state) }
        }
    }

    /// [`Self::complete`], in line.
    #[inline(always)]
    fn give_whole(&self, block: Block, mut state: u64) {
        // A turn that fails found the hint changed.
        while self.is_whole(state) {
            // Acquire: all who freed slices, or had it pinned, are done with the block.
            let held = self.state(block).compare_exchange(state, AT_REST, Acquire);
            if held == state {
                // SAFETY: after the exchange the block is ours, and at rest.
                unsafe { self.give_blocks(block.segment(), 1 << block.number()) };
                return;
            }
            state = held;
        }
        // Somebody has pinned the block, and comes by here when done, unless slices of it were
        // taken: those that are left are to be found.
        if self.is_sliced(state) && state & HINTED == 0 {
            self.hint(block);
        }
    }

    /// Pins a block; its state before. Until [`Self::unpin`] it keeps its class, if it has one.
    #[inline(always)]
    pub(super) fn pin(&self, block: Block) -> u64 {
        // Acquire: the bits were cleared before the block got its class.
        self.state(block).fetch_add(PIN, Acquire)
    }

    /// Takes a pin off, and so many words off those that are full.
    ///
    /// # Safety
    ///
    /// The caller has pinned the block, and since taken slices of as many full words.
    #[inline(always)]
    pub(super) unsafe fn unpin(&self, block: Block, words: u32) {
        let change = PIN + u64::from(words);
        // Acquire: the block may be ours. Release: our exchanges of its words come before it is
        // opened anew.
        let before = self.state(block).fetch_add(change.wrapping_neg(), AcqRel);
        self.complete(block, before.wrapping_sub(change));
    }
}

/// The steps after a free that filled a word, or was the first of one, out of line as it is rare.
/// `what` is the block, and in the lowest bit the words that were filled.
///
/// # Safety
///
/// The pointers and the bits of the layout are those of a heap, and the block is in it.
#[inline(never)]
unsafe fn outlined_free(tables: *mut u8, records: *mut u8, layout: u64, what: u32, state: u64) {
    // SAFETY: the parts of a heap, and one of its blocks.
    unsafe {
        let heap = Gallatin::of_tables(tables, records, layout);
        heap.freed(heap.block(what >> 1), state, what & 1)
    }
}

/// [`Gallatin::complete`], out of line as [`outlined_free`].
///
/// # Safety
///
/// As for that.
#[inline(never)]
unsafe fn outlined_complete(tables: *mut u8, records: *mut u8, layout: u64, id: u32, state: u64) {
    // SAFETY: as in `outlined_free`.
    unsafe {
        let heap = Gallatin::of_tables(tables, records, layout);
        heap.give_whole(heap.block(id), state)
    }
}
