//! The Menger sponge: a cube of 27 cells without the middle one and those of its faces, and each
//! of the others such a sponge again.
//!
//! All faces are along the axes, many of them in the same planes, and nothing is inside of the
//! solid: a face is made where a full cell has an empty one beside it. At level n there are
//! `4 * 20^n + 8 * 8^n` triangles.

use super::MAX_TRIANGLES;
use crate::{Material, Scene, SceneError};
use glam::Vec3;

/// Length of an edge of the whole, in units.
const SIDE: f32 = 3.0;

/// The sponge of a level: at level 0 it is a cube. It stands on the ground, 3 units wide.
///
/// # Errors
/// [`SceneError::TooMany`] beyond [`MAX_TRIANGLES`], which is from level 7 on.
pub fn menger(level: u32) -> Result<Scene, SceneError> {
    let count = triangles(level);
    if count > MAX_TRIANGLES {
        return Err(SceneError::TooMany {
            name: "menger".to_owned(),
            count,
            limit: MAX_TRIANGLES,
        });
    }
    let (vertices, triangles) = Mesh::of(level).parts();
    let material_of = vec![0; triangles.len()];
    let sponge = Material::matt("sponge", Vec3::new(0.8, 0.66, 0.36));
    Scene::new("menger", vertices, triangles, vec![sponge], material_of)
}

/// The sponge of the lowest level that has at least so many triangles.
///
/// # Errors
/// As [`menger`].
pub fn menger_to(least: u64) -> Result<Scene, SceneError> {
    let mut levels = 0..;
    let level = levels.find(|&level| triangles(level) >= least);
    menger(level.unwrap_or(u32::MAX))
}

/// Triangles at a level.
fn triangles(level: u32) -> u64 {
    let power = |base: u64| base.saturating_pow(level);
    (power(20).saturating_mul(4)).saturating_add(power(8).saturating_mul(8))
}

/// A sponge under construction, from layers of cells.
struct Mesh {
    /// Cells along an edge.
    cells: u32,
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    /// Vertices of the lattice below and above the layer, [`NONE`] where there is none.
    floors: [Vec<u32>; 2],
}

/// No vertex.
const NONE: u32 = u32::MAX;

/// A face's cell beside it, and its corners from the cell's lowest one, counter-clockwise as seen
/// from outside.
type Face = ([i32; 3], [[u32; 3]; 4]);
const FACES: [Face; 6] = [
    ([-1, 0, 0], [[0, 0, 0], [0, 0, 1], [0, 1, 1], [0, 1, 0]]),
    ([1, 0, 0], [[1, 0, 0], [1, 1, 0], [1, 1, 1], [1, 0, 1]]),
    ([0, -1, 0], [[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1]]),
    ([0, 1, 0], [[0, 1, 0], [0, 1, 1], [1, 1, 1], [1, 1, 0]]),
    ([0, 0, -1], [[0, 0, 0], [0, 1, 0], [1, 1, 0], [1, 0, 0]]),
    ([0, 0, 1], [[0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]]),
];

impl Mesh {
    fn of(level: u32) -> Self {
        let cells = 3_u32.pow(level);
        let floor = vec![NONE; (cells as usize + 1).pow(2)];
        let mut mesh = Self {
            cells,
            vertices: Vec::new(),
            triangles: Vec::with_capacity(triangles(level) as usize),
            floors: [floor.clone(), floor],
        };
        for y in 0..cells {
            for z in 0..cells {
                for x in 0..cells {
                    mesh.cell([x, y, z]);
                }
            }
            // The vertices above this layer are those below the next one.
            mesh.floors.swap(0, 1);
            mesh.floors[1].fill(NONE);
        }
        mesh
    }

    /// Adds the faces of a cell.
    fn cell(&mut self, at: [u32; 3]) {
        if !is_full(at) {
            return;
        }
        for (beside, corners) in FACES {
            let other = [0, 1, 2].map(|axis| at[axis].wrapping_add_signed(beside[axis]));
            // Beyond the whole, everything is empty; -1 has become a large number.
            if other.iter().all(|&place| place < self.cells) && is_full(other) {
                continue;
            }
            let [a, b, c, d] = corners.map(|corner| self.vertex(at, corner));
            self.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }

    /// The vertex at a corner of a cell, which is made once.
    fn vertex(&mut self, cell: [u32; 3], corner: [u32; 3]) -> u32 {
        let [x, y, z] = [0, 1, 2].map(|axis| cell[axis] + corner[axis]);
        let place = (z * (self.cells + 1) + x) as usize;
        let vertex = &mut self.floors[corner[1] as usize][place];
        if *vertex == NONE {
            *vertex = self.vertices.len() as u32;
            let along = |at: u32| SIDE * at as f32 / self.cells as f32;
            let middle = 0.5 * SIDE;
            let position = Vec3::new(along(x) - middle, along(y), along(z) - middle);
            self.vertices.push(position);
        }
        *vertex
    }

    fn parts(self) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        (self.vertices, self.triangles)
    }
}

/// Whether a cell is full: at no scale it is in the middle along two axes.
fn is_full(at: [u32; 3]) -> bool {
    let [mut x, mut y, mut z] = at;
    while x + y + z > 0 {
        let middles = [x, y, z].map(|place| u32::from(place % 3 == 1));
        if middles.iter().sum::<u32>() >= 2 {
            return false;
        }
        (x, y, z) = (x / 3, y / 3, z / 3);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::testing::{edges_by_position, sound, volume};

    #[test]
    fn levels_have_the_triangles_of_the_formula_and_are_closed() {
        for (level, count) in [(0, 12), (1, 144), (2, 2_112), (3, 36_096)] {
            let sponge = menger(level).unwrap();
            assert_eq!(sponge.len(), count);
            assert_eq!(triangles(level), count as u64);
            sound(&sponge);
            // Where cells meet in an edge alone, four faces do.
            assert!(edges_by_position(&sponge).values().all(|&n| n % 2 == 0));
            let expected = 27.0 * (20.0_f64 / 27.0).powi(level as i32);
            assert!(
                (volume(&sponge) - expected).abs() < 1e-3,
                "{}",
                volume(&sponge)
            );
        }
    }

    #[test]
    fn the_lowest_level_that_suffices_is_made() {
        for (least, count) in [(0, 12), (12, 12), (13, 144), (2_112, 2_112)] {
            assert_eq!(menger_to(least).unwrap().len(), count, "{least}");
        }
        for least in [MAX_TRIANGLES, u64::MAX] {
            assert!(matches!(menger_to(least), Err(SceneError::TooMany { .. })));
        }
        assert!(matches!(menger(7), Err(SceneError::TooMany { .. })));
    }

    #[test]
    fn it_is_the_same_everywhere() {
        assert_eq!(menger(2).unwrap().input_hash(), 0x4e38_a03f_eb65_4aed);
    }
}
