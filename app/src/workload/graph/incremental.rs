//! Incremental computation: triangles and ranks carried along from round to round,
//! beside those that are computed anew.

use super::Algorithms;
use crate::Error;
use crate::graph::algorithms::pagerank::rounding;
use crate::graph::{Change, RankOptions, Ranks, Store, Update};

/// What is known of the graph before a round.
pub(super) struct Incremental {
    options: Option<RankOptions>,
    ranks: Option<Ranks>,
    triangles: Option<u64>,
}

/// What was found after a round.
#[derive(Clone, Debug)]
pub struct RoundResults {
    /// Number of the round.
    pub round: u32,
    /// The ranks.
    pub ranks: Option<IncrementalRanks>,
    /// The triangles.
    pub triangles: Option<IncrementalTriangles>,
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

impl Incremental {
    /// Computes what the first round starts from.
    ///
    /// # Errors
    ///
    /// When there is not enough memory.
    pub fn start(store: &Store, algorithms: &Algorithms) -> Result<Self, Error> {
        let ranks = algorithms
            .ranks
            .map(|options| store.pagerank(&options, None))
            .transpose()?;
        let triangles = match algorithms.triangles {
            true => Some(store.triangles(false)?.count),
            false => None,
        };
        Ok(Self {
            options: algorithms.ranks,
            ranks,
            triangles,
        })
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
    }

    /// Computes ranks from those before; returns their iterations and time, if there are any.
    ///
    /// # Errors
    ///
    /// When there is not enough memory.
    pub fn advance(&mut self, store: &Store) -> Result<Option<(u32, f64)>, Error> {
        let (Some(options), Some(before)) = (&self.options, self.ranks.take()) else {
            return Ok(None);
        };
        let from = carried(before.ranks, store);
        let next = store.pagerank(options, Some(&from))?;
        let done = (next.state.iterations, next.ms);
        self.ranks = Some(next);
        Ok(Some(done))
    }

    /// The ranks and triangles of now, compared with those that are computed anew.
    ///
    /// # Errors
    ///
    /// [`Error::Verification`] if what was carried along is not what is computed
    /// anew.
    pub fn compare(&self, round: u32, store: &Store) -> Result<RoundResults, Error> {
        let triangles = match self.triangles {
            Some(count) => {
                let full = store.triangles(false)?;
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
        Ok(RoundResults {
            round,
            ranks,
            triangles,
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
