//! How the memory of an Ouroboros heap is divided, and its first state.
//!
//! In this order: the data chunks, 128 bytes of metadata a chunk, the heads of
//! the pool and of the classes, whose parts take turns ([`line`]), the maps of free
//! and of listed chunks, the entries of the pool's reuse queue, and what the classes'
//! queues have in static memory, equally much for each class.

use core::sync::atomic::Ordering::Relaxed;

use super::arena::{Arena, Line, NONE, Word, owner};
use super::parameters::{METADATA_BYTES, Parameters};
use super::queue::{EMPTY, start};
use super::stack::STACKS;
use super::transit::STRIPES;
use super::waiting::supply;
use crate::allocator::{Heap, Request, SetupError};
use crate::simt::Warp;

/// Bytes between words that many threads change, so that they do not meet.
const LINE_BYTES: u64 = 128;
/// Lines of a head.
const HEAD_LINES: u32 = 8;
/// Bytes of a row: as many lines, which belong to three heads.
const ROW_BYTES: u64 = HEAD_LINES as u64 * LINE_BYTES;
/// Most pages of a heap: the semaphore counts them in 31 bits, and some more
/// may be asked for at a time.
const MOST_PAGES: u64 = (1 << 31) - (1 << 22);

/// Bytes of the heads of the pool and of all classes.
pub const fn heads_bytes<P: Parameters>() -> u64 {
    // The last head reaches two rows further.
    (P::CLASSES as u64 + 3) * ROW_BYTES
}

/// Where a line of a head lies; the pool's head is 0, then come those of the classes.
///
/// A head is spread over three rows, so that its busy lines do not meet: of 1024 aligned
/// bytes an H200 keeps the first and the third 256 in one slice of its L2 and the others
/// in another, as far as times tell: 8192 warps that add to two words in turn, four times
/// each, take 50 to 62 microseconds in one slice, 28 to 31 in two. Of the lines of a head
/// that share a slice, one at most is busy. Rows are aligned as far as the pool's start is.
#[inline(always)]
pub fn line(head: u32, number: u32) -> u64 {
    const { assert!(Line::Room as u32 + 1 == HEAD_LINES) };
    // Lines 0 to 2 are in the head's first row, 3 to 6 in the next, 7 in the last.
    let row = head + (number + 1) / 4;
    u64::from(row) * ROW_BYTES + u64::from(number) * LINE_BYTES
}

/// What the queue of a class keeps in static memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Static {
    /// The logarithm of its words.
    pub bits: u32,
    /// The logarithm of a word's bytes.
    pub word_bits: u32,
}

/// What the places of all things in a heap follow from.
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
}

impl Geometry {
    fn of(chunks: u64, fixed: Static) -> Self {
        Self {
            chunks: chunks as u32,
            reuse_bits: chunks.next_power_of_two().ilog2(),
            static_bits: fixed.bits,
            word_bits: fixed.word_bits,
        }
    }

    /// The geometry in a word.
    #[inline(always)]
    pub fn pack(self) -> u64 {
        u64::from(self.chunks)
            | u64::from(self.reuse_bits) << 32
            | u64::from(self.static_bits) << 40
            | u64::from(self.word_bits) << 48
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
        }
    }

    /// Bytes of static memory of a class's queue.
    #[inline(always)]
    pub fn static_bytes(self) -> u64 {
        1 << (self.static_bits + self.word_bits)
    }
}

/// Where things lie: metadata behind the start of the blocks, the others behind
/// the start of the tables.
pub struct Places {
    /// The table of metadata.
    pub metadata: u64,
    /// The reuse queue's entries.
    pub reuse: u64,
    /// The static memory of the classes' queues.
    pub storage: u64,
}

impl Places {
    /// Where things lie in a heap of this geometry.
    #[inline(always)]
    pub fn of<P: Parameters>(geometry: Geometry) -> Self {
        let chunks = u64::from(geometry.chunks);
        let reuse = heads_bytes::<P>() + 2 * 4 * chunks.div_ceil(32);
        Self {
            metadata: ((chunks << P::CHUNK_BITS) + 255) & !255,
            reuse,
            storage: (reuse + (4 << geometry.reuse_bits) + LINE_BYTES - 1) & !(LINE_BYTES - 1),
        }
    }
}

/// Where the tables begin, and how many bytes a heap takes.
fn extent<P: Parameters>(geometry: Geometry) -> (u64, u64) {
    let places = Places::of::<P>(geometry);
    let tables =
        (places.metadata + u64::from(geometry.chunks) * METADATA_BYTES).next_multiple_of(ROW_BYTES);
    let classes = u64::from(P::CLASSES);
    let bytes = tables + places.storage + classes * geometry.static_bytes();
    (tables, bytes)
}

/// Divides the memory of `request`; `fixed` says what the queue of a class in a
/// heap of so many chunks has in static memory.
pub fn plan<P: Parameters>(
    request: &Request,
    fixed: fn(u64) -> Static,
) -> Result<Heap, SetupError> {
    let geometry = |chunks: u64| Geometry::of(chunks, fixed(chunks));
    let needs = |chunks: u64| extent::<P>(geometry(chunks)).1;
    let most = MOST_PAGES >> (P::CHUNK_BITS - P::PAGE_BITS);
    if request.pool_bytes < needs(1) {
        return Err(SetupError::PoolTooSmall { needed: needs(1) });
    }
    if request.pool_bytes > needs(most) {
        return Err(SetupError::PoolTooLarge { limit: needs(most) });
    }
    let (mut fit, mut over) = (1, most + 1);
    while over - fit > 1 {
        let middle = (fit + over) / 2;
        if needs(middle) <= request.pool_bytes {
            fit = middle;
        } else {
            over = middle;
        }
    }
    let geometry = geometry(fit);
    let tables = extent::<P>(geometry).0;
    Ok(Heap {
        pointers: [
            request.base,
            request.base.wrapping_add(tables as usize),
            core::ptr::null_mut(),
            core::ptr::null_mut(),
        ],
        integers: [fit, geometry.pack(), geometry.static_bytes(), 0, 0, 0, 0],
    })
}

/// Bytes of the largest block in so many free chunks in a row.
#[inline(always)]
pub fn max_block<P: Parameters>(chunks: u64) -> u64 {
    if !P::IS_STACKED || chunks == 0 {
        return chunks << P::CHUNK_BITS;
    }
    // The largest page whose chunk fits.
    P::PAGE_MOST.min(1 << (chunks.ilog2() + P::CHUNK_BITS))
}

/// The chunks that the queues of some classes have from the beginning, as bits: a
/// queue's first chunk has the number of its class. None in a small heap.
#[inline(always)]
pub fn first_chunks<P: Parameters>(chunks: u32, of: impl Fn(u32) -> bool) -> u32 {
    let mut taken = 0;
    if chunks >= P::FIRST_CHUNKS_FROM {
        for class in 0..P::CLASSES {
            taken |= u32::from(of(class)) << class;
        }
    }
    taken
}

/// Calls `body` for this thread's share of `count` indices.
#[inline(always)]
pub(super) fn for_each<W: Warp>(warp: W, count: u32, mut body: impl FnMut(u32)) {
    let mut index = warp.thread();
    while index < count {
        body(index);
        index += warp.threads();
    }
}

/// Makes the pool full, but for chunks that are taken, and the classes empty; their
/// queues, and the chunks that these have, are the queues' business. All stores are
/// relaxed: the end of the launch orders them.
#[inline(always)]
pub(super) fn init<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, taken: u32) {
    let is_taken = |chunk: u32| chunk < u32::BITS && taken >> chunk & 1 == 1;
    for_each(warp, arena.chunks, |chunk| {
        arena.meta(chunk, Word::Owner).store(owner::NOBODY, Relaxed);
        if !is_taken(chunk) {
            arena.meta(chunk, Word::Tag).store(NONE, Relaxed);
        }
    });
    for_each(warp, arena.map_words(), |index| {
        let chunks = arena.chunks - index * 32;
        let all = if chunks < 32 {
            (1 << chunks) - 1
        } else {
            u32::MAX
        };
        let free = if index == 0 { all & !taken } else { all };
        arena.free_map(index).store(free, Relaxed);
        arena.listed_map(index).store(0, Relaxed);
    });
    for_each(warp, 1 << arena.reuse_bits, |position| {
        arena.reuse(position).store(EMPTY, Relaxed);
    });
    if warp.thread() == 0 {
        let free = arena.chunks - taken.count_ones();
        arena.pool(Line::Supply).store(free, Relaxed);
        for line in [Line::Front, Line::Back, Line::Entries] {
            arena.pool(line).store(0, Relaxed);
        }
        // Behind the last that is taken.
        let unused = u32::BITS - taken.leading_zeros();
        arena.pool(Line::Stack).store(unused, Relaxed);
        arena.pool(Line::Old).store(0, Relaxed);
        arena.pool(Line::New).store(0, Relaxed);
        for stripe in 0..STRIPES {
            arena.transit(stripe).store(0, Relaxed);
        }
    }
    for_each(warp, P::CLASSES, |class| {
        supply(arena, class).init(0);
        for line in [Line::Front, Line::Back] {
            arena.head(class, line, 0).store(start::<P>(), Relaxed);
        }
        // A count of entries, or the semaphore of pages that bits keep.
        arena.head64(class, Line::Entries, 0).store(0, Relaxed);
        for line in [Line::Entries, Line::Stack, Line::Old] {
            arena.head(class, line, 1).store(0, Relaxed);
        }
        for number in 0..STACKS {
            arena.stack(class, number).store(u64::from(NONE), Relaxed);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::{HEAD_LINES, LINE_BYTES, ROW_BYTES, heads_bytes, line};
    use crate::allocators::ouroboros::arena::Line;
    use crate::allocators::ouroboros::parameters::{Paper, Parameters};

    /// What an H200 keeps in one slice.
    fn slice(place: u64) -> (u64, u64) {
        (place / ROW_BYTES, place / 256 % 2)
    }

    #[test]
    fn lines_are_apart_and_busy_ones_in_slices_of_their_own() {
        let mut places = Vec::new();
        for head in 0..=Paper::CLASSES {
            for number in 0..HEAD_LINES {
                let place = line(head, number);
                assert!(place.is_multiple_of(LINE_BYTES) && !places.contains(&place));
                assert!(place + LINE_BYTES <= heads_bytes::<Paper>());
                places.push(place);
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
