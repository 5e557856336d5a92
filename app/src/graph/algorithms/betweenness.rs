//! Betweenness centrality: how many of the shortest paths from some sources lead through a vertex.

use heapwood_device::graph::betweenness::plan::{BetweennessSource, BetweennessSpace};
use heapwood_results::graph::TrialResult;
pub use heapwood_results::graph::{BetweennessReport, Scored};
use serde::{Deserialize, Serialize};

use super::gap::{Trial, TrialContext};
use super::highest::highest;
use super::{Algorithm, Flags, ReportContext, Saves, Sources, Values};
use crate::graph::verify::{Difference, Reference, differ, same_length};
use crate::graph::{Input, Store, StoreError};
use crate::samples::Samples;
use crate::word;
use crate::{Error, OptionError};

/// The allowed difference of a score from that of the reference, as a part of it: sums are made in another
/// order, and the reference has the logarithms of counts. Divided by the greatest score, two scores then
/// differ by less than 2^-23, the epsilon of `f32` that the verifier of gapbs allows.
const TOLERANCE: f64 = 5e-8;

/// The betweenness of the vertices of a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Betweenness {
    /// The score of each vertex: over all sources, the sum of its dependencies (Brandes 2001), the part of
    /// the shortest paths from the source to each other vertex that lead through it and do not end in it.
    pub scores: Vec<f64>,
    /// Time of all kernels, in milliseconds.
    pub ms: f64,
}

/// The flag for betweenness.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct BetweennessFlags {
    /// Find the betweenness of vertices by shortest paths from these, from all or from those of a file
    ///
    /// Numbers are those of the graph's file. A file of sources has one per line, or is a vector of Matrix
    /// Market. Paths have the fewest edges. The score of a vertex is not normalised: a path between two
    /// vertices counts from each of them that is a source.
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "ID,..|all|FILE", hide_short_help = true)
    )]
    #[serde(with = "word::option")]
    pub betweenness: Option<Sources>,
}

impl Algorithm for Betweenness {
    type Flags = BetweennessFlags;
    /// The sources.
    type Options = Vec<u32>;
    type Request = Option<Vec<u32>>;
    type Report = BetweennessReport;

    fn request(flags: &Flags, saves: &Saves, graph: &Input) -> Result<Option<Vec<u32>>, Error> {
        match (&flags.betweenness.betweenness, saves.betweenness.is_some()) {
            (Some(sources), _) => sources.of(graph).map(Some),
            (None, false) => Ok(None),
            (None, true) => Err(OptionError::NoSource {
                option: "betweenness",
            }
            .into()),
        }
    }

    fn run(sources: &Vec<u32>, store: &Store) -> Result<Self, StoreError> {
        store.betweenness(sources)
    }

    fn verify(
        &self,
        sources: &Vec<u32>,
        _: &Store,
        reference: &Reference,
    ) -> Result<String, Error> {
        reference.betweenness(self, sources)?;
        Ok("betweenness".to_owned())
    }

    fn values(&self, _: &Store) -> Result<Values<'_>, StoreError> {
        Ok(Values::Reals(&self.scores))
    }

    fn ms(&self) -> f64 {
        self.ms
    }

    fn report(
        &self,
        sources: &Vec<u32>,
        ms: Samples,
        context: &ReportContext,
    ) -> BetweennessReport {
        let top = highest(&self.scores, context.top).into_iter();
        let scored = |vertex| Scored {
            vertex: context.input.ids.of(vertex),
            score: self.scores[vertex as usize],
        };
        BetweennessReport {
            sources: sources.len() as u64,
            top: top.map(scored).collect(),
            ms,
        }
    }
}

/// A trial of the GAP benchmark suite.
pub(super) fn trial(context: &TrialContext) -> Result<Trial, Error> {
    let found = context.store.betweenness(context.sources)?;
    let greatest = found.scores.iter().copied().fold(0.0, f64::max);
    let sources = context.sources.to_vec();
    context.trial(&found, &sources, TrialResult::Greatest(greatest))
}

impl Store<'_> {
    /// Finds the betweenness of all vertices by the shortest paths from some. One that was deleted has no
    /// paths; one that is there twice counts twice.
    ///
    /// # Errors
    ///
    /// When there is not enough memory.
    ///
    /// # Panics
    ///
    /// If a source is no vertex.
    pub fn betweenness(&self, sources: &[u32]) -> Result<Betweenness, StoreError> {
        let vertices = self.shape().vertices;
        let deleted = self.deleted_vertices();
        let mut sources = sources.iter().filter(|vertex| !deleted.contains(vertex));
        let Some(&first) = sources.next() else {
            return Ok(Betweenness {
                scores: vec![0.0; vertices as usize],
                ms: 0.0,
            });
        };
        let contiguous = self.contiguous_both_ways()?;
        let space = BetweennessSpace::new(vertices, self.entries()?, self.shape().directed);
        let workspace = self.backend.allocate(space.bytes() as u64)?;
        let (graph, address) = (&contiguous.graph, workspace.address());
        let mut ms = contiguous.ms;
        let first = BetweennessSource {
            vertex: first,
            is_first: true,
        };
        let others = sources.map(|&vertex| BetweennessSource {
            vertex,
            is_first: false,
        });
        for source in std::iter::once(first).chain(others) {
            let start = vec![graph.betweenness_start(&space, address, source)];
            let step = |number| graph.betweenness_step(&space, address, source, number);
            let end = |launched| {
                let has_ended =
                    BetweennessSpace::has_ended(&workspace.download_array(0)?, launched);
                Ok(has_ended.then_some(()))
            };
            // SAFETY: the workspace is divided by `space`.
            ms += unsafe { self.run_ahead(start, step, end)? }.ms;
        }
        let offset = space.scores_offset() as u64;
        Ok(Betweenness {
            scores: workspace.download(offset, vertices as usize)?,
            ms,
        })
    }
}

impl Reference {
    /// Compares scores, within `TOLERANCE`.
    ///
    /// # Errors
    ///
    /// When one differs.
    pub fn betweenness(&self, found: &Betweenness, sources: &[u32]) -> Result<(), Difference> {
        let sources = sources
            .iter()
            .filter(|vertex| !self.deleted.contains(vertex));
        let expected = reference::scores(&self.rows, sources.copied());
        same_length(found.scores.len(), expected.len())?;
        for (vertex, (&found, &expected)) in (0..).zip(found.scores.iter().zip(&expected)) {
            let off = (found - expected).abs();
            if off.is_nan() || off > TOLERANCE * expected.max(TOLERANCE) {
                let vertex = self.id(vertex);
                return differ(format!(
                    "vertex {vertex} has {found} as its betweenness, not {expected}"
                ));
            }
        }
        Ok(())
    }
}

/// Brandes' algorithm with the logarithms of counts, without code of the device.
mod reference {
    use heapwood_graphs::Csr;

    /// The sums of dependencies on each vertex, over the sources.
    pub fn scores(rows: &Csr, sources: impl Iterator<Item = u32>) -> Vec<f64> {
        let vertices = rows.vertices() as usize;
        let mut scores = vec![0.0; vertices];
        for source in sources {
            let mut depths = vec![u32::MAX; vertices];
            // The logarithm of the number of shortest paths: counts exceed an `f64`.
            let mut logs = vec![f64::NEG_INFINITY; vertices];
            depths[source as usize] = 0;
            logs[source as usize] = 0.0;
            let mut order = vec![source];
            let mut at = 0;
            while let Some(&u) = order.get(at) {
                for &v in rows.row(u) {
                    if depths[v as usize] == u32::MAX {
                        depths[v as usize] = depths[u as usize] + 1;
                        order.push(v);
                    }
                    if depths[v as usize] == depths[u as usize] + 1 {
                        logs[v as usize] = log_of_sum(logs[v as usize], logs[u as usize]);
                    }
                }
                at += 1;
            }
            let mut dependencies = vec![0.0; vertices];
            for &u in order[1..].iter().rev() {
                for &v in rows.row(u) {
                    if depths[v as usize] == depths[u as usize] + 1 {
                        let part = (logs[u as usize] - logs[v as usize]).exp2();
                        dependencies[u as usize] += part * (1.0 + dependencies[v as usize]);
                    }
                }
                scores[u as usize] += dependencies[u as usize];
            }
        }
        scores
    }

    /// The logarithm of the sum of two numbers with these logarithms.
    fn log_of_sum(one: f64, other: f64) -> f64 {
        let (greater, less) = if one > other {
            (one, other)
        } else {
            (other, one)
        };
        greater + (1.0 + (less - greater).exp2()).log2()
    }
}

#[cfg(test)]
mod tests {
    use super::super::examples::{csr, kite, path};
    use super::*;

    /// The scores of a kite from all sources, by hand: vertex 3 is between 4 and the others; of the two
    /// paths from 0 to 3, and back, one each leads through 1 and 2, and so from 0 to 4.
    #[test]
    fn scores_are_sums_of_dependencies() {
        assert_eq!(
            reference::scores(&kite(), 0..6),
            [0.0, 2.0, 2.0, 6.0, 0.0, 0.0]
        );
        assert_eq!(
            reference::scores(&kite(), 4..5),
            [0.0, 0.5, 0.5, 3.0, 0.0, 0.0]
        );
        let arcs = csr(4, &[[0, 1], [1, 2], [2, 3]], true);
        assert_eq!(reference::scores(&arcs, 0..4), [0.0, 2.0, 2.0, 0.0]);
        assert_eq!(
            reference::scores(&arcs, [0, 0].into_iter()),
            [0.0, 4.0, 2.0, 0.0]
        );
    }

    #[test]
    fn wrong_scores_are_found() {
        let found = |middle| Betweenness {
            scores: vec![0.0, middle, 0.0],
            ms: 0.0,
        };
        let reference = path();
        reference.betweenness(&found(2.0), &[0, 1, 2]).unwrap();
        reference
            .betweenness(&found(2.0 + 1e-9), &[0, 1, 2])
            .unwrap();
        for wrong in [1.99, f64::NAN, f64::INFINITY] {
            reference
                .betweenness(&found(wrong), &[0, 1, 2])
                .unwrap_err();
        }
        let mut reference = path();
        reference.deleted.insert(2);
        reference.betweenness(&found(1.0), &[0, 1, 2]).unwrap();
    }
}
