//! Random geometric graphs: random points, joined where they are nearer than
//! 0.55 sqrt(ln n / n), the radius of the `rgg_n_2` family, at which such a
//! graph is just about connected.

use rayon::prelude::*;

use super::Made;
use super::cells::Cells;

/// The radius for `vertices` points.
fn radius(vertices: u32) -> f64 {
    let n = f64::from(vertices);
    // Rounded, so that no machine's logarithm makes a difference.
    f64::from((0.55 * (n.ln() / n).sqrt()) as f32)
}

/// Cells a side, as a power of two: as many as are at least as wide as the
/// radius, but no more than there are points.
fn cell_bits(vertices: u32) -> u32 {
    let most = vertices.ilog2() / 2;
    let wide = |&bits: &u32| radius(vertices) * f64::from(1_u32 << bits) <= 1.0;
    (0..=most).rev().find(wide).unwrap_or(0)
}

pub(super) fn make(vertices: u32, seed: u64) -> Made {
    let radius = radius(vertices);
    let cells = Cells::scatter(vertices, cell_bits(vertices), seed);
    let near = |i: u32, j: u32| {
        let [a, b] = [i, j].map(|i| cells.points[i as usize]);
        let [x, y] = [a[0] - b[0], a[1] - b[1]];
        x * x + y * y <= radius * radius
    };
    let edges = cells
        .all()
        .into_par_iter()
        .flat_map_iter(|cell| {
            let own = cells.points_of(cell);
            let mut edges = Vec::new();
            for i in own.clone() {
                let same = i + 1..own.end;
                edges.extend(same.filter(|&j| near(i, j)).map(|j| [i, j]));
            }
            for other in cells.later_neighbours(cell) {
                for i in own.clone() {
                    let others = cells.points_of(other);
                    edges.extend(others.filter(|&j| near(i, j)).map(|j| [i, j]));
                }
            }
            edges
        })
        .collect();
    (vertices, edges)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_near_pairs_are_found() {
        // With 1024 points, cells as many as the points would be too narrow.
        for (n, seed) in [(1, 0), (2, 1), (30, 2), (700, 3), (1024, 4)] {
            let (vertices, mut edges) = make(n, seed);
            assert_eq!(vertices, n);
            let radius = radius(n);
            // The points by the numbers that they have with these cells.
            let points = Cells::scatter(n, cell_bits(n), seed).points;
            let distance = |i: u32, j: u32| {
                let [a, b] = [points[i as usize], points[j as usize]];
                (a[0] - b[0]).hypot(a[1] - b[1])
            };
            let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| [i, j]));
            let expected: Vec<_> = pairs.filter(|&[i, j]| distance(i, j) <= radius).collect();
            edges.sort_unstable();
            assert_eq!(edges, expected);
        }
    }
}
