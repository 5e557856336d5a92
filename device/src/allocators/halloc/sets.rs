//! The sets of slabs, a bit for each slab: those that are free, and of each class those that are
//! no heads and have free chunks, by how many are taken: at most half of the chunks, fewer than
//! the threshold at which a head is replaced, or more.
//!
//! A set bit of the free set is the slab: who clears it owns it. The others are hints, which the
//! words of slabs confirm. But no slab is lost: *a slab that has a class and a free chunk and is
//! no head has a bit in a set of its class, or a thread is about to set it.*
//!
//! - Whoever makes that true, by lowering a count, taking the flag of a head away, or giving a
//!   slab a class, sets a bit afterwards, with release; also who lowers a count to where another
//!   set begins.
//! - Who clears a bit ([`Slabs::remove`]) does so with acquire, and looks at the word once more.
//!   If the bit had been set by the other, the word is seen as the other left it, or newer, and
//!   the bit is set again if the slab has a free chunk and more are taken than in slabs of the
//!   set before. If the bit had not been set, it will be.
//! - So a bit goes only where the slab has none to have, or as many chunks are taken as in slabs
//!   of a set before: then that has its bit, for whoever has brought the count there has set it,
//!   or is about to. A count that rises leaves the bit where it is.
//!
//! | operation | order | why |
//! |---|---|---|
//! | bit set, `insert` | release | the word that tells why comes before; of a free slab, all that was done to it |
//! | bit cleared, `claim` | acquire | what was done to a free slab comes before what we do |
//! | bit cleared, `remove` | acquire | the word that tells why it was set is seen |
//! | rows | relaxed | hints |

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use cuda_std::atomic::{self, AtomicU32};

use super::Slabs;
use super::layout::{ROW_BYTES, ROW_SLABS};
use super::level::Set;
use super::word::{Slab, count_of, is_head};

/// Which of 16 words are not 0.
#[inline(always)]
fn not_empty(row: [[u32; 4]; 4]) -> u32 {
    let [a, b, c, d] = row;
    let four = |words: [u32; 4]| {
        u32::from(words[0] != 0)
            | u32::from(words[1] != 0) << 1
            | u32::from(words[2] != 0) << 2
            | u32::from(words[3] != 0) << 3
    };
    four(a) | four(b) << 4 | four(c) << 8 | four(d) << 12
}

impl Slabs {
    /// A row of a set.
    ///
    /// # Safety
    ///
    /// `row` is below `layout.rows()`.
    #[inline(always)]
    unsafe fn row(&self, set: Set, row: u32) -> &[AtomicU32; 16] {
        let rows = u64::from(set.index()) * self.layout.rows() + u64::from(row);
        let offset = self.layout.sets() + rows * ROW_BYTES;
        // SAFETY: the tables have rows of all sets there, at multiples of their size.
        unsafe { &*self.tables.add(offset as usize).cast() }
    }

    /// The word of a set with the bit of a slab.
    #[inline(always)]
    fn member(&self, set: Set, slab: Slab) -> &AtomicU32 {
        let slab = slab.number();
        // SAFETY: each slab has a bit in a row, which has 16 words.
        unsafe {
            let row = self.row(set, slab / ROW_SLABS);
            &*row.as_ptr().add((slab % ROW_SLABS / 32) as usize)
        }
    }

    /// A word of all sets, one behind the other.
    ///
    /// # Safety
    ///
    /// `word` is below 16 times `layout.rows()` for each set.
    #[inline(always)]
    pub(super) unsafe fn set_word(&self, word: u32) -> &AtomicU32 {
        let offset = self.layout.sets() + 4 * u64::from(word);
        // SAFETY: one of the words of the rows, as for `row`.
        unsafe { &*self.tables.add(offset as usize).cast() }
    }

    /// Puts a slab into a set.
    ///
    /// # Safety
    ///
    /// Into the free ones: the caller owns the slab, which it gives up.
    pub(super) unsafe fn insert(&self, set: Set, slab: Slab) {
        // Release: the slab's word, by which it belongs there, comes before; and of a free slab
        // all that was done to it.
        self.member(set, slab)
            .fetch_or(1 << (slab.number() % 32), Release);
    }

    /// Takes a slab out of a set of a class, unless it belongs there.
    pub(super) fn remove(&self, set: Set, slab: Slab) {
        // SAFETY: the tables of this heap, and its slab and set.
        unsafe { outlined_remove(self.tables, self.layout.to_bits(), set, slab) }
    }

    /// [`Self::remove`] itself.
    #[inline(always)]
    fn remove_inline(&self, set: Set, slab: Slab) {
        // Acquire: see the module.
        self.member(set, slab)
            .fetch_and(!(1 << (slab.number() % 32)), Acquire);
        // Relaxed: not older than what the bit was set for.
        let word = self.word(slab).load(Relaxed);
        let Set::Of(class, level) = set else {
            return;
        };
        let shape = self.shape(class);
        let belongs =
            self.has_room(word, class) && shape.level(count_of(word)) as u32 >= level as u32;
        if belongs && !is_head(word) {
            // SAFETY: the set is not that of free slabs.
            unsafe { self.insert(set, slab) }
        }
    }

    /// The first slab from number `from` on that has a bit in the set.
    pub(super) fn next_member(&self, set: Set, from: u32) -> Option<Slab> {
        // SAFETY: the tables of this heap, and one of its sets, which has slabs of the heap.
        unsafe {
            let found = outlined_next(self.tables, self.layout.to_bits(), set, from);
            self.slab_or_none(found)
        }
    }

    /// The slab with this number, none for `layout.slabs`.
    ///
    /// # Safety
    ///
    /// `found` is not above `layout.slabs`.
    #[inline(always)]
    pub(super) unsafe fn slab_or_none(&self, found: u32) -> Option<Slab> {
        // SAFETY: below the number of slabs.
        (found != self.layout.slabs).then(|| unsafe { Slab::new(found) })
    }

    /// [`Self::next_member`] itself: the number, or `layout.slabs`.
    #[inline(always)]
    fn next_member_inline(&self, set: Set, from: u32) -> u32 {
        let mut at = from;
        while at < self.layout.slabs {
            let row = at / ROW_SLABS;
            let word = at % ROW_SLABS / 32;
            // SAFETY: there is a row for each slab.
            unsafe {
                let row = self.row(set, row);
                // Relaxed: a hint.
                let words = not_empty(atomic::load_row(row)) >> word << word;
                let mut left = words;
                while left != 0 {
                    let index = left.trailing_zeros();
                    left &= left - 1;
                    // Relaxed: as above.
                    let mut bits = (*row.as_ptr().add(index as usize)).load(Relaxed);
                    if index == word {
                        bits = bits >> (at % 32) << (at % 32);
                    }
                    if bits != 0 {
                        return at / ROW_SLABS * ROW_SLABS + 32 * index + bits.trailing_zeros();
                    }
                }
            }
            at = (row + 1) * ROW_SLABS;
        }
        self.layout.slabs
    }

    /// Claims a free slab, the first from number `from` on around the end: its number, or
    /// `layout.slabs`.
    pub(super) fn claim(&self, from: u32) -> u32 {
        // SAFETY: the tables of this heap.
        unsafe { outlined_claim(self.tables, self.layout.to_bits(), from) }
    }

    /// [`Self::claim`] itself.
    #[inline(always)]
    fn claim_inline(&self, from: u32) -> u32 {
        let (mut at, mut is_second) = (from, false);
        loop {
            let Some(slab) = self.next_member(Set::Free, at) else {
                if is_second {
                    return self.layout.slabs;
                }
                (at, is_second) = (0, true);
                continue;
            };
            let bit = 1 << (slab.number() % 32);
            // Acquire: what was done to the slab before it was freed comes before what we do.
            // Others may have changed other bits, by read-modify-writes.
            if self.member(Set::Free, slab).fetch_and(!bit, Acquire) & bit != 0 {
                return slab.number();
            }
            at = slab.number() + 1;
        }
    }
}

/// [`Slabs::remove`], out of line.
///
/// # Safety
///
/// The tables and the bits of the layout are those of a heap, and so are set and slab.
#[inline(never)]
unsafe fn outlined_remove(tables: *mut u8, layout: u64, set: Set, slab: Slab) {
    // SAFETY: the tables of a heap.
    unsafe { Slabs::without_blocks(tables, layout).remove_inline(set, slab) }
}

/// [`Slabs::next_member`], out of line.
///
/// # Safety
///
/// As for [`outlined_remove`].
#[inline(never)]
unsafe fn outlined_next(tables: *mut u8, layout: u64, set: Set, from: u32) -> u32 {
    // SAFETY: as there.
    unsafe { Slabs::without_blocks(tables, layout).next_member_inline(set, from) }
}

/// [`Slabs::claim`], out of line.
///
/// # Safety
///
/// As for [`outlined_remove`].
#[inline(never)]
unsafe fn outlined_claim(tables: *mut u8, layout: u64, from: u32) -> u32 {
    // SAFETY: as there.
    unsafe { Slabs::without_blocks(tables, layout).claim_inline(from) }
}
