//! Blocks: how slices are claimed and freed, and when a block is whole again.
//!
//! A block is *at rest*, with its bit in its segment's word, or *live*: opened by a thread that
//! owned it, until all of its slices are free. A live block is *open* as long as slices are left
//! to be claimed. Three things belong to it:
//!
//! - The *count* of claimed slices, with the class in the highest bits. A claim is an addition.
//!   What is beyond the block's slices is refused, so that a count that is exhausted may go on
//!   growing: by what the lanes that run at a time add a few times each, since the block leaves
//!   the buffer before they are done.
//! - A *bit* for each slice that was freed. They are cleared when the block is opened.
//! - The *state*: the class, or that the block is at rest; how many threads have pinned it;
//!   whether it is in the lists of blocks with free slices ([`super::holes`]); and how many of
//!   its words of bits are full.
//!
//! A word becomes full by the `fetch_or` of some free, and ceases to be by the exchange of some
//! request that takes slices again. Of a word these alternate, and each is counted in the state
//! by whom it was done, afterwards. A request counts while it pins the block. So if nobody has
//! pinned it, no more words are counted than are full: if all are counted, all slices are free.
//! Then nobody has a slice, and nobody may take one without a pin: the exchange of such a state
//! for that of rest makes the block its owner's.
//!
//! | operation | order | why |
//! |---|---|---|
//! | count, added to | acquire | pairs with the store: former owners are done, bits are clear |
//! | count, stored when opened | release | as above |
//! | count, exchanged when closed | acquire | as for a claim |
//! | bits set | acq_rel | our accesses come before the next owners'; who fills a word has all |
//! | state, full words added | acq_rel | passes on what was acquired of words |
//! | state, class added when opened | release | the bits are clear before a pin finds the class |
//! | state exchanged for rest | acquire | all that was done to the block comes before |

use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use cuda_std::atomic::{AtomicU32, store_four};

use super::Gallatin;
use super::layout::Layout;
use super::tables::Block;

/// The class of what has none: a block at rest, a count of one that is closed.
pub const NO_CLASS: u32 = 31;
/// Bits of a count below the class.
const COUNT_BITS: u32 = 27;
/// The claimed slices in a count.
pub const COUNT_MASK: u32 = (1 << COUNT_BITS) - 1;
/// The count of a block that is not open.
pub const CLOSED: u32 = NO_CLASS << COUNT_BITS | 1 << 20;

/// Bits of a state.
const STATE_CLASS_SHIFT: u32 = 59;
/// The block is in the lists of blocks with free slices.
pub const HINTED: u64 = 1 << 58;
/// One pin.
pub const PIN: u64 = 1 << 32;
/// What the count of full words begins with: a request may take of a word, and count that, before
/// the thread that filled it has counted. So the count does not fall below 0.
const NO_WORDS: u64 = 1 << 24;
/// The state of a block at rest.
pub const AT_REST: u64 = (NO_CLASS as u64) << STATE_CLASS_SHIFT | NO_WORDS;

/// The count of an open block of `class`, of which so many slices are claimed.
#[inline(always)]
pub fn open_count(class: u32, slices: u32) -> u32 {
    class << COUNT_BITS | slices
}

/// The class in a state.
#[inline(always)]
pub fn class_of(state: u64) -> u32 {
    (state >> STATE_CLASS_SHIFT) as u32
}

/// Slices that a request got: `count` side by side from unit `unit` on, none if that is 0.
#[derive(Clone, Copy)]
pub struct Taken {
    /// The first unit.
    pub unit: u32,
    /// At most 32.
    pub count: u32,
    /// The class, which may be larger than was asked for.
    pub class: u32,
}

impl Taken {
    /// None.
    pub const NONE: Self = Self {
        unit: 0,
        count: 0,
        class: 0,
    };

    /// The slices in a word, for a shuffle.
    #[inline(always)]
    pub fn to_bits(self) -> u64 {
        u64::from(self.class << 8 | self.count) << 32 | u64::from(self.unit)
    }

    /// The slices of these bits.
    #[inline(always)]
    pub fn from_bits(bits: u64) -> Self {
        let high = (bits >> 32) as u32;
        Self {
            unit: bits as u32,
            count: high & 0xff,
            class: high >> 8,
        }
    }
}

/// A count that an addition found.
#[derive(Clone, Copy)]
pub struct Claim {
    /// The class of the block.
    pub class: u32,
    /// The first slice that was added.
    pub first: u32,
    /// How many of them are the caller's: 0 if the block was not open.
    pub count: u32,
}

impl Gallatin {
    /// The first slice of a block of `class` in its segment.
    #[inline(always)]
    pub(super) fn first_slice(&self, block: Block, class: u32) -> u32 {
        block.number << (self.layout.block_bits(class) - class)
    }

    /// Slices from number `slice` of a segment on.
    #[inline(always)]
    pub(super) fn taken(&self, segment: u32, class: u32, slice: u32, count: u32) -> Taken {
        Taken {
            unit: (segment << self.layout.segment_bits) + (slice << class),
            count,
            class,
        }
    }

    /// A word of the bits of a segment's slices.
    ///
    /// # Safety
    ///
    /// `segment` is below `layout.segments`, and `word` one of its words.
    #[inline(always)]
    pub(super) unsafe fn bits_word(&self, segment: u32, word: u32) -> &AtomicU32 {
        // SAFETY: the caller's promise; an aligned word that is always atomic.
        unsafe { &*self.bits(segment, word) }
    }

    /// Claims up to `wanted` slices of a block.
    ///
    /// # Safety
    ///
    /// `block` is one of the heap.
    #[inline(always)]
    pub(super) unsafe fn claim(&self, block: Block, wanted: u32) -> Claim {
        // SAFETY: the caller's promise.
        let before = unsafe { self.add(block, wanted) };
        self.claimed(before, wanted)
    }

    /// Adds to a block's count, and returns it as it was before.
    ///
    /// # Safety
    ///
    /// As for [`Self::claim`].
    #[inline(always)]
    pub(super) unsafe fn add(&self, block: Block, wanted: u32) -> u32 {
        // SAFETY: the caller's promise.
        // Acquire: what was done to the slices before the block was opened, and that their bits
        // are clear, comes before. Others have added since, by read-modify-writes.
        unsafe { self.count(block).fetch_add(wanted, Acquire) }
    }

    /// What belongs to whom found a count of `before` and added `wanted`.
    #[inline(always)]
    pub(super) fn claimed(&self, before: u32, wanted: u32) -> Claim {
        let class = before >> COUNT_BITS;
        let first = before & COUNT_MASK;
        let mut count = 0;
        if class != NO_CLASS {
            let left = self.layout.slices(class).saturating_sub(first);
            count = if left < wanted { left } else { wanted };
        }
        Claim {
            class,
            first,
            count,
        }
    }

    /// Opens a block, of which the caller takes the first `count` slices.
    ///
    /// # Safety
    ///
    /// The caller owns the block, whose segment is of `class`, and gives up what it does not take.
    #[inline(always)]
    pub(super) unsafe fn open(&self, block: Block, class: u32, count: u32) {
        let first = self.first_slice(block, class) / 32;
        let words = self.layout.words(class);
        // SAFETY: the caller's promise: nobody has a slice of the block, and nobody clears bits of
        // one at rest.
        unsafe {
            // Relaxed, all: what follows releases them.
            let mut word = 0;
            if words >= 4 {
                while word < words {
                    store_four(&*self.bits(block.segment, first + word).cast(), 0);
                    word += 4;
                }
            }
            while word < words {
                self.bits_word(block.segment, first + word)
                    .store(0, Relaxed);
                word += 1;
            }
            // An addition, since others may pin a block at rest for a moment.
            // Release: who pins it then finds the bits clear.
            let change = u64::from(class).wrapping_sub(u64::from(NO_CLASS)) << STATE_CLASS_SHIFT;
            let before = self.state(block).fetch_add(change, Release);
            if before & HINTED != 0 {
                // By a thread that was late. The block is to be in the lists of its class.
                self.list(block, class);
            }
            // Release: as for the state, for who claims slices.
            let count = open_count(class, count);
            self.count(block).store(count, Release);
        }
    }

    /// Frees what nobody has claimed of a block, which is then not open.
    ///
    /// # Safety
    ///
    /// `block` is one of the heap.
    #[inline(always)]
    pub(super) unsafe fn close(&self, block: Block) {
        // SAFETY: the caller's promise. What the exchange finds unclaimed is ours.
        unsafe {
            // Acquire: as for a claim.
            let before = self.count(block).swap(CLOSED, Acquire);
            let rest = self.claimed(before, u32::MAX >> 1);
            if rest.count != 0 {
                self.free_range(block, rest);
            }
        }
    }

    /// Frees slices side by side.
    ///
    /// # Safety
    ///
    /// The slices are of the block and its class. The caller owns them, and gives them up.
    #[inline(always)]
    pub(super) unsafe fn free_range(&self, block: Block, range: Claim) {
        let (id, bits) = (self.id(block), self.layout.to_bits());
        let what = u64::from(range.class << 24 | range.count) << 32 | u64::from(range.first);
        // SAFETY: the parts of this heap, and the caller's promise.
        unsafe { outlined_range(self.blocks, self.tables, self.records, bits, id, what) }
    }

    /// [`Self::free_range`], in line.
    ///
    /// # Safety
    ///
    /// As for that.
    #[inline(always)]
    unsafe fn free_all(&self, block: Block, range: Claim) {
        let full = self.layout.full_word(range.class);
        let mut at = self.first_slice(block, range.class) + range.first;
        let end = at + range.count;
        let mut filled = 0;
        while at < end {
            let (from, left) = (at % 32, end - at);
            let room = 32 - from;
            let count = if left < room { left } else { room };
            let mask = (u32::MAX >> (32 - count)) << from;
            // SAFETY: the caller's promise: the block is live until the last of these is free.
            // Acquire and release: as in `free_slice`.
            let before = unsafe {
                self.bits_word(block.segment, at / 32)
                    .fetch_or(mask, AcqRel)
            };
            filled += u32::from(before | mask == full);
            at += count;
        }
        // SAFETY: as before.
        unsafe {
            let state = self.fill(block, filled);
            self.freed(block, state, filled);
        }
    }

    /// Counts words that the caller filled in the block's state, which is returned. It is also
    /// called for a word that got its first free slice: then the state says whether the block is
    /// listed, and an addition of 0 orders the two with who takes it off the lists.
    ///
    /// # Safety
    ///
    /// As for [`Self::state`].
    #[inline(always)]
    pub(super) unsafe fn fill(&self, block: Block, words: u32) -> u64 {
        // SAFETY: the caller's promise.
        // Acquire: the last one owns what all freed. Release: passes on what we acquired of the
        // words, and shows who clears the hint our bits.
        let before = unsafe { self.state(block).fetch_add(u64::from(words), AcqRel) };
        before + u64::from(words)
    }

    /// Whether [`Self::freed`] has anything to do.
    #[inline(always)]
    pub(super) fn is_event(&self, state: u64) -> bool {
        let class = class_of(state);
        class != NO_CLASS && (state & HINTED == 0 || self.is_whole(state))
    }

    /// Whether all slices of a block with this state are free, and nobody has pinned it.
    #[inline(always)]
    fn is_whole(&self, state: u64) -> bool {
        let class = class_of(state);
        let counted = state & (HINTED - 1);
        class != NO_CLASS && counted == NO_WORDS + u64::from(self.layout.words(class))
    }

    /// What follows [`Self::fill`] of so many words.
    ///
    /// # Safety
    ///
    /// As for [`Self::state`]; `state` was returned by `fill`.
    #[inline(always)]
    pub(super) unsafe fn freed(&self, block: Block, state: u64, words: u32) {
        // SAFETY: the caller's promise.
        unsafe {
            if words != 0 && self.is_whole(state) {
                self.complete(block, state);
            } else if class_of(state) != NO_CLASS && state & HINTED == 0 {
                self.hint(block);
            }
        }
    }

    /// Gives a block that is whole back to its segment, unless another does.
    ///
    /// # Safety
    ///
    /// As for [`Self::state`]; `state` is one that the block had.
    #[inline(always)]
    pub(super) unsafe fn complete(&self, block: Block, state: u64) {
        if self.is_whole(state) {
            let (id, bits) = (self.id(block), self.layout.to_bits());
            // SAFETY: the parts of this heap, and the caller's promise.
            unsafe { outlined_complete(self.blocks, self.tables, self.records, bits, id, state) }
        }
    }

    /// [`Self::complete`], in line.
    ///
    /// # Safety
    ///
    /// As for that.
    #[inline(always)]
    unsafe fn give_whole(&self, block: Block, mut state: u64) {
        // A turn that fails found the hint changed. Who pins the block, or takes a slice, comes by
        // here when it is done.
        while self.is_whole(state) {
            // SAFETY: the caller's promise; after the exchange the block is ours.
            unsafe {
                // Acquire: all who freed slices, or had it pinned, are done with the block.
                let held = self.state(block).compare_exchange(state, AT_REST, Acquire);
                if held == state {
                    self.give_block(block);
                    return;
                }
                state = held;
            }
        }
    }

    /// Pins a block; its state before. Until [`Self::unpin`] it keeps its class, if it has one.
    ///
    /// # Safety
    ///
    /// As for [`Self::state`].
    #[inline(always)]
    pub(super) unsafe fn pin(&self, block: Block) -> u64 {
        // SAFETY: the caller's promise.
        // Acquire: the bits were cleared before the block got its class.
        unsafe { self.state(block).fetch_add(PIN, Acquire) }
    }

    /// Takes a pin off, and so many words off those that are full.
    ///
    /// # Safety
    ///
    /// The caller has pinned the block, and since taken slices of as many full words.
    #[inline(always)]
    pub(super) unsafe fn unpin(&self, block: Block, words: u32) {
        let change = PIN + u64::from(words);
        // SAFETY: the caller's promise.
        unsafe {
            // Acquire: the block may be ours. Release: our exchanges of its words come before
            // it is opened anew.
            let before = self.state(block).fetch_add(change.wrapping_neg(), AcqRel);
            self.complete(block, before.wrapping_sub(change));
        }
    }

    /// Frees a slice: its number in the segment.
    ///
    /// # Safety
    ///
    /// The slice is a live one of this class, and the caller gives it up.
    #[inline(always)]
    pub(super) unsafe fn free_slice(&self, segment: u32, class: u32, slice: u32) {
        let block = Block {
            segment,
            number: slice >> (self.layout.block_bits(class) - class),
        };
        let bit = 1 << (slice % 32);
        // SAFETY: the caller's promise: the block is live as long as we have a slice of it.
        unsafe {
            // Release: our accesses come before those of the slice's next owner. Acquire: if we
            // fill the word, those of its other slices do, too, by what `fill` releases.
            let before = self.bits_word(segment, slice / 32).fetch_or(bit, AcqRel);
            let filled = before | bit == self.layout.full_word(class);
            if !filled && before != 0 {
                return;
            }
            let state = self.fill(block, u32::from(filled));
            if self.is_event(state) {
                self.outlined_freed(block, state, u32::from(filled));
            }
        }
    }
}

/// [`Gallatin::free_range`], out of line as it is rare. `what` is the class, in the low 24 bits of
/// the high half the count, and in the low half the first slice.
///
/// # Safety
///
/// The pointers and the bits of the layout are those of a heap; otherwise as for that.
#[inline(never)]
unsafe fn outlined_range(
    blocks: *mut u8,
    tables: *mut u8,
    records: *mut u8,
    layout: u64,
    id: u32,
    what: u64,
) {
    let heap = Gallatin {
        blocks,
        tables,
        records,
        layout: Layout::from_bits(layout),
    };
    let range = Claim {
        class: (what >> 56) as u32,
        first: what as u32,
        count: (what >> 32) as u32 & 0xff_ffff,
    };
    // SAFETY: the caller's promise.
    unsafe { heap.free_all(heap.block(id), range) }
}

/// [`Gallatin::complete`], out of line as [`outlined_range`].
///
/// # Safety
///
/// As for that.
#[inline(never)]
unsafe fn outlined_complete(
    blocks: *mut u8,
    tables: *mut u8,
    records: *mut u8,
    layout: u64,
    id: u32,
    state: u64,
) {
    let heap = Gallatin {
        blocks,
        tables,
        records,
        layout: Layout::from_bits(layout),
    };
    // SAFETY: the caller's promise.
    unsafe { heap.give_whole(heap.block(id), state) }
}
