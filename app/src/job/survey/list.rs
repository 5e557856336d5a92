//! The cases of the survey.

use heapwood_results::survey::SurveyFigure;

use super::case::{SurveyJob, SurveyWork};
use super::sizes::SurveySizes;
use crate::allocators::Spec;
use crate::backend;
use crate::generate::{GraphSpec, Source};
use crate::graph::Pattern;
use crate::job::{
    AlgorithmOptions, EdgeSource, EventOptions, GraphJob, InputOptions, StepsJob, StepsOptions,
    StorageOptions, UpdateOptions, WorkOptions,
};
use crate::size::Pool;
use crate::workload::micro::{Draws, HeapState, Microbenchmark, Plan};
use crate::workload::workgen::Workgen;
use crate::workload::{fragmentation, micro};

/// The largest pool that is filled, as in the survey.
const MAX_FILLED_POOL: u64 = 2 << 30;

/// One launch in which each warp allocates a block.
const WARP_ALLOCATION: Draws = Draws {
    launches: 1,
    p_alloc: 1.0,
    p_free: 1.0,
};

/// Figures of the survey over allocators.
#[derive(Clone, Debug)]
pub struct Survey {
    /// The figures, in any order.
    pub figures: Vec<SurveyFigure>,
    /// The sizes of their tests.
    pub sizes: SurveySizes,
    /// The allocators.
    pub allocators: Vec<Spec>,
    /// The pool of an allocator, in bytes; at most 2 GiB of it is filled.
    pub pool_bytes: u64,
    /// How often a case is measured.
    pub plan: Plan,
    /// Where, once decided.
    pub backend: backend::Options,
}

impl Survey {
    /// The jobs, figure by figure, then allocator by allocator.
    pub fn jobs(&self) -> Vec<SurveyJob> {
        let chosen = |figure: &SurveyFigure| self.figures.contains(figure);
        let figures: Vec<SurveyFigure> = SurveyFigure::ALL.into_iter().filter(chosen).collect();
        // One case has the addresses of blocks and what a pool grants.
        let is_of_pools = |figure: &SurveyFigure| {
            matches!(
                figure,
                SurveyFigure::AddressRange | SurveyFigure::OutOfMemory
            )
        };
        let of_work = |of: &SurveyFigure, other: &SurveyFigure| {
            of == other || is_of_pools(of) && is_of_pools(other)
        };
        let mut jobs = Vec::new();
        for group in figures.chunk_by(of_work) {
            for spec in &self.allocators {
                let work = self.work(group[0], spec).into_iter();
                jobs.extend(work.map(|work| SurveyJob {
                    figures: group.to_vec(),
                    work,
                }));
            }
        }
        jobs
    }

    /// Whether a graph is loaded.
    pub fn has_graphs(&self) -> bool {
        self.figures.iter().any(|figure| {
            matches!(
                figure,
                SurveyFigure::GraphInitialization
                    | SurveyFigure::GraphUpdates
                    | SurveyFigure::UniformGraphUpdates
            )
        })
    }

    /// The work of a figure over an allocator.
    fn work(&self, figure: SurveyFigure, spec: &Spec) -> Vec<SurveyWork> {
        let sizes = &self.sizes;
        let threads = |workload, threads: &[u32], bytes: &[u64]| {
            let points = micro::Size::product(threads, bytes, &[1]).into_iter();
            let case = |size| SurveyWork::Micro(self.micro(spec, workload, size));
            points.map(case).collect()
        };
        match figure {
            SurveyFigure::Registers => vec![SurveyWork::Registers {
                allocator: spec.clone(),
                backend: self.backend.over(spec),
            }],
            SurveyFigure::Initialization => {
                let size = micro::Size {
                    threads: 1,
                    bytes: 16,
                    kept: 1,
                };
                vec![SurveyWork::Micro(micro::Case {
                    heap: HeapState::Cold,
                    ..self.micro(spec, Microbenchmark::Threads, size)
                })]
            }
            SurveyFigure::ThreadAllocation => {
                threads(Microbenchmark::Threads, &[sizes.threads], &sizes.bytes)
            }
            SurveyFigure::WarpAllocation => threads(
                Microbenchmark::Probability,
                &[sizes.fewer * 32],
                &sizes.bytes,
            ),
            SurveyFigure::MixedAllocation => threads(Microbenchmark::Mixed, &[sizes.fewer], &[0]),
            SurveyFigure::Scaling => threads(
                Microbenchmark::Scaling,
                &sizes.scaling_threads,
                &sizes.scaling_bytes,
            ),
            SurveyFigure::AddressRange | SurveyFigure::OutOfMemory => {
                let bytes = sizes.bytes.iter();
                let case = |&bytes| SurveyWork::Fragmentation(self.fragmentation(spec, bytes));
                bytes.map(case).collect()
            }
            SurveyFigure::SmallWork => self.workgen(spec, 64, true),
            SurveyFigure::LargeWork => self.workgen(spec, 4096, true),
            SurveyFigure::WrittenWork => self.workgen(spec, 64, false),
            SurveyFigure::GraphInitialization => self.graphs(spec, None),
            SurveyFigure::GraphUpdates => self.graphs(spec, Some(Pattern::Pressure)),
            SurveyFigure::UniformGraphUpdates => self.graphs(spec, Some(Pattern::Uniform)),
        }
    }

    fn micro(&self, spec: &Spec, workload: Microbenchmark, size: micro::Size) -> micro::Case {
        let is_drawn = workload == Microbenchmark::Probability;
        micro::Case {
            workload,
            allocator: spec.clone(),
            heap: HeapState::Warm,
            pool_bytes: self.pool_bytes,
            threads: size.threads,
            bytes: size.bytes,
            kept: size.kept,
            draws: is_drawn.then_some(WARP_ALLOCATION),
            turns: None,
            plan: self.plan,
            backend: self.backend.over(spec),
        }
    }

    fn fragmentation(&self, spec: &Spec, bytes: u64) -> fragmentation::Case {
        fragmentation::Case {
            allocator: spec.clone(),
            pool_bytes: self.pool_bytes.min(MAX_FILLED_POOL),
            threads: self.sizes.threads,
            bytes,
            // No figure has the growth.
            most_steps: 1,
            backend: self.backend.over(spec),
        }
    }

    fn workgen(&self, spec: &Spec, max_bytes: u32, no_write: bool) -> Vec<SurveyWork> {
        let threads = self.sizes.scaling_threads.iter();
        let job = |&threads| StepsJob {
            stepped: Workgen {
                threads,
                max_bytes,
                no_write,
                ..Workgen::default()
            },
            steps: StepsOptions {
                steps: self.plan.runs,
                verify: self.plan.verify,
                pool: Pool::Bytes(self.pool_bytes),
            },
            allocator: spec.clone(),
            check_heap: false,
            draws: false,
            backend: self.backend.over(spec),
        };
        threads
            .map(|threads| SurveyWork::Workgen(job(threads)))
            .collect()
    }

    /// The graphs over an allocator; edges are inserted and deleted if sources have a pattern.
    fn graphs(&self, spec: &Spec, pattern: Option<Pattern>) -> Vec<SurveyWork> {
        let graphs = self.sizes.graphs.iter();
        let job = |graph| SurveyWork::Graph(Box::new(self.graph(spec, graph, pattern)));
        graphs.map(job).collect()
    }

    fn graph(&self, spec: &Spec, graph: &Source<GraphSpec>, pattern: Option<Pattern>) -> GraphJob {
        let runs = self.sizes.graph_runs;
        let edges = || EdgeSource::Counts(vec![self.sizes.fewer as usize]);
        let updates = pattern.map(|pattern| UpdateOptions {
            insert: Some(edges()),
            delete: Some(edges()),
            pattern: vec![pattern],
            rounds: Some(runs),
            ..UpdateOptions::default()
        });
        GraphJob {
            work: WorkOptions {
                runs: if pattern.is_some() { 1 } else { runs },
                verify: false,
                input: InputOptions::new(graph.clone()),
                pool: Pool::Bytes(self.pool_bytes),
                updates: updates.unwrap_or_default(),
                events: EventOptions::default(),
                algorithms: AlgorithmOptions::default(),
            },
            storage: StorageOptions {
                allocator: spec.clone(),
                ..StorageOptions::default()
            },
            backend: self.backend.over(spec),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn survey(figures: &[SurveyFigure]) -> Survey {
        Survey {
            figures: figures.to_vec(),
            sizes: SurveySizes::published().unwrap(),
            allocators: vec![Spec::default()],
            pool_bytes: 8 << 30,
            plan: Plan {
                warmup: 3,
                runs: 100,
                budget_s: 1.5,
                verify: true,
            },
            backend: backend::Options::default(),
        }
    }

    #[test]
    fn every_figure_has_its_points() {
        let points = |figure| survey(&[figure]).jobs().len();
        let found = SurveyFigure::ALL.map(points);
        assert_eq!(found, [1, 1, 12, 12, 1, 84, 12, 12, 21, 21, 21, 4, 4, 4]);
        let all = survey(&SurveyFigure::ALL).jobs().len();
        assert_eq!(all, 198, "12 cases have two figures");
        let jobs = survey(&SurveyFigure::ALL).jobs();
        let ends = (0..jobs.len()).filter(|&index| jobs[index].ends_figure(jobs.get(index + 1)));
        assert_eq!(ends.count(), 13, "two figures end together");
        let twice = [SurveyFigure::Registers, SurveyFigure::Registers];
        assert_eq!(survey(&twice).jobs().len(), 1);
    }

    #[test]
    fn jobs_come_back_from_json() {
        for job in survey(&SurveyFigure::ALL).jobs() {
            let json = serde_json::to_string(&job).unwrap();
            let back: SurveyJob = serde_json::from_str(&json).unwrap();
            assert_eq!(format!("{back:?}"), format!("{job:?}"));
        }
    }
}
