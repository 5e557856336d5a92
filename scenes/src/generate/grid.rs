//! Many copies of a scene.

use super::MAX_TRIANGLES;
use crate::{Scene, SceneError};
use glam::Vec3;

/// `side` times `side` copies of `scene` in rows along x and z, the first one
/// in place; between copies is a gap of `gap` times the scene's extent.
///
/// # Errors
/// [`SceneError::TooMany`] beyond [`MAX_TRIANGLES`],
/// [`SceneError::NoTriangles`] if nothing is copied.
pub fn grid(scene: &Scene, side: u32, gap: f32) -> Result<Scene, SceneError> {
    let name = format!("{}-{side}x{side}", scene.name());
    let copies = u64::from(side) * u64::from(side);
    let count = copies.saturating_mul(scene.len() as u64);
    // Scenes with more vertices than triangles exist; both have 32-bit limits.
    let vertices = copies.saturating_mul(scene.vertices().len() as u64);
    if count == 0 {
        return Err(SceneError::NoTriangles { name });
    }
    if count > MAX_TRIANGLES || vertices > u64::from(u32::MAX) {
        return Err(SceneError::TooMany {
            name,
            count,
            limit: MAX_TRIANGLES,
        });
    }
    let pitch = scene.bounds().extent() * (1.0 + gap);
    let mut all_vertices = Vec::with_capacity(vertices as usize);
    let mut triangles = Vec::with_capacity(count as usize);
    let mut material_of = Vec::with_capacity(count as usize);
    for row in 0..side {
        for column in 0..side {
            let offset = Vec3::new(pitch.x * column as f32, 0.0, pitch.z * row as f32);
            let base = all_vertices.len() as u32;
            all_vertices.extend(scene.vertices().iter().map(|&v| v + offset));
            triangles.extend(scene.triangles().iter().map(|t| t.map(|v| v + base)));
            material_of.extend_from_slice(scene.material_of());
        }
    }
    let materials = scene.materials().to_vec();
    let grid = Scene::new(name, all_vertices, triangles, materials, material_of)?;
    let colours = scene.colours().repeat(copies as usize);
    Ok(grid.with_colours(colours)?.with_offset(scene.offset()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::by_name;

    #[test]
    fn copies_stand_side_by_side() {
        let one = by_name("terrain").unwrap();
        let nine = grid(&one, 3, 0.5).unwrap();
        assert_eq!(nine.len(), 9 * one.len());
        assert_eq!(nine.name(), "terrain-3x3");
        let (a, b) = (one.bounds(), nine.bounds());
        assert_eq!(b.min, a.min);
        let expected = a.extent() * Vec3::new(4.0, 1.0, 4.0);
        assert!((b.extent() - expected).abs().max_element() < 1e-3);
        assert_eq!(nine.triangle(0), one.triangle(0));
    }

    #[test]
    fn too_many_and_none_are_refused() {
        let one = by_name("terrain").unwrap();
        assert!(matches!(
            grid(&one, u32::MAX, 0.0),
            Err(SceneError::TooMany { .. })
        ));
        assert!(matches!(
            grid(&one, 0, 0.0),
            Err(SceneError::NoTriangles { .. })
        ));
    }
}
