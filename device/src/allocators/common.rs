//! Shared by allocators of several families: the paper, and the unit in which they grant
//! memory, chosen when a heap is set up.
//!
//! A handle is the number of a unit, in 32 bits. A pool with more units than can be
//! numbered gets larger ones: the bytes of a unit are a shift that comes with the heap, so
//! that no pool pays for larger handles.

use crate::allocator::{Heap, Request, SetupError};
use crate::description::Parameter;

/// Where AtomicMalloc, AWMalloc and the circular allocators were published.
pub const VINKLER: &str = "Vinkler and Havran, Register Efficient Memory Allocator for GPUs, 2014";

/// The logarithm of the smallest unit's bytes: blocks are 16-byte aligned.
pub const MIN_UNIT_SHIFT: u32 = 4;
/// The logarithm of the largest unit's bytes.
const MAX_UNIT_SHIFT: u32 = 12;

/// The parameter of the unit, where it is 16 bytes at least.
pub const UNIT: Parameter = Parameter {
    name: "unit",
    values: "bytes, a power of two from 16 to 4096",
    default: "the least of which the pool has no more than 32 bits can number",
    what: "the size of which blocks are multiples",
};
const UNIT_ALONE: &str = "unit=BYTES, a power of two from 16 to 4096";

/// The least number of units of `1 << unit_shift` bytes, at least one, that hold `bytes`;
/// `u32::MAX`, which no pool has, if that many cannot be counted.
#[inline(always)]
pub fn units(bytes: u64, unit_shift: u32) -> u32 {
    let last = bytes.saturating_sub(1) >> unit_shift;
    if last >= u64::from(u32::MAX - 1) {
        return u32::MAX;
    }
    last as u32 + 1
}

/// Sets up a heap by `divide`, which is given the logarithm of a unit's bytes: that of the
/// parameter `unit`, or else from `least_shift` on the first that does not make the pool
/// too large.
///
/// # Errors
///
/// The result of `divide`, and for a parameter `unit` that is no power of two in the bounds
/// what is `expected`.
pub fn with_unit(
    request: &Request,
    least_shift: u32,
    expected: &'static str,
    divide: impl Fn(u32) -> Result<Heap, SetupError>,
) -> Result<Heap, SetupError> {
    let shifts = least_shift..=MAX_UNIT_SHIFT;
    for (name, text) in request.parameters {
        if *name == "unit" {
            let asked = text.parse::<u64>().ok();
            let asked = asked.filter(|bytes| bytes.is_power_of_two());
            return match asked.map(u64::ilog2) {
                Some(shift) if shifts.contains(&shift) => divide(shift),
                _ => Err(SetupError::BadParameter { expected }),
            };
        }
    }
    let mut shift = least_shift;
    loop {
        match divide(shift) {
            Err(SetupError::PoolTooLarge { .. }) if shift < MAX_UNIT_SHIFT => shift += 1,
            done => return done,
        }
    }
}

/// [`with_unit`] for an allocator that has no other parameter.
///
/// # Errors
///
/// As there, and for any other parameter.
pub fn with_unit_alone(
    request: &Request,
    divide: impl Fn(u32) -> Result<Heap, SetupError>,
) -> Result<Heap, SetupError> {
    if request.parameters.iter().any(|(name, _)| *name != "unit") {
        return Err(SetupError::BadParameter {
            expected: UNIT_ALONE,
        });
    }
    with_unit(request, MIN_UNIT_SHIFT, UNIT_ALONE, divide)
}

/// A bit for each word of a row, as loaded at once, for which `is_set` holds.
#[inline(always)]
pub fn bits_of(row: [[u32; 4]; 4], is_set: impl Fn(u32) -> bool) -> u32 {
    let [a, b, c, d] = row;
    let four = |words: [u32; 4]| {
        u32::from(is_set(words[0]))
            | u32::from(is_set(words[1])) << 1
            | u32::from(is_set(words[2])) << 2
            | u32::from(is_set(words[3])) << 3
    };
    four(a) | four(b) << 4 | four(c) << 8 | four(d) << 12
}
