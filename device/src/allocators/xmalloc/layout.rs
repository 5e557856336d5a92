//! How the pool is divided: superblocks, size classes, and the tables behind the superblocks.
//!
//! Blocks are multiples of a *unit*: 16 bytes, or the 4096th part of a superblock if that is
//! more. A handle is the number of the unit with which a block begins.
//!
//! A size class is a number of units: 1, 2, 3, 4, and from there on four to an octave, up to half
//! a superblock.
//!
//! Behind the superblocks lie the *queues*: a line of words for each class and one for the heap,
//! then the slots of the bins, of the queue of unused superblocks, and of the queues of
//! superblocks with home blocks. Behind these lie the *tables*: a word for each superblock, a map
//! with a bit for each, and for each the bits of its home blocks.

use crate::allocator::{Heap, Request, SetupError};
use crate::allocators::common::MIN_UNIT_SHIFT;

/// Bytes of the words of a class.
pub const LINE_BYTES: u64 = 128;
/// Words of a row, as which the words of superblocks and the map are read.
pub const ROW: u32 = 16;
/// The logarithm of the units that a superblock has at most.
const MAX_UNIT_BITS: u32 = 12;
/// The logarithms of a superblock's bytes: minimum, bounds of the default, and maximum.
const MIN_SHIFT: u32 = 10;
const MIN_DEFAULT_SHIFT: u32 = 12;
const MAX_DEFAULT_SHIFT: u32 = 16;
const MAX_SHIFT: u32 = 26;
/// A pool is divided into so many superblocks at least, as a power of two, as far as the bounds
/// of the default allow.
const POOL_BITS: u32 = 8;
/// A bin has a slot for so many bytes of the superblocks, as a power of two.
const SLOT_SHIFT: u32 = 15;
/// The logarithms of the slots of a bin: minimum and maximum.
const MIN_BIN_BITS: u32 = 4;
const MAX_BIN_BITS: u32 = 17;
/// That of the maximum number of slots of a queue of superblocks with home blocks.
const MAX_HOME_BITS: u32 = 10;

const PARAMETERS: &str = "superblock=BYTES, a power of two from 1024 to 67108864";

/// The scalars of a heap.
#[derive(Clone, Copy)]
pub struct Layout {
    /// Superblocks.
    pub superblocks: u32,
    /// The logarithm of a superblock's bytes.
    pub shift: u32,
    /// The logarithm of a bin's slots.
    pub bin_bits: u32,
}

/// The layout of so many superblocks, fewer than 2^32, of `1 << shift` bytes.
fn layout(superblocks: u64, shift: u32) -> Layout {
    let slots = (superblocks << shift >> SLOT_SHIFT).max(1);
    Layout {
        superblocks: superblocks as u32,
        shift,
        bin_bits: slots.ilog2().clamp(MIN_BIN_BITS, MAX_BIN_BITS),
    }
}

/// Bytes that so many superblocks take with their queues and tables.
fn bytes_for(superblocks: u64, shift: u32) -> u64 {
    let layout = layout(superblocks, shift);
    let words = superblocks.next_multiple_of(u64::from(ROW));
    let map = superblocks.div_ceil(32).next_multiple_of(u64::from(ROW));
    let bits = superblocks << layout.unit_bits() >> 3;
    (superblocks << shift) + layout.queue_bytes() + 4 * (words + map) + bits
}

/// Divides a pool into superblocks of `1 << shift` bytes.
fn divide(request: &Request, shift: u32) -> Result<Heap, SetupError> {
    let needed = bytes_for(1, shift);
    if request.pool_bytes < needed {
        return Err(SetupError::PoolTooSmall { needed });
    }
    // One handle is null.
    let most = u64::from(u32::MAX) >> layout(1, shift).unit_bits();
    let limit = bytes_for(most + 1, shift) - 1;
    if request.pool_bytes > limit {
        return Err(SetupError::PoolTooLarge { limit });
    }
    // The most that the pool has room for: from `fits` on, below `exceeds`.
    let (mut fits, mut exceeds) = (1, most + 1);
    while exceeds - fits > 1 {
        let middle = fits.midpoint(exceeds);
        if bytes_for(middle, shift) <= request.pool_bytes {
            fits = middle;
        } else {
            exceeds = middle;
        }
    }
    let layout = layout(fits, shift);
    let queues = request.base.wrapping_add((fits << shift) as usize);
    let tables = queues.wrapping_add(layout.queue_bytes() as usize);
    let integers = [fits, u64::from(shift), u64::from(layout.bin_bits)];
    Ok(Heap {
        pointers: [request.base, queues, tables, core::ptr::null_mut()],
        integers: [integers[0], integers[1], integers[2], 0, 0, 0, 0],
    })
}

/// Divides the memory of `request` into superblocks of the size that it names, or else of one
/// that suits the pool.
///
/// # Errors
///
/// As of [`Allocator::setup`](crate::allocator::Allocator::setup).
pub fn plan(request: &Request) -> Result<Heap, SetupError> {
    let bad = SetupError::BadParameter {
        expected: PARAMETERS,
    };
    match request.parameters {
        [] => {
            let pool = request.pool_bytes.max(1).ilog2();
            let mut shift = pool
                .saturating_sub(POOL_BITS)
                .clamp(MIN_DEFAULT_SHIFT, MAX_DEFAULT_SHIFT);
            loop {
                match divide(request, shift) {
                    Err(SetupError::PoolTooLarge { .. }) if shift < MAX_SHIFT => shift += 1,
                    done => return done,
                }
            }
        }
        [("superblock", text)] => match text.parse::<u64>() {
            Ok(bytes) if bytes.is_power_of_two() => match bytes.ilog2() {
                shift @ MIN_SHIFT..=MAX_SHIFT => divide(request, shift),
                _ => Err(bad),
            },
            _ => Err(bad),
        },
        _ => Err(bad),
    }
}

/// The class of so many units, at least one.
#[inline(always)]
pub fn class_of(units: u32) -> u32 {
    let last = units - 1;
    if last < 4 {
        return last;
    }
    let octave = 29 - last.leading_zeros();
    4 * octave + (last >> octave)
}

/// Units of a basic block of a class.
#[inline(always)]
pub fn units_of(class: u32) -> u32 {
    if class < 4 {
        return class + 1;
    }
    (5 + class % 4) << (class / 4 - 1)
}

impl Layout {
    /// Unpacks what [`plan`] packed.
    #[inline(always)]
    pub fn unpack(integers: &[u64; 7]) -> Self {
        Self {
            superblocks: integers[0] as u32,
            shift: integers[1] as u32,
            bin_bits: integers[2] as u32,
        }
    }

    /// The layout in a word.
    #[inline(always)]
    pub fn to_bits(self) -> u64 {
        u64::from(self.bin_bits << 8 | self.shift) << 32 | u64::from(self.superblocks)
    }

    /// The layout of these bits.
    #[inline(always)]
    pub fn from_bits(bits: u64) -> Self {
        let high = (bits >> 32) as u32;
        Self {
            superblocks: bits as u32,
            shift: high & 0xff,
            bin_bits: high >> 8,
        }
    }

    /// The logarithm of the units of a superblock.
    #[inline(always)]
    pub fn unit_bits(&self) -> u32 {
        let bits = self.shift - MIN_UNIT_SHIFT;
        if bits < MAX_UNIT_BITS {
            bits
        } else {
            MAX_UNIT_BITS
        }
    }

    /// The logarithm of a unit's bytes.
    #[inline(always)]
    pub fn unit_shift(&self) -> u32 {
        self.shift - self.unit_bits()
    }

    /// Units of the largest basic block.
    #[inline(always)]
    pub fn max_units(&self) -> u32 {
        1 << (self.unit_bits() - 1)
    }

    /// Classes.
    #[inline(always)]
    pub fn classes(&self) -> u32 {
        4 * (self.unit_bits() - 2)
    }

    /// Basic blocks of a superblock of this class.
    #[inline(always)]
    pub fn capacity(&self, class: u32) -> u32 {
        let units = 1_u32 << self.unit_bits();
        units.checked_div(units_of(class)).unwrap_or(0)
    }

    /// The logarithm of lanes for which the basic blocks of a superblock of this class suffice: as
    /// many as can be told without a division.
    #[inline(always)]
    pub fn group_bits(&self, class: u32) -> u32 {
        // A block of the class has at most `4 << class / 4` units.
        self.unit_bits() - 2 - class / 4
    }

    /// The logarithm of the slots of a queue of superblocks with home blocks.
    #[inline(always)]
    pub fn home_bits(&self) -> u32 {
        if self.bin_bits < MAX_HOME_BITS {
            self.bin_bits
        } else {
            MAX_HOME_BITS
        }
    }

    /// Where the slots of the bins begin in the queues; behind them lie those of unused
    /// superblocks, as many as a bin's.
    #[inline(always)]
    pub fn bins_offset(&self) -> u64 {
        u64::from(self.classes() + 1) * LINE_BYTES
    }

    /// Where the slots of the queues of superblocks with home blocks begin.
    #[inline(always)]
    pub fn homes_offset(&self) -> u64 {
        self.bins_offset() + (u64::from(self.classes() + 1) << (self.bin_bits + 3))
    }

    /// Bytes of the queues.
    #[inline(always)]
    fn queue_bytes(&self) -> u64 {
        self.homes_offset() + (u64::from(self.classes()) << (self.home_bits() + 3))
    }

    /// Where the map begins in the tables.
    #[inline(always)]
    pub fn map_offset(&self) -> u64 {
        4 * u64::from(self.superblocks.next_multiple_of(ROW))
    }

    /// Where the bits of home blocks begin in the tables.
    #[inline(always)]
    pub fn bits_offset(&self) -> u64 {
        let words = self.superblocks.div_ceil(32).next_multiple_of(ROW);
        self.map_offset() + 4 * u64::from(words)
    }
}

#[cfg(test)]
mod tests {
    use super::{Layout, class_of, layout, units_of};

    /// A class is large enough for its units, and not much too large; of superblocks of all sizes
    /// each has two blocks at least.
    #[test]
    fn classes_are_consistent() {
        for shift in 10..=26 {
            let layout: Layout = layout(1, shift);
            let mut last = 0;
            for units in 1..=layout.max_units() {
                let class = class_of(units);
                assert!(class == last || class == last + 1, "{shift} {units}");
                last = class;
                let granted = units_of(class);
                assert!(granted >= units && 4 * granted <= 5 * units + 3);
                assert_eq!(class_of(granted), class);
                assert!(layout.capacity(class) >= 2);
                assert!(layout.capacity(class) >= 1 << layout.group_bits(class));
            }
            assert_eq!(last + 1, layout.classes());
            assert_eq!(units_of(last), layout.max_units());
        }
    }
}
