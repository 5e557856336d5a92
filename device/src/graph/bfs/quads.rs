//! Narrow frontiers in the shared memory of a block: that of a level and that of the next one.
//!
//! Rows are divided into *quads*, so that each thread reads as many entries, by one access. A
//! quad has a position in the frontier from a count in shared memory. A row that finds no
//! room goes to the queue of the search, as the rest does when the block ends.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::SharedU32;
use cuda_std::hint::opaque;

use super::{CHUNK, Search, UNREACHED, word};
use crate::graph::chunks::{Chunk, append};
use crate::graph::store::VertexId;
use crate::simt::tail::Four;
use crate::simt::{Block, MAX_SHARED_BYTES, Warp};

/// Entries of a quad, at the most.
const QUAD: u32 = 4;

/// Quads of a frontier, at the most: shared memory has an address and a parent for each of two
/// frontiers, and four words.
pub const ROOM: u32 = ((MAX_SHARED_BYTES - 16) / (2 * (8 + 4))) as u32;

/// Quads of a frontier that one thread searches: above, others would help it sooner than they
/// wake up.
const ROOM_ALONE: u32 = 512;

/// A frontier has fewer quads than this part of the vertices: larger ones are for bottom-up to
/// consider, from a fourth as many edges as vertices on.
const SMALL_PART: u32 = 16;

/// The quads of a row.
#[inline(always)]
fn quads(row: Chunk) -> u32 {
    row.length.div_ceil(QUAD)
}

/// Up to four entries of a row, which follow each other.
#[derive(Clone, Copy)]
pub struct Quad {
    /// Address of the first one.
    address: u64,
    /// Their number.
    length: u32,
    /// The vertex whose row it is.
    pub vertex: u32,
    /// The neighbour from which the vertex was found; `UNREACHED` if it is not known.
    parent: u32,
}

impl Quad {
    /// The entries, or any vertices where the quad has fewer.
    ///
    /// # Safety
    ///
    /// The quad is of a row of the graph, which no thread writes to.
    #[inline(always)]
    pub unsafe fn entries(&self, search: &Search) -> [VertexId; 4] {
        let entries = core::ptr::with_exposed_provenance::<u32>(self.address as usize);
        // SAFETY: blocks of the store are 16-byte aligned and have zeroes up to a multiple of
        // four, and 0 is a vertex; else no entry behind the last one is read.
        unsafe {
            let four = if search.padded {
                let Four(four) = *entries.cast::<Four>();
                // Opaque: else the access would be divided into four, as below.
                four.map(opaque)
            } else {
                let last = self.length.max(1) - 1;
                [0, 1, 2, 3].map(|at: u32| *entries.add(at.min(last) as usize))
            };
            four.map(|entry| VertexId::new(entry))
        }
    }

    /// Whether there is an entry `at` this place which may be new: a parent is not.
    #[inline(always)]
    pub fn may_find(&self, at: usize, entry: VertexId) -> bool {
        (at as u32) < self.length && entry.number() != self.parent
    }
}

/// The frontiers of a block: that of a level, which it reads, and that of the next one.
#[derive(Clone, Copy)]
pub struct Quads<'a, W> {
    search: &'a Search,
    warp: W,
    /// Where in the queue the frontier begins that the block leaves.
    begin: u32,
    room: u32,
}

impl<'a, W: Warp> Quads<'a, W> {
    /// Quads of a frontier of this search, at the most.
    #[inline(always)]
    pub fn room(search: &Search) -> u32 {
        let most = if W::IS_SOLO { ROOM_ALONE } else { ROOM };
        most.min(search.vertices / SMALL_PART)
    }

    /// Nothing as yet. All threads of the block call this.
    ///
    /// # Safety
    ///
    /// The kernel has `MAX_SHARED_BYTES` of shared memory, which nothing else uses. From
    /// position `begin` on, the queue has room for all vertices that were not enqueued.
    #[inline(always)]
    pub unsafe fn new(warp: W, search: &'a Search, begin: u32) -> Self {
        let quads = Self {
            search,
            warp,
            begin,
            room: Self::room(search),
        };
        let block = Block::of(warp);
        if block.thread() == 0 {
            quads.clear(0);
            quads.clear(1);
        }
        block.sync();
        quads
    }

    /// The addresses of quads, whose two low bits are the length; 0 stands for four.
    #[inline(always)]
    fn addresses(&self) -> *mut u64 {
        Block::of(self.warp).shared().cast()
    }

    /// The parents of quads, behind the addresses.
    #[inline(always)]
    fn parents(&self) -> *mut u32 {
        self.addresses().wrapping_add(2 * ROOM as usize).cast()
    }

    /// A word of the four behind the parents.
    #[inline(always)]
    fn word(&self, index: u32) -> &SharedU32 {
        let words = self.parents().wrapping_add(2 * ROOM as usize);
        // SAFETY: a word of shared memory, accessed as an atomic one.
        unsafe { &*words.wrapping_add(index as usize % 4).cast::<SharedU32>() }
    }

    /// The number of quads in the frontier of a level, which may exceed the room.
    #[inline(always)]
    fn count_word(&self, level: u32) -> &SharedU32 {
        // Three, for one is cleared while another is read and another added to.
        self.word(level % 3)
    }

    /// The number of quads that are in the memory of the block if the count exceeds the room.
    #[inline(always)]
    fn kept(&self) -> &SharedU32 {
        self.word(3)
    }

    /// The number of quads in the frontier of a level, behind the barrier before that level.
    #[inline(always)]
    pub fn count(&self, level: u32) -> u32 {
        // Relaxed, as all accesses to the words: barriers order them.
        self.count_word(level).load(Relaxed)
    }

    /// Whether the block has all quads of a frontier of so many.
    #[inline(always)]
    pub fn has_room(&self, count: u32) -> bool {
        count <= self.room
    }

    /// Clears the count of a level, a barrier before its quads are pushed. One thread calls this.
    #[inline(always)]
    pub fn clear(&self, level: u32) {
        self.count_word(level).store(0, Relaxed);
    }

    /// Where a quad is in the memory of the block.
    #[inline(always)]
    fn slot(level: u32, index: u32) -> usize {
        (level % 2 * ROOM + index) as usize
    }

    /// A quad of a frontier; an empty one in place of one behind the last.
    ///
    /// # Safety
    ///
    /// The frontier of the level has `count` quads in the memory of the block, at least one.
    #[inline(always)]
    pub unsafe fn get(&self, level: u32, index: u32, count: u32) -> Quad {
        let slot = Self::slot(level, index.min(count - 1));
        // SAFETY: the quad was written before the last barrier.
        let (bits, parent, vertex) = unsafe {
            (
                *self.addresses().add(slot),
                *self.parents().add(slot),
                *self.search.owners.add(slot),
            )
        };
        // One to four.
        let length = (bits as u32).wrapping_sub(1) % QUAD + 1;
        Quad {
            address: bits & !u64::from(QUAD - 1),
            length: if index < count { length } else { 0 },
            vertex,
            parent,
        }
    }

    /// Gives out positions in the frontier of a level, `own` of them to this lane: the first of the
    /// warp's, the first of this lane's, and how many the warp gets. All lanes of the warp call this.
    #[inline(always)]
    fn reserve(&self, level: u32, own: u32) -> (u32, u32, u32) {
        let warp = self.warp;
        let end = warp.all_inclusive_sum(own);
        let total = warp.shuffle(W::FULL, end, W::LANES - 1);
        let mut first = 0;
        if warp.lane() == 0 && total > 0 {
            first = self.count_word(level).fetch_add(total, Relaxed);
        }
        first = warp.shuffle(W::FULL, first, 0);
        (first, first + end - own, total)
    }

    /// Writes the quads of a row from a position on; returns the position behind them.
    ///
    /// # Safety
    ///
    /// The positions are this lane's, and there is room.
    #[inline(always)]
    unsafe fn write(&self, level: u32, mut at: u32, row: Chunk, parent: u32) -> u32 {
        let mut entry = 0;
        while entry < row.length {
            let length = (row.length - entry).min(QUAD);
            let address = row.address + 4 * u64::from(entry);
            let slot = Self::slot(level, at);
            // SAFETY: a position of the frontier has a slot in each array.
            unsafe {
                let bits = address | u64::from(length % QUAD);
                self.addresses().add(slot).write(bits);
                self.parents().add(slot).write(parent);
                self.search.owners.add(slot).write(row.vertex);
            }
            at += 1;
            entry += QUAD;
        }
        at
    }

    /// Adds four rows of each lane to the frontier of a level. All lanes of the warp call this.
    ///
    /// # Safety
    ///
    /// They are whole rows of vertices that were found from `parent` and not enqueued. The level
    /// is the next one.
    #[inline(always)]
    pub unsafe fn push(&self, level: u32, rows: [Chunk; 4], parent: u32) {
        // One by one, and not in loops: a lane would keep them in local memory.
        let [one, two, three, four] = rows;
        let own = quads(one) + quads(two) + quads(three) + quads(four);
        let (first, mut at, total) = self.reserve(level, own);
        if total == 0 {
            return;
        }
        // SAFETY: the rows are not enqueued; positions below the room are in the block's memory.
        unsafe {
            if first + total > self.room {
                // The positions of one warp begin within the room and end beyond it, and those
                // of all warps after it begin beyond it.
                if first <= self.room && self.warp.lane() == 0 {
                    self.kept().store(first, Relaxed);
                }
                self.enqueue_row(one);
                self.enqueue_row(two);
                self.enqueue_row(three);
                self.enqueue_row(four);
            } else {
                at = self.write(level, at, one, parent);
                at = self.write(level, at, two, parent);
                at = self.write(level, at, three, parent);
                self.write(level, at, four, parent);
            }
        }
    }

    /// Adds the chunks of the queue from position `first` on to the frontier of level 0. All
    /// threads of the block call this.
    ///
    /// # Safety
    ///
    /// There are `count` such chunks, whose quads there is room for.
    #[inline(always)]
    pub unsafe fn load(&self, first: u32, count: u32) {
        let block = Block::of(self.warp);
        let mut base = self.warp.warp_in_block() * W::LANES;
        while base < count {
            let index = base + self.warp.lane();
            let mut chunk = Chunk::default();
            // SAFETY: the chunk is there.
            unsafe {
                if index < count {
                    chunk = *self.search.queue.add((first + index) as usize);
                }
                let (_, at, _) = self.reserve(0, quads(chunk));
                self.write(0, at, chunk, UNREACHED);
            }
            base += block.threads();
        }
    }

    /// Enqueues a row of each lane. All lanes of the warp call this.
    ///
    /// # Safety
    ///
    /// They are rows of vertices that were not enqueued.
    #[inline(always)]
    unsafe fn enqueue_row(&self, row: Chunk) {
        let chunks = self.search.of_frontier::<{ word::CHUNKS }>(1);
        // SAFETY: the queue has room for the chunks of all vertices, each once.
        unsafe {
            let queue = self.search.queue.add(self.begin as usize);
            append::<CHUNK, W>(self.warp, queue, chunks, row);
        }
    }

    /// Enqueues the rows of the frontier of a level, which had `count` quads when its positions
    /// were given out. All threads of the block call this, behind a barrier.
    ///
    /// # Safety
    ///
    /// Rows are whole: the level is not the one of `load`.
    #[inline(always)]
    pub unsafe fn enqueue(&self, level: u32, count: u32) {
        let block = Block::of(self.warp);
        let kept = match self.has_room(count) {
            true => count,
            false => self.kept().load(Relaxed),
        };
        let mut base = self.warp.warp_in_block() * W::LANES;
        while base < kept {
            let index = base + self.warp.lane();
            let mut row = Chunk::default();
            // SAFETY: below the number of quads, whose vertices exist. The quads of a row follow
            // each other, and its first one enqueues it.
            unsafe {
                let owner = |index: u32| *self.search.owners.add(Self::slot(level, index));
                if index < kept && (index == 0 || owner(index - 1) != owner(index)) {
                    let vertex = VertexId::new(owner(index));
                    row = Chunk::row(vertex.number(), self.search.outgoing(vertex), 0);
                }
                self.enqueue_row(row);
            }
            base += block.threads();
        }
    }
}
