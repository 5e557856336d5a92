//! The textures of a scene, as kernels read them.

use bytemuck::cast_slice;
use heapwood_device::render::{
    DECODED, NO_TEXTURE, PathArguments, SurfaceMaterial, TEXTURE_WORDS, TEXTURED_WORDS, Texture,
    TexturedMaterial, TexturedMaterials, TexturedPathArguments, Textures, Wrap,
};
use heapwood_scenes::{Material, Scene, Texturing};

use super::canvas::memory_of;
use super::lighting::finish_of;
use crate::backend::{Backend, BackendError, Memory};

/// Materials with their textures, and the coordinates of triangles.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Textured {
    materials: Vec<[u32; TEXTURED_WORDS]>,
    material_of: Vec<u32>,
    coordinates: Vec<[[f32; 2]; 3]>,
    textures: Vec<[u32; TEXTURE_WORDS]>,
    texels: Vec<u32>,
}

/// The linear value of a byte of sRGB (IEC 61966-2-1). In `f64`, so that no system's power
/// function is off by enough to change the `f32`.
fn decoded(byte: u8) -> f32 {
    let encoded = f64::from(byte) / 255.0;
    let linear = if encoded <= 0.040_45 {
        encoded / 12.92
    } else {
        ((encoded + 0.055) / 1.055).powf(2.4)
    };
    linear as f32
}

impl Textured {
    /// Those of a scene; none if no material has any.
    pub fn of(scene: &Scene) -> Option<Self> {
        let Texturing {
            images,
            textures,
            coordinates,
        } = scene.texturing();
        if !scene
            .materials()
            .iter()
            .any(|material| material.textures.any())
        {
            return None;
        }
        let mut texels: Vec<u32> = (0..=u8::MAX).map(|byte| decoded(byte).to_bits()).collect();
        debug_assert_eq!(texels.len(), DECODED);
        let mut firsts = Vec::with_capacity(images.len());
        for image in images {
            firsts.push((texels.len() - DECODED) as u32);
            texels.extend(image.texels.iter().map(|texel| u32::from_le_bytes(*texel)));
        }
        let textures = textures.iter().map(|texture| {
            let image = &images[texture.image as usize];
            let of_device = Texture {
                first: firsts[texture.image as usize],
                width: image.width,
                height: image.height,
                wrap: texture.wrap.map(wrap_of),
                is_linear: texture.is_linear,
                map: texture.map,
            };
            of_device.to_words()
        });
        let materials = scene.materials().iter().map(material_of);
        Some(Self {
            materials: materials.map(TexturedMaterial::to_words).collect(),
            material_of: scene.material_of().to_vec(),
            coordinates: coordinates.clone(),
            textures: textures.collect(),
            texels,
        })
    }

    /// The material of the point of a triangle with these weights of its corners.
    ///
    /// # Panics
    ///
    /// If there is no such triangle.
    pub fn at(&self, triangle: u32, weights: [f32; 3]) -> SurfaceMaterial {
        assert!((triangle as usize) < self.material_of.len());
        let all = TexturedMaterials {
            materials: self.materials.as_ptr(),
            material_of: self.material_of.as_ptr(),
            coordinates: self.coordinates.as_ptr(),
            textures: Textures {
                textures: self.textures.as_ptr(),
                texels: self.texels.as_ptr(),
            },
        };
        // SAFETY: the triangle is there, and what a scene's materials and textures name is, which
        // was checked when it was made.
        unsafe { all.at(triangle, weights) }
    }
}

/// A material's record.
fn material_of(material: &Material) -> TexturedMaterial {
    let textures = material.textures;
    let number = |texture: Option<u32>| texture.unwrap_or(NO_TEXTURE);
    TexturedMaterial {
        finish: finish_of(material),
        base: number(textures.base),
        emission: number(textures.emission),
        surface: number(textures.surface),
        opacity: number(textures.opacity),
        cutoff: textures.cutoff.unwrap_or(-1.0),
    }
}

fn wrap_of(wrap: heapwood_scenes::Wrap) -> Wrap {
    match wrap {
        heapwood_scenes::Wrap::Repeat => Wrap::Repeat,
        heapwood_scenes::Wrap::Mirror => Wrap::Mirror,
        heapwood_scenes::Wrap::Clamp => Wrap::Clamp,
    }
}

/// The same on a backend.
pub(super) struct TexturedMemory {
    materials: Memory,
    coordinates: Memory,
    textures: Memory,
    texels: Memory,
}

impl TexturedMemory {
    pub fn new(backend: &dyn Backend, textured: &Textured) -> Result<Self, BackendError> {
        let coordinates: &[[f32; 6]] = cast_slice(&textured.coordinates);
        Ok(Self {
            materials: memory_of(backend, &textured.materials)?,
            coordinates: memory_of(backend, coordinates)?,
            textures: memory_of(backend, &textured.textures)?,
            texels: memory_of(backend, &textured.texels)?,
        })
    }

    /// The arguments of paths with these textures.
    pub fn arguments(&self, path: PathArguments) -> TexturedPathArguments {
        TexturedPathArguments {
            path,
            materials: self.materials.address().cast(),
            coordinates: self.coordinates.address().cast(),
            textures: self.textures.address().cast(),
            texels: self.texels.address().cast(),
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use heapwood_device::render::plan::to_srgb8;

    use super::*;

    #[test]
    fn bytes_are_decoded_as_they_are_encoded() {
        for byte in 0..=u8::MAX {
            assert_eq!(to_srgb8(decoded(byte)), byte);
        }
        assert_eq!((decoded(0), decoded(255)), (0.0, 1.0));
        assert!((decoded(188) - 0.502_886).abs() < 1e-6, "{}", decoded(188));
    }

    #[test]
    fn scenes_without_textures_have_none() {
        assert_eq!(Textured::of(&heapwood_scenes::generate::courtyard()), None);
    }

    #[test]
    fn records_name_the_textures_of_their_material() {
        let mut material = Material::matt("wood", Vec3::new(1.0, 0.5, 0.25));
        material.textures.base = Some(3);
        material.textures.opacity = Some(1);
        material.textures.cutoff = Some(0.25);
        let record = material_of(&material);
        assert_eq!(
            (record.base, record.emission, record.surface, record.opacity),
            (3, NO_TEXTURE, NO_TEXTURE, 1)
        );
        assert_eq!(record.cutoff, 0.25);
        assert_eq!(TexturedMaterial::from_words(record.to_words()), record);
    }
}
