//! The iteration over linked adjacency.

use super::{Iteration, RankArguments};
use crate::allocator::Allocator;
use crate::graph::store::linked::page::{Cursor, first};
use crate::kernel::Kernel;
use crate::simt::Warp;
use crate::simt::rows::Rows;

/// An iteration. Vertices of many neighbours are not divided among warps: a chain has one
/// beginning.
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
                    let mut position = 0;
                    while position < record.degree {
                        sum += f64::from(*ranks.contributions.add(*cursor.next() as usize));
                        position += 1;
                    }
                }
                if !record.is_absent() {
                    iteration.settle(vertex, sum);
                }
            }
            vertex += rows.step;
        }
        // SAFETY: begun above, by all lanes.
        unsafe { iteration.end(warp) };
    }
}
