//! The GAP benchmark suite (Beamer, Asanović and Patterson 2015): its kernels run on a graph over an
//! allocator, trial by trial, from the sources that it prescribes.

mod sources;

use heapwood_results::graph::{KernelReport, TrialReport};

pub use sources::SourcePicker;

use crate::Error;
use crate::graph::algorithms::gap::TrialContext;
pub use crate::graph::algorithms::{GAP_KERNELS, GapKernel};
use crate::graph::verify::Reference;
use crate::graph::{Input, Store};
use crate::samples::Samples;

/// A graph that was read, and the kernels to run on it.
#[derive(Clone, Debug)]
pub struct GapBenchmark {
    /// The graph. Results are verified if it has its edges.
    pub input: Input,
    /// Reading or generating the graph and making its rows, in milliseconds.
    pub read_ms: f64,
    /// The kernels, each with the number of its trials.
    kernels: Vec<(GapKernel, u32)>,
    /// The sources of each kernel, over and over. If there are none, they are drawn.
    sources: Vec<u32>,
}

impl GapBenchmark {
    /// The kernels that are asked for, or all that the graph supports if there are none. Each has as
    /// many trials as are asked for, or as the suite prescribes. They start from these sources, over and
    /// over, or from those that gapbs draws if there are none.
    ///
    /// # Errors
    ///
    /// As for [`GapKernel::check`], if the graph does not support a kernel that is asked for.
    pub fn new(
        (input, read_ms): (Input, f64),
        asked: &[GapKernel],
        trials: Option<u32>,
        sources: Vec<u32>,
    ) -> Result<Self, Error> {
        asked.iter().try_for_each(|kernel| kernel.check(&input))?;
        let kernels: Vec<GapKernel> = match asked {
            [] => {
                let all = GAP_KERNELS.iter().copied();
                all.filter(|kernel| kernel.check(&input).is_ok()).collect()
            }
            asked => asked.to_vec(),
        };
        let with_trials = |kernel: GapKernel| (kernel, trials.unwrap_or(kernel.trials));
        Ok(Self {
            kernels: kernels.into_iter().map(with_trials).collect(),
            input,
            read_ms,
            sources,
        })
    }

    /// The sources of a kernel, which do not end unless there are none.
    fn sources(&self) -> Box<dyn Iterator<Item = u32> + '_> {
        match self.sources.as_slice() {
            [] => Box::new(SourcePicker::new(&self.input.rows).into_iter().flatten()),
            listed => Box::new(listed.iter().copied().cycle()),
        }
    }

    /// The trials of all kernels.
    pub fn trials(&self) -> usize {
        let trials = self.kernels.iter().map(|(_, trials)| *trials as usize);
        trials.sum()
    }

    /// Runs all trials on a store of the graph, and calls `after_each`.
    ///
    /// # Errors
    ///
    /// [`Error::Trial`] when there is not enough memory, and for a wrong result.
    pub fn run(
        &self,
        store: &Store,
        mut after_each: impl FnMut(),
    ) -> Result<Vec<KernelReport>, Error> {
        let reference = self.input.checker().map(|checker| checker.reference());
        let kernels = self.kernels.iter();
        kernels
            .map(|&(kernel, trials)| {
                self.run_kernel((kernel, trials), store, reference.as_ref(), &mut after_each)
            })
            .collect()
    }

    fn run_kernel(
        &self,
        (kernel, trials): (GapKernel, u32),
        store: &Store,
        reference: Option<&Reference>,
        after_each: &mut impl FnMut(),
    ) -> Result<KernelReport, Error> {
        let mut all_sources = self.sources();
        let (mut times, mut reports) = (Vec::new(), Vec::new());
        for number in 1..=trials {
            let sources: Vec<u32> = all_sources.by_ref().take(kernel.sources).collect();
            let trial = kernel.run(&TrialContext {
                store,
                sources: &sources,
                reference,
            });
            let trial = trial.map_err(|error| Error::Trial {
                kernel: kernel.name,
                number,
                error: Box::new(error),
            })?;
            times.push(trial.ms);
            let ids = &self.input.ids;
            reports.push(TrialReport {
                sources: sources.into_iter().map(|source| ids.of(source)).collect(),
                result: trial.result,
                total_error: trial.total_error,
                verification_ms: trial.verification_ms,
            });
            after_each();
        }
        Ok(KernelReport {
            kernel: kernel.name.to_owned(),
            average_ms: times.iter().sum::<f64>() / f64::from(trials),
            ms: Samples::new(times).expect("there is a trial"),
            trials: reports,
        })
    }
}

#[cfg(test)]
mod tests {
    use heapwood_graphs::{CsrOptions, EdgeList, WeightKind, Weights};
    use heapwood_results::graph::TrialResult;

    use super::*;
    use crate::backend::Cpu;
    use crate::graph::{Layout, Options};

    /// A square with a diagonal and a tail, and a vertex alone.
    fn list(directed: bool, is_weighted: bool) -> EdgeList {
        let edges = vec![[0, 1], [1, 2], [2, 3], [3, 0], [0, 2], [3, 4]];
        let weights = is_weighted.then(|| Weights {
            kind: WeightKind::Integer,
            words: vec![5, 1, 2, 9, 4, 3],
        });
        EdgeList {
            vertices: 6,
            edges,
            weights,
            directed,
        }
    }

    fn benchmark(
        list: EdgeList,
        asked: &[&str],
        trials: Option<u32>,
    ) -> Result<GapBenchmark, Error> {
        let input = Input::verified("square", list, CsrOptions::default());
        let asked: Vec<GapKernel> = asked
            .iter()
            .filter_map(|name| GapKernel::named(name))
            .collect();
        GapBenchmark::new((input, 1.0), &asked, trials, Vec::new())
    }

    fn run(benchmark: &GapBenchmark, layout: Layout) -> Result<Vec<KernelReport>, Error> {
        let cpu = Cpu::with_threads(1).unwrap();
        let options = Options {
            layout,
            ..Options::default()
        };
        let (rows, columns) = (&benchmark.input.rows, benchmark.input.columns.as_ref());
        let store = Store::new(&cpu, options, rows, columns).unwrap();
        let mut count = 0;
        let done = benchmark.run(&store, || count += 1)?;
        assert_eq!(count, benchmark.trials());
        Ok(done)
    }

    #[test]
    fn kernels_have_the_trials_of_the_suite() {
        let benchmark = benchmark(list(false, true), &[], None).unwrap();
        for layout in [Layout::Contiguous, Layout::Linked] {
            let kernels = run(&benchmark, layout).unwrap();
            let trials = kernels
                .iter()
                .map(|found| (found.kernel.as_str(), found.trials.len()));
            let expected = [
                ("bfs", 64),
                ("sssp", 64),
                ("pr", 16),
                ("cc", 16),
                ("bc", 16),
                ("tc", 3),
            ];
            assert!(trials.eq(expected), "{kernels:?}");
            let sources = |index: usize| {
                let trials = kernels[index].trials.iter();
                trials
                    .map(|trial| trial.sources.clone())
                    .collect::<Vec<_>>()
            };
            assert_eq!(sources(0), sources(1));
            let picker = SourcePicker::new(&benchmark.input.rows).unwrap();
            let picked: Vec<_> = picker
                .take(64)
                .map(|vertex| vec![u64::from(vertex)])
                .collect();
            assert_eq!(sources(0), picked);
            // Each trial of betweenness has the next four.
            assert!(sources(4).iter().all(|sources| sources.len() == 4));
            assert_eq!(sources(4).concat(), picked.concat());
            let results = [0, 1, 3, 5].map(|index| kernels[index].trials[2].result);
            let reached = TrialResult::Reached(5);
            let (components, triangles) = (TrialResult::Components(2), TrialResult::Triangles(2));
            assert_eq!(results, [reached, reached, components, triangles]);
            for kernel in &kernels {
                let is_ranks = kernel.kernel == "pr";
                assert!(kernel.ms.samples.len() == kernel.trials.len());
                for trial in &kernel.trials {
                    assert!(trial.verification_ms.is_some());
                    assert_eq!(
                        trial.total_error.is_some_and(|error| error < 1e-4),
                        is_ranks
                    );
                }
            }
        }
    }

    #[test]
    fn kernels_are_those_that_the_graph_supports() {
        let names = |list, asked: &[&str]| -> Result<Vec<&str>, Error> {
            let kernels = benchmark(list, asked, Some(2))?.kernels;
            assert!(kernels.iter().all(|(_, trials)| *trials == 2));
            Ok(kernels.into_iter().map(|(kernel, _)| kernel.name).collect())
        };
        assert_eq!(
            names(list(true, false), &[]).unwrap(),
            ["bfs", "pr", "cc", "bc"]
        );
        assert_eq!(
            names(list(true, true), &["sssp", "bfs"]).unwrap(),
            ["sssp", "bfs"]
        );
        let empty = || EdgeList {
            edges: Vec::new(),
            ..list(false, false)
        };
        assert_eq!(names(empty(), &[]).unwrap(), ["pr", "cc", "tc"]);
        for (list, asked, why) in [
            (list(false, false), "sssp", "the graph has none"),
            (list(true, true), "tc", "this one is directed"),
            (empty(), "bfs", "the graph has no edges"),
        ] {
            let error = names(list, &["cc", asked]).unwrap_err();
            assert!(error.to_string().contains(why), "{error}");
        }
    }

    #[test]
    fn wrong_results_name_their_trial() {
        for (kernel, why) in [
            ("bfs", "bfs, trial 1: verification: vertex "),
            ("sssp", "sssp, trial 1: verification: vertex "),
            (
                "pr",
                "pr, trial 1: verification: the ranks have a residual of ",
            ),
            ("cc", "cc, trial 1: verification: vertex "),
            ("bc", "bc, trial 1: verification: vertex "),
            ("tc", "tc, trial 1: verification: "),
        ] {
            let mut benchmark = benchmark(list(false, true), &[kernel], None).unwrap();
            // The results are those of another graph.
            let edges = benchmark.input.edges.as_mut().unwrap();
            edges.edges = vec![[0, 1], [2, 3], [0, 4], [1, 4], [1, 5], [4, 5]];
            let error = run(&benchmark, Layout::Contiguous).unwrap_err();
            assert_eq!(error.exit_code(), 5);
            assert!(error.to_string().starts_with(why), "{error}");
        }
    }
}
