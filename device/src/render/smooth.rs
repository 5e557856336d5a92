//! Smooth surfaces: normals between those of a triangle's corners, by which light is scattered.
//!
//! A triangle stays where it is: rays meet it, and leave from beside it, as if it were flat. So
//! a direction may be above the smooth surface and below the triangle, or the other way round.
//! Light is reflected along none of them, and refracted along none that stays at one side of the
//! triangle: nothing gets through what is closed.

use glam::Vec3;

use super::light::Materials;
use super::material::SurfaceMaterial;
use super::shade::unit;
use super::surface::SurfacePoint;
use super::textured::TexturedMaterials;
use super::traverse::SceneTriangle;

/// The normals of a triangle's corners.
pub type CornerNormals = [[f32; 3]; 3];

/// The minimum cosine of a smooth normal with the way back to the eye.
const MIN_COSINE: f32 = 1.0 / (1 << 10) as f32;

/// The unit normal between those of corners, in proportion to these weights, at the side of
/// `geometric_normal`, the triangle's unit normal at the side of the eye. `back` is the unit vector
/// towards the eye. Where corners have no normals, or normals cancel out, it is `geometric_normal`.
///
/// Around a silhouette, the normal may point away from the eye though the triangle does not. It is
/// bent towards the eye there, as far as to the side that is seen: so it takes no leap where that
/// begins, neither within a triangle nor to the one beside it, as it would if `geometric_normal`
/// took its place.
#[inline(always)]
pub fn smooth_normal(
    corners: CornerNormals,
    weights: [f32; 3],
    geometric_normal: Vec3,
    back: Vec3,
) -> Vec3 {
    let [a, b, c] = corners.map(Vec3::from_array);
    let normal = unit(a * weights[0] + b * weights[1] + c * weights[2]);
    if normal == Vec3::ZERO {
        return geometric_normal;
    }
    let normal = if normal.dot(geometric_normal) < 0.0 {
        -normal
    } else {
        normal
    };
    let cosine = normal.dot(back);
    if cosine < MIN_COSINE {
        unit(normal + back * (MIN_COSINE - cosine))
    } else {
        normal
    }
}

/// The part of light from the unit vector `from` that a surface reflects with `shading_normal`
/// where its triangle has `geometric_normal`: none from below the triangle, and less and less
/// towards there, where facets would end in the dark at once (Chiang, Li and Burley, "Taming the
/// Shadow Terminator", SIGGRAPH Talks 2019).
#[inline(always)]
pub(super) fn reflected_part(geometric_normal: Vec3, shading_normal: Vec3, from: Vec3) -> f32 {
    let cosine = geometric_normal.dot(from);
    let max = shading_normal.dot(from) * geometric_normal.dot(shading_normal);
    if cosine > 0.0 {
        if cosine < max {
            let part = cosine / max;
            part + part * part * (1.0 - part)
        } else {
            1.0
        }
    } else {
        0.0
    }
}

/// The same of light along `towards`, in which a path goes on: by one of many directions if it is
/// spread, and through the surface if it is refracted or passes.
#[inline(always)]
pub(super) fn scattered_part(
    geometric_normal: Vec3,
    shading_normal: Vec3,
    towards: Vec3,
    is_through: bool,
    is_spread: bool,
) -> f32 {
    let is_above = geometric_normal.dot(towards) > 0.0;
    if is_above == is_through {
        0.0
    } else if is_spread {
        reflected_part(geometric_normal, shading_normal, towards)
    } else {
        1.0
    }
}

/// The materials of a scene with textures, vertex colours or normals of corners.
#[derive(Clone, Copy, Debug)]
pub(super) struct DetailedMaterials {
    materials: TexturedMaterials,
    normals: *const CornerNormals,
}

impl DetailedMaterials {
    /// Materials, and for each triangle the normals of its corners; null where all are flat.
    ///
    /// # Safety
    ///
    /// While this value or a copy of it is in use, the memory can be read and does not change.
    /// Where there are normals, each triangle has them.
    #[inline(always)]
    pub unsafe fn new(materials: TexturedMaterials, normals: *const CornerNormals) -> Self {
        Self { materials, normals }
    }
}

impl Materials for DetailedMaterials {
    const IS_SMOOTH: bool = true;

    #[inline(always)]
    fn at(&self, triangle: SceneTriangle, weights: [f32; 3]) -> SurfaceMaterial {
        self.materials.at(triangle, weights)
    }

    #[inline(always)]
    fn emission_at(&self, triangle: SceneTriangle, weights: [f32; 3]) -> Vec3 {
        self.materials.emission_at(triangle, weights)
    }

    #[inline(always)]
    fn normal_at(
        &self,
        triangle: SceneTriangle,
        weights: [f32; 3],
        surface: &SurfacePoint,
        back: Vec3,
    ) -> Vec3 {
        if self.normals.is_null() {
            return surface.normal;
        }
        // SAFETY: the contract of `new`: there is this triangle, and so its normals.
        let corners = unsafe { self.normals.add(triangle.index()).read() };
        smooth_normal(corners, weights, surface.normal, back)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit_vector(x: f32, y: f32, z: f32) -> Vec3 {
        Vec3::new(x, y, z).normalize()
    }

    #[test]
    fn normals_are_those_in_between() {
        let corners = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let geometric_normal = unit_vector(1.0, 1.0, 1.0);
        for weights in [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.2, 0.3, 0.5]] {
            let expected = Vec3::from_array(weights).normalize();
            let found = smooth_normal(corners, weights, geometric_normal, geometric_normal);
            assert!(found.distance(expected) < 1e-6, "{found}");
            // From behind, at the other side.
            let found = smooth_normal(corners, weights, -geometric_normal, -geometric_normal);
            assert!(found.distance(-expected) < 1e-6, "{found}");
        }
    }

    #[test]
    fn what_is_no_normal_leaves_the_triangle_flat() {
        let geometric_normal = unit_vector(0.1, 0.2, 0.9);
        let back = unit_vector(0.8, 0.1, 0.3);
        for corners in [
            [[0.0; 3]; 3],
            [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0; 3]],
            [[f32::NAN, 0.0, 1.0]; 3],
            [[0.0, f32::NAN, 1.0]; 3],
            [[0.0, 0.0, f32::INFINITY]; 3],
        ] {
            assert_eq!(
                smooth_normal(corners, [0.5, 0.5, 0.0], geometric_normal, back),
                geometric_normal
            );
        }
    }

    #[test]
    fn normals_face_the_eye_and_take_no_leaps() {
        // The triangle is seen from everywhere above, and its normal leans over to -x.
        let geometric_normal = Vec3::Z;
        for lean in [0.0_f32, 0.3, 0.9, 1.3, 1.5] {
            let normal = Vec3::new(-lean.sin(), 0.0, lean.cos());
            let mut last: Option<Vec3> = None;
            for step in 0..=10_000_u32 {
                let angle = std::f32::consts::PI * step as f32 / 10_000.0;
                let back = Vec3::new(angle.cos(), 0.0, angle.sin().max(0.0));
                let found = smooth_normal(
                    [normal.to_array(); 3],
                    [0.2, 0.3, 0.5],
                    geometric_normal,
                    back,
                );
                assert!((found.length() - 1.0).abs() < 1e-5);
                assert!(found.dot(back) > 0.5 * MIN_COSINE, "{lean} {angle}");
                assert!(
                    found.dot(geometric_normal) >= -1e-6,
                    "{lean} {angle}: {found}"
                );
                let leap = last.map_or(0.0, |last| found.distance(last));
                assert!(leap < 0.01, "{lean} {angle}: {leap}");
                last = Some(found);
            }
        }
    }

    #[test]
    fn light_fades_towards_the_plane_of_the_triangle() {
        let (geometric_normal, normal) = (Vec3::Z, unit_vector(0.5, 0.0, 1.0));
        let mut last = 0.0;
        for step in 0..=2000_u32 {
            let angle = std::f32::consts::FRAC_PI_2 * (step as f32 / 1000.0 - 1.0);
            let from = Vec3::new(angle.cos(), 0.0, angle.sin());
            let part = reflected_part(geometric_normal, normal, from);
            assert!((0.0..=1.0).contains(&part));
            assert!(part > 0.0 || from.z <= 0.0);
            // No step is a leap, and it never gets darker the higher the light.
            assert!(part >= last && part - last < 0.01, "{angle}: {last} {part}");
            last = part;
        }
        assert_eq!(last, 1.0);
        assert_eq!(reflected_part(geometric_normal, normal, Vec3::NAN), 0.0);
    }

    #[test]
    fn no_light_gets_to_the_other_side() {
        let (geometric_normal, normal) = (Vec3::Z, unit_vector(2.0, 0.0, 1.0));
        let above = unit_vector(1.0, 0.0, 0.1);
        let below = unit_vector(1.0, 0.0, -0.1);
        for is_spread in [false, true] {
            assert_eq!(
                scattered_part(geometric_normal, normal, below, false, is_spread),
                0.0
            );
            assert!(scattered_part(geometric_normal, normal, above, false, is_spread) > 0.0);
        }
        assert_eq!(
            scattered_part(geometric_normal, normal, above, true, false),
            0.0
        );
        assert_eq!(
            scattered_part(geometric_normal, normal, below, true, false),
            1.0
        );
    }
}
