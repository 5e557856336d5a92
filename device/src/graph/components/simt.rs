//! Labelling components by warps of any width.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;

use super::{ComponentArguments, NO_LABEL};
use crate::graph::store::Vertex;
use crate::kernel::PlainKernel;
use crate::simt::Warp;
use crate::simt::segments::Segments;

/// Makes each vertex' least neighbour its parent, if that is lower.
pub struct ComponentStart;

impl PlainKernel for ComponentStart {
    type Arguments = ComponentArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, graph: ComponentArguments) {
        let mut vertex = warp.thread();
        while vertex < graph.vertices {
            // SAFETY: the kernel's contract, and the vertex exists; where the degree is not
            // 0, there is an entry.
            unsafe {
                let record = graph.record(vertex);
                let mut parent = vertex;
                if record.degree > 0 {
                    let least = *record.entries();
                    parent = if least < vertex { least } else { vertex };
                }
                // Relaxed: read by later launches.
                graph.label(vertex).store(parent, Relaxed);
            }
            vertex += warp.threads();
        }
    }
}

/// Joins the trees at the two ends of each edge.
pub struct ComponentJoin;

impl PlainKernel for ComponentJoin {
    type Arguments = ComponentArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, graph: ComponentArguments) {
        let mut row = warp.warp() * W::LANES;
        while row < graph.vertices {
            let vertex = row + warp.lane();
            let mut record = Vertex::default();
            if vertex < graph.vertices {
                // SAFETY: the kernel's contract, and the vertex exists.
                record = unsafe { graph.record(vertex) };
            }
            let segments = Segments::new(warp, record.degree);
            let mut base = 0;
            while base < segments.total {
                let item = base + warp.lane();
                let (owner, position) = segments.locate(warp, item);
                let address = warp.shuffle64(W::FULL, record.address, owner);
                if item < segments.total {
                    let of = Vertex {
                        address,
                        ..Vertex::default()
                    };
                    // SAFETY: the position is below the vertex' degree; neighbours are
                    // vertices, and so are the labels, which `ComponentStart` has made.
                    unsafe {
                        let neighbour = *of.entries().add(position as usize);
                        graph.join(warp, row + owner, neighbour);
                    }
                }
                base += W::LANES;
            }
            row += warp.threads();
        }
    }
}

/// Labels each vertex with its root, and counts the roots.
pub struct ComponentEnd;

impl PlainKernel for ComponentEnd {
    type Arguments = ComponentArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, graph: ComponentArguments) {
        let mut roots = 0;
        let mut vertex = warp.thread();
        while vertex < graph.vertices {
            // SAFETY: the kernel's contract, and the vertex exists. A deleted vertex has no
            // neighbours, so that no path leads to its label.
            unsafe {
                if graph.record(vertex).is_absent() {
                    graph.label(vertex).store(NO_LABEL, Relaxed);
                } else {
                    let root = graph.root(vertex);
                    roots += u32::from(root == vertex);
                    // Relaxed: others may pass here, and go on to the root.
                    graph.label(vertex).store(root, Relaxed);
                }
            }
            vertex += warp.threads();
        }
        let roots = warp.all_sum(roots);
        if warp.lane() == 0 && roots > 0 {
            // SAFETY: the arguments' contract.
            let count = unsafe { &*graph.count.cast::<AtomicU64>() };
            // Relaxed: read after the launch.
            count.fetch_add(u64::from(roots), Relaxed);
        }
    }
}
