//! Lengths of roads. Junctions lie near the points of the grid, bends beside the straight line between
//! two junctions, and a dead end wanders away from its junction. All coordinates are integers, so that
//! every machine has the same lengths.

use rayon::prelude::*;

use super::super::random::Random;
use super::Plan;

/// Coordinates of a vertex.
type Point = [i64; 2];

/// The distance between points of the grid.
const SPACING: i64 = 1000;
/// Max offsets in either direction of both axes: of a junction from its point of the grid, of a bend
/// from the straight line, of the next bend of a dead end from the one before.
const JUNCTION: u32 = 250;
const BEND: u32 = 60;
const DEAD_END: u32 = 90;

/// The Euclidean length of each edge of the graph of so many vertices, rounded down, at least 1.
pub(in super::super) fn lengths(vertices: u32, seed: u64, edges: &[[u32; 2]]) -> Vec<u32> {
    let points = points(&Plan::new(vertices, seed), seed);
    let lengths = edges.par_iter().map(|edge| {
        let [[x, y], [other_x, other_y]] = edge.map(|end| points[end as usize]);
        let [x, y] = [x.abs_diff(other_x), y.abs_diff(other_y)];
        (x * x + y * y).isqrt().max(1) as u32
    });
    lengths.collect()
}

/// The points of all vertices in their order.
fn points(plan: &Plan, seed: u64) -> Vec<Point> {
    let random = Random::new(seed, 9);
    // A point beside another one, by the number of its vertex.
    let beside = |[x, y]: Point, vertex: u32, reach: u32| {
        let offset = |axis| {
            let place = 2 * u64::from(vertex) + axis;
            i64::from(random.below(place, 2 * reach + 1)) - i64::from(reach)
        };
        [x + offset(0), y + offset(1)]
    };
    let junction = |i: u32| {
        let [column, row] = [i % plan.grid.width, i / plan.grid.width].map(i64::from);
        let point = [column * SPACING, row * SPACING];
        beside(point, plan.vertex(i), JUNCTION)
    };
    let junctions = (0..plan.junctions()).into_par_iter();
    let mut points: Vec<Point> = junctions
        .flat_map_iter(|i| {
            let mut points = vec![junction(i)];
            for (other, bends) in plan.grid.roads(i) {
                let [[x, y], [other_x, other_y]] = [junction(i), junction(other)];
                for bend in 1..=i64::from(bends) {
                    let part = |from, to| from + (to - from) * bend / (i64::from(bends) + 1);
                    let vertex = plan.vertex(i) + points.len() as u32;
                    points.push(beside([part(x, other_x), part(y, other_y)], vertex, BEND));
                }
            }
            points
        })
        .collect();
    points.par_extend(plan.dead_ends().flat_map_iter(|(i, bends)| {
        let next = |before: &mut Point, vertex| {
            *before = beside(*before, vertex, DEAD_END);
            Some(*before)
        };
        bends.scan(junction(i), next)
    }));
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_vertex_has_a_point_and_every_edge_a_length() {
        for (vertices, seed) in [(1, 0), (2, 1), (30, 2), (5_000, 3)] {
            let plan = Plan::new(vertices, seed);
            assert_eq!(points(&plan, seed).len(), vertices as usize);
            let edges = plan.edges();
            let lengths = lengths(vertices, seed, &edges);
            assert_eq!(lengths.len(), edges.len());
            assert!(lengths.iter().all(|length| (1..3_000).contains(length)));
        }
    }

    #[test]
    fn bends_share_the_way_between_junctions() {
        let plan = Plan::new(20_000, 4);
        let lengths = lengths(20_000, 4, &plan.edges());
        let mean = lengths.iter().map(|&length| f64::from(length)).sum::<f64>() / 20_000.0;
        assert!((150.0..350.0).contains(&mean), "{mean}");
    }
}
