//! A closed surface like that of a scanned figure: of any number of triangles of about equal
//! size, all of them connected, rough down to a few edges.

use super::icosphere::closed_surface;
use super::noise;
use crate::{Material, Scene, SceneError};
use glam::Vec3;

/// How far the surface is from the sphere, in radii, by its largest features.
const ROUGHNESS: f32 = 0.3;
/// How far the whole is bent, in radii. Less than what would make the surface cross itself.
const BEND: f32 = 0.2;

/// A scan of at least so many triangles, `20 n^2` for some `n`: about 2 units wide. The seed
/// chooses the shape; two seeds give the same topology.
///
/// # Errors
/// [`SceneError::TooMany`] beyond [`MAX_TRIANGLES`](super::MAX_TRIANGLES).
pub fn scan(triangles: u64, seed: u32) -> Result<Scene, SceneError> {
    let clay = Material::matt("clay", Vec3::new(0.7, 0.62, 0.52));
    closed_surface("scan", triangles, clay, |point, octaves| {
        surface(point, octaves, seed)
    })
}

/// The point of the surface for one of the sphere.
fn surface(point: Vec3, octaves: u32, seed: u32) -> Vec3 {
    let rough = point * (1.0 + ROUGHNESS * noise::fractal(point * 1.5, octaves, seed));
    // Seeds of their own, away from those of the octaves.
    let bend = |axis: u32| noise::value(point * 0.9, seed.wrapping_add(100 + axis));
    rough + BEND * Vec3::new(bend(0), bend(1), bend(2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CleanOptions;
    use crate::generate::MAX_TRIANGLES;
    use crate::generate::testing::{edges_by_index, edges_by_position, volume};

    #[test]
    fn there_are_at_least_as_many_triangles_as_asked_for() {
        for (asked, made) in [(0, 20), (20, 20), (21, 80), (2_000, 2_000), (2_001, 2_420)] {
            let scan = scan(asked, 1).unwrap();
            assert_eq!(scan.len(), made, "{asked}");
            // Each vertex is made once: as many as Euler's formula says.
            assert_eq!(scan.vertices().len(), made / 2 + 2);
            let (cleaned, _) = scan.clone().clean(CleanOptions::default()).unwrap();
            assert_eq!(cleaned.len(), made);
        }
        let refused = scan(MAX_TRIANGLES, 1);
        assert!(matches!(refused, Err(SceneError::TooMany { .. })));
        assert!(scan(u64::MAX, 1).is_err());
    }

    #[test]
    fn the_surface_is_closed_connected_and_looks_outwards() {
        for asked in [20, 80, 180, 5_000] {
            let scan = scan(asked, 3).unwrap();
            let edges = edges_by_index(&scan);
            assert!(edges.values().all(|&n| n == 1), "each direction once");
            assert!(edges.keys().all(|&[a, b]| edges.contains_key(&[b, a])));
            assert!(edges_by_position(&scan).values().all(|&n| n == 2));
            assert!(volume(&scan) > 1.0, "{}", volume(&scan));
            // V - E + F of a sphere; two of them would have 4.
            let euler = scan.vertices().len() + scan.len() - edges.len() / 2;
            assert_eq!(euler, 2);
        }
    }

    #[test]
    fn triangles_are_of_about_equal_size() {
        let scan = scan(20_000, 7).unwrap();
        let mut areas: Vec<f32> = scan
            .positions()
            .iter()
            .map(|[a, b, c]| (*b - *a).cross(*c - *a).length())
            .collect();
        areas.sort_by(f32::total_cmp);
        let at = |part: usize| areas[part * (areas.len() - 1) / 100];
        assert!(at(0) > 0.0);
        assert!(at(95) < 5.0 * at(5), "{} to {}", at(5), at(95));
    }

    #[test]
    fn a_seed_gives_the_same_bits_everywhere() {
        let made = scan(3_000, 7).unwrap();
        assert_eq!(made.input_hash(), 0xe279_b2df_4c47_434f);
        let other = scan(3_000, 8).unwrap();
        assert_ne!(other.input_hash(), made.input_hash());
        assert_eq!(other.triangles(), made.triangles());
    }
}
