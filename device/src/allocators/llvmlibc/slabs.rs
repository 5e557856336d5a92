//! The owner words of slabs: a word for each says how the slab is used.
//!
//! | operation | order | why |
//! |---|---|---|
//! | exchange that takes a slab | acquire | pairs with the release: the former owners' accesses come before ours |
//! | store that gives a slab back | release | as above |
//! | store of the use | relaxed | those read it who got a block's handle with synchronisation |
//!
//! Slabs for chunks are taken from the front of the pool, runs from its end: slabs that come and go
//! divide the memory for runs less often so.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use cuda_std::atomic::{self, AtomicU32};

use super::LlvmLibc;
use super::layout::{HINT_BYTES, MAX_CLASS, ROW};
use crate::allocator::Handle;
use crate::allocators::common::bits_of;
use crate::simt::Warp;

/// The slab is free. A slab that had chunks of a class has that and the class: its bits are clear.
pub const FREE: u32 = 0;
/// A thread holds the slab, or it is one of a run but not the first.
pub const HELD: u32 = 1 << 29;
/// The slab has chunks; with its class, and its slot from bit [`SLOT_SHIFT`] on.
const CHUNKS: u32 = 1 << 30;
/// The slab is the first of a run, with its length in slabs.
const RUN: u32 = 1 << 31;
const SLOT_SHIFT: u32 = 8;
/// Passes of a request for a run that another thread overtakes in each.
const PASSES: u32 = 4;

/// The word of a free slab with clear bits for chunks of `class`.
#[inline(always)]
pub fn free_after(class: u32) -> u32 {
    FREE + 1 + class
}

/// Whether a slab with this word is free.
#[inline(always)]
fn is_free(word: u32) -> bool {
    word <= free_after(MAX_CLASS)
}

/// A slab that a thread holds.
#[derive(Clone, Copy)]
pub struct HeldSlab {
    /// The slab, or null.
    pub slab: u32,
    /// The owner word from before.
    word: u32,
}

impl HeldSlab {
    /// No slab.
    pub const NONE: Self = Self {
        slab: u32::NULL,
        word: FREE,
    };

    /// Whether the bits of chunks of `class` are clear: those of the same or smaller chunks are,
    /// whose bitfield is at least as large.
    #[inline(always)]
    pub fn is_clear(self, class: u32) -> bool {
        self.word != FREE && self.word <= free_after(class)
    }
}

/// The use of a slab.
#[derive(Clone, Copy)]
pub enum SlabUse {
    /// Free.
    Free,
    /// Held by a thread, or one of a run but not the first.
    Held,
    /// Chunks of a class, behind a slot.
    Chunks {
        /// The class.
        class: u32,
        /// The slot.
        slot: u32,
    },
    /// The first of a run of so many slabs.
    Run(u32),
}

impl SlabUse {
    /// The use that an owner word says.
    #[inline(always)]
    fn of(word: u32) -> Self {
        if word & CHUNKS != 0 {
            return Self::Chunks {
                class: word & ((1 << SLOT_SHIFT) - 1),
                slot: (word & !CHUNKS) >> SLOT_SHIFT,
            };
        }
        if word & RUN != 0 {
            return Self::Run(word & !RUN);
        }
        if is_free(word) {
            Self::Free
        } else {
            Self::Held
        }
    }
}

impl LlvmLibc {
    /// The first owner word.
    #[inline(always)]
    fn owners(&self) -> *mut AtomicU32 {
        self.tables.wrapping_add(HINT_BYTES as usize).cast()
    }

    /// An owner word.
    ///
    /// # Safety
    ///
    /// `slab` is below `layout.owner_words()`.
    #[inline(always)]
    pub(super) unsafe fn owner(&self, slab: u32) -> &AtomicU32 {
        // SAFETY: `plan` placed so many aligned words behind the hints.
        unsafe { &*self.owners().add(slab as usize) }
    }

    /// The use of a slab. Relaxed: as long as a block lives in the slab it does not change.
    ///
    /// # Safety
    ///
    /// As for [`Self::owner`].
    #[inline(always)]
    pub(super) unsafe fn slab_use(&self, slab: u32) -> SlabUse {
        // SAFETY: the caller's promise.
        SlabUse::of(unsafe { self.owner(slab).load(Relaxed) })
    }

    /// Says that a slab has chunks of `class` and is in a slot.
    ///
    /// # Safety
    ///
    /// As for [`Self::owner`]; the caller holds the slab.
    #[inline(always)]
    pub(super) unsafe fn describe(&self, slab: u32, class: u32, slot: u32) {
        // SAFETY: the caller's promise.
        // Relaxed: the addition that puts the slab into its slot releases it.
        unsafe {
            self.owner(slab)
                .store(CHUNKS | slot << SLOT_SHIFT | class, Relaxed);
        }
    }

    /// A bit for each slab of a row that is free. Relaxed: a hint.
    ///
    /// # Safety
    ///
    /// `row` is below `layout.owner_words() / ROW`.
    #[inline(always)]
    unsafe fn free_row(&self, row: u32) -> u32 {
        // SAFETY: rows of words, as the caller promises.
        let words = unsafe { &*self.owners().add((row * ROW) as usize).cast() };
        bits_of(atomic::load_row(words), is_free)
    }

    /// A slab from `slab` on that is free by its word, or null.
    #[inline(always)]
    pub(super) fn free_slab(&self, slab: u32) -> u32 {
        let (mut row, mut from) = (slab / ROW, slab % ROW);
        while row * ROW < self.layout.slabs {
            // SAFETY: a row of words.
            let free = unsafe { self.free_row(row) } >> from << from;
            if free != 0 {
                return row * ROW + free.trailing_zeros();
            }
            row += 1;
            from = 0;
        }
        u32::NULL
    }

    /// A slab from `slab` on, which the caller holds then, or null.
    ///
    /// # Safety
    ///
    /// As for [`Self::owner`].
    #[inline(always)]
    pub(super) unsafe fn take_slab(&self, mut slab: u32) -> HeldSlab {
        while slab != u32::NULL {
            // SAFETY: the caller's promise, or a slab that was found.
            let word = unsafe { self.hold(slab) };
            if is_free(word) {
                return HeldSlab { slab, word };
            }
            slab = self.free_slab(slab + 1);
        }
        HeldSlab::NONE
    }

    /// Takes a slab if it is free: its word was `is_free` then. Returns the word from before.
    ///
    /// # Safety
    ///
    /// As for [`Self::owner`].
    #[inline(always)]
    unsafe fn hold(&self, slab: u32) -> u32 {
        // SAFETY: the caller's promise.
        unsafe {
            // Relaxed: a hint; the exchange decides.
            let seen = self.owner(slab).load(Relaxed);
            // Acquire: accesses of the slab's former owners come before ours.
            if is_free(seen) && self.owner(slab).compare_exchange(seen, HELD, Acquire) == seen {
                return seen;
            }
        }
        HELD
    }

    /// Gives a slab back, with the word of a free one.
    ///
    /// # Safety
    ///
    /// As for [`Self::owner`]; the caller holds the slab and gives it up.
    #[inline(always)]
    pub(super) unsafe fn give_back(&self, slab: u32, word: u32) {
        // SAFETY: the caller's promise.
        // Release: our accesses to the slab, and those that we acquired, come before its next
        // owner's.
        unsafe { self.owner(slab).store(word, Release) };
    }

    /// A run of `length` slabs: the first of them, or null.
    ///
    /// # Safety
    ///
    /// `length` is from 1 to `layout.slabs`.
    #[inline(always)]
    pub(super) unsafe fn take_run<W: Warp>(&self, warp: W, length: u32) -> u32 {
        let mut passes = 0;
        loop {
            let mut was_overtaken = false;
            let (mut slab, mut run, mut free) = (self.layout.owner_words(), 0, 0);
            // SAFETY: rows of words; slabs that are free by their words are of the heap.
            unsafe {
                while slab > 0 {
                    if slab % ROW == 0 {
                        free = self.free_row(slab / ROW - 1);
                    }
                    slab -= 1;
                    run = if free >> (slab % ROW) & 1 == 1 {
                        run + 1
                    } else {
                        0
                    };
                    if run < length {
                        continue;
                    }
                    if self.hold_run(slab, length) {
                        return slab;
                    }
                    was_overtaken = true;
                    run = 0;
                }
            }
            passes += 1;
            if !was_overtaken || passes == PASSES {
                return u32::NULL;
            }
            warp.back_off();
        }
    }

    /// Takes `length` slabs from `first` on, or none of them.
    ///
    /// # Safety
    ///
    /// They are slabs of the heap.
    #[inline(always)]
    unsafe fn hold_run(&self, first: u32, length: u32) -> bool {
        let mut held = 0;
        // SAFETY: the caller's promise; what is given back is held here.
        unsafe {
            while held < length && is_free(self.hold(first + held)) {
                held += 1;
            }
            if held < length {
                for slab in first..first + held {
                    self.give_back(slab, FREE);
                }
                return false;
            }
            // Relaxed: only those read it that got the block's handle with synchronisation.
            self.owner(first).store(RUN | length, Relaxed);
        }
        true
    }

    /// Frees a run.
    ///
    /// # Safety
    ///
    /// The caller owns the run of `length` slabs from `first` on, and gives it up.
    #[inline(always)]
    pub(super) unsafe fn free_run(&self, first: u32, length: u32) {
        for slab in first..first + length {
            // SAFETY: the caller's promise.
            unsafe { self.give_back(slab, FREE) };
        }
    }
}
