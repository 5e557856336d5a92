//! The parameters of a file's material.

use heapwood_device::render::MaterialParameters;
use heapwood_scenes::Material;

/// A file's material in the renderer's terms. MTL's highlight of exponent `Ns` is a lobe of about
/// the width sqrt(2 / (Ns + 2)).
pub(super) fn parameters_of(material: &Material) -> MaterialParameters {
    MaterialParameters {
        base: material.diffuse,
        specular: material.specular,
        emission: material.emission,
        metallic: material.metallic,
        roughness: material.roughness.unwrap_or(-1.0),
        width: (2.0 / (material.shininess + 2.0)).sqrt(),
        transmission: material.transmission,
        refraction: material.ior,
        opacity: material.opacity,
    }
}
