//! Three-dimensional meshes whose cells know all 26 cells around them.
//!
//! The plain grid, and the optimality system of the `nlpkkt` family (Schenk et
//! al.: boundary control of a partial differential equation): states and
//! multipliers live in the cells, controls on the cells of the six faces. A
//! multiplier is joined with the states of its cell and those around it, and on
//! a face with the controls of the up to nine cells around. For 120 cells a side
//! this has exactly the vertices and edges of `nlpkkt120`; Table 1 counts the
//! diagonal too.

use std::ops::Range;

use rayon::prelude::*;

use super::Made;

/// Makes the plain grid, a cube of at least so many cells.
pub(super) fn grid(vertices: u32) -> Made {
    let side = smallest_side(vertices, |side| side * side * side);
    let edges = cells(side).into_par_iter().flat_map_iter(|[x, y, z]| {
        let cell = number(side, [x, y, z]);
        let around = around(side, [x, y, z]);
        around
            .filter(move |&other| other > cell)
            .map(move |other| [cell, other])
    });
    (side * side * side, edges.collect())
}

/// Makes the optimality system, of at least so many vertices.
pub(super) fn kkt(vertices: u32) -> Made {
    let side = smallest_side(vertices, |side| 2 * side * side * side + 6 * side * side);
    let count = side * side * side;
    let multipliers = cells(side).into_par_iter().flat_map_iter(|at| {
        let multiplier = count + number(side, at);
        around(side, at).map(move |state| [state, multiplier])
    });
    let controls = (0..6 * side * side)
        .into_par_iter()
        .flat_map_iter(|control| {
            let (face, cell) = (control / (side * side), control % (side * side));
            let layer = if face % 2 == 0 { 0 } else { side - 1 };
            let [a, b] = [cell % side, cell / side];
            let near = near(side, b).flat_map(move |b| near(side, a).map(move |a| [a, b]));
            near.map(move |[a, b]| {
                let at = match face / 2 {
                    0 => [layer, a, b],
                    1 => [a, layer, b],
                    _ => [a, b, layer],
                };
                [count + number(side, at), 2 * count + control]
            })
        });
    let mut edges: Vec<[u32; 2]> = multipliers.collect();
    edges.par_extend(controls);
    (2 * count + 6 * side * side, edges)
}

fn smallest_side(vertices: u32, count: impl Fn(u64) -> u64) -> u32 {
    let enough = |&side: &u32| count(side.into()) >= vertices.into();
    (1..).find(enough).expect("some side is long enough")
}

/// All cells, by coordinates, in the order of their numbers.
fn cells(side: u32) -> Vec<[u32; 3]> {
    let plane = |z| (0..side).flat_map(move |y| (0..side).map(move |x| [x, y, z]));
    (0..side).flat_map(plane).collect()
}

fn number(side: u32, [x, y, z]: [u32; 3]) -> u32 {
    (z * side + y) * side + x
}

/// The coordinates next to `c`, itself among them.
fn near(side: u32, c: u32) -> Range<u32> {
    c.saturating_sub(1)..side.min(c + 2)
}

/// The numbers of a cell and the cells around it.
fn around(side: u32, [x, y, z]: [u32; 3]) -> impl Iterator<Item = u32> {
    near(side, z)
        .flat_map(move |z| near(side, y).map(move |y| [y, z]))
        .flat_map(move |[y, z]| near(side, x).map(move |x| number(side, [x, y, z])))
}
