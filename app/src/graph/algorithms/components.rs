//! Connected components: each vertex is labelled with the least vertex of its component.

use heapwood_device::graph::components::plan::ComponentSpace;
use heapwood_results::graph::TrialResult;

use super::gap::{Trial, TrialContext};
use super::{Algorithm, CountReport, Flags, ReportContext, Saves, Values};
use crate::Error;
use crate::graph::verify::{Difference, Reference, same};
use crate::graph::{Input, Store, StoreError};
use crate::samples::Samples;

/// Connected components; in a directed graph those of the graph without
/// directions.
#[derive(Clone, Debug, PartialEq)]
pub struct Components {
    /// Their number.
    pub count: u64,
    /// For each vertex the least vertex of its component; `u32::MAX` for those
    /// that were deleted.
    pub labels: Vec<u32>,
    /// Time of all kernels, in milliseconds.
    pub ms: f64,
}

/// The flag for components.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct ComponentFlags {
    /// Count connected components, ignoring directions
    #[cfg_attr(feature = "cli", arg(long))]
    pub components: bool,
}

impl Algorithm for Components {
    type Flags = ComponentFlags;
    type Options = ();
    type Request = bool;
    type Report = CountReport;

    fn request(flags: &Flags, saves: &Saves, _: &Input) -> Result<bool, Error> {
        Ok(flags.components.components || saves.components.is_some())
    }

    fn run((): &(), store: &Store) -> Result<Self, StoreError> {
        store.components()
    }

    fn verify(&self, (): &(), _: &Store, reference: &Reference) -> Result<String, Error> {
        reference.components(self)?;
        Ok("components".to_owned())
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

    fn report(&self, (): &(), ms: Samples, _: &ReportContext) -> CountReport {
        let count = self.count;
        CountReport { count, ms }
    }
}

/// A trial of the GAP benchmark suite.
pub(super) fn trial(context: &TrialContext) -> Result<Trial, Error> {
    let found = context.store.components()?;
    context.trial(&found, &(), TrialResult::Components(found.count))
}

impl Store<'_> {
    /// Labels connected components.
    ///
    /// # Errors
    ///
    /// When there is not enough memory.
    pub fn components(&self) -> Result<Components, StoreError> {
        let vertices = self.shape().vertices;
        let contiguous = self.contiguous()?;
        let space = ComponentSpace::new(self.shape(), self.entries()?);
        let workspace = self.backend.allocate(space.bytes() as u64)?;
        let steps = contiguous.graph.components(&space, workspace.address());
        // SAFETY: the workspace is divided by `space`.
        let ms = unsafe { self.time(&steps)? };
        let count: Vec<u64> = workspace.download(0, 1)?;
        Ok(Components {
            count: count[0],
            labels: workspace.download(space.labels_offset() as u64, vertices as usize)?,
            ms: ms + contiguous.ms,
        })
    }
}

impl Reference {
    /// Compares components.
    ///
    /// # Errors
    ///
    /// When a label or their number differs.
    pub fn components(&self, found: &Components) -> Result<(), Difference> {
        let mut expected = reference::labels(&self.rows);
        for &vertex in &self.deleted {
            expected[vertex as usize] = u32::MAX;
        }
        self.values(
            "has",
            "as its component, counted from 0",
            &found.labels,
            &expected,
        )?;
        let roots = (0..)
            .zip(&expected)
            .filter(|&(v, &root): &(u32, _)| v == root);
        same("components", found.count, roots.count() as u64)
    }
}

/// Components by a union-find, without code of the device.
mod reference {
    use heapwood_graphs::Csr;

    /// The least vertex that each one is connected with, whatever the directions.
    pub fn labels(rows: &Csr) -> Vec<u32> {
        let mut parents: Vec<u32> = (0..rows.vertices()).collect();
        for u in 0..rows.vertices() {
            for &v in rows.row(u) {
                let (one, other) = (root(&mut parents, u), root(&mut parents, v));
                // The root of a set is its least vertex.
                parents[one.max(other) as usize] = one.min(other);
            }
        }
        (0..rows.vertices())
            .map(|v| root(&mut parents, v))
            .collect()
    }

    fn root(parents: &mut [u32], mut v: u32) -> u32 {
        while parents[v as usize] != v {
            let parent = parents[v as usize];
            // The next search has half the way.
            parents[v as usize] = parents[parent as usize];
            v = parent;
        }
        v
    }
}

#[cfg(test)]
mod tests {
    use super::super::examples::{csr, kite, path};
    use super::*;

    #[test]
    fn a_kite_is_a_component() {
        assert_eq!(reference::labels(&kite()), [0, 0, 0, 0, 0, 5]);
        let arcs = [[3, 1], [2, 1], [0, 4]];
        assert_eq!(reference::labels(&csr(5, &arcs, true)), [0, 1, 1, 1, 0]);
    }

    #[test]
    fn wrong_components_are_found() {
        let components = |count, last| Components {
            count,
            labels: vec![0, 0, last],
            ms: 0.0,
        };
        let reference = path();
        reference.components(&components(1, 0)).unwrap();
        reference.components(&components(2, 0)).unwrap_err();
        reference.components(&components(1, 2)).unwrap_err();
    }
}
