//! Materials of metal and roughness.
//!
//! Where a texture cannot be had, what it would multiply is its factor, but where the factor
//! says nothing without it: exporters write an emission of 1 and a metal of 1 beside textures that
//! are black almost everywhere.

use crate::error::GltfProblem;
use crate::{Material, MaterialTextures};
use glam::Vec3;
use gltf_json::extensions::material::PbrSpecularGlossiness;
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

/// Whether a material is there whatever its alpha is.
pub(super) fn is_opaque(read: &gltf_json::Material) -> bool {
    let with_alpha = [AlphaMode::Blend, AlphaMode::Mask].map(Checked::Valid);
    !with_alpha.contains(&read.alpha_mode)
}

/// The opacity below which a masked material is not there.
pub(super) fn cutoff(read: &gltf_json::Material) -> f32 {
    read.alpha_cutoff.map_or(0.5, |cutoff| cutoff.0)
}

/// The material's diffuse colour and gloss, where it has these in place of a metal and a roughness.
pub(super) fn glossy(read: &gltf_json::Material) -> Option<&PbrSpecularGlossiness> {
    read.extensions.as_ref()?.pbr_specular_glossiness.as_ref()
}

/// The material with this number and these textures.
pub(super) fn material(
    index: usize,
    read: &gltf_json::Material,
    textures: MaterialTextures,
) -> Result<Material, GltfProblem> {
    let surface = &read.pbr_metallic_roughness;
    let glossy = glossy(read);
    let [red, green, blue, alpha] = match glossy {
        Some(glossy) => glossy.diffuse_factor.0,
        None => surface.base_color_factor.0,
    };
    let roughness = match glossy {
        Some(glossy) => 1.0 - glossy.glossiness_factor.0,
        None => surface.roughness_factor.0,
    };
    let extensions = read.extensions.as_ref();
    let strength = extensions.and_then(|all| all.emissive_strength.as_ref());
    let strength = strength.map_or(1.0, |strength| strength.emissive_strength.0);
    let transmission = extensions.and_then(|all| all.transmission.as_ref());
    let ior = extensions.and_then(|all| all.ior.as_ref());
    let is_dark = read.emissive_texture.is_some() && textures.emission.is_none();
    let is_unknown = surface.metallic_roughness_texture.is_some() && textures.surface.is_none();
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
            // An opacity that a texture or colours scale is compared to the cutoff where it is
            // known.
            Checked::Valid(AlphaMode::Mask) if textures.cutoff.is_some() => alpha,
            Checked::Valid(AlphaMode::Mask) if alpha < cutoff(read) => 0.0,
            _ => 1.0,
        },
        metallic: match is_unknown || glossy.is_some() {
            true => 0.0,
            false => surface.metallic_factor.0,
        },
        roughness: Some(roughness),
        transmission: transmission.map_or(0.0, |factor| factor.transmission_factor.0),
        ior: ior.map_or(Material::IOR, |ior| ior.ior.0),
        textures,
        ..Material::matt("", Vec3::new(red, green, blue))
    };
    let numbers = [
        material.opacity,
        material.metallic,
        roughness,
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

/// How many textures a material has of kinds that are not read.
pub(super) fn unread_textures(read: &gltf_json::Material) -> usize {
    [
        read.normal_texture.is_some(),
        read.occlusion_texture.is_some(),
    ]
    .into_iter()
    .map(usize::from)
    .sum()
}
