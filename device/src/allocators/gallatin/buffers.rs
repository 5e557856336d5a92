//! Buffers: the block of which the requests of a class and multiprocessor claim slices, and what
//! they do when it is exhausted.
//!
//! A buffer's word names a block, or that there is none, or that a thread is about to put one
//! there; and it counts its changes, so that an exchange that succeeds finds what was read, not
//! the like of it. So who found a block exhausted, and takes it out of the buffer, takes out
//! no other that has the number again.
//!
//! Who takes an exhausted block out obtains the next. The others wait for it for some turns, or
//! each would obtain one; who waited in vain obtains one for itself and puts it into the
//! buffer, if it is the first to do so, or else frees what it did not want. Nobody depends on
//! another.
//!
//! A request that finds no block takes slices that were freed ([`super::holes`]), and then
//! empties all buffers, as long as blocks are in any: what was claimed of them stays live, the
//! rest is free. It is refused when all of that fails, and no larger class has anything.
//!
//! | operation | order | why |
//! |---|---|---|
//! | buffer read before a claim | relaxed | a hint: the claim acquires, or finds no open block |
//! | buffer read after that | acquire | pairs with the release: the count is stored before |
//! | block put into a buffer | release | as above |
//! | block taken out, count of blocks in buffers | relaxed | hints |

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use super::Gallatin;
use super::blocks::{CLOSED, Taken, open_count};
use super::layout::Layout;
use super::tables::Block;
use crate::simt::{Backoff, Warp};

/// In place of a block: there is none.
pub const EMPTY: u32 = u32::MAX;
/// In place of a block: a thread is about to put one there.
const BUSY: u32 = u32::MAX - 1;
/// Turns in which a request tries to claim, or waits for who obtains a block.
const TURNS: u32 = 12;

/// The word after `word`, with `block`.
#[inline(always)]
fn next(word: u64, block: u32) -> u64 {
    ((word >> 32) + 1) << 32 | u64::from(block)
}

impl Gallatin {
    /// Up to `wanted` slices of `class`, or of a larger one.
    ///
    /// # Safety
    ///
    /// `class` is one of the heap, and `wanted` from 1 to 32.
    #[inline(always)]
    pub(super) unsafe fn find<W: Warp>(&self, warp: W, class: u32, wanted: u32) -> Taken {
        let index = self.layout.buffer(class, warp.processor());
        // SAFETY: the buffer is one of the class; the caller's promise; buffers name blocks.
        unsafe {
            // Relaxed: a hint.
            let id = self.buffer(index).load(Relaxed) as u32;
            let mut before = CLOSED;
            if id < BUSY {
                let block = self.block(id);
                before = self.add(block, wanted);
                let slices = self.layout.slices(class);
                let first = before ^ open_count(class, 0);
                if first < slices {
                    let left = slices - first;
                    let count = if left < wanted { left } else { wanted };
                    let slice = self.first_slice(block, class) + first;
                    return self.taken(block.segment, class, slice, count);
                }
            }
            let request = u64::from(class << 8 | wanted) << 32 | u64::from(before);
            let bits = self.layout.to_bits();
            let taken = outlined(
                warp,
                self.blocks,
                self.tables,
                self.records,
                bits,
                request,
                id,
            );
            Taken::from_bits(taken)
        }
    }

    /// Claims slices of the block in a buffer; none if it is exhausted, or of another class.
    ///
    /// # Safety
    ///
    /// As for [`Self::find`]; `id` is a block of the heap.
    #[inline(always)]
    unsafe fn claim_of(&self, id: u32, class: u32, wanted: u32) -> Taken {
        let block = self.block(id);
        // SAFETY: the caller's promise; what was claimed is ours.
        unsafe {
            let claim = self.claim(block, wanted);
            if claim.count == 0 {
                return Taken::NONE;
            }
            if claim.class != class {
                self.free_range(block, claim);
                return Taken::NONE;
            }
            let slice = self.first_slice(block, class) + claim.first;
            self.taken(block.segment, class, slice, claim.count)
        }
    }

    /// The slow path of [`Self::find`].
    ///
    /// # Safety
    ///
    /// As for that.
    #[inline(always)]
    unsafe fn refill<W: Warp>(&self, warp: W, class: u32, wanted: u32) -> Taken {
        let index = self.layout.buffer(class, warp.processor());
        // SAFETY: as for `find`.
        unsafe {
            let buffer = self.buffer(index);
            let mut pause = Backoff::new();
            let mut turns = 0;
            // Acquire: the count of the block was stored before.
            let mut held = buffer.load(Acquire);
            while turns < TURNS {
                let id = held as u32;
                if id < BUSY {
                    let taken = self.claim_of(id, class, wanted);
                    if taken.count != 0 {
                        return taken;
                    }
                }
                if id != BUSY {
                    // Relaxed: nothing depends on it. If it succeeds, we obtain the next block.
                    let ours = next(held, BUSY);
                    let found = buffer.compare_exchange(held, ours, Relaxed);
                    if found == held {
                        if id != EMPTY {
                            self.gate(self.layout.classes())
                                .fetch_add(u32::MAX, Relaxed);
                        }
                        held = ours;
                        break;
                    }
                } else {
                    pause.pause(warp);
                }
                held = buffer.load(Acquire);
                turns += 1;
            }
            if let Some(block) = self.take_block(warp, class) {
                return self.serve(index, held, block, class, wanted);
            }
            if held as u32 == BUSY {
                // Relaxed: as above. If it fails, another did it, or put a block there.
                buffer.compare_exchange(held, next(held, EMPTY), Relaxed);
            }
            self.scavenge(warp, class, wanted)
        }
    }

    /// Opens a block for a request, and puts it into the buffer that holds `held`.
    ///
    /// # Safety
    ///
    /// As for [`Self::find`], and `index` is a buffer of the class. The caller owns the block,
    /// whose segment is of the class.
    #[inline(always)]
    unsafe fn serve(&self, index: u32, held: u64, block: Block, class: u32, wanted: u32) -> Taken {
        let slices = self.layout.slices(class);
        let count = if wanted < slices { wanted } else { slices };
        // SAFETY: the caller's promise.
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
                    self.gate(self.layout.classes()).fetch_add(1, Relaxed);
                }
            } else if count < slices {
                self.close(block);
            }
            let slice = self.first_slice(block, class);
            self.taken(block.segment, class, slice, count)
        }
    }

    /// Slices for a request for whose class there is no block: some that were freed, or of a
    /// larger class, if need be after all buffers were emptied.
    ///
    /// # Safety
    ///
    /// As for [`Self::find`].
    #[inline(always)]
    unsafe fn scavenge<W: Warp>(&self, warp: W, class: u32, wanted: u32) -> Taken {
        // SAFETY: the caller's promise; larger classes are of the heap, too.
        unsafe {
            let mut of = class;
            let mut is_drained = false;
            while of < self.layout.classes() {
                let taken = self.take_hole(of, wanted, warp.processor());
                if taken.count != 0 {
                    return taken;
                }
                let block;
                if !is_drained {
                    is_drained = true;
                    if self.drain() {
                        // Slices of our class first, that others had in buffers.
                        let taken = self.take_hole(of, wanted, warp.processor());
                        if taken.count != 0 {
                            return taken;
                        }
                    }
                    block = self.take_block(warp, of);
                } else {
                    block = self.take_resting(of, warp.processor());
                }
                if let Some(block) = block {
                    return self.serve_alone(warp, block, of, wanted);
                }
                of += 1;
            }
            Taken::NONE
        }
    }

    /// [`Self::serve`] for a thread that has not read the buffer.
    ///
    /// # Safety
    ///
    /// As for that.
    #[inline(always)]
    unsafe fn serve_alone<W: Warp>(&self, warp: W, block: Block, class: u32, wanted: u32) -> Taken {
        let index = self.layout.buffer(class, warp.processor());
        // SAFETY: the caller's promise.
        unsafe {
            // Relaxed: an exchange confirms it.
            let held = self.buffer(index).load(Relaxed);
            self.serve(index, held, block, class, wanted)
        }
    }

    /// Empties all buffers, if there is anything in them, and frees what was not claimed of their
    /// blocks. Whether there was.
    #[inline(always)]
    pub(super) fn drain(&self) -> bool {
        // SAFETY: the classes and buffers are of the heap; buffers name blocks.
        unsafe {
            let blocks = self.gate(self.layout.classes());
            // Relaxed: a hint.
            if blocks.load(Relaxed) == 0 {
                return false;
            }
            let (mut class, mut some) = (0, false);
            while class < self.layout.classes() {
                let mut number = 0;
                while number < self.layout.buffers(class) {
                    let buffer = self.buffer(self.layout.buffer(class, number));
                    // Acquire: as in `refill`.
                    let held = buffer.load(Acquire);
                    if (held as u32) < BUSY {
                        // Relaxed: as in `refill`.
                        let empty = next(held, EMPTY);
                        if buffer.compare_exchange(held, empty, Relaxed) == held {
                            blocks.fetch_add(u32::MAX, Relaxed);
                            self.close(self.block(held as u32));
                            some = true;
                        }
                    }
                    number += 1;
                }
                class += 1;
            }
            some
        }
    }

    /// [`Self::freed`], out of line.
    ///
    /// # Safety
    ///
    /// As for that.
    #[inline(always)]
    pub(super) unsafe fn outlined_freed(&self, block: Block, state: u64, words: u32) {
        let what = self.id(block) << 1 | words;
        let bits = self.layout.to_bits();
        // SAFETY: the parts of this heap, and the caller's promise.
        unsafe { outlined_free(self.blocks, self.tables, self.records, bits, what, state) }
    }
}

/// The slow path of a request, out of line: it is rare, and would be most of every kernel.
/// `request` is the class, in the low byte of the high half the slices that are wanted, and in
/// the low half slices of another class that the fast path claimed of block `id`: count, class
/// and the first of them.
///
/// # Safety
///
/// The pointers and the bits of the layout are those of a heap; otherwise as for
/// [`Gallatin::find`].
#[inline(never)]
unsafe fn outlined<W: Warp>(
    warp: W,
    blocks: *mut u8,
    tables: *mut u8,
    records: *mut u8,
    layout: u64,
    request: u64,
    id: u32,
) -> u64 {
    let heap = Gallatin {
        blocks,
        tables,
        records,
        layout: Layout::from_bits(layout),
    };
    let before = request as u32;
    let (class, wanted) = ((request >> 40) as u32, (request >> 32) as u32 & 0xff);
    // SAFETY: the caller's promise; what was claimed is ours.
    unsafe {
        let claim = heap.claimed(before, wanted);
        if claim.count != 0 {
            heap.free_range(heap.block(id), claim);
        }
        heap.refill(warp, class, wanted).to_bits()
    }
}

/// What follows a free that filled a word, or was the first of one, out of line as it is rare.
/// `what` is the block, and in the lowest bit the words that were filled.
///
/// # Safety
///
/// As for [`Gallatin::freed`], and [`outlined`].
#[inline(never)]
unsafe fn outlined_free(
    blocks: *mut u8,
    tables: *mut u8,
    records: *mut u8,
    layout: u64,
    what: u32,
    state: u64,
) {
    let heap = Gallatin {
        blocks,
        tables,
        records,
        layout: Layout::from_bits(layout),
    };
    // SAFETY: the caller's promise.
    unsafe { heap.freed(heap.block(what >> 1), state, what & 1) }
}
