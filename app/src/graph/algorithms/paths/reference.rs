//! Shortest paths by a heap (Dijkstra 1959), without code of the device.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use heapwood_graphs::{Csr, WeightKind};

/// The distance behind an edge: the sum of integers, or the bits of the rounded sum of two `f32`.
pub fn sum(distance: u64, weight: u32, kind: WeightKind) -> u64 {
    match kind {
        WeightKind::Integer => distance + u64::from(weight),
        WeightKind::Real => {
            let sum = f32::from_bits(distance as u32) + f32::from_bits(weight);
            sum.to_bits().into()
        }
    }
}

/// The distance of each vertex from the source, as a word; `u64::MAX` if there is no path.
///
/// # Panics
///
/// If the rows have no weights.
pub fn distances(rows: &Csr, source: u32) -> Vec<u64> {
    let weights = rows.weights.as_ref().expect("a graph with weights");
    let mut distances = vec![u64::MAX; rows.vertices() as usize];
    distances[source as usize] = 0;
    let mut heap = BinaryHeap::from([(Reverse(0), source)]);
    while let Some((Reverse(distance), u)) = heap.pop() {
        if distance > distances[u as usize] {
            continue;
        }
        let first = rows.offsets[u as usize] as usize;
        for (place, &v) in (first..).zip(rows.row(u)) {
            let next = sum(distance, weights.words[place], weights.kind);
            if next < distances[v as usize] {
                distances[v as usize] = next;
                heap.push((Reverse(next), v));
            }
        }
    }
    distances
}
