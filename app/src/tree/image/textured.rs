//! The textures and the colours of vertices of a scene, as kernels read them.

use heapwood_device::render::{
    DECODED, MATERIAL_FLOATS, MaterialParameters, NO_TEXTURE, SceneTriangle, SurfaceMaterial,
    TEXTURE_WORDS, TEXTURED_WORDS, Texture, TexturedMaterial, TexturedMaterials, Textures, Wrap,
};
use heapwood_scenes::{Material, Scene, Texturing, decoded};

use super::parameters::parameters_of;

/// Materials with their textures, and the coordinates and colours of triangles.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Textured {
    pub materials: Vec<[u32; TEXTURED_WORDS]>,
    material_of: Vec<u32>,
    pub coordinates: Vec<[[f32; 2]; 3]>,
    /// As in [`Textures`], and the colours of triangles.
    pub words: Vec<u32>,
}

impl Textured {
    /// Those of a scene; none if no material has textures and no vertex a colour.
    pub fn of(scene: &Scene) -> Option<Self> {
        let Texturing {
            images,
            textures,
            coordinates,
        } = scene.texturing();
        let mut materials = scene.materials().iter();
        if !materials.any(|material| material.textures.any()) && scene.colours().is_empty() {
            return None;
        }
        let mut words: Vec<u32> = (0..=u8::MAX).map(|byte| decoded(byte).to_bits()).collect();
        debug_assert_eq!(words.len(), DECODED);
        let mut first = words.len() + textures.len() * TEXTURE_WORDS;
        let firsts = images.iter().map(|image| {
            let of_image = first as u32;
            first += image.texels.len();
            of_image
        });
        let firsts: Vec<u32> = firsts.collect();
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
        words.extend(textures.flatten());
        let texels = images.iter().flat_map(|image| &image.texels);
        words.extend(texels.map(|texel| u32::from_le_bytes(*texel)));
        let colours = match scene.colours() {
            [] => NO_TEXTURE,
            _ => words.len() as u32,
        };
        let numbers = scene.colours().as_flattened().as_flattened();
        words.extend(numbers.iter().map(|number| number.to_bits()));
        let materials = scene.materials().iter();
        let materials = materials.map(|material| material_of(material, colours));
        Some(Self {
            materials: materials.map(TexturedMaterial::to_words).collect(),
            material_of: scene.material_of().to_vec(),
            coordinates: coordinates.clone(),
            words,
        })
    }

    /// The material of the point of a triangle with these weights of its corners.
    ///
    /// # Panics
    ///
    /// If there is no such triangle.
    pub fn at(&self, triangle: u32, weights: [f32; 3]) -> SurfaceMaterial {
        assert!((triangle as usize) < self.material_of.len());
        let coordinates = match &self.coordinates[..] {
            [] => std::ptr::null(),
            coordinates => coordinates.as_ptr(),
        };
        let textures = Textures {
            words: self.words.as_ptr(),
        };
        // SAFETY: the triangle is there, and what a scene's materials and textures name is, which
        // was checked when it was made.
        let (all, triangle) = unsafe {
            let (materials, material_of) = (self.materials.as_ptr(), self.material_of.as_ptr());
            let all = TexturedMaterials::new(materials, material_of, coordinates, textures);
            (all, SceneTriangle::new(triangle))
        };
        all.at(triangle, weights)
    }
}

/// A material's record, where colours begin at this word.
fn material_of(material: &Material, colours: u32) -> TexturedMaterial {
    let textures = material.textures;
    let number = |texture: Option<u32>| texture.unwrap_or(NO_TEXTURE);
    TexturedMaterial {
        parameters: parameters_of(material),
        base: number(textures.base),
        emission: number(textures.emission),
        surface: number(textures.surface),
        opacity: number(textures.opacity),
        cutoff: textures.cutoff.unwrap_or(-1.0),
        colours,
    }
}

fn wrap_of(wrap: heapwood_scenes::Wrap) -> Wrap {
    match wrap {
        heapwood_scenes::Wrap::Repeat => Wrap::Repeat,
        heapwood_scenes::Wrap::Mirror => Wrap::Mirror,
        heapwood_scenes::Wrap::Clamp => Wrap::Clamp,
    }
}

/// The record of a material without textures.
pub(super) fn plain(material: [f32; MATERIAL_FLOATS]) -> [u32; TEXTURED_WORDS] {
    let material = SurfaceMaterial::from_floats(material);
    let parameters = MaterialParameters {
        base: material.diffuse,
        specular: material.specular,
        emission: material.emission,
        metallic: 0.0,
        roughness: -1.0,
        width: material.roughness,
        transmission: material.transmission,
        refraction: material.refraction,
        opacity: 1.0 - material.transparency,
    };
    let record = TexturedMaterial {
        parameters,
        base: NO_TEXTURE,
        emission: NO_TEXTURE,
        surface: NO_TEXTURE,
        opacity: NO_TEXTURE,
        cutoff: -1.0,
        colours: NO_TEXTURE,
    };
    record.to_words()
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
    fn colours_scale_the_base_colour_and_the_opacity() {
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y];
        let scene = heapwood_scenes::Scene::from_triangles("two", &[corners; 2]);
        let white = [[1.0; 4]; 3];
        let colours = [
            [1.0, 0.5, 0.0, 1.0],
            [0.0, 0.5, 1.0, 0.5],
            [0.0, 1.0, 0.0, 0.0],
        ];
        let scene = scene.with_colours(vec![white, colours]).unwrap();
        let textured = Textured::of(&scene).unwrap();
        let base = scene.materials()[0].diffuse;
        assert_eq!(textured.at(0, [0.25, 0.25, 0.5]).diffuse, base);
        let found = textured.at(1, [0.5, 0.25, 0.25]);
        assert_eq!(found.diffuse, base * Vec3::new(0.5, 0.625, 0.25));
        assert_eq!(found.transparency, 1.0 - 0.625);
    }

    #[test]
    fn constant_colours_stay_themselves() {
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y];
        let scene = heapwood_scenes::Scene::from_triangles("one", &[corners]);
        let scene = scene.with_colours(vec![[[0.5; 4]; 3]]).unwrap();
        let textured = Textured::of(&scene).unwrap();
        for at in 1..1000_u32 {
            // Rounded one by one, as at a hit; their sum is often not 1.
            let (a, b) = (f64::from(at) / 1009.0, f64::from(at % 7) / 7919.0);
            let weights = [a as f32, b as f32, (1.0 - a - b) as f32];
            assert_eq!(textured.at(0, weights).transparency, 0.5, "{weights:?}");
        }
    }

    #[test]
    fn records_name_the_textures_of_their_material() {
        let mut material = Material::matt("wood", Vec3::new(1.0, 0.5, 0.25));
        material.textures.base = Some(3);
        material.textures.opacity = Some(1);
        material.textures.cutoff = Some(0.25);
        let record = material_of(&material, 7);
        assert_eq!(
            (record.base, record.emission, record.surface, record.opacity),
            (3, NO_TEXTURE, NO_TEXTURE, 1)
        );
        assert_eq!(record.colours, 7);
        assert_eq!(record.cutoff, 0.25);
        assert_eq!(TexturedMaterial::from_words(record.to_words()), record);
    }
}
