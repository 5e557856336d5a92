//! The part of a round that follows its step: improvements go down the tree.

use core::sync::atomic::Ordering::Relaxed;

use super::{Climb, NO_PARENT, PathTreeArguments, Tree, word};
use crate::graph::paths::UNREACHED;
use crate::graph::paths::edge::NearRow;
use crate::graph::paths::found::Found;
use crate::graph::store::VertexId;
use crate::kernel::PlainKernel;
use crate::simt::Warp;

/// The gain of a vertex whose distance is not known.
const UNKNOWN: u32 = 0;

/// The gain of a vertex whose distance is the one along the tree. Greater ones are of lesser distances;
/// where a root was lost, all distances may be greater.
const EVEN: i64 = 1 << 31;

/// How far a distance is below the one along the tree. One that is too far above it for a word counts as
/// unknown, and one that is too far below it as less far: no gain is greater than it is.
#[inline(always)]
fn gain(distance: u64, along: u64) -> u32 {
    // Both are below 2^63.
    let gain = along as i64 - distance as i64 + EVEN;
    if distance == UNREACHED || gain <= 0 {
        UNKNOWN
    } else if gain > u32::MAX.into() {
        u32::MAX
    } else {
        gain as u32
    }
}

impl Tree {
    /// Whether the round's step has left no near vertices, which is the end of the search.
    #[inline(always)]
    fn has_ended(&self) -> bool {
        // Relaxed: written by the step. `TreeShift` adds to it only if it is not 0.
        self.paths.frontier::<{ word::NEAR }>(1).load(Relaxed) == 0
    }
}

/// Tells how far each distance is below the one along the tree.
pub struct TreeGain;

impl PlainKernel for TreeGain {
    type Arguments = PathTreeArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, arguments: PathTreeArguments) {
        // SAFETY: the kernel's contract.
        let tree = unsafe { Tree::new(arguments) };
        let paths = &tree.paths;
        let has_ended = tree.has_ended();
        if warp.thread() == 0 {
            // Relaxed, here and below: written by launches before, and read by later ones.
            tree.climbs_after(0).store((!has_ended).into(), Relaxed);
            tree.climbs_after(1).store(0, Relaxed);
        }
        if has_ended {
            return;
        }
        let mut index = warp.thread();
        while index < paths.vertices {
            // SAFETY: below the number of vertices.
            let vertex = unsafe { VertexId::new(index) };
            let parent = tree.parent(vertex).load(Relaxed);
            let is_root = parent == NO_PARENT;
            let climb = Climb {
                ancestor: if is_root { index } else { parent },
                is_root,
                found: gain(
                    paths.distance(vertex).load(Relaxed),
                    tree.along(vertex).load(Relaxed),
                ),
            };
            tree.climb(vertex).store(climb.pack(), Relaxed);
            index += warp.threads();
        }
    }
}

/// Brings each vertex as far below its distance along the tree as its ancestors are; those that it makes
/// less become near.
pub struct TreeShift;

impl PlainKernel for TreeShift {
    type Arguments = PathTreeArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, arguments: PathTreeArguments) {
        // SAFETY: the kernel's contract.
        let tree = unsafe { Tree::new(arguments) };
        let paths = &tree.paths;
        if tree.has_ended() {
            return;
        }
        if warp.thread() == 0 {
            tree.set_bound();
        }
        // Relaxed, here and below: written by launches before, and read by later ones.
        let step = paths.frontier::<{ word::STEP }>(0).load(Relaxed) as u32;
        // Rounds divide no far vertices.
        let mut found = Found::new(paths, step, 0);
        let mut first = warp.warp() * W::LANES;
        while first < paths.vertices {
            let index = first + warp.lane();
            let mut is_less = false;
            if index < paths.vertices {
                // SAFETY: below the number of vertices.
                let vertex = unsafe { VertexId::new(index) };
                let climb = Climb::unpack(tree.climb(vertex).load(Relaxed));
                if climb.found != UNKNOWN {
                    let gain = i64::from(climb.found) - EVEN;
                    let along = tree.along(vertex).load(Relaxed);
                    let shifted = along.wrapping_sub(gain as u64);
                    is_less = shifted < paths.distance(vertex).load(Relaxed);
                    if is_less {
                        // Only this lane writes to it in this launch.
                        paths.distance(vertex).store(shifted, Relaxed);
                    }
                }
            }
            // SAFETY: each vertex is one lane's, and exists where it is near. The step has not made it
            // near twice, since `Found` stamps vertices for both.
            unsafe {
                found.make_room(warp);
                found.add_near(warp, is_less, index, &NearRow::UNREAD);
            }
            first += warp.threads();
        }
        // SAFETY: as above.
        unsafe { found.end(warp) };
    }
}
