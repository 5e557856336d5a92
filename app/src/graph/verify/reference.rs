//! The algorithms as their definitions say, in double precision where numbers
//! are not whole, on rows that are sorted.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use heapwood_device::graph::pagerank::stretch::{Stretch, beyond};
use heapwood_graphs::Csr;
use rayon::prelude::*;

/// PageRank after so many iterations, and the change of the last one. Vertices
/// without out-edges give their rank to all. In a symmetric graph steps are
/// stretched as those of the device are.
pub(super) fn ranks(
    rows: &Csr,
    columns: &Csr,
    damping: f64,
    iterations: u32,
    symmetric: bool,
) -> (Vec<f64>, f64) {
    let count = f64::from(rows.vertices());
    let mut ranks = vec![1.0 / count; rows.vertices() as usize];
    let mut before = ranks.clone();
    let (mut residual, mut stretch) = (0.0, Stretch::NONE);
    for _ in 0..iterations {
        let stuck = (0..rows.vertices()).filter(|&v| rows.degree(v) == 0);
        let stuck: f64 = stuck.map(|v| ranks[v as usize]).sum();
        let everybody = (1.0 - damping + damping * stuck) / count;
        let share = |v: u32| ranks[v as usize] / rows.degree(v) as f64;
        let rank = |v| {
            let pulled: f64 = columns.row(v).iter().map(|&u| share(u)).sum();
            everybody + damping * pulled
        };
        let plain: Vec<f64> = (0..rows.vertices()).into_par_iter().map(rank).collect();
        let last = residual;
        residual = plain.iter().zip(&ranks).map(|(a, b)| (a - b).abs()).sum();
        let pairs = plain.iter().zip(&before);
        let next = pairs.map(|(&plain, &before)| match stretch.factor {
            1.0 => plain,
            factor => beyond(plain, before, factor),
        });
        let next = next.collect();
        before = std::mem::replace(&mut ranks, next);
        if symmetric {
            stretch = stretch.next(residual, last, damping);
        }
    }
    (ranks, residual)
}

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

    #[test]
    fn two_vertices_share_the_rank_of_a_third() {
        // 0 to 1 and 2, from where there is no way on: with damping 0.5 the
        // ranks are r and r + r/4, of which the jump and the stuck rank give r.
        let rows = csr(3, &[[0, 1], [0, 2]], true);
        let columns = csr(3, &[[1, 0], [2, 0]], true);
        let (found, residual) = ranks(&rows, &columns, 0.5, 100, false);
        let expected = [2.0 / 7.0, 2.5 / 7.0, 2.5 / 7.0];
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12);
        }
        assert!(residual < 1e-12);
    }
}
