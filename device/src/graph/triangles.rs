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
//! Traffic: `Orient` reads 4 bytes and the sector of an offset an entry and
//! writes 4 bytes an edge; `Triangles` reads, an edge, two sectors about the
//! successor and the lists, which neighbours share.

mod alone;
mod in_place;

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::{AtomicU32, AtomicU64};

pub use alone::{BEHIND, Marks};
pub use in_place::Stamps;

use super::flat::Flat;
use super::reduce::{all_sum64, has};
use super::rows::Rows;
use super::store::{Vertex, lower_bound};
use crate::arguments;
use crate::kernel::PlainKernel;
use crate::simt::Warp;

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
            /// A word for each entry, and [`BEHIND`] more: all successors.
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

impl TriangleArguments {
    /// The offset of a vertex, or of the end.
    ///
    /// # Safety
    ///
    /// The arguments have offsets, and their contract holds; `vertex` is at most the number of
    /// vertices.
    #[inline(always)]
    pub unsafe fn offset(&self, vertex: u32) -> u32 {
        // SAFETY: the caller's promise.
        unsafe { *self.offsets.add(vertex as usize) }
    }

    /// The successors of a vertex.
    #[inline(always)]
    fn list(&self, vertex: u32) -> List {
        // SAFETY: below the number of vertices.
        unsafe { *self.lists.add(vertex as usize) }
    }

    /// A successor, by its place among all.
    #[inline(always)]
    fn successor(&self, place: u32) -> u32 {
        // SAFETY: a place within a vertex' list.
        unsafe { *self.successors.add(place as usize) }
    }

    /// Counts a triangle of a vertex, if that is wanted.
    #[inline(always)]
    fn count(&self, vertex: u32) {
        // SAFETY: the caller has checked that there are counts.
        let word = unsafe { &*self.counts.add(vertex as usize).cast::<AtomicU32>() };
        // Relaxed: read after the launch.
        word.fetch_add(1, Relaxed);
    }
}

/// A stretch of successors, in 8 bytes that are read at once.
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

/// The lowest `count` bits, of which there are at most 32.
#[inline(always)]
fn low_bits(count: u32) -> u32 {
    if count == 0 {
        0
    } else {
        u32::MAX >> (32 - count)
    }
}

/// Copies the successors of each vertex.
pub struct Orient;

impl Orient {
    /// Copies the successors of this warp's vertices, where a warp has one lane: one
    /// list behind the other, so that they take less of the cache.
    #[inline(always)]
    fn alone<W: Warp>(warp: W, graph: &TriangleArguments) {
        let rows = Rows::new(warp, graph.vertices, 1);
        // SAFETY: rows begin at the number of vertices at most.
        let mut end = unsafe { graph.offset(rows.first) };
        let mut vertex = rows.first;
        while vertex < rows.end {
            let start = end;
            let mut place = 0;
            // SAFETY: the vertex has so many neighbours, and no more successors.
            unsafe {
                let record = *graph.records.add(vertex as usize);
                while place < record.degree {
                    let neighbour = *record.entries().add(place as usize);
                    let degree = graph.offset(neighbour + 1) - graph.offset(neighbour);
                    let keep = (degree > record.degree)
                        | ((degree == record.degree) & (neighbour > vertex));
                    // What is not kept is written over. Half of them are: no branch.
                    *graph.successors.add(end as usize) = neighbour;
                    end += u32::from(keep);
                    place += 1;
                }
                *graph.lists.add(vertex as usize) = List {
                    start,
                    length: end - start,
                };
            }
            vertex += rows.step;
        }
    }
}

impl PlainKernel for Orient {
    type Arguments = TriangleArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, graph: TriangleArguments) {
        if W::LANES == 1 {
            Self::alone(warp, &graph);
            return;
        }
        let rows = Rows::new(warp, graph.vertices, W::LANES);
        let mut row = rows.first;
        while row < rows.end {
            let vertex = row + warp.lane();
            let mut record = Vertex::default();
            let mut offset = 0;
            if vertex < rows.end {
                // SAFETY: below the number of records.
                unsafe {
                    record = *graph.records.add(vertex as usize);
                    offset = graph.offset(vertex);
                }
            }
            let flat = Flat::new(warp, record.degree);
            // Successors that this lane's vertex has so far.
            let mut length = 0;
            let mut base = 0;
            while base < flat.total {
                let item = base + warp.lane();
                let (owner, place) = flat.locate(warp, item);
                let address = warp.shuffle64(W::FULL, record.address, owner);
                let degree = warp.shuffle(W::FULL, record.degree, owner);
                let before = warp.shuffle(W::FULL, offset + length, owner);
                let (mut keep, mut neighbour) = (false, 0);
                if item < flat.total {
                    let of = Vertex {
                        address,
                        degree,
                        room: degree,
                    };
                    // SAFETY: the place is below the vertex' degree, and the neighbour is
                    // a vertex.
                    let other = unsafe {
                        neighbour = *of.entries().add(place as usize);
                        graph.offset(neighbour + 1) - graph.offset(neighbour)
                    };
                    keep = (other, neighbour) > (degree, row + owner);
                }
                let kept = warp.ballot(W::FULL, keep);
                if has(kept, warp.lane()) {
                    // Lanes below this one whose items are of the same vertex.
                    let same = if place < warp.lane() {
                        place
                    } else {
                        warp.lane()
                    };
                    let lanes = low_bits(warp.lane()) & !low_bits(warp.lane() - same);
                    let at = before + (kept & lanes).count_ones();
                    // SAFETY: a vertex has no more successors than neighbours.
                    unsafe { graph.successors.add(at as usize).write(neighbour) };
                }
                // The lanes of this row whose items are this lane's vertex'.
                let bound = |at: u32| {
                    let lane = at.saturating_sub(base);
                    if lane < W::LANES { lane } else { W::LANES }
                };
                let lanes = low_bits(bound(flat.end)) & !low_bits(bound(flat.start));
                length += (kept & lanes).count_ones();
                base += W::LANES;
            }
            if vertex < rows.end {
                // SAFETY: below the number of vertices.
                unsafe {
                    graph.lists.add(vertex as usize).write(List {
                        start: offset,
                        length,
                    })
                };
            }
            row += rows.step;
        }
    }
}

/// Counts the triangles.
pub struct Triangles;

impl Triangles {
    /// The triangles of oriented edges, one a lane: those from `source`, whose
    /// list is `from`, to `target`, whose list is `to`.
    #[inline(always)]
    fn of_edges<W: Warp>(
        warp: W,
        graph: &TriangleArguments,
        source: u32,
        target: u32,
        from: List,
        to: List,
    ) -> u64 {
        let (short, long) = if from.length < to.length {
            (from, to)
        } else {
            (to, from)
        };
        let flat = Flat::new(warp, short.length);
        let mut found = 0;
        let mut base = 0;
        while base < flat.total {
            let item = base + warp.lane();
            let (owner, place) = flat.locate(warp, item);
            let start = warp.shuffle(W::FULL, short.start, owner);
            let low = warp.shuffle(W::FULL, long.start, owner);
            let high = low + warp.shuffle(W::FULL, long.length, owner);
            let one = warp.shuffle(W::FULL, source, owner);
            let two = warp.shuffle(W::FULL, target, owner);
            if item < flat.total {
                let third = graph.successor(start + place);
                // SAFETY: the list of a vertex.
                let at = unsafe { lower_bound(graph.successors, low, high, third) };
                if at < high && graph.successor(at) == third {
                    found += 1;
                    if !graph.counts.is_null() {
                        graph.count(one);
                        graph.count(two);
                        graph.count(third);
                    }
                }
            }
            base += W::LANES;
        }
        found
    }

    /// The triangles of this warp's vertices, whose lists its lanes share.
    #[inline(always)]
    fn together<W: Warp>(warp: W, graph: &TriangleArguments) -> u64 {
        let mut found = 0;
        let rows = Rows::new(warp, graph.vertices, W::LANES);
        let mut row = rows.first;
        while row < rows.end {
            let vertex = row + warp.lane();
            let mut list = List::EMPTY;
            if vertex < rows.end {
                list = graph.list(vertex);
            }
            let flat = Flat::new(warp, list.length);
            let mut base = 0;
            while base < flat.total {
                let item = base + warp.lane();
                let (owner, place) = flat.locate(warp, item);
                let from = List {
                    start: warp.shuffle(W::FULL, list.start, owner),
                    length: warp.shuffle(W::FULL, list.length, owner),
                };
                let (mut target, mut to) = (0, List::EMPTY);
                if item < flat.total {
                    target = graph.successor(from.start + place);
                    to = graph.list(target);
                }
                let from = if item < flat.total { from } else { List::EMPTY };
                found += Self::of_edges(warp, graph, row + owner, target, from, to);
                base += W::LANES;
            }
            row += rows.step;
        }
        found
    }

    /// The triangles of this warp's vertices, where a warp has one lane.
    #[inline(always)]
    fn alone<W: Warp>(warp: W, graph: &TriangleArguments) -> u64 {
        let rows = Rows::new(warp, graph.vertices, 1);
        let mut found = 0;
        let mut vertex = rows.first;
        if graph.lists.is_null() {
            // SAFETY: a worker runs a warp at a time; rows are vertices.
            unsafe {
                let stamps = Stamps::new(graph, warp.processor());
                let is_far = in_place::is_scattered(graph, rows.first, rows.end);
                while vertex < rows.end {
                    found += in_place::of_vertex(graph, stamps, vertex, is_far);
                    vertex += rows.step;
                }
            }
            return found;
        }
        // SAFETY: as above.
        unsafe {
            let marks = Marks::new(graph, warp.processor());
            while vertex < rows.end {
                found += alone::of_vertex(graph, marks, vertex, graph.list(vertex));
                vertex += rows.step;
            }
        }
        found
    }
}

impl PlainKernel for Triangles {
    type Arguments = TriangleArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, graph: TriangleArguments) {
        let found = if W::LANES == 1 {
            Self::alone(warp, &graph)
        } else {
            Self::together(warp, &graph)
        };
        let found = all_sum64(warp, found);
        if warp.lane() == 0 && found > 0 {
            let slot = (warp.warp() % SLOTS) as usize;
            // SAFETY: there are so many words.
            let word = unsafe { &*graph.total.add(slot).cast::<AtomicU64>() };
            // Relaxed: read after the launch.
            word.fetch_add(found, Relaxed);
        }
    }
}
