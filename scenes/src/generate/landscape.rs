//! A fractal height field of any number of triangles: rough down to a few cells, with lakes that
//! are flat.

use super::{MAX_TRIANGLES, noise};
use crate::{Material, Scene, SceneError};
use glam::Vec3;
use rayon::prelude::*;

const WIDTH: f32 = 10.0;
const HEIGHT: f32 = 2.0;
/// Features of the largest octave along a unit.
const FREQUENCY: f32 = 0.35;
/// The level of lakes, of the line of trees and of snow, in units.
const WATER: f32 = -0.5;
const TREES: f32 = 0.3;
const SNOW: f32 = 1.0;

/// A landscape of at least so many triangles, `2 n^2` for some `n`: 10 units square, y up. The
/// seed chooses its shape.
///
/// # Errors
/// [`SceneError::TooMany`] beyond [`MAX_TRIANGLES`].
pub fn landscape(triangles: u64, seed: u32) -> Result<Scene, SceneError> {
    let cells = cells(triangles);
    let count = cells.saturating_mul(cells).saturating_mul(2);
    if count > MAX_TRIANGLES {
        return Err(SceneError::TooMany {
            name: "landscape".to_owned(),
            count,
            limit: MAX_TRIANGLES,
        });
    }
    let cells = cells as u32;
    let octaves = octaves(cells);
    let vertices: Vec<Vec3> = (0..=cells)
        .into_par_iter()
        .flat_map_iter(|row| {
            (0..=cells).map(move |column| {
                let along = |i: u32| (i as f32 / cells as f32 - 0.5) * WIDTH;
                let (x, z) = (along(column), along(row));
                let place = Vec3::new(x, 0.0, z) * FREQUENCY;
                let height = HEIGHT * noise::fractal(place, octaves, seed);
                Vec3::new(x, height.max(WATER), z)
            })
        })
        .collect();
    let triangles: Vec<[u32; 3]> = (0..cells)
        .into_par_iter()
        .flat_map_iter(|row| {
            (0..cells).flat_map(move |column| {
                let near = row * (cells + 1) + column;
                let far = near + cells + 1;
                [[near, far, far + 1], [near, far + 1, near + 1]]
            })
        })
        .collect();
    let material_of = triangles
        .par_iter()
        .map(|corners| cover(corners.map(|corner| vertices[corner as usize].y)))
        .collect();
    Scene::new("landscape", vertices, triangles, materials(), material_of)
}

/// Cells along a side for so many triangles at least.
fn cells(triangles: u64) -> u64 {
    let cells = triangles.div_ceil(2).max(1);
    let root = cells.isqrt();
    root + u64::from(root * root < cells)
}

/// Octaves of noise: the finest feature has about four cells or more.
fn octaves(cells: u32) -> u32 {
    let of_largest = cells as f32 / (WIDTH * FREQUENCY);
    (of_largest as u32 / 4).max(1).ilog2() + 1
}

fn materials() -> Vec<Material> {
    vec![
        Material {
            specular: Vec3::splat(0.5),
            shininess: 200.0,
            ..Material::matt("water", Vec3::new(0.08, 0.2, 0.28))
        },
        Material::matt("grass", Vec3::new(0.33, 0.47, 0.2)),
        Material::matt("rock", Vec3::new(0.5, 0.47, 0.43)),
        Material::matt("snow", Vec3::new(0.9, 0.92, 0.95)),
    ]
}

/// The material of a triangle whose corners are so high.
fn cover(heights: [f32; 3]) -> u32 {
    let highest = heights[0].max(heights[1]).max(heights[2]);
    let above = |level: f32| u32::from(highest > level);
    above(WATER) + above(TREES) + above(SNOW)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::testing::{edges_by_index, sound};

    #[test]
    fn there_are_at_least_as_many_triangles_as_asked_for() {
        for (asked, made) in [(0, 2), (2, 2), (3, 8), (20_000, 20_000), (20_001, 20_402)] {
            let landscape = landscape(asked, 1).unwrap();
            assert_eq!(landscape.len(), made, "{asked}");
            sound(&landscape);
        }
        for asked in [MAX_TRIANGLES + 1, u64::MAX] {
            let refused = landscape(asked, 1);
            assert!(matches!(refused, Err(SceneError::TooMany { .. })));
        }
    }

    #[test]
    fn the_surface_is_connected_looks_up_and_has_every_cover() {
        let landscape = landscape(20_000, 7).unwrap();
        let edges = edges_by_index(&landscape);
        let borders = edges.keys().filter(|&&[a, b]| !edges.contains_key(&[b, a]));
        assert_eq!(borders.count(), 4 * 100);
        let up = |[a, b, c]: &[Vec3; 3]| (*b - *a).cross(*c - *a).y > 0.0;
        assert!(landscape.positions().iter().all(up));
        for cover in 0..4 {
            let count = landscape
                .material_of()
                .iter()
                .filter(|&&of| of == cover)
                .count();
            assert!(count > 100, "{cover}: {count}");
        }
    }

    #[test]
    fn more_triangles_show_finer_features() {
        assert_eq!([3, 14, 28, 100, 1000].map(octaves), [1, 1, 2, 3, 7]);
    }

    #[test]
    fn a_seed_gives_the_same_bits_everywhere() {
        let made = landscape(3_000, 7).unwrap();
        assert_eq!(made.input_hash(), 0x7665_074b_bede_7e09);
        assert_ne!(made.input_hash(), landscape(3_000, 8).unwrap().input_hash());
    }
}
