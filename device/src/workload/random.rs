//! Random numbers without a state: hashes of what they are drawn for.

use crate::bench::mix;

/// A number that looks random, the same for the same four: a seed, a purpose, a step and a place.
#[inline(always)]
pub fn draw(seed: u32, purpose: u32, step: u32, place: u32) -> u32 {
    // Each is mixed in by itself, so that neighbours in one of them have unrelated numbers.
    let seeded = mix(seed ^ purpose.wrapping_mul(0x9e37_79b9));
    mix(mix(seeded ^ step).wrapping_add(0x7f4a_7c15) ^ place)
}

/// Takes a number apart into one that looks unrelated (the finaliser of SplitMix64; Steele, Lea and
/// Flood 2014).
#[inline(always)]
pub fn mix64(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}
