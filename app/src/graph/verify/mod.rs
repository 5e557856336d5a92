//! An independent look at a store and at what was computed on it.
//!
//! A [`Checker`] keeps the graph in its own way. Results are compared with a [`Reference`],
//! by methods that stand with the [algorithms](super::algorithms): they compute everything
//! again from definitions, on the CPU and without code of the device.

mod model;

use std::collections::BTreeSet;

use heapwood_graphs::{Csr, CsrOptions, EdgeList, Ids};
use thiserror::Error;

use super::{Change, Counts, EdgeSlice, Store};
use crate::UndecidedRanks;
use model::Model;

/// Why a result is not verified, in a line.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Difference {
    /// The first difference that was found.
    #[error("verification: {0}")]
    Found(String),
    /// The ranks would pass if they were others.
    #[error("verification: {0}")]
    Undecided(#[from] UndecidedRanks),
}

impl From<Difference> for crate::Error {
    fn from(difference: Difference) -> Self {
        match difference {
            Difference::Found(_) => Self::Verification(difference.to_string()),
            Difference::Undecided(ranks) => Self::Undecided(ranks),
        }
    }
}

/// The graph as it should be.
pub struct Checker {
    model: Model,
    /// The names of the vertices in messages.
    ids: Ids,
}

/// The graph at rest, for algorithms.
pub struct Reference {
    /// The neighbours of each vertex, ascending.
    pub(super) rows: Csr,
    /// The in-neighbours of each vertex, ascending; of an undirected graph the same.
    pub(super) columns: Csr,
    /// The vertices that were deleted.
    pub(super) deleted: BTreeSet<u32>,
    /// The names of the vertices in messages.
    ids: Ids,
}

impl Checker {
    /// For a graph that is loaded from this list; messages call its vertices by `ids`.
    pub fn new(list: &EdgeList, options: CsrOptions, ids: Ids) -> Self {
        Self {
            model: Model::new(list, options),
            ids,
        }
    }

    /// Applies a batch that the store counted so.
    ///
    /// # Errors
    ///
    /// When an edge by edge count differs.
    pub fn batch<'e>(
        &mut self,
        edges: impl Into<EdgeSlice<'e>>,
        change: Change,
        counts: &Counts,
    ) -> Result<(), Difference> {
        let expected = self.model.apply(edges.into(), change);
        let applied = match change {
            Change::Insert => "inserted",
            Change::Delete => "deleted",
        };
        let pairs = [
            (applied, counts.applied, expected.applied),
            ("duplicates", counts.duplicates, expected.duplicates),
            ("reweighted", counts.reweighted, expected.reweighted),
            ("missing", counts.missing, expected.missing),
            ("rejected", counts.rejected, expected.rejected),
        ];
        for (what, found, expected) in pairs {
            if found != expected {
                return differ(format!(
                    "{found} edges of a batch were counted as {what}, not {expected}"
                ));
            }
        }
        Ok(())
    }

    /// Adds vertices, as the store did.
    pub fn insert_vertices(&mut self, count: u32) {
        self.model.insert_vertices(count);
    }

    /// Deletes vertices; the store reports that `deleted` of them were there.
    ///
    /// # Errors
    ///
    /// When there were more or fewer.
    pub fn delete_vertices(&mut self, vertices: &[u32], deleted: u64) -> Result<(), Difference> {
        let expected = self.model.delete_vertices(vertices);
        same("vertices deleted", deleted, expected)
    }

    /// Compares rows and hash of a store.
    ///
    /// # Errors
    ///
    /// A difference, and faults of the backend.
    pub fn store(&self, store: &Store) -> Result<(), crate::Error> {
        let expected = self.model.rows();
        self.rows("neighbours", &store.csr()?, &expected)?;
        if store.shape().directed {
            self.rows(
                "in-neighbours",
                &store.transposed_csr()?,
                &self.model.columns(),
            )?;
        }
        let (found, expected) = (store.hash()?, expected.graph_hash());
        if found != expected {
            differ(format!(
                "the graph's hash is {found:016x}, not {expected:016x}"
            ))?;
        }
        Ok(())
    }

    fn rows(&self, what: &str, found: &Csr, expected: &Csr) -> Result<(), Difference> {
        same_length(found.vertices() as usize, expected.vertices() as usize)?;
        for vertex in 0..expected.vertices() {
            let weights = (found.row_weights(vertex), expected.row_weights(vertex));
            let (found, expected) = (found.row(vertex), expected.row(vertex));
            if found == expected {
                self.weights(what, vertex, found, weights)?;
                continue;
            }
            let id = |vertex: &u32| self.ids.of(*vertex);
            let place = found.iter().zip(expected).position(|(a, b)| a != b);
            let place = place.unwrap_or(found.len().min(expected.len()));
            let name = |row: &[u32]| match row.get(place) {
                Some(neighbour) => format!("vertex {}", id(neighbour)),
                None => "the end".to_owned(),
            };
            return differ(format!(
                "the {what} of vertex {} have {} at place {place}, not {}",
                id(&vertex),
                name(found),
                name(expected)
            ));
        }
        Ok(())
    }

    /// Compares the weights of a row.
    fn weights(
        &self,
        what: &str,
        vertex: u32,
        row: &[u32],
        (found, expected): (Option<&[u32]>, Option<&[u32]>),
    ) -> Result<(), Difference> {
        let (found, expected) = match (found, expected) {
            (Some(found), Some(expected)) => (found, expected),
            (None, None) => return Ok(()),
            _ => return differ("either the store or the graph has no weights".to_owned()),
        };
        let pairs = row.iter().zip(found.iter().zip(expected));
        for (neighbour, (found, expected)) in pairs {
            if found != expected {
                return differ(format!(
                    "the edge from vertex {} among the {what} to vertex {} has the weight {found:#x} as                      bits, not {expected:#x}",
                    self.ids.of(vertex),
                    self.ids.of(*neighbour)
                ));
            }
        }
        Ok(())
    }

    /// The graph as it is now.
    pub fn reference(&self) -> Reference {
        Reference {
            rows: self.model.rows(),
            columns: self.model.columns(),
            deleted: self.model.deleted().clone(),
            ids: self.ids.clone(),
        }
    }
}

impl Reference {
    /// The name of a vertex in messages.
    pub(super) fn id(&self, vertex: u32) -> u64 {
        self.ids.of(vertex)
    }

    /// Compares a value of each vertex.
    pub(super) fn values<E: Copy + Into<u64>>(
        &self,
        verb: &str,
        what: &str,
        found: &[u32],
        expected: &[E],
    ) -> Result<(), Difference> {
        same_length(found.len(), expected.len())?;
        for (vertex, (&found, &expected)) in (0..).zip(found.iter().zip(expected)) {
            let expected: u64 = expected.into();
            if u64::from(found) != expected {
                let vertex = self.ids.of(vertex);
                return differ(format!(
                    "vertex {vertex} {verb} {found} {what}, not {expected}"
                ));
            }
        }
        Ok(())
    }
}

/// Compares a number of vertices.
pub(super) fn same_length(found: usize, expected: usize) -> Result<(), Difference> {
    same("vertices", found as u64, expected as u64)
}

/// Compares a number of something.
pub(super) fn same(what: &str, found: u64, expected: u64) -> Result<(), Difference> {
    if found == expected {
        return Ok(());
    }
    differ(format!("{found} {what}, not {expected}"))
}

/// The error of a difference.
pub(super) fn differ<T>(what: String) -> Result<T, Difference> {
    Err(Difference::Found(what))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A path of three vertices, numbered from 1.
    fn path() -> Checker {
        let list = EdgeList {
            vertices: 3,
            edges: vec![[0, 1], [1, 2]],
            weights: None,
            directed: false,
        };
        Checker::new(&list, CsrOptions::default(), Ids::from(1))
    }

    fn message<T: std::fmt::Debug>(result: Result<T, Difference>) -> String {
        result.unwrap_err().to_string()
    }

    #[test]
    fn a_batch_that_was_miscounted_is_found() {
        let edges = [[0, 2], [0, 1]];
        let counts = Counts {
            applied: 1,
            duplicates: 1,
            ..Counts::default()
        };
        path().batch(&edges, Change::Insert, &counts).unwrap();
        let wrong = Counts {
            duplicates: 0,
            ..counts
        };
        let found = path().batch(&edges, Change::Insert, &wrong);
        assert_eq!(
            message(found),
            "verification: 0 edges of a batch were counted as duplicates, not 1"
        );
        assert!(path().batch(&edges, Change::Delete, &counts).is_err());
    }

    #[test]
    fn vertices_that_were_miscounted_are_found() {
        let mut checker = path();
        checker.insert_vertices(1);
        checker.delete_vertices(&[1, 1, 9], 1).unwrap();
        let found = checker.delete_vertices(&[1, 3], 2);
        assert_eq!(message(found), "verification: 2 vertices deleted, not 1");
        let reference = checker.reference();
        assert_eq!(reference.rows.offsets, [0, 0, 0, 0, 0]);
        assert!(reference.deleted.iter().eq(&[1, 3]));
    }

    #[test]
    fn rows_that_differ_are_named() {
        let (checker, expected) = (path(), path().model.rows());
        checker.rows("neighbours", &expected, &expected).unwrap();
        let mut found = expected.clone();
        found.targets[1..3].copy_from_slice(&[0, 1]);
        assert_eq!(
            message(checker.rows("neighbours", &found, &expected)),
            "verification: the neighbours of vertex 2 have vertex 2 at place 1, not vertex 3"
        );
        found.offsets = vec![0, 1, 2, 4];
        let found = message(checker.rows("neighbours", &found, &expected));
        assert!(found.ends_with("vertex 2 have the end at place 1, not vertex 3"));
    }
}
