//! The distances along the tree after the graph has changed.

use core::sync::atomic::Ordering::Relaxed;

use super::{Climb, NO_PARENT, PathTreeArguments, Tree, word};
use crate::graph::paths::UNREACHED;
use crate::graph::paths::edge::NearRow;
use crate::graph::paths::found::Found;
use crate::graph::store::{VertexId, lower_bound};
use crate::kernel::PlainKernel;
use crate::simt::Warp;

impl Tree {
    /// By how much the edge from its parent changes the distance of a vertex; `None` if that edge is
    /// gone, or the change is too large for a word.
    #[inline(always)]
    fn change(&self, vertex: VertexId, distance: u64, parent: u32) -> Option<u32> {
        if parent == NO_PARENT {
            return None;
        }
        let paths = &self.paths;
        // SAFETY: a parent is a vertex; its entries are below its degree, and each has a weight behind
        // the room for entries.
        let sum = unsafe {
            let parent = VertexId::new(parent);
            let row = paths.row(parent);
            let entries = row.entries();
            let place = lower_bound(entries, 0, row.degree, vertex.number());
            if place == row.degree || *entries.add(place as usize) != vertex.number() {
                return None;
            }
            let weight = *entries.add(row.capacity as usize + place as usize);
            // Relaxed: written by launches before.
            paths.sum(paths.distance(parent).load(Relaxed), weight)
        };
        if paths.is_real {
            return if sum <= distance { Some(0) } else { None };
        }
        // Both are below 2^63.
        let change = sum as i64 - distance as i64;
        let word = change as i32;
        if i64::from(word) == change {
            Some(word as u32)
        } else {
            None
        }
    }
}

/// Looks for the edges from parents, and makes roots of the vertices that have lost theirs.
pub struct TreeSupport;

impl PlainKernel for TreeSupport {
    type Arguments = PathTreeArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, arguments: PathTreeArguments) {
        // SAFETY: the kernel's contract.
        let tree = unsafe { Tree::new(arguments) };
        let paths = &tree.paths;
        let mut index = warp.thread();
        while index < paths.vertices {
            // SAFETY: below the number of vertices.
            let vertex = unsafe { VertexId::new(index) };
            let mut climb = Climb {
                ancestor: index,
                is_root: true,
                found: 0,
            };
            // Relaxed, here and below: written by launches before, and read by later ones.
            let distance = paths.distance(vertex).load(Relaxed);
            if distance != UNREACHED && index != paths.source {
                let parent = tree.parent(vertex).load(Relaxed);
                match tree.change(vertex, distance, parent) {
                    Some(change) => {
                        climb = Climb {
                            ancestor: parent,
                            is_root: false,
                            found: change,
                        };
                    }
                    None => tree.parent(vertex).store(NO_PARENT, Relaxed),
                }
            }
            tree.climb(vertex).store(climb.pack(), Relaxed);
            index += warp.threads();
        }
        if warp.warp() == 0 {
            let mut index = warp.lane();
            while index < word::COUNT as u32 {
                // The first launch of `TreeJump` is to go on.
                let climbs = index == word::CLIMBS as u32;
                paths.word(index).store(climbs.into(), Relaxed);
                index += W::LANES;
            }
        }
    }
}

/// Gives all vertices their distances along the tree, and makes those near that are known.
pub struct TreeResume;

impl PlainKernel for TreeResume {
    type Arguments = PathTreeArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, arguments: PathTreeArguments) {
        // SAFETY: the kernel's contract.
        let tree = unsafe { Tree::new(arguments) };
        let paths = &tree.paths;
        // Relaxed, here and below: written by launches before, and read by later ones.
        let overflows = paths.word(word::OVERFLOWS as u32).load(Relaxed) != 0;
        let mut found = Found::new(paths, 0, 0);
        let mut raised = 0;
        let mut first = warp.warp() * W::LANES;
        while first < paths.vertices {
            let index = first + warp.lane();
            let (mut is_raised, mut is_near) = (false, false);
            if index < paths.vertices {
                // SAFETY: below the number of vertices.
                let vertex = unsafe { VertexId::new(index) };
                let distance = paths.distance(vertex).load(Relaxed);
                let mut along = 0;
                if distance != UNREACHED {
                    let climb = Climb::unpack(tree.climb(vertex).load(Relaxed));
                    let change = climb.found as i32;
                    let is_source = index == paths.source;
                    if overflows {
                        // The sums are not those along the tree: without it, all is found anew.
                        tree.parent(vertex).store(NO_PARENT, Relaxed);
                    }
                    is_near = is_source || climb.ancestor == paths.source && !overflows;
                    is_raised = !is_near || change > 0;
                    along = distance.wrapping_add_signed(i64::from(change));
                    let known = if is_near { along } else { UNREACHED };
                    paths.distance(vertex).store(known, Relaxed);
                }
                tree.along(vertex).store(along, Relaxed);
                paths.piled(vertex).store(0, Relaxed);
                paths.clear_stamp(vertex);
            }
            raised += warp.ballot(W::FULL, is_raised).count_ones();
            // SAFETY: each vertex is one lane's, and exists where it is near.
            unsafe {
                found.make_room(warp);
                found.add_near(warp, is_near, index, &NearRow::UNREAD);
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
            tree.set_bound();
            paths.frontier::<{ word::STEP }>(1).store(1, Relaxed);
        }
    }
}

impl Tree {
    /// Sets the bound of the next step. One lane of the launch calls this.
    ///
    /// In a round, whatever becomes less is near. After the last, it is far, so that near vertices are
    /// the least ones from then on.
    #[inline(always)]
    pub(super) fn set_bound(&self) {
        let bound = if self.arguments.is_last { 0 } else { UNREACHED };
        // Relaxed: read by the next launch.
        self.paths
            .frontier::<{ word::BOUND }>(1)
            .store(bound, Relaxed);
    }
}
