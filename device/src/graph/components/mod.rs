//! Connected components (weakly connected ones of directed graphs).
//!
//! Union-find without locks: every vertex has a parent that is not above it,
//! and the roots are their own parents. An edge joins two trees by hanging the
//! higher root below the lower one, if it is still a root; the components'
//! least vertices are the last roots, whatever the order. Parents only ever
//! decrease, towards the root, so outdated ones lead there too: relaxed accesses
//! suffice, and each exchange that fails is another thread's success.
//!
//! Traffic: each entry is read once, and its two parents.

#[cfg(not(target_arch = "nvptx64"))]
pub(super) mod plan;

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::{AtomicU32, AtomicU64};

use crate::arguments;
use crate::graph::store::Vertex;
use crate::kernel::PlainKernel;
use crate::simt::Warp;
use crate::simt::segments::Segments;

/// The label of a vertex that was deleted.
pub const NO_LABEL: u32 = u32::MAX;

arguments! {
    /// A computation of components.
    pub struct ComponentArguments {
        pointers {
            /// `vertices` records; of the out-neighbours, if there is a choice.
            records: Vertex,
            /// A word for each vertex: its parent, in the end its component's
            /// least vertex.
            labels: u32,
            /// The number of components, 0 before the first launch.
            count: u64,
        }
        integers {
            /// Vertices.
            vertices: u32,
        }
    }
}

impl ComponentArguments {
    #[inline(always)]
    fn label(&self, vertex: u32) -> &AtomicU32 {
        // SAFETY: below the number of vertices.
        unsafe { &*self.labels.add(vertex as usize).cast::<AtomicU32>() }
    }

    #[inline(always)]
    fn record(&self, vertex: u32) -> Vertex {
        // SAFETY: below the number of vertices.
        unsafe { *self.records.add(vertex as usize) }
    }

    /// The root of a vertex' tree, which may have stopped being one. Hangs what
    /// it passes one step higher.
    #[inline(always)]
    fn root(&self, mut vertex: u32) -> u32 {
        let mut parent = self.label(vertex).load(Relaxed);
        // Each turn goes to a lower vertex.
        while parent != vertex {
            let higher = self.label(parent).load(Relaxed);
            if higher != parent {
                self.label(vertex).fetch_min(higher, Relaxed);
            }
            vertex = parent;
            parent = higher;
        }
        vertex
    }

    /// Joins the trees of two vertices.
    #[inline(always)]
    fn join<W: Warp>(&self, warp: W, one: u32, other: u32) {
        let (mut one, mut other) = (self.root(one), self.root(other));
        while one != other {
            let (low, high) = if one < other {
                (one, other)
            } else {
                (other, one)
            };
            let held = self.label(high).compare_exchange(high, low, Relaxed);
            if held == high {
                return;
            }
            warp.back_off();
            one = self.root(low);
            other = self.root(held);
        }
    }
}

/// Makes each vertex' least neighbour its parent, if that is lower.
pub struct ComponentStart;

impl PlainKernel for ComponentStart {
    type Arguments = ComponentArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, graph: ComponentArguments) {
        let mut vertex = warp.thread();
        while vertex < graph.vertices {
            let record = graph.record(vertex);
            let mut parent = vertex;
            if record.degree > 0 {
                // SAFETY: there is an entry.
                let least = unsafe { *record.entries() };
                parent = if least < vertex { least } else { vertex };
            }
            // Relaxed: read by later launches.
            graph.label(vertex).store(parent, Relaxed);
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
                record = graph.record(vertex);
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
                    // SAFETY: the position is below the vertex' degree.
                    let neighbour = unsafe { *of.entries().add(position as usize) };
                    graph.join(warp, row + owner, neighbour);
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
            if graph.record(vertex).is_absent() {
                graph.label(vertex).store(NO_LABEL, Relaxed);
            } else {
                let root = graph.root(vertex);
                roots += u32::from(root == vertex);
                // Relaxed: others may pass here, and go on to the root.
                graph.label(vertex).store(root, Relaxed);
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
