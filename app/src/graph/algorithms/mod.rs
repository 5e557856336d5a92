//! The algorithms on a stored graph: a file each, and the list of them.
//!
//! A file has all of its algorithm: flags, launches, an independent reference to verify by, result.
//! `heapwood-results` has its report. The rest of the program goes through the list at the end of
//! this file, so that a new algorithm is a file, its `mod` and its line.

mod ahead;
pub mod betweenness;
pub mod bfs;
pub mod clustering;
pub mod communities;
pub mod components;
pub(super) mod contiguous;
pub mod gap;
mod highest;
pub mod kcore;
#[macro_use]
mod list;
pub mod pagerank;
mod pairs;
pub mod paths;
pub mod problems;
mod sources;
pub mod triangles;
mod values;

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use gap::GapKernel;
use gap::Requirement;
use heapwood_results::graph::AlgorithmReports;
pub use heapwood_results::graph::{CountReport, SearchReport};
pub use sources::{ParseSourcesError, Sources};
pub use values::{Answer, Values, VertexValue};

use super::verify::Reference;
use super::{Input, Store, StoreError};
use crate::Error;
use crate::samples::Samples;

/// An algorithm, implemented by the type of its result.
pub trait Algorithm: Sized {
    /// Its flags, among those of `heapwood graph` and `heapwood compare graph`. The type's
    /// name and the names of its fields are of no other algorithm: clap tells them apart so.
    type Flags: Clone + Debug + Default + Serialize + DeserializeOwned;
    /// How it is computed; `()` if there is one way.
    type Options;
    /// Whether it is asked for, and how: `Option<Self::Options>`, or `bool` if there is one
    /// way. The default does not ask for it.
    type Request: Asked<Self::Options> + Clone + Debug + Default;
    /// The form of a result in reports; the keys in JSON are stable.
    type Report;

    /// The request that its own flags make of a graph. A file for its values requests it too.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for a request that this graph does not support.
    fn request(flags: &Flags, saves: &Saves, graph: &Input) -> Result<Self::Request, Error>;

    /// Computes it.
    ///
    /// # Errors
    ///
    /// When there is not enough memory, and faults of the backend.
    fn run(options: &Self::Options, store: &Store) -> Result<Self, StoreError>;

    /// Compares it with an independent implementation, which shares no code with the
    /// device; returns what was compared, for people.
    ///
    /// # Errors
    ///
    /// [`Error::Verification`] with the first difference, and those of running it again.
    fn verify(
        &self,
        options: &Self::Options,
        store: &Store,
        reference: &Reference,
    ) -> Result<String, Error>;

    /// Its value at each vertex of the store that it was computed on.
    ///
    /// # Errors
    ///
    /// When there is not enough memory for values that it does not have yet.
    fn values(&self, store: &Store) -> Result<Values<'_>, StoreError>;

    /// Time of all kernels, in milliseconds.
    fn ms(&self) -> f64;

    /// Frees what it holds for each vertex: of repeated runs, the first one's is kept.
    fn drop_vertices(&mut self) {}

    /// Reports it with the times of all runs, in milliseconds.
    fn report(&self, options: &Self::Options, ms: Samples, context: &ReportContext)
    -> Self::Report;
}

/// The vertex that a flag names, whose purpose these words tell.
///
/// # Errors
///
/// [`Error::Usage`] if there is no such vertex.
fn vertex(graph: &Input, id: u64, purpose: &str) -> Result<u32, Error> {
    graph.vertex(id).ok_or_else(|| {
        let there = match graph.rows.vertices() {
            0 => "the graph has no vertices".to_owned(),
            vertices => format!(
                "vertices are {} from {} to {}, as in the file",
                match graph.ids.are_listed() {
                    true => "some of those",
                    false => "numbered",
                },
                graph.ids.first(),
                graph.ids.of(vertices - 1)
            ),
        };
        Error::Usage(format!("no vertex {id} to {purpose}: {there}"))
    })
}

/// The heading of the options that name files for results.
#[cfg(feature = "cli")]
pub const SAVES_HEADING: &str = "Values and answers: FILE, FILE.gz or - for the standard output";

/// Whether something is asked for, and with which options `O`.
pub trait Asked<O> {
    /// The options, if it is.
    fn asked(&self) -> Option<&O>;
}

impl<O> Asked<O> for Option<O> {
    fn asked(&self) -> Option<&O> {
        self.as_ref()
    }
}

impl Asked<()> for bool {
    fn asked(&self) -> Option<&()> {
        self.then_some(&())
    }
}

/// Facts about the graph that reports need.
#[derive(Clone, Copy, Debug)]
pub struct ReportContext<'a> {
    /// The graph as it was loaded.
    pub input: &'a Input,
    /// Whether the store still has its rows as they were loaded, each contiguous.
    pub as_loaded: bool,
    /// Vertices to list, of those that an algorithm ranks.
    pub top: usize,
}

// The list: a name in this library, the type of the result in its file, and the key in JSON.
algorithms! {
    ranks: pagerank::Ranks => "pagerank",
    triangles: triangles::Triangles => "triangles",
    components: components::Components => "components",
    search: bfs::Search => "bfs",
    paths: paths::Paths => "sssp",
    problems: problems::Solutions => "problems",
    clustering: clustering::Clustering => "lcc",
    communities: communities::Communities => "cdlp",
    cores: kcore::CoreNumbers => "kcore",
    betweenness: betweenness::Betweenness => "betweenness",
}

/// The kernels of the GAP benchmark suite, with the trials and the sources of `benchmark/bench.mk` of
/// gapbs.
pub const GAP_KERNELS: &[GapKernel] = &[
    GapKernel::new("bfs", 64, 1, Requirement::None, bfs::trial),
    GapKernel::new("sssp", 64, 1, Requirement::Weights, paths::trial),
    GapKernel::new("pr", 16, 0, Requirement::None, pagerank::trial),
    GapKernel::new("cc", 16, 0, Requirement::None, components::trial),
    GapKernel::new("bc", 16, 4, Requirement::None, betweenness::trial),
    GapKernel::new("tc", 3, 0, Requirement::Undirected, triangles::trial),
];

#[cfg(test)]
mod examples;
#[cfg(test)]
mod tests;
