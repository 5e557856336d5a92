//! The work of `heapwood graph`, whatever it is done over: the arguments that
//! `heapwood compare graph` has too, and forwards to its processes.

use std::path::PathBuf;

use clap::Args;
use heapwood_graphs::files_read;

use super::super::common::ChildArgs;
use super::super::written::AsWritten;
use super::events::EventArguments;
use super::input::InputArguments;
use super::updates::UpdateArguments;
use crate::Error;
use crate::graph::algorithms::{Algorithms, Flags, Saves};
use crate::size::{self, Pool};
use crate::workload::graph::{EventStream, Input, UpdateStream};

/// A graph, what is done to it, and what is computed on it.
#[derive(Debug, Args)]
pub struct WorkArguments {
    /// Timed runs: load, update and compute
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000), default_value_t = 3)]
    pub runs: u32,
    /// Compare all results with an independent CPU implementation
    #[arg(long)]
    pub verify: bool,
    #[command(flatten)]
    pub input: InputArguments,
    /// Pool: a size, a multiple such as 8x, or auto
    ///
    /// A multiple counts the bytes of the stored edges. With auto, the graph moves to a larger pool when a batch needs one.
    #[arg(long, help_heading = "Allocator", value_name = "SIZE", value_parser = size::parse_pool, default_value = "auto")]
    pub pool: Pool,
    #[command(flatten)]
    pub updates: UpdateArguments,
    #[command(flatten)]
    events: EventArguments,
    #[command(flatten)]
    pub algorithms: AlgorithmArguments,
}

/// What is computed on the graph.
#[derive(Debug, Args)]
#[command(next_help_heading = "Algorithms")]
pub struct AlgorithmArguments {
    #[command(flatten)]
    flags: AsWritten<Flags>,
    /// Update the results of --pagerank, --triangles and --components
    ///
    /// They are updated after each round or batch of events. The result has the time beside that of
    /// computing them anew.
    #[arg(long, requires = "updates")]
    pub incremental: bool,
}

impl WorkArguments {
    /// Finds what makes no sense before anything is read, with files for values.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] with the flags that do not go together.
    pub(in crate::cli) fn check(&self, saves: &Saves) -> Result<(), Error> {
        self.input.check()?;
        self.updates.check()?;
        self.events.check(self.updates.batch)?;
        let algorithms = &self.algorithms;
        if algorithms.incremental && !algorithms.has_incremental(saves) {
            let why = "--incremental is for --pagerank, --triangles and --components: ask for one \
                       of them";
            return Err(Error::Usage(why.to_owned()));
        }
        if algorithms.incremental && algorithms.triangles(saves) && self.updates.deletes_vertices()
        {
            let why = "batches of edges count triangles, deletions of vertices do not: leave out \
                       --triangles, --delete-vertices or --incremental";
            return Err(Error::Usage(why.to_owned()));
        }
        Ok(())
    }

    /// The files that are read, with those that belong to them.
    pub(in crate::cli) fn files(&self) -> Vec<PathBuf> {
        let input = self.input.file.file().into_iter();
        let named = input.chain(self.updates.files()).chain(self.events.file());
        let options = self.input.options();
        named.flat_map(|path| files_read(path, &options)).collect()
    }

    /// The updates of a graph.
    ///
    /// # Errors
    ///
    /// As for [`UpdateArguments::stream`].
    pub(super) fn stream(&self, input: &Input) -> Result<UpdateStream, Error> {
        self.updates.stream(&self.input, input)
    }

    /// The events on a graph.
    ///
    /// # Errors
    ///
    /// As for [`EventArguments::events`].
    pub(super) fn events(&self, input: &Input) -> Result<Option<EventStream>, Error> {
        self.events.events(self.updates.batch, input)
    }

    /// What is computed, or has values to be saved, where the graph allows it.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for what the graph has no answer to.
    pub(super) fn algorithms(&self, saves: &Saves, input: &Input) -> Result<Algorithms, Error> {
        Ok(Algorithms {
            incremental: self.algorithms.incremental,
            ..Algorithms::request(&self.algorithms.flags, saves, input)?
        })
    }

    /// These arguments for another process, without the file.
    pub(in crate::cli) fn forward(&self, child_args: &mut ChildArgs) {
        let input = &self.input;
        child_args.option("file-format", input.file_format.map(|format| format.name()));
        child_args.flag("one-based", input.one_based);
        child_args.flag("compact-ids", input.compact_ids);
        child_args.flag("bipartite", input.bipartite);
        child_args.flag("directed", input.directed);
        child_args.flag("undirected", input.undirected);
        child_args.flag("self-loops", input.self_loops);
        child_args.option("pool", Some(self.pool));
        self.updates.forward(child_args);
        self.events.forward(child_args);
        self.algorithms.flags.forward(child_args);
        child_args.flag("incremental", self.algorithms.incremental);
        child_args.option("runs", Some(self.runs));
        child_args.flag("verify", self.verify);
    }
}

impl AlgorithmArguments {
    /// Whether triangles are counted.
    fn triangles(&self, saves: &Saves) -> bool {
        self.flags.triangles.triangles || saves.triangles.is_some()
    }

    /// Whether something is asked for that has an incremental form.
    fn has_incremental(&self, saves: &Saves) -> bool {
        let ranks = self.flags.ranks.pagerank || saves.ranks.is_some();
        let components = self.flags.components.components || saves.components.is_some();
        ranks || self.triangles(saves) || components
    }

    /// Vertices of highest rank to list.
    pub(super) fn top(&self) -> usize {
        self.flags.ranks.top
    }
}
