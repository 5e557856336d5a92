//! How a pool is divided: slabs, classes of chunks, and the tables behind the slabs.
//!
//! Chunks are multiples of a *unit*, 16 bytes or more if the handles of large pools ask for it.
//! A class has chunks of `2^n` or `3 * 2^n` units. A slab is a power of two of units, so that
//! the chunks of a class fill it but for what is left of a division by three.
//!
//! The bit of chunk `c` is bit `c / words` of word `c % words` of the slab's bitmap, where
//! `words` is the least power of two that suffices for the class.
//!
//! Behind the slabs lie the bitmaps of all of them, the heads of each class, a word for each
//! slab, and the sets ([`sets`](super::sets)), rows of 16 words for 512 slabs.

/// The logarithm of the smallest unit's bytes.
pub const MIN_UNIT_SHIFT: u32 = 4;
/// The logarithm of the maximum number of units of a chunk, in a slab of how many.
const MIN_CHUNKS_BITS: u32 = 3;
/// The maximum number of bytes of a chunk: larger requests go to the allocator of large blocks.
pub const MAX_CHUNK: u64 = 3072;
/// Classes: 192 units of 16 bytes are the last one.
pub const CLASSES: u32 = 15;
/// The logarithms of a slab's bytes: minimum, default in large pools, and maximum.
pub const MIN_SLAB_SHIFT: u32 = 13;
const DEFAULT_SLAB_SHIFT: u32 = 22;
pub const MAX_SLAB_SHIFT: u32 = 24;
/// The logarithm of the units that a slab has at least: its bitmap is a row of 16 words.
pub const MIN_SLAB_BITS: u32 = 9;
/// Slabs that a pool has at least, if that makes them no smaller than the least ones.
const SLABS: u64 = 256;
/// Slabs for each head of a class that a pool has, and the logarithm of the maximum number of
/// heads.
const SLABS_A_HEAD: u32 = 64;
const MAX_HEAD_BITS: u32 = 3;
/// Bytes between words of slabs, and between heads, so that no two share a sector.
pub const WORD_BYTES: u64 = 32;
/// Slabs for which a set has a row, and its bytes.
pub const ROW_SLABS: u32 = 512;
pub const ROW_BYTES: u64 = 64;
/// Sets: the free slabs, and three for each class.
pub const SETS: u64 = 1 + 3 * CLASSES as u64;
/// The alignment of the tables.
const LINE: u64 = 64;

/// The scalars of the slabs.
#[derive(Clone, Copy)]
pub struct Layout {
    /// Slabs, one at least.
    pub slabs: u32,
    /// The logarithm of a slab's bytes.
    pub slab_shift: u32,
    /// The logarithm of a unit's bytes.
    pub unit_shift: u32,
    /// The logarithm of the heads of a class.
    pub head_bits: u32,
    /// The class of the largest chunks.
    pub last_class: u32,
}

/// How a slab is divided into chunks of a class.
#[derive(Clone, Copy)]
pub struct Shape {
    /// Chunks.
    pub chunks: u32,
    /// The logarithm of the words with their bits.
    pub word_bits: u32,
}

/// The class of chunks for requests of so many units, which are not 0.
#[inline(always)]
pub fn class_of(units: u32) -> u32 {
    let last = units - 1;
    if last == 0 {
        return 0;
    }
    // `2^n < units <= 2^(n + 1)`; a chunk may have `3 * 2^(n - 1)` units, too.
    let bits = 31 - last.leading_zeros();
    2 * bits + u32::from(2 * units > 3 << bits)
}

/// The logarithm of a class's part of a size: what is left is to be divided by three if the
/// second answer is yes.
#[inline(always)]
fn parts(class: u32) -> (u32, bool) {
    let is_three = (class & 1 == 0) & (class != 0);
    (class.div_ceil(2) - u32::from(is_three), is_three)
}

/// Units of a chunk.
#[inline(always)]
pub fn units_of(class: u32) -> u32 {
    let (bits, is_three) = parts(class);
    (if is_three { 3 } else { 1 }) << bits
}

/// How many chunks so many units are, rounded down.
#[inline(always)]
pub fn chunks_in(units: u32, class: u32) -> u32 {
    let (bits, is_three) = parts(class);
    let rest = units >> bits;
    if is_three { rest / 3 } else { rest }
}

impl Shape {
    /// The bits of word `word` that chunks have; it is one of the class.
    #[inline(always)]
    pub fn mask(&self, word: u32) -> u32 {
        let bits = (self.chunks.wrapping_sub(word).wrapping_sub(1) >> self.word_bits) + 1;
        let none_above = bits >= 32;
        let some = (1_u32 << (bits & 31)).wrapping_sub(1);
        if self.chunks <= word {
            0
        } else if none_above {
            u32::MAX
        } else {
            some
        }
    }

    /// Where the bit of a chunk is: the word and the bit.
    #[inline(always)]
    pub fn place(&self, chunk: u32) -> (u32, u32) {
        (chunk & ((1 << self.word_bits) - 1), chunk >> self.word_bits)
    }

    /// The chunk with this bit.
    #[inline(always)]
    pub fn chunk(&self, word: u32, bit: u32) -> u32 {
        bit << self.word_bits | word
    }

    /// The taken chunks from which on a head is replaced: five sixths, for the published 83.5
    /// percent.
    #[inline(always)]
    pub fn threshold(&self) -> u32 {
        self.chunks - self.chunks / 6
    }
}

impl Layout {
    /// The layout of so many bytes in units of `1 << unit_shift`, with slabs of `1 <<
    /// slab_shift` or as large as suits them. None if they are too few for a slab.
    pub fn plan(bytes: u64, unit_shift: u32, slab_shift: Option<u32>) -> Option<Self> {
        let least = MIN_SLAB_SHIFT.max(MIN_SLAB_BITS + unit_shift);
        let suits = (bytes / SLABS).checked_ilog2().unwrap_or(0);
        let slab_shift = slab_shift.unwrap_or(suits.clamp(least, DEFAULT_SLAB_SHIFT.max(least)));
        let most_chunk = MAX_CHUNK.min(1 << (slab_shift - MIN_CHUNKS_BITS));
        let mut last_class = 0;
        while last_class + 1 < CLASSES
            && u64::from(units_of(last_class + 1)) << unit_shift <= most_chunk
        {
            last_class += 1;
        }
        let mut layout = Self {
            slabs: 0,
            slab_shift,
            unit_shift,
            head_bits: 0,
            last_class,
        };
        // Each slab with its tables, but for sets and heads, which are the more the more
        // slabs there are. So the first number that is tried is the most or a little more.
        let each = (1 << slab_shift) + WORD_BYTES + (1 << (layout.slab_bits() - 3));
        let mut slabs = bytes / each;
        while slabs > 0 {
            layout.slabs = slabs as u32;
            let heads = (layout.slabs / SLABS_A_HEAD).max(1).ilog2();
            layout.head_bits = heads.min(MAX_HEAD_BITS);
            if layout.bytes() <= bytes {
                return Some(layout);
            }
            slabs -= 1;
        }
        None
    }

    /// The smallest number of bytes for which there is a layout, with slabs of `1 << slab_shift`
    /// bytes or of the least size.
    pub fn min_bytes(slab_shift: Option<u32>) -> u64 {
        let layout = Self {
            slabs: 1,
            slab_shift: slab_shift.unwrap_or(MIN_SLAB_SHIFT),
            unit_shift: MIN_UNIT_SHIFT,
            head_bits: 0,
            last_class: 0,
        };
        layout.bytes()
    }

    /// Bytes of the slabs with their tables.
    pub fn bytes(&self) -> u64 {
        self.tables() + self.sets() + SETS * self.rows() * ROW_BYTES
    }

    /// Bytes of the slabs: the tables lie behind them.
    #[inline(always)]
    pub fn tables(&self) -> u64 {
        u64::from(self.slabs) << self.slab_shift
    }

    /// The layout in a word.
    #[inline(always)]
    pub fn to_bits(self) -> u64 {
        let shifts =
            self.last_class << 24 | self.head_bits << 16 | self.unit_shift << 8 | self.slab_shift;
        u64::from(shifts) << 32 | u64::from(self.slabs)
    }

    /// The layout of these bits.
    #[inline(always)]
    pub fn from_bits(bits: u64) -> Self {
        let shifts = (bits >> 32) as u32;
        Self {
            slabs: bits as u32,
            slab_shift: shifts & 0xff,
            unit_shift: shifts >> 8 & 0xff,
            head_bits: shifts >> 16 & 0xff,
            last_class: shifts >> 24,
        }
    }

    /// The logarithm of a slab's units.
    #[inline(always)]
    pub fn slab_bits(&self) -> u32 {
        self.slab_shift - self.unit_shift
    }

    /// Heads of a class.
    #[inline(always)]
    pub fn heads(&self) -> u32 {
        1 << self.head_bits
    }

    /// Rows of a set.
    #[inline(always)]
    pub fn rows(&self) -> u64 {
        u64::from(self.slabs.div_ceil(ROW_SLABS))
    }

    /// How a slab is divided into chunks of a class.
    #[inline(always)]
    pub fn shape(&self, class: u32) -> Shape {
        let bits = self.slab_bits();
        let words = bits.saturating_sub(5 + class.div_ceil(2));
        Shape {
            chunks: chunks_in(1 << bits, class),
            word_bits: words,
        }
    }

    /// Bytes of a chunk.
    #[inline(always)]
    pub fn chunk_bytes(&self, class: u32) -> u64 {
        u64::from(units_of(class)) << self.unit_shift
    }

    /// Where the bitmap of a slab lies in the tables.
    #[inline(always)]
    pub fn bitmap(&self, slab: u32) -> u64 {
        u64::from(slab) << (self.slab_bits() - 3)
    }

    /// Where the heads lie in the tables.
    #[inline(always)]
    pub fn first_head(&self) -> u64 {
        self.bitmap(self.slabs)
    }

    /// Where the words of slabs lie in the tables.
    #[inline(always)]
    pub fn words(&self) -> u64 {
        self.first_head() + ((u64::from(CLASSES + 1) * WORD_BYTES) << self.head_bits)
    }

    /// Where the sets lie in the tables.
    #[inline(always)]
    pub fn sets(&self) -> u64 {
        let bytes = u64::from(self.slabs) * WORD_BYTES;
        self.words() + ((bytes + LINE - 1) & !(LINE - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every number of units has a class, the smallest that suffices, and all chunks of a slab
    /// have a bit of their own.
    #[test]
    fn classes_are_consistent() {
        let sizes: Vec<u32> = (0..CLASSES).map(units_of).collect();
        assert_eq!(
            sizes,
            [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192]
        );
        for units in 1..=192 {
            let class = class_of(units);
            assert!(units_of(class) >= units, "{units}");
            assert!(class == 0 || units_of(class - 1) < units, "{units}");
        }
        for (slab_shift, unit_shift) in [(13, 4), (16, 4), (22, 4), (22, 9), (21, 12), (24, 4)] {
            let layout = Layout::plan(1 << 30, unit_shift, Some(slab_shift)).expect("slabs");
            for class in 0..=layout.last_class {
                let shape = layout.shape(class);
                let units = 1 << layout.slab_bits();
                assert_eq!(shape.chunks, units / units_of(class));
                assert!(shape.chunks >= 8, "{slab_shift} {class}");
                let words = 1 << shape.word_bits;
                assert!(words <= units / 32);
                let bits: u32 = (0..words).map(|word| shape.mask(word).count_ones()).sum();
                assert_eq!(bits, shape.chunks, "{slab_shift} {class}");
                for chunk in [0, 1, shape.chunks / 2, shape.chunks - 1] {
                    let (word, bit) = shape.place(chunk);
                    assert!(word < words && shape.mask(word) >> bit & 1 == 1);
                    assert_eq!(shape.chunk(word, bit), chunk);
                    let start = chunk * units_of(class);
                    assert_eq!(chunks_in(start, class), chunk);
                }
            }
        }
    }

    #[test]
    fn a_layout_survives_its_bits() {
        let layout = Layout::plan(6 << 30, 4, None).expect("slabs");
        let again = Layout::from_bits(layout.to_bits());
        assert_eq!(layout.to_bits(), again.to_bits());
        assert_eq!((layout.slab_shift, layout.head_bits), (22, 3));
        assert!(layout.bytes() <= 6 << 30);
    }
}
