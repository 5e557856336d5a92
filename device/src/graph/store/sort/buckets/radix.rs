//! A bucket in shared memory, sorted digit by digit from the lowest on.
//!
//! Each warp takes a row of neighbouring keys after the other, and counts the keys of each digit that
//! it has seen: the sums of these counts over digits and warps say where a key goes. Keys of equal
//! digits keep their order.

use super::super::rest::Rest;
use super::{ITEMS, items};
use crate::simt::{Block, Warp, leader, rank};

/// Bits of a digit: a counter of 16 bits for each value and warp fits beside the keys.
const DIGIT_BITS: u32 = 8;

/// Sorts `count` rests by their bits below `bits`.
///
/// # Safety
///
/// `rests` are words of shared memory, as many as `ITEMS` for each thread, behind a barrier;
/// `counts` is a counter for each value of a digit and each warp; nothing else uses them. All
/// threads of the block make the call.
#[inline(always)]
pub unsafe fn sort<W: Warp, R: Rest>(
    warp: W,
    rests: *mut R,
    counts: *mut u16,
    count: u32,
    bits: u32,
) {
    let block = Block::of(warp);
    let (own, warps) = (warp.warp_in_block(), warp.warps_in_block());
    let counters = warps << DIGIT_BITS;
    let position = |item: usize| (own * ITEMS as u32 + item as u32) * W::LANES + warp.lane();
    let mut low = 0;
    while low < bits {
        let digit = |rest: R| (rest.bits() >> low) as u32 & ((1 << DIGIT_BITS) - 1);
        // SAFETY: a warp has counters of its own, whose accesses `sync` orders;
        // they are summed between two barriers. Each key has a position of its own by its digit and
        // rank, and is in a register while the memory of the rests serves for the sums.
        unsafe {
            let counter = |rest: R| counts.add((digit(rest) * warps + own) as usize);
            let mut index = block.thread();
            while index < counters {
                counts.add(index as usize).write(0);
                index += block.threads();
            }
            let mine = items(|item| *rests.add(position(item).min(count - 1) as usize));
            block.sync();
            let ranks = items(|item| {
                let is_there = position(item) < count;
                let value = if is_there {
                    digit(mine[item])
                } else {
                    u32::MAX
                };
                let same = warp.match_any(W::FULL, value);
                let before = u32::from(*counter(mine[item]));
                warp.sync(W::FULL);
                if is_there && warp.lane() == leader(same) {
                    counter(mine[item]).write((before + same.count_ones()) as u16);
                }
                warp.sync(W::FULL);
                before + rank(same, warp.lane())
            });
            block.sync();
            let (from, to) = block.range(counters);
            let mut sum = 0;
            let mut index = from;
            while index < to {
                sum += u32::from(*counts.add(index as usize));
                index += 1;
            }
            let (mut before, _) = block.all_exclusive_sum(sum, rests.cast());
            let mut index = from;
            while index < to {
                let counted = u32::from(*counts.add(index as usize));
                counts.add(index as usize).write(before as u16);
                before += counted;
                index += 1;
            }
            block.sync();
            items(|item| {
                if position(item) < count {
                    let target = u32::from(*counter(mine[item])) + ranks[item];
                    rests.add(target as usize).write(mine[item]);
                }
            });
            block.sync();
        }
        low += DIGIT_BITS;
    }
}
