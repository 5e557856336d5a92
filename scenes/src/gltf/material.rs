//! Materials of metal and roughness.
//!
//! Textures are not read. What a texture would multiply is then its factor, but where the factor
//! says nothing without it: exporters write an emission of 1 and a metal of 1 beside textures that
//! are black almost everywhere.

use super::GltfProblem;
use crate::Material;
use glam::Vec3;
use gltf_json::material::AlphaMode;
use gltf_json::validation::Checked;

/// The material of primitives that name none.
pub(super) fn default() -> Material {
    Material {
        metallic: 1.0,
        roughness: Some(1.0),
        ..Material::matt("default", Vec3::ONE)
    }
}

/// The material with this number.
pub(super) fn material(index: usize, read: &gltf_json::Material) -> Result<Material, GltfProblem> {
    let surface = &read.pbr_metallic_roughness;
    let [red, green, blue, alpha] = surface.base_color_factor.0;
    let extensions = read.extensions.as_ref();
    let strength = extensions.and_then(|all| all.emissive_strength.as_ref());
    let strength = strength.map_or(1.0, |strength| strength.emissive_strength.0);
    let transmission = extensions.and_then(|all| all.transmission.as_ref());
    let ior = extensions.and_then(|all| all.ior.as_ref());
    let is_dark = read.emissive_texture.is_some();
    let is_unknown = surface.metallic_roughness_texture.is_some();
    let cutoff = read.alpha_cutoff.map_or(0.5, |cutoff| cutoff.0);
    let material = Material {
        name: read
            .name
            .clone()
            .unwrap_or_else(|| format!("material {index}")),
        emission: match is_dark {
            true => Vec3::ZERO,
            false => Vec3::from_array(read.emissive_factor.0) * strength,
        },
        opacity: match read.alpha_mode {
            Checked::Valid(AlphaMode::Blend) => alpha,
            Checked::Valid(AlphaMode::Mask) if alpha < cutoff => 0.0,
            _ => 1.0,
        },
        metallic: match is_unknown {
            true => 0.0,
            false => surface.metallic_factor.0,
        },
        roughness: Some(surface.roughness_factor.0),
        transmission: transmission.map_or(0.0, |factor| factor.transmission_factor.0),
        ior: ior.map_or(Material::IOR, |ior| ior.ior.0),
        ..Material::matt("", Vec3::new(red, green, blue))
    };
    let numbers = [
        material.opacity,
        material.metallic,
        surface.roughness_factor.0,
        material.transmission,
        material.ior,
    ];
    let is_finite = material.diffuse.is_finite() && material.emission.is_finite();
    if !is_finite || !numbers.iter().all(|number| number.is_finite()) {
        return Err(GltfProblem::Unfit {
            place: format!("materials[{index}]"),
            fault: "has a number that is too large: correct it",
        });
    }
    Ok(material.clamped())
}

/// How many textures a material has.
pub(super) fn textures(read: &gltf_json::Material) -> usize {
    let surface = &read.pbr_metallic_roughness;
    [
        surface.base_color_texture.is_some(),
        surface.metallic_roughness_texture.is_some(),
        read.normal_texture.is_some(),
        read.occlusion_texture.is_some(),
        read.emissive_texture.is_some(),
    ]
    .into_iter()
    .map(usize::from)
    .sum()
}
