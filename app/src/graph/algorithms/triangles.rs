//! Triangles: how many an undirected graph has, and how many each vertex is in.

use std::borrow::Cow;

use heapwood_device::graph::triangles::plan::{HubLimits, TriangleSpace};
use heapwood_results::graph::TrialResult;

use super::gap::{Trial, TrialContext};
use super::{Algorithm, CountReport, Flags, ReportContext, Saves, Values};
use crate::Error;
use crate::graph::verify::{Difference, Reference, same};
use crate::graph::{Input, Store, StoreError};
use crate::samples::Samples;

/// A count of triangles.
#[derive(Clone, Debug, PartialEq)]
pub struct Triangles {
    /// In the graph.
    pub count: u64,
    /// At each vertex, if asked for.
    pub per_vertex: Option<Vec<u32>>,
    /// Time of all kernels, in milliseconds.
    pub ms: f64,
}

/// The flag for triangles.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct TriangleFlags {
    /// Count the triangles of an undirected graph
    #[cfg_attr(feature = "cli", arg(long))]
    pub triangles: bool,
}

impl Algorithm for Triangles {
    type Flags = TriangleFlags;
    type Options = ();
    type Request = bool;
    type Report = CountReport;

    fn request(flags: &Flags, saves: &Saves, graph: &Input) -> Result<bool, Error> {
        let is_asked = flags.triangles.triangles || saves.triangles.is_some();
        match is_asked && graph.rows.directed {
            true => Err(StoreError::Directed.into()),
            false => Ok(is_asked),
        }
    }

    fn run((): &(), store: &Store) -> Result<Self, StoreError> {
        store.triangles()
    }

    fn verify(&self, (): &(), store: &Store, reference: &Reference) -> Result<String, Error> {
        reference.triangles(self)?;
        // Those of each vertex as well, which takes longer than what is timed.
        reference.triangles(&store.triangles_per_vertex()?)?;
        Ok("triangles".to_owned())
    }

    fn values(&self, store: &Store) -> Result<Values<'_>, StoreError> {
        // They take longer to count than all together, which is what is timed.
        let counts = match &self.per_vertex {
            Some(counts) => Cow::from(counts),
            None => Cow::from(store.triangles_per_vertex()?.per_vertex.unwrap_or_default()),
        };
        Ok(Values::Counts(counts))
    }

    fn ms(&self) -> f64 {
        self.ms
    }

    fn report(&self, (): &(), ms: Samples, _: &ReportContext) -> CountReport {
        let count = self.count;
        CountReport { count, ms }
    }
}

/// A trial of the GAP benchmark suite.
pub(super) fn trial(context: &TrialContext) -> Result<Trial, Error> {
    let found = context.store.triangles()?;
    context.trial(&found, &(), TrialResult::Triangles(found.count))
}

impl Store<'_> {
    /// Counts the triangles of an undirected graph.
    ///
    /// # Errors
    ///
    /// [`StoreError::Directed`] for a directed graph, and when there is not enough memory.
    pub fn triangles(&self) -> Result<Triangles, StoreError> {
        self.triangles_by(false, HubLimits::default())
    }

    /// Counts the triangles of an undirected graph, and those of each vertex.
    ///
    /// # Errors
    ///
    /// As [`Store::triangles`].
    pub fn triangles_per_vertex(&self) -> Result<Triangles, StoreError> {
        self.triangles_by(true, HubLimits::default())
    }

    /// The same with other limits where they are counted by hubs. The count does not depend on
    /// them, its time does.
    ///
    /// # Errors
    ///
    /// As [`Store::triangles`].
    pub fn triangles_by(
        &self,
        per_vertex: bool,
        limits: HubLimits,
    ) -> Result<Triangles, StoreError> {
        if self.shape().directed {
            return Err(StoreError::Directed);
        }
        let vertices = self.shape().vertices;
        let workers = self.backend.solo_workers();
        let measured = self.device.measure(0)?;
        let space = TriangleSpace::new(self.shape(), &measured, per_vertex, workers, limits);
        let contiguous = space.is_by_hubs().then(|| self.contiguous()).transpose()?;
        let graph = contiguous.as_ref().map_or(self.device.graph, |it| it.graph);
        // All of it is zeroed, not the front alone: fresh memory of the CPU backend is 0
        // anyway, until it is used.
        let workspace = self.backend.allocate_zeroed(space.bytes() as u64)?;
        let steps = graph.triangles(&space, workspace.address());
        // SAFETY: the workspace is divided by `space`, and its front is 0.
        let ms = unsafe { self.time(&steps)? };
        let total: Vec<u64> = workspace.download(0, TriangleSpace::TOTAL_WORDS)?;
        let counts = space
            .counts_offset()
            .map(|offset| workspace.download(offset as u64, vertices as usize));
        Ok(Triangles {
            count: total.iter().sum(),
            per_vertex: counts.transpose()?,
            ms: ms + contiguous.map_or(0.0, |it| it.ms),
        })
    }
}

impl Reference {
    /// Compares counts of triangles.
    ///
    /// # Errors
    ///
    /// When one differs.
    pub fn triangles(&self, found: &Triangles) -> Result<(), Difference> {
        let expected = reference::per_vertex(&self.rows);
        if let Some(counts) = &found.per_vertex {
            self.values("is in", "triangles", counts, &expected)?;
        }
        // Every triangle has three corners.
        same("triangles", found.count, expected.iter().sum::<u64>() / 3)
    }
}

/// Triangles by intersecting neighbours, without code of the device.
mod reference {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    use heapwood_graphs::Csr;
    use rayon::prelude::*;

    /// The triangles that each vertex is in, in an undirected graph of sorted rows. Each is
    /// found at its vertex of least degree, among the pairs of later neighbours.
    pub fn per_vertex(rows: &Csr) -> Vec<u64> {
        let order = |v: u32| (rows.degree(v), v);
        let later: Vec<Vec<u32>> = (0..rows.vertices())
            .into_par_iter()
            .map(|u| {
                let row = rows.row(u).iter().copied();
                row.filter(|&v| order(v) > order(u)).collect()
            })
            .collect();
        let counts: Vec<AtomicU64> = later.iter().map(|_| AtomicU64::new(0)).collect();
        (0..rows.vertices()).into_par_iter().for_each(|one| {
            for &two in &later[one as usize] {
                for three in common(&later[one as usize], &later[two as usize]) {
                    for vertex in [one, two, three] {
                        counts[vertex as usize].fetch_add(1, Relaxed);
                    }
                }
            }
        });
        counts.into_iter().map(AtomicU64::into_inner).collect()
    }

    /// The common entries of two ascending lists.
    fn common(one: &[u32], other: &[u32]) -> Vec<u32> {
        let (mut i, mut j) = (0, 0);
        let mut both = Vec::new();
        while i < one.len() && j < other.len() {
            if one[i] == other[j] {
                both.push(one[i]);
            }
            let (a, b) = (one[i], other[j]);
            i += usize::from(a <= b);
            j += usize::from(b <= a);
        }
        both
    }
}

#[cfg(test)]
mod tests {
    use super::super::examples::{csr, kite, path};
    use super::*;

    #[test]
    fn a_kite_has_two_triangles() {
        assert_eq!(reference::per_vertex(&kite()), [1, 2, 2, 1, 0, 0]);
        let all: Vec<[u32; 2]> = (0..6).flat_map(|v| (0..v).map(move |u| [u, v])).collect();
        // Each of 20 triangles has three of 6 vertices.
        assert_eq!(reference::per_vertex(&csr(6, &all, false)), [10; 6]);
    }

    #[test]
    fn wrong_counts_are_found() {
        let triangles = |count, one| Triangles {
            count,
            per_vertex: Some(vec![0, one, 0]),
            ms: 0.0,
        };
        let reference = path();
        reference.triangles(&triangles(0, 0)).unwrap();
        reference.triangles(&triangles(1, 0)).unwrap_err();
        let found = reference.triangles(&triangles(0, 1)).unwrap_err();
        assert_eq!(
            found.to_string(),
            "verification: vertex 2 is in 1 triangles, not 0"
        );
    }
}
