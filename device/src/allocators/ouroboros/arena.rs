//! The memory of an Ouroboros heap and how its words are reached.
//!
//! Behind the data chunks, which are payload to the last byte, lies a table of
//! 128 bytes a chunk, and behind that the tables of the pool and of the classes.
//! None of these ever becomes payload: a thread that reads one of their words
//! late reads an outdated word, never a user's data. A word that was read may be
//! out of date; a read-modify-write, or a tag, confirms it.
//!
//! All links are indices, so that a heap can be set up again in a larger area.
//!
//! Numbers are not checked: a [`Class`] or a [`Chunk`] is one of the heap, so that its words are
//! found without a promise. Functions are unsafe that ask for who owns a chunk or a page, and only
//! the modules of Ouroboros store a number where others read it. So from `init` on the words of a
//! heap, be they links, tags, entries or owners, name its chunks, blocks and classes, or none.

mod inside;
mod metadata;
mod task;

use core::marker::PhantomData;

use cuda_std::atomic::{AtomicU32, AtomicU64};

use super::geometry::{self, Geometry, Line, PartOffsets};
use super::parameters::Parameters;
use crate::allocator::Heap;
use crate::simt::Warp;

pub use super::parameters::Class;
pub use metadata::{Owner, Word};
pub use task::{Chunk, Given, Noted, Task};

/// No chunk.
pub const NONE: u32 = u32::MAX;
/// A slot without an entry. No chunk and no block has this name.
pub const EMPTY: u32 = u32::MAX;

/// Words of 64 bits in a line of a head.
pub(super) const LINE_WORDS: u32 = 16;

/// Calls `body` for this thread's share of `count` indices.
#[inline(always)]
pub fn for_each<W: Warp>(warp: W, count: u32, mut body: impl FnMut(u32)) {
    let mut index = warp.thread();
    while index < count {
        body(index);
        index += warp.threads();
    }
}

/// Calls `body` for this thread's share of the classes.
#[inline(always)]
pub fn for_each_class<W: Warp, P: Parameters>(warp: W, mut body: impl FnMut(Class)) {
    for_each(warp, P::CLASSES, |class| {
        // SAFETY: below their number, in functions of the instances.
        body(unsafe { Class::new(class) });
    });
}

/// The memory of a heap.
///
/// Invariant: the parts that `layout::plan::<P>` divided lie there, and stay mapped. All words
/// behind the blocks are atomic, always.
#[derive(Clone, Copy)]
pub struct Arena<P> {
    blocks: *mut u8,
    metadata: *mut u8,
    tables: *mut u8,
    /// Chunks.
    pub(super) chunks: u32,
    /// The logarithm of the entries of the pool's reuse queue.
    pub(super) reuse_bits: u32,
    /// The logarithm of the words that a class's queue has in static memory.
    pub(super) static_bits: u32,
    /// The logarithm by which the heap is scaled ([`geometry`]).
    pub(super) scale_bits: u32,
    geometry: u64,
    reuse: u64,
    storage: u64,
    stride: u64,
    parameters: PhantomData<P>,
}

impl<P: Parameters> Arena<P> {
    /// The memory that `setup` divided.
    ///
    /// # Safety
    ///
    /// As for `Allocator::new`; the heap is one of `layout::plan::<P>`.
    #[inline(always)]
    pub unsafe fn new(heap: &Heap) -> Self {
        // SAFETY: what `plan` has put there.
        unsafe { Self::of(heap.pointers[0], heap.pointers[1], heap.integers[1]) }
    }

    /// The memory from its two addresses and its geometry.
    ///
    /// # Safety
    ///
    /// As for [`Self::new`], of what the heap holds.
    #[inline(always)]
    unsafe fn of(blocks: *mut u8, tables: *mut u8, geometry: u64) -> Self {
        let geometry = Geometry::unpack(geometry);
        let offsets = PartOffsets::of::<P>(geometry);
        Self {
            blocks,
            metadata: blocks.wrapping_add(offsets.metadata as usize),
            tables,
            chunks: geometry.chunks,
            reuse_bits: geometry.reuse_bits,
            static_bits: geometry.static_bits,
            scale_bits: geometry.scale_bits,
            geometry: geometry.pack(),
            reuse: offsets.reuse,
            storage: offsets.storage,
            stride: geometry.static_bytes(),
            parameters: PhantomData,
        }
    }

    /// Chunks of the heap.
    #[inline(always)]
    pub fn chunks(&self) -> u32 {
        self.chunks
    }

    /// Calls `body` for this thread's share of the chunks.
    #[inline(always)]
    pub fn for_each_chunk<W: Warp>(&self, warp: W, mut body: impl FnMut(Chunk)) {
        for_each(warp, self.chunks, |chunk| {
            // SAFETY: below their number.
            body(unsafe { Chunk::new(chunk) });
        });
    }

    /// A 32-bit word of the tables.
    ///
    /// # Safety
    ///
    /// The tables have an aligned word of 32 bits at `offset`.
    #[inline(always)]
    unsafe fn word32(&self, offset: u64) -> &AtomicU32 {
        // SAFETY: such a word, which is always atomic.
        unsafe { &*self.tables.add(offset as usize).cast() }
    }

    /// A 64-bit word of the tables.
    ///
    /// # Safety
    ///
    /// The same of 64 bits.
    #[inline(always)]
    unsafe fn word64(&self, offset: u64) -> &AtomicU64 {
        // SAFETY: as for 32 bits.
        unsafe { &*self.tables.add(offset as usize).cast() }
    }

    /// A 32-bit word of the pool's head.
    #[inline(always)]
    pub(super) fn pool(&self, line: Line) -> &AtomicU32 {
        // SAFETY: the pool's head has each of the lines.
        unsafe { self.word32(geometry::line(0, line as u32)) }
    }

    /// A 64-bit word of a line of the pool's head.
    ///
    /// # Safety
    ///
    /// `word` is below [`LINE_WORDS`].
    #[inline(always)]
    pub(super) unsafe fn pool64(&self, line: Line, word: u32) -> &AtomicU64 {
        // SAFETY: the word is in the line.
        unsafe { self.word64(geometry::line(0, line as u32) + u64::from(word) * 8) }
    }

    /// The first 32-bit word of a line of a class's head.
    #[inline(always)]
    pub(super) fn head(&self, class: Class, line: Line) -> &AtomicU32 {
        // SAFETY: a class has a head with each of the lines.
        unsafe { self.word32(geometry::line(class.number() + 1, line as u32)) }
    }

    /// The word of 32 bits behind the first of 64.
    #[inline(always)]
    pub(super) fn second(&self, class: Class, line: Line) -> &AtomicU32 {
        // SAFETY: as for `head`, whose lines have 16 words of 64 bits.
        unsafe { self.word32(geometry::line(class.number() + 1, line as u32) + 8) }
    }

    /// The first 64-bit word of a line of a class's head.
    #[inline(always)]
    pub(super) fn head64(&self, class: Class, line: Line) -> &AtomicU64 {
        // SAFETY: as for `head`.
        unsafe { self.word64(geometry::line(class.number() + 1, line as u32)) }
    }

    /// The word of 64 bits behind the first.
    #[inline(always)]
    pub(super) fn second64(&self, class: Class, line: Line) -> &AtomicU64 {
        // SAFETY: as for `second`.
        unsafe { self.word64(geometry::line(class.number() + 1, line as u32) + 8) }
    }

    /// Another 64-bit word of a line of a class's head.
    ///
    /// # Safety
    ///
    /// `word` is below [`LINE_WORDS`].
    #[inline(always)]
    pub(super) unsafe fn word_of(&self, class: Class, line: Line, word: u32) -> &AtomicU64 {
        // SAFETY: the word is in the line.
        unsafe {
            let line = geometry::line(class.number() + 1, line as u32);
            self.word64(line + u64::from(word) * 8)
        }
    }

    /// A counter of the chunks that are divided into pages of a class. Its line is quiet:
    /// many change it when they free.
    #[inline(always)]
    pub(super) fn divided(&self, class: Class) -> &AtomicU32 {
        self.second(class, Line::Old)
    }

    /// A word of the map of free chunks, with the bit of `32 * index`.
    ///
    /// # Safety
    ///
    /// `index` is below `map_words()`.
    #[inline(always)]
    pub(super) unsafe fn free_map(&self, index: u32) -> &AtomicU32 {
        // SAFETY: the map begins behind the heads.
        unsafe { self.word32(geometry::heads_bytes::<P>() + u64::from(index) * 4) }
    }

    /// Words of a map with a bit for each chunk.
    #[inline(always)]
    pub fn map_words(&self) -> u32 {
        self.chunks.div_ceil(32)
    }

    /// The same of the map of chunks that are in the reuse queue.
    ///
    /// # Safety
    ///
    /// `index` is below `map_words()`.
    #[inline(always)]
    pub(super) unsafe fn enqueued_map(&self, index: u32) -> &AtomicU32 {
        let index = self.map_words() + index;
        // SAFETY: the map is behind the other, and as large.
        unsafe { self.word32(geometry::heads_bytes::<P>() + u64::from(index) * 4) }
    }

    /// The word with a chunk's bit in the map of free ones.
    #[inline(always)]
    pub(super) fn free_word(&self, chunk: Chunk) -> &AtomicU32 {
        // SAFETY: the map has a bit for each chunk.
        unsafe { self.free_map(chunk.number() >> 5) }
    }

    /// The same of those in the reuse queue.
    #[inline(always)]
    pub(super) fn enqueued_word(&self, chunk: Chunk) -> &AtomicU32 {
        // SAFETY: the map has a bit for each chunk.
        unsafe { self.enqueued_map(chunk.number() >> 5) }
    }

    /// The entry of the reuse queue at a position.
    #[inline(always)]
    pub(super) fn reuse(&self, position: u32) -> &AtomicU32 {
        let index = position & ((1 << self.reuse_bits) - 1);
        // SAFETY: the queue has an entry for each number of `reuse_bits` bits.
        unsafe { self.word32(self.reuse + u64::from(index) * 4) }
    }

    /// A 32-bit word of the static memory of a class's queue.
    ///
    /// # Safety
    ///
    /// `index` is below `1 << static_bits`.
    #[inline(always)]
    pub(super) unsafe fn storage(&self, class: Class, index: u32) -> &AtomicU32 {
        // SAFETY: each class has so many words, of 32 bits at least.
        unsafe { self.word32(self.storage_at(class) + u64::from(index) * 4) }
    }

    /// A 64-bit word of it.
    ///
    /// # Safety
    ///
    /// The same, in a heap whose queues were planned with words of 64 bits.
    #[inline(always)]
    pub(super) unsafe fn storage64(&self, class: Class, index: u32) -> &AtomicU64 {
        // SAFETY: each class has so many words.
        unsafe { self.word64(self.storage_at(class) + u64::from(index) * 8) }
    }

    /// Where the static memory of a class's queue begins.
    #[inline(always)]
    fn storage_at(&self, class: Class) -> u64 {
        self.storage + u64::from(class.number()) * self.stride
    }
}
