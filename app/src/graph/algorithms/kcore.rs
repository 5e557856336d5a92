//! Core numbers: the greatest k for which a vertex belongs to the k-core of an undirected graph.

use heapwood_device::graph::kcore::plan::CoreSpace;
pub use heapwood_results::graph::CoreReport;

use super::{Algorithm, Flags, ReportContext, Saves, Values};
use crate::Error;
use crate::graph::verify::{Difference, Reference, same};
use crate::graph::{Input, Store, StoreError};
use crate::samples::Samples;

/// The core numbers of a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct CoreNumbers {
    /// The greatest core number of a vertex; 0 of a graph without edges.
    pub degeneracy: u32,
    /// Vertices that have it.
    pub innermost: u64,
    /// The core number of each vertex; 0 of one that was deleted.
    pub cores: Vec<u32>,
    /// Time of all kernels, in milliseconds.
    pub ms: f64,
}

/// The flag for core numbers.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct CoreFlags {
    /// Find the core numbers of an undirected graph
    ///
    /// The k-core is the largest part of the graph in which each vertex has k neighbours. The core
    /// number of a vertex is the greatest k whose core has it.
    #[cfg_attr(feature = "cli", arg(long, hide_short_help = true))]
    pub kcore: bool,
}

impl Algorithm for CoreNumbers {
    type Flags = CoreFlags;
    type Options = ();
    type Request = bool;
    type Report = CoreReport;

    fn request(flags: &Flags, saves: &Saves, graph: &Input) -> Result<bool, Error> {
        let is_asked = flags.cores.kcore || saves.cores.is_some();
        match is_asked && graph.rows.directed {
            true => Err(StoreError::Directed.into()),
            false => Ok(is_asked),
        }
    }

    fn run((): &(), store: &Store) -> Result<Self, StoreError> {
        store.core_numbers()
    }

    fn verify(&self, (): &(), _: &Store, reference: &Reference) -> Result<String, Error> {
        reference.core_numbers(self)?;
        Ok("core numbers".to_owned())
    }

    fn values(&self, _: &Store) -> Result<Values<'_>, StoreError> {
        Ok(Values::Counts((&self.cores).into()))
    }

    fn ms(&self) -> f64 {
        self.ms
    }

    fn drop_vertices(&mut self) {
        self.cores = Vec::new();
    }

    fn report(&self, (): &(), ms: Samples, _: &ReportContext) -> CoreReport {
        CoreReport {
            degeneracy: self.degeneracy,
            innermost: self.innermost,
            ms,
        }
    }
}

impl Store<'_> {
    /// Finds the core numbers of an undirected graph. A self-loop makes no neighbour.
    ///
    /// # Errors
    ///
    /// [`StoreError::Directed`] for a directed graph, and when there is not enough memory.
    pub fn core_numbers(&self) -> Result<CoreNumbers, StoreError> {
        if self.shape().directed {
            return Err(StoreError::Directed);
        }
        let vertices = self.shape().vertices;
        let contiguous = self.contiguous()?;
        let space = CoreSpace::new(vertices, self.entries()?);
        let workspace = self.backend.allocate(space.bytes() as u64)?;
        let (graph, address) = (&contiguous.graph, workspace.address());
        let start = vec![graph.core_start(&space, address)];
        let step = |number| graph.core_step(&space, address, number);
        let end = |launched| {
            let has_ended = CoreSpace::has_ended(&workspace.download_array(0)?, launched);
            Ok(has_ended.then_some(()))
        };
        // SAFETY: the workspace is divided by `space`.
        let ahead = unsafe { self.run_ahead(start, step, end)? };
        let cores = workspace.download(space.cores_offset() as u64, vertices as usize)?;
        let deleted = self.deleted_vertices();
        let (degeneracy, innermost) = innermost(&cores, |vertex| deleted.contains(&vertex));
        Ok(CoreNumbers {
            degeneracy,
            innermost,
            cores,
            ms: contiguous.ms + ahead.ms,
        })
    }
}

/// The greatest core number of vertices that are not `left_out`, and how many have it.
fn innermost(cores: &[u32], left_out: impl Fn(u32) -> bool) -> (u32, u64) {
    let degeneracy = cores.iter().max().copied().unwrap_or(0);
    let vertices = (0..).zip(cores);
    let have = vertices.filter(|&(vertex, &core)| core == degeneracy && !left_out(vertex));
    (degeneracy, have.count() as u64)
}

impl Reference {
    /// Compares core numbers.
    ///
    /// # Errors
    ///
    /// When one differs, or what is said of all.
    pub fn core_numbers(&self, found: &CoreNumbers) -> Result<(), Difference> {
        let expected = reference::cores(&self.rows);
        self.values("has", "as its core number", &found.cores, &expected)?;
        let (degeneracy, have) = innermost(&expected, |vertex| self.deleted.contains(&vertex));
        let [found_degeneracy, degeneracy] = [found.degeneracy, degeneracy].map(u64::from);
        same("as the greatest core number", found_degeneracy, degeneracy)?;
        same("vertices in the innermost core", found.innermost, have)
    }
}

/// Peeling with a bucket a degree (Matula and Beck 1983), without code of the device.
mod reference {
    use heapwood_graphs::Csr;

    /// The core number of each vertex.
    pub fn cores(rows: &Csr) -> Vec<u32> {
        let neighbours = |vertex: u32| {
            let row = rows.row(vertex).iter().copied();
            row.filter(move |&other| other != vertex)
        };
        let vertices = 0..rows.vertices();
        let mut degrees: Vec<usize> = vertices.clone().map(|v| neighbours(v).count()).collect();
        let most = degrees.iter().max().copied().unwrap_or(0);
        let mut buckets = vec![Vec::new(); most + 1];
        for (vertex, &degree) in vertices.zip(&degrees) {
            buckets[degree].push(vertex);
        }
        let mut cores = vec![None; degrees.len()];
        for level in 0..buckets.len() {
            while let Some(vertex) = buckets[level].pop() {
                // A vertex is in the bucket of each degree that it has had.
                if cores[vertex as usize].is_some() || degrees[vertex as usize] != level {
                    continue;
                }
                cores[vertex as usize] = Some(level as u32);
                for other in neighbours(vertex) {
                    let degree = &mut degrees[other as usize];
                    if *degree > level {
                        *degree -= 1;
                        buckets[*degree].push(other);
                    }
                }
            }
        }
        cores.into_iter().map(Option::unwrap_or_default).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::examples::{kite, path};
    use super::*;

    #[test]
    fn cores_are_peeled() {
        assert_eq!(reference::cores(&kite()), [2, 2, 2, 2, 1, 0]);
    }

    #[test]
    fn wrong_core_numbers_are_found() {
        let found = |degeneracy, innermost, last| CoreNumbers {
            degeneracy,
            innermost,
            cores: vec![1, 1, last],
            ms: 0.0,
        };
        let reference = path();
        reference.core_numbers(&found(1, 3, 1)).unwrap();
        for wrong in [found(1, 3, 2), found(2, 3, 1), found(1, 2, 1)] {
            reference.core_numbers(&wrong).unwrap_err();
        }
    }
}
