//! LDBC Graphalytics: the algorithms of a dataset run on its graph over an allocator, and their output
//! is compared with that of the reference.

mod comparison;

use heapwood_graphs::{CsrOptions, Dataset, DatasetAlgorithm, Loaded, ReferenceValues};
use heapwood_results::graph::{Comparison, DatasetRow};

pub use comparison::compare;

use super::graph::{Algorithms, Input, Results, Run};
use crate::Error;
use crate::graph::algorithms::{Algorithm, Values};
use crate::graph::{Method, PathOptions, RankOptions, Store, StoreError};
use crate::samples::Samples;

/// A dataset that was read.
#[derive(Clone, Debug)]
pub struct Benchmark {
    /// The dataset.
    pub dataset: Dataset,
    /// Its graph.
    pub input: Input,
    /// The reference output of each algorithm, where there is one.
    references: Vec<Option<ReferenceValues>>,
}

impl Benchmark {
    /// A dataset with its graph. Reads the reference output.
    ///
    /// # Errors
    ///
    /// Reference output that cannot be used.
    pub fn new(dataset: Dataset, loaded: Loaded) -> Result<Self, Error> {
        let input = Input {
            ids: loaded.ids,
            ..Input::new(&dataset.name, loaded.edges, CsrOptions::default())
        };
        let (ids, vertices) = (&input.ids, input.rows.vertices());
        let references = dataset.algorithms.iter();
        let references = references.map(|algorithm| dataset.reference(algorithm, ids, vertices));
        Ok(Self {
            references: references.collect::<Result<_, _>>()?,
            input,
            dataset,
        })
    }

    /// The requests for the algorithms of the dataset.
    ///
    /// # Panics
    ///
    /// If a source is no vertex of the graph, which is that of the dataset.
    pub fn algorithms(&self) -> Algorithms {
        let vertex = |id| self.input.vertex(id).expect("a source is a vertex");
        let mut algorithms = Algorithms::default();
        for algorithm in &self.dataset.algorithms {
            match algorithm {
                DatasetAlgorithm::Bfs { source } => algorithms.search = Some(vertex(*source)),
                DatasetAlgorithm::Cdlp { iterations } => algorithms.communities = Some(*iterations),
                DatasetAlgorithm::Lcc => algorithms.clustering = true,
                DatasetAlgorithm::PageRank {
                    damping,
                    iterations,
                } => {
                    algorithms.ranks = Some(RankOptions {
                        method: Method::Power,
                        damping: *damping,
                        // The specification fixes the number of iterations.
                        tolerance: 0.0,
                        limit: *iterations,
                        resume: false,
                    });
                }
                DatasetAlgorithm::Sssp { source, .. } => {
                    algorithms.paths = Some(PathOptions::from(vertex(*source)));
                }
                DatasetAlgorithm::Wcc => algorithms.components = true,
            }
        }
        algorithms
    }

    /// The algorithms of runs, at least one, with the comparison of the output of the first one. The
    /// store has the graph.
    ///
    /// # Errors
    ///
    /// When there is not enough memory.
    ///
    /// # Panics
    ///
    /// If the runs are not of the algorithms of the dataset.
    pub fn rows(&self, runs: &[Run], store: &Store) -> Result<Vec<DatasetRow>, Error> {
        let algorithms = self.dataset.algorithms.iter().zip(&self.references);
        let row = |(algorithm, reference): (&DatasetAlgorithm, &Option<ReferenceValues>)| {
            let times = runs.iter().map(|run| ms(algorithm, &run.results));
            let parameters = algorithm.parameters().into_iter();
            let comparison = match reference {
                None => Comparison::NoReference,
                Some(reference) => {
                    let values = output(algorithm, &runs[0].results, store)?;
                    compare(&values, &self.input.ids, reference)
                }
            };
            Ok(DatasetRow {
                algorithm: algorithm.name().to_owned(),
                parameters: parameters
                    .map(|(name, value)| (name.to_owned(), value))
                    .collect(),
                ms: Samples::new(times.collect()).expect("there is a run"),
                comparison,
            })
        };
        algorithms.map(row).collect()
    }

    /// Makes sure that no output differs from that of the reference.
    ///
    /// # Errors
    ///
    /// [`Error::Verification`] with the first difference of each algorithm.
    pub fn check(&self, rows: &[DatasetRow]) -> Result<(), Error> {
        let is_different = |row: &&DatasetRow| matches!(row.comparison, Comparison::Differs { .. });
        let different = rows.iter().filter(is_different);
        let differences: Vec<String> = different
            .map(|row| format!("{} {}", row.algorithm, row.comparison))
            .collect();
        if differences.is_empty() {
            return Ok(());
        }
        let path = self.dataset.path.display();
        let why = format!("{path}: verification: {}", differences.join("; "));
        Err(Error::Verification(why))
    }
}

/// The output of an algorithm in the results of a run, on the store that it ran on.
///
/// # Errors
///
/// When there is not enough memory.
///
/// # Panics
///
/// If the run is not of this algorithm.
pub fn output<'r>(
    algorithm: &DatasetAlgorithm,
    results: &'r Results,
    store: &Store,
) -> Result<Values<'r>, StoreError> {
    fn of<'r, A: Algorithm>(found: &'r Option<A>, store: &Store) -> Result<Values<'r>, StoreError> {
        let found = found.as_ref().expect("a result of the algorithm");
        found.values(store)
    }
    match algorithm {
        DatasetAlgorithm::Bfs { .. } => of(&results.search, store),
        DatasetAlgorithm::Cdlp { .. } => of(&results.communities, store),
        DatasetAlgorithm::Lcc => of(&results.clustering, store),
        DatasetAlgorithm::PageRank { .. } => of(&results.ranks, store),
        DatasetAlgorithm::Sssp { .. } => of(&results.paths, store),
        DatasetAlgorithm::Wcc => of(&results.components, store),
    }
}

/// The time of an algorithm in a run, in milliseconds.
fn ms(algorithm: &DatasetAlgorithm, results: &Results) -> f64 {
    fn of<A: Algorithm>(found: &Option<A>) -> f64 {
        found.as_ref().expect("a result of the algorithm").ms()
    }
    match algorithm {
        DatasetAlgorithm::Bfs { .. } => of(&results.search),
        DatasetAlgorithm::Cdlp { .. } => of(&results.communities),
        DatasetAlgorithm::Lcc => of(&results.clustering),
        DatasetAlgorithm::PageRank { .. } => of(&results.ranks),
        DatasetAlgorithm::Sssp { .. } => of(&results.paths),
        DatasetAlgorithm::Wcc => of(&results.components),
    }
}
