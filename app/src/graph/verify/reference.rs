//! The algorithms on whole numbers as their definitions say, on rows that are sorted.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use heapwood_graphs::Csr;
use rayon::prelude::*;

/// The triangles that each vertex is in, in an undirected graph. Each is found
/// at its vertex of least degree, among the pairs of later neighbours.
pub(super) fn triangles(rows: &Csr) -> Vec<u64> {
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

/// What two ascending lists have in common.
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

/// The least vertex that each one is connected with, whatever the directions.
pub(super) fn components(rows: &Csr) -> Vec<u32> {
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

/// Edges from a vertex to each one; `u32::MAX` if there is no way.
pub(super) fn depths(rows: &Csr, source: u32) -> Vec<u32> {
    let mut depths = vec![u32::MAX; rows.vertices() as usize];
    depths[source as usize] = 0;
    let mut queue = VecDeque::from([source]);
    while let Some(u) = queue.pop_front() {
        for &v in rows.row(u) {
            if depths[v as usize] == u32::MAX {
                depths[v as usize] = depths[u as usize] + 1;
                queue.push_back(v);
            }
        }
    }
    depths
}

#[cfg(test)]
mod tests {
    use super::*;
    use heapwood_graphs::{CsrOptions, EdgeList};

    fn csr(vertices: u32, edges: &[[u32; 2]], directed: bool) -> Csr {
        let list = EdgeList {
            vertices,
            edges: edges.to_vec(),
            directed,
        };
        let options = CsrOptions {
            keep_self_loops: true,
            ..CsrOptions::default()
        };
        Csr::build(list, options).0
    }

    /// Two triangles with an edge in common, a tail, a loop, and a vertex alone.
    fn kite() -> Csr {
        let edges = [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3], [3, 4], [4, 4]];
        csr(6, &edges, false)
    }

    #[test]
    fn a_kite_has_two_triangles() {
        assert_eq!(triangles(&kite()), [1, 2, 2, 1, 0, 0]);
        let all: Vec<[u32; 2]> = (0..6).flat_map(|v| (0..v).map(move |u| [u, v])).collect();
        // Each of 20 triangles has three of 6 vertices.
        assert_eq!(triangles(&csr(6, &all, false)), [10; 6]);
    }

    #[test]
    fn a_kite_is_a_component() {
        assert_eq!(components(&kite()), [0, 0, 0, 0, 0, 5]);
        let arcs = [[3, 1], [2, 1], [0, 4]];
        assert_eq!(components(&csr(5, &arcs, true)), [0, 1, 1, 1, 0]);
        assert_eq!(depths(&kite(), 0), [0, 1, 1, 2, 3, u32::MAX]);
        assert_eq!(depths(&csr(5, &arcs, true), 2)[1..4], [1, 0, u32::MAX]);
    }
}
