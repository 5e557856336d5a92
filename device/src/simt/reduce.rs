//! Votes, sums and maxima over the lanes of a warp, and reals as integers, so that atomic sums do
//! not depend on the order in which warps come.

use crate::simt::Warp;

/// Whether a vote's result has a lane.
///
/// The vote of a lane is not tested again after the vote, its result is: the
/// compiler, which does not know that votes are made together before they are
/// inlined, would give lanes that go separate ways before and after the vote a
/// vote each.
#[inline(always)]
pub fn has(lanes: u32, lane: u32) -> bool {
    lanes >> lane & 1 == 1
}

/// The sum of all lanes' values, in every lane.
#[inline(always)]
pub fn all_sum64<W: Warp>(warp: W, mut value: u64) -> u64 {
    let mut step = W::LANES / 2;
    while step > 0 {
        value = value.wrapping_add(all_xor64(warp, value, step));
        step /= 2;
    }
    value
}

/// The maximum of all lanes' values, in every lane.
#[inline(always)]
pub fn all_max<W: Warp>(warp: W, mut value: u32) -> u32 {
    let mut step = W::LANES / 2;
    while step > 0 {
        let other = warp.all_shuffle_xor(value, step);
        value = if other > value { other } else { value };
        step /= 2;
    }
    value
}

/// The sum over each group of `lanes` lanes, a power of two that divides those
/// of the warp, in every lane of the group. All lanes call this.
#[inline(always)]
pub fn group_sum<W: Warp>(warp: W, mut value: f64, lanes: u32) -> f64 {
    let mut step = lanes / 2;
    while step > 0 {
        value += f64::from_bits(all_xor64(warp, value.to_bits(), step));
        step /= 2;
    }
    value
}

/// The `value` of the lane whose number differs in the bits of `lanes`.
#[inline(always)]
pub fn all_xor64<W: Warp>(warp: W, value: u64, lanes: u32) -> u64 {
    let low = warp.all_shuffle_xor(value as u32, lanes);
    let high = warp.all_shuffle_xor((value >> 32) as u32, lanes);
    u64::from(high) << 32 | u64::from(low)
}

/// 1.0 as an integer: sums below 16 fit, in steps of 2 to the power of -60.
const ONE: f64 = (1_u64 << 60) as f64;

/// A real from 0 to 16 as an integer.
#[inline(always)]
pub fn to_fixed(value: f64) -> u64 {
    (value * ONE) as u64
}

/// The real that an integer stands for.
#[inline(always)]
pub fn from_fixed(value: u64) -> f64 {
    value as f64 / ONE
}
