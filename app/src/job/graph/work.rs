//! The work of a job on a graph, whatever it is done over.

use std::path::{Path, PathBuf};

use heapwood_graphs::files_read;

use serde::{Deserialize, Serialize};

use super::events::EventOptions;
use super::input::InputOptions;
use super::updates::UpdateOptions;
use crate::Error;
use crate::graph::algorithms::{Algorithms, Flags, Saves, Sources};
use crate::job::Progress;
use crate::size::Pool;
use crate::word;
use crate::workload::graph::{EventStream, Input, UpdateStream};

/// A graph, what is done to it, and what is computed on it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct WorkOptions {
    /// Timed runs: load, update and compute
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000), default_value_t = 3))]
    pub runs: u32,
    /// Compare all results with an independent CPU implementation
    #[cfg_attr(feature = "cli", arg(long))]
    pub verify: bool,
    /// The graph.
    #[cfg_attr(feature = "cli", command(flatten))]
    pub input: InputOptions,
    /// Pool: a size, a multiple such as 8x, or auto
    ///
    /// A multiple counts the bytes of the stored edges. With auto, the graph moves to a larger pool when a batch needs one.
    #[cfg_attr(feature = "cli", arg(long, help_heading = "Allocator", value_name = "SIZE", value_parser = crate::size::parse_pool, default_value = "auto"))]
    #[serde(with = "word")]
    pub pool: Pool,
    /// The updates.
    #[cfg_attr(feature = "cli", command(flatten))]
    pub updates: UpdateOptions,
    /// The stream of events.
    #[cfg_attr(feature = "cli", command(flatten))]
    pub events: EventOptions,
    /// The algorithms.
    #[cfg_attr(feature = "cli", command(flatten))]
    pub algorithms: AlgorithmOptions,
}

/// The algorithms that run on the graph.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(
    feature = "cli",
    derive(clap::Args),
    command(next_help_heading = "Algorithms")
)]
pub struct AlgorithmOptions {
    /// The algorithms and their options.
    #[cfg_attr(feature = "cli", command(flatten))]
    pub flags: Flags,
    /// Update the results of --pagerank, --triangles, --components and --sssp
    ///
    /// They are updated after each round or batch of events. The result has the time beside that of
    /// computing them anew.
    #[cfg_attr(feature = "cli", arg(long, requires = "updates"))]
    pub incremental: bool,
}

impl WorkOptions {
    /// The files that are read, with those that belong to them.
    pub fn files(&self) -> Vec<PathBuf> {
        let input = self.input.file.file().into_iter();
        let named = input
            .chain(self.updates.files())
            .chain(self.events.stream.as_deref())
            .chain(self.algorithms.files());
        let options = self.input.options();
        named.flat_map(|path| files_read(path, &options)).collect()
    }

    /// The updates of a graph.
    ///
    /// # Errors
    ///
    /// As for [`UpdateOptions::stream`].
    pub(super) fn stream(
        &self,
        input: &Input,
        progress: &mut dyn Progress,
    ) -> Result<UpdateStream, Error> {
        self.updates.stream(&self.input, input, progress)
    }

    /// The events on a graph.
    ///
    /// # Errors
    ///
    /// As for [`EventOptions::events`].
    pub(super) fn events(
        &self,
        input: &Input,
        progress: &mut dyn Progress,
    ) -> Result<Option<EventStream>, Error> {
        self.events.events(self.updates.batch, input, progress)
    }

    /// The algorithms that are asked for, or whose values are saved, where the graph allows them.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for what the graph has no answer to.
    pub fn algorithms(&self, saves: &Saves, input: &Input) -> Result<Algorithms, Error> {
        Ok(Algorithms {
            incremental: self.algorithms.incremental,
            ..Algorithms::request(&self.algorithms.flags, saves, input)?
        })
    }
}

impl AlgorithmOptions {
    /// The files that problems and sources come from.
    fn files(&self) -> impl Iterator<Item = &Path> {
        let sources = self.flags.betweenness.betweenness.as_ref();
        let problems = self.flags.problems.problems.as_deref().into_iter();
        problems.chain(sources.and_then(Sources::file))
    }

    /// Whether triangles are counted.
    pub fn triangles(&self, saves: &Saves) -> bool {
        self.flags.triangles.triangles || saves.triangles.is_some()
    }

    /// Whether something is asked for that has an incremental form.
    pub fn has_incremental(&self, saves: &Saves) -> bool {
        let ranks = self.flags.ranks.pagerank || saves.ranks.is_some();
        let components = self.flags.components.components || saves.components.is_some();
        let paths = self.flags.paths.sssp.is_some();
        ranks || self.triangles(saves) || components || paths
    }

    /// Vertices of highest rank to list.
    pub(super) fn top(&self) -> usize {
        self.flags.ranks.top
    }
}
