//! Triangle counting in undirected graphs.
//!
//! Edges are oriented from the vertex that is lower by degree, then id, to the
//! higher one; a triangle is an oriented edge whose ends have a common
//! successor, and is found once. The orientation keeps the lists of successors
//! short even where degrees are skewed: none is longer than the square root of
//! twice the edges. `Orient` copies them out of the store, in ascending order,
//! behind the offsets of the whole adjacency. `Triangles` takes as many edges as
//! a warp has lanes, and all candidates of these as one sequence: the shorter
//! list of each edge, whose vertices are searched for in the longer one. A lane
//! alone does without the first launch where no vertex has more neighbours than a
//! list might have: see `in_place`.
//!
//! Warps count in another way where a vertex has more neighbours than that: see `hubs`; `plan`
//! chooses.
//!
//! Traffic: `Orient` reads 4 bytes and the sector of an offset an entry and
//! writes 4 bytes an edge; `Triangles` reads, an edge, two sectors about the
//! successor and the lists, which neighbours share.

pub mod delta;
pub mod hubs;
mod in_place;
mod linked;
#[cfg(not(target_arch = "nvptx64"))]
pub mod plan;
mod simt;
mod solo;

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::{AtomicU32, AtomicU64};

pub use in_place::Stamps;
pub use linked::LinkedOrient;
pub use solo::{Marks, TAIL_PADDING};

use crate::arguments;
use crate::graph::store::Vertex;
use crate::kernel::{PlainKernel, Valid};
use crate::simt::Warp;
use crate::simt::reduce::all_sum64;

/// Words over which the count is spread.
pub const SLOTS: u32 = 16;

arguments! {
    /// A count of triangles.
    pub struct TriangleArguments {
        pointers {
            /// `vertices` records.
            records: Vertex,
            /// `vertices` and one words: sums of degrees.
            offsets: u32,
            /// The successors of each vertex: where they begin, its offset, and
            /// their number. Null where rows are read in place, as then are the
            /// offsets and the successors.
            lists: List,
            /// A word for each entry, and [`TAIL_PADDING`] more: all successors.
            successors: u32,
            /// `SLOTS` words, 0 before `Triangles`, whose sum is the count.
            total: u64,
            /// For each vertex the triangles that it is in, 0 before; or null.
            counts: u32,
            /// [`Marks`] for each worker that runs warps of one lane, or, where rows
            /// are read in place, [`Stamps`]; 0 before.
            marks: u32,
        }
        integers {
            /// Vertices.
            vertices: u32,
        }
    }
}

/// A count whose contract holds.
type Counting = Valid<TriangleArguments>;

impl TriangleArguments {
    /// The offset of a vertex, or of the end.
    ///
    /// # Safety
    ///
    /// The arguments have offsets, and their contract holds; `vertex` is at most the number of
    /// vertices.
    #[inline(always)]
    pub unsafe fn offset(&self, vertex: u32) -> u32 {
        // SAFETY: there is an offset for each vertex, and for the end.
        unsafe { *self.offsets.add(vertex as usize) }
    }

    /// The successors of a vertex.
    ///
    /// # Safety
    ///
    /// The arguments have lists, and their contract holds; the vertex exists.
    #[inline(always)]
    unsafe fn list(&self, vertex: u32) -> List {
        // SAFETY: there is a list for each vertex.
        unsafe { *self.lists.add(vertex as usize) }
    }

    /// A successor, by its position among all.
    ///
    /// # Safety
    ///
    /// The arguments have successors, and their contract holds; the position is below their number.
    #[inline(always)]
    unsafe fn successor(&self, position: u32) -> u32 {
        // SAFETY: such a position.
        unsafe { *self.successors.add(position as usize) }
    }

    /// Counts a triangle of a vertex, if that is wanted.
    ///
    /// # Safety
    ///
    /// The arguments have counts, and their contract holds; the vertex exists.
    #[inline(always)]
    unsafe fn count(&self, vertex: u32) {
        // SAFETY: there is a count for each vertex.
        unsafe { count_vertex(self.counts, vertex) };
    }
}

/// Counts a triangle of a vertex.
///
/// # Safety
///
/// There is a count for the vertex, which is only accessed so in this launch.
#[inline(always)]
unsafe fn count_vertex(counts: *mut u32, vertex: u32) {
    // SAFETY: the vertex' count, accessed as an atomic word.
    let word = unsafe { &*counts.add(vertex as usize).cast::<AtomicU32>() };
    // Relaxed: read after the launch.
    word.fetch_add(1, Relaxed);
}

/// Adds what the lanes of a warp have found. All lanes call this.
///
/// # Safety
///
/// `total` points to [`SLOTS`] words, which are only accessed so in this launch.
#[inline(always)]
unsafe fn add_total<W: Warp>(warp: W, total: *mut u64, found: u64) {
    let found = all_sum64(warp, found);
    if warp.lane() == 0 && found > 0 {
        let slot = (warp.warp() % SLOTS) as usize;
        // SAFETY: there are so many words.
        let word = unsafe { &*total.add(slot).cast::<AtomicU64>() };
        // Relaxed: read after the launch.
        word.fetch_add(found, Relaxed);
    }
}

/// A segment of successors, in 8 bytes that are read at once.
#[repr(C, align(8))]
#[derive(Clone, Copy, Debug)]
pub struct List {
    /// The place of the first.
    pub start: u32,
    /// Their number.
    pub length: u32,
}

impl List {
    const EMPTY: Self = Self {
        start: 0,
        length: 0,
    };
}

/// Copies the successors of each vertex.
pub struct Orient;

impl PlainKernel for Orient {
    type Arguments = TriangleArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, graph: TriangleArguments) {
        // SAFETY: the kernel's contract.
        unsafe {
            if W::IS_SOLO {
                solo::orient(warp, &graph)
            } else {
                simt::orient(warp, &graph)
            };
        }
    }
}

/// Counts the triangles.
pub struct Triangles;

impl PlainKernel for Triangles {
    type Arguments = TriangleArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, graph: TriangleArguments) {
        // SAFETY: the kernel's contract, and `Orient` has run if there are lists.
        let found = unsafe {
            if W::IS_SOLO {
                solo::count(warp, &Counting::new(graph))
            } else {
                simt::count(warp, &graph)
            }
        };
        // SAFETY: the kernel's contract.
        unsafe { add_total(warp, graph.total, found) };
    }
}
