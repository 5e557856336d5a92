//! How the memory of an Ouroboros heap is divided.
//!
//! A heap may be *scaled*: its units, pages and chunks are larger than the parameters say by
//! one power of two, so that the pages of a large pool can be counted. Sizes of
//! requests are divided by that and rounded up, addresses and granted sizes multiplied; in between
//! nothing differs, but that a chunk which stores a queue leaves its end unused.
//!
//! In this order: the data chunks, 128 bytes of metadata a chunk, the heads of
//! the pool and of the classes, whose lines are interleaved ([`line()`]), the maps of free
//! and of enqueued chunks, the entries of the pool's reuse queue, and the static memory
//! of the classes' queues, equally much for each class.

use super::parameters::{METADATA_BYTES, Parameters};

/// Words of the pool's head or of a class's, on cache lines of their own, in an order
/// that keeps busy ones apart: see [`line()`].
#[derive(Clone, Copy)]
pub enum Line {
    /// Semaphore of pages (class); chunks that are free (pool).
    Supply = 0,
    /// The newest chunk of a virtualized queue; the word of the map where the search for
    /// single chunks begins (pool).
    New = 1,
    /// Next position to dequeue from; and the chunk in front, if chunks are shared.
    Front = 2,
    /// The oldest chunk of a linked queue; the counter by which searches for runs begin
    /// at different chunks (pool).
    Old = 3,
    /// Next position to enqueue at.
    Back = 4,
    /// Heads of the stacks of chunks (class); chunks never used (pool).
    Stack = 5,
    /// Chunks in the queue, and those that are allocated for want of others (class, by chunks);
    /// semaphore of the pages that only their bits record (class, by pages); chunks in the reuse
    /// queue (pool).
    Entries = 6,
    /// Room in the queue; memory on its way (pool: [`super::transit`]).
    Room = 7,
}

/// Bytes between words that many threads change, so that no two share a cache line.
const LINE_BYTES: u64 = 128;
/// Lines of a head.
const HEAD_LINES: u32 = 8;
/// Bytes of a row: as many lines, which belong to three heads.
const ROW_BYTES: u64 = HEAD_LINES as u64 * LINE_BYTES;
/// Bytes of the heads of the pool and of all classes.
pub const fn heads_bytes<P: Parameters>() -> u64 {
    // The last head reaches two rows further.
    (P::CLASSES as u64 + 3) * ROW_BYTES
}

/// The offset of a line of a head; the pool's head is 0, then come those of the classes.
///
/// A head is spread over three rows, so that no two of its busy lines share a slice of the
/// L2. Of 1024 aligned bytes an H200 keeps the first and the third 256 in one slice and
/// the others in another, as far as times show: 8192 warps that add to two words in turn,
/// four times each, take 50 to 62 microseconds in one slice, 28 to 31 in two. Of the lines
/// of a head that share a slice, one at most is busy. Rows are aligned as far as the pool's
/// start is.
#[inline(always)]
pub fn line(head: u32, number: u32) -> u64 {
    const { assert!(Line::Room as u32 + 1 == HEAD_LINES) };
    // Lines 0 to 2 are in the head's first row, 3 to 6 in the next, 7 in the last.
    let row = head + (number + 1) / 4;
    u64::from(row) * ROW_BYTES + u64::from(number) * LINE_BYTES
}

/// The static memory of a class's queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Static {
    /// The logarithm of its words.
    pub bits: u32,
    /// The logarithm of a word's bytes.
    pub word_bits: u32,
}

/// The few numbers from which the offsets of all parts of a heap follow.
#[derive(Clone, Copy)]
pub struct Geometry {
    /// Chunks.
    pub chunks: u32,
    /// The logarithm of the entries of the pool's reuse queue.
    pub reuse_bits: u32,
    /// The logarithm of the words that a class's queue has in static memory.
    pub static_bits: u32,
    /// The logarithm of such a word's bytes.
    pub word_bits: u32,
    /// The logarithm by which pages and chunks are larger than [`Parameters`] says.
    pub scale_bits: u32,
}

impl Geometry {
    /// The geometry of a heap of so many chunks.
    pub fn of(chunks: u64, fixed: Static, scale_bits: u32) -> Self {
        Self {
            chunks: chunks as u32,
            reuse_bits: chunks.next_power_of_two().ilog2(),
            static_bits: fixed.bits,
            word_bits: fixed.word_bits,
            scale_bits,
        }
    }

    /// The geometry in a word.
    #[inline(always)]
    pub fn pack(self) -> u64 {
        u64::from(self.chunks)
            | u64::from(self.reuse_bits) << 32
            | u64::from(self.static_bits) << 40
            | u64::from(self.word_bits) << 48
            | u64::from(self.scale_bits) << 56
    }

    /// The geometry of a word.
    #[inline(always)]
    pub fn unpack(word: u64) -> Self {
        let byte = |shift: u32| (word >> shift) as u32 & 0xff;
        Self {
            chunks: word as u32,
            reuse_bits: byte(32),
            static_bits: byte(40),
            word_bits: byte(48),
            scale_bits: byte(56),
        }
    }

    /// Bytes of static memory of a class's queue.
    #[inline(always)]
    pub fn static_bytes(self) -> u64 {
        1 << (self.static_bits + self.word_bits)
    }
}

/// Offsets of a heap's parts: of the metadata behind the start of the blocks, of the others
/// behind the start of the tables.
pub struct PartOffsets {
    /// The table of metadata.
    pub metadata: u64,
    /// The reuse queue's entries.
    pub reuse: u64,
    /// The static memory of the classes' queues.
    pub storage: u64,
}

impl PartOffsets {
    /// The offsets in a heap of this geometry.
    #[inline(always)]
    pub fn of<P: Parameters>(geometry: Geometry) -> Self {
        let chunks = u64::from(geometry.chunks);
        let blocks = chunks << P::CHUNK_BITS << geometry.scale_bits;
        let reuse = heads_bytes::<P>() + 2 * 4 * chunks.div_ceil(32);
        Self {
            metadata: (blocks + 255) & !255,
            reuse,
            storage: (reuse + (4 << geometry.reuse_bits) + LINE_BYTES - 1) & !(LINE_BYTES - 1),
        }
    }
}

/// Where the tables begin, and how many bytes a heap takes.
pub fn extent<P: Parameters>(geometry: Geometry) -> (u64, u64) {
    let offsets = PartOffsets::of::<P>(geometry);
    let tables = (offsets.metadata + u64::from(geometry.chunks) * METADATA_BYTES)
        .next_multiple_of(ROW_BYTES);
    let classes = u64::from(P::CLASSES);
    let bytes = tables + offsets.storage + classes * geometry.static_bytes();
    (tables, bytes)
}

#[cfg(test)]
mod tests {
    use super::{HEAD_LINES, LINE_BYTES, Line, ROW_BYTES, heads_bytes, line};
    use crate::allocators::ouroboros::parameters::{Paper, Parameters};

    /// The bytes that an H200 keeps in one slice.
    fn slice(offset: u64) -> (u64, u64) {
        (offset / ROW_BYTES, offset / 256 % 2)
    }

    #[test]
    fn lines_are_apart_and_busy_ones_in_slices_of_their_own() {
        let mut offsets = Vec::new();
        for head in 0..=Paper::CLASSES {
            for number in 0..HEAD_LINES {
                let offset = line(head, number);
                assert!(offset.is_multiple_of(LINE_BYTES) && !offsets.contains(&offset));
                assert!(offset + LINE_BYTES <= heads_bytes::<Paper>());
                offsets.push(offset);
            }
            let busy = [
                Line::Supply,
                Line::Front,
                Line::Back,
                Line::Entries,
                Line::Room,
            ]
            .map(|number| slice(line(head, number as u32)));
            for (index, one) in busy.iter().enumerate() {
                assert!(!busy[..index].contains(one), "head {head}: {busy:?}");
            }
        }
    }
}
