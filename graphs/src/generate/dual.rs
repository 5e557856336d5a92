//! The dual of a triangle mesh: a vertex for each triangle, joined with those
//! across its sides.
//!
//! The mesh is a grid of squares, each cut along one of its diagonals at random.
//! As a mesh with a straight border has, it has about 4 sqrt(n / 2) sides
//! without a neighbour.

use rayon::prelude::*;

use super::Made;
use super::random::Random;

/// Makes the graph on an even number of vertices.
pub(super) fn make(vertices: u32, seed: u64) -> Made {
    let random = Random::new(seed, 4);
    let squares = vertices.div_ceil(2);
    let width = f64::from(squares).sqrt().ceil() as u32;
    // Triangle 2 i is at the left side of square i, 2 i + 1 at its right. The
    // diagonal decides which of them is at the top; the other is at the bottom.
    let top = |i: u32| 2 * i + (random.word(i.into()) & 1) as u32;
    let bottom = |i: u32| top(i) ^ 1;
    let edges = (0..squares).into_par_iter().flat_map_iter(|i| {
        let across = [2 * i, 2 * i + 1];
        let has_right = (i + 1) % width != 0 && i + 1 < squares;
        let right = has_right.then(|| [2 * i + 1, 2 * (i + 1)]);
        let below = (i + width < squares).then(|| [bottom(i), top(i + width)]);
        [Some(across), right, below].into_iter().flatten()
    });
    (2 * squares, edges.collect())
}
