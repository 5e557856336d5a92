//! Surface materials, as MTL and glTF describe them.
//!
//! Colours are linear RGB; [`Material::clamped`] brings what a file says into
//! the ranges that a renderer may rely on.

use glam::Vec3;

/// How a surface reflects, transmits and emits light.
///
/// MTL describes the highlight by `specular` and `shininess`, glTF by `metallic` and
/// `roughness`: a renderer follows glTF where [`roughness`](Self::roughness) is given.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Name, as after `newmtl`.
    pub name: String,
    /// Diffuse reflectance, each component in 0 to 1 (`Kd`); the base colour of glTF, which a
    /// metal reflects as a mirror does.
    pub diffuse: Vec3,
    /// Specular reflectance, each component in 0 to 1 (`Ks`).
    pub specular: Vec3,
    /// Emitted radiance, each component at least 0 (`Ke`).
    pub emission: Vec3,
    /// Exponent of the specular lobe, at least 0 (`Ns`).
    pub shininess: f32,
    /// 1 for opaque, 0 for invisible (`d`, or 1 less `Tr`).
    pub opacity: f32,
    /// 1 for a metal, 0 for a dielectric (`Pm`).
    pub metallic: f32,
    /// Roughness in 0 to 1, the square root of the width of the GGX lobe (`Pr`); none where
    /// `specular` and `shininess` say how the surface shines.
    pub roughness: Option<f32>,
    /// Part of the light that is refracted through the surface and not scattered below it, in
    /// 0 to 1: `Tf` where `illum` is 6 or 7, which are refraction.
    pub transmission: f32,
    /// Index of refraction, at least 1 (`Ni`).
    pub ior: f32,
    /// The illumination model of MTL, 0 to 10 (`illum`).
    pub illum: Option<u8>,
    /// Textures of the scene that scale some of the values.
    pub textures: MaterialTextures,
}

/// Numbers of the textures that scale a material's values.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MaterialTextures {
    /// Scales the diffuse or base colour; in sRGB.
    pub base: Option<u32>,
    /// Scales the emission; in sRGB.
    pub emission: Option<u32>,
    /// Scales the roughness by its green, the metal by its blue.
    pub surface: Option<u32>,
    /// Scales the opacity by its alpha.
    pub opacity: Option<u32>,
    /// The scaled opacity from which on a point is there, and below which it is not.
    pub cutoff: Option<f32>,
}

impl MaterialTextures {
    /// The numbers that are there.
    pub fn numbers(&self) -> impl Iterator<Item = u32> {
        [self.base, self.emission, self.surface, self.opacity]
            .into_iter()
            .flatten()
    }

    /// Whether there are any.
    pub fn any(&self) -> bool {
        self.numbers().next().is_some()
    }
}

impl Material {
    /// Index of refraction where none is given: that of glass, and glTF's.
    pub const IOR: f32 = 1.5;

    /// A matt, opaque material that emits nothing.
    pub fn matt(name: impl Into<String>, diffuse: Vec3) -> Material {
        Material {
            name: name.into(),
            diffuse,
            specular: Vec3::ZERO,
            emission: Vec3::ZERO,
            shininess: 0.0,
            opacity: 1.0,
            metallic: 0.0,
            roughness: None,
            transmission: 0.0,
            ior: Self::IOR,
            illum: None,
            textures: MaterialTextures::default(),
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
            metallic: self.metallic.clamp(0.0, 1.0),
            roughness: self.roughness.map(|roughness| roughness.clamp(0.0, 1.0)),
            transmission: self.transmission.clamp(0.0, 1.0),
            ior: self.ior.max(1.0),
            illum: self.illum,
            textures: self.textures,
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
