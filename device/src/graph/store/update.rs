//! Shared by the kernels of an update: arguments, counters, and runs of keys.
//!
//! Sorted keys with the same source are a run; the first of a run acts for the
//! vertex where one lane must.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;

use crate::arguments;
use crate::graph::store::Vertex;
use crate::graph::store::keys::{DELETE, Form};
use crate::simt::Warp;
use crate::simt::reduce::has;

/// Words of the header of an update, by number.
pub mod word {
    /// Edges that were inserted or deleted.
    pub const APPLIED: usize = 0;
    /// Edges that the batch had before or that the graph has already.
    pub const DUPLICATES: usize = 1;
    /// Edges to delete that the graph does not have.
    pub const MISSING: usize = 2;
    /// Edges with a vertex that does not exist, and loops if refused.
    pub const REJECTED: usize = 3;
    /// Keys that change the store.
    pub const CHANGES: usize = 4;
    /// The largest request that was refused, in bytes, or 0; in the header of
    /// a graph's first store.
    pub const REFUSED: usize = 5;
    /// Triangles that were made or destroyed, if that was asked.
    pub const TRIANGLES: usize = 6;
    /// Runs that many warps relocate, and the parts of all of them; see
    /// [`super::UpdateArguments::add_long`].
    pub const LONG: usize = 7;
    /// Pages of rows that are copied where triangles are counted in linked pages.
    pub const COPIED: usize = 8;
    /// Blocks that are about to be requested, a word for each class of sizes.
    pub const DEMAND: usize = 9;
    /// Bytes granted to new blocks, before the old ones are freed.
    pub const FRESH: usize = DEMAND + super::CLASSES as usize;
    /// Number of words.
    pub const COUNT: usize = FRESH + 1;
}

/// Vertices of more neighbours than this move to new blocks when they change,
/// because many warps can fill a new block at once, and one warp changes a block in place.
pub const LARGE: u32 = 1024;

/// Classes of the sizes of blocks: powers of two of 16 bytes.
pub const CLASSES: u32 = 32;

/// Not the place of a change.
pub const NO_POSITION: u32 = u32::MAX;

arguments! {
    /// An update of a store.
    pub struct UpdateArguments {
        pointers {
            /// `vertices` records.
            records: Vertex,
            /// The handle of each vertex' block.
            handles: u8,
            /// Sorted keys; after `Compact`, their last reader, the runs
            /// that many warps relocate.
            keys: u64,
            /// For each key: where in the adjacency it belongs, or `NO_POSITION`
            /// if it changes nothing.
            key_positions: u32,
            /// For each tile: its keys that change something.
            sums: u32,
            /// The keys that change something, sorted.
            changes: u64,
            /// For each change: where in the adjacency it belongs.
            positions: u32,
            /// For the first change of each run: the address of a new block for
            /// the vertex, or 0.
            moved: u64,
            /// For the first change of each run: the handle of that block.
            fresh: u8,
            /// `word::COUNT` words of this store.
            header: u64,
            /// A word that the stores of a graph share, 0 before the first
            /// launch: the largest request that was refused, in bytes, or 0.
            refused: u64,
            /// A word of the graph: vertices that were deleted.
            absent: u64,
        }
        integers {
            /// Keys.
            count: u32,
            /// Vertices.
            vertices: u32,
            /// Flags of `keys`, without `EDGES`.
            flags: u32,
            /// Keys of a tile, a multiple of the lanes of a warp.
            tile: u32,
            /// Tiles.
            tiles: u32,
        }
    }
}

impl UpdateArguments {
    /// How keys are made.
    #[inline(always)]
    pub fn form(&self) -> Form {
        Form {
            vertices: self.vertices,
            count: self.count,
            flags: self.flags,
        }
    }

    /// Whether edges are deleted, not inserted.
    #[inline(always)]
    pub fn deletes(&self) -> bool {
        self.flags & DELETE != 0
    }

    /// A word of the header.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds, and `index` is below `word::COUNT`.
    #[inline(always)]
    pub unsafe fn header(&self, index: usize) -> &AtomicU64 {
        // SAFETY: the caller's promise.
        unsafe { &*self.header.add(index).cast::<AtomicU64>() }
    }

    /// Counts what this lane was granted. All lanes of the warp call this.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds, and all lanes of the warp make the call.
    #[inline(always)]
    pub unsafe fn count_fresh<W: Warp>(&self, warp: W, bytes: u64) {
        // SAFETY: the caller's promise.
        unsafe {
            // In units, rounded up; 2^32 of them are 64 GiB.
            let units = warp.all_sum(bytes.div_ceil(16) as u32);
            if warp.lane() == 0 && units > 0 {
                // Relaxed: a sum that the host reads after the launch.
                self.header(word::FRESH)
                    .fetch_add(u64::from(units) * 16, Relaxed);
            }
        }
    }

    /// The largest request that was refused, or 0.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds.
    #[inline(always)]
    pub unsafe fn refused(&self) -> &AtomicU64 {
        // SAFETY: the caller's promise.
        unsafe { &*self.refused.cast::<AtomicU64>() }
    }

    /// Vertices that were deleted.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds.
    #[inline(always)]
    pub unsafe fn absent(&self) -> u64 {
        // SAFETY: the caller's promise.
        unsafe { *self.absent }
    }

    /// The record of a vertex of the graph.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds, and the vertex exists.
    #[inline(always)]
    pub unsafe fn record(&self, vertex: u32) -> Vertex {
        // SAFETY: the caller's promise.
        unsafe { *self.records.add(vertex as usize) }
    }

    /// The changes, known after `Compact`.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds.
    #[inline(always)]
    pub unsafe fn change_count(&self) -> u32 {
        // SAFETY: the caller's promise.
        unsafe {
            // Relaxed: written by an earlier launch.
            self.header(word::CHANGES).load(Relaxed) as u32
        }
    }

    /// The key of change `index`, which is in range.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds, and `index` is below the number of changes.
    #[inline(always)]
    pub unsafe fn change(&self, index: u32) -> u64 {
        // SAFETY: the caller's promise.
        unsafe { *self.changes.add(index as usize) }
    }

    /// Where in the adjacency change `index`, which is in range, belongs.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds, and `index` is below the number of changes.
    #[inline(always)]
    pub unsafe fn position(&self, index: u32) -> u32 {
        // SAFETY: the caller's promise.
        unsafe { *self.positions.add(index as usize) }
    }

    /// Whether change `index`, which is in range, is the first of its run.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds, and `index` is below the number of changes.
    #[inline(always)]
    pub unsafe fn is_first(&self, index: u32) -> bool {
        // SAFETY: the caller's promise.
        unsafe {
            let form = self.form();
            index == 0 || form.source(self.change(index - 1)) != form.source(self.change(index))
        }
    }

    /// The number after the last change of the run that `first` begins, by
    /// steps that double and then halve: most runs are short.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds, `count` is the number of changes, and `first` is below it.
    #[inline(always)]
    pub unsafe fn run_end(&self, first: u32, count: u32) -> u32 {
        // SAFETY: the caller's promise; all indices are from `first` up to `count`.
        unsafe {
            let form = self.form();
            let source = form.source(self.change(first));
            let (mut inside, mut step) = (first, 1);
            while step < count - inside && form.source(self.change(inside + step)) == source {
                inside += step;
                step *= 2;
            }
            // The first outside is at most `step` away.
            let mut outside = if step < count - inside {
                inside + step
            } else {
                count
            };
            while inside + 1 < outside {
                let middle = inside + (outside - inside) / 2;
                if form.source(self.change(middle)) == source {
                    inside = middle;
                } else {
                    outside = middle;
                }
            }
            outside
        }
    }

    /// The first change of the run of change `index`, likewise.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds, and `index` is below the number of changes.
    #[inline(always)]
    pub unsafe fn run_start(&self, index: u32) -> u32 {
        // SAFETY: the caller's promise; all indices are up to `index`.
        unsafe {
            let form = self.form();
            let source = form.source(self.change(index));
            let (mut inside, mut step) = (index, 1);
            while step <= inside && form.source(self.change(inside - step)) == source {
                inside -= step;
                step *= 2;
            }
            // No change before this one is inside.
            let mut bound = if step <= inside { inside - step + 1 } else { 0 };
            while bound < inside {
                let middle = bound + (inside - bound) / 2;
                if form.source(self.change(middle)) == source {
                    inside = middle;
                } else {
                    bound = middle + 1;
                }
            }
            inside
        }
    }

    /// As `run_start`, for the changes of a row, one a lane; that of the first
    /// lane is in range, for others that are not the result means nothing. Only
    /// the first lane searches. All lanes call this with indices in a row.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds, `count` is the number of changes, at least one, and all
    /// lanes of the warp make the call with indices in a row, the first in range.
    #[inline(always)]
    pub unsafe fn row_start<W: Warp>(&self, warp: W, index: u32, count: u32) -> u32 {
        // SAFETY: the caller's promise.
        unsafe {
            // No branch on what the caller branches on again; see `has`.
            let last = count - 1;
            let present = if index < last { index } else { last };
            let first = self.is_first(present) & (index == present);
            let firsts = warp.ballot(W::FULL, first);
            let mut start = index;
            if warp.lane() == 0 && !has(firsts, 0) {
                start = self.run_start(index);
            }
            start = warp.shuffle(W::FULL, start, 0);
            // The nearest first at this lane or below.
            let below = firsts & (u32::MAX >> (31 - warp.lane()));
            if below == 0 {
                start
            } else {
                index - (warp.lane() - (31 - below.leading_zeros()))
            }
        }
    }

    /// The degree of a vertex after `changes` changes.
    #[inline(always)]
    pub fn new_degree(&self, degree: u32, changes: u32) -> u32 {
        if self.deletes() {
            degree - changes
        } else {
            degree + changes
        }
    }
}
