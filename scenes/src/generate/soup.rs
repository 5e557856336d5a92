//! Triangles in random places, directions and sizes: a worst case, in which nothing is connected
//! and any plane cuts many of them.

use super::{MAX_TRIANGLES, noise};
use crate::{Material, Scene, SceneError};
use glam::Vec3;
use rayon::prelude::*;

/// Length of an edge of the box in which they are, in units.
const SIDE: f32 = 10.0;
/// Corners of the largest are so far from its middle along each axis, in mean distances between
/// triangles.
const MAX_SIZE: f32 = 2.0;
/// Materials, by turns.
const COLOURS: u32 = 4;

/// A soup of exactly so many triangles, at least one, in a box of 10 units. The seed chooses
/// them; how often one is hit does not depend on how many there are.
///
/// # Errors
/// [`SceneError::TooMany`] beyond [`MAX_TRIANGLES`].
pub fn soup(triangles: u64, seed: u32) -> Result<Scene, SceneError> {
    let count = triangles.max(1);
    if count > MAX_TRIANGLES {
        return Err(SceneError::TooMany {
            name: "soup".to_owned(),
            count,
            limit: MAX_TRIANGLES,
        });
    }
    let count = count as u32;
    let size = MAX_SIZE * SIDE / cube_root(count);
    let vertices = (0..count)
        .into_par_iter()
        .flat_map_iter(|number| triangle(number, seed, size))
        .collect();
    let triangles = (0..count).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let material_of = (0..count).map(|t| t % COLOURS).collect();
    Scene::new("soup", vertices, triangles, materials(), material_of)
}

fn materials() -> Vec<Material> {
    vec![
        Material::matt("carrot", Vec3::new(0.8, 0.4, 0.1)),
        Material::matt("pea", Vec3::new(0.35, 0.6, 0.15)),
        Material::matt("potato", Vec3::new(0.8, 0.72, 0.45)),
        Material::matt("tomato", Vec3::new(0.7, 0.12, 0.08)),
    ]
}

/// The corners of a triangle. Sizes are spread: half of them are below an eighth of the largest,
/// none below a hundredth.
fn triangle(number: u32, seed: u32, largest: f32) -> [Vec3; 3] {
    let mut random = Random::new(number, seed);
    let middle = random.vector() * SIDE;
    let part = random.number();
    let size = largest * (0.01 + 0.99 * part * part * part);
    loop {
        let corners = [(); 3].map(|()| middle + (random.vector() - 0.5) * (2.0 * size));
        let [a, b, c] = corners;
        // One in billions is too flat to be seen in `f32`.
        if (b - a).cross(c - a) != Vec3::ZERO {
            return corners;
        }
    }
}

/// Random numbers of one triangle: the mixed terms of a sequence that goes through all words.
struct Random(u32);

impl Random {
    fn new(number: u32, seed: u32) -> Self {
        Self(noise::scramble(number ^ noise::scramble(seed)))
    }

    fn word(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9);
        noise::scramble(self.0)
    }

    /// From 0 to below 1. 24 bits are exact in `f32`.
    fn number(&mut self) -> f32 {
        (self.word() >> 8) as f32 / 16_777_216.0
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.number(), self.number(), self.number())
    }
}

/// The cube root of a count, by Newton's method: the library's differs between systems.
fn cube_root(count: u32) -> f32 {
    let count = f64::from(count);
    // From above, each step comes closer.
    let mut root = count.max(1.0);
    for _ in 0..64 {
        root = (2.0 * root + count / (root * root)) / 3.0;
    }
    root as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::testing::sound;

    #[test]
    fn there_are_exactly_as_many_triangles_as_asked_for() {
        for (asked, made) in [(0, 1), (1, 1), (1_000, 1_000), (100_000, 100_000)] {
            let soup = soup(asked, 1).unwrap();
            assert_eq!(soup.len(), made);
            sound(&soup);
        }
        let refused = soup(MAX_TRIANGLES + 1, 1);
        assert!(matches!(refused, Err(SceneError::TooMany { .. })));
    }

    #[test]
    fn triangles_are_everywhere_and_of_every_size() {
        let soup = soup(20_000, 7).unwrap();
        let (mut octants, mut sizes) = ([0; 8], Vec::new());
        for [a, b, c] in soup.positions() {
            let middle = (a + b + c) / 3.0;
            let bit = |value: f32, bit: usize| usize::from(value > 0.5 * SIDE) << bit;
            octants[bit(middle.x, 0) + bit(middle.y, 1) + bit(middle.z, 2)] += 1;
            sizes.push(a.distance(b).max(b.distance(c)).max(c.distance(a)));
        }
        assert!(
            octants.iter().all(|&count| (2_200..2_800).contains(&count)),
            "{octants:?}"
        );
        sizes.sort_by(f32::total_cmp);
        assert!(
            sizes[19_999] > 30.0 * sizes[2_000],
            "{} {}",
            sizes[19_999],
            sizes[2_000]
        );
    }

    #[test]
    fn roots_are_roots() {
        for (count, root) in [(1, 1.0), (8, 2.0), (1_000_000_000, 1000.0)] {
            assert_eq!(cube_root(count), root);
        }
    }

    #[test]
    fn a_seed_gives_the_same_bits_everywhere() {
        let made = soup(3_000, 7).unwrap();
        assert_eq!(made.input_hash(), 0xe5a6_3e68_53cd_c836);
        assert_ne!(made.input_hash(), soup(3_000, 8).unwrap().input_hash());
    }
}
