//! Delaunay triangulations of random points in the unit square.

use spade::{DelaunayTriangulation, Point2, Triangulation};

use super::Made;
use super::cells::Cells;

/// Makes the graph: one thread, about 150 bytes a vertex.
pub(super) fn make(vertices: u32, seed: u64) -> Made {
    // About four points a cell.
    let bits = (u32::BITS - vertices.leading_zeros()) / 2;
    let points = Cells::scatter(vertices, bits.saturating_sub(1), seed).points;
    let points = points.into_iter().map(|[x, y]| Point2::new(x, y)).collect();
    let triangulation = DelaunayTriangulation::<Point2<f64>>::bulk_load_stable(points)
        .expect("coordinates are multiples of 2^-53 below 1");
    let edges = triangulation.undirected_edges();
    let edges = edges.map(|edge| edge.vertices().map(|vertex| vertex.index() as u32));
    (vertices, edges.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_those_of_empty_circles() {
        let (n, edges) = make(40, 3);
        let bits = (u32::BITS - n.leading_zeros()) / 2 - 1;
        let points = Cells::scatter(n, bits, 3).points;
        let point = |i: u32| points[i as usize];
        // Whether some circle through both ends has no point within: one through
        // a third point, or, for the hull, the half plane.
        let is_delaunay = |a: u32, b: u32| {
            let others = || (0..n).filter(|&c| c != a && c != b);
            others().any(|c| {
                let triangle = [point(a), point(b), point(c)];
                others()
                    .filter(|&d| d != c)
                    .all(|d| !in_circle(triangle, point(d)))
            })
        };
        let pairs = (0..n).flat_map(|a| (a + 1..n).map(move |b| [a, b]));
        let expected: Vec<_> = pairs.filter(|&[a, b]| is_delaunay(a, b)).collect();
        let mut edges: Vec<_> = edges
            .into_iter()
            .map(|[a, b]| [a.min(b), a.max(b)])
            .collect();
        edges.sort_unstable();
        assert_eq!(edges, expected);
    }

    fn in_circle(triangle: [[f64; 2]; 3], d: [f64; 2]) -> bool {
        let rows = triangle.map(|p| {
            let [x, y] = [p[0] - d[0], p[1] - d[1]];
            [x, y, x * x + y * y]
        });
        let cross = |a: [f64; 3], b: [f64; 3]| a[0] * b[1] - a[1] * b[0];
        let determinant = rows[0][2] * cross(rows[1], rows[2])
            + rows[1][2] * cross(rows[2], rows[0])
            + rows[2][2] * cross(rows[0], rows[1]);
        let [a, b, c] = triangle;
        let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        determinant * area > 0.0
    }

    #[test]
    fn the_smallest() {
        for (n, count) in [(1, 0), (2, 1), (3, 3)] {
            assert_eq!(make(n, 0).1.len(), count);
        }
    }
}
