//! Road-like graphs: junctions on a grid, most of them of three or four roads,
//! and along each road the bends, which are most of the vertices.
//!
//! Every junction has a road to its left or its upper neighbour, so that all are connected. Some
//! have the other road too, and a few a diagonal one. Dead ends make up the rest of the requested
//! vertices.

mod lengths;

use std::ops::Range;

use rayon::prelude::*;

use super::Made;
use super::random::{Random, unit};
use crate::rows::prefix_sums;
pub(super) use lengths::lengths;

/// A road has 0 to so many bends.
const MAX_BENDS: u32 = 8;
/// Bends of a dead end.
const DEAD_END: u64 = 4;
/// How often there is the second road, and the diagonal one.
const SECOND: f64 = 0.28;
const DIAGONAL: f64 = 0.02;
/// Vertices a junction, those of its roads and of dead ends among them.
const A_JUNCTION: f64 = 6.5;

/// The grid of junctions.
struct Grid {
    width: u32,
    random: Random,
}

/// The graph's vertices: each junction with the bends of its roads behind it, then dead ends.
struct Plan {
    grid: Grid,
    /// The first vertex of each junction, and the first of the dead ends.
    starts: Vec<u64>,
    vertices: u32,
    ends: Random,
}

/// Makes the graph.
pub(super) fn make(vertices: u32, seed: u64) -> Made {
    (vertices, Plan::new(vertices, seed).edges())
}

impl Plan {
    fn new(vertices: u32, seed: u64) -> Self {
        let random = Random::new(seed, 5);
        let mut junctions = (f64::from(vertices) / A_JUNCTION).ceil() as u32;
        let (grid, starts) = loop {
            let grid = Grid {
                width: f64::from(junctions).sqrt().ceil() as u32,
                random,
            };
            let mut starts: Vec<u64> = (0..junctions)
                .into_par_iter()
                .map(|i| {
                    1 + grid
                        .roads(i)
                        .map(|(_, bends)| u64::from(bends))
                        .sum::<u64>()
                })
                .collect();
            prefix_sums(&mut starts);
            if starts[junctions as usize] <= u64::from(vertices) {
                break (grid, starts);
            }
            // One junction has no roads; it always fits.
            junctions -= junctions.div_ceil(50).min(junctions - 1);
        };
        Self {
            grid,
            starts,
            vertices,
            ends: Random::new(seed, 6),
        }
    }

    fn junctions(&self) -> u32 {
        self.starts.len() as u32 - 1
    }

    /// The vertex of a junction.
    fn vertex(&self, junction: u32) -> u32 {
        self.starts[junction as usize] as u32
    }

    fn edges(&self) -> Vec<[u32; 2]> {
        let mut edges: Vec<[u32; 2]> = (0..self.junctions())
            .into_par_iter()
            .flat_map_iter(|i| {
                let junction = self.vertex(i);
                let mut next = junction + 1;
                let mut edges = Vec::new();
                for (other, bends) in self.grid.roads(i) {
                    let target = self.vertex(other);
                    edges.extend(chain(junction, next..next + bends));
                    let last = if bends == 0 {
                        junction
                    } else {
                        next + bends - 1
                    };
                    edges.push([last, target]);
                    next += bends;
                }
                edges
            })
            .collect();
        let dead_ends = self.dead_ends();
        edges.par_extend(
            dead_ends.flat_map_iter(|(junction, bends)| chain(self.vertex(junction), bends)),
        );
        edges
    }

    /// The junction of each dead end, and its bends.
    fn dead_ends(&self) -> impl ParallelIterator<Item = (u32, Range<u32>)> {
        let used = self.starts[self.junctions() as usize];
        let vertices = u64::from(self.vertices);
        let count = (vertices - used).div_ceil(DEAD_END);
        (0..count as usize).into_par_iter().map(move |i| {
            let junction = self.ends.below(i as u64, self.junctions());
            let start = used + i as u64 * DEAD_END;
            let end = vertices.min(start + DEAD_END);
            (junction, start as u32..end as u32)
        })
    }
}

/// The edges from `start` along all `bends`.
fn chain(start: u32, bends: Range<u32>) -> impl Iterator<Item = [u32; 2]> {
    let first = bends.start;
    bends.map(move |bend| {
        if bend == first {
            [start, bend]
        } else {
            [bend - 1, bend]
        }
    })
}

impl Grid {
    /// The roads from junction `i` to earlier ones, and how many bends each has.
    fn roads(&self, i: u32) -> impl Iterator<Item = (u32, u32)> {
        let (has_left, has_upper) = (!i.is_multiple_of(self.width), i >= self.width);
        let place = 8 * u64::from(i);
        let choice = self.random.word(place);
        let second = unit(self.random.word(place + 1)) < SECOND;
        let diagonal = unit(self.random.word(place + 2)) < DIAGONAL;
        let left_first = choice & 1 == 0;
        let left = has_left && (left_first || second || !has_upper);
        let upper = has_upper && (!left_first || second || !has_left);
        let diagonal = has_left && has_upper && diagonal;
        let width = self.width;
        let random = self.random;
        [(left, 1), (upper, width), (diagonal, width + 1)]
            .into_iter()
            .zip(3..)
            .filter(|((present, _), _)| *present)
            .map(move |((_, back), road)| (i - back, random.below(place + road, MAX_BENDS + 1)))
    }
}
