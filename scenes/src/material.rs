//! Surface materials, the part of MTL that the renderer uses.
//!
//! Colours are linear RGB; [`Material::clamped`] brings what a file says into
//! the ranges that a renderer may rely on.

use glam::Vec3;

/// How a surface reflects and emits light.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Name, as after `newmtl`.
    pub name: String,
    /// Diffuse reflectance, each component in 0 to 1 (`Kd`).
    pub diffuse: Vec3,
    /// Specular reflectance, each component in 0 to 1 (`Ks`).
    pub specular: Vec3,
    /// Emitted radiance, each component at least 0 (`Ke`).
    pub emission: Vec3,
    /// Exponent of the specular lobe, at least 0 (`Ns`).
    pub shininess: f32,
    /// 1 for opaque, 0 for invisible (`d`).
    pub opacity: f32,
}

impl Material {
    /// A matt, opaque material that emits nothing.
    pub fn matt(name: impl Into<String>, diffuse: Vec3) -> Material {
        Material {
            name: name.into(),
            diffuse,
            specular: Vec3::ZERO,
            emission: Vec3::ZERO,
            shininess: 0.0,
            opacity: 1.0,
        }
    }

    /// This material with every component brought into its range.
    pub fn clamped(self) -> Material {
        Material {
            diffuse: self.diffuse.clamp(Vec3::ZERO, Vec3::ONE),
            specular: self.specular.clamp(Vec3::ZERO, Vec3::ONE),
            emission: self.emission.max(Vec3::ZERO),
            shininess: self.shininess.max(0.0),
            opacity: self.opacity.clamp(0.0, 1.0),
            name: self.name,
        }
    }
}

/// The light grey of triangles without a material, named `default`.
impl Default for Material {
    fn default() -> Material {
        Material::matt("default", Vec3::splat(0.8))
    }
}
