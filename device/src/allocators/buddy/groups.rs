//! The words of groups: signals of blocks, and how blocks are taken, given back and merged.
//!
//! A group's word has a bit for each of its blocks, set while the block is free, and above
//! them [`LISTED`]: the group is in its level's queue, or a thread holds it, which
//! clears the bit when it takes what is free. Who sets the first bit of a group that is not listed lists
//! it. A group without free blocks stays listed if they were merged away: who gets it from the
//! queue finds nothing, and clears the bit. That is the paper's CAPTURED signal.
//!
//! Buddies are the bits `2 i` and `2 i + 1`. At no time are both set: see [`BuddyAlloc::give`].
//!
//! | operation | order | why |
//! |---|---|---|
//! | swap in `take` | acquire | what former owners did to the blocks comes before what we do |
//! | exchange in `give` | acquire and release | what we, and the owners of a buddy that we merge with, did comes before what the next owner does |
//! | counts of free blocks | relaxed | they come before and after the exchanges that order them |
//!
//! Words change by read-modify-writes only, which continue each other's release sequences.

use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

use cuda_std::atomic::{AtomicU32, AtomicU64};

use super::BuddyAlloc;
use super::layout::{GROUP_BLOCKS, LEVELS, NONE, table};
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
fn pairs(bits: u32) -> u32 {
    bits & bits >> 1 & FIRST
}

/// The bits of the buddies.
#[inline(always)]
fn swapped(bits: u32) -> u32 {
    (bits & FIRST) << 1 | bits >> 1 & FIRST
}

/// The even bits, moved together.
#[inline(always)]
fn halved(first: u32) -> u32 {
    let two = (first | first >> 1) & 0x3333_3333;
    let four = (two | two >> 2) & 0x0f0f_0f0f;
    let eight = (four | four >> 4) & 0x00ff_00ff;
    (eight | eight >> 8) & 0xffff
}

impl BuddyAlloc {
    /// The count of free blocks of a level.
    ///
    /// # Safety
    ///
    /// `level` is below `LEVELS`.
    #[inline(always)]
    pub(super) unsafe fn free_count(&self, level: u32) -> &AtomicU32 {
        // SAFETY: the table has a word for each level.
        unsafe {
            let table = self.tables.add(table::FREE).cast::<AtomicU32>();
            &*table.add(level as usize)
        }
    }

    /// The word of a group.
    ///
    /// # Safety
    ///
    /// `word` is one that `layout.word` returns for a group of the heap.
    #[inline(always)]
    unsafe fn word(&self, word: u32) -> &AtomicU64 {
        // SAFETY: the caller's promise.
        unsafe {
            let groups = self.tables.add(table::GROUPS).cast::<AtomicU64>();
            &*groups.add(word as usize)
        }
    }

    /// Takes the free blocks of a group: their bits, or 0 if none is free. Where they are more
    /// than are wanted, the caller gives the others back, and lists the group by that.
    ///
    /// # Safety
    ///
    /// `group` is one of level `level` that the caller holds, and gives up.
    #[inline(always)]
    pub(super) unsafe fn take(&self, level: u32, group: u32) -> u32 {
        // SAFETY: the caller's promise.
        // Acquire: what the blocks' former owners did comes before what we do.
        unsafe { self.word(self.layout.word(level, group)).swap(0, Acquire) as u32 }
    }

    /// Sets the bits of blocks, or clears those of their buddies: the buddies that were free.
    ///
    /// # Safety
    ///
    /// The caller owns the blocks, which are of a group of level `level`, and none the buddy
    /// of another. It gives up those without a free buddy, and owns both where there was one.
    #[inline(always)]
    unsafe fn place<W: Warp>(&self, warp: W, level: u32, group: u32, blocks: u32) -> u32 {
        // SAFETY: the caller's promise; who sets the first bit of a group that is not listed
        // holds the group.
        unsafe {
            let word = self.word(self.layout.word(level, group));
            // Relaxed: a hint; the exchange decides.
            let mut seen = word.load(Relaxed);
            // Each turn that fails is another thread's success.
            loop {
                let free = seen as u32;
                let met = free & swapped(blocks);
                let left = free & !met | blocks & !swapped(met);
                let mut next = seen & LISTED;
                if left != 0 {
                    next = LISTED | u64::from(left);
                }
                // Acquire and release: what we did to the blocks comes before what their next
                // owners do; and what the buddies' last owners did before what we do, which is
                // to give both up as one.
                let held = word.compare_exchange(seen, next, AcqRel);
                if held == seen {
                    if !seen & next & LISTED != 0 {
                        self.put(warp, level, group);
                    }
                    return met;
                }
                seen = held;
                warp.back_off();
            }
        }
    }

    /// Gives blocks of a group back, and merges them with free buddies, level by level.
    ///
    /// Buddies among the blocks are one block of the level above. Of the others, an exchange
    /// of the group's word clears the bit of the buddy if that is free, and sets the block's
    /// if not. So of two threads that give buddies back, the later one in the word's order
    /// gets both. It owns what it carries up, whatever becomes of the word then.
    ///
    /// # Safety
    ///
    /// The caller owns the blocks, which are of level `level`, and gives them up.
    #[inline(always)]
    pub(super) unsafe fn give<W: Warp>(
        &self,
        warp: W,
        mut level: u32,
        mut group: u32,
        mut bits: u32,
    ) {
        // The blocks of `bits` that are counted free: all or none.
        let mut counted = 0;
        while bits != 0 {
            let mut up = pairs(bits);
            let single = bits & !(up | up << 1);
            // What is counted here and goes on to the level above.
            let mut leaving = counted;
            if single != 0 {
                // SAFETY: the caller's promise; what was carried here is the caller's, too.
                unsafe {
                    if counted == 0 {
                        leaving = single.count_ones();
                        // Relaxed, here and below: the exchange in `place` releases it to who
                        // takes the blocks and counts them off.
                        self.free_count(level).fetch_add(leaving, Relaxed);
                    }
                    let met = self.place(warp, level, group, single);
                    leaving = leaving + 2 * met.count_ones() - single.count_ones();
                    up |= (met | swapped(met)) & FIRST;
                }
            }
            counted = 0;
            if leaving != 0 {
                counted = up.count_ones();
                // SAFETY: two buddies are in the pool, so that the block of both is, and has a
                // level and a group.
                unsafe {
                    self.free_count(level + 1).fetch_add(counted, Relaxed);
                    self.free_count(level)
                        .fetch_add(leaving.wrapping_neg(), Relaxed);
                }
            }
            bits = halved(up) << (GROUP_BLOCKS / 2 * (group & 1));
            group /= 2;
            level += 1;
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
                // SAFETY: as above.
                unsafe { self.free_count(level).store(count, Relaxed) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{halved, lowest, nth, pairs, swapped};

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
                let turned = both >> 1 | (both & 1) << 1;
                assert_eq!(swapped(bits) >> (2 * pair) & 3, turned);
            }
        }
    }
}
