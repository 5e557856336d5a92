//! Buffers: the block whose slices the requests of a class and multiprocessor claim, and how
//! they obtain the next when it is exhausted.
//!
//! A buffer's word names a block, or that there is none, or that a thread is about to put one
//! there; and it counts its changes, so that an exchange that succeeds finds what was read, not
//! the like of it. So who found a block exhausted, and takes it out of the buffer, takes out
//! no other that has the number again.
//!
//! The thread that takes an exhausted block out obtains the next. The others wait for it as long as
//! their [`RetryBudget`] lasts, or each would obtain one: 100,000 requests of mixed sizes took all
//! blocks of 2 GiB so. Then one of them obtains a block in place of who was to, and the others wait
//! anew; who comes second frees what it did not want. A thread that has waited too often takes
//! slices that were freed, or a block for itself. No thread depends on another.
//!
//! Requests that find no block are served by [`super::drain_buffers`].
//!
//! | operation | order | why |
//! |---|---|---|
//! | buffer read before a claim | relaxed | a hint: the claim acquires, or finds no open block |
//! | buffer read after that | acquire | pairs with the release: the count is stored before |
//! | block put into a buffer | release | as above |
//! | block taken out, count of blocks in buffers | relaxed | hints |

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use super::Gallatin;
use super::counts::{CLOSED, open_count};
use super::retry_budget::RetryBudget;
use super::slices::Taken;
use super::tables::{Block, SliceClass};
use super::tree::NONE;
use crate::simt::Warp;

/// In place of a block: there is none.
pub const EMPTY: u32 = u32::MAX;
/// In place of a block: a thread is about to put one there.
pub const BUSY: u32 = u32::MAX - 1;

/// The word after `word`, with `block`.
#[inline(always)]
pub fn next(word: u64, block: u32) -> u64 {
    ((word >> 32) + 1) << 32 | u64::from(block)
}

impl Gallatin {
    /// Up to `wanted` slices of `class`, from 1 to 32, or that the request is to be made again.
    #[inline(always)]
    pub(super) fn find<W: Warp>(
        &self,
        warp: W,
        class: SliceClass,
        wanted: u32,
        budget: RetryBudget,
    ) -> Taken {
        let index = self.layout.buffer(class, warp.processor());
        // SAFETY: the buffer is one of the class; buffers name blocks.
        unsafe {
            // Relaxed: a hint.
            let id = self.buffer(index).load(Relaxed) as u32;
            let mut before = CLOSED;
            let number = class.number();
            if id < BUSY {
                let block = self.block(id);
                before = self.add(block, wanted);
                let slices = self.layout.slices(number);
                let first = before ^ open_count(number, 0);
                if first < slices {
                    let left = slices - first;
                    let count = if left < wanted { left } else { wanted };
                    return self.taken(block, number, first, count);
                }
            }
            let request = u64::from(number << 8 | wanted) << 32 | u64::from(before);
            let bits = self.layout.to_bits();
            let budget = budget.bits();
            let taken = outlined(warp, self.tables, self.records, bits, request, id, budget);
            Taken::from_bits(taken)
        }
    }

    /// Claims slices of the block in a buffer; none if it is exhausted, or of another class.
    #[inline(always)]
    fn claim_of(&self, block: Block, class: SliceClass, wanted: u32) -> Taken {
        let claim = self.claim(block, wanted);
        if claim.count == 0 {
            return Taken::NONE;
        }
        if claim.class != class.number() {
            // SAFETY: what was claimed is ours.
            unsafe { self.free_range(block, claim) };
            return Taken::NONE;
        }
        self.taken(block, class.number(), claim.first, claim.count)
    }

    /// The slow path of [`Self::find`].
    #[inline(always)]
    fn refill<W: Warp>(
        &self,
        warp: W,
        class: SliceClass,
        wanted: u32,
        budget: RetryBudget,
    ) -> Taken {
        let index = self.layout.buffer(class, warp.processor());
        // SAFETY: as in `find`; the block that was taken is ours.
        unsafe {
            let buffer = self.buffer(index);
            // Acquire: the count of the block was stored before.
            let held = buffer.load(Acquire);
            let id = held as u32;
            if id < BUSY {
                let taken = self.claim_of(self.block(id), class, wanted);
                if taken.count() != 0 {
                    return taken;
                }
            }
            let budget = budget.after((held >> 32) as u32);
            let ours = next(held, BUSY);
            // Relaxed: nothing depends on it. If it succeeds, we obtain the next block.
            if (id != BUSY || !budget.lasts())
                && buffer.compare_exchange(held, ours, Relaxed) == held
            {
                if id < BUSY {
                    self.buffered().fetch_add(u32::MAX, Relaxed);
                }
                let block = self.take_block(index);
                if block != NONE {
                    return self.serve(index, ours, self.block(block), class, wanted);
                }
                // Relaxed: as above. If it fails, another has put a block there.
                buffer.compare_exchange(ours, next(ours, EMPTY), Relaxed);
                return self.scavenge(warp, class, wanted);
            }
            if !budget.is_over() {
                return Taken::later(budget);
            }
            self.scavenge(warp, class, wanted)
        }
    }

    /// Opens a block for a request, and puts it into the buffer that holds `held`.
    ///
    /// # Safety
    ///
    /// `index` is a buffer of the class. The caller owns the block.
    #[inline(always)]
    pub(super) unsafe fn serve(
        &self,
        index: u32,
        held: u64,
        block: Block,
        class: SliceClass,
        wanted: u32,
    ) -> Taken {
        let (id, bits) = (self.id(block), self.layout.to_bits());
        let what = u64::from(class.number() << 8 | wanted) << 32 | u64::from(index);
        // SAFETY: the parts of this heap, one of its buffers, and a block that is ours.
        unsafe {
            let taken = outlined_serve(self.tables, self.records, bits, what, held, id);
            Taken::from_bits(taken)
        }
    }

    /// [`Self::serve`], in line.
    ///
    /// # Safety
    ///
    /// As for that.
    #[inline(always)]
    unsafe fn open_for(
        &self,
        index: u32,
        held: u64,
        block: Block,
        class: SliceClass,
        wanted: u32,
    ) -> Taken {
        let slices = self.layout.slices(class.number());
        let count = if wanted < slices { wanted } else { slices };
        // SAFETY: the block is ours, and the buffer one of the class.
        unsafe {
            self.open(block, class, count);
            let buffer = self.buffer(index);
            let mut word = next(held, EMPTY);
            if count < slices {
                word = next(held, self.id(block));
            }
            let may_put = held as u32 >= BUSY;
            // Release: who reads this finds the block open.
            if may_put && buffer.compare_exchange(held, word, Release) == held {
                if count < slices {
                    // Relaxed: a hint.
                    self.buffered().fetch_add(1, Relaxed);
                }
            } else if count < slices {
                self.close(block);
            }
            self.taken(block, class.number(), 0, count)
        }
    }
}

/// The slow path of a request, out of line: it is rare, and would be most of every kernel.
/// `request` is the class, in the low byte of the high half the slices that are wanted, and in
/// the low half slices of another class that the fast path claimed of block `id`: count, class
/// and the first of them.
///
/// # Safety
///
/// The pointers and the bits of the layout are those of a heap, the class is sliced, and the
/// slices of another class are ours.
#[inline(never)]
unsafe fn outlined<W: Warp>(
    warp: W,
    tables: *mut u8,
    records: *mut u8,
    layout: u64,
    request: u64,
    id: u32,
    budget: u32,
) -> u64 {
    // SAFETY: the parts of a heap.
    let heap = unsafe { Gallatin::of_tables(tables, records, layout) };
    let before = request as u32;
    let (class, wanted) = ((request >> 40) as u32, (request >> 32) as u32 & 0xff);
    // SAFETY: one of the classes of the heap, and slices that were claimed are ours.
    unsafe {
        let class = SliceClass::new(class);
        let claim = heap.claimed(before, wanted);
        if claim.count != 0 {
            heap.free_range(heap.block(id), claim);
        }
        let budget = RetryBudget::from_bits(budget);
        heap.refill(warp, class, wanted, budget).to_bits()
    }
}

/// [`Gallatin::serve`], out of line as it is long, and needed in several places. `what` is the
/// class, in the low byte of the high half the slices that are wanted, and in the low half the
/// buffer.
///
/// # Safety
///
/// The pointers and the bits of the layout are those of a heap; otherwise as for that.
#[inline(never)]
unsafe fn outlined_serve(
    tables: *mut u8,
    records: *mut u8,
    layout: u64,
    what: u64,
    held: u64,
    id: u32,
) -> u64 {
    // SAFETY: the parts of a heap.
    let heap = unsafe { Gallatin::of_tables(tables, records, layout) };
    let (class, wanted) = ((what >> 40) as u32, (what >> 32) as u32 & 0xff);
    // SAFETY: one of the classes of the heap with a buffer, and a block that is ours.
    unsafe {
        let class = SliceClass::new(class);
        heap.open_for(what as u32, held, heap.block(id), class, wanted)
            .to_bits()
    }
}
