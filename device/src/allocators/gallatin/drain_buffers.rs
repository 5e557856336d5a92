//! How a request drains buffers when there is no free block.
//!
//! It takes slices of its class that were freed ([`super::partial_blocks`]), and then empties all
//! buffers, as long as blocks are in any: what was claimed of them stays live, the rest is free. It
//! is refused when all of that fails. It takes no slice of a larger class: on a full heap requests
//! for 16 bytes held 64 KiB each, and so two thirds of the pool.
//!
//! A buffer is emptied by the exchange of the word that names the block, which is then closed.
//! Neither the thread that put the block there nor one that claims of it minds: a claim of a block
//! that is closed gets nothing, and obtains another.
//!
//! | operation | order | why |
//! |---|---|---|
//! | buffer read | acquire | pairs with the release of who put the block there: it is open |
//! | block taken out, count of blocks in buffers | relaxed | hints |

use core::sync::atomic::Ordering::{Acquire, Relaxed};

use super::Gallatin;
use super::buffers::{BUSY, EMPTY, next};
use super::slices::Taken;
use super::tables::{Block, SliceClass};
use super::tree::NONE;
use crate::simt::Warp;

impl Gallatin {
    /// Slices for a request when there is no free block: some that were freed, if need be after
    /// all buffers were emptied.
    #[inline(always)]
    pub(super) fn scavenge<W: Warp>(&self, warp: W, class: SliceClass, wanted: u32) -> Taken {
        let index = self.layout.buffer(class, warp.processor());
        let mut is_drained = false;
        loop {
            let taken = self.take_hole(class, wanted, warp.processor());
            if taken.count() != 0 {
                return taken;
            }
            let block = self.take_block(index);
            if block != NONE {
                // SAFETY: the block that was taken is ours, and the buffer one of the class.
                return unsafe { self.serve_alone(index, self.block(block), class, wanted) };
            }
            if is_drained || !self.drain() {
                return Taken::NONE;
            }
            is_drained = true;
        }
    }

    /// [`Self::serve`] for a thread that has not read the buffer.
    ///
    /// # Safety
    ///
    /// As for that.
    #[inline(always)]
    unsafe fn serve_alone(
        &self,
        index: u32,
        block: Block,
        class: SliceClass,
        wanted: u32,
    ) -> Taken {
        // SAFETY: the buffer is one of the class, and the block ours.
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
        // SAFETY: the parts of this heap.
        unsafe { outlined(self.tables, self.records, self.layout.to_bits()) }
    }

    /// [`Self::drain`], in line.
    #[inline(always)]
    fn empty_buffers(&self) -> bool {
        // Relaxed: a hint.
        if self.buffered().load(Relaxed) == 0 {
            return false;
        }
        let (mut index, mut some) = (0, false);
        while index < self.layout.buffers() {
            // SAFETY: one of the buffers, which name blocks.
            unsafe {
                let buffer = self.buffer(index);
                // Acquire: as in `refill`.
                let held = buffer.load(Acquire);
                // Relaxed: as in `refill`.
                if (held as u32) < BUSY
                    && buffer.compare_exchange(held, next(held, EMPTY), Relaxed) == held
                {
                    self.buffered().fetch_add(u32::MAX, Relaxed);
                    self.close(self.block(held as u32));
                    some = true;
                }
            }
            index += 1;
        }
        some
    }
}

/// [`Gallatin::drain`], out of line as it is rare and long.
///
/// # Safety
///
/// The pointers and the bits of the layout are those of a heap.
#[inline(never)]
unsafe fn outlined(tables: *mut u8, records: *mut u8, layout: u64) -> bool {
    // SAFETY: the parts of a heap.
    unsafe { Gallatin::of_tables(tables, records, layout).empty_buffers() }
}
