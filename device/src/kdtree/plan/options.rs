//! How a tree is built.

use crate::kdtree::sah::Costs;

/// How good a tree is to be. A better one takes more nodes and a longer build; `docs/quality.md`
/// has what each costs.
///
/// The levels differ in the cost of an intersection: the higher it is, the smaller is the
/// gain for which a node is split. The bonus for an empty side is that with which trees
/// cost least.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quality {
    /// At most 25 % above the cost of an exact builder's tree.
    Fast,
    /// At most 10 % above it.
    #[default]
    Balanced,
    /// At most 5 % above it.
    Best,
}

impl Quality {
    /// All of them, the fastest first.
    pub const ALL: [Self; 3] = [Self::Fast, Self::Balanced, Self::Best];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Balanced => "balanced",
            Self::Best => "best",
        }
    }

    /// The constants of the heuristic that it stands for.
    pub fn costs(self) -> Costs {
        Costs {
            traversal: 1.0,
            intersection: match self {
                Self::Fast => 1.25,
                Self::Balanced => 2.0,
                Self::Best => 3.0,
            },
            empty_bonus: 0.2,
        }
    }
}

/// How a tree is built.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Constants of the surface area heuristic.
    pub costs: Costs,
    /// Depth of the deepest possible leaf; `MAX_DEPTH` if none.
    pub max_depth: Option<u32>,
    /// Clip triangles to the nodes ("perfect splits"), not only their bounds.
    pub clip: bool,
    /// Allocate at every split, down to the leaves, as the paper's builder
    /// does; else small subtrees are finished without allocation. The tree is the same.
    pub alloc_per_split: bool,
    /// Collect statistics of allocations, which costs time.
    pub collect: bool,
    /// Give nodes budgets of references. Build so only if a build without budgets ends in
    /// [`BuildError::Explodes`](super::outcome::BuildError::Explodes): the tree may be another.
    pub bounded: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self::of(Quality::default())
    }
}

impl Options {
    /// The usual way to build a tree of this quality.
    pub fn of(quality: Quality) -> Self {
        Self {
            costs: quality.costs(),
            max_depth: None,
            clip: true,
            alloc_per_split: false,
            collect: false,
            bounded: false,
        }
    }
}
