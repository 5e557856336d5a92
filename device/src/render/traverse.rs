//! The closest hit of a ray in a finished tree.
//!
//! Invariant: the answer is that of testing every triangle of the scene with
//! [`Ray::hit`], bit for bit, whatever the tree. Equal parameters are decided
//! by the lower triangle, and no triangle that could win is left out: a hit at
//! `t` lies within the ray's margin of a point of its triangle, that point is
//! in a leaf that refers to the triangle, and with all planes thickened by the
//! margin the ray is in that leaf at `t`. So leaves are skipped only if the ray
//! misses them thickened, or enters them behind the best hit so far.

use core::mem::MaybeUninit;

use super::ray::Ray;
use crate::kdtree::bounds::{Bounds, Triangle};
use crate::kdtree::node::Node;

/// The deepest tree that can be traversed: the most interior nodes above a leaf.
pub const MAX_TRAVERSAL_DEPTH: usize = 96;

/// What a ray hits first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Number of the triangle, or `u32::MAX` for none.
    pub triangle: u32,
    /// The parameter: the hit is at `origin + t * direction`. Infinite for none.
    pub t: f32,
}

impl Hit {
    /// No hit.
    pub const NONE: Self = Self {
        triangle: u32::MAX,
        t: f32::INFINITY,
    };

    /// Whether the ray hits anything.
    #[inline(always)]
    pub fn is_some(self) -> bool {
        self.triangle != u32::MAX
    }

    /// The first of this hit and the one of `triangle` at `t`.
    #[inline(always)]
    pub fn or_closer(self, triangle: u32, t: f32) -> Self {
        if t < self.t || (t == self.t && triangle < self.triangle) {
            Self { triangle, t }
        } else {
            self
        }
    }
}

/// A finished tree and its scene: whole, so that its pointers, right children and
/// references lead to memory that holds what they refer to.
#[derive(Clone, Copy, Debug)]
pub struct Tree {
    nodes: *const Node,
    references: *const u32,
    triangles: *const Triangle,
    bounds: Bounds,
}

/// A subtree to visit later, and the parameters between which the ray is in it.
#[derive(Clone, Copy)]
struct NodeToVisit {
    node: u32,
    enter: f32,
    leave: f32,
}

/// The subtrees to visit later, the nearest on top.
///
/// On the GPU the entries are local memory of the lane, which its L1 cache
/// holds. They are borrowed so that the length can stay in a register.
struct TraversalStack<'a> {
    entries: &'a mut [MaybeUninit<NodeToVisit>; MAX_TRAVERSAL_DEPTH],
    length: usize,
}

impl TraversalStack<'_> {
    /// Pushes; nothing happens if the stack is full, which the bound on the
    /// tree's depth rules out.
    #[inline(always)]
    fn push(&mut self, later: NodeToVisit) {
        if self.length < MAX_TRAVERSAL_DEPTH {
            let entry = self.entries.as_mut_ptr().wrapping_add(self.length);
            // SAFETY: `length` is within the array.
            unsafe { (*entry).write(later) };
            self.length += 1;
        }
    }

    #[inline(always)]
    fn pop(&mut self) -> Option<NodeToVisit> {
        if self.length == 0 {
            return None;
        }
        self.length -= 1;
        let entry = self.entries.as_ptr().wrapping_add(self.length);
        // SAFETY: entries below the old length were written by `push`.
        Some(unsafe { (*entry).assume_init_read() })
    }
}

impl Tree {
    /// The tree at these addresses: nodes in depth-first order, the references of leaves,
    /// the scene's triangles, and a box around all triangles.
    ///
    /// # Safety
    ///
    /// While this value or a copy of it is in use, the memory can be read and does not
    /// change. There is at least one node, and no leaf is deeper than [`MAX_TRAVERSAL_DEPTH`]. Right
    /// children are nodes, the references of leaves are there, and they name triangles.
    #[inline(always)]
    pub unsafe fn new(
        nodes: *const Node,
        references: *const u32,
        triangles: *const Triangle,
        bounds: Bounds,
    ) -> Self {
        Self {
            nodes,
            references,
            triangles,
            bounds,
        }
    }

    /// A triangle of the scene.
    ///
    /// # Safety
    ///
    /// A leaf refers to it.
    #[inline(always)]
    pub unsafe fn triangle(&self, triangle: u32) -> Triangle {
        // SAFETY: the contract of `new` and the caller's promise.
        unsafe { self.triangles.add(triangle as usize).read() }
    }

    /// The closest hit of `ray`, made with the tree's bounds.
    ///
    /// It visits each node at most once, so it ends for every ray.
    #[inline(always)]
    pub fn closest_hit(&self, ray: &Ray) -> Hit {
        let mut best = Hit::NONE;
        let mut stack = TraversalStack {
            entries: &mut [MaybeUninit::uninit(); MAX_TRAVERSAL_DEPTH],
            length: 0,
        };
        let (mut enter, mut leave) = ray.span(&self.bounds);
        let mut index = 0;
        if enter > leave {
            return best;
        }
        loop {
            // SAFETY: the contract of `new`: this is the root, or a child of a node.
            let node = unsafe { self.nodes.add(index as usize).read() };
            if node.is_leaf() {
                // SAFETY: the node is a leaf of the tree.
                best = unsafe { self.closest_in_leaf(ray, node, best) };
                // Subtrees behind the hit are skipped.
                loop {
                    let Some(later) = stack.pop() else {
                        return best;
                    };
                    if later.enter > best.t {
                        continue;
                    }
                    NodeToVisit {
                        node: index,
                        enter,
                        leave,
                    } = later;
                    break;
                }
                continue;
            }

            let (lower, upper, upwards) = ray.crossing(node.axis(), node.position());
            // The near child ends at the plane's far face and the far child
            // begins at its near face.
            let (near, far, near_leave, far_enter) = if upwards {
                (index + 1, node.right(), upper, lower)
            } else {
                (node.right(), index + 1, lower, upper)
            };
            // A NaN fails every comparison: both children are visited, with
            // the parent's parameters.
            let skip_near = near_leave < enter;
            let skip_far = far_enter > leave;
            let far_enter = if far_enter > enter { far_enter } else { enter };
            if skip_near {
                index = far;
                enter = far_enter;
                continue;
            }
            if !skip_far {
                stack.push(NodeToVisit {
                    node: far,
                    enter: far_enter,
                    leave,
                });
            }
            index = near;
            leave = if near_leave < leave {
                near_leave
            } else {
                leave
            };
        }
    }

    /// The closest of `best` and the hits in a leaf.
    ///
    /// # Safety
    ///
    /// `leaf` is a leaf of the tree.
    #[inline(always)]
    unsafe fn closest_in_leaf(&self, ray: &Ray, leaf: Node, mut best: Hit) -> Hit {
        for offset in 0..leaf.references() {
            // SAFETY: the contract of `new` and the caller's promise.
            let (triangle, t) = unsafe {
                let reference = leaf.first_reference() as usize + offset as usize;
                let triangle = self.references.add(reference).read();
                (triangle, ray.hit(self.triangles.add(triangle as usize)))
            };
            if let Some(t) = t {
                best = best.or_closer(triangle, t);
            }
        }
        best
    }
}
