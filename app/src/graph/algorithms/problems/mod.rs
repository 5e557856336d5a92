//! Problems of shortest paths from a file, solved one after the other.

mod reference;

use std::path::PathBuf;

use heapwood_graphs::{Problems, load_problems};
pub use heapwood_results::graph::ProblemsReport;
use heapwood_results::graph::{ProblemReport, ProblemTimes, WeightSum};
use serde::{Deserialize, Serialize};

use super::paths::{Distances, PathSolver};
use super::values::{Answer, VertexValue};
use super::{Algorithm, Flags, ReportContext, Saves, Values};
use crate::graph::verify::{Difference, Reference};
use crate::graph::{Input, Store, StoreError};
use crate::samples::Samples;
use crate::word;
use crate::{Error, OptionError};

/// Sums of integers are those that the challenge's solvers print as checksums (Goldberg's `main.cc`).
const CHECKSUM_MODULUS: u64 = 1 << 62;

/// The solutions of all problems, in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct Solutions {
    /// One for each problem.
    pub solved: Vec<Solution>,
    /// Time of all kernels, in milliseconds: those of the problems, and of the preparation, which is
    /// made once for all.
    pub ms: f64,
}

/// The solution of a problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solution {
    /// The answer.
    pub answer: Answer,
    /// Steps that have relaxed edges.
    pub steps: u64,
    /// Time of the kernels of this search, in milliseconds.
    pub ms: f64,
}

/// The flag for problems.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct ProblemFlags {
    /// Solve the shortest path problems of a file, one after the other
    ///
    /// The file is a .ss or .p2p of DIMACS's ninth challenge, or a vector of sources in Matrix Market, or has
    /// a source a line, or a source and a target. Vertices have the numbers of the graph's file.
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            value_name = "FILE",
            group = "shortest-paths",
            hide_short_help = true
        )
    )]
    #[serde(with = "word::option")]
    pub problems: Option<PathBuf>,
}

/// Problems, and how they are solved.
#[derive(Clone, Debug, PartialEq)]
pub struct ProblemOptions {
    /// The problems.
    pub problems: Problems,
    /// By how much the bound of near vertices rises, if it is not chosen by the weights; above 0.
    pub delta: Option<f32>,
}

impl ProblemOptions {
    /// The source of each problem, and the target if there is one.
    fn pairs(&self) -> Vec<(u32, Option<u32>)> {
        match &self.problems {
            Problems::SingleSource(sources) => {
                sources.iter().map(|&source| (source, None)).collect()
            }
            Problems::PointToPoint(pairs) => {
                let pairs = pairs.iter();
                pairs
                    .map(|&[source, target]| (source, Some(target)))
                    .collect()
            }
        }
    }

    fn kind(&self) -> &'static str {
        match self.problems {
            Problems::SingleSource(_) => "single-source",
            Problems::PointToPoint(_) => "point-to-point",
        }
    }
}

impl Algorithm for Solutions {
    type Flags = ProblemFlags;
    type Options = ProblemOptions;
    type Request = Option<ProblemOptions>;
    type Report = ProblemsReport;

    fn request(
        flags: &Flags,
        saves: &Saves,
        graph: &Input,
    ) -> Result<Option<ProblemOptions>, Error> {
        let path = match (&flags.problems.problems, saves.problems.is_some()) {
            (Some(path), _) => path,
            (None, false) => return Ok(None),
            (None, true) => return Err(OptionError::NoProblems.into()),
        };
        if graph.rows.weights.is_none() {
            return Err(StoreError::Unweighted.into());
        }
        Ok(Some(ProblemOptions {
            problems: load_problems(path, &graph.ids, graph.rows.vertices())?,
            // One flag is for both searches.
            delta: flags.paths.delta,
        }))
    }

    fn run(options: &ProblemOptions, store: &Store) -> Result<Self, StoreError> {
        store.solve(options)
    }

    fn verify(
        &self,
        options: &ProblemOptions,
        store: &Store,
        reference: &Reference,
    ) -> Result<String, Error> {
        let solver = PathSolver::prepare(store, options.delta)?;
        let vertices = store.shape().vertices;
        for (number, (&(source, target), solution)) in
            (1..).zip(options.pairs().iter().zip(&self.solved))
        {
            // A solution has no distances of all vertices: many of them would not fit in memory.
            solver.run(source)?;
            let found = Distances::new(solver.words(source, 0..vertices)?, solver.kind);
            let compared = reference.problem(&found, (source, target), &solution.answer);
            compared.map_err(|difference| match difference {
                Difference::Found(what) => Difference::Found(format!("problem {number}: {what}")),
                other => other,
            })?;
        }
        Ok(format!("{} problems", self.solved.len()))
    }

    fn values(&self, _: &Store) -> Result<Values<'_>, StoreError> {
        let answers = self.solved.iter().map(|solution| solution.answer);
        Ok(Values::Answers(answers.collect()))
    }

    fn ms(&self) -> f64 {
        self.ms
    }

    fn report(
        &self,
        options: &ProblemOptions,
        ms: Samples,
        context: &ReportContext,
    ) -> ProblemsReport {
        let times = self.solved.iter().map(|solution| solution.ms);
        let id = |vertex| context.input.ids.of(vertex);
        ProblemsReport {
            kind: options.kind().to_owned(),
            count: self.solved.len() as u64,
            problem_ms: ProblemTimes::new(times.collect()).expect("a file has problems"),
            problems: self.solved.iter().map(|found| found.report(id)).collect(),
            ms,
        }
    }
}

impl Solution {
    /// The report, which calls vertices by `id`.
    fn report(&self, id: impl Fn(u32) -> u64) -> ProblemReport {
        let (steps, ms) = (self.steps, self.ms);
        match self.answer {
            Answer::Sum {
                source,
                reached,
                greatest,
                sum,
            } => ProblemReport {
                source: id(source),
                target: None,
                distance: None,
                reached: Some(reached),
                greatest,
                sum: Some(weight_sum(sum)),
                steps,
                ms,
            },
            Answer::Distance {
                source,
                target,
                distance,
            } => ProblemReport {
                source: id(source),
                target: Some(id(target)),
                distance: (!distance.is_unreached()).then(|| weight_sum(distance)),
                reached: None,
                greatest: None,
                sum: None,
                steps,
                ms,
            },
        }
    }
}

/// A sum of weights in reports.
fn weight_sum(value: VertexValue) -> WeightSum {
    match value {
        VertexValue::Whole(sum) => WeightSum::Integer(sum),
        VertexValue::Real(sum) => WeightSum::Real(sum),
    }
}

impl Answer {
    /// The answer to a single-source problem with these distances of all vertices.
    fn sum(source: u32, distances: &Distances) -> Self {
        let reached = distances.reached();
        let sum = match distances {
            Distances::Integer(all) => {
                let sums = all.iter().filter(|&&distance| distance != u64::MAX);
                let sum = sums.fold(0_u64, |sum, &distance| sum.wrapping_add(distance));
                VertexValue::Whole(sum % CHECKSUM_MODULUS)
            }
            Distances::Real(_) => VertexValue::Real(reached.iter().sum()),
        };
        Self::Sum {
            source,
            reached: reached.len() as u64,
            greatest: reached.iter().copied().max_by(f64::total_cmp),
            sum,
        }
    }
}

impl Store<'_> {
    /// Solves problems of shortest paths, each by a search of its own. The preparation of the graph is
    /// common to all.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unweighted`] for a graph without weights, and when there is not enough memory.
    ///
    /// # Panics
    ///
    /// If a source or a target is no vertex, or delta is not above 0.
    pub fn solve(&self, options: &ProblemOptions) -> Result<Solutions, StoreError> {
        let vertices = self.shape().vertices;
        let solver = PathSolver::prepare(self, options.delta)?;
        let mut total_ms = solver.ms;
        let mut solved = Vec::new();
        for (source, target) in options.pairs() {
            let (state, ms) = solver.run(source)?;
            total_ms += ms;
            let wanted = match target {
                None => 0..vertices,
                Some(target) => {
                    assert!(target < vertices, "vertex {target} of {vertices}");
                    target..target + 1
                }
            };
            let distances = Distances::new(solver.words(source, wanted)?, solver.kind);
            let answer = match target {
                None => Answer::sum(source, &distances),
                Some(target) => Answer::Distance {
                    source,
                    target,
                    distance: distances.value(0),
                },
            };
            solved.push(Solution {
                answer,
                steps: state.steps,
                ms,
            });
        }
        Ok(Solutions {
            solved,
            ms: total_ms,
        })
    }
}

#[cfg(test)]
mod tests;
