//! The climb of all vertices up the tree.

use core::sync::atomic::Ordering::Relaxed;

use super::{Climb, PathTreeArguments, Tree, word};
use crate::graph::store::VertexId;
use crate::kernel::PlainKernel;
use crate::simt::Warp;

/// How often a vertex goes on from the ancestor that it has come to, in one launch. Few launches then
/// suffice, and each of these reads lies in the L2 cache.
pub const HOPS: u32 = 4;

/// Takes each vertex to an ancestor of its ancestor; does nothing once all are at roots.
pub struct TreeJump;

impl TreeJump {
    /// Climbs on from where a vertex has come; returns whether changes have become too large.
    #[inline(always)]
    fn climb(tree: &Tree, climb: &mut Climb) -> bool {
        let mut overflows = false;
        let mut hops = 0;
        while hops < HOPS && !climb.is_root {
            // SAFETY: ancestors are vertices.
            let ancestor = unsafe { VertexId::new(climb.ancestor) };
            // Relaxed: where that vertex has climbed and what it has found is one word, which is true
            // before this launch has written to it and after that.
            let next = Climb::unpack(tree.climb(ancestor).load(Relaxed));
            let found = if !tree.arguments.is_gain {
                let (sum, overflow) = (climb.found as i32).overflowing_add(next.found as i32);
                overflows |= overflow;
                sum as u32
            } else if next.found > climb.found {
                next.found
            } else {
                climb.found
            };
            *climb = Climb { found, ..next };
            hops += 1;
        }
        overflows
    }
}

impl PlainKernel for TreeJump {
    type Arguments = PathTreeArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, arguments: PathTreeArguments) {
        // SAFETY: the kernel's contract.
        let tree = unsafe { Tree::new(arguments) };
        let (vertices, jump) = (tree.paths.vertices, tree.arguments.jump);
        if warp.thread() == 0 {
            // Relaxed, here and below: no launch reads it before the next.
            tree.climbs_after(jump + 1).store(0, Relaxed);
        }
        if tree.climbs_after(jump - 1).load(Relaxed) == 0 {
            return;
        }
        let (mut climbs, mut overflows) = (false, false);
        let mut index = warp.thread();
        while index < vertices {
            // SAFETY: below the number of vertices.
            let vertex = unsafe { VertexId::new(index) };
            // Relaxed, here and below: only this lane writes that of its vertex.
            let mut climb = Climb::unpack(tree.climb(vertex).load(Relaxed));
            if !climb.is_root {
                overflows |= Self::climb(&tree, &mut climb);
                tree.climb(vertex).store(climb.pack(), Relaxed);
                climbs |= !climb.is_root;
            }
            index += warp.threads();
        }
        if warp.ballot(W::FULL, climbs) != 0 && warp.lane() == 0 {
            tree.climbs_after(jump).store(1, Relaxed);
        }
        if warp.ballot(W::FULL, overflows) != 0 && warp.lane() == 0 {
            tree.paths.word(word::OVERFLOWS as u32).store(1, Relaxed);
        }
    }
}
