//! The kernels that a search starts with.

use core::sync::atomic::Ordering::Relaxed;

use super::edge::NearRow;
use super::found::Found;
use super::{Paths, SsspArguments, UNREACHED, word};
use crate::graph::bfs;
use crate::graph::store::VertexId;
use crate::kernel::PlainKernel;
use crate::simt::Warp;

/// Clears the distances and makes the source near.
pub struct PathStart;

impl PlainKernel for PathStart {
    type Arguments = SsspArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, paths: SsspArguments) {
        // SAFETY: the kernel's contract.
        let paths = unsafe { Paths::new(paths) };
        let mut index = warp.thread();
        while index < paths.vertices {
            let is_source = index == paths.source;
            // SAFETY: below the number of vertices.
            let vertex = unsafe { VertexId::new(index) };
            // Relaxed, here and below: read by later launches.
            let distance = if is_source { 0 } else { UNREACHED };
            paths.distance(vertex).store(distance, Relaxed);
            paths.piled(vertex).store(0, Relaxed);
            paths.clear_stamp(vertex);
            index += warp.threads();
        }
        if warp.warp() != 0 {
            return;
        }
        let mut index = warp.lane();
        while index < word::COUNT as u32 {
            paths.word(index).store(0, Relaxed);
            index += W::LANES;
        }
        // The header is cleared before lanes add to it.
        warp.sync(W::FULL);
        // SAFETY: one warp adds the source, for which there is room.
        unsafe {
            // Another warp may not have done so yet, and the memory may have any number.
            paths.clear_stamp(VertexId::new(paths.source));
            let mut found = Found::new(&paths, 0, 0);
            found.add_near(warp, warp.lane() == 0, paths.source, &NearRow::UNREAD);
            found.end(warp);
        }
        if warp.lane() == 0 {
            let bound = paths.frontier::<{ word::BOUND }>(1);
            bound.store(paths.next_bound(0), Relaxed);
            paths.frontier::<{ word::STEP }>(1).store(1, Relaxed);
        }
    }
}

/// Takes over the depths of a breadth-first search, and makes those vertices near that it has not gone
/// over. It follows [`PathStart`], which has cleared the header.
pub struct PathContinue;

impl PlainKernel for PathContinue {
    type Arguments = SsspArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, paths: SsspArguments) {
        // SAFETY: the kernel's contract.
        let paths = unsafe { Paths::new(paths) };
        let mut found = Found::new(&paths, 0, 0);
        let mut first = warp.warp() * W::LANES;
        while first < paths.vertices {
            let index = first + warp.lane();
            let mut is_near = false;
            if index < paths.vertices {
                // SAFETY: below the number of vertices; each has a depth, which no thread writes to.
                let (vertex, depth) = unsafe {
                    let vertex = VertexId::new(index);
                    (vertex, *paths.depths.add(vertex.index()))
                };
                if depth != bfs::UNREACHED {
                    // Relaxed: read by later launches.
                    paths.distance(vertex).store(depth.into(), Relaxed);
                    is_near = depth >= paths.depth;
                }
            }
            // SAFETY: each vertex is one lane's, and exists where it is near; the source, which
            // `PathStart` has made near, has a stamp.
            unsafe {
                found.make_room(warp);
                found.add_near(warp, is_near, index, &NearRow::UNREAD);
            }
            first += warp.threads();
        }
        // SAFETY: as above.
        unsafe { found.end(warp) };
    }
}
