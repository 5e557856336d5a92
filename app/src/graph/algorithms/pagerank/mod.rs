//! PageRank: the power iteration, plain or accelerated, until ranks change no more.

mod reference;
mod report;
mod traffic;

use heapwood_device::graph::pagerank::plan::{Method, RankOptions, RankSpace, RankState};
use heapwood_device::launch::PlannedLaunch;

use heapwood_results::graph::TrialResult;
pub use heapwood_results::graph::{RankReport, Ranked};
use reference::MAX_DISTANCE;
pub use reference::rounding;
pub use traffic::rank_iteration;

use super::gap::{Trial, TrialContext};
use super::{Algorithm, Flags, ReportContext, Saves, Values};
use crate::Error;
use crate::graph::verify::Reference;
use crate::graph::{Input, Store, StoreError};
use crate::samples::Samples;

/// Iterations that are launched before the host looks at the first of them.
const ITERATIONS: u32 = 8;

/// The options in `benchmark/bench.mk` of gapbs. The method is the usual one here.
const GAP_OPTIONS: RankOptions = RankOptions {
    method: Method::Accelerated,
    damping: 0.85,
    tolerance: 1e-4,
    limit: 1000,
    resume: false,
};

/// Ranks and how they were reached.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranks {
    /// One for each vertex; 0 for those that were deleted.
    pub ranks: Vec<f32>,
    /// How they were iterated.
    pub method: Method,
    /// How far the computation came.
    pub state: RankState,
    /// Time of all kernels, in milliseconds.
    pub ms: f64,
}

/// The flags for PageRank. A file for ranks asks for them too.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args), command(group = clap::ArgGroup::new("pagerank-asked").arg("pagerank").multiple(true)))]
pub struct RankFlags {
    /// Compute PageRank
    #[cfg_attr(feature = "cli", arg(long))]
    pub pagerank: bool,
    /// Iteration of the ranks
    ///
    /// `power` has the iterations that other systems count. `accelerated` takes fewer on undirected
    /// graphs.
    #[cfg_attr(feature = "cli", arg(long, hide_short_help = true, value_name = "power|accelerated", default_value = "accelerated", value_parser = parse_method, requires = "pagerank-asked"))]
    #[serde(with = "crate::word")]
    pub method: Method,
    /// Damping factor
    #[cfg_attr(feature = "cli", arg(long, hide_short_help = true, value_name = "D", default_value_t = RankOptions::default().damping, value_parser = parse_damping, requires = "pagerank-asked"))]
    pub damping: f64,
    /// Change of all ranks together at which the iteration ends
    #[cfg_attr(feature = "cli", arg(long, hide_short_help = true, value_name = "T", default_value_t = RankOptions::default().tolerance, value_parser = parse_tolerance, requires = "pagerank-asked"))]
    pub tolerance: f64,
    /// Max iterations
    #[cfg_attr(feature = "cli", arg(long, hide_short_help = true, value_name = "N", default_value_t = RankOptions::default().limit, value_parser = clap::value_parser!(u32).range(1..=100_000), requires = "pagerank-asked"))]
    pub iterations: u32,
    /// Vertices of highest rank to list
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            hide_short_help = true,
            value_name = "K",
            default_value_t = 10,
            requires = "pagerank-asked"
        )
    )]
    pub top: usize,
}

impl Default for RankFlags {
    fn default() -> Self {
        let usual = RankOptions::default();
        Self {
            pagerank: false,
            method: usual.method,
            damping: usual.damping,
            tolerance: usual.tolerance,
            iterations: usual.limit,
            top: 10,
        }
    }
}

impl Algorithm for Ranks {
    type Flags = RankFlags;
    type Options = RankOptions;
    type Request = Option<RankOptions>;
    type Report = RankReport;

    fn request(flags: &Flags, saves: &Saves, _: &Input) -> Result<Option<RankOptions>, Error> {
        let flags = &flags.ranks;
        let is_asked = flags.pagerank || saves.ranks.is_some();
        Ok(is_asked.then_some(RankOptions {
            method: flags.method,
            damping: flags.damping,
            tolerance: flags.tolerance,
            limit: flags.iterations,
            resume: false,
        }))
    }

    fn run(options: &RankOptions, store: &Store) -> Result<Self, StoreError> {
        store.pagerank(options, None)
    }

    fn verify(
        &self,
        options: &RankOptions,
        _: &Store,
        reference: &Reference,
    ) -> Result<String, Error> {
        let off = reference.ranks(self, options, None)?;
        Ok(match off < MAX_DISTANCE {
            true => format!("ranks, off by {off:.1e} in all at most"),
            false => format!("ranks, as after {} iterations", self.state.iterations),
        })
    }

    fn values(&self, _: &Store) -> Result<Values<'_>, StoreError> {
        Ok(Values::Ranks(&self.ranks))
    }

    fn ms(&self) -> f64 {
        self.ms
    }

    fn drop_vertices(&mut self) {
        self.ranks = Vec::new();
    }

    fn report(&self, _: &RankOptions, ms: Samples, context: &ReportContext) -> RankReport {
        report::rank_report(self, ms, context)
    }
}

/// A trial of the GAP benchmark suite.
pub(super) fn trial(context: &TrialContext) -> Result<Trial, Error> {
    let found = context.store.pagerank(&GAP_OPTIONS, None)?;
    let iterations = TrialResult::Iterations(found.state.iterations);
    let trial = context.trial(&found, &GAP_OPTIONS, iterations)?;
    let reference = context.reference;
    let total_error = reference.map(|reference| reference.total_error(&found, &GAP_OPTIONS));
    Ok(Trial {
        total_error: total_error.transpose()?,
        ..trial
    })
}

impl Store<'_> {
    /// Computes PageRank; `from` ranks of before a batch, if there are any, which
    /// takes fewer iterations. They are one a vertex: those of new vertices are the caller's.
    ///
    /// # Errors
    ///
    /// [`StoreError::Ranks`], and when there is not enough memory.
    pub fn pagerank(
        &self,
        options: &RankOptions,
        from: Option<&[f32]>,
    ) -> Result<Ranks, StoreError> {
        let vertices = self.shape().vertices;
        let ranks = from.map_or(vertices as usize, <[f32]>::len);
        if ranks != vertices as usize {
            return Err(StoreError::Ranks { ranks, vertices });
        }
        let mut options = *options;
        let space = RankSpace::new(self.shape(), self.entries()?, options.limit);
        let workspace = self.backend.allocate(space.bytes() as u64)?;
        options.resume = from.is_some();
        if let Some(ranks) = from {
            workspace.upload(space.ranks_offset() as u64, ranks)?;
        }
        let (graph, address) = (&self.device.graph, workspace.address());
        let start = graph.rank_start(&options, &space, address);
        // SAFETY: the workspace is divided by `space`; ranks to resume from are
        // in it.
        let mut ms = unsafe { self.time(&start)? };
        let mut launched = 0;
        loop {
            let to = (launched + ITERATIONS).min(options.limit);
            let steps: Vec<PlannedLaunch> = (launched + 1..=to)
                .map(|iteration| graph.rank_step(&options, &space, address, iteration))
                .collect();
            // SAFETY: as above, and iterations come in order.
            ms += unsafe { self.time(&steps)? };
            launched = to;
            let words = space.sum_words(launched);
            let sums: Vec<u64> = workspace.download(space.sums_offset() as u64, words)?;
            let state = space.state(&sums, options.tolerance);
            if state.converged || launched == options.limit {
                let ranks = workspace.download(space.ranks_offset() as u64, vertices as usize)?;
                let method = options.method.in_graph(self.shape().directed);
                return Ok(Ranks {
                    ranks,
                    method,
                    state,
                    ms,
                });
            }
        }
    }
}

#[cfg(feature = "cli")]
fn parse_method(text: &str) -> Result<Method, String> {
    let mut methods = Method::ALL.into_iter();
    let found = methods.find(|method| method.name() == text);
    found.ok_or_else(|| "write power or accelerated".to_owned())
}

#[cfg(feature = "cli")]
fn parse_damping(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(damping) if (0.0..1.0).contains(&damping) => Ok(damping),
        _ => Err("write a number from 0 up to 1, but not 1 itself".to_owned()),
    }
}

#[cfg(feature = "cli")]
fn parse_tolerance(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(tolerance) if (0.0..=2.0).contains(&tolerance) => Ok(tolerance),
        _ => Err("write a number from 0 to 2".to_owned()),
    }
}
