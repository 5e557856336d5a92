//! A view of a graph for algorithms that read contiguous adjacency: records that
//! point into an exported CSR form, whatever the layout of the store.

use crate::arguments;
use crate::graph::store::{ABSENT, Vertex};
use crate::kernel::PlainKernel;
use crate::simt::Warp;

arguments! {
    /// A store and its CSR form.
    pub struct ViewArguments {
        pointers {
            /// `vertices` records of the store.
            records: Vertex,
            /// `vertices` and one words: where the targets of each begin.
            offsets: u32,
            /// Targets.
            targets: u32,
            /// `vertices` records of the view.
            view: Vertex,
        }
        integers {
            /// Vertices.
            vertices: u32,
            /// Words from a target to its weight; 0 without weights.
            to_weights: u32,
        }
    }
}

/// Makes the records of the view.
pub struct View;

impl PlainKernel for View {
    type Arguments = ViewArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, view: ViewArguments) {
        let mut vertex = warp.thread();
        while vertex < view.vertices {
            let at = vertex as usize;
            // SAFETY: below the number of records, and an offset of the
            // targets.
            unsafe {
                let start = *view.offsets.add(at);
                let degree = *view.offsets.add(at + 1) - start;
                let absent = (*view.records.add(at)).is_absent();
                view.view.add(at).write(Vertex {
                    address: view.targets.add(start as usize).expose_provenance() as u64,
                    degree,
                    capacity: match (absent, view.to_weights) {
                        (true, _) => ABSENT,
                        (false, 0) => degree,
                        (false, to_weights) => to_weights,
                    },
                });
            }
            vertex += warp.threads();
        }
    }
}
