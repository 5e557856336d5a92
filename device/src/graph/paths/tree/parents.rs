//! The parents of all vertices, found anew.

use core::sync::atomic::Ordering::Relaxed;

use super::{NO_PARENT, PathTreeArguments, Tree, word};
use crate::graph::paths::UNREACHED;
use crate::graph::paths::edge::{NearEdge, NearRow};
use crate::graph::paths::found::Found;
use crate::graph::store::VertexId;
use crate::kernel::PlainKernel;
use crate::simt::Warp;
use crate::simt::segments::Segments;

/// Lists the rows of the vertices that were reached, and forgets all parents.
pub struct TreeStart;

impl PlainKernel for TreeStart {
    type Arguments = PathTreeArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, arguments: PathTreeArguments) {
        // SAFETY: the kernel's contract.
        let tree = unsafe { Tree::new(arguments) };
        let paths = &tree.paths;
        let mut found = Found::new(paths, 0, 0);
        let mut first = warp.warp() * W::LANES;
        while first < paths.vertices {
            let index = first + warp.lane();
            let mut is_reached = false;
            if index < paths.vertices {
                // SAFETY: below the number of vertices.
                let vertex = unsafe { VertexId::new(index) };
                // Relaxed: written by launches before, and read by later ones.
                is_reached = paths.distance(vertex).load(Relaxed) != UNREACHED;
                tree.parent(vertex).store(NO_PARENT, Relaxed);
                paths.clear_stamp(vertex);
            }
            // SAFETY: each vertex is one lane's, and exists where it was reached.
            unsafe {
                found.make_room(warp);
                found.add_near(warp, is_reached, index, &NearRow::UNREAD);
            }
            first += warp.threads();
        }
        // SAFETY: as above.
        unsafe { found.end(warp) };
    }
}

/// Finds the parents of all vertices along the rows that `TreeStart` has listed.
pub struct TreeParents;

impl PlainKernel for TreeParents {
    type Arguments = PathTreeArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, arguments: PathTreeArguments) {
        // SAFETY: the kernel's contract.
        let tree = unsafe { Tree::new(arguments) };
        let paths = &tree.paths;
        // Relaxed: counted by the launch before.
        let near = paths.frontier::<{ word::NEAR }>(0).load(Relaxed) as u32;
        let list = paths.near(1);
        let mut first = warp.warp() * W::LANES;
        while first < near {
            let place = first + warp.lane();
            let (mut vertex, mut source) = (0, NearRow::NONE);
            if place < near {
                // SAFETY: the launch before has listed chunks of rows that exist.
                unsafe {
                    let chunk = *list.add(place as usize);
                    vertex = chunk as u32;
                    source = NearRow::new(paths, chunk);
                }
            }
            let segments = Segments::new(warp, source.length);
            let mut base = 0;
            while base < segments.total {
                let item = base + warp.lane();
                // SAFETY: rows of the graph.
                let edge = unsafe { NearEdge::read(warp, paths, &segments, &source, item) };
                let parent = warp.shuffle(W::FULL, vertex, edge.owner);
                let distance = warp.shuffle64(W::FULL, source.distance, edge.owner);
                // Relaxed, here and below: the last step has found the distances, and later launches
                // read the minimum.
                if edge.is_there
                    && distance < edge.distance
                    && edge.distance == paths.distance(edge.target).load(Relaxed)
                {
                    tree.parent(edge.target).fetch_min(parent, Relaxed);
                }
                base += W::LANES;
            }
            first += warp.threads();
        }
    }
}
