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
//! Numbers are not checked: functions that ask for a class, which is below `P::CLASSES`, or
//! for a *chunk of the heap*, which is below [`Arena::chunks()`], are unsafe, and so are those
//! that store a number where others read it. So from `init` on the words of a heap, be they
//! links, tags, entries or owners, name its chunks, blocks and classes, or none.

mod inside;
mod metadata;

use core::marker::PhantomData;

use cuda_std::atomic::{AtomicU32, AtomicU64};

use super::geometry::{self, Geometry, Line, PartOffsets};
use super::parameters::Parameters;
use crate::allocator::Heap;
use crate::simt::Warp;

pub use metadata::Word;

/// No chunk.
pub const NONE: u32 = u32::MAX;
/// A slot without an entry. No chunk and no block has this name.
pub const EMPTY: u32 = u32::MAX;

/// Values of `Word::Owner`; smaller ones are the class of the chunk's pages.
pub mod owner {
    /// The chunk is free, or inside a run, or holds a queue's entries.
    pub const NOBODY: u32 = u32::MAX;
    /// The chunk is the first of a run that is one block.
    pub const RUN: u32 = u32::MAX - 1;
}

/// Calls `body` for this thread's share of `count` indices.
#[inline(always)]
pub fn for_each<W: Warp>(warp: W, count: u32, mut body: impl FnMut(u32)) {
    let mut index = warp.thread();
    while index < count {
        body(index);
        index += warp.threads();
    }
}

/// A step of a request that is rare enough to be a function of its own: inlined into
/// every request of every kernel it would make up most of the code.
pub trait Task {
    /// Runs the task for a class, with an argument, and returns a number. `lanes` are
    /// the lanes that call this together, where a task is one for several lanes: it
    /// must not call [`Warp::converge`], see there.
    ///
    /// # Safety
    ///
    /// `class`, without what the task has above its bits, is below `P::CLASSES` if the task is
    /// for a class, and `value` is what the task says of its argument.
    unsafe fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: u32,
        value: u32,
        lanes: u32,
    ) -> u32;
}

/// Takes the arena apart and puts it together again: a structure that is passed
/// to a function goes through slow local memory.
///
/// # Safety
///
/// The first three are the parts of an arena; otherwise as for [`Task::run`].
#[inline(never)]
unsafe fn outlined<W: Warp, P: Parameters, T: Task>(
    warp: W,
    blocks: *mut u8,
    tables: *mut u8,
    geometry: u64,
    class: u32,
    value: u32,
    lanes: u32,
) -> u32 {
    // SAFETY: the caller's promise, of an arena that was made before and of the task.
    unsafe {
        let arena = Arena::<P>::of(blocks, tables, geometry);
        T::run(warp, &arena, class, value, lanes)
    }
}

/// The memory of a heap.
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
        // SAFETY: the caller's promise: what `plan` has put there.
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

    /// Runs a task, out of line.
    ///
    /// # Safety
    ///
    /// As for `Task::run`, of the task.
    #[inline(always)]
    pub unsafe fn call<W: Warp, T: Task>(&self, warp: W, class: u32, value: u32) -> u32 {
        // SAFETY: the caller's promise.
        unsafe { self.call_together::<W, T>(warp, class, value, 0) }
    }

    /// Runs a task that is one for several lanes, out of line.
    ///
    /// # Safety
    ///
    /// As for `Task::run`, of the task.
    #[inline(always)]
    pub unsafe fn call_together<W: Warp, T: Task>(
        &self,
        warp: W,
        class: u32,
        value: u32,
        lanes: u32,
    ) -> u32 {
        let (blocks, tables, geometry) = (self.blocks, self.tables, self.geometry);
        // SAFETY: the parts of this arena, and the caller's promise.
        unsafe { outlined::<W, P, T>(warp, blocks, tables, geometry, class, value, lanes) }
    }

    /// A 32-bit word of the tables.
    ///
    /// # Safety
    ///
    /// The tables have an aligned word of 32 bits at `offset`.
    #[inline(always)]
    unsafe fn word32(&self, offset: u64) -> &AtomicU32 {
        // SAFETY: the caller's promise.
        unsafe { &*self.tables.add(offset as usize).cast() }
    }

    /// A 64-bit word of the tables.
    ///
    /// # Safety
    ///
    /// The same of 64 bits.
    #[inline(always)]
    unsafe fn word64(&self, offset: u64) -> &AtomicU64 {
        // SAFETY: the caller's promise.
        unsafe { &*self.tables.add(offset as usize).cast() }
    }

    /// A 32-bit word of the pool's head.
    #[inline(always)]
    pub(super) fn pool(&self, line: Line) -> &AtomicU32 {
        // SAFETY: the pool's head has each of the lines.
        unsafe { self.word32(geometry::line(0, line as u32)) }
    }

    /// A word of the pool's head that counts what is on its way (`transit`).
    ///
    /// # Safety
    ///
    /// `stripe` is below [`STRIPES`](super::transit::STRIPES).
    #[inline(always)]
    pub(super) unsafe fn transit(&self, stripe: u32) -> &AtomicU64 {
        // SAFETY: the caller's promise: the stripes are in the line.
        unsafe { self.word64(geometry::line(0, Line::Room as u32) + u64::from(stripe) * 8) }
    }

    /// A 32-bit word of a class's head; `second` picks another one of the line.
    ///
    /// # Safety
    ///
    /// `class` is below `P::CLASSES`, and `second` below 16, the words of 64 bits of a line.
    #[inline(always)]
    pub(super) unsafe fn head(&self, class: u32, line: Line, second: u32) -> &AtomicU32 {
        // SAFETY: the caller's promise: the class has a head with each of the lines, and the word
        // is in it.
        unsafe {
            let line = geometry::line(class + 1, line as u32);
            self.word32(line + u64::from(second) * 8)
        }
    }

    /// A 64-bit word of a class's head.
    ///
    /// # Safety
    ///
    /// `class` is below `P::CLASSES`, and `second` below 16, the words of 64 bits of a line.
    #[inline(always)]
    pub(super) unsafe fn head64(&self, class: u32, line: Line, second: u32) -> &AtomicU64 {
        // SAFETY: as for `head`.
        unsafe {
            let line = geometry::line(class + 1, line as u32);
            self.word64(line + u64::from(second) * 8)
        }
    }

    /// A counter of the chunks that are divided into pages of a class. Its line is quiet:
    /// many change it when they free.
    ///
    /// # Safety
    ///
    /// `class` is below `P::CLASSES`.
    #[inline(always)]
    pub(super) unsafe fn divided(&self, class: u32) -> &AtomicU32 {
        // SAFETY: the caller's promise; the second word of a line.
        unsafe { self.head(class, Line::Old, 1) }
    }

    /// The word of the map of free chunks with the bit of `32 * index`; behind the last
    /// word lies the map of chunks that are in the reuse queue.
    ///
    /// # Safety
    ///
    /// `index` is below `2 * map_words()`.
    #[inline(always)]
    pub(super) unsafe fn free_map(&self, index: u32) -> &AtomicU32 {
        // SAFETY: the caller's promise: the maps begin behind the heads.
        unsafe { self.word32(geometry::heads_bytes::<P>() + u64::from(index) * 4) }
    }

    /// Words of a map with a bit for each chunk.
    #[inline(always)]
    pub fn map_words(&self) -> u32 {
        self.chunks.div_ceil(32)
    }

    /// The same of that map.
    ///
    /// # Safety
    ///
    /// `index` is below `map_words()`.
    #[inline(always)]
    pub(super) unsafe fn enqueued_map(&self, index: u32) -> &AtomicU32 {
        // SAFETY: the caller's promise: the map is behind the other, and as large.
        unsafe { self.free_map(self.map_words() + index) }
    }

    /// The entry of the reuse queue at a position.
    #[inline(always)]
    pub(super) fn reuse(&self, position: u32) -> &AtomicU32 {
        // SAFETY: the queue has an entry for each number of `reuse_bits` bits.
        unsafe {
            let index = position & ((1 << self.reuse_bits) - 1);
            self.word32(self.reuse + u64::from(index) * 4)
        }
    }

    /// A 32-bit word of the static memory of a class's queue.
    ///
    /// # Safety
    ///
    /// `class` is below `P::CLASSES`, and `index` below `1 << static_bits`.
    #[inline(always)]
    pub(super) unsafe fn storage(&self, class: u32, index: u32) -> &AtomicU32 {
        // SAFETY: the caller's promise: each class has so many words, of 32 bits at least.
        unsafe { self.word32(self.storage + u64::from(class) * self.stride + u64::from(index) * 4) }
    }

    /// A 64-bit word of it.
    ///
    /// # Safety
    ///
    /// As for `storage`, in a heap whose queues were planned with words of 64 bits.
    #[inline(always)]
    pub(super) unsafe fn storage64(&self, class: u32, index: u32) -> &AtomicU64 {
        // SAFETY: the caller's promise: each class has so many words.
        unsafe { self.word64(self.storage + u64::from(class) * self.stride + u64::from(index) * 8) }
    }
}
