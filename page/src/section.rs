//! The sections of a page: kinds of work, whose cases stand in one table.

use serde::{Deserialize, Serialize};

/// A kind of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Section {
    /// `malloc` and `free` in loops.
    Micro,
    /// Builds of trees.
    Trees,
    /// Builds of the trees of moving scenes.
    Frames,
    /// Loads and updates of graphs.
    Updates,
    /// Algorithms on graphs.
    Algorithms,
    /// A sea of fish and sharks.
    Agents,
    /// Particles in cells.
    Particles,
    /// Produced and consumed work.
    Workgen,
    /// Recorded calls, made again.
    Replay,
    /// The share of a workload's time that is calls.
    Sensitivity,
    /// The figures of a survey of allocators.
    Survey,
    /// Granted parts of pools, and addresses of blocks.
    Fragmentation,
    /// The host's pool of device memory.
    HostPool,
    /// Other programs on a CPU.
    Others,
    /// Comparisons without a success, so that the work is unknown.
    Unknown,
}

impl Section {
    /// All of them, in the order of a page.
    pub const ALL: [Self; 15] = [
        Self::Micro,
        Self::Trees,
        Self::Frames,
        Self::Updates,
        Self::Algorithms,
        Self::Agents,
        Self::Particles,
        Self::Workgen,
        Self::Replay,
        Self::Sensitivity,
        Self::Survey,
        Self::Fragmentation,
        Self::HostPool,
        Self::Others,
        Self::Unknown,
    ];

    /// Its name in links and classes.
    pub fn id(self) -> &'static str {
        self.parts().0
    }

    /// Its heading.
    pub fn title(self) -> &'static str {
        self.parts().1
    }

    fn parts(self) -> (&'static str, &'static str) {
        match self {
            Self::Micro => ("micro", "Microbenchmarks"),
            Self::Trees => ("trees", "k-d trees"),
            Self::Frames => ("frames", "Moving scenes"),
            Self::Updates => ("updates", "Graph updates"),
            Self::Algorithms => ("algorithms", "Graph algorithms"),
            Self::Agents => ("agents", "Agents"),
            Self::Particles => ("particles", "Particles"),
            Self::Workgen => ("workgen", "Work generation"),
            Self::Replay => ("replay", "Replayed traces"),
            Self::Sensitivity => ("sensitivity", "Shares of calls, by delays"),
            Self::Survey => ("survey", "Survey of Winter et al. 2021"),
            Self::Fragmentation => ("fragmentation", "Fragmentation"),
            Self::HostPool => ("host-pool", "Host pool"),
            Self::Others => ("others", "Beside other programs on a CPU"),
            Self::Unknown => ("unknown", "Comparisons without a result"),
        }
    }
}
