//! Distances that are carried along while the graph changes, instead of being found anew.
//!
//! Each vertex has a *parent*: the least neighbour with a lesser distance through which its own comes
//! about. Parents form trees, since distances fall along them. After any changes of the graph a distance
//! still holds, or is too large, if all edges from the source down the tree are there and none is
//! longer. Other distances are *raised*: they are no longer known. A vertex whose distance comes about
//! by edges of no length only has no parent, and is raised each time.
//!
//! - `TreeSupport` looks for the edge from each vertex' parent. A vertex without it is a root that is
//!   marked.
//! - `TreeJump`, again and again, takes each vertex to its parent's parent, until all are at roots: those
//!   at a marked one are raised. Each launch halves the way, so that as many suffice as there are bits in
//!   the number of vertices.
//! - `TreeResume` makes all vertices near whose distance still holds, and steps of the search go on: the
//!   first one relaxes all of their edges, and finds the ones that were inserted or became shorter.
//! - `TreeStart` and `TreeParents` find the parents anew.
//!
//! The distances found are exact. Each that is not raised is at least the least sum, since a path of the
//! tree has a sum that is not greater; from there the relaxation comes to its least fixed point.
//!
//! Traffic: for each vertex three times its record and distance, a search in its parent's row and some
//! ten words; for each edge twice what a step of the search takes. Only what is raised or becomes less is
//! work for further steps.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU32;

use super::found::Found;
use super::{CHUNK, Paths, SsspArguments, UNREACHED, word};
use crate::graph::store::{VertexId, lower_bound};
use crate::kernel::PlainKernel;
use crate::simt::Warp;
use crate::simt::segments::Segments;

/// The parent of a vertex that has none.
pub const NO_PARENT: u32 = u32::MAX;

/// The bit of a marked root: there are at most 2^31 vertices.
const MARK: u32 = 1 << 31;

impl Paths {
    /// The parent of a vertex.
    #[inline(always)]
    fn parent(&self, vertex: VertexId) -> &AtomicU32 {
        // SAFETY: each vertex has one, accessed as an atomic word.
        unsafe { &*self.parents.add(vertex.index()).cast::<AtomicU32>() }
    }

    /// The ancestor that a vertex has come to, with a mark if it is a root that is raised.
    #[inline(always)]
    fn ancestor(&self, vertex: VertexId) -> &AtomicU32 {
        // SAFETY: each vertex has one, accessed as an atomic word.
        unsafe { &*self.ancestors.add(vertex.index()).cast::<AtomicU32>() }
    }

    /// Whether the distance of a vertex still comes about through its parent, or is too large. A source
    /// needs none.
    #[inline(always)]
    fn is_supported(&self, vertex: VertexId, distance: u64) -> bool {
        // Relaxed, here and below: written by launches before.
        let parent = self.parent(vertex).load(Relaxed);
        if vertex.number() == self.source {
            return true;
        }
        if parent == NO_PARENT {
            return false;
        }
        // SAFETY: a parent is a vertex; its entries are below its degree, and each has a weight behind
        // the room for entries.
        unsafe {
            let parent = VertexId::new(parent);
            let row = self.row(parent);
            let entries = row.entries();
            let place = lower_bound(entries, 0, row.degree, vertex.number());
            if place == row.degree || *entries.add(place as usize) != vertex.number() {
                return false;
            }
            let weight = *entries.add(row.capacity as usize + place as usize);
            self.sum(self.distance(parent).load(Relaxed), weight) <= distance
        }
    }
}

/// Marks the vertices that have lost the edge from their parent.
pub struct TreeSupport;

impl PlainKernel for TreeSupport {
    type Arguments = SsspArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, paths: SsspArguments) {
        // SAFETY: the kernel's contract.
        let paths = unsafe { Paths::new(paths) };
        let mut index = warp.thread();
        while index < paths.vertices {
            // SAFETY: below the number of vertices.
            let vertex = unsafe { VertexId::new(index) };
            // Relaxed, here and below: written by launches before, and read by later ones.
            let distance = paths.distance(vertex).load(Relaxed);
            let ancestor = if distance == UNREACHED || index == paths.source {
                index
            } else if paths.is_supported(vertex, distance) {
                paths.parent(vertex).load(Relaxed)
            } else {
                index | MARK
            };
            paths.ancestor(vertex).store(ancestor, Relaxed);
            index += warp.threads();
        }
        if warp.warp() == 0 {
            let mut index = warp.lane();
            while index < word::COUNT as u32 {
                // The first launch of `TreeJump` is to go on.
                let jumped = index == word::JUMPED as u32;
                paths.word(index).store(jumped.into(), Relaxed);
                index += W::LANES;
            }
        }
    }
}

/// Takes each vertex to the ancestor of its ancestor; does nothing once all are at roots.
pub struct TreeJump;

impl PlainKernel for TreeJump {
    type Arguments = SsspArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, paths: SsspArguments) {
        // SAFETY: the kernel's contract.
        let paths = unsafe { Paths::new(paths) };
        let jumped = |launch: u32| paths.word(word::JUMPED as u32 + launch % 3);
        if warp.thread() == 0 {
            // Relaxed, here and below: no launch reads it before the next.
            jumped(paths.launch + 1).store(0, Relaxed);
        }
        if jumped(paths.launch - 1).load(Relaxed) == 0 {
            return;
        }
        let mut jumps = false;
        let mut index = warp.thread();
        while index < paths.vertices {
            // SAFETY: below the number of vertices, as ancestors are.
            unsafe {
                let vertex = VertexId::new(index);
                // Relaxed, here and below: an ancestor is one, be it read before or after it was
                // written in this launch, and only this lane writes that of its vertex.
                let ancestor = paths.ancestor(vertex).load(Relaxed);
                if ancestor & MARK == 0 {
                    let next = paths.ancestor(VertexId::new(ancestor)).load(Relaxed);
                    if next != ancestor {
                        paths.ancestor(vertex).store(next, Relaxed);
                        jumps = true;
                    }
                }
            }
            index += warp.threads();
        }
        if warp.ballot(W::FULL, jumps) != 0 && warp.lane() == 0 {
            jumped(paths.launch).store(1, Relaxed);
        }
    }
}

/// Raises the distances of vertices at marked roots, and makes the others near that were reached.
pub struct TreeResume;

impl PlainKernel for TreeResume {
    type Arguments = SsspArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, paths: SsspArguments) {
        // SAFETY: the kernel's contract.
        let paths = unsafe { Paths::new(paths) };
        let mut found = Found::new(&paths, 0, 0);
        let mut raised = 0;
        let mut first = warp.warp() * W::LANES;
        while first < paths.vertices {
            let index = first + warp.lane();
            let (mut is_raised, mut is_near) = (false, false);
            if index < paths.vertices {
                // SAFETY: below the number of vertices.
                unsafe {
                    let vertex = VertexId::new(index);
                    // Relaxed, here and below: read by later launches.
                    is_raised = paths.ancestor(vertex).load(Relaxed) & MARK != 0;
                    if is_raised {
                        paths.distance(vertex).store(UNREACHED, Relaxed);
                    }
                    is_near = paths.distance(vertex).load(Relaxed) != UNREACHED;
                    paths.piled(vertex).store(0, Relaxed);
                    paths.clear_stamp(vertex);
                }
            }
            raised += warp.ballot(W::FULL, is_raised).count_ones();
            // SAFETY: each vertex is one lane's, and exists where it is near.
            unsafe {
                found.make_room(warp);
                found.add_near(warp, is_near, index);
            }
            first += warp.threads();
        }
        // SAFETY: as above.
        unsafe { found.end(warp) };
        // Relaxed: read after the launch.
        if warp.lane() == 0 && raised > 0 {
            let word = paths.word(word::RAISED as u32);
            word.fetch_add(raised.into(), Relaxed);
        }
        if warp.thread() == 0 {
            // The bound is 0: whatever becomes less is far, so that near vertices are the least ones.
            paths.frontier::<{ word::STEP }>(1).store(1, Relaxed);
        }
    }
}

/// Lists the rows of the vertices that were reached, and forgets all parents.
pub struct TreeStart;

impl PlainKernel for TreeStart {
    type Arguments = SsspArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, paths: SsspArguments) {
        // SAFETY: the kernel's contract.
        let paths = unsafe { Paths::new(paths) };
        let mut found = Found::new(&paths, 0, 0);
        let mut first = warp.warp() * W::LANES;
        while first < paths.vertices {
            let index = first + warp.lane();
            let mut is_reached = false;
            if index < paths.vertices {
                // SAFETY: below the number of vertices.
                let vertex = unsafe { VertexId::new(index) };
                // Relaxed: written by launches before, and read by later ones.
                is_reached = paths.distance(vertex).load(Relaxed) != UNREACHED;
                paths.parent(vertex).store(NO_PARENT, Relaxed);
                paths.clear_stamp(vertex);
            }
            // SAFETY: each vertex is one lane's, and exists where it was reached.
            unsafe {
                found.make_room(warp);
                found.add_near(warp, is_reached, index);
            }
            first += warp.threads();
        }
        // SAFETY: as above.
        unsafe { found.end(warp) };
    }
}

/// Finds the parents of all vertices along the rows that `TreeStart` has listed.
pub struct TreeParents;

impl TreeParents {
    /// Gives the end of an edge its source as a parent, if the distance comes about so.
    ///
    /// # Safety
    ///
    /// The edge is one of the graph.
    #[inline(always)]
    unsafe fn offer(paths: &Paths, source: u32, distance: u64, (target, weight): (u32, u32)) {
        // SAFETY: the target is a vertex.
        let target = unsafe { VertexId::new(target) };
        // Relaxed: the last launch has found the distances.
        let of_target = paths.distance(target).load(Relaxed);
        if distance < of_target && paths.sum(distance, weight) == of_target {
            // Relaxed: later launches read the minimum. Mostly there is no lesser one yet.
            paths.parent(target).fetch_min(source, Relaxed);
        }
    }
}

impl PlainKernel for TreeParents {
    type Arguments = SsspArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, paths: SsspArguments) {
        // SAFETY: the kernel's contract.
        let paths = unsafe { Paths::new(paths) };
        // Relaxed: counted by the launch before.
        let near = paths.frontier::<{ word::NEAR }>(0).load(Relaxed) as u32;
        let list = paths.near(1);
        let mut first = warp.warp() * W::LANES;
        while first < near {
            let place = first + warp.lane();
            let (mut address, mut to_weight, mut length) = (0, 0, 0);
            let (mut vertex, mut distance) = (0, 0);
            if place < near {
                // SAFETY: the launch before has listed chunks of rows that exist.
                unsafe {
                    let chunk = *list.add(place as usize);
                    let id = VertexId::new(chunk as u32);
                    let row = paths.row(id);
                    let from = (chunk >> 32) as u32 * CHUNK;
                    let left = row.degree - from;
                    (vertex, length) = (id.number(), if left < CHUNK { left } else { CHUNK });
                    (address, to_weight) = (row.address + 4 * u64::from(from), row.capacity);
                    // Relaxed: found by launches before.
                    distance = paths.distance(id).load(Relaxed);
                }
            }
            let segments = Segments::new(warp, length);
            let mut base = 0;
            while base < segments.total {
                let item = base + warp.lane();
                let (owner, position) = segments.locate(warp, item);
                let address = warp.shuffle64(W::FULL, address, owner);
                let to_weight = warp.shuffle(W::FULL, to_weight, owner);
                let distance = warp.shuffle64(W::FULL, distance, owner);
                let vertex = warp.shuffle(W::FULL, vertex, owner);
                if item < segments.total {
                    let entry = core::ptr::with_exposed_provenance::<u32>(address as usize)
                        .wrapping_add(position as usize);
                    // SAFETY: the position is below the length of that chunk; an entry has a weight.
                    unsafe {
                        let edge = (*entry, *entry.wrapping_add(to_weight as usize));
                        Self::offer(&paths, vertex, distance, edge);
                    }
                }
                base += W::LANES;
            }
            first += warp.threads();
        }
    }
}
