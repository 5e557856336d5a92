//! Home blocks: free basic blocks that lie in their superblock and not in a bin.
//!
//! A superblock has a bit for each, and its word counts them. A request lowers the count before
//! it takes bits, as of a page of ScatterAlloc; and if all blocks are home, the superblock
//! serves any class again.
//!
//! | operation | order | why |
//! |---|---|---|
//! | bit set | release | the former owner's accesses come before the next owner's |
//! | count raised | release | the bit is set before |
//! | count lowered | acquire | pairs with that: as many bits are set |
//! | bit cleared | acquire | pairs with the one that set it |
//! | word exchanged for 0 | acquire | all who brought blocks home are done with them |
//! | estimates, queues of superblocks | any | hints |
//!
//! Counts and bits change by read-modify-writes only, which continue each other's release
//! sequences: whoever acquires one acquires all before it. The first store of a word precedes
//! any, as no block of the superblock has an owner then.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use super::XMalloc;
use super::tables::{Class, NONE, Superblock, UNUSED, class_in, home_in, word_of};
use crate::simt::Warp;

/// Exchanges that a request loses at a superblock before it tries another.
const LOSSES: u32 = 32;

/// Permits for home blocks of a superblock.
#[derive(Clone, Copy)]
pub struct Permits {
    /// How many: 0 if there was none.
    pub count: u32,
    /// The class of the superblock.
    pub class: u32,
    /// Home blocks that are left.
    pub left: u32,
}

/// Bits `first` to `end` of a word, at least one, cut to those of the group of
/// 32 that begins at `at`.
#[inline(always)]
fn bits_between(at: u32, first: u32, end: u32) -> u32 {
    let low = first.saturating_sub(at);
    let high = if end - at < 32 { end - at } else { 32 };
    u32::MAX << low & u32::MAX >> (32 - high)
}

impl XMalloc {
    /// Sets the bits of the home blocks `first` to `end` of a superblock, if any.
    ///
    /// # Safety
    ///
    /// The caller owns these blocks and gives them up.
    #[inline(always)]
    pub(super) unsafe fn set_bits(&self, superblock: Superblock, first: u32, end: u32) {
        let mut at = first / 32 * 32;
        while at < end {
            let bits = bits_between(at, first, end);
            // SAFETY: a group of blocks that are ours.
            // Release: our accesses to the blocks come before their next owners'.
            unsafe { self.bits(superblock, at / 32).fetch_or(bits, Release) };
            at += 32;
        }
    }

    /// Brings the basic blocks `first` to `end` of a superblock home, at least
    /// one.
    ///
    /// # Safety
    ///
    /// The caller owns these blocks of this class, and gives them up.
    #[inline(always)]
    pub(super) unsafe fn bring_home(
        &self,
        superblock: Superblock,
        class: Class,
        first: u32,
        end: u32,
    ) {
        let bits = self.layout.to_bits();
        let between = end << 16 | first;
        // SAFETY: the parts of this heap, and blocks that are ours.
        unsafe {
            let (blocks, queues, tables) = (self.blocks, self.queues, self.tables);
            outlined(blocks, queues, tables, bits, superblock, class, between);
        }
    }

    /// [`Self::bring_home`] itself.
    ///
    /// # Safety
    ///
    /// As there.
    #[inline(always)]
    unsafe fn bring_all_home(&self, superblock: Superblock, class: Class, first: u32, end: u32) {
        let capacity = self.capacity(class);
        // SAFETY: the blocks are ours: until they are counted home the superblock is of this
        // class.
        unsafe { self.set_bits(superblock, first, end) };
        // Relaxed: an estimate. It comes first, so that it is too high meanwhile and not too low.
        self.home_count(class).fetch_add(end - first, Relaxed);
        // Release: the bits are set, and what we did to the blocks comes before.
        let before = self.word(superblock).fetch_add(end - first, Release);
        let home = home_in(before) + (end - first);
        if home == capacity {
            // If it fails, another has taken a block, or was faster here.
            self.dissolve(superblock, class);
        } else if home_in(before) == 0 {
            self.homes(class).enqueue(superblock.number());
        }
    }

    /// Gives a superblock back if all of its blocks, of this class, are home.
    #[inline(always)]
    fn dissolve(&self, superblock: Superblock, class: Class) {
        let capacity = self.capacity(class);
        let whole = word_of(class, capacity);
        // Acquire: all that was done to the blocks comes before what the superblock's next owner
        // does, to whom its bit in the map releases it.
        let word = self.word(superblock);
        if word.compare_exchange(whole, UNUSED, Acquire) != whole {
            return;
        }
        // Relaxed: an estimate.
        let count = self.home_count(class);
        count.fetch_add(capacity.wrapping_neg(), Relaxed);
        // SAFETY: after the exchange the superblock is ours, with these groups.
        unsafe {
            let mut group = 0;
            while 32 * group < capacity {
                // Relaxed: the superblock is ours.
                self.bits(superblock, group).store(0, Relaxed);
                group += 1;
            }
            self.give_superblock(superblock);
        }
    }

    /// Permits for up to `wanted` home blocks of a superblock, if it is of class `least` to
    /// `most`.
    #[inline(always)]
    pub(super) fn permits<W: Warp>(
        &self,
        warp: W,
        superblock: Superblock,
        least: Class,
        most: Class,
        wanted: u32,
    ) -> Permits {
        let none = Permits {
            count: 0,
            class: 0,
            left: 0,
        };
        // Relaxed: the exchange decides.
        let mut seen = self.word(superblock).load(Relaxed);
        // Each turn that fails was another thread's success. A thread that loses so often goes
        // elsewhere, so that the time is bounded.
        for _ in 0..LOSSES {
            let (class, home) = (class_in(seen), home_in(seen));
            if class < least.number() || class > most.number() || home == 0 {
                return none;
            }
            let count = if wanted < home { wanted } else { home };
            // Acquire: as many bits are set as blocks are counted.
            let word = self.word(superblock);
            let held = word.compare_exchange(seen, seen - count, Acquire);
            if held == seen {
                // SAFETY: the class was just compared.
                let estimate = self.home_count(unsafe { Class::new(class) });
                // Relaxed: an estimate.
                estimate.fetch_add(count.wrapping_neg(), Relaxed);
                return Permits {
                    count,
                    class,
                    left: home - count,
                };
            }
            seen = held;
            warp.back_off();
        }
        none
    }

    /// Takes a home block of a superblock: its number.
    ///
    /// # Safety
    ///
    /// The caller has a permit for a home block of the superblock, which is of this class.
    #[inline(always)]
    pub(super) unsafe fn take_home<W: Warp>(
        &self,
        warp: W,
        superblock: Superblock,
        class: Class,
    ) -> u32 {
        let bits = self.layout.to_bits();
        // SAFETY: the parts of this heap, and a permit for a block of the superblock.
        unsafe {
            let (blocks, queues, tables) = (self.blocks, self.queues, self.tables);
            taken(warp, blocks, queues, tables, bits, superblock, class)
        }
    }

    /// [`Self::take_home`] itself.
    ///
    /// # Safety
    ///
    /// As there.
    #[inline(always)]
    unsafe fn take_bit<W: Warp>(&self, warp: W, superblock: Superblock, class: Class) -> u32 {
        let groups = self.capacity(class).div_ceil(32);
        // Threads begin their search at different places.
        let hash = warp.thread().wrapping_mul(0x9e37_79b1);
        let mut group = ((u64::from(hash) * u64::from(groups)) >> 32) as u32;
        // There is a bit for each permit. A pass that finds none was overtaken by threads that
        // took theirs: they made progress.
        loop {
            for _ in 0..groups {
                // SAFETY: a group of the superblock's blocks.
                unsafe {
                    let word = self.bits(superblock, group);
                    // Relaxed: a hint; `fetch_and` decides.
                    let mut seen = word.load(Relaxed);
                    while seen != 0 {
                        let from = warp.lane();
                        let bit = (seen.rotate_right(from).trailing_zeros() + from) % 32;
                        // Acquire: what the block's former owner did before it set the bit comes
                        // before what we do. Others change other bits by read-modify-writes.
                        seen = word.fetch_and(!(1 << bit), Acquire);
                        if seen >> bit & 1 == 1 {
                            return 32 * group + bit;
                        }
                    }
                }
                group += 1;
                if group == groups {
                    group = 0;
                }
            }
            warp.back_off();
        }
    }

    /// Brings a basic block home that is not in the bin of its class.
    ///
    /// # Safety
    ///
    /// The caller owns the block of this class, which begins with unit `block`, and gives it up.
    #[inline(always)]
    pub(super) unsafe fn bring_block_home(&self, block: u32, class: Class) {
        let superblock = block >> self.layout.unit_bits();
        let index = self.index_of(block, class);
        // SAFETY: a block of the heap has a superblock, and this one is ours.
        unsafe { self.bring_home(Superblock::new(superblock), class, index, index + 1) };
    }

    /// The class to which an estimate says that home blocks of `least` or a larger one belong,
    /// or [`NONE`].
    #[inline(always)]
    pub(super) fn counted_home(&self, least: Class) -> u32 {
        let mut class = least.number();
        while class < self.layout.classes() {
            // SAFETY: a class.
            let count = self.home_count(unsafe { Class::new(class) });
            // Relaxed: an estimate, which may be too low by what others are about to take.
            if count.load(Relaxed) as i32 > 0 {
                return class;
            }
            class += 1;
        }
        NONE
    }
}

/// [`XMalloc::bring_home`], out of line: it is rare. `between` is the first block and, in the
/// upper half, the end.
///
/// # Safety
///
/// The pointers and the bits of the layout are those of a heap; otherwise as there.
#[inline(never)]
unsafe fn outlined(
    blocks: *mut u8,
    queues: *mut u8,
    tables: *mut u8,
    layout: u64,
    superblock: Superblock,
    class: Class,
    between: u32,
) {
    // SAFETY: the parts of a heap, and blocks in it that are ours.
    unsafe {
        let heap = XMalloc::of_parts(blocks, queues, tables, layout);
        heap.bring_all_home(superblock, class, between & 0xffff, between >> 16);
    }
}

/// [`XMalloc::take_home`], out of line likewise.
///
/// # Safety
///
/// The pointers and the bits of the layout are those of a heap; otherwise as there.
#[inline(never)]
unsafe fn taken<W: Warp>(
    warp: W,
    blocks: *mut u8,
    queues: *mut u8,
    tables: *mut u8,
    layout: u64,
    superblock: Superblock,
    class: Class,
) -> u32 {
    // SAFETY: the parts of a heap, and a permit for a block of the superblock.
    unsafe {
        let heap = XMalloc::of_parts(blocks, queues, tables, layout);
        heap.take_bit(warp, superblock, class)
    }
}
