//! Counting triangles by the lanes of a warp, which share the lists of as many vertices as
//! there are lanes.

use super::{List, TriangleArguments};
use crate::graph::store::{Vertex, lower_bound};
use crate::simt::reduce::has;
use crate::simt::rows::Rows;
use crate::simt::segments::Segments;
use crate::simt::{Warp, low_bits};

/// Copies the successors of this warp's vertices.
///
/// # Safety
///
/// The arguments' contract holds, and all lanes of the warp make the call.
#[inline(always)]
pub unsafe fn orient<W: Warp>(warp: W, graph: &TriangleArguments) {
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
        let segments = Segments::new(warp, record.degree);
        // Successors that this lane's vertex has so far.
        let mut length = 0;
        let mut base = 0;
        while base < segments.total {
            let item = base + warp.lane();
            let (owner, position) = segments.locate(warp, item);
            let address = warp.shuffle64(W::FULL, record.address, owner);
            let degree = warp.shuffle(W::FULL, record.degree, owner);
            let before = warp.shuffle(W::FULL, offset + length, owner);
            let (mut keep, mut neighbour) = (false, 0);
            if item < segments.total {
                let of = Vertex {
                    address,
                    degree,
                    capacity: degree,
                };
                // SAFETY: the position is below the vertex' degree, and the neighbour is
                // a vertex.
                let other = unsafe {
                    neighbour = *of.entries().add(position as usize);
                    graph.offset(neighbour + 1) - graph.offset(neighbour)
                };
                keep = (other, neighbour) > (degree, row + owner);
            }
            let kept = warp.ballot(W::FULL, keep);
            if has(kept, warp.lane()) {
                // Lanes below this one whose items are of the same vertex.
                let same = if position < warp.lane() {
                    position
                } else {
                    warp.lane()
                };
                let lanes = low_bits(warp.lane()) & !low_bits(warp.lane() - same);
                let at = before + (kept & lanes).count_ones();
                // SAFETY: a vertex has no more successors than neighbours.
                unsafe { graph.successors.add(at as usize).write(neighbour) };
            }
            // The lanes of this row whose items are this lane's vertex'.
            let lanes = segments.own_lanes::<W>(base);
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

/// The triangles of oriented edges, one a lane: those from `source`, whose
/// list is `from`, to `target`, whose list is `to`.
///
/// # Safety
///
/// The arguments' contract holds, the lists are those of the vertices, and all lanes of the
/// warp call this.
#[inline(always)]
unsafe fn of_edges<W: Warp>(
    warp: W,
    graph: &TriangleArguments,
    source: u32,
    target: u32,
    from: List,
    to: List,
) -> u64 {
    // SAFETY: positions are those of the lists' successors.
    unsafe {
        let (short, long) = if from.length < to.length {
            (from, to)
        } else {
            (to, from)
        };
        let segments = Segments::new(warp, short.length);
        let mut found = 0;
        let mut base = 0;
        while base < segments.total {
            let item = base + warp.lane();
            let (owner, position) = segments.locate(warp, item);
            let start = warp.shuffle(W::FULL, short.start, owner);
            let low = warp.shuffle(W::FULL, long.start, owner);
            let high = low + warp.shuffle(W::FULL, long.length, owner);
            let one = warp.shuffle(W::FULL, source, owner);
            let two = warp.shuffle(W::FULL, target, owner);
            if item < segments.total {
                let third = graph.successor(start + position);
                let at = lower_bound(graph.successors, low, high, third);
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
}

/// The triangles of this warp's vertices, whose lists its lanes share.
///
/// # Safety
///
/// The arguments' contract holds, `Orient` has run, and all lanes of the warp make the call.
#[inline(always)]
pub unsafe fn count<W: Warp>(warp: W, graph: &TriangleArguments) -> u64 {
    // SAFETY: rows and successors are vertices, and positions those of their lists.
    unsafe {
        let mut found = 0;
        let rows = Rows::new(warp, graph.vertices, W::LANES);
        let mut row = rows.first;
        while row < rows.end {
            let vertex = row + warp.lane();
            let mut list = List::EMPTY;
            if vertex < rows.end {
                list = graph.list(vertex);
            }
            let segments = Segments::new(warp, list.length);
            let mut base = 0;
            while base < segments.total {
                let item = base + warp.lane();
                let (owner, position) = segments.locate(warp, item);
                let from = List {
                    start: warp.shuffle(W::FULL, list.start, owner),
                    length: warp.shuffle(W::FULL, list.length, owner),
                };
                let (mut target, mut to) = (0, List::EMPTY);
                if item < segments.total {
                    target = graph.successor(from.start + position);
                    to = graph.list(target);
                }
                let from = if item < segments.total {
                    from
                } else {
                    List::EMPTY
                };
                found += of_edges(warp, graph, row + owner, target, from, to);
                base += W::LANES;
            }
            row += rows.step;
        }
        found
    }
}
