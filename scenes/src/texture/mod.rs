//! Textures: images, how they lie over surfaces, and the coordinates of triangles' corners.

mod decode;
mod table;

pub(crate) use decode::{Images, MAX_IMAGE_BYTES, Role, refusal};
pub(crate) use table::Table;

use crate::Material;

/// The most texels of a row or a column of an image.
pub const MAX_TEXTURE_SIDE: u32 = 1 << 14;
/// The most texels of all images of a scene: a GiB of them.
pub const MAX_TEXELS: u64 = 1 << 28;
/// Largest magnitude that a coordinate of a texture may have: beyond it an `f32` has few
/// digits left for the place within the texture.
pub const MAX_TEXTURE_COORDINATE: f32 = 1e6;

/// An image in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextureImage {
    /// Texels of a row, from 1 to [`MAX_TEXTURE_SIDE`].
    pub width: u32,
    /// Rows, from 1 to [`MAX_TEXTURE_SIDE`].
    pub height: u32,
    /// Red, green, blue and alpha, row by row from the top, as the file has them.
    pub texels: Vec<[u8; 4]>,
}

/// The texels beyond the edge of a texture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wrap {
    /// The texture again.
    #[default]
    Repeat,
    /// The texture again, every other time mirrored.
    Mirror,
    /// The texels of its edge.
    Clamp,
}

/// An image as it lies over surfaces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Texture {
    /// Number of the image.
    pub image: u32,
    /// The wrap beyond the left and right edges, and beyond the upper and lower ones.
    pub wrap: [Wrap; 2],
    /// Whether the filter is linear and mixes the four texels around a point; else the nearest one
    /// counts, which the point is in.
    pub is_linear: bool,
    /// The map from a surface's coordinates `u` and `v` to the image: `[a, b, c, d, e, f]` gives
    /// the point `(a u + b v + c, d u + e v + f)`. The left and upper edges of the image are 0, the
    /// right and lower ones 1.
    pub map: [f32; 6],
}

/// The textures of a scene; none by default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Texturing {
    /// The images.
    pub images: Vec<TextureImage>,
    /// The textures that materials name.
    pub textures: Vec<Texture>,
    /// For each triangle the coordinates of its corners, none of more than
    /// [`MAX_TEXTURE_COORDINATE`]; empty if there are no textures.
    pub coordinates: Vec<[[f32; 2]; 3]>,
}

impl Texturing {
    /// The fault of the textures for so many triangles and these materials, if there is one.
    pub(crate) fn fault(&self, triangles: usize, materials: &[Material]) -> Option<&'static str> {
        let is_sound = |image: &TextureImage| {
            let sides = 1..=MAX_TEXTURE_SIDE;
            let count = u64::from(image.width) * u64::from(image.height);
            sides.contains(&image.width)
                && sides.contains(&image.height)
                && image.texels.len() as u64 == count
        };
        let texels: usize = self.images.iter().map(|image| image.texels.len()).sum();
        let mut numbers = materials
            .iter()
            .flat_map(|material| material.textures.numbers());
        let is_in_range = |number: f32| number.abs() <= MAX_TEXTURE_COORDINATE;
        let mut coordinates = self.coordinates.iter().flatten().flatten();
        if !self.images.iter().all(is_sound) {
            Some("an image's sides do not fit its texels, or are not from 1 to 16384")
        } else if texels as u64 > MAX_TEXELS {
            Some("images of more than 2^28 texels")
        } else if (self.textures.iter()).any(|of| of.image as usize >= self.images.len()) {
            Some("a texture of an image that is not there")
        } else if numbers.any(|number| number as usize >= self.textures.len()) {
            Some("a material with a texture that is not there")
        } else if !self.textures.is_empty() && self.coordinates.len() != triangles {
            Some("textures, but not one triple of coordinates for each triangle")
        } else if !coordinates.all(|&number| is_in_range(number)) {
            Some("a texture coordinate that is no number up to 1e6")
        } else {
            None
        }
    }
}

/// The linear value of a byte of sRGB (IEC 61966-2-1). In `f64`, so that no system's power
/// function is off by enough to change the `f32`.
pub fn decoded(byte: u8) -> f32 {
    let encoded = f64::from(byte) / 255.0;
    let linear = if encoded <= 0.040_45 {
        encoded / 12.92
    } else {
        ((encoded + 0.055) / 1.055).powf(2.4)
    };
    linear as f32
}

/// Coordinates of a corner that has none, until [`assign_plain_materials`] has seen them.
pub(crate) const NO_COORDINATES: [f32; 2] = [f32::NAN; 2];

/// Coordinates as they may be: 0 for what is no number or too large, and whether there was such.
pub(crate) fn sound([u, v]: [f32; 2]) -> ([f32; 2], bool) {
    let is_sound = |number: f32| number.abs() <= MAX_TEXTURE_COORDINATE;
    let sound = |number| if is_sound(number) { number } else { 0.0 };
    ([sound(u), sound(v)], !is_sound(u) || !is_sound(v))
}

/// Gives triangles with textures and a corner without coordinates a material without textures,
/// which `plain` makes of a material's number. How many triangles those were.
pub(crate) fn assign_plain_materials(
    materials: &mut Vec<Material>,
    material_of: &mut [u32],
    coordinates: &mut [[[f32; 2]; 3]],
    plain: impl Fn(usize) -> Material,
) -> usize {
    let mut without = 0;
    let mut plain_of: Vec<Option<u32>> = vec![None; materials.len()];
    for (material, corners) in material_of.iter_mut().zip(coordinates) {
        if !corners.as_flattened().iter().any(|number| number.is_nan()) {
            continue;
        }
        *corners = [[0.0; 2]; 3];
        let number = *material as usize;
        if materials[number].textures.any() {
            without += 1;
            *material = *plain_of[number].get_or_insert_with(|| {
                materials.push(plain(number));
                materials.len() as u32 - 1
            });
        }
    }
    without
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MaterialTextures;

    #[test]
    fn coordinates_become_sound() {
        assert_eq!(sound([0.5, -1e6]), ([0.5, -1e6], false));
        for bad in [f32::NAN, f32::INFINITY, -1.1e6, f32::MAX] {
            assert_eq!(sound([bad, 2.0]), ([0.0, 2.0], true), "{bad}");
            assert_eq!(sound([2.0, bad]), ([2.0, 0.0], true), "{bad}");
        }
    }

    #[test]
    fn triangles_without_coordinates_get_a_plain_material() {
        let with_texture = Material {
            textures: MaterialTextures {
                base: Some(0),
                ..MaterialTextures::default()
            },
            ..Material::default()
        };
        let mut materials = vec![with_texture, Material::default()];
        let mut material_of = [0, 0, 1, 0];
        let there = [[0.25, 0.5]; 3];
        let gone = [[0.25, 0.5], NO_COORDINATES, [0.5, 0.5]];
        let mut coordinates = [there, gone, gone, gone];
        let plain = |number: usize| Material {
            name: format!("plain {number}"),
            ..Material::default()
        };
        let without =
            assign_plain_materials(&mut materials, &mut material_of, &mut coordinates, plain);
        assert_eq!((without, material_of), (2, [0, 2, 1, 2]));
        assert_eq!((materials.len(), &materials[2].name[..]), (3, "plain 0"));
        assert_eq!(
            coordinates,
            [there, [[0.0; 2]; 3], [[0.0; 2]; 3], [[0.0; 2]; 3]]
        );
    }
}
