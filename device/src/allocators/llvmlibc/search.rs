//! Where a request for chunks looks: at the slot where its class last found some, and then at all
//! slots from the start of its class on.
//!
//! It enters the first slab that has chunks of its class left, or puts a new slab into the first
//! slot that is empty. While no slab is free, empty slots are passed by.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU32;

use super::LlvmLibc;
use super::slabs::HeldSlab;
use super::slots::SlotOutcome;
use crate::allocator::Handle;
use crate::simt::Warp;

/// Passes over all slots of a request that another thread overtakes in each.
const PASSES: u32 = 4;

/// The outcome of a search, in the lowest bits of a word. Numbers and not an `enum`: rustc would
/// thread jumps from its variants over the collectives that follow.
const OUTCOME_MASK: u32 = 3;
/// There is no chunk.
const REFUSED: u32 = 0;
/// The request is to be made again after a pause.
const WAITS: u32 = 1;
/// The request may take chunks of a slab.
const ENTERED: u32 = 2;
/// The request has claimed a slot and holds a slab to put there.
const NEW: u32 = 3;

/// Chunks that a search has found.
#[derive(Clone, Copy)]
pub struct FoundChunks {
    outcome: u32,
    /// The slab.
    pub slab: u32,
    /// The slot of a new slab.
    pub slot: u32,
    /// The count of the slab before.
    pub before: u32,
    /// How many chunks, at most 32.
    pub chunks: u32,
    /// Whether the bits of a new slab are clear.
    pub is_clear: bool,
}

impl FoundChunks {
    /// None: the request is refused.
    pub const NONE: Self = Self::nothing(REFUSED);

    /// No chunk, with this outcome.
    const fn nothing(outcome: u32) -> Self {
        Self {
            outcome,
            slab: 0,
            slot: 0,
            before: 0,
            chunks: 0,
            is_clear: false,
        }
    }

    /// Whether the request is to be made again after a pause.
    #[inline(always)]
    pub fn waits(self) -> bool {
        self.outcome == WAITS
    }

    /// Whether the chunks are of a slab that is to be put into its slot.
    #[inline(always)]
    pub fn is_new(self) -> bool {
        self.outcome == NEW
    }

    /// The result in a word, for a shuffle: slab, slot and counts have 16, 16, 17 and 6 bits, and
    /// whether bits are clear the highest of the lower half.
    #[inline(always)]
    pub fn to_bits(self) -> u64 {
        u64::from(self.outcome | self.chunks << 2 | self.before << 8)
            | u64::from(self.is_clear) << 31
            | u64::from(self.slot) << 32
            | u64::from(self.slab) << 48
    }

    /// The result of these bits.
    #[inline(always)]
    pub fn from_bits(bits: u64) -> Self {
        let low = bits as u32;
        Self {
            outcome: low & OUTCOME_MASK,
            chunks: low >> 2 & 0x3f,
            before: low >> 8 & 0x1_ffff,
            is_clear: low >> 31 == 1,
            slot: (bits >> 32) as u32 & 0xffff,
            slab: (bits >> 48) as u32,
        }
    }
}

/// A request for chunks.
#[derive(Clone, Copy)]
pub struct SlabRequest {
    /// The size class.
    pub class: u32,
    /// How many chunks are wanted, 1 to 32.
    pub wanted: u32,
    /// The chunks of a slab of the class.
    pub capacity: u32,
    /// Whether the request is to be made again rather than pass a slot that another thread has
    /// claimed for the class.
    pub may_wait: bool,
}

impl LlvmLibc {
    /// The slot where a class last found chunks.
    ///
    /// # Safety
    ///
    /// `class` is at most [`MAX_CLASS`](super::layout::MAX_CLASS).
    #[inline(always)]
    pub(super) unsafe fn hint(&self, class: u32) -> &AtomicU32 {
        // SAFETY: `plan` placed an aligned word for each class at the start of the tables.
        unsafe { &*self.tables.cast::<AtomicU32>().add(class as usize) }
    }

    /// Looks for chunks. The caller takes what is found.
    ///
    /// # Safety
    ///
    /// The class is one of the heap's, with this capacity.
    #[inline(always)]
    pub(super) unsafe fn find<W: Warp>(&self, warp: W, request: SlabRequest) -> FoundChunks {
        let mut passes = 0;
        loop {
            let mut was_overtaken = false;
            // SAFETY: the caller's promise.
            let found = unsafe { self.pass(request, &mut was_overtaken) };
            passes += 1;
            if found.outcome != REFUSED || !was_overtaken || passes == PASSES {
                return found;
            }
            warp.back_off();
        }
    }

    /// A pass of [`Self::find`] over all slots. `was_overtaken` becomes true if the request lost a
    /// slot or a slab to another thread.
    ///
    /// # Safety
    ///
    /// As for [`Self::find`].
    #[inline(always)]
    unsafe fn pass(&self, request: SlabRequest, was_overtaken: &mut bool) -> FoundChunks {
        let SlabRequest {
            class,
            wanted,
            capacity,
            may_wait,
        } = request;
        let slots = self.layout.slabs;
        let mut is_exhausted = false;
        // SAFETY: hints are slots, and so is each position below `slots`.
        unsafe {
            // Relaxed, here and below: a hint.
            let hint = self.hint(class).load(Relaxed);
            let (mut slot, mut next) = (hint, self.layout.start(class));
            for _ in 0..slots + 1 {
                match self.try_slot(slot, class, wanted, capacity) {
                    SlotOutcome::Entered(entry) => {
                        if slot != hint {
                            self.hint(class).store(slot, Relaxed);
                        }
                        return FoundChunks {
                            outcome: ENTERED,
                            slab: entry.slab,
                            slot,
                            before: entry.before,
                            chunks: entry.chunks,
                            is_clear: false,
                        };
                    }
                    SlotOutcome::Empty if !is_exhausted => {
                        let free = self.free_slab(0);
                        is_exhausted = free == u32::NULL;
                        if !is_exhausted {
                            let held = self.claim_with_slab(slot, class, free);
                            if held.slab != u32::NULL {
                                let less = wanted < capacity;
                                return FoundChunks {
                                    outcome: NEW,
                                    slab: held.slab,
                                    slot,
                                    before: 0,
                                    chunks: if less { wanted } else { capacity },
                                    is_clear: held.is_clear(class),
                                };
                            }
                            *was_overtaken = true;
                        }
                    }
                    SlotOutcome::Claimed if may_wait => {
                        return FoundChunks::nothing(WAITS);
                    }
                    SlotOutcome::Lost => *was_overtaken = true,
                    SlotOutcome::Empty | SlotOutcome::Claimed | SlotOutcome::Unsuitable => (),
                }
                slot = next;
                next += 1;
                if next == slots {
                    next = 0;
                }
            }
        }
        FoundChunks::NONE
    }

    /// Claims an empty slot for a class and takes a slab for it, from `free` on; null if another
    /// thread was faster.
    ///
    /// # Safety
    ///
    /// `slot` and `free` are below `layout.slabs`, and the class is one of the heap's.
    #[inline(always)]
    unsafe fn claim_with_slab(&self, slot: u32, class: u32, free: u32) -> HeldSlab {
        // SAFETY: the caller's promise; the slot that is left is claimed here.
        unsafe {
            if !self.claim(slot, class) {
                return HeldSlab::NONE;
            }
            // Others of the class find the slot, and wait for the slab.
            self.hint(class).store(slot, Relaxed);
            let held = self.take_slab(free);
            if held.slab == u32::NULL {
                self.unclaim(slot, class);
            } else {
                self.describe(held.slab, class, slot);
            }
            held
        }
    }
}
