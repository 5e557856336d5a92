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
pub mod plan;
mod simt;

pub use simt::{ComponentEnd, ComponentJoin, ComponentStart};

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU32;

use crate::arguments;
use crate::graph::store::Vertex;
use crate::simt::Warp;

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
    /// The label of a vertex.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds, and the vertex exists.
    #[inline(always)]
    unsafe fn label(&self, vertex: u32) -> &AtomicU32 {
        // SAFETY: the caller's promise.
        unsafe { &*self.labels.add(vertex as usize).cast::<AtomicU32>() }
    }

    /// The record of a vertex.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds, and the vertex exists.
    #[inline(always)]
    unsafe fn record(&self, vertex: u32) -> Vertex {
        // SAFETY: the caller's promise.
        unsafe { *self.records.add(vertex as usize) }
    }

    /// The root of a vertex' tree, which may have stopped being one. Halves the path that
    /// it follows.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds, the vertex exists, and so do all labels.
    #[inline(always)]
    unsafe fn root(&self, mut vertex: u32) -> u32 {
        // SAFETY: the caller's promise; labels are vertices.
        unsafe {
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
    }

    /// Joins the trees of two vertices.
    ///
    /// # Safety
    ///
    /// As for `root`.
    #[inline(always)]
    unsafe fn join<W: Warp>(&self, warp: W, one: u32, other: u32) {
        // SAFETY: the caller's promise; roots are vertices.
        unsafe {
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
}
