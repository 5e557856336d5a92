//! Incremental computation: triangles, ranks, components and distances carried along from round
//! to round, beside those that are computed anew.

use super::Algorithms;
use crate::Error;
use crate::graph::algorithms::pagerank::rounding;
use crate::graph::verify::Reference;
use crate::graph::{
    Change, Components, PathAdvance, PathOptions, PathTree, Phase, RankOptions, Ranks, Store,
    Update,
};

/// The results that are known before a round.
pub(super) struct Incremental {
    options: Option<RankOptions>,
    ranks: Option<Ranks>,
    /// The ranks that the iteration to `ranks` began from; none where those were equal.
    from: Option<Vec<f32>>,
    triangles: Option<u64>,
    /// Whether the store keeps components.
    components: bool,
    /// The time of components since they were last brought up to date, in milliseconds.
    components_ms: f64,
    paths: Option<IncrementalTree>,
}

/// Shortest paths that are carried along.
struct IncrementalTree {
    options: PathOptions,
    tree: PathTree,
    /// How they came to be what they are.
    advance: PathAdvance,
}

/// The work that brought all results up to date.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Advance {
    /// Iterations of ranks, if there are any.
    pub iterations: Option<u32>,
    /// Time of all kernels, in milliseconds.
    pub ms: f64,
}

/// The results after a round.
#[derive(Clone, Debug)]
pub struct RoundResults {
    /// Number of the round.
    pub round: u32,
    /// The ranks.
    pub ranks: Option<IncrementalRanks>,
    /// The triangles.
    pub triangles: Option<IncrementalTriangles>,
    /// The components.
    pub components: Option<IncrementalComponents>,
    /// The distances.
    pub paths: Option<IncrementalPaths>,
}

/// Ranks from those before a round, and anew.
#[derive(Clone, Debug)]
pub struct IncrementalRanks {
    /// Iterations from the ranks before the round.
    pub iterations: u32,
    /// Their time, in milliseconds.
    pub ms: f64,
    /// Iterations from equal ranks.
    pub full_iterations: u32,
    /// Their time, in milliseconds.
    pub full_ms: f64,
    /// How far the two are apart, summed over vertices.
    pub apart: f64,
}

/// Triangles counted by the batches of a round, and anew.
#[derive(Clone, Debug)]
pub struct IncrementalTriangles {
    /// In the graph, both ways.
    pub count: u64,
    /// Time of counting them anew, in milliseconds.
    pub full_ms: f64,
}

/// Components from those before a round, and anew.
#[derive(Clone, Debug)]
pub struct IncrementalComponents {
    /// Their number, both ways.
    pub count: u64,
    /// Time of joining and marking them by the batches of edges, and of bringing labels up to
    /// date, in milliseconds.
    pub ms: f64,
    /// Time of labelling them anew, in milliseconds.
    pub full_ms: f64,
}

/// Distances from those before a round, and anew.
#[derive(Clone, Debug)]
pub struct IncrementalPaths {
    /// How they were brought up to date.
    pub advance: PathAdvance,
    /// Time of finding them anew, in milliseconds.
    pub full_ms: f64,
}

impl Incremental {
    /// Computes what the first round starts from.
    ///
    /// # Errors
    ///
    /// When there is not enough memory.
    pub fn start(store: &mut Store, algorithms: &Algorithms) -> Result<Self, Error> {
        let ranks = algorithms
            .ranks
            .map(|options| store.pagerank(&options, None))
            .transpose()?;
        let triangles = match algorithms.triangles {
            true => Some(store.triangles()?.count),
            false => None,
        };
        if algorithms.components {
            store.keep_components()?;
        }
        let paths = algorithms.paths.map(|options| {
            let (tree, advance) = PathTree::start(store, &options)?;
            Ok::<_, Error>(IncrementalTree {
                options,
                tree,
                advance,
            })
        });
        Ok(Self {
            paths: paths.transpose()?,
            options: algorithms.ranks,
            ranks,
            from: None,
            triangles,
            components: algorithms.components,
            components_ms: 0.0,
        })
    }

    /// Whether there are ranks to update.
    pub fn has_ranks(&self) -> bool {
        self.ranks.is_some()
    }

    /// Holds the distances to a reference, and the ranks, as strictly as those of a full computation: the iteration
    /// in double precision begins from the same ranks. [`compare`](Self::compare) cannot replace
    /// this. It allows for the distance that the residuals leave open, which with a damping near 1
    /// exceeds the distance of any two ranks. Round 0 is the graph as loaded.
    ///
    /// # Errors
    ///
    /// [`Error::Round`] with [`Error::Verification`] for distances or ranks that are off, and with
    /// [`Error::Undecided`] for those that cannot be told from others.
    pub fn verify(&self, round: u32, store: &Store, reference: &Reference) -> Result<(), Error> {
        let of_round = |error| Error::Round {
            number: round,
            error: Box::new(error),
        };
        if let Some(paths) = &self.paths {
            let distances = paths.tree.distances(store)?;
            reference
                .distances_from(paths.options.source, &distances)
                .map_err(|wrong| of_round(wrong.into()))?;
        }
        if let (Some(options), Some(ranks)) = (&self.options, &self.ranks) {
            reference
                .ranks(ranks, options, self.from.as_deref())
                .map_err(|wrong| of_round(wrong.into()))?;
        }
        Ok(())
    }

    /// Whether there are distances to update.
    pub fn has_paths(&self) -> bool {
        self.paths.is_some()
    }

    /// Whether batches have to count triangles.
    pub fn counts_triangles(&self) -> bool {
        self.triangles.is_some()
    }

    /// Takes a batch into account.
    pub fn batch(&mut self, change: Change, update: &Update) {
        if let (Some(count), Some(difference)) = (&mut self.triangles, update.triangles) {
            *count = match change {
                Change::Insert => count.wrapping_add(difference),
                Change::Delete => count.wrapping_sub(difference),
            };
        }
        self.components_ms += update.times.of(Phase::Components);
    }

    /// Brings ranks, components and distances up to date, from those before.
    ///
    /// # Errors
    ///
    /// When there is not enough memory.
    pub fn advance(&mut self, store: &mut Store) -> Result<Advance, Error> {
        let mut advance = Advance::default();
        if let (Some(options), Some(before)) = (&self.options, self.ranks.take()) {
            let from = carried(before.ranks, store);
            let next = store.pagerank(options, Some(&from))?;
            advance.iterations = Some(next.state.iterations);
            advance.ms += next.ms;
            self.ranks = Some(next);
            self.from = Some(from);
        }
        if self.components {
            let ms = store.advance_components()?;
            advance.ms += ms;
            self.components_ms += ms;
        }
        if let Some(paths) = &mut self.paths {
            paths.advance = paths.tree.advance(store)?;
            advance.ms += paths.advance.ms;
        }
        Ok(advance)
    }

    /// Ranks, triangles, components and distances of now, compared with those that are computed anew.
    ///
    /// # Errors
    ///
    /// [`Error::Verification`] if what was carried along is not what is computed
    /// anew.
    pub fn compare(&mut self, round: u32, store: &Store) -> Result<RoundResults, Error> {
        let triangles = match self.triangles {
            Some(count) => {
                let full = store.triangles()?;
                if full.count != count {
                    return Err(Error::Verification(format!(
                        "round {round}: the batches have counted {count} triangles, there are {}",
                        full.count
                    )));
                }
                let full_ms = full.ms;
                Some(IncrementalTriangles { count, full_ms })
            }
            None => None,
        };
        let ranks = match (&self.options, &self.ranks) {
            (Some(options), Some(next)) => {
                let full = store.pagerank(options, None)?;
                Some(compare(round, options, next, &full)?)
            }
            _ => None,
        };
        let components = match store.kept_components()? {
            Some(kept) => {
                let ms = std::mem::take(&mut self.components_ms);
                let full = store.components()?;
                let full_ms = full.ms;
                let count = same_components(round, &kept, &full)?;
                Some(IncrementalComponents { count, ms, full_ms })
            }
            None => None,
        };
        let paths = self.paths.as_ref().map(|paths| paths.compare(round, store));
        Ok(RoundResults {
            round,
            ranks,
            triangles,
            components,
            paths: paths.transpose()?,
        })
    }
}

impl IncrementalTree {
    /// Makes sure that the distances are those that are found anew.
    fn compare(&self, round: u32, store: &Store) -> Result<IncrementalPaths, Error> {
        let options = PathOptions {
            target: None,
            parents: false,
            ..self.options
        };
        let full = store.shortest_paths(&options)?;
        if self.tree.distances(store)? != full.distances {
            return Err(Error::Verification(format!(
                "round {round}: the distances from those before are not those found anew"
            )));
        }
        Ok(IncrementalPaths {
            advance: self.advance,
            full_ms: full.ms,
        })
    }
}

/// Ranks to start from where vertices came or went: those that came have the rank that all
/// would have if it were equal, and the sum is 1 again.
fn carried(mut ranks: Vec<f32>, store: &Store) -> Vec<f32> {
    let (vertices, deleted) = (store.shape().vertices as usize, store.deleted_vertices());
    let went = deleted.iter().map(|&vertex| vertex as usize);
    let went = went.filter(|&vertex| ranks.get(vertex).is_some_and(|&rank| rank > 0.0));
    let went: Vec<usize> = went.collect();
    if ranks.len() == vertices && went.is_empty() {
        return ranks;
    }
    let known = ranks.len();
    ranks.resize(vertices, 1.0 / store.present().max(1) as f32);
    let came = deleted.range(known as u32..).map(|&vertex| vertex as usize);
    for vertex in went.into_iter().chain(came) {
        ranks[vertex] = 0.0;
    }
    let sum: f64 = ranks.iter().map(|&rank| f64::from(rank)).sum();
    if sum > 0.0 {
        for rank in &mut ranks {
            *rank = (f64::from(*rank) / sum) as f32;
        }
    }
    ranks
}

/// Makes sure that components are those that are computed anew; returns their number.
fn same_components(round: u32, kept: &Components, full: &Components) -> Result<u64, Error> {
    let mut pairs = (0..).zip(kept.labels.iter().zip(&full.labels));
    let difference = pairs.find(|(_, (kept, full))| kept != full);
    let difference: Option<(u32, _)> = difference;
    if let Some((vertex, (kept, full))) = difference {
        return Err(Error::Verification(format!(
            "round {round}: vertex {vertex}, counted from 0, has component {kept} from those \
             before, and {full} anew"
        )));
    }
    if (kept.count, kept.labels.len()) != (full.count, full.labels.len()) {
        return Err(Error::Verification(format!(
            "round {round}: there are {} components from those before, and {} anew",
            kept.count, full.count
        )));
    }
    Ok(full.count)
}

/// Makes sure that two computations of ranks agree as far as their last changes
/// let one expect: an iteration shrinks what is wrong by the damping.
fn compare(
    round: u32,
    options: &RankOptions,
    next: &Ranks,
    full: &Ranks,
) -> Result<IncrementalRanks, Error> {
    let pairs = next.ranks.iter().zip(&full.ranks);
    let apart: f64 = pairs
        .map(|(&a, &b)| (f64::from(a) - f64::from(b)).abs())
        .sum();
    let left = options.damping / (1.0 - options.damping);
    let residuals = next.state.residual + full.state.residual;
    let allowed = 2.0 * rounding(options.damping) + left * residuals;
    if apart.is_nan() || apart > allowed {
        return Err(Error::Verification(format!(
            "round {round}: ranks from those before are {apart:.2e} apart from those computed \
             anew, more than {allowed:.2e}"
        )));
    }
    Ok(IncrementalRanks {
        iterations: next.state.iterations,
        ms: next.ms,
        full_iterations: full.state.iterations,
        full_ms: full.ms,
        apart,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allocators::Spec;
    use crate::backend::Cpu;
    use crate::graph::verify::Checker;
    use crate::graph::{Input, Layout, Limits, Method, Options};
    use crate::size::Pool;
    use heapwood_graphs::{CsrOptions, EdgeList, Parallel};

    /// The ranks of two pairs of vertices, updated without a change of the graph, and what
    /// verification and comparison say once `fault` has changed them.
    fn planted(options: RankOptions, fault: impl Fn(&mut [f32])) -> [Result<(), Error>; 2] {
        let edges = EdgeList {
            vertices: 4,
            edges: vec![[0, 1], [2, 3]],
            weights: None,
            directed: false,
        };
        let input = Input::verified("two pairs", edges, CsrOptions::default());
        let cpu = Cpu::with_threads(1).unwrap();
        let store = Options {
            spec: Spec::parse("cfmalloc").unwrap(),
            pool: Pool::Auto,
            layout: Layout::Contiguous,
            self_loops: false,
            parallel: Parallel::Last,
            limits: Limits::default(),
        };
        let mut store = Store::new(&cpu, store, &input.rows, None).unwrap();
        let algorithms = Algorithms {
            ranks: Some(options),
            incremental: true,
            ..Algorithms::default()
        };
        let mut incremental = Incremental::start(&mut store, &algorithms).unwrap();
        incremental.advance(&mut store).unwrap();
        fault(&mut incremental.ranks.as_mut().unwrap().ranks);
        let reference = input.checker().as_ref().map(Checker::reference).unwrap();
        let compared = incremental.compare(1, &store).map(|_| ());
        [incremental.verify(1, &store, &reference), compared]
    }

    #[test]
    fn wrong_ranks_that_a_comparison_lets_pass_are_found() {
        let uneven = |ranks: &mut [f32]| ranks.copy_from_slice(&[0.5, 0.5, 0.0, 0.0]);
        for method in Method::ALL {
            let options = RankOptions {
                method,
                ..RankOptions::default()
            };
            let [verified, compared] = planted(options, |_| ());
            verified.unwrap();
            compared.unwrap();
            let near_1 = RankOptions {
                damping: 1.0 - 1e-9,
                ..options
            };
            let [verified, compared] = planted(near_1, uneven);
            compared.unwrap();
            let error = verified.unwrap_err();
            assert_eq!(error.exit_code(), 5, "{error}");
        }
        // Near 1, accelerated ranks cannot be told from others, and the error says what to do.
        let near_1 = |method| RankOptions {
            method,
            damping: 1.0 - 1e-9,
            ..RankOptions::default()
        };
        let [verified, _] = planted(near_1(Method::Accelerated), |_| ());
        let error = verified.unwrap_err().to_string();
        assert!(error.contains("use the method power"), "{error}");
        let [verified, _] = planted(near_1(Method::Power), |_| ());
        verified.unwrap();
    }

    #[test]
    fn components_that_differ_are_named_with_their_round() {
        let of = |count, labels: &[u32]| Components {
            count,
            labels: labels.to_vec(),
            ms: 0.0,
        };
        let full = of(2, &[0, 0, 2]);
        assert_eq!(same_components(1, &full, &full).unwrap(), 2);
        for (kept, why) in [
            (
                of(2, &[0, 1, 2]),
                "round 7: vertex 1, counted from 0, has component 1",
            ),
            (of(3, &[0, 0, 2]), "round 7: there are 3 components"),
            (of(2, &[0, 0]), "round 7: there are 2 components"),
        ] {
            let error = same_components(7, &kept, &full).unwrap_err();
            assert!(matches!(error, Error::Verification(_)));
            assert!(error.to_string().contains(why), "{error}");
        }
    }
}
