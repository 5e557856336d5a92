//! Shared by the kernels of an update: arguments, counters, and classes of blocks.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;

use crate::allocator::Handle;
use crate::arguments;
use crate::graph::store::keys::{DELETE, Form, WEIGHTED};
use crate::graph::store::{Vertex, VertexId};
use crate::kernel::Valid;
use crate::simt::Warp;

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
    /// [`super::super::changes::Changes::add_long`].
    pub const LONG: usize = 7;
    /// Entries of rows that are copied where triangles are counted in linked pages.
    pub const COPIED: usize = 8;
    /// Edges that were there and got another weight.
    pub const REWEIGHTED: usize = 9;
    /// Blocks that are about to be requested, a word for each class of sizes.
    pub const DEMAND: usize = 10;
    /// Bytes granted to new blocks, before the old ones are freed.
    pub const FRESH: usize = DEMAND + super::CLASSES as usize;
    /// Number of words.
    pub const COUNT: usize = FRESH + 1;
}

/// Vertices of more neighbours than this move to new blocks when they change,
/// because many warps can fill a new block at once, and one warp changes a block in place.
pub const LARGE: u32 = 1024;

/// Classes of the sizes of blocks.
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
            /// Sorted keys.
            keys: u64,
            /// For each key of a weighted graph: a word whose low half is its weight.
            key_weights: u64,
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
            /// For the first change of each run: the neighbours that this block has room for.
            fresh_capacities: u32,
            /// The runs that many warps relocate. Without weights the memory is that of the keys,
            /// whose last reader, `Compact`, has run then.
            long: u64,
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
            /// Flags of `keys`.
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

    /// Whether edges have weights.
    #[inline(always)]
    pub fn is_weighted(&self) -> bool {
        self.flags & WEIGHTED != 0
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

/// An update whose contract holds.
pub type Update = Valid<UpdateArguments>;

impl Update {
    /// A word of the header.
    #[inline(always)]
    pub fn header<const INDEX: usize>(&self) -> &AtomicU64 {
        const { assert!(INDEX < word::COUNT) };
        // SAFETY: the header has a word of this index, which kernels access by atomic operations
        // only.
        unsafe { &*self.header.add(INDEX).cast::<AtomicU64>() }
    }

    /// The header's word of a class: the blocks that are about to be requested.
    #[inline(always)]
    pub fn demand(&self, class: Class) -> &AtomicU64 {
        // SAFETY: the header has a word for each class, accessed as the others.
        unsafe {
            &*self
                .header
                .add(word::DEMAND + class.index())
                .cast::<AtomicU64>()
        }
    }

    /// Counts the bytes that this lane was granted. All lanes of the warp call this.
    #[inline(always)]
    pub fn count_fresh<W: Warp>(&self, warp: W, bytes: u64) {
        // In units, rounded up; 2^32 of them are 64 GiB.
        let units = warp.all_sum(bytes.div_ceil(16) as u32);
        if warp.lane() == 0 && units > 0 {
            // Relaxed: a sum that the host reads after the launch.
            self.header::<{ word::FRESH }>()
                .fetch_add(u64::from(units) * 16, Relaxed);
        }
    }

    /// The largest request that was refused, or 0.
    #[inline(always)]
    pub fn refused(&self) -> &AtomicU64 {
        // SAFETY: the word is there, and kernels access it by atomic operations only.
        unsafe { &*self.refused.cast::<AtomicU64>() }
    }

    /// Vertices that were deleted.
    #[inline(always)]
    pub fn absent(&self) -> u64 {
        // SAFETY: the word is there, and kernels of an update only read it.
        unsafe { *self.absent }
    }

    /// The record of a vertex.
    #[inline(always)]
    pub fn record(&self, vertex: VertexId) -> Vertex {
        // SAFETY: there is a record for each vertex.
        unsafe { *self.records.add(vertex.index()) }
    }

    /// Where the record of a vertex is.
    #[inline(always)]
    pub fn record_of(&self, vertex: VertexId) -> *mut Vertex {
        // SAFETY: there is a record for each vertex.
        unsafe { self.records.add(vertex.index()) }
    }

    /// Stores the record of a vertex.
    ///
    /// # Safety
    ///
    /// No other lane accesses it in this launch, and its block has as many neighbours as it says.
    #[inline(always)]
    pub unsafe fn set_record(&self, vertex: VertexId, record: Vertex) {
        // SAFETY: there is a record for each vertex, and this one is this lane's.
        unsafe { *self.records.add(vertex.index()) = record };
    }

    /// The handle of a vertex' block.
    #[inline(always)]
    pub fn handle<H: Handle>(&self, vertex: VertexId) -> *mut H {
        // SAFETY: there is a handle for each vertex.
        unsafe { self.handles.cast::<H>().add(vertex.index()) }
    }
}

/// A class of the sizes of blocks: powers of two of 16 bytes.
///
/// Invariant: the number is below [`CLASSES`].
#[derive(Clone, Copy)]
pub struct Class(u32);

impl Class {
    /// Class `index`, if there are so many.
    #[inline(always)]
    pub fn new(index: u32) -> Option<Self> {
        (index < CLASSES).then_some(Self(index))
    }

    /// The class of a block of so many bytes, at least one.
    #[inline(always)]
    pub fn of(bytes: u64) -> Self {
        // Blocks of 16 bytes and less are of class 0. The highest one is below `CLASSES`: 2^32
        // neighbours take 2^35 bytes with weights.
        Self(CLASSES - (((bytes - 1) >> 4) as u32).leading_zeros())
    }

    /// The number.
    #[inline(always)]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
