//! The phases of a batch's launches, for timing.

use crate::graph::components::ComponentUpdate;
use crate::graph::store::classify::{Classify, Compact};
use crate::graph::store::contiguous::commit::{Commit, FreeBlocks};
use crate::graph::store::contiguous::prepare::{Demand, Prepare};
use crate::graph::store::contiguous::relocate::{Relocate, RelocateWeights};
use crate::graph::store::contiguous::weights::ShiftWeights;
use crate::graph::store::linked::{LinkedClassify, LinkedCommit, LinkedDemand, LinkedPrepare};
use crate::graph::store::provide::Provide;
use crate::graph::store::weights::{ClearWeights, FindWeights, LinkedSetWeights, SetWeights};
use crate::graph::triangles::delta::DeltaTriangles;
use crate::graph::triangles::delta::copies::LinkedDeltaCopy;
use crate::launch::Call;

/// The phase of a batch that a launch belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Makes keys of the edges, and sorts them.
    Sort,
    /// Compares the keys with the graph.
    Classify,
    /// Requests blocks; with linked pages, also fills them.
    Allocate,
    /// Fills new blocks, and changes others in place.
    Copy,
    /// Frees blocks; with linked pages, also closes gaps.
    Free,
    /// Finds the weights of keys, moves those that stay, and writes the others; with linked pages,
    /// does not move any.
    Weights,
    /// Counts triangles.
    Triangles,
    /// Joins or marks components.
    Components,
}

impl Phase {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Sort,
        Self::Classify,
        Self::Allocate,
        Self::Copy,
        Self::Free,
        Self::Weights,
        Self::Triangles,
        Self::Components,
    ];

    /// The phase of a launch of `Graph::update`.
    ///
    /// # Panics
    ///
    /// If the call is not one of those.
    pub fn of(call: &Call) -> Self {
        if ["sort", "wide"].contains(&call.kernel().family()) {
            Self::Sort
        } else if call.runs::<Classify>() || call.runs::<LinkedClassify>() || call.runs::<Compact>()
        {
            Self::Classify
        } else if call.runs::<Demand>()
            || call.runs::<Provide>()
            || call.runs::<Prepare>()
            || call.runs::<LinkedDemand>()
            || call.runs::<LinkedPrepare>()
        {
            Self::Allocate
        } else if call.runs::<Relocate>() || call.runs::<Commit>() {
            Self::Copy
        } else if call.runs::<FreeBlocks>() || call.runs::<LinkedCommit>() {
            Self::Free
        } else if call.runs::<ClearWeights>()
            || call.runs::<FindWeights>()
            || call.runs::<RelocateWeights>()
            || call.runs::<ShiftWeights>()
            || call.runs::<SetWeights>()
            || call.runs::<LinkedSetWeights>()
        {
            Self::Weights
        } else if call.runs::<LinkedDeltaCopy>() || call.runs::<DeltaTriangles>() {
            Self::Triangles
        } else {
            assert!(
                call.runs::<ComponentUpdate>(),
                "{:?} is in no batch",
                call.kernel()
            );
            Self::Components
        }
    }
}
