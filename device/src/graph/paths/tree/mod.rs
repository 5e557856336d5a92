//! Distances that are carried along while the graph changes, instead of being found anew.
//!
//! Each vertex has a *parent*: the least neighbour with a lesser distance through which its own comes
//! about. Parents form trees, since distances fall along them. A vertex whose distance comes about by
//! edges of no length only has no parent.
//!
//! After any changes of the graph the tree still says much. Whatever hangs on an edge that became longer
//! is farther by as much; if the edge is gone, it still hangs together.
//!
//! - `TreeSupport` looks for the edge from each vertex' parent, and by how much it changes the distance.
//!   A vertex that has lost it is a root.
//! - `TreeJump`, again and again, takes each vertex to its parent's parents, and adds up the changes on
//!   the way, until all are at roots. Each launch takes them five times as far or more.
//! - `TreeResume` gives each vertex its distance *along* the tree. It holds where the root is the source;
//!   others are no longer known. All that are known become near.
//!
//! Steps of the search go on from there. The first one relaxes all edges, and finds the ones that were
//! inserted or became shorter. But an improvement takes a launch, or a turn of a warp, for each edge of
//! its way, and roads are thousands of edges long. So the first steps are *rounds*, which take it down
//! the tree at once:
//!
//! - a step, `PathStep`, in which all vertices are near whose distance became less;
//! - `TreeGain` tells how far each distance is below the one along the tree;
//! - `TreeJump` finds the largest such gain among each vertex and its ancestors;
//! - `TreeShift` brings the vertex as far below its distance along the tree, and makes it near.
//!
//! `TreeStart` and `TreeParents` find the parents anew.
//!
//! The distances found are exact. Each that is known is the sum of a path, or for real numbers at least
//! the least one, and so it stays: the tree leads on from an ancestor along edges that are there. From
//! there the relaxation comes to its least fixed point, since each vertex whose distance became less
//! is near afterwards.
//!
//! Real numbers are rounded at each edge, so that differences do not add up. Their changes are none
//! where the distance holds or is too large; an edge that became longer counts as lost. They have no
//! rounds.
//!
//! Traffic: for each vertex a search in its parent's row, and in a round some five words and twice as
//! many for each launch of `TreeJump`; for each edge twice what a step of the search takes.

mod jump;
mod parents;
#[cfg(not(target_arch = "nvptx64"))]
pub mod plan;
mod round;
mod support;

pub use jump::TreeJump;
pub use parents::{TreeParents, TreeStart};
pub use round::{TreeGain, TreeShift};
pub use support::{TreeResume, TreeSupport};

use cuda_std::atomic::{AtomicU32, AtomicU64};

use super::{Paths, SsspArguments, word};
use crate::arguments;
use crate::graph::store::VertexId;
use crate::kernel::Valid;

/// The parent of a vertex that has none.
pub const NO_PARENT: u32 = u32::MAX;

arguments! {
    /// A search for shortest paths whose tree is kept.
    pub struct PathTreeArguments {
        nested {
            /// The search.
            search: SsspArguments,
        }
        pointers {
            /// The parent of each vertex.
            parents: u32,
            /// For each vertex how far it has climbed up the tree.
            climbs: u64,
            /// For each vertex its distance along the tree.
            along: u64,
        }
        integers {
            /// The number of this launch of `TreeJump` after the last `TreeSupport` or `TreeGain`, from 1.
            jump: u32,
            /// Whether it finds gains; else it adds up changes.
            is_gain: bool,
            /// Whether no round follows.
            is_last: bool,
        }
    }
}

/// The bit of a climb that has come to a root: there are at most 2^31 vertices.
const ROOT: u32 = 1 << 31;

/// How far a vertex has climbed up the tree.
#[derive(Clone, Copy)]
struct Climb {
    /// The ancestor that it has come to.
    ancestor: u32,
    /// Whether that is a root, which has been taken into account as well.
    is_root: bool,
    /// The sum of the changes on the way, an `i32`, or the largest gain.
    found: u32,
}

impl Climb {
    /// Of the word that memory has.
    #[inline(always)]
    fn unpack(word: u64) -> Self {
        Self {
            ancestor: word as u32 & !ROOT,
            is_root: word as u32 & ROOT != 0,
            found: (word >> 32) as u32,
        }
    }

    /// The word that memory has.
    #[inline(always)]
    fn pack(self) -> u64 {
        let root = if self.is_root { ROOT } else { 0 };
        u64::from(self.found) << 32 | u64::from(self.ancestor | root)
    }
}

/// A search whose tree is kept.
struct Tree {
    paths: Paths,
    arguments: Valid<PathTreeArguments>,
}

impl Tree {
    /// A view of what the arguments point to.
    ///
    /// # Safety
    ///
    /// The arguments satisfy the contract that their type states.
    #[inline(always)]
    unsafe fn new(arguments: PathTreeArguments) -> Self {
        // SAFETY: the caller's promise.
        unsafe {
            Self {
                paths: Paths::new(arguments.search),
                arguments: Valid::new(arguments),
            }
        }
    }

    /// The parent of a vertex.
    #[inline(always)]
    fn parent(&self, vertex: VertexId) -> &AtomicU32 {
        // SAFETY: each vertex has one, accessed as an atomic word.
        unsafe { &*self.arguments.parents.add(vertex.index()).cast() }
    }

    /// How far a vertex has climbed.
    #[inline(always)]
    fn climb(&self, vertex: VertexId) -> &AtomicU64 {
        // SAFETY: each vertex has a word, accessed as an atomic one.
        unsafe { &*self.arguments.climbs.add(vertex.index()).cast() }
    }

    /// The distance of a vertex along the tree.
    #[inline(always)]
    fn along(&self, vertex: VertexId) -> &AtomicU64 {
        // SAFETY: each vertex has one, accessed as an atomic word.
        unsafe { &*self.arguments.along.add(vertex.index()).cast() }
    }

    /// Whether a vertex has yet to climb after so many launches of `TreeJump`.
    #[inline(always)]
    fn climbs_after(&self, jumps: u32) -> &AtomicU64 {
        self.paths.word(word::CLIMBS as u32 + jumps % 3)
    }
}
