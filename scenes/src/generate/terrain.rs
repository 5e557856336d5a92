//! A hilly height field: an open surface, flat as a whole, rough in detail.

use super::builder::Builder;
use super::noise;
use crate::{Material, Scene};
use glam::Vec3;

/// Cells along each side; two triangles each.
const CELLS: u32 = 32;
const WIDTH: f32 = 10.0;
const HEIGHT: f32 = 1.6;

/// The height field of a seed: 2,048 triangles, 10 units square, y up.
pub fn terrain(seed: u32) -> Scene {
    let mut builder = Builder::new(vec![
        Material::matt("grass", Vec3::new(0.33, 0.47, 0.2)),
        Material::matt("rock", Vec3::new(0.5, 0.47, 0.43)),
    ]);
    let mut heights = Vec::new();
    for row in 0..=CELLS {
        for column in 0..=CELLS {
            let at = |i: u32| (i as f32 / CELLS as f32 - 0.5) * WIDTH;
            let (x, z) = (at(column), at(row));
            let y = HEIGHT * noise::fractal(Vec3::new(x, 0.0, z) * 0.35, 4, seed);
            heights.push(y);
            builder.vertex(Vec3::new(x, y, z));
        }
    }
    for row in 0..CELLS {
        for column in 0..CELLS {
            let near = row * (CELLS + 1) + column;
            let far = near + CELLS + 1;
            let high = heights[near as usize] > 0.25 * HEIGHT;
            builder.material(u32::from(high));
            builder.patch([near, far, far + 1, near + 1]);
        }
    }
    builder.finish("terrain")
}
