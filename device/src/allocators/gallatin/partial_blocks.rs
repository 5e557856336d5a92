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
use super::tables::{Block, Segment, SliceClass};
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
    #[inline(always)]
    pub(super) fn hint(&self, block: Block) {
        // Acquire and release: see the module.
        let before = self.state(block).fetch_or(HINTED, AcqRel);
        // At rest, the next who opens it lists it.
        if before & HINTED == 0
            && let Some(class) = self.slice_class(before)
        {
            self.list(block, class);
        }
    }

    /// Lists a block with a hint in its segment and in the tree of its class.
    #[inline(always)]
    pub(super) fn list(&self, block: Block, class: SliceClass) {
        // Release: the hint comes before.
        self.hinted(block.segment())
            .fetch_or(1 << block.number(), Release);
        self.holes_tree(class).set(block.segment());
    }

    /// Takes a block off the list of its segment, unless it has a hint.
    #[inline(always)]
    fn unlist(&self, block: Block) {
        // Acquire: if the bit was set for a hint that we did not see, the load does.
        self.hinted(block.segment())
            .fetch_and(!(1 << block.number()), Acquire);
        let state = self.state(block).load(Relaxed);
        if state & HINTED != 0
            && let Some(class) = self.slice_class(state)
        {
            self.list(block, class);
        }
    }

    /// Up to `wanted` slices of `class`, from 1 to 32, that were freed.
    #[inline(always)]
    pub(super) fn take_hole(&self, class: SliceClass, wanted: u32, spread: u32) -> Taken {
        let what = u64::from(class.number() << 8 | wanted) << 32 | u64::from(spread);
        let bits = self.layout.to_bits();
        // SAFETY: the parts of this heap, and one of its classes.
        unsafe {
            let taken = outlined(self.tables, self.records, bits, what);
            Taken::from_bits(taken)
        }
    }

    /// [`Self::take_hole`], in line.
    #[inline(always)]
    fn search_holes(&self, class: SliceClass, wanted: u32, spread: u32) -> Taken {
        let tree = self.holes_tree(class);
        // A turn that fails takes something off the lists.
        for _ in 0..2 * self.layout.segments + 64 {
            let Some(segment) = tree.find(0) else {
                break;
            };
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
        Taken::NONE
    }

    /// Whether a segment has blocks of `class` on its list.
    #[inline(always)]
    fn has_listed(&self, segment: Segment, class: SliceClass) -> bool {
        self.listed_of(segment, class) != 0
    }

    /// The blocks on a segment's list that are of `class`, a bit for each.
    #[inline(always)]
    fn listed_of(&self, segment: Segment, class: SliceClass) -> u32 {
        // Relaxed: a hint.
        let mut listed = self.hinted(segment).load(Relaxed);
        let mut of_class = 0;
        while listed != 0 {
            let number = listed.trailing_zeros();
            listed &= listed - 1;
            // SAFETY: the list has blocks of the segment.
            let block = unsafe { Block::new(segment, number) };
            // Relaxed: a hint; a pin decides.
            let state = self.state(block).load(Relaxed);
            of_class |= u32::from(class_of(state) == class.number()) << number;
        }
        of_class
    }

    /// [`Self::take_hole`] in a segment.
    #[inline(always)]
    fn take_hole_of(&self, segment: Segment, class: SliceClass, wanted: u32, spread: u32) -> Taken {
        let mut listed = self.listed_of(segment, class);
        // SAFETY: the list has blocks of the segment; one is only looked into while it is pinned
        // and of the class.
        unsafe {
            while listed != 0 {
                let number = pick(listed, spread);
                listed &= !(1 << number);
                let block = Block::new(segment, number);
                let mut look = Look::NONE;
                if class_of(self.pin(block)) == class.number() {
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
    /// The caller has pinned the block, which is of `class`.
    #[inline(always)]
    unsafe fn take_listed(
        &self,
        block: Block,
        class: SliceClass,
        wanted: u32,
        spread: u32,
    ) -> Look {
        let mut is_cleared = false;
        loop {
            // SAFETY: the block is pinned, and of the class.
            let look = unsafe { self.take_pinned(block, class, wanted, spread) };
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
            // Acquire: who adds to the state before this shows us its bits, and who does after it
            // sets the hint again.
            self.state(block).fetch_and(!HINTED, Acquire);
            is_cleared = true;
        }
    }

    /// Slices of a block.
    ///
    /// # Safety
    ///
    /// The caller has pinned the block, which is of `class`.
    #[inline(always)]
    unsafe fn take_pinned(
        &self,
        block: Block,
        class: SliceClass,
        wanted: u32,
        spread: u32,
    ) -> Look {
        let class = class.number();
        let words = self.layout.words(class);
        let rows = if words < ROW { 1 } else { words / ROW };
        let mut row = 0;
        let mut none = Look::NONE;
        // SAFETY: the words are of the block, which is pinned.
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
        // SAFETY: one of the block's words.
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
/// The pointers and the bits of the layout are those of a heap, and the class is sliced.
#[inline(never)]
unsafe fn outlined(tables: *mut u8, records: *mut u8, layout: u64, what: u64) -> u64 {
    // SAFETY: the parts of a heap.
    let heap = unsafe { Gallatin::of_tables(tables, records, layout) };
    let (class, wanted) = ((what >> 40) as u32, (what >> 32) as u32 & 0xff);
    // SAFETY: one of the classes of the heap.
    let class = unsafe { SliceClass::new(class) };
    heap.search_holes(class, wanted, what as u32).to_bits()
}
