//! The orientation of linked adjacency.

use super::{List, TriangleArguments};
use crate::device_heap::DeviceHeap;
use crate::graph::store::linked::page::{Cursor, first};
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
            // SAFETY: below the number of records, whose chains have `degree` neighbours; a
            // vertex has no more successors than neighbours.
            unsafe {
                let record = *graph.records.add(vertex as usize);
                let offset = graph.offset(vertex);
                if record.degree > 0 {
                    let mut cursor = Cursor::new(heap, first(&record), 0);
                    let mut position = 0;
                    while position < record.degree {
                        let neighbour = *cursor.next();
                        let other = graph.offset(neighbour + 1) - graph.offset(neighbour);
                        if (other, neighbour) > (record.degree, vertex) {
                            *graph.successors.add((offset + length) as usize) = neighbour;
                            length += 1;
                        }
                        position += 1;
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
