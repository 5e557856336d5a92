//! The flush before a refusal: all blocks that lie in bins are brought home, and what is left
//! of superblocks that are being cut. Superblocks all of whose blocks are home serve any class
//! again.
//!
//! That takes as long as bins are full, and each block that is brought home has been freed since
//! the last time. So it is paid for by frees, but for the looks at empty bins.

use super::XMalloc;
use super::tables::{Class, Superblock};
use crate::simt::Warp;

impl XMalloc {
    /// Brings home what lies in bins, as far as no other thread takes it.
    #[inline(always)]
    pub(super) fn flush<W: Warp>(&self, warp: W) {
        let bits = self.layout.to_bits();
        // SAFETY: the parts of this heap.
        unsafe { outlined(warp, self.blocks, self.queues, self.tables, bits) };
    }

    /// [`Self::flush`] of one class.
    #[inline(always)]
    fn flush_class<W: Warp>(&self, warp: W, class: Class) {
        // SAFETY: what was taken away from the cut or out of the bin is ours; a cut with blocks
        // left has a superblock.
        unsafe {
            if self.has_cut(class) {
                let rest = self.retire_cut(class);
                if rest.count != 0 {
                    let end = rest.first + rest.count;
                    let superblock = Superblock::new(rest.superblock);
                    self.bring_home(superblock, class, rest.first, end);
                }
            }
            // No more than the bin holds: others may fill it meanwhile.
            self.bin(class)
                .drain(warp, |block| self.bring_block_home(block, class));
        }
    }
}

/// [`XMalloc::flush`], out of line, as two kinds of request come by here.
///
/// # Safety
///
/// The pointers and the bits of the layout are those of a heap.
#[inline(never)]
unsafe fn outlined<W: Warp>(
    warp: W,
    blocks: *mut u8,
    queues: *mut u8,
    tables: *mut u8,
    layout: u64,
) {
    // SAFETY: the parts of a heap.
    let heap = unsafe { XMalloc::of_parts(blocks, queues, tables, layout) };
    let mut class = 0;
    while class < heap.layout.classes() {
        // SAFETY: a class.
        heap.flush_class(warp, unsafe { Class::new(class) });
        class += 1;
    }
}
