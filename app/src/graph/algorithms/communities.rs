//! Communities by label propagation: vertices take the label that most of their neighbours have.

use heapwood_device::graph::communities::plan::CommunitySpace;
pub use heapwood_results::graph::CommunityReport;

use super::pairs::NeighbourPairs;
use super::{Algorithm, Flags, ReportContext, Saves, Values};
use crate::Error;
use crate::graph::verify::{Difference, Reference, same};
use crate::graph::{Input, Store, StoreError};
use crate::samples::Samples;

/// Iterations unless others are asked for.
const ITERATIONS: u32 = 10;

/// Communities of a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Communities {
    /// How many labels there are.
    pub count: u64,
    /// The label of each vertex: a vertex. Those of deleted vertices are themselves.
    pub labels: Vec<u32>,
    /// Time of all kernels, in milliseconds.
    pub ms: f64,
}

/// The flags for communities.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args), command(group = clap::ArgGroup::new("cdlp-asked").arg("cdlp").multiple(true)))]
pub struct CommunityFlags {
    /// Find communities by label propagation, as LDBC Graphalytics defines it
    ///
    /// All vertices take at once the label that most of their neighbours have, the least of several.
    /// At first each has its own id. A neighbour in both directions of a directed graph counts twice.
    #[cfg_attr(feature = "cli", arg(long, hide_short_help = true))]
    pub cdlp: bool,
    /// Iterations of --cdlp [default: 10]
    #[cfg_attr(feature = "cli", arg(
        long,
        value_name = "N",
        requires = "cdlp-asked",
        hide_short_help = true,
        value_parser = clap::value_parser!(u32).range(1..)
    ))]
    pub cdlp_iterations: Option<u32>,
}

impl Algorithm for Communities {
    type Flags = CommunityFlags;
    type Options = u32;
    type Request = Option<u32>;
    type Report = CommunityReport;

    fn request(flags: &Flags, saves: &Saves, _: &Input) -> Result<Option<u32>, Error> {
        let flags = &flags.communities;
        let iterations = flags.cdlp_iterations.unwrap_or(ITERATIONS);
        Ok((flags.cdlp || saves.communities.is_some()).then_some(iterations))
    }

    fn run(&iterations: &u32, store: &Store) -> Result<Self, StoreError> {
        store.communities(iterations)
    }

    fn verify(&self, &iterations: &u32, _: &Store, reference: &Reference) -> Result<String, Error> {
        reference.communities(self, iterations)?;
        Ok("communities".to_owned())
    }

    fn values(&self, _: &Store) -> Result<Values<'_>, StoreError> {
        Ok(Values::Vertices(&self.labels))
    }

    fn ms(&self) -> f64 {
        self.ms
    }

    fn drop_vertices(&mut self) {
        self.labels = Vec::new();
    }

    fn report(&self, &iterations: &u32, ms: Samples, _: &ReportContext) -> CommunityReport {
        CommunityReport {
            iterations,
            count: self.count,
            ms,
        }
    }
}

impl Store<'_> {
    /// Finds communities by label propagation, in so many iterations. All vertices take at once the
    /// label that most of their neighbours have, the least one of several, as LDBC Graphalytics
    /// defines it (CDLP).
    ///
    /// # Errors
    ///
    /// When there is not enough memory.
    pub fn communities(&self, iterations: u32) -> Result<Communities, StoreError> {
        let vertices = self.shape().vertices;
        let pairs = NeighbourPairs::new(self)?;
        let space = CommunitySpace::new(vertices);
        let memory = self.backend.allocate(space.bytes() as u64)?;
        let address = memory.address();
        let mut steps = vec![space.start(address)];
        let mut ms = pairs.ms;
        for _ in 0..iterations {
            for part in &pairs.parts {
                steps.extend(pairs.sort(part, address.cast()));
                steps.push(space.vote(address, pairs.keys(), part.count()));
            }
            steps.push(space.adopt(address));
            // SAFETY: the workspaces are divided so; a part's pairs are counted before the next
            // ones are sorted.
            ms += unsafe { self.time(&steps)? };
            steps.clear();
        }
        let labels: Vec<u32> = memory.download(0, vertices as usize)?;
        let deleted = self.deleted_vertices();
        Ok(Communities {
            count: distinct(&labels, |vertex| deleted.contains(&vertex)),
            labels,
            ms,
        })
    }
}

/// The number of labels of vertices that are not `left_out`.
fn distinct(labels: &[u32], left_out: impl Fn(u32) -> bool) -> u64 {
    let mut is_label = vec![false; labels.len()];
    for (vertex, &label) in (0..).zip(labels) {
        is_label[label as usize] |= !left_out(vertex);
    }
    is_label.into_iter().filter(|&is_label| is_label).count() as u64
}

impl Reference {
    /// Compares communities.
    ///
    /// # Errors
    ///
    /// When a label or their number differs.
    pub fn communities(&self, found: &Communities, iterations: u32) -> Result<(), Difference> {
        let columns = self.rows.directed.then_some(&self.columns);
        let expected = reference::labels(&self.rows, columns, iterations);
        let what = "as its label, counted from 0";
        self.values("has", what, &found.labels, &expected)?;
        let mut labels: Vec<u32> = (0..self.rows.vertices())
            .filter(|vertex| !self.deleted.contains(vertex))
            .map(|vertex| expected[vertex as usize])
            .collect();
        labels.sort_unstable();
        labels.dedup();
        same("communities", found.count, labels.len() as u64)
    }
}

/// Label propagation by counting, without code of the device.
mod reference {
    use std::collections::HashMap;

    use heapwood_graphs::Csr;
    use rayon::prelude::*;

    /// The labels after so many iterations; `columns` are the in-neighbours of a directed graph.
    pub fn labels(rows: &Csr, columns: Option<&Csr>, iterations: u32) -> Vec<u32> {
        let mut labels: Vec<u32> = (0..rows.vertices()).collect();
        for _ in 0..iterations {
            let next = |vertex: u32| {
                let mut counts = HashMap::<u32, u32>::new();
                let incoming = columns.map_or(&[][..], |columns| columns.row(vertex));
                for &neighbour in rows.row(vertex).iter().chain(incoming) {
                    *counts.entry(labels[neighbour as usize]).or_default() += 1;
                }
                let best = counts
                    .into_iter()
                    .min_by_key(|&(label, count)| (!count, label));
                best.map_or(labels[vertex as usize], |(label, _)| label)
            };
            labels = (0..rows.vertices()).into_par_iter().map(next).collect();
        }
        labels
    }
}

#[cfg(test)]
mod tests {
    use super::super::examples::{csr, kite, path};
    use super::*;

    #[test]
    fn vertices_take_the_most_frequent_label_and_the_least_of_several() {
        assert_eq!(reference::labels(&kite(), None, 1), [1, 0, 0, 1, 3, 5]);
        assert_eq!(reference::labels(&kite(), None, 2), [0, 1, 1, 0, 1, 5]);
        // Both directions of an arc: vertex 2 has 1 twice and 0 once.
        let arcs = [[1, 2], [2, 1], [0, 2]];
        let (rows, columns) = (
            csr(3, &arcs, true),
            csr(3, &arcs.map(|[u, v]| [v, u]), true),
        );
        assert_eq!(reference::labels(&rows, Some(&columns), 1), [2, 2, 1]);
    }

    #[test]
    fn wrong_communities_are_found() {
        let communities = |count, last| Communities {
            count,
            labels: vec![1, 0, last],
            ms: 0.0,
        };
        let reference = path();
        reference.communities(&communities(2, 1), 1).unwrap();
        reference.communities(&communities(1, 1), 1).unwrap_err();
        reference.communities(&communities(2, 2), 1).unwrap_err();
        reference.communities(&communities(2, 1), 2).unwrap_err();
    }
}
