//! The closest hit of a ray in a finished tree, and whether there is any.
//!
//! Invariant: the answer is that of testing every triangle of the scene, except the one
//! that the ray leaves, with [`Ray::hit`], bit for bit, whatever the tree. A leaf applies the two
//! halves of that function. The lower triangle decides equal parameters, and no triangle that could
//! win is left out: a hit at `t` lies within the ray's margin of a point of its triangle, that
//! point is in a leaf that refers to the triangle, and with all planes thickened by the margin the
//! ray is in that leaf at `t`. So leaves are skipped only if the ray misses them thickened, or
//! enters them behind the best hit so far.
//!
//! For [`Tree::any_hit`] a limit takes the place of the best hit: a hit that is not behind the
//! limit is in a leaf that the ray enters no later, so leaves that it enters behind the limit
//! are skipped and no others. The answer does not depend on which hit is found first.

use core::hint::select_unpredictable;
use core::mem::MaybeUninit;

use super::ray::Ray;
use super::search::{Any, Closest, Counter, Hit, Search, Uncounted};
use crate::kdtree::bounds::{Bounds, Triangle};
use crate::kdtree::node::Node;
use crate::kdtree::thresholds::MAX_DEPTH;

/// The deepest tree that can be traversed: the maximum number of interior nodes above a leaf.
pub const MAX_TRAVERSAL_DEPTH: usize = MAX_DEPTH as usize;

/// Whether a ray looks whether its near child is an empty leaf before it puts the far one on the
/// stack, to go on there at once: of forty nodes that a ray visits in a scan six are such leaves.
/// A CPU has the near child in its cache, and pictures of the scan take 4 to 9 % less. On a GPU
/// lanes wait for each other instead: where parents said which child is an empty leaf, pictures
/// took 4 to 19 % longer, and secondary rays 13 to 34 %.
const LOOKS_AHEAD: bool = cfg!(not(target_arch = "nvptx64"));

/// Whether a ray chooses its near child without a branch, as lanes of a GPU should. A CPU
/// predicts the branch, and reads the next node before it knows: without it pictures take up to
/// 1.5 times as long.
const CHOOSES: bool = cfg!(target_arch = "nvptx64");

/// A finished tree and its scene: whole, so that its pointers, right children and
/// references lead to memory that holds what they refer to.
#[derive(Clone, Copy, Debug)]
pub struct Tree {
    nodes: *const Node,
    references: *const u32,
    triangles: *const Triangle,
    bounds: Bounds,
}

/// A triangle of a scene, by its number.
///
/// Invariant: the scene that whoever made it argued about has a triangle of this number. It is used
/// with that scene's tree and materials alone.
#[derive(Clone, Copy, Debug)]
pub struct SceneTriangle(u32);

impl SceneTriangle {
    /// The triangle of this number.
    ///
    /// # Safety
    ///
    /// The scene has it: a ray hits it, or the scene's own tables name it.
    #[inline(always)]
    pub unsafe fn new(number: u32) -> Self {
        Self(number)
    }

    /// The number, as an index.
    #[inline(always)]
    pub fn index(self) -> usize {
        self.0 as usize
    }
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
    length: u32,
}

impl TraversalStack<'_> {
    /// Pushes; nothing happens if the stack is full, which the bound on the
    /// tree's depth rules out.
    #[inline(always)]
    fn push(&mut self, later: NodeToVisit) {
        if self.length < MAX_TRAVERSAL_DEPTH as u32 {
            let entry = self.entries.as_mut_ptr().wrapping_add(self.length as usize);
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
        let entry = self.entries.as_ptr().wrapping_add(self.length as usize);
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
    /// change. There is at least one node, and no leaf is deeper than [`MAX_TRAVERSAL_DEPTH`].
    /// Right children are nodes, the references of leaves are there, and they name triangles.
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

    /// A triangle of the tree's scene.
    #[inline(always)]
    pub fn triangle(&self, triangle: SceneTriangle) -> &Triangle {
        // SAFETY: the contract of `new`: the scene's triangles are there, and this is one of them.
        unsafe { &*self.triangles.add(triangle.index()) }
    }

    /// The closest hit of `ray`, made with the tree's bounds.
    ///
    /// It visits each node at most once, so it ends for every ray.
    #[inline(always)]
    pub fn closest_hit(&self, ray: &Ray) -> Hit {
        self.closest_hit_counted(ray, &mut Uncounted)
    }

    /// The same, and what was visited on the way.
    #[inline(always)]
    pub fn closest_hit_counted<C: Counter>(&self, ray: &Ray, counter: &mut C) -> Hit {
        let mut closest = Closest {
            best: Hit::NONE,
            counter,
        };
        self.traverse(ray, &mut closest);
        closest.best
    }

    /// Whether `ray`, made with the tree's bounds, hits a triangle at a parameter of at most
    /// `farthest`, which is a number or infinite.
    #[inline(always)]
    pub fn any_hit(&self, ray: &Ray, farthest: f32) -> bool {
        let mut any = Any {
            farthest,
            is_found: false,
        };
        self.traverse(ray, &mut any);
        any.is_found
    }

    /// Visits the leaves that a ray passes, near ones first, until the search ends.
    #[inline(always)]
    fn traverse<S: Search>(&self, ray: &Ray, search: &mut S) {
        let mut stack = TraversalStack {
            entries: &mut [MaybeUninit::uninit(); MAX_TRAVERSAL_DEPTH],
            length: 0,
        };
        let (mut enter, leave) = ray.span(&self.bounds);
        let farthest = search.farthest();
        let mut leave = if farthest < leave { farthest } else { leave };
        let mut index = 0;
        if enter > leave {
            return;
        }
        loop {
            search.visit();
            // SAFETY: the contract of `new`: this is the root, or a child of a node.
            let node = unsafe { self.nodes.add(index as usize).read() };
            if node.is_leaf() {
                // SAFETY: the node is a leaf of the tree.
                let is_over = unsafe { self.search_leaf(ray, node, search) };
                if is_over {
                    return;
                }
                // Subtrees behind the hit are skipped.
                loop {
                    let Some(later) = stack.pop() else {
                        return;
                    };
                    if later.enter > search.farthest() {
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
            let (near, far, near_leave, far_enter) = if CHOOSES {
                (
                    select_unpredictable(upwards, index + 1, node.right()),
                    select_unpredictable(upwards, node.right(), index + 1),
                    select_unpredictable(upwards, upper, lower),
                    select_unpredictable(upwards, lower, upper),
                )
            } else if upwards {
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
            // The far child would be taken off the stack after an empty leaf, unless it is behind
            // the hit.
            let is_behind = far_enter > search.farthest();
            if LOOKS_AHEAD && !skip_far && !is_behind {
                // SAFETY: the contract of `new`: a child of a node.
                let node = unsafe { self.nodes.add(near as usize).read() };
                if node.is_leaf() && node.references() == 0 {
                    search.visit();
                    index = far;
                    enter = far_enter;
                    continue;
                }
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

    /// Tests the triangles of a leaf; whether the search is over.
    ///
    /// # Safety
    ///
    /// `leaf` is a leaf of the tree.
    #[inline(always)]
    unsafe fn search_leaf<S: Search>(&self, ray: &Ray, leaf: Node, search: &mut S) -> bool {
        let mut reference = leaf.first_reference();
        let end = reference + leaf.references();
        while reference != end {
            // SAFETY: the contract of `new`: the references of a leaf are there, and name triangles.
            let (triangle, corners) = unsafe {
                let triangle = self.references.add(reference as usize).read();
                (triangle, self.triangle(SceneTriangle::new(triangle)))
            };
            reference += 1;
            search.test();
            let is_missed = ray.surely_misses(corners);
            if is_missed || triangle == ray.excluded_triangle || search.has(triangle) {
                continue;
            }
            if let Some(t) = ray.exact_hit(corners)
                && search.found(triangle, t)
            {
                return true;
            }
        }
        false
    }
}
