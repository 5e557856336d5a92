//! Unused superblocks: the map, in which each has a bit, and what leads to them.
//!
//! A thread that clears a superblock's bit owns the superblock, until it sets the bit again. The
//! queue of unused superblocks leads to those that were given back, the frontier to those that
//! never were taken, and a search of the map to what both have missed.
//!
//! | operation | order | why |
//! |---|---|---|
//! | `claim` of bits | acquire | pairs with `give_bits`: what was done to the superblocks comes before |
//! | `give_bits` | release | what we, and all whose frees we acquired, did comes before |
//! | queue of hints, frontier, counts, places | any | hints: the map decides |

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use cuda_std::atomic;

use super::XMalloc;
use super::fifo::NOTHING;
use super::layout::ROW;
use super::tables::{NONE, Superblock, UNUSED};
use crate::allocators::common::bits_of;
use crate::simt::Warp;

/// Superblocks of a row of the map.
pub const ROW_SUPERBLOCKS: u32 = 32 * ROW;

impl XMalloc {
    /// Claims the superblocks of `bits` in the word of the map that has the bit of `superblock`;
    /// the bits of those that were claimed.
    ///
    /// # Safety
    ///
    /// As for [`Self::map`].
    #[inline(always)]
    pub(super) unsafe fn claim(&self, superblock: u32, bits: u32) -> u32 {
        // SAFETY: the map has a word for the superblock.
        // Acquire: what was done to a superblock before it was given back comes before what we do
        // to it. Others change other bits by read-modify-writes, which pass that release on.
        let got = unsafe { self.map(superblock).fetch_and(!bits, Acquire) & bits };
        if got != 0 {
            // Relaxed: an estimate.
            let count = got.count_ones().wrapping_neg();
            self.unused_count().fetch_add(count, Relaxed);
        }
        got
    }

    /// Gives the superblocks of `bits` back, in the word of the map that has the bit of
    /// `superblock`.
    ///
    /// # Safety
    ///
    /// As for [`Self::map`]; the caller owns the superblocks, whose words are [`UNUSED`] and whose
    /// bits of home blocks are clear, and gives them up.
    #[inline(always)]
    pub(super) unsafe fn give_bits(&self, superblock: u32, bits: u32) {
        // SAFETY: the map has a word for the superblock.
        // Release: what we did to the superblocks, and those whose frees we have acquired, comes
        // before what the next owner does.
        unsafe { self.map(superblock).fetch_or(bits, Release) };
        // Relaxed: an estimate.
        self.unused_count().fetch_add(bits.count_ones(), Relaxed);
    }

    /// Claims the superblock with this number, if there is one and it is unused.
    #[inline(always)]
    fn claim_one(&self, number: u32) -> bool {
        // SAFETY: the number was just compared.
        number < self.layout.superblocks && unsafe { self.claim(number, 1 << (number % 32)) != 0 }
    }

    /// Gives a superblock back.
    ///
    /// # Safety
    ///
    /// The caller owns the superblock, whose bits of home blocks are clear, and gives it up.
    #[inline(always)]
    pub(super) unsafe fn give_superblock(&self, superblock: Superblock) {
        let bits = self.layout.to_bits();
        // SAFETY: the parts of this heap, and a superblock that is ours.
        unsafe { given(self.blocks, self.queues, self.tables, bits, superblock) }
    }

    /// Obtains a superblock, if there is one.
    #[inline(always)]
    pub(super) fn obtain<W: Warp>(&self, warp: W) -> Option<Superblock> {
        let bits = self.layout.to_bits();
        // SAFETY: the parts of this heap; the map has bits of its superblocks.
        unsafe {
            let superblock = obtained(warp, self.blocks, self.queues, self.tables, bits);
            (superblock != NONE).then(|| Superblock::new(superblock))
        }
    }

    /// Follows hints to a superblock, or searches for one: [`Self::obtain`].
    #[inline(always)]
    fn follow_hints<W: Warp>(&self, warp: W) -> u32 {
        // As many hints of either kind. A number that depends on the heap, so that the loop is not
        // unrolled.
        let hints = self.layout.bin_bits;
        let mut turn = 0;
        while turn < 2 * hints {
            // Those that were used before come first: others are left to runs.
            let superblock = if turn < hints {
                self.unused().dequeue(warp)
            } else if self.frontier().load(Relaxed) < self.layout.superblocks {
                // Relaxed, both: a hint. At most one turn of each thread passes the end.
                self.frontier().fetch_add(1, Relaxed)
            } else {
                break;
            };
            if superblock == NOTHING {
                turn = hints;
                continue;
            }
            if self.claim_one(superblock) {
                return superblock;
            }
            turn += 1;
        }
        // Relaxed: an estimate, which is right while no thread claims or gives back.
        if self.unused_count().load(Relaxed) == 0 {
            return NONE;
        }
        self.search()
    }

    /// Searches the map for a superblock, from a place on and around the end.
    #[inline(always)]
    fn search(&self) -> u32 {
        let rows = self.layout.superblocks.div_ceil(ROW_SUPERBLOCKS);
        // Relaxed: a hint, below the number of superblocks.
        let mut row = self.place().load(Relaxed) / ROW_SUPERBLOCKS;
        for _ in 0..rows {
            let first = row * ROW_SUPERBLOCKS;
            // SAFETY: a row of the map; superblocks that are not there have no bits.
            unsafe {
                let mut open = set_words(atomic::load_row(self.map_row(first)));
                while open != 0 {
                    let at = first + 32 * open.trailing_zeros();
                    open &= open - 1;
                    // Relaxed: a hint; the claim decides. Each turn that fails is another's
                    // success, and leaves a bit less.
                    let mut seen = self.map(at).load(Relaxed);
                    while seen != 0 {
                        let bit = seen & seen.wrapping_neg();
                        if self.claim(at, bit) != 0 {
                            self.place().store(at, Relaxed);
                            return at + bit.trailing_zeros();
                        }
                        seen &= !bit;
                    }
                }
            }
            row += 1;
            if row == rows {
                row = 0;
            }
        }
        NONE
    }
}

/// A bit for each word of a row that is not 0.
#[inline(always)]
fn set_words(row: [[u32; 4]; 4]) -> u32 {
    bits_of(row, |word| word != 0)
}

/// [`XMalloc::obtain`], out of line: it is rare, and several kinds of request come by here.
///
/// # Safety
///
/// The pointers and the bits of the layout are those of a heap.
#[inline(never)]
unsafe fn obtained<W: Warp>(
    warp: W,
    blocks: *mut u8,
    queues: *mut u8,
    tables: *mut u8,
    layout: u64,
) -> u32 {
    // SAFETY: the parts of a heap.
    unsafe { XMalloc::of_parts(blocks, queues, tables, layout).follow_hints(warp) }
}

/// [`XMalloc::give_superblock`], out of line likewise.
///
/// # Safety
///
/// The pointers and the bits of the layout are those of a heap; otherwise as there.
#[inline(never)]
unsafe fn given(
    blocks: *mut u8,
    queues: *mut u8,
    tables: *mut u8,
    layout: u64,
    superblock: Superblock,
) {
    let number = superblock.number();
    // SAFETY: the parts of a heap, and a superblock that is ours.
    unsafe {
        let heap = XMalloc::of_parts(blocks, queues, tables, layout);
        // Relaxed: the superblock is ours; its bit releases the word.
        heap.word(superblock).store(UNUSED, Relaxed);
        heap.give_bits(number, 1 << (number % 32));
        heap.unused().enqueue(number);
    }
}
