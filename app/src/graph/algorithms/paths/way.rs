//! One shortest path, found backwards from its end.

use std::collections::VecDeque;

use ahash::AHashMap;
use heapwood_device::graph::paths::plan::PathSpace;
use heapwood_graphs::{Csr, WeightKind};

use super::{Distances, reference::sum};
use crate::graph::verify::{Difference, differ};
use crate::graph::{Store, StoreError};

/// A shortest path.
#[derive(Clone, Debug, PartialEq)]
pub struct Way {
    /// Its end.
    pub target: u32,
    /// Its length; none if there is no path.
    pub distance: Option<f64>,
    /// Its vertices from the source to the target; of all shortest paths one with the fewest edges.
    pub vertices: Vec<u32>,
}

impl Store<'_> {
    /// The way to a target along edges on which distances lack nothing. Edges of weight 0 may make
    /// circles of these, so that it is a search, from the target.
    pub(super) fn way(&self, words: &[u64], source: u32, target: u32) -> Result<Way, StoreError> {
        let distance = words[target as usize];
        if distance == PathSpace::UNREACHED {
            return Ok(Way {
                target,
                distance: None,
                vertices: Vec::new(),
            });
        }
        let columns = self.transposed_csr()?;
        let kind = self.weight_kind().unwrap_or(WeightKind::Integer);
        let mut next = AHashMap::from([(target, target)]);
        let mut queue = VecDeque::from([target]);
        while let Some(v) = queue.pop_front().filter(|&v| v != source) {
            for (u, weight) in weighted_row(&columns, v) {
                let before = words[u as usize];
                let is_tight = before != PathSpace::UNREACHED
                    && sum(before, weight, kind) == words[v as usize];
                if is_tight && !next.contains_key(&u) {
                    next.insert(u, v);
                    queue.push_back(u);
                }
            }
        }
        let mut vertices = vec![source];
        let mut vertex = source;
        while vertex != target {
            vertex = next[&vertex];
            vertices.push(vertex);
        }
        let distance = match kind {
            WeightKind::Integer => distance as f64,
            WeightKind::Real => f32::from_bits(distance as u32).into(),
        };
        Ok(Way {
            target,
            distance: Some(distance),
            vertices,
        })
    }
}

/// The neighbours of a vertex with the weights of the edges; nothing in a graph without weights.
pub(super) fn weighted_row(rows: &Csr, vertex: u32) -> impl Iterator<Item = (u32, u32)> {
    let weights = rows.row_weights(vertex).unwrap_or_default();
    rows.row(vertex)
        .iter()
        .copied()
        .zip(weights.iter().copied())
}

impl Way {
    /// Follows the way on rows that have these distances.
    ///
    /// # Errors
    ///
    /// When an edge is not there, or the way is not as long as the distance of its end.
    pub(super) fn verify(
        &self,
        rows: &Csr,
        distances: &Distances,
        id: impl Fn(u32) -> u64,
    ) -> Result<(), Difference> {
        let kind = rows.weight_kind().unwrap_or(WeightKind::Integer);
        let expected = distances.word(self.target);
        if self.vertices.is_empty() {
            return match expected {
                PathSpace::UNREACHED => Ok(()),
                _ => differ(format!("there is a path to vertex {}", id(self.target))),
            };
        }
        let mut length = 0;
        for pair in self.vertices.windows(2) {
            let found = weighted_row(rows, pair[0]).find(|(neighbour, _)| *neighbour == pair[1]);
            let Some((_, weight)) = found else {
                let (from, to) = (id(pair[0]), id(pair[1]));
                return differ(format!(
                    "the path has an edge from {from} to {to}, which is not there"
                ));
            };
            length = sum(length, weight, kind);
        }
        match length == expected && self.vertices.last() == Some(&self.target) {
            true => Ok(()),
            false => differ(format!(
                "the path to vertex {} is not a shortest one",
                id(self.target)
            )),
        }
    }
}
