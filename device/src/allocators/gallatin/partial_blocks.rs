//! Slices that were freed of blocks that still have live ones, for requests that nothing else
//! serves: not in the published code.
//!
//! A block is *listed* when one of its words gets its first free slice: by the hint in its
//! state, by its bit in the record of its segment, which lists blocks of all classes, and by the
//! segment's in the tree of the class. A thread that finds no free slice in it takes it off these
//! lists in the same order, and looks again after each step. Each list is a word that both change
//! by read-modify-writes: the later one sees what the earlier did before.
//!
//! | operation | order | why |
//! |---|---|---|
//! | hint set in the state | acq_rel | continues what `fill` releases; the block may be whole |
//! | hint cleared | acquire | pairs with that and with `fill`: the second look sees the bits |
//! | block's bit set, cleared | release, acquire | the same for the hint |
//! | slices taken | acquire | pairs with the `fetch_or` of their frees |

use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use cuda_std::atomic;

use super::Gallatin;
use super::blocks::{HINTED, class_of};
use super::segments::pick;
use super::slices::Taken;
use super::tables::Block;
use super::tree::NONE;
use crate::allocators::common::bits_of;

/// Exchanges that a request loses at a word before it tries another.
const TRIES: u32 = 8;
/// Words of a row.
const ROW: u32 = 16;

/// The outcome of a look at a block's bits.
#[derive(Clone, Copy)]
struct Look {
    /// The slices that were taken.
    taken: Taken,
    /// Words that were full and are no longer.
    emptied: u32,
    /// Whether the block may have more slices, since some were taken, or since others were quicker
    /// each time: then it stays listed.
    may_have_more: bool,
}

impl Look {
    /// No slice.
    const NONE: Self = Self {
        taken: Taken::NONE,
        emptied: 0,
        may_have_more: false,
    };
}

impl Gallatin {
    /// Lists a block by the hint in its state.
    ///
    /// # Safety
    ///
    /// `block` is one of the heap.
    #[inline(always)]
    pub(super) unsafe fn hint(&self, block: Block) {
        // SAFETY: the caller's promise.
        unsafe {
            // Acquire and release: see the module.
            let before = self.state(block).fetch_or(HINTED, AcqRel);
            // At rest, the next who opens it lists it.
            if before & HINTED == 0 && self.is_sliced(before) {
                self.list(block, class_of(before));
            }
        }
    }

    /// Lists a block with a hint in its segment and in the tree of its class.
    ///
    /// # Safety
    ///
    /// `block` is one of the heap, and `class` is sliced.
    #[inline(always)]
    pub(super) unsafe fn list(&self, block: Block, class: u32) {
        // SAFETY: the caller's promise.
        unsafe {
            // Release: the hint comes before.
            self.hinted(block.segment)
                .fetch_or(1 << block.number, Release);
            self.holes_tree(class).set(block.segment);
        }
    }

    /// Takes a block off the list of its segment, unless it has a hint.
    ///
    /// # Safety
    ///
    /// `block` is one of the heap.
    #[inline(always)]
    unsafe fn unlist(&self, block: Block) {
        // SAFETY: the caller's promise.
        unsafe {
            // Acquire: if the bit was set for a hint that we did not see, the load does.
            self.hinted(block.segment)
                .fetch_and(!(1 << block.number), Acquire);
            let state = self.state(block).load(Relaxed);
            if state & HINTED != 0 && self.is_sliced(state) {
                self.list(block, class_of(state));
            }
        }
    }

    /// Up to `wanted` slices of `class` that were freed.
    ///
    /// # Safety
    ///
    /// `class` is one of the heap, and `wanted` from 1 to 32.
    #[inline(always)]
    pub(super) unsafe fn take_hole(&self, class: u32, wanted: u32, spread: u32) -> Taken {
        let what = u64::from(class << 8 | wanted) << 32 | u64::from(spread);
        let bits = self.layout.to_bits();
        // SAFETY: the parts of this heap, and the caller's promise.
        unsafe {
            let taken = outlined(self.tables, self.records, bits, what);
            Taken::from_bits(taken)
        }
    }

    /// [`Self::take_hole`], in line.
    ///
    /// # Safety
    ///
    /// As for that.
    #[inline(always)]
    unsafe fn search_holes(&self, class: u32, wanted: u32, spread: u32) -> Taken {
        let tree = self.holes_tree(class);
        // A turn that fails takes something off the lists.
        for _ in 0..2 * self.layout.segments + 64 {
            let segment = tree.find(0);
            if segment == NONE {
                break;
            }
            // SAFETY: the trees hold segments of the heap.
            unsafe {
                let taken = self.take_hole_of(segment, class, wanted, spread);
                if taken.count() != 0 {
                    return taken;
                }
                if !self.has_listed(segment, class) {
                    tree.clear(segment);
                    // If it was set for a block that we did not see, we have acquired it.
                    if self.has_listed(segment, class) {
                        tree.set(segment);
                    }
                }
            }
        }
        Taken::NONE
    }

    /// Whether a segment has blocks of `class` on its list.
    ///
    /// # Safety
    ///
    /// `segment` is one of the heap.
    #[inline(always)]
    unsafe fn has_listed(&self, segment: u32, class: u32) -> bool {
        // SAFETY: the caller's promise.
        // Relaxed: a hint.
        let listed = unsafe { self.hinted(segment).load(Relaxed) };
        // SAFETY: as above, and the list has blocks of the segment.
        unsafe { self.listed_of(segment, class, listed) != 0 }
    }

    /// Those blocks of `listed`, a bit for each, that are of `class`.
    ///
    /// # Safety
    ///
    /// `segment` is one of the heap, and has these blocks.
    #[inline(always)]
    unsafe fn listed_of(&self, segment: u32, class: u32, mut listed: u32) -> u32 {
        let mut of_class = 0;
        while listed != 0 {
            let number = listed.trailing_zeros();
            listed &= listed - 1;
            let block = Block { segment, number };
            // SAFETY: the caller's promise.
            // Relaxed: a hint; a pin decides.
            let state = unsafe { self.state(block).load(Relaxed) };
            of_class |= u32::from(class_of(state) == class) << number;
        }
        of_class
    }

    /// [`Self::take_hole`] in a segment.
    ///
    /// # Safety
    ///
    /// As for that; `segment` is one of the heap.
    #[inline(always)]
    unsafe fn take_hole_of(&self, segment: u32, class: u32, wanted: u32, spread: u32) -> Taken {
        // SAFETY: the caller's promise; a block is only looked into while it is pinned and of the
        // class.
        unsafe {
            // Relaxed: a hint.
            let listed = self.hinted(segment).load(Relaxed);
            let mut listed = self.listed_of(segment, class, listed);
            while listed != 0 {
                let number = pick(listed, spread);
                listed &= !(1 << number);
                let block = Block { segment, number };
                let mut look = Look::NONE;
                if class_of(self.pin(block)) == class {
                    look = self.take_listed(block, class, wanted, spread);
                }
                self.unpin(block, look.emptied);
                if look.taken.count() != 0 {
                    return look.taken;
                }
            }
            Taken::NONE
        }
    }

    /// Slices of a block, which is taken off the lists if it has none.
    ///
    /// # Safety
    ///
    /// The caller has pinned the block, which is of `class`; `wanted` is from 1 to 32.
    #[inline(always)]
    unsafe fn take_listed(&self, block: Block, class: u32, wanted: u32, spread: u32) -> Look {
        let mut is_cleared = false;
        // SAFETY: the caller's promise.
        unsafe {
            loop {
                let look = self.take_pinned(block, class, wanted, spread);
                if look.may_have_more {
                    if is_cleared {
                        self.hint(block);
                    }
                    return look;
                }
                if is_cleared {
                    self.unlist(block);
                    return look;
                }
                // Acquire: who adds to the state before this shows us its bits, and who does
                // after it sets the hint again.
                self.state(block).fetch_and(!HINTED, Acquire);
                is_cleared = true;
            }
        }
    }

    /// Slices of a block.
    ///
    /// # Safety
    ///
    /// The caller has pinned the block, which is of `class`; `wanted` is from 1 to 32.
    #[inline(always)]
    unsafe fn take_pinned(&self, block: Block, class: u32, wanted: u32, spread: u32) -> Look {
        let words = self.layout.words(class);
        let rows = if words < ROW { 1 } else { words / ROW };
        let mut row = 0;
        let mut none = Look::NONE;
        // SAFETY: the caller's promise: the words are of the block.
        unsafe {
            while row < rows {
                // Numbers of words, rows and blocks are powers of two.
                let at = ROW * ((row + spread) & (rows - 1));
                let mut some = if words < ROW {
                    (1 << words) - 1
                } else {
                    bits_of(atomic::load_row(&*self.bits(block, at).cast()), |word| {
                        word != 0
                    })
                };
                while some != 0 {
                    let word = at + some.trailing_zeros();
                    some &= some - 1;
                    let look = self.take_of_word(block, class, word, wanted);
                    if look.taken.count() != 0 {
                        return look;
                    }
                    none.may_have_more |= look.may_have_more;
                }
                row += 1;
            }
        }
        none
    }

    /// Slices of a word.
    ///
    /// # Safety
    ///
    /// As for [`Self::take_pinned`]; `word` is one of a block of `class` that is pinned.
    #[inline(always)]
    unsafe fn take_of_word(&self, block: Block, class: u32, word: u32, wanted: u32) -> Look {
        // SAFETY: the caller's promise.
        let bits = unsafe { self.bits_word(block, word) };
        // Relaxed: a hint; the exchange decides.
        let mut seen = bits.load(Relaxed);
        let mut turns = 0;
        while seen != 0 && turns < TRIES {
            let bit = seen.trailing_zeros();
            let ones = (seen >> bit).trailing_ones();
            let count = if ones < wanted { ones } else { wanted };
            let mask = (u32::MAX >> (32 - count)) << bit;
            // Acquire: the former owners of the slices are done with them.
            let held = bits.compare_exchange(seen, seen & !mask, Acquire);
            if held == seen {
                return Look {
                    taken: self.taken(block, class, 32 * word + bit, count),
                    emptied: u32::from(seen == self.layout.full_word(class)),
                    may_have_more: true,
                };
            }
            seen = held;
            turns += 1;
        }
        Look {
            may_have_more: seen != 0,
            ..Look::NONE
        }
    }
}

/// [`Gallatin::take_hole`], out of line as it is long. `what` is the class, in the low byte of the
/// high half the slices that are wanted, and in the low half where to begin.
///
/// # Safety
///
/// The pointers and the bits of the layout are those of a heap; otherwise as for that.
#[inline(never)]
unsafe fn outlined(tables: *mut u8, records: *mut u8, layout: u64, what: u64) -> u64 {
    let heap = Gallatin::of_tables(tables, records, layout);
    let (class, wanted) = ((what >> 40) as u32, (what >> 32) as u32 & 0xff);
    // SAFETY: the caller's promise.
    unsafe { heap.search_holes(class, wanted, what as u32).to_bits() }
}
