//! The orientation of linked adjacency.

use super::{List, TriangleArguments};
use crate::device_heap::DeviceHeap;
use crate::graph::store::linked::row::for_each_alone;
use crate::kernel::Kernel;
use crate::simt::Warp;
use crate::simt::rows::Rows;

/// Copies the successors of each vertex.
pub struct LinkedOrient;

impl Kernel for LinkedOrient {
    type Arguments = TriangleArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, graph: TriangleArguments) {
        let rows = Rows::new(warp, graph.vertices, W::LANES);
        let mut vertex = rows.first + warp.lane();
        while vertex < rows.end {
            let mut length = 0;
            // SAFETY: below the number of records, of a linked store; a
            // vertex has no more successors than neighbours.
            unsafe {
                let record = *graph.records.add(vertex as usize);
                let offset = graph.offset(vertex);
                for_each_alone(heap, &record, |neighbour| {
                    let other = graph.offset(neighbour + 1) - graph.offset(neighbour);
                    if (other, neighbour) > (record.degree, vertex) {
                        *graph.successors.add((offset + length) as usize) = neighbour;
                        length += 1;
                    }
                });
                *graph.lists.add(vertex as usize) = List {
                    start: offset,
                    length,
                };
            }
            vertex += rows.step;
        }
    }
}
