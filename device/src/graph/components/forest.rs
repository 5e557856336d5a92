//! The forest of the union-find: a word for each vertex, its parent.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU32;

use crate::graph::store::VertexId;
use crate::simt::Warp;

/// Parents of vertices. A vertex that was deleted has [`NO_LABEL`](super::NO_LABEL) in the
/// place of one, once labels were computed.
///
/// Invariant: there is a word for each vertex, accessed as an atomic one. Labels are vertices, or
/// [`NO_LABEL`](super::NO_LABEL).
#[derive(Clone, Copy)]
pub struct Forest(*mut u32);

impl Forest {
    /// The forest of these labels.
    ///
    /// # Safety
    ///
    /// The invariant holds while this value is in use.
    #[inline(always)]
    pub unsafe fn new(labels: *mut u32) -> Self {
        Self(labels)
    }

    /// The label of a vertex.
    #[inline(always)]
    pub fn label(&self, vertex: VertexId) -> &AtomicU32 {
        // SAFETY: there is a word for each vertex.
        unsafe { &*self.0.add(vertex.index()).cast::<AtomicU32>() }
    }

    /// The parent of a vertex.
    ///
    /// # Safety
    ///
    /// The label of the vertex is not that of a deleted one.
    #[inline(always)]
    unsafe fn parent(&self, vertex: VertexId) -> VertexId {
        // SAFETY: other labels are vertices.
        unsafe { VertexId::new(self.label(vertex).load(Relaxed)) }
    }

    /// The root of a vertex' tree, which may have stopped being one. Halves the path that
    /// it follows.
    ///
    /// # Safety
    ///
    /// As for `parent`: then all vertices on the path have such labels.
    #[inline(always)]
    pub unsafe fn root(&self, mut vertex: VertexId) -> VertexId {
        // SAFETY: a vertex on the path, here and below.
        let mut parent = unsafe { self.parent(vertex) };
        // Each turn goes to a lower vertex.
        while parent != vertex {
            // SAFETY: as above.
            let higher = unsafe { self.parent(parent) };
            if higher != parent {
                self.label(vertex).fetch_min(higher.number(), Relaxed);
            }
            vertex = parent;
            parent = higher;
        }
        vertex
    }

    /// Joins the trees of two vertices.
    ///
    /// # Safety
    ///
    /// As for `root`, of both.
    #[inline(always)]
    pub unsafe fn join<W: Warp>(&self, warp: W, one: VertexId, other: VertexId) {
        // SAFETY: roots, and what was exchanged for them, have paths.
        unsafe {
            let (mut one, mut other) = (self.root(one), self.root(other));
            while one != other {
                let (low, high) = if one < other {
                    (one, other)
                } else {
                    (other, one)
                };
                let (own, lower) = (high.number(), low.number());
                let held = self.label(high).compare_exchange(own, lower, Relaxed);
                if held == own {
                    return;
                }
                warp.back_off();
                one = self.root(low);
                other = self.root(VertexId::new(held));
            }
        }
    }
}
