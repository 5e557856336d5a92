//! The forest of the union-find: a word for each vertex, its parent.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU32;

use crate::simt::Warp;

/// Parents of vertices. A vertex that was deleted has [`NO_LABEL`](super::NO_LABEL) in the
/// place of one, once labels were computed.
#[derive(Clone, Copy)]
pub struct Forest {
    /// A word for each vertex, accessed as an atomic one.
    pub labels: *mut u32,
}

impl Forest {
    /// The label of a vertex.
    ///
    /// # Safety
    ///
    /// There is a word for the vertex.
    #[inline(always)]
    pub unsafe fn label(&self, vertex: u32) -> &AtomicU32 {
        // SAFETY: the caller's promise.
        unsafe { &*self.labels.add(vertex as usize).cast::<AtomicU32>() }
    }

    /// The root of a vertex' tree, which may have stopped being one. Halves the path that
    /// it follows.
    ///
    /// # Safety
    ///
    /// There is a word for the vertex, and so there is for all labels on the path from it.
    #[inline(always)]
    pub unsafe fn root(&self, mut vertex: u32) -> u32 {
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
    pub unsafe fn join<W: Warp>(&self, warp: W, one: u32, other: u32) {
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
