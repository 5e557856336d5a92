//! The words of groups: signals of blocks, and how blocks are taken and given back.
//!
//! A group's word has a bit for each of its blocks, set while the block is free, and above
//! them [`LISTED`]: the group is in its level's queue, or a thread holds it. A thread that sets the
//! first bit of a group that is not listed lists it. A thread that gets a group from the queue
//! takes what it wants of the free blocks, and lists the group again if there are more. A group
//! whose free blocks were merged away stays listed: who gets it finds nothing, and clears the bit.
//! That is the paper's CAPTURED signal.
//!
//! Buddies are the bits `2 i` and `2 i + 1`. Whether both stay set when they are free, or are
//! merged: see [`merge`](super::merge).
//!
//! | operation | order | why |
//! |---|---|---|
//! | exchange in `take` and in `unpair` | acquire | what former owners did to the blocks comes before what we do, or what we release |
//! | `fetch_or` in `put_blocks` | release | what we did to the blocks comes before what their next owner does |
//! | counts of free blocks | relaxed | they come before and after the operations on the word that order them |
//!
//! Words change by read-modify-writes only, which continue each other's release sequences.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use cuda_std::atomic::{AtomicU32, AtomicU64};

use super::BuddyAlloc;
use super::layout::{GROUP_BLOCKS, LEVELS, Level, NONE, table};
use crate::simt::Warp;

/// The group is in its queue, or held.
pub const LISTED: u64 = 1 << 32;
/// The first of each two buddies.
const FIRST: u32 = 0x5555_5555;

/// The position of the set bit of `bits` below which `before` are set; 31 if there is none.
#[inline(always)]
pub fn nth(bits: u32, mut before: u32) -> u32 {
    let (mut at, mut step) = (0, GROUP_BLOCKS / 2);
    while step > 0 {
        let below = (bits >> at & ((1 << step) - 1)).count_ones();
        if before >= below {
            before -= below;
            at += step;
        }
        step /= 2;
    }
    at
}

/// The lowest `count` set bits of `bits`, or all.
#[inline(always)]
pub fn lowest(bits: u32, count: u32) -> u32 {
    if bits.count_ones() <= count {
        bits
    } else {
        bits & ((1 << nth(bits, count)) - 1)
    }
}

/// The first buddies of those in `bits` whose buddy is there, too.
#[inline(always)]
pub fn pairs(bits: u32) -> u32 {
    bits & bits >> 1 & FIRST
}

/// The even bits, moved together.
#[inline(always)]
pub fn halved(first: u32) -> u32 {
    let two = (first | first >> 1) & 0x3333_3333;
    let four = (two | two >> 2) & 0x0f0f_0f0f;
    let eight = (four | four >> 4) & 0x00ff_00ff;
    (eight | eight >> 8) & 0xffff
}

impl BuddyAlloc {
    /// The count of free blocks of a level.
    #[inline(always)]
    pub(super) fn free_count(&self, level: Level) -> &AtomicU32 {
        // SAFETY: the table has a word for each level.
        unsafe {
            let table = self.tables.add(table::FREE).cast::<AtomicU32>();
            &*table.add(level.number() as usize)
        }
    }

    /// The word of a group.
    ///
    /// # Safety
    ///
    /// `word` is one that `layout.word` returns for a group of the heap.
    #[inline(always)]
    unsafe fn word(&self, word: u32) -> &AtomicU64 {
        // SAFETY: there is a word for each group.
        unsafe {
            let groups = self.tables.add(table::GROUPS).cast::<AtomicU64>();
            &*groups.add(word as usize)
        }
    }

    /// Takes up to `wanted` free blocks of a group: their bits, or 0 if none is free. Lists the
    /// group again if there are more.
    ///
    /// # Safety
    ///
    /// `group` is one of level `level` that the caller holds, and gives up.
    #[inline(always)]
    pub(super) unsafe fn take<W: Warp>(
        &self,
        warp: W,
        level: Level,
        group: u32,
        wanted: u32,
    ) -> u32 {
        // SAFETY: a group of the level, which we hold.
        unsafe {
            let word = self.word(self.layout.word(level.number(), group));
            // Relaxed: a hint; the exchange decides.
            let mut seen = word.load(Relaxed);
            // Each turn that fails is another thread's success: no thread takes blocks of a group
            // that another holds, so that it gave some back or merged some.
            loop {
                let bits = lowest(seen as u32, wanted);
                let rest = seen as u32 & !bits;
                let mut next = 0;
                if rest != 0 {
                    next = LISTED | u64::from(rest);
                }
                // Acquire: what the blocks' former owners did comes before what we do.
                let held = word.compare_exchange(seen, next, Acquire);
                if held == seen {
                    if rest != 0 {
                        self.put(warp, level, group);
                    }
                    return bits;
                }
                seen = held;
                warp.back_off();
            }
        }
    }

    /// Makes blocks of a group free: whether the buddy of one is free, too.
    ///
    /// # Safety
    ///
    /// The caller owns the blocks, which are of a group of level `level` and counted as free
    /// there, and gives them up.
    #[inline(always)]
    pub(super) unsafe fn put_blocks<W: Warp>(
        &self,
        warp: W,
        level: Level,
        group: u32,
        blocks: u32,
    ) -> bool {
        // SAFETY: a group of the level; who sets the first bit of one that is not listed holds it.
        unsafe {
            let word = self.word(self.layout.word(level.number(), group));
            // Release: what we did to the blocks comes before what their next owners do.
            let before = word.fetch_or(LISTED | u64::from(blocks), Release);
            if before & LISTED == 0 {
                self.put(warp, level, group);
            }
            pairs(before as u32 | blocks) & (blocks | blocks >> 1) != 0
        }
    }

    /// Takes all pairs of free buddies of a group: the bits of the first of each two.
    ///
    /// # Safety
    ///
    /// `group` is one of level `level`.
    #[inline(always)]
    pub(super) unsafe fn unpair<W: Warp>(&self, warp: W, level: Level, group: u32) -> u32 {
        // SAFETY: a group of the level.
        let word = unsafe { self.word(self.layout.word(level.number(), group)) };
        // Relaxed: a hint; the exchange decides. If there is no pair, then none of before the
        // caller was told of the group.
        let mut seen = word.load(Relaxed);
        loop {
            let first = pairs(seen as u32);
            if first == 0 {
                return 0;
            }
            let next = seen & !u64::from(first | first << 1);
            // Acquire: what the blocks' former owners did comes before what we do, which is to
            // give both up as one.
            let held = word.compare_exchange(seen, next, Acquire);
            if held == seen {
                return first;
            }
            // Each turn that fails is another thread's success.
            seen = held;
            warp.back_off();
        }
    }

    /// This thread's part of making the roots free, and no other block.
    ///
    /// # Safety
    ///
    /// As for [`Allocator::init`](crate::allocator::Allocator::init).
    pub(super) unsafe fn init_groups<W: Warp>(&self, warp: W) {
        let mut word = warp.thread();
        while word < self.layout.words() {
            // SAFETY: a word of the table; nothing else uses the heap.
            // Relaxed, here and below: later launches use it.
            unsafe { self.word(word).store(0, Relaxed) };
            word += warp.threads();
        }
        for level in 0..LEVELS {
            let root = self.layout.root(level);
            let mut count = 0;
            if root != NONE {
                count = 1;
                let word = self.layout.word(level, root / GROUP_BLOCKS);
                // After the 0 that the same thread has stored there.
                if word.checked_rem(warp.threads()) == Some(warp.thread()) {
                    let bit = LISTED | 1 << (root % GROUP_BLOCKS);
                    // SAFETY: as above.
                    unsafe { self.word(word).store(bit, Relaxed) };
                }
            }
            if warp.thread() == 0 {
                // SAFETY: a level of the tables.
                let free = self.free_count(unsafe { Level::new(level) });
                free.store(count, Relaxed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{halved, lowest, nth, pairs};

    #[test]
    fn bits_are_counted_paired_and_halved() {
        let mut bits = 0x9e37_79b9_u32;
        for _ in 0..1000 {
            bits = bits.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
            let ones: Vec<u32> = (0..32).filter(|bit| bits >> bit & 1 == 1).collect();
            for (before, &at) in ones.iter().enumerate() {
                assert_eq!(nth(bits, before as u32), at);
                assert_eq!(lowest(bits, before as u32), bits & ((1 << at) - 1));
            }
            assert_eq!(lowest(bits, ones.len() as u32), bits);
            for pair in 0..16 {
                let both = bits >> (2 * pair) & 3;
                assert_eq!(pairs(bits) >> (2 * pair) & 3, u32::from(both == 3));
                assert_eq!(halved(pairs(bits)) >> pair & 1, u32::from(both == 3));
            }
        }
    }
}
