//! The slots: a word for each, `tag << 32 | count`.
//!
//! The tag is 0 if the slot is empty, [`CLAIMED`] with a class, or [`LIVE`] with a class and a slab.
//! The count has the chunks and threads inside.
//!
//! | operation | order | why |
//! |---|---|---|
//! | exchange that claims | relaxed | a slot guards nothing before a slab is in it |
//! | addition that puts a slab in | release | the slab's bits are initialised before a thread enters |
//! | addition that enters | acquire | pairs with that one, and with `leave`: as many bits are clear as it says |
//! | subtraction that leaves | release | our bits are clear, and our accesses are done, before the count says so |
//! | exchange that retires | acquire | all who used the slab are done before we give it back |
//!
//! Words change by read-modify-writes only, which continue each other's release sequences: a thread
//! that acquires one acquires all before it.
//!
//! In the source the pointer and the count are two words. There a reader marks a count of 0 for the
//! thread that is about to retire it, as the exchange cannot tell one slab from the next. Here the
//! exchange expects the slab too: any thread whose exchange succeeds may retire it.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use cuda_std::atomic::AtomicU64;

use super::LlvmLibc;
use super::layout::HINT_BYTES;
use super::slabs::free_after;

/// The tag of a slot with a slab.
const LIVE: u32 = 1 << 30;
/// The tag of a slot that waits for one.
const CLAIMED: u32 = 1 << 31;
const CLASS_SHIFT: u32 = 16;
/// The bits of a tag that are not the slab.
const KIND_MASK: u32 = !0xffff;

/// The tag in a word.
#[inline(always)]
fn tag_of(word: u64) -> u32 {
    (word >> 32) as u32
}

/// A tag in the upper half of a word.
#[inline(always)]
fn tagged(tag: u32) -> u64 {
    u64::from(tag) << 32
}

/// The count in a word.
#[inline(always)]
pub fn count_of(word: u64) -> u32 {
    word as u32
}

/// Whether a slot with this word is live without users.
#[inline(always)]
fn is_unused(word: u64) -> bool {
    tag_of(word) & LIVE != 0 && count_of(word) == 0
}

/// Chunks that a request may take of a slab.
#[derive(Clone, Copy)]
pub struct SlabEntry {
    /// The slab.
    pub slab: u32,
    /// The count before.
    pub before: u32,
    /// How many chunks, at least 1.
    pub chunks: u32,
}

/// The outcome of a try at a slot.
#[derive(Clone, Copy)]
pub enum SlotOutcome {
    /// The request may take chunks.
    Entered(SlabEntry),
    /// The slot is empty.
    Empty,
    /// Another thread has claimed the slot for the same class.
    Claimed,
    /// The slot has no chunk for the request.
    Unsuitable,
    /// Another thread was faster.
    Lost,
}

impl LlvmLibc {
    /// The word of a slot.
    ///
    /// # Safety
    ///
    /// `slot` is below `layout.slabs`.
    #[inline(always)]
    pub(super) unsafe fn slot(&self, slot: u32) -> &AtomicU64 {
        let offset = HINT_BYTES + 4 * u64::from(self.layout.owner_words());
        // SAFETY: `plan` placed an aligned word for each slot behind the owner words.
        unsafe {
            let words = self.tables.add(offset as usize).cast::<AtomicU64>();
            &*words.add(slot as usize)
        }
    }

    /// Tries to have `wanted` chunks of a slot's slab, or fewer. The slab has `capacity` chunks if
    /// it is of `class`.
    ///
    /// # Safety
    ///
    /// As for [`Self::slot`]. The caller takes the chunks if the slab was entered.
    #[inline(always)]
    pub(super) unsafe fn try_slot(
        &self,
        slot: u32,
        class: u32,
        wanted: u32,
        capacity: u32,
    ) -> SlotOutcome {
        // SAFETY: the caller's promise.
        unsafe {
            // Relaxed: a hint; the addition or the exchange decides.
            let seen = self.slot(slot).load(Relaxed);
            let kind = tag_of(seen) & KIND_MASK;
            if kind == LIVE | class << CLASS_SHIFT {
                let left = capacity.saturating_sub(count_of(seen));
                if left == 0 {
                    return SlotOutcome::Unsuitable;
                }
                let chunks = if wanted < left { wanted } else { left };
                return self.enter(slot, class, chunks, capacity);
            }
            if kind == CLAIMED | class << CLASS_SHIFT {
                return SlotOutcome::Claimed;
            }
            if is_unused(seen) {
                return if self.retire(slot, seen) {
                    SlotOutcome::Empty
                } else {
                    SlotOutcome::Lost
                };
            }
            match seen {
                0 => SlotOutcome::Empty,
                // Others are inside in vain.
                _ if kind == 0 => SlotOutcome::Lost,
                _ => SlotOutcome::Unsuitable,
            }
        }
    }

    /// Enters a slot for so many chunks; leaves it again as far as it has not so many.
    ///
    /// # Safety
    ///
    /// As for [`Self::try_slot`].
    #[inline(always)]
    unsafe fn enter(&self, slot: u32, class: u32, wanted: u32, capacity: u32) -> SlotOutcome {
        // SAFETY: the caller's promise.
        unsafe {
            // Acquire: the slab's bits are initialised, and each chunk that its count does not
            // include has a clear one.
            let word = self.slot(slot).fetch_add(u64::from(wanted), Acquire);
            let (tag, before) = (tag_of(word), count_of(word));
            let mut chunks = 0;
            if tag & KIND_MASK == LIVE | class << CLASS_SHIFT {
                let left = capacity.saturating_sub(before);
                chunks = if wanted < left { wanted } else { left };
            }
            if chunks < wanted {
                self.leave(slot, wanted - chunks);
            }
            if chunks == 0 {
                return SlotOutcome::Lost;
            }
            SlotOutcome::Entered(SlabEntry {
                slab: tag & !KIND_MASK,
                before,
                chunks,
            })
        }
    }

    /// Leaves a slot `count` times; retires its slab if it has no other users.
    ///
    /// # Safety
    ///
    /// As for [`Self::slot`]. The caller has entered the slot as many times, for itself or for
    /// others, and is done with the chunks.
    #[inline(always)]
    pub(super) unsafe fn leave(&self, slot: u32, count: u32) {
        let count = u64::from(count);
        // SAFETY: the caller's promise.
        unsafe {
            // Release: the bits of our chunks are clear, and our accesses to them are done.
            let before = self.slot(slot).fetch_add(count.wrapping_neg(), Release);
            let now = before.wrapping_sub(count);
            if is_unused(now) {
                self.retire(slot, now);
            }
        }
    }

    /// Gives the slab of a slot back, if its word is still `seen`. Returns whether it was.
    ///
    /// # Safety
    ///
    /// As for [`Self::slot`], and [`is_unused`] holds for `seen`.
    #[inline(always)]
    unsafe fn retire(&self, slot: u32, seen: u64) -> bool {
        // SAFETY: the caller's promise; the slab was the slot's, and is ours after the exchange.
        unsafe {
            // Acquire: accesses to the slab by those who used it come before our release of it.
            let is_ours = self.slot(slot).compare_exchange(seen, 0, Acquire) == seen;
            if is_ours {
                let tag = tag_of(seen);
                let class = (tag & !LIVE) >> CLASS_SHIFT;
                self.give_back(tag & !KIND_MASK, free_after(class));
            }
            is_ours
        }
    }

    /// Claims an empty slot for a class.
    ///
    /// # Safety
    ///
    /// As for [`Self::slot`].
    #[inline(always)]
    pub(super) unsafe fn claim(&self, slot: u32, class: u32) -> bool {
        let claimed = tagged(CLAIMED | class << CLASS_SHIFT);
        // SAFETY: the caller's promise.
        // Relaxed: nothing is in the slot that others could have released.
        unsafe { self.slot(slot).compare_exchange(0, claimed, Relaxed) == 0 }
    }

    /// Makes a claimed slot empty.
    ///
    /// # Safety
    ///
    /// As for [`Self::slot`]; the caller has claimed the slot for `class`.
    #[inline(always)]
    pub(super) unsafe fn unclaim(&self, slot: u32, class: u32) {
        let change = tagged(CLAIMED | class << CLASS_SHIFT).wrapping_neg();
        // SAFETY: the caller's promise.
        // Relaxed: nothing was in the slot.
        unsafe { self.slot(slot).fetch_add(change, Relaxed) };
    }

    /// Puts a slab into a claimed slot, of whose chunks `count` are taken.
    ///
    /// # Safety
    ///
    /// As for [`Self::slot`]; the caller has claimed the slot, and gives it the slab,
    /// whose bits are initialised.
    #[inline(always)]
    pub(super) unsafe fn put_slab(&self, slot: u32, slab: u32, count: u32) {
        // The kinds differ in which of the two bits is set.
        let change = tagged(slab).wrapping_sub(tagged(CLAIMED - LIVE));
        // SAFETY: the caller's promise.
        // Release: a thread that enters finds the bits initialised.
        unsafe {
            self.slot(slot)
                .fetch_add(change.wrapping_add(u64::from(count)), Release);
        }
    }
}
