//! The work of `heapwood graph`, whatever it is done over: the arguments that
//! `heapwood compare graph` has too, and forwards to its processes.

use std::path::PathBuf;

use clap::Args;

use super::super::common::Passed;
use super::input::{InputArguments, source};
use super::updates::UpdateArguments;
use crate::Error;
use crate::graph::{Method, RankOptions};
use crate::size::{self, Pool};
use crate::workload::graph::{Algorithms, Input, UpdateStream};

/// A graph, what is done to it, and what is computed on it.
#[derive(Debug, Args)]
pub struct WorkArguments {
    #[command(flatten)]
    pub input: InputArguments,
    /// Memory of the allocator: auto, a multiple of the bytes of the stored edges such
    /// as 8x, or a size
    #[arg(long, value_name = "SIZE", value_parser = size::parse_pool, default_value = "auto")]
    pub pool: Pool,
    #[command(flatten)]
    pub updates: UpdateArguments,
    #[command(flatten)]
    pub algorithms: AlgorithmArguments,
    /// Timed runs, each of which loads, updates and computes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000), default_value_t = 3)]
    pub runs: u32,
    /// Compare everything with an independent implementation on the CPU
    #[arg(long)]
    pub verify: bool,
}

/// What is computed on the graph.
#[derive(Debug, Args)]
pub struct AlgorithmArguments {
    /// Compute PageRank
    #[arg(long)]
    pub pagerank: bool,
    /// How ranks are iterated: `power`, whose iterations other systems count, or
    /// `accelerated`, which takes fewer in undirected graphs
    #[arg(long, value_name = "power|accelerated", default_value = "accelerated", value_parser = parse_method, requires = "pagerank")]
    pub method: Method,
    /// Probability of following an edge
    #[arg(long, value_name = "D", default_value_t = RankOptions::default().damping, value_parser = parse_damping, requires = "pagerank")]
    pub damping: f64,
    /// Change of all ranks together at which to stop
    #[arg(long, value_name = "T", default_value_t = RankOptions::default().tolerance, value_parser = parse_tolerance, requires = "pagerank")]
    pub tolerance: f64,
    /// Most iterations
    #[arg(long, value_name = "N", default_value_t = RankOptions::default().limit, value_parser = clap::value_parser!(u32).range(1..=100_000), requires = "pagerank")]
    pub iterations: u32,
    /// Vertices of highest rank to list
    #[arg(long, value_name = "K", default_value_t = 10, requires = "pagerank")]
    pub top: usize,
    /// Count triangles, of undirected graphs
    #[arg(long)]
    pub triangles: bool,
    /// Count connected components, whatever the directions
    #[arg(long)]
    pub components: bool,
    /// Search from this vertex, breadth first; its number is that of the file
    #[arg(long, value_name = "SOURCE")]
    pub bfs: Option<u32>,
    /// After each round, find PageRank and triangles from those before it too
    #[arg(long, requires = "updates")]
    pub incremental: bool,
}

impl WorkArguments {
    /// Finds what makes no sense before anything is read.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] with the flags that do not go together.
    pub(in crate::cli) fn check(&self) -> Result<(), Error> {
        self.updates.check()?;
        let algorithms = &self.algorithms;
        if algorithms.incremental && !algorithms.pagerank && !algorithms.triangles {
            let why = "--incremental is for --pagerank and --triangles: ask for one of them";
            return Err(Error::Usage(why.to_owned()));
        }
        Ok(())
    }

    /// The files that are read.
    pub(in crate::cli) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        std::iter::once(&self.input.file).chain(self.updates.files())
    }

    /// The updates of a graph.
    ///
    /// # Errors
    ///
    /// As for [`UpdateArguments::stream`].
    pub(super) fn stream(&self, input: &Input) -> Result<UpdateStream, Error> {
        self.updates.stream(&self.input, input)
    }

    /// What is computed, where the graph allows it.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for what the graph has no answer to.
    pub(super) fn algorithms(&self, input: &Input) -> Result<Algorithms, Error> {
        let algorithms = &self.algorithms;
        if algorithms.triangles && input.rows.directed {
            let why = "triangles are counted in undirected graphs, and this one is directed: \
                       use --undirected";
            return Err(Error::Usage(why.to_owned()));
        }
        Ok(Algorithms {
            ranks: algorithms.pagerank.then_some(RankOptions {
                method: algorithms.method,
                damping: algorithms.damping,
                tolerance: algorithms.tolerance,
                limit: algorithms.iterations,
                resume: false,
            }),
            triangles: algorithms.triangles,
            components: algorithms.components,
            source: algorithms.bfs.map(|id| source(input, id)).transpose()?,
            incremental: algorithms.incremental,
        })
    }

    /// These arguments for another process, without the file.
    pub(in crate::cli) fn forward(&self, passed: &mut Passed) {
        let input = &self.input;
        passed.option("file-format", input.file_format.map(|format| format.name()));
        passed.flag("one-based", input.one_based);
        passed.flag("directed", input.directed);
        passed.flag("undirected", input.undirected);
        passed.flag("self-loops", input.self_loops);
        passed.option("pool", Some(self.pool));
        self.updates.forward(passed);
        let algorithms = &self.algorithms;
        if algorithms.pagerank {
            passed.flag("pagerank", true);
            passed.option("method", Some(algorithms.method.name()));
            passed.option("damping", Some(algorithms.damping));
            passed.option("tolerance", Some(algorithms.tolerance));
            passed.option("iterations", Some(algorithms.iterations));
            passed.option("top", Some(algorithms.top));
        }
        passed.flag("triangles", algorithms.triangles);
        passed.flag("components", algorithms.components);
        passed.option("bfs", algorithms.bfs);
        passed.flag("incremental", algorithms.incremental);
        passed.option("runs", Some(self.runs));
        passed.flag("verify", self.verify);
    }
}

fn parse_method(text: &str) -> Result<Method, String> {
    let mut methods = Method::ALL.into_iter();
    let found = methods.find(|method| method.name() == text);
    found.ok_or_else(|| "write power or accelerated".to_owned())
}

fn parse_damping(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(damping) if (0.0..1.0).contains(&damping) => Ok(damping),
        _ => Err("write a number from 0 up to 1, but not 1 itself".to_owned()),
    }
}

fn parse_tolerance(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(tolerance) if (0.0..=2.0).contains(&tolerance) => Ok(tolerance),
        _ => Err("write a number from 0 to 2".to_owned()),
    }
}
