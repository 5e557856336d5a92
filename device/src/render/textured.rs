//! Materials with textures and colours of vertices: what a surface is like at one of its points.

use glam::Vec3;

use super::material::SurfaceMaterial;
use super::texture::{Encoding, Textures};
use super::traverse::SceneTriangle;

/// Words of a textured material in memory.
pub const TEXTURED_WORDS: usize = 21;
/// Words of the colours of a triangle: RGBA of three corners.
pub const COLOUR_WORDS: usize = 12;
/// In place of a texture's number: none.
pub const NO_TEXTURE: u32 = u32::MAX;
/// The reflectance of a dielectric's surface, as glTF has it.
const DIELECTRIC: f32 = 0.04;

/// A material as files have it; textures scale some of its numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MaterialParameters {
    /// The diffuse colour of MTL, the base colour of glTF.
    pub base: Vec3,
    /// The specular colour of MTL, which a roughness overrides.
    pub specular: Vec3,
    /// Emitted radiance.
    pub emission: Vec3,
    /// 1 for a metal, 0 for a dielectric.
    pub metallic: f32,
    /// Square root of the specular lobe's width; below 0, `specular` and `width` count.
    pub roughness: f32,
    /// Width of the lobe where there is no roughness.
    pub width: f32,
    /// As in [`SurfaceMaterial`].
    pub transmission: f32,
    /// As in [`SurfaceMaterial`].
    pub refraction: f32,
    /// Part that is there, 0 to 1.
    pub opacity: f32,
}

impl MaterialParameters {
    /// The renderer's material. Where a roughness is given, a metal reflects its base colour, and
    /// of a dielectric's the surface takes its part away. The part that is not opaque is not there.
    #[inline(always)]
    pub fn surface(self) -> SurfaceMaterial {
        let (base, metallic) = (self.base, self.metallic);
        let (diffuse, specular, width) = if self.roughness >= 0.0 {
            (
                base * (1.0 - metallic) * (1.0 - DIELECTRIC),
                Vec3::splat(DIELECTRIC * (1.0 - metallic)) + base * metallic,
                self.roughness * self.roughness,
            )
        } else {
            (base, self.specular, self.width)
        };
        let both = diffuse + specular;
        let larger = if both.x < both.y { both.y } else { both.x };
        let larger = if larger < both.z { both.z } else { larger };
        let most = if larger < 1.0 { 1.0 } else { larger };
        SurfaceMaterial {
            diffuse: diffuse / most,
            specular: specular / most,
            emission: self.emission,
            roughness: width,
            transmission: self.transmission,
            refraction: self.refraction,
            transparency: 1.0 - self.opacity,
        }
    }
}

/// A material and the numbers of the textures that scale it; [`NO_TEXTURE`] for none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TexturedMaterial {
    /// Where textures are 1.
    pub parameters: MaterialParameters,
    /// Scales the base colour.
    pub base: u32,
    /// Scales the emission.
    pub emission: u32,
    /// Scales the roughness by its green and the metal by its blue.
    pub surface: u32,
    /// Scales the opacity by its alpha.
    pub opacity: u32,
    /// The scaled opacity below which a point is not there, and from which on it is; none below 0.
    pub cutoff: f32,
    /// Where in the words of the textures the colours of triangles begin, [`COLOUR_WORDS`] each:
    /// linear RGB of each corner, which scales the base colour, and alpha, which scales the
    /// opacity; [`NO_TEXTURE`] for none.
    pub colours: u32,
}

impl TexturedMaterial {
    /// As it is in memory.
    pub fn to_words(self) -> [u32; TEXTURED_WORDS] {
        let parameters = self.parameters;
        let (b, s, e) = (parameters.base, parameters.specular, parameters.emission);
        let numbers = [
            b.x,
            b.y,
            b.z,
            s.x,
            s.y,
            s.z,
            e.x,
            e.y,
            e.z,
            parameters.metallic,
            parameters.roughness,
            parameters.width,
            parameters.transmission,
            parameters.refraction,
            parameters.opacity,
            self.cutoff,
        ]
        .map(f32::to_bits);
        let textures = [
            self.base,
            self.emission,
            self.surface,
            self.opacity,
            self.colours,
        ];
        let mut words = [0; TEXTURED_WORDS];
        words[..numbers.len()].copy_from_slice(&numbers);
        words[numbers.len()..].copy_from_slice(&textures);
        words
    }

    /// From memory.
    #[inline(always)]
    pub fn from_words(words: [u32; TEXTURED_WORDS]) -> Self {
        let [bx, by, bz, sx, sy, sz, ex, ey, ez, rest @ ..] = words;
        let [
            metallic,
            roughness,
            width,
            transmission,
            refraction,
            opacity,
            cutoff,
            textures @ ..,
        ] = rest;
        let vector = |x: u32, y: u32, z: u32| {
            Vec3::new(f32::from_bits(x), f32::from_bits(y), f32::from_bits(z))
        };
        let [base, emission, surface, of_opacity, colours] = textures;
        Self {
            parameters: MaterialParameters {
                base: vector(bx, by, bz),
                specular: vector(sx, sy, sz),
                emission: vector(ex, ey, ez),
                metallic: f32::from_bits(metallic),
                roughness: f32::from_bits(roughness),
                width: f32::from_bits(width),
                transmission: f32::from_bits(transmission),
                refraction: f32::from_bits(refraction),
                opacity: f32::from_bits(opacity),
            },
            base,
            emission,
            surface,
            opacity: of_opacity,
            cutoff: f32::from_bits(cutoff),
            colours,
        }
    }
}

/// The material of a triangle of a scene.
///
/// Invariant: the textures are the scene's; it has those that the material names, and the colours of
/// the triangle where the material has colours.
#[derive(Clone, Copy)]
struct TriangleMaterial {
    triangle: SceneTriangle,
    material: TexturedMaterial,
    textures: Textures,
}

impl TriangleMaterial {
    /// The material of a point with these coordinates and this colour.
    #[inline(always)]
    fn at(self, uv: [f32; 2], colour: [f32; 4]) -> SurfaceMaterial {
        let (material, textures) = (self.material, self.textures);
        let mut parameters = material.parameters;
        let [red, green, blue, alpha] = colour;
        parameters.base *= Vec3::new(red, green, blue);
        parameters.opacity *= alpha;
        // SAFETY: the invariant, for each number that is one.
        unsafe {
            if material.base != NO_TEXTURE {
                parameters.base *= textures.sample(material.base, uv, Encoding::Srgb).colour;
            }
            parameters.emission = self.emission_at(uv);
            if material.surface != NO_TEXTURE {
                let numbers = textures.sample(material.surface, uv, Encoding::Linear);
                parameters.roughness *= numbers.colour.y;
                parameters.metallic *= numbers.colour.z;
            }
            if material.opacity != NO_TEXTURE {
                let opacity = textures.sample(material.opacity, uv, Encoding::Linear);
                parameters.opacity *= opacity.alpha;
            }
        }
        if material.cutoff >= 0.0 {
            let is_there = parameters.opacity >= material.cutoff;
            parameters.opacity = if is_there { 1.0 } else { 0.0 };
        }
        parameters.surface()
    }

    /// The colour of the point with these weights of the corners; white without any.
    #[inline(always)]
    fn colour_at(&self, [_, b, c]: [f32; 3]) -> [f32; 4] {
        if self.material.colours == NO_TEXTURE {
            return [1.0; 4];
        }
        let first = self.material.colours as usize + COLOUR_WORDS * self.triangle.index();
        let words = self.textures.words.wrapping_add(first);
        // SAFETY: the invariant; floats have the size and the alignment of words.
        let [p, q, r] = unsafe { words.cast::<[[f32; 4]; 3]>().read() };
        // From one corner on: weights may not add up to 1, and a constant has to stay itself, or
        // an alpha that is the cutoff has holes.
        let channel = |at: usize| p[at] + (q[at] - p[at]) * b + (r[at] - p[at]) * c;
        [channel(0), channel(1), channel(2), channel(3)]
    }

    /// The emission of a point with these coordinates.
    #[inline(always)]
    fn emission_at(&self, uv: [f32; 2]) -> Vec3 {
        let (emission, number) = (self.material.parameters.emission, self.material.emission);
        if number == NO_TEXTURE {
            return emission;
        }
        // SAFETY: the invariant.
        emission * unsafe { self.textures.sample(number, uv, Encoding::Srgb).colour }
    }
}

/// The materials of a scene with textures.
#[derive(Clone, Copy, Debug)]
pub struct TexturedMaterials {
    materials: *const [u32; TEXTURED_WORDS],
    material_of: *const u32,
    coordinates: *const [[f32; 2]; 3],
    textures: Textures,
}

impl TexturedMaterials {
    /// The materials of a scene: `TexturedMaterial::to_words` of each; for each triangle the number
    /// of its material, and the coordinates of its corners, any numbers, or null where no material
    /// has a texture; the textures that materials name by numbers, and colours.
    ///
    /// # Safety
    ///
    /// While this value or a copy of it is in use, the memory can be read and does not change.
    /// Each triangle's number names a material. Each number of a texture in a material names one,
    /// all of whose texels are there. Where a material has colours, they are there for each triangle
    /// that has the material. Where there are coordinates, each triangle has them.
    #[inline(always)]
    pub unsafe fn new(
        materials: *const [u32; TEXTURED_WORDS],
        material_of: *const u32,
        coordinates: *const [[f32; 2]; 3],
        textures: Textures,
    ) -> Self {
        Self {
            materials,
            material_of,
            coordinates,
            textures,
        }
    }

    /// The material of the point of a triangle with these weights of its corners.
    #[inline(always)]
    pub fn at(&self, triangle: SceneTriangle, weights: [f32; 3]) -> SurfaceMaterial {
        let material = self.material(triangle);
        let colour = material.colour_at(weights);
        material.at(self.coordinates_at(triangle, weights), colour)
    }

    /// The emission of the same point.
    #[inline(always)]
    pub fn emission_at(&self, triangle: SceneTriangle, weights: [f32; 3]) -> Vec3 {
        let material = self.material(triangle);
        material.emission_at(self.coordinates_at(triangle, weights))
    }

    #[inline(always)]
    fn material(&self, triangle: SceneTriangle) -> TriangleMaterial {
        // SAFETY: the contract of `new`.
        let words = unsafe {
            let number = self.material_of.add(triangle.index()).read();
            self.materials.add(number as usize).read()
        };
        TriangleMaterial {
            triangle,
            material: TexturedMaterial::from_words(words),
            textures: self.textures,
        }
    }

    #[inline(always)]
    fn coordinates_at(&self, triangle: SceneTriangle, [a, b, c]: [f32; 3]) -> [f32; 2] {
        if self.coordinates.is_null() {
            return [0.0; 2];
        }
        // SAFETY: the contract of `new`.
        let [p, q, r] = unsafe { self.coordinates.add(triangle.index()).read() };
        [
            p[0] * a + q[0] * b + r[0] * c,
            p[1] * a + q[1] * b + r[1] * c,
        ]
    }
}
