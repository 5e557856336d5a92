//! Near vertices in the shared memory of a block: those of a step, and those of the next one.
//!
//! A vertex may be there twice: a lane that finds it near again does not know. An item that leaves the
//! shared memory goes to the queue of the search, where a vertex is once, by its stamp.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::SharedU32;

use super::{CHUNK, Paths, word};
use crate::graph::store::VertexId;
use crate::simt::{Block, MAX_SHARED_BYTES, Warp, rank};

/// Vertices of a step, at the most: there are items of 8 bytes for two steps, and four words.
pub const ROOM: u32 = ((MAX_SHARED_BYTES - 16) / (2 * 8)) as u32;

/// In place of a chunk's number: the whole row.
pub const WHOLE: u32 = u32::MAX;

/// The near vertices of a block.
#[derive(Clone, Copy)]
pub struct NearQueue<'a, W> {
    warp: W,
    paths: &'a Paths,
}

impl<'a, W: Warp> NearQueue<'a, W> {
    /// Nothing as yet. [`NearQueue::take_over`] comes next.
    ///
    /// # Safety
    ///
    /// The kernel has `MAX_SHARED_BYTES` of shared memory, which nothing else uses.
    #[inline(always)]
    pub unsafe fn new(warp: W, paths: &'a Paths) -> Self {
        Self { warp, paths }
    }

    /// The item of a step at a place below `ROOM`.
    #[inline(always)]
    fn item(self, step: u32, place: u32) -> *mut u64 {
        let items: *mut u64 = Block::of(self.warp).shared().cast();
        items.wrapping_add((step % 2 * ROOM + place) as usize)
    }

    /// The number of a step's items, which may exceed the room. There are three words: one is cleared
    /// while another is read and another added to.
    #[inline(always)]
    fn count_word(self, step: u32) -> &'a SharedU32 {
        let words: *mut u32 = self.item(0, 2 * ROOM).cast();
        // SAFETY: a word of shared memory behind the items, accessed as an atomic one.
        unsafe { &*words.wrapping_add(step as usize % 3).cast::<SharedU32>() }
    }

    /// The number of a step's items, behind the barrier before that step.
    #[inline(always)]
    pub fn count(self, step: u32) -> u32 {
        // Relaxed, as all accesses to the words: barriers order them.
        let count = self.count_word(step).load(Relaxed);
        if count < ROOM { count } else { ROOM }
    }

    /// Clears the count of a step, a barrier before its items are pushed. One thread calls this.
    #[inline(always)]
    pub fn clear(self, step: u32) {
        self.count_word(step).store(0, Relaxed);
    }

    /// Takes over the chunks that a launch has left to this step. All threads of the block call this.
    ///
    /// # Safety
    ///
    /// There are so many, no more than there is room for.
    #[inline(always)]
    pub unsafe fn take_over(self, step: u32, near: u32) {
        let block = Block::of(self.warp);
        let from = self.paths.near(step);
        if block.thread() == 0 {
            self.count_word(step).store(near, Relaxed);
            self.clear(step + 1);
        }
        let mut place = block.thread();
        while place < near {
            // SAFETY: a chunk of the queue, and an item of this thread.
            unsafe { self.item(step, place).write(*from.add(place as usize)) };
            place += block.threads();
        }
        block.sync();
    }

    /// An item of a step: a vertex and, in the high half, the number of a chunk, or [`WHOLE`].
    ///
    /// # Safety
    ///
    /// The place is below the step's count.
    #[inline(always)]
    pub unsafe fn get(self, step: u32, place: u32) -> u64 {
        // SAFETY: the item was written before the last barrier.
        unsafe { *self.item(step, place) }
    }

    /// Adds the vertices of lanes that have found one near to a step; what finds no room is spilled. All
    /// lanes of the warp call this.
    ///
    /// # Safety
    ///
    /// The vertices exist. The step is the next one.
    #[inline(always)]
    pub unsafe fn push(self, step: u32, is_near: bool, vertex: u32) {
        let warp = self.warp;
        let lanes = warp.ballot(W::FULL, is_near);
        if lanes == 0 {
            return;
        }
        let mut place = 0;
        if warp.lane() == 0 {
            place = self.count_word(step).fetch_add(lanes.count_ones(), Relaxed);
        }
        place = warp.shuffle(W::FULL, place, 0) + rank(lanes, warp.lane());
        if !is_near {
            return;
        }
        // SAFETY: the place is this lane's.
        unsafe {
            if place < ROOM {
                let item = u64::from(WHOLE) << 32 | u64::from(vertex);
                self.item(step, place).write(item);
            } else {
                self.spill(vertex, step - 1);
            }
        }
    }

    /// Whether a vertex was spilled in a step before the last barrier.
    #[inline(always)]
    pub fn has_spilled(self) -> bool {
        // Relaxed: the barrier orders it.
        self.paths.frontier::<{ word::NEAR }>(1).load(Relaxed) > 0
    }

    /// Leaves a vertex that was found near in `step` to the step after it, in the queue of the search.
    ///
    /// # Safety
    ///
    /// It exists.
    #[inline(always)]
    pub unsafe fn spill(self, vertex: u32, step: u32) {
        let paths = self.paths;
        // SAFETY: the vertex exists; the places are this lane's, and the queue has room for the chunks
        // of all vertices, each once.
        unsafe {
            let id = VertexId::new(vertex);
            if !paths.stamp(id, step) {
                return;
            }
            let chunks = paths.row(id).degree.div_ceil(CHUNK);
            let count = paths.frontier::<{ word::NEAR }>(1);
            // Relaxed: the next launch reads the queue.
            let place = count.fetch_add(chunks.into(), Relaxed) as u32;
            let mut chunk = 0;
            while chunk < chunks {
                let word = u64::from(chunk) << 32 | u64::from(vertex);
                let at = (place + chunk) as usize;
                paths.near(step + 1).add(at).write(word);
                chunk += 1;
            }
        }
    }

    /// Leaves the items of a step, which were found in the one before, to the next launch. All threads
    /// of the block call this.
    ///
    /// # Safety
    ///
    /// The items are those of vertices that exist, each whole.
    #[inline(always)]
    pub unsafe fn leave(self, step: u32) {
        let block = Block::of(self.warp);
        let count = self.count(step);
        let mut place = block.thread();
        while place < count {
            // SAFETY: below the count, and such an item.
            unsafe { self.spill(self.get(step, place) as u32, step - 1) };
            place += block.threads();
        }
    }
}
