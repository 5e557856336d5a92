//! The sphere as an icosahedron whose edges are cut into pieces.
//!
//! The faces are cut into a lattice, to be thrown onto the sphere and from there onto a surface.
//! A vertex on an edge or in a corner is made once, so that the surface is closed by its indices.

use super::MAX_TRIANGLES;
use crate::{Material, Scene, SceneError};
use glam::Vec3;
use rayon::prelude::*;

/// Corners of the icosahedron, but for the unit of length: `PHI` is the golden ratio.
const PHI: f32 = 1.618_034;
const CORNERS: [[f32; 3]; 12] = [
    [-1.0, PHI, 0.0],
    [1.0, PHI, 0.0],
    [-1.0, -PHI, 0.0],
    [1.0, -PHI, 0.0],
    [0.0, -1.0, PHI],
    [0.0, 1.0, PHI],
    [0.0, -1.0, -PHI],
    [0.0, 1.0, -PHI],
    [PHI, 0.0, -1.0],
    [PHI, 0.0, 1.0],
    [-PHI, 0.0, -1.0],
    [-PHI, 0.0, 1.0],
];
/// Its faces, counter-clockwise as seen from outside.
const FACES: [[u32; 3]; 20] = [
    [0, 11, 5],
    [0, 5, 1],
    [0, 1, 7],
    [0, 7, 10],
    [0, 10, 11],
    [1, 5, 9],
    [5, 11, 4],
    [11, 10, 2],
    [10, 7, 6],
    [7, 1, 8],
    [3, 9, 4],
    [3, 4, 2],
    [3, 2, 6],
    [3, 6, 8],
    [3, 8, 9],
    [4, 9, 5],
    [2, 4, 11],
    [6, 2, 10],
    [8, 6, 7],
    [9, 8, 1],
];

/// A closed surface of at least so many triangles, `20 n^2` for some `n`, of about equal size on
/// the unit sphere. `surface` maps a point of the sphere to the surface. Its second argument is the
/// number of octaves of noise; an edge is at most a quarter of the finest one's features.
///
/// # Errors
/// [`SceneError::TooMany`] beyond [`MAX_TRIANGLES`].
pub(super) fn closed_surface(
    name: &str,
    triangles: u64,
    material: Material,
    surface: impl Fn(Vec3, u32) -> Vec3 + Sync,
) -> Result<Scene, SceneError> {
    let pieces = pieces(triangles);
    let count = pieces.saturating_mul(pieces).saturating_mul(20);
    if count > MAX_TRIANGLES {
        return Err(SceneError::TooMany {
            name: name.to_owned(),
            count,
            limit: MAX_TRIANGLES,
        });
    }
    let lattice = Lattice::new(pieces as u32);
    let octaves = octaves(lattice.pieces);
    let vertices = lattice
        .points()
        .into_par_iter()
        .map(|point| surface(point.normalize(), octaves))
        .collect();
    let triangles = lattice.triangles();
    let material_of = vec![0; triangles.len()];
    Scene::new(name, vertices, triangles, vec![material], material_of)
}

/// Pieces of an edge of the icosahedron for so many triangles at least.
fn pieces(triangles: u64) -> u64 {
    let faces = triangles.div_ceil(20).max(1);
    let root = faces.isqrt();
    root + u64::from(root * root < faces)
}

/// Octaves of noise: the finest feature has four edges or more.
fn octaves(pieces: u32) -> u32 {
    pieces.ilog2().saturating_sub(1).clamp(2, 12)
}

/// The vertices and triangles of an icosahedron whose edges are cut into pieces: corners
/// first, then the edges, then the insides of faces.
struct Lattice {
    pieces: u32,
    /// Corners of each edge, the smaller first.
    edges: Vec<[u32; 2]>,
}

impl Lattice {
    fn new(pieces: u32) -> Self {
        let mut edges: Vec<[u32; 2]> = FACES
            .iter()
            .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
            .filter(|[from, to]| from < to)
            .collect();
        edges.sort_unstable();
        Self { pieces, edges }
    }

    /// All vertices, on the flat faces.
    fn points(&self) -> Vec<Vec3> {
        let corner = |index: u32| Vec3::from_array(CORNERS[index as usize]);
        let mut points: Vec<Vec3> = (0..12).map(corner).collect();
        let n = self.pieces;
        for &[a, b] in &self.edges {
            let (a, b) = (corner(a), corner(b));
            points.extend((1..n).map(|i| a * (n - i) as f32 + b * i as f32));
        }
        for face in FACES {
            let [a, b, c] = face.map(corner);
            for row in 1..n {
                points.extend((1..n - row).map(|column| {
                    a * (n - row - column) as f32 + b * column as f32 + c * row as f32
                }));
            }
        }
        points
    }

    /// The index of a vertex of a face: `row` pieces from its first edge, `column` pieces
    /// along the row.
    fn vertex(&self, face: usize, row: u32, column: u32) -> u32 {
        let n = self.pieces;
        let [a, b, c] = FACES[face];
        if row == 0 {
            return self.on_edge(a, b, column);
        }
        if column == 0 {
            return self.on_edge(a, c, row);
        }
        if row + column == n {
            return self.on_edge(b, c, row);
        }
        // Rows before this one have n - 2, n - 3, ... vertices inside.
        let before = (row - 1) * (n - 1) - row * (row - 1) / 2;
        let inside = (n - 1) * n.saturating_sub(2) / 2;
        12 + 30 * (n - 1) + face as u32 * inside + before + column - 1
    }

    /// The index of the vertex that is `step` pieces from one corner on the edge to another.
    fn on_edge(&self, from: u32, to: u32, step: u32) -> u32 {
        let n = self.pieces;
        if step == 0 {
            return from;
        }
        if step == n {
            return to;
        }
        let (ends, step) = match from < to {
            true => ([from, to], step),
            false => ([to, from], n - step),
        };
        let edge = self.edges.partition_point(|edge| *edge < ends) as u32;
        12 + edge * (n - 1) + step - 1
    }

    fn triangles(&self) -> Vec<[u32; 3]> {
        let rows = (0..FACES.len()).flat_map(|face| (0..self.pieces).map(move |row| (face, row)));
        let rows: Vec<(usize, u32)> = rows.collect();
        rows.into_par_iter()
            .flat_map_iter(|(face, row)| {
                let length = self.pieces - row;
                (0..length).flat_map(move |column| {
                    let at = |row, column| self.vertex(face, row, column);
                    let (right, up) = (at(row, column + 1), at(row + 1, column));
                    let first = [at(row, column), right, up];
                    let second =
                        (column + 1 < length).then(|| [right, at(row + 1, column + 1), up]);
                    std::iter::once(first).chain(second)
                })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_the_fewest_that_suffice() {
        for (triangles, expected) in [(0, 1), (20, 1), (21, 2), (80, 2), (16_000_000, 895)] {
            assert_eq!(pieces(triangles), expected, "{triangles}");
        }
    }
}
