//! Where basic blocks come from when the bin of their class is empty: the superblock that the
//! class cuts, home blocks, a new superblock, and before a request is refused what lies in the
//! bins of all classes.

use core::sync::atomic::Ordering::{Relaxed, Release};

use cuda_std::atomic;

use super::XMalloc;
use super::blocks::{Source, Taken};
use super::carve::FEW;
use super::fifo::NOTHING;
use super::layout::{Layout, ROW};
use super::tables::{NONE, class_in, home_in, word_of};
use crate::allocators::common::bits_of;
use crate::simt::Warp;

/// Turns that a request waits for whoever cut the last block off.
const WAITS: u32 = 16;
/// Superblocks that a request obtains in vain, because others were faster.
const INSTALLS: u32 = 4;

impl XMalloc {
    /// Up to `wanted` blocks of a class, or of a larger one if there are no others: none if the
    /// request is refused.
    ///
    /// # Safety
    ///
    /// `class` is a class of the heap, and `wanted` from 1 to 32 and at most the blocks of a
    /// superblock.
    #[inline(always)]
    pub(super) unsafe fn refill<W: Warp>(&self, warp: W, class: u32, wanted: u32) -> Taken {
        let bits = self.layout.to_bits();
        let request = class << 8 | wanted;
        // SAFETY: the parts of this heap, and the caller's promise.
        let taken = unsafe { outlined(warp, self.blocks, self.queues, self.tables, bits, request) };
        Taken::from_bits(taken)
    }

    /// Installs a superblock of a class whose last one is cut up, unless its next blocks come
    /// from elsewhere.
    ///
    /// # Safety
    ///
    /// `class` is a class of the heap.
    #[inline(always)]
    unsafe fn prepare<W: Warp>(&self, warp: W, class: u32) {
        // SAFETY: the caller's promise; the superblock is ours until it is installed.
        unsafe {
            if self.has_cut(class) || !self.homes(class).is_empty() {
                return;
            }
            let superblock = self.obtain(warp);
            if superblock != NONE && !self.install(class, superblock, 0) {
                self.give_superblock(superblock);
            }
        }
    }

    /// Up to `wanted` home blocks of a class, of superblocks to which its queue leads.
    ///
    /// # Safety
    ///
    /// As for [`Self::refill`].
    #[inline(always)]
    unsafe fn follow_homes<W: Warp>(&self, warp: W, class: u32, wanted: u32) -> Taken {
        // A number of hints that depends on the heap, so that the loop is not unrolled.
        for _ in 0..self.layout.home_bits() {
            // SAFETY: the caller's promise; what lies in the queue is a superblock.
            unsafe {
                let superblock = self.homes(class).dequeue(warp);
                if superblock == NOTHING {
                    break;
                }
                let taken = self.at_home(warp, superblock, class, class, wanted);
                if taken.count != 0 {
                    return taken;
                }
            }
        }
        Taken::NONE
    }

    /// Up to `wanted` home blocks of a superblock, if it is of class `least` to `most`.
    ///
    /// # Safety
    ///
    /// As for [`Self::permits`].
    #[inline(always)]
    unsafe fn at_home<W: Warp>(
        &self,
        warp: W,
        superblock: u32,
        least: u32,
        most: u32,
        wanted: u32,
    ) -> Taken {
        // SAFETY: the caller's promise.
        let permits = unsafe { self.permits(warp, superblock, least, most, wanted) };
        if permits.count != 0 && permits.left != 0 {
            // For others, before the bits are taken.
            // SAFETY: the class of a superblock of the heap.
            unsafe { self.homes(permits.class).enqueue(superblock) };
        }
        Taken {
            source: Source::Home,
            count: permits.count,
            class: permits.class,
            value: superblock,
        }
    }

    /// Up to `wanted` home blocks of class `least` or a larger one: of whichever superblock has
    /// some.
    ///
    /// # Safety
    ///
    /// As for [`Self::refill`], of `least`.
    #[inline(always)]
    unsafe fn search_home<W: Warp>(&self, warp: W, least: u32, wanted: u32) -> Taken {
        let most = self.layout.classes() - 1;
        // SAFETY: the caller's promise; superblocks that are not there have words that are not
        // of a class.
        unsafe {
            if self.counted_home(least) == NONE {
                return Taken::NONE;
            }
            let rows = self.layout.superblocks.div_ceil(ROW);
            let spread = u64::from(warp.thread().wrapping_mul(0x9e37_79b1));
            let mut row = ((spread * u64::from(rows)) >> 32) as u32;
            for _ in 0..rows {
                let words = atomic::load_row(self.word_row(ROW * row));
                let mut serving = bits_of(words, |word| {
                    let class = class_in(word);
                    (class >= least) & (class <= most) & (home_in(word) != 0)
                });
                while serving != 0 {
                    let superblock = ROW * row + serving.trailing_zeros();
                    serving &= serving - 1;
                    let taken = self.at_home(warp, superblock, least, most, wanted);
                    if taken.count != 0 {
                        return taken;
                    }
                }
                row += 1;
                if row == rows {
                    row = 0;
                }
            }
        }
        Taken::NONE
    }

    /// The first `count` blocks of a superblock that is cut for this request alone; the others
    /// are home.
    ///
    /// # Safety
    ///
    /// The caller owns the superblock, whose bits of home blocks are clear, and gives all but
    /// these blocks up; otherwise as for [`Self::refill`].
    #[inline(always)]
    unsafe fn cut_alone(&self, class: u32, superblock: u32, count: u32) -> Taken {
        let capacity = self.layout.capacity(class);
        // SAFETY: the caller's promise.
        unsafe {
            if count < capacity {
                self.set_bits(superblock, count, capacity);
                // Relaxed: an estimate.
                self.home_count(class).fetch_add(capacity - count, Relaxed);
            }
            // Release: who takes a home block finds its bit.
            let word = word_of(class, capacity - count);
            self.word(superblock).store(word, Release);
            if count < capacity {
                self.homes(class).enqueue(superblock);
            }
        }
        Taken {
            source: Source::Cut,
            count,
            class,
            value: superblock << self.layout.unit_bits(),
        }
    }

    /// Up to `wanted` blocks of a class that are cut off a superblock.
    ///
    /// # Safety
    ///
    /// As for [`Self::refill`].
    #[inline(always)]
    unsafe fn cut_anew<W: Warp>(&self, warp: W, class: u32, wanted: u32) -> Taken {
        // SAFETY: the caller's promise; a superblock that was obtained is ours.
        unsafe {
            let capacity = self.layout.capacity(class);
            let is_shared = capacity > FEW;
            let mut turn = 0;
            loop {
                if is_shared {
                    let (taken, _) = self.cut_together(class, wanted);
                    if taken.count != 0 {
                        return taken;
                    }
                }
                // Relaxed: an estimate, which is right while nobody claims or gives back.
                if self.unused_count().load(Relaxed) == 0 {
                    return Taken::NONE;
                }
                turn += 1;
                if is_shared && turn <= WAITS {
                    warp.back_off();
                    continue;
                }
                let superblock = self.obtain(warp);
                if superblock == NONE {
                    return Taken::NONE;
                }
                if !is_shared || wanted == capacity || turn > WAITS + INSTALLS {
                    return self.cut_alone(class, superblock, wanted);
                }
                if self.install(class, superblock, wanted) {
                    return Taken {
                        source: Source::Cut,
                        count: wanted,
                        class,
                        value: superblock << self.layout.unit_bits(),
                    };
                }
                self.give_superblock(superblock);
            }
        }
    }

    /// [`Self::refill`] itself.
    ///
    /// # Safety
    ///
    /// As there.
    #[inline(always)]
    unsafe fn refill_all<W: Warp>(&self, warp: W, class: u32, wanted: u32) -> Taken {
        // SAFETY: the caller's promise.
        unsafe {
            if self.layout.capacity(class) > FEW {
                let (taken, is_last) = self.cut_together(class, wanted);
                if is_last {
                    self.prepare(warp, class);
                }
                if taken.count != 0 {
                    return taken;
                }
            }
            let mut is_again = false;
            loop {
                let mut taken = self.follow_homes(warp, class, wanted);
                if taken.count == 0 {
                    taken = self.cut_anew(warp, class, wanted);
                }
                if taken.count != 0 {
                    return taken;
                }
                if is_again {
                    return self.search_home(warp, class, wanted);
                }
                self.flush(warp);
                is_again = true;
            }
        }
    }
}

/// [`XMalloc::refill`], out of line: it is rare, and would be most of every kernel. `request` is
/// the class and, in the low byte, the blocks that are wanted.
///
/// # Safety
///
/// The pointers and the bits of the layout are those of a heap; otherwise as there.
#[inline(never)]
unsafe fn outlined<W: Warp>(
    warp: W,
    blocks: *mut u8,
    queues: *mut u8,
    tables: *mut u8,
    layout: u64,
    request: u32,
) -> u64 {
    let heap = XMalloc {
        blocks,
        queues,
        tables,
        layout: Layout::from_bits(layout),
    };
    let (class, wanted) = (request >> 8, request & 0xff);
    // SAFETY: the caller's promise.
    unsafe { heap.refill_all(warp, class, wanted).to_bits() }
}
