//! Reading linked adjacency: export, PageRank, orientation, questions. One lane
//! walks the chain of a vertex.

use super::page::{Cursor, capacity, entries, first};
use crate::allocator::Allocator;
use crate::graph::copy::{CopyArguments, mix};
use crate::graph::pagerank::{Iteration, RankArguments};
use crate::graph::query::{QueryArguments, answer_all};
use crate::graph::rows::Rows;
use crate::graph::store::{Vertex, lower_bound};
use crate::graph::triangles::{List, TriangleArguments};
use crate::kernel::Kernel;
use crate::simt::Warp;

/// Where `target` belongs among the neighbours of a vertex, and whether it is
/// there.
///
/// # Safety
///
/// The chain of the record has `degree` neighbours, and nobody writes to it meanwhile.
#[inline(always)]
pub unsafe fn search<A: Allocator>(heap: A, record: &Vertex, target: u32) -> (u32, bool) {
    let mut cursor_page = first(record);
    let (mut before, mut left) = (0, record.degree);
    while left > 0 {
        let here = if left < capacity::<A>() {
            left
        } else {
            capacity::<A>()
        };
        let page = entries::<A>(cursor_page);
        // SAFETY: the caller's promise: the page has so many neighbours, and there is a
        // next page if there are more.
        unsafe {
            if left == here || *page.add(here as usize - 1) >= target {
                let place = lower_bound(page, 0, here, target);
                let found = place < here && *page.add(place as usize) == target;
                return (before + place, found);
            }
            cursor_page = super::page::after(heap, cursor_page);
        }
        before += here;
        left -= here;
    }
    (0, false)
}

/// Copies targets out of the pages, and hashes them.
pub struct LinkedCopyOut;

impl Kernel for LinkedCopyOut {
    type Arguments = CopyArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: Allocator>(warp: W, heap: A, copy: CopyArguments) {
        let mut hash = 0_u64;
        let mut vertex = warp.thread();
        while vertex < copy.vertices {
            // SAFETY: the offsets were made from the records, whose chains
            // have `degree` neighbours.
            unsafe {
                let record = *copy.records.add(vertex as usize);
                let offset = *copy.offsets.add(vertex as usize);
                if record.degree > 0 {
                    let mut cursor = Cursor::new(heap, first(&record), 0);
                    let mut place = 0;
                    while place < record.degree {
                        let target = *cursor.next();
                        hash = hash.wrapping_add(mix(vertex, target));
                        if !copy.targets.is_null() {
                            *copy.targets.add((offset + place) as usize) = target;
                        }
                        place += 1;
                    }
                }
            }
            vertex += warp.threads();
        }
        // SAFETY: the kernel's contract.
        unsafe { copy.add_hash(warp, hash) };
    }
}

/// An iteration of PageRank; see `pagerank`. Vertices of many neighbours are not
/// divided: a chain has one beginning.
pub struct LinkedRankStep;

impl Kernel for LinkedRankStep {
    type Arguments = RankArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: Allocator>(warp: W, heap: A, ranks: RankArguments) {
        // SAFETY: the kernel's contract.
        let Some(mut iteration) = (unsafe { Iteration::begin(warp, ranks) }) else {
            return;
        };
        let rows = Rows::new(warp, ranks.vertices, W::LANES);
        let mut vertex = rows.first + warp.lane();
        while vertex < rows.end {
            // SAFETY: below the number of records, whose chains have `degree`
            // neighbours; the vertex is this lane's.
            unsafe {
                let record = *ranks.incoming.add(vertex as usize);
                let mut sum = 0.0;
                if record.degree > 0 {
                    let mut cursor = Cursor::new(heap, first(&record), 0);
                    let mut place = 0;
                    while place < record.degree {
                        sum += f64::from(*ranks.contributions.add(*cursor.next() as usize));
                        place += 1;
                    }
                }
                if !record.is_absent() {
                    iteration.settle(vertex, sum);
                }
            }
            vertex += rows.step;
        }
        iteration.end(warp);
    }
}

/// Copies the successors of each vertex; see `triangles`.
pub struct LinkedOrient;

impl Kernel for LinkedOrient {
    type Arguments = TriangleArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: Allocator>(warp: W, heap: A, graph: TriangleArguments) {
        let rows = Rows::new(warp, graph.vertices, W::LANES);
        let mut vertex = rows.first + warp.lane();
        while vertex < rows.end {
            let mut length = 0;
            // SAFETY: as above; a vertex has no more successors than
            // neighbours.
            unsafe {
                let record = *graph.records.add(vertex as usize);
                let offset = graph.offset(vertex);
                if record.degree > 0 {
                    let mut cursor = Cursor::new(heap, first(&record), 0);
                    let mut place = 0;
                    while place < record.degree {
                        let neighbour = *cursor.next();
                        let other = graph.offset(neighbour + 1) - graph.offset(neighbour);
                        if (other, neighbour) > (record.degree, vertex) {
                            *graph.successors.add((offset + length) as usize) = neighbour;
                            length += 1;
                        }
                        place += 1;
                    }
                }
                *graph.lists.add(vertex as usize) = List {
                    start: offset,
                    length,
                };
            }
            vertex += rows.step;
        }
    }
}

/// Answers questions about edges.
pub struct LinkedQuery;

impl Kernel for LinkedQuery {
    type Arguments = QueryArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: Allocator>(warp: W, heap: A, query: QueryArguments) {
        // SAFETY: the kernel's contract; a record of the store has a chain with its
        // neighbours, and nothing changes in this launch.
        unsafe {
            answer_all(warp, &query, |record, target| {
                search(heap, record, target).1
            })
        };
    }
}
