//! A sphere with a rough skin: a closed surface without hollows or bends, of any number of
//! triangles, whose bounding box is nearly full.

use super::icosphere::closed_surface;
use super::noise;
use crate::{Material, Scene, SceneError};
use glam::Vec3;

/// How far the skin is from the sphere, in radii, by its largest features.
const ROUGHNESS: f32 = 0.06;
/// Features along a radius.
const FREQUENCY: f32 = 4.0;

/// A displaced sphere of at least so many triangles, `20 n^2` for some `n`: about 2 units wide,
/// around the origin. The seed chooses its skin.
///
/// # Errors
/// [`SceneError::TooMany`] beyond [`MAX_TRIANGLES`](super::MAX_TRIANGLES).
pub fn sphere(triangles: u64, seed: u32) -> Result<Scene, SceneError> {
    let ochre = Material::matt("ochre", Vec3::new(0.68, 0.46, 0.2));
    closed_surface("sphere", triangles, ochre, |point, octaves| {
        point * (1.0 + ROUGHNESS * noise::fractal(point * FREQUENCY, octaves, seed))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::testing::{edges_by_position, sound, volume};

    #[test]
    fn the_surface_is_closed_and_near_the_sphere() {
        let sphere = sphere(5_000, 3).unwrap();
        assert_eq!(sphere.len(), 5_120);
        sound(&sphere);
        assert!(edges_by_position(&sphere).values().all(|&n| n == 2));
        let radii = sphere.vertices().iter().map(|v| v.length());
        assert!(
            radii
                .into_iter()
                .all(|radius| (radius - 1.0).abs() <= 2.0 * ROUGHNESS)
        );
        assert!((3.8..4.6).contains(&volume(&sphere)), "{}", volume(&sphere));
    }

    #[test]
    fn a_seed_gives_the_same_bits_everywhere() {
        let made = sphere(3_000, 7).unwrap();
        assert_eq!(made.input_hash(), 0x25bc_a2f3_3ecd_db77);
        assert_ne!(made.input_hash(), sphere(3_000, 8).unwrap().input_hash());
    }
}
