//! Scarcity: what a request does for whose class there is no block.
//!
//! It takes slices that were freed ([`super::holes`]), and then empties all buffers, as long as
//! blocks are in any: what was claimed of them stays live, the rest is free. It is refused when
//! all of that fails, and no larger class has anything.
//!
//! A buffer is emptied by the exchange of the word that names the block, which is then closed.
//! Who put the block there, and who claims of it, does not mind: a claim of a block that is closed
//! gets nothing, and obtains another.
//!
//! | operation | order | why |
//! |---|---|---|
//! | buffer read | acquire | pairs with the release of who put the block there: it is open |
//! | block taken out, count of blocks in buffers | relaxed | hints |

use core::sync::atomic::Ordering::{Acquire, Relaxed};

use super::Gallatin;
use super::buffers::{BUSY, EMPTY, next};
use super::segments::Source;
use super::slices::Taken;
use super::tables::Block;
use super::tree::NONE;
use crate::simt::Warp;

impl Gallatin {
    /// Slices for a request for whose class there is no block: some that were freed, or of a
    /// larger class, if need be after all buffers were emptied.
    ///
    /// # Safety
    ///
    /// As for [`Self::find`].
    #[inline(always)]
    pub(super) unsafe fn scavenge<W: Warp>(&self, warp: W, class: u32, wanted: u32) -> Taken {
        // SAFETY: the caller's promise; larger classes are of the heap, too.
        unsafe {
            let (mut of, mut is_drained) = (class, false);
            while of < self.layout.classes() {
                let taken = self.take_hole(of, wanted, warp.processor());
                if taken.count != 0 {
                    return taken;
                }
                if !is_drained {
                    is_drained = true;
                    // First what others had in buffers of our class.
                    if self.drain() {
                        continue;
                    }
                }
                // The buffers may have held the last blocks of segments.
                let from = if of == class {
                    Source::Any
                } else {
                    Source::Resting
                };
                let block = self.take_block(warp, of, from);
                if block != NONE {
                    return self.serve_alone(warp, self.block(block), of, wanted);
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
        // SAFETY: the parts of this heap.
        unsafe { outlined(self.tables, self.records, self.layout.to_bits()) }
    }

    /// [`Self::drain`], in line.
    #[inline(always)]
    fn empty_buffers(&self) -> bool {
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
}

/// [`Gallatin::drain`], out of line as it is rare and long.
///
/// # Safety
///
/// The pointers and the bits of the layout are those of a heap.
#[inline(never)]
unsafe fn outlined(tables: *mut u8, records: *mut u8, layout: u64) -> bool {
    Gallatin::of_tables(tables, records, layout).empty_buffers()
}
