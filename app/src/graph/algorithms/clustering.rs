//! Local clustering coefficients: how many of a vertex' neighbours are neighbours of each other.

use heapwood_device::graph::clustering::plan::LinkSpace;
pub use heapwood_results::graph::ClusteringReport;

use super::pairs::NeighbourPairs;
use super::{Algorithm, Flags, ReportContext, Saves, Values};
use crate::Error;
use crate::graph::verify::{Difference, Reference, differ, same_length};
use crate::graph::{Edge, Input, Store, StoreError};
use crate::samples::Samples;

/// Vertices whose loops are looked up at a time.
const LOOKED_UP: usize = 1 << 20;

/// Local clustering coefficients of a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Clustering {
    /// For each vertex, of the edges that could lead from a neighbour to another the part that
    /// is there; 0 where there are fewer than two neighbours.
    pub coefficients: Vec<f64>,
    /// The mean over the vertices that were not deleted; 0 if there are none.
    pub mean: f64,
    /// Time of all kernels, in milliseconds, but for the lookup of an undirected graph's loops.
    pub ms: f64,
}

/// The flag for clustering coefficients.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct ClusteringFlags {
    /// Compute local clustering coefficients, as LDBC Graphalytics defines them
    ///
    /// Of all edges that could lead from a neighbour of a vertex to another, the part that is there. The
    /// neighbours in a directed graph are those in either direction.
    #[cfg_attr(feature = "cli", arg(long, hide_short_help = true))]
    pub lcc: bool,
}

impl Algorithm for Clustering {
    type Flags = ClusteringFlags;
    type Options = ();
    type Request = bool;
    type Report = ClusteringReport;

    fn request(flags: &Flags, saves: &Saves, _: &Input) -> Result<bool, Error> {
        Ok(flags.clustering.lcc || saves.clustering.is_some())
    }

    fn run((): &(), store: &Store) -> Result<Self, StoreError> {
        store.clustering()
    }

    fn verify(&self, (): &(), _: &Store, reference: &Reference) -> Result<String, Error> {
        reference.clustering(self)?;
        Ok("clustering coefficients".to_owned())
    }

    fn values(&self, _: &Store) -> Result<Values<'_>, StoreError> {
        Ok(Values::Reals(&self.coefficients))
    }

    fn ms(&self) -> f64 {
        self.ms
    }

    fn drop_vertices(&mut self) {
        self.coefficients = Vec::new();
    }

    fn report(&self, (): &(), ms: Samples, _: &ReportContext) -> ClusteringReport {
        let mean = self.mean;
        ClusteringReport { mean, ms }
    }
}

/// The coefficient of a vertex with so many neighbours and edges from one of them to another.
fn coefficient(links: u64, neighbours: u32) -> f64 {
    let possible = u64::from(neighbours) * u64::from(neighbours.saturating_sub(1));
    match possible {
        0 => 0.0,
        possible => links as f64 / possible as f64,
    }
}

impl Store<'_> {
    /// Computes local clustering coefficients, as LDBC Graphalytics defines them: of all edges that
    /// could lead from a neighbour of a vertex to another, the part that is there. The neighbours in
    /// a directed graph are those in either direction, each once; loops count for nothing.
    ///
    /// # Errors
    ///
    /// When there is not enough memory.
    pub fn clustering(&self) -> Result<Clustering, StoreError> {
        let (coefficients, ms) = match self.shape().directed {
            true => self.coefficients_by_links()?,
            false => self.coefficients_by_triangles()?,
        };
        let present = u64::from(self.shape().vertices) - self.deleted_vertices().len() as u64;
        // Those of deleted vertices are 0.
        let mean = coefficients.iter().sum::<f64>() / present.max(1) as f64;
        Ok(Clustering {
            coefficients,
            mean,
            ms,
        })
    }

    /// Of an undirected graph: a triangle at a vertex is an edge between two neighbours, in both
    /// directions. That vertices are no neighbours of their own is looked up besides.
    fn coefficients_by_triangles(&self) -> Result<(Vec<f64>, f64), StoreError> {
        let triangles = self.triangles_per_vertex()?;
        let (rows, _) = self.device.rows(0)?;
        let vertices = self.shape().vertices;
        let offsets: Vec<u32> = rows.offsets.download(0, vertices as usize + 1)?;
        let counts = triangles.per_vertex.unwrap_or_default();
        let mut coefficients = Vec::with_capacity(counts.len());
        for first in (0..vertices).step_by(LOOKED_UP) {
            let end = vertices.min(first.saturating_add(LOOKED_UP as u32));
            let loops: Vec<Edge> = (first..end).map(|vertex| [vertex, vertex]).collect();
            for (vertex, has_loop) in (first as usize..).zip(self.has_edges(&loops)?) {
                let degree = offsets[vertex + 1] - offsets[vertex] - u32::from(has_loop);
                coefficients.push(coefficient(2 * u64::from(counts[vertex]), degree));
            }
        }
        Ok((coefficients, triangles.ms + rows.ms))
    }

    /// Of a directed graph; right for any.
    fn coefficients_by_links(&self) -> Result<(Vec<f64>, f64), StoreError> {
        let vertices = self.shape().vertices;
        let pairs = NeighbourPairs::new(self)?;
        let space = LinkSpace::new(vertices);
        let memory = self.backend.allocate_zeroed(space.bytes() as u64)?;
        let mut ms = pairs.ms;
        for part in &pairs.parts {
            let mut steps = pairs.sort(part, std::ptr::null_mut());
            steps.push(space.count(memory.address(), pairs.keys(), &pairs.csr, part));
            // SAFETY: the memory is 0 at first and divided by `space`, the pairs are sorted before
            // they are read.
            ms += unsafe { self.time(&steps)? };
        }
        let links: Vec<u64> = memory.download(0, vertices as usize)?;
        let offset = space.neighbours_offset() as u64;
        let neighbours: Vec<u32> = memory.download(offset, vertices as usize)?;
        let coefficients = links.into_iter().zip(neighbours);
        let coefficients = coefficients.map(|(links, neighbours)| coefficient(links, neighbours));
        Ok((coefficients.collect(), ms))
    }
}

impl Reference {
    /// Compares clustering coefficients, which are quotients of integers: their bits.
    ///
    /// # Errors
    ///
    /// When one or their mean differs.
    pub fn clustering(&self, found: &Clustering) -> Result<(), Difference> {
        let expected = reference::coefficients(&self.rows, &self.columns);
        same_length(found.coefficients.len(), expected.len())?;
        let both = found.coefficients.iter().zip(&expected);
        for (vertex, (found, expected)) in (0..).zip(both) {
            if found != expected {
                let vertex = self.id(vertex);
                return differ(format!(
                    "vertex {vertex} has {found} as its clustering coefficient, not {expected}"
                ));
            }
        }
        let present = expected.len() - self.deleted.len();
        let mean = expected.iter().sum::<f64>() / present.max(1) as f64;
        match found.mean == mean {
            true => Ok(()),
            false => differ(format!(
                "{} is the mean clustering coefficient, not {mean}",
                found.mean
            )),
        }
    }
}

/// Coefficients by sets, without code of the device.
mod reference {
    use heapwood_graphs::Csr;
    use rayon::prelude::*;

    /// The coefficient of each vertex of a graph with these rows of out- and in-neighbours.
    pub fn coefficients(rows: &Csr, columns: &Csr) -> Vec<f64> {
        let of = |vertex: u32| {
            let mut neighbours: Vec<u32> = [rows, columns]
                .iter()
                .flat_map(|csr| csr.row(vertex))
                .copied()
                .filter(|&neighbour| neighbour != vertex)
                .collect();
            neighbours.sort_unstable();
            neighbours.dedup();
            let mut links = 0_u64;
            for &from in &neighbours {
                links += common(rows.row(from), &neighbours, from);
            }
            let count = neighbours.len() as u64;
            match count {
                0 | 1 => 0.0,
                count => links as f64 / (count * (count - 1)) as f64,
            }
        };
        (0..rows.vertices()).into_par_iter().map(of).collect()
    }

    /// How many values two ascending lists have in common, other than `but`. Walks the shorter one,
    /// since a hub's list is asked for each of its neighbours.
    fn common(one: &[u32], two: &[u32], but: u32) -> u64 {
        let (short, long) = if one.len() < two.len() {
            (one, two)
        } else {
            (two, one)
        };
        let is_common = |value: &&u32| **value != but && long.binary_search(value).is_ok();
        short.iter().filter(is_common).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::super::examples::{csr, kite, path};
    use super::*;

    #[test]
    fn coefficients_are_parts_of_possible_edges() {
        let expected = [1.0, 2.0 / 3.0, 2.0 / 3.0, 1.0 / 3.0, 0.0, 0.0];
        assert_eq!(reference::coefficients(&kite(), &kite()), expected);
        // The neighbours of 0 are 1 and 2, of two possible arcs between which one is there.
        let arcs = [[0, 1], [2, 0], [1, 2], [0, 2]];
        let (rows, columns) = (
            csr(3, &arcs, true),
            csr(3, &arcs.map(|[u, v]| [v, u]), true),
        );
        assert_eq!(reference::coefficients(&rows, &columns), [0.5, 1.0, 0.5]);
    }

    #[test]
    fn wrong_coefficients_are_found() {
        let clustering = |mean, one| Clustering {
            coefficients: vec![0.0, one, 0.0],
            mean,
            ms: 0.0,
        };
        let reference = path();
        reference.clustering(&clustering(0.0, 0.0)).unwrap();
        reference.clustering(&clustering(0.1, 0.0)).unwrap_err();
        let found = reference.clustering(&clustering(0.0, 0.5)).unwrap_err();
        assert_eq!(
            found.to_string(),
            "verification: vertex 2 has 0.5 as its clustering coefficient, not 0"
        );
    }
}
