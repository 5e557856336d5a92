//! How the pool is divided: slabs, units, size classes, and the tables behind the slabs.
//!
//! Chunks are multiples of a *unit*: 16 bytes, or the 131072nd part of a slab if that is more. A
//! handle is the number of the unit with which a block begins.
//!
//! Size classes are those of LLVM libc: powers of two, and 3/4 and 7/8 of them, as far as these are
//! whole units. Larger requests than 7/16 of a slab, where two chunks would not fit beside their
//! bits, take whole slabs.
//!
//! Behind the slabs lie a hint for each class, an owner word for each slab, and a slot for each
//! slab.

use crate::allocator::{Heap, Request, SetupError};
use crate::allocators::common::MIN_UNIT_SHIFT;

/// Bytes of the hints, one word for each class.
pub const HINT_BYTES: u64 = 256;
/// Words that [`cuda_std::atomic::load_row`] loads; owner words are a multiple of it.
pub const ROW: u32 = 16;
/// Bytes of the tables for each slab: a slot and an owner word.
const SLAB_TABLE_BYTES: u64 = 8 + 4;
/// Bytes of the tables that every heap has: the hints, and a row of owner words.
const TABLE_BYTES: u64 = HINT_BYTES + 64;
/// Bytes to which the bitfield of a slab is aligned.
const FIELD_ALIGNMENT: u32 = 128;
/// The number of the largest class, of chunks of 7/16 of a slab of 131072 units.
pub const MAX_CLASS: u32 = 44;
/// The logarithm of the maximum number of units of a slab.
const MAX_UNIT_BITS: u32 = 17;
/// The maximum number of slabs: a slot numbers them in 16 bits.
const MAX_SLABS: u64 = 65535;
/// The logarithms of a slab's bytes: minimum, minimum by default, default and maximum.
const MIN_SLAB_SHIFT: u32 = 10;
const SMALL_SLAB_SHIFT: u32 = 12;
const DEFAULT_SLAB_SHIFT: u32 = 21;
const MAX_SLAB_SHIFT: u32 = 24;
/// The logarithm of the slabs that a pool has by default, as far as they are not too small.
const DEFAULT_SLABS_BITS: u32 = 9;

const PARAMETERS: &str = "slab=BYTES, a power of two from 1024 to 16777216";

/// The scalars of a heap.
#[derive(Clone, Copy)]
pub struct Layout {
    /// Slabs, and slots.
    pub slabs: u32,
    /// The logarithm of a slab's bytes.
    pub slab_shift: u32,
}

/// Bytes that so many slabs take with their tables.
fn bytes_for(slabs: u64, slab_shift: u32) -> u64 {
    TABLE_BYTES + (slabs << slab_shift) + SLAB_TABLE_BYTES * slabs
}

/// Divides a pool into slabs of `1 << slab_shift` bytes.
fn divide(request: &Request, slab_shift: u32) -> Result<Heap, SetupError> {
    let needed = bytes_for(1, slab_shift);
    if request.pool_bytes < needed {
        return Err(SetupError::PoolTooSmall { needed });
    }
    let each = (1 << slab_shift) + SLAB_TABLE_BYTES;
    let slabs = (request.pool_bytes - TABLE_BYTES) / each;
    let layout = Layout {
        slabs: 0,
        slab_shift,
    };
    // One handle is null.
    let max = (u64::from(u32::MAX) >> layout.unit_bits()).min(MAX_SLABS);
    if slabs > max {
        return Err(SetupError::PoolTooLarge {
            limit: bytes_for(max, slab_shift),
        });
    }
    let tables = request.base.wrapping_add((slabs << slab_shift) as usize);
    let null = core::ptr::null_mut();
    Ok(Heap {
        pointers: [request.base, tables, null, null],
        integers: [slabs, u64::from(slab_shift), 0, 0, 0, 0, 0],
    })
}

/// Divides the memory of `request` into slabs of the size that it names, or of the least from the
/// default on that can be numbered.
///
/// # Errors
///
/// As of [`Allocator::setup`](crate::allocator::Allocator::setup).
pub fn plan(request: &Request) -> Result<Heap, SetupError> {
    let bad = SetupError::BadParameter {
        expected: PARAMETERS,
    };
    match request.parameters {
        [] => (),
        [("slab", text)] => {
            let bytes = text.parse::<u64>().ok();
            let bytes = bytes.filter(|bytes| bytes.is_power_of_two());
            return match bytes.map(u64::ilog2) {
                Some(shift @ MIN_SLAB_SHIFT..=MAX_SLAB_SHIFT) => divide(request, shift),
                _ => Err(bad),
            };
        }
        _ => return Err(bad),
    }
    let pool_shift = request.pool_bytes.checked_ilog2().unwrap_or(0);
    let shift = pool_shift.saturating_sub(DEFAULT_SLABS_BITS);
    let mut shift = shift.clamp(SMALL_SLAB_SHIFT, DEFAULT_SLAB_SHIFT);
    loop {
        match divide(request, shift) {
            Err(SetupError::PoolTooLarge { .. }) if shift < MAX_SLAB_SHIFT => shift += 1,
            done => return done,
        }
    }
}

/// The class of chunks for so many units, at least 1.
#[inline(always)]
pub fn class_of(units: u32) -> u32 {
    if units <= 4 {
        return units - 1;
    }
    // The units are more than 4 and at most 8 times a power of two.
    let octave = 29 - (units - 1).leading_zeros();
    let eighths = (units - 1) >> octave;
    4 + 3 * octave + eighths.saturating_sub(5)
}

/// The units of a chunk of `class`.
#[inline(always)]
pub fn chunk_units(class: u32) -> u32 {
    if class < 4 {
        return class + 1;
    }
    (6 + (class - 4) % 3) << ((class - 4) / 3)
}

impl Layout {
    /// Unpacks what [`plan`] packed.
    #[inline(always)]
    pub fn unpack(integers: &[u64; 7]) -> Self {
        Self {
            slabs: integers[0] as u32,
            slab_shift: integers[1] as u32,
        }
    }

    /// Owner words: those of slabs, and as many more as fill a row.
    #[inline(always)]
    pub fn owner_words(&self) -> u32 {
        (self.slabs + ROW - 1) & !(ROW - 1)
    }

    /// The logarithm of the units of a slab.
    #[inline(always)]
    pub fn unit_bits(&self) -> u32 {
        let bits = self.slab_shift - MIN_UNIT_SHIFT;
        if bits < MAX_UNIT_BITS {
            bits
        } else {
            MAX_UNIT_BITS
        }
    }

    /// The logarithm of a unit's bytes.
    #[inline(always)]
    pub fn unit_shift(&self) -> u32 {
        self.slab_shift - self.unit_bits()
    }

    /// The units of the largest chunks.
    #[inline(always)]
    pub fn max_chunk_units(&self) -> u32 {
        7 << (self.unit_bits() - 4)
    }

    /// The units of the bitfield of a slab with chunks of so many units.
    #[inline(always)]
    pub fn field_units(&self, chunk: u32) -> u32 {
        let chunks = (1_u32 << self.unit_bits()).checked_div(chunk).unwrap_or(0);
        let bytes = chunks.div_ceil(32) * 4;
        ((bytes + FIELD_ALIGNMENT - 1) & !(FIELD_ALIGNMENT - 1)) >> self.unit_shift()
    }

    /// The chunks of so many units that a slab has behind its bitfield.
    #[inline(always)]
    pub fn capacity(&self, chunk: u32) -> u32 {
        let units = (1 << self.unit_bits()) - self.field_units(chunk);
        units.checked_div(chunk).unwrap_or(0)
    }

    /// The slot from which on requests of `class` look. The smaller the chunks, the more slots are
    /// between theirs and the next: LLVM libc's easing function.
    #[inline(always)]
    pub fn start(&self, class: u32) -> u32 {
        let rest = u64::from((1 << 16) - (class << 16) / MAX_CLASS);
        let cube = ((rest * rest * rest) >> 32) as u32;
        ((self.slabs - 1) * ((1 << 16) - cube)) >> 16
    }
}

#[cfg(test)]
mod tests {
    use super::{FIELD_ALIGNMENT, Layout, MAX_CLASS, MAX_SLABS, chunk_units, class_of};

    fn layout(slab_shift: u32) -> Layout {
        Layout {
            slabs: MAX_SLABS as u32,
            slab_shift,
        }
    }

    #[test]
    fn a_class_is_the_least_that_serves_its_requests() {
        let sizes: Vec<u32> = (0..=MAX_CLASS).map(chunk_units).collect();
        assert_eq!(sizes[..13], [1, 2, 3, 4, 6, 7, 8, 12, 14, 16, 24, 28, 32]);
        for units in 1..=7 << 13 {
            let class = class_of(units) as usize;
            assert!(sizes[class] >= units, "{units}");
            assert!(class == 0 || sizes[class - 1] < units, "{units}");
        }
        assert_eq!(class_of(7 << 13), MAX_CLASS);
    }

    /// A slab has two chunks at least, and no room for another; its bits suffice.
    #[test]
    fn chunks_lie_behind_their_bits() {
        for slab_shift in 10..=24 {
            let layout = layout(slab_shift);
            let units = 1 << layout.unit_bits();
            for chunk in (0..)
                .map(chunk_units)
                .take_while(|&chunk| chunk <= layout.max_chunk_units())
            {
                let field = layout.field_units(chunk);
                let capacity = layout.capacity(chunk);
                assert!((2..1 << 17).contains(&capacity), "{slab_shift} {chunk}");
                assert!(capacity <= (field << layout.unit_shift()) * 8);
                assert!((field << layout.unit_shift()).is_multiple_of(FIELD_ALIGNMENT));
                assert!(field + capacity * chunk <= units);
                assert!(field + (capacity + 1) * chunk > units);
            }
        }
    }

    #[test]
    fn small_classes_have_more_slots() {
        let layout = layout(21);
        let starts: Vec<u32> = (0..=MAX_CLASS).map(|class| layout.start(class)).collect();
        assert_eq!((starts[0], starts[44]), (0, layout.slabs - 1));
        assert!(starts.is_sorted());
        let gaps: Vec<u32> = starts.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(gaps[0] > gaps[20] && gaps[20] > gaps[40]);
    }
}
