//! How the pool is divided: segments, blocks, slices, and the tables behind the segments.
//!
//! Slices are a power of two of *units*, which are 16 bytes unless the pool has more of them
//! than can be numbered. A handle is the number of the unit with which a block of memory begins.
//!
//! A segment has 32 blocks, or fewer where these would be of less than 32 units. A class is the
//! logarithm of a slice's units. Slices of the *sliced* classes are parts of a block; those of
//! the classes above are a block, or several side by side, up to half a segment.
//!
//! Behind the segments lie the buffers, trees, and a record for each segment.

use super::tables::SliceClass;
use crate::allocator::{Heap, Request, SetupError};
use crate::allocators::common::MIN_UNIT_SHIFT;

/// The logarithms of a segment's bytes: minimum, minimum that is chosen, and maximum.
const MIN_SEGMENT_SHIFT: u32 = 10;
const MIN_DEFAULT_SHIFT: u32 = 12;
const MAX_SEGMENT_SHIFT: u32 = 28;
/// The logarithm of the published segment's bytes, the most that are chosen.
const PUBLISHED_SEGMENT_SHIFT: u32 = 24;
/// A pool has so many segments, or more where these would be larger than the published ones.
const SEGMENTS_BITS: u32 = 6;
/// The logarithm of the maximum number of segments: trees have three levels.
const MAX_SEGMENTS_BITS: u32 = 18;
/// The logarithm of the maximum number of buffers of a class.
const MAX_BUFFER_BITS: u32 = 8;
/// The logarithm of the part of the pool that the buffers of a class hold at most.
const BUFFERED_BITS: u32 = 5;
/// The logarithm of the units of a segment, at least.
const MIN_SEGMENT_UNIT_BITS: u32 = 6;
/// The logarithm of the units of a block, at least: its bits are whole words.
const MIN_BLOCK_UNIT_BITS: u32 = 5;
/// The logarithm of the maximum number of blocks of a segment.
const MAX_BLOCKS_BITS: u32 = 5;
/// Bytes of the count of blocks in buffers, and what follows it.
const COUNT_BYTES: u64 = 64;

const PARAMETERS: &str = "segment=BYTES, a power of two from 1024 to 268435456";

/// The scalars of a heap.
#[derive(Clone, Copy)]
pub struct Layout {
    /// Segments.
    pub segments: u32,
    /// The logarithm of a segment's units, and the number of classes.
    pub segment_bits: u32,
    /// The logarithm of a unit's bytes.
    pub unit_shift: u32,
    /// The logarithm of the buffers of a class.
    buffer_bits: u32,
}

/// The words of each level of a tree over `bits` bits; 0 of a level that it does not have.
#[inline(always)]
pub fn levels(bits: u32) -> [u32; 3] {
    let first = bits.div_ceil(64);
    let second = if first > 1 { first.div_ceil(64) } else { 0 };
    [first, second, if second > 1 { 1 } else { 0 }]
}

impl Layout {
    /// Unpacks what [`plan`] packed.
    #[inline(always)]
    pub fn from_bits(bits: u64) -> Self {
        Self {
            segments: bits as u32,
            segment_bits: (bits >> 32) as u32 & 0xff,
            unit_shift: (bits >> 40) as u32 & 0xff,
            buffer_bits: (bits >> 48) as u32,
        }
    }

    /// The layout in a word.
    #[inline(always)]
    pub fn to_bits(self) -> u64 {
        u64::from(self.segments)
            | u64::from(self.segment_bits) << 32
            | u64::from(self.unit_shift) << 40
            | u64::from(self.buffer_bits) << 48
    }

    /// The logarithm of a segment's bytes.
    #[inline(always)]
    pub fn segment_shift(&self) -> u32 {
        self.segment_bits + self.unit_shift
    }

    /// The logarithm of the blocks of a segment.
    #[inline(always)]
    pub fn blocks_bits(&self) -> u32 {
        let bits = self.segment_bits - MIN_BLOCK_UNIT_BITS;
        if bits < MAX_BLOCKS_BITS {
            bits
        } else {
            MAX_BLOCKS_BITS
        }
    }

    /// The logarithm of a block's units.
    #[inline(always)]
    pub fn block_bits(&self) -> u32 {
        self.segment_bits - self.blocks_bits()
    }

    /// A bit for each block of a segment.
    #[inline(always)]
    pub fn all_blocks(&self) -> u32 {
        u32::MAX >> (32 - (1 << self.blocks_bits()))
    }

    /// Sliced classes: slices of one unit to half a block.
    #[inline(always)]
    pub fn sliced(&self) -> u32 {
        self.block_bits()
    }

    /// Slices of a block of `class`: two at least, or one of a class that is not sliced.
    #[inline(always)]
    pub fn slices(&self, class: u32) -> u32 {
        1 << self.block_bits().saturating_sub(class)
    }

    /// Words of the bits of a block of `class`.
    #[inline(always)]
    pub fn words(&self, class: u32) -> u32 {
        let slices = self.slices(class);
        if slices < 32 { 1 } else { slices / 32 }
    }

    /// A word of a block of `class` all of whose slices are free.
    #[inline(always)]
    pub fn full_word(&self, class: u32) -> u32 {
        let slices = self.slices(class);
        if slices < 32 {
            (1 << slices) - 1
        } else {
            u32::MAX
        }
    }

    /// The index of a buffer of `class`.
    #[inline(always)]
    pub fn buffer(&self, class: SliceClass, processor: u32) -> u32 {
        class.number() << self.buffer_bits | (processor & ((1 << self.buffer_bits) - 1))
    }

    /// The buffers of all sliced classes.
    #[inline(always)]
    pub fn buffers(&self) -> u32 {
        self.sliced() << self.buffer_bits
    }

    /// Where the count of blocks in buffers lies behind these, in bytes.
    #[inline(always)]
    pub fn count_at(&self) -> u64 {
        8 * u64::from(self.buffers())
    }

    /// Words of a tree.
    #[inline(always)]
    pub fn tree_words(&self) -> u32 {
        let [first, second, third] = levels(self.segments);
        first + second + third
    }

    /// Trees: of free segments, of segments with free blocks, and one for each sliced class.
    #[inline(always)]
    pub fn trees(&self) -> u32 {
        2 + self.sliced()
    }

    /// Where tree `index` lies, in bytes.
    #[inline(always)]
    pub fn tree_at(&self, index: u32) -> u64 {
        self.count_at() + COUNT_BYTES + 8 * u64::from(index) * u64::from(self.tree_words())
    }

    /// Bytes of the bits of a segment's slices, with which its record begins.
    #[inline(always)]
    pub fn bits_bytes(&self) -> u32 {
        1 << (self.segment_bits - 3)
    }

    /// Bytes of a segment's record: the bits of its slices; a state and a count for each block;
    /// its word, its blocks with free slices, and the length of a run. Multiples of 64.
    #[inline(always)]
    pub fn record_bytes(&self) -> u32 {
        (self.bits_bytes() + 16 + (12 << self.blocks_bits())).next_multiple_of(64)
    }

    /// Bytes of everything but the segments.
    fn table_bytes(&self) -> u64 {
        let trees = self.tree_at(self.trees()).next_multiple_of(64);
        trees + u64::from(self.segments) * u64::from(self.record_bytes())
    }

    /// Bytes of everything.
    fn bytes(&self) -> u64 {
        (u64::from(self.segments) << self.segment_shift()) + self.table_bytes()
    }
}

/// Divides a pool into segments of `1 << segment_shift` bytes.
fn divide(request: &Request, segment_shift: u32, unit_shift: u32) -> Result<Heap, SetupError> {
    let mut layout = Layout {
        segments: 1,
        segment_bits: segment_shift - unit_shift,
        unit_shift,
        buffer_bits: 0,
    };
    let needed = layout.bytes();
    if request.pool_bytes < needed {
        return Err(SetupError::PoolTooSmall { needed });
    }
    let pool_bits = request.pool_bytes.ilog2() - unit_shift;
    let buffers = pool_bits.saturating_sub(BUFFERED_BITS + layout.block_bits());
    let processors = u64::from(request.processors.max(1)).next_power_of_two();
    layout.buffer_bits = buffers.min(processors.ilog2()).min(MAX_BUFFER_BITS);
    // The most segments that fit: tables grow with them.
    let most = (u64::from(u32::MAX) >> layout.segment_bits).min(1 << MAX_SEGMENTS_BITS);
    let (mut least, mut above) = (1, (request.pool_bytes >> segment_shift).min(most + 1) + 1);
    while above - least > 1 {
        let middle = least.midpoint(above);
        layout.segments = middle as u32;
        if layout.bytes() <= request.pool_bytes {
            least = middle;
        } else {
            above = middle;
        }
    }
    if least > most {
        layout.segments = most as u32;
        return Err(SetupError::PoolTooLarge {
            limit: layout.bytes(),
        });
    }
    layout.segments = least as u32;
    let tables = request.base.wrapping_add((least << segment_shift) as usize);
    let trees = layout.tree_at(layout.trees()).next_multiple_of(64);
    let records = tables.wrapping_add(trees as usize);
    Ok(Heap {
        pointers: [request.base, tables, records, core::ptr::null_mut()],
        integers: [layout.to_bits(), 0, 0, 0, 0, 0, 0],
    })
}

/// Divides the memory of `request` into segments of the size that it names, or of a 64th of the
/// pool within limits, with the smallest units that can all be numbered.
///
/// # Errors
///
/// As of [`Allocator::setup`](crate::allocator::Allocator::setup).
pub fn plan(request: &Request) -> Result<Heap, SetupError> {
    let bad = SetupError::BadParameter {
        expected: PARAMETERS,
    };
    let segment_shift = match request.parameters {
        [] => (request
            .pool_bytes
            .max(1)
            .ilog2()
            .saturating_sub(SEGMENTS_BITS))
        .clamp(MIN_DEFAULT_SHIFT, PUBLISHED_SEGMENT_SHIFT),
        [("segment", text)] => match text.parse::<u64>() {
            Ok(bytes) if bytes.is_power_of_two() => match bytes.ilog2() {
                shift @ MIN_SEGMENT_SHIFT..=MAX_SEGMENT_SHIFT => shift,
                _ => return Err(bad),
            },
            _ => return Err(bad),
        },
        _ => return Err(bad),
    };
    let mut unit_shift = MIN_UNIT_SHIFT;
    loop {
        let done = divide(request, segment_shift, unit_shift);
        let may_grow = segment_shift - unit_shift > MIN_SEGMENT_UNIT_BITS;
        match done {
            Err(SetupError::PoolTooLarge { limit }) if may_grow => {
                // Larger units help only where handles are what limits.
                match divide(request, segment_shift, unit_shift + 1) {
                    Err(SetupError::PoolTooLarge { limit: other }) if other <= limit => {
                        return done;
                    }
                    _ => unit_shift += 1,
                }
            }
            _ => return done,
        }
    }
}
