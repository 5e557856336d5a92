//! A tree of shortest paths: the parent of each vertex, found from the distances.
//!
//! An edge from u to v is tight if the distance of v is that of u and the weight. Every shortest path
//! consists of tight edges, but edges that add nothing to a distance may form cycles. So vertices are
//! ordered by distance, then by hops: the fewest tight edges behind the last one that raises the
//! distance. The parent is the vertex of least id that precedes in this order and has a tight edge.
//! It always exists, and the order strictly decreases from a vertex to its parent, so that parents
//! lead to the source without a cycle.

use std::collections::VecDeque;

use heapwood_device::graph::paths::plan::PathSpace;
pub use heapwood_device::graph::paths::tree::NO_PARENT;
use heapwood_graphs::{Csr, WeightKind};

use super::Distances;
use super::reference::sum;
use super::way::weighted_row;
use crate::graph::verify::{Difference, Reference, differ, same_length};
use crate::graph::{Store, StoreError};

impl Store<'_> {
    /// The parents in the tree of shortest paths with these distances. The source is its own parent;
    /// a vertex without a path has [`NO_PARENT`].
    pub(super) fn parents(&self, words: &[u64], source: u32) -> Result<Vec<u32>, StoreError> {
        let columns = self.transposed_csr()?;
        let kind = self.weight_kind().unwrap_or(WeightKind::Integer);
        Ok(parents(&columns, words, (source, kind)))
    }
}

/// The parents by rows of in-neighbours.
fn parents(columns: &Csr, words: &[u64], (source, kind): (u32, WeightKind)) -> Vec<u32> {
    const UNKNOWN: u32 = u32::MAX;
    let mut parents = vec![NO_PARENT; words.len()];
    if words[source as usize] == PathSpace::UNREACHED {
        return parents;
    }
    let mut hops = vec![UNKNOWN; words.len()];
    parents[source as usize] = source;
    hops[source as usize] = 0;
    // Tight edges that add nothing, to vertices that no other edge leads to.
    let mut level_edges = Vec::new();
    for v in (0..).take(words.len()).filter(|&v| v != source) {
        let distance = words[v as usize];
        let tight = weighted_row(columns, v).filter(|&(u, weight)| {
            let before = words[u as usize];
            before != PathSpace::UNREACHED && sum(before, weight, kind) == distance
        });
        let tight: Vec<u32> = tight.map(|(u, _)| u).collect();
        let nearer = tight.iter().filter(|&&u| words[u as usize] < distance);
        match nearer.min() {
            Some(&u) => {
                parents[v as usize] = u;
                hops[v as usize] = 0;
            }
            None => level_edges.extend(tight.iter().map(|&u| [u, v])),
        }
    }
    level_edges.sort_unstable();
    // A breadth-first search along them, from all vertices of 0 hops.
    let known = (0..).take(words.len());
    let mut queue: VecDeque<u32> = known.filter(|&v| hops[v as usize] == 0).collect();
    while let Some(u) = queue.pop_front() {
        let next = hops[u as usize] + 1;
        let first = level_edges.partition_point(|&[from, _]| from < u);
        for &[_, v] in level_edges[first..]
            .iter()
            .take_while(|&&[from, _]| from == u)
        {
            let (hops, parent) = (&mut hops[v as usize], &mut parents[v as usize]);
            if *hops == UNKNOWN {
                *hops = next;
                queue.push_back(v);
            }
            if *hops == next {
                *parent = u.min(*parent);
            }
        }
    }
    parents
}

impl Reference {
    /// Follows the parents of all vertices with these distances.
    ///
    /// # Errors
    ///
    /// When a parent has no edge on a shortest path, or parents do not lead to the source.
    pub(super) fn parents(
        &self,
        parents: &[u32],
        distances: &Distances,
        source: u32,
    ) -> Result<(), Difference> {
        let kind = self.rows.weight_kind().unwrap_or(WeightKind::Integer);
        same_length(parents.len(), self.rows.vertices() as usize)?;
        let mut leads_to_source = vec![false; parents.len()];
        for v in 0..self.rows.vertices() {
            let parent = parents[v as usize];
            let distance = distances.word(v);
            let is_right = if distance == PathSpace::UNREACHED {
                parent == NO_PARENT
            } else if v == source {
                parent == source
            } else {
                weighted_row(&self.columns, v).any(|(u, weight)| {
                    let before = distances.word(u);
                    u == parent
                        && before != PathSpace::UNREACHED
                        && sum(before, weight, kind) == distance
                })
            };
            if !is_right {
                let vertex = self.id(v);
                return differ(format!(
                    "the parent of vertex {vertex} is on no shortest path"
                ));
            }
            leads_to_source[v as usize] = v == source || parent == NO_PARENT;
        }
        for v in 0..self.rows.vertices() {
            let ancestors = std::iter::successors(Some(v), |&v| Some(parents[v as usize]));
            let unknown: Vec<u32> = ancestors
                .take_while(|&v| !leads_to_source[v as usize])
                .take(parents.len())
                .collect();
            if unknown.len() == parents.len() {
                let vertex = self.id(v);
                return differ(format!("the parents of vertex {vertex} form a cycle"));
            }
            for vertex in unknown {
                leads_to_source[vertex as usize] = true;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
