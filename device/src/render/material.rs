//! Materials, lights, delta lights and the sky as they are in memory.

use glam::Vec3;

/// Numbers of a material in memory.
pub const MATERIAL_FLOATS: usize = 13;
/// Words of a light in memory: a triangle, another one, the bits of a number.
pub const LIGHT_WORDS: usize = 3;
/// Numbers of a delta light in memory.
pub const DELTA_LIGHT_FLOATS: usize = 12;
/// In place of a sun's cosine, for delta lights that are points: no angle has it.
const POINT: f32 = 2.0;
/// The same for spots.
const SPOT: f32 = 3.0;
/// The narrowest lobe that is sampled as one; a narrower one is a mirror.
pub const NARROWEST_LOBE: f32 = 0.01;

/// How a surface reflects, transmits and emits light; both of its sides do.
///
/// Of the light that arrives, `transparency` passes straight on and `transmission` of the rest is
/// refracted and reflected as by clear glass. The remaining light is scattered by the diffuse and
/// the specular lobe, whose colours add up to at most 1 in each channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceMaterial {
    /// Reflectance of the diffuse lobe (Lambert's).
    pub diffuse: Vec3,
    /// Reflectance of the specular lobe, for light from everywhere: a conductor without
    /// Fresnel's gain at grazing angles.
    pub specular: Vec3,
    /// Emitted radiance.
    pub emission: Vec3,
    /// Width of the specular lobe, GGX's alpha, 0 to 1.
    pub roughness: f32,
    /// Part that is glass, 0 to 1.
    pub transmission: f32,
    /// Index of refraction inside of the glass, where the corners of its triangles run
    /// clockwise; at least 1.
    pub refraction: f32,
    /// Part that is not there, 0 to 1.
    pub transparency: f32,
}

impl SurfaceMaterial {
    /// As it is in memory.
    pub fn to_floats(self) -> [f32; MATERIAL_FLOATS] {
        let (d, s, e) = (self.diffuse, self.specular, self.emission);
        [
            d.x,
            d.y,
            d.z,
            s.x,
            s.y,
            s.z,
            e.x,
            e.y,
            e.z,
            self.roughness,
            self.transmission,
            self.refraction,
            self.transparency,
        ]
    }

    /// From memory.
    #[inline(always)]
    pub fn from_floats(floats: [f32; MATERIAL_FLOATS]) -> Self {
        Self {
            diffuse: Vec3::new(floats[0], floats[1], floats[2]),
            specular: Vec3::new(floats[3], floats[4], floats[5]),
            emission: Vec3::new(floats[6], floats[7], floats[8]),
            roughness: floats[9],
            transmission: floats[10],
            refraction: floats[11],
            transparency: floats[12],
        }
    }

    /// Whether it emits light.
    #[inline(always)]
    pub fn is_light(&self) -> bool {
        self.emission.x + self.emission.y + self.emission.z > 0.0
    }
}

/// An entry of the table by which a light is chosen (Walker's alias method, as Vose builds it):
/// of two triangles the first where a random number is below the threshold, else the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LightAliasEntry {
    /// The entry's triangle.
    pub triangle: u32,
    /// The one that takes the rest of the entry.
    pub other: u32,
    /// From 0 to 1.
    pub threshold: f32,
}

impl LightAliasEntry {
    /// As it is in memory.
    pub fn to_words(self) -> [u32; LIGHT_WORDS] {
        [self.triangle, self.other, self.threshold.to_bits()]
    }

    /// From memory.
    #[inline(always)]
    pub fn from_words([triangle, other, threshold]: [u32; LIGHT_WORDS]) -> Self {
        Self {
            triangle,
            other,
            threshold: f32::from_bits(threshold),
        }
    }

    /// The triangle for a number from 0 to 1.
    #[inline(always)]
    pub fn choose(self, number: f32) -> u32 {
        if number < self.threshold {
            self.triangle
        } else {
            self.other
        }
    }
}

/// A light that no ray hits: shadow rays alone find it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DeltaLight {
    /// A disc at an infinite distance.
    Sun {
        /// The unit vector towards its middle.
        direction: Vec3,
        /// Irradiance of a surface that faces it.
        irradiance: Vec3,
        /// Cosine of the angle of its radius, from 0 to 1; 1 is a direction alone.
        cosine: f32,
    },
    /// A point that shines in all directions alike.
    Point {
        /// Where it is.
        position: Vec3,
        /// Irradiance of a surface that faces it at distance 1.
        intensity: Vec3,
    },
    /// A point that shines within a cone.
    Spot {
        /// Where it is.
        position: Vec3,
        /// Irradiance of a surface that faces it at distance 1 within the inner cone.
        intensity: Vec3,
        /// The unit vector in the middle of its cones.
        axis: Vec3,
        /// Cosine of the angle between the axis and the inner cone, within which all directions
        /// have the same light.
        inner: f32,
        /// Cosine of the angle between the axis and the outer cone, from 0 to `inner`: there is no
        /// light outside of it.
        outer: f32,
    },
}

/// The part of a spot's intensity in a direction that has this cosine with its axis, as
/// `KHR_lights_punctual` recommends. Where both cones are one, its edge is sharp.
#[inline(always)]
pub(super) fn spot_falloff(cosine: f32, inner: f32, outer: f32) -> f32 {
    if cosine >= inner {
        1.0
    } else if cosine > outer {
        let part = (cosine - outer) / (inner - outer);
        part * part
    } else {
        0.0
    }
}

impl DeltaLight {
    /// As it is in memory.
    pub fn to_floats(self) -> [f32; DELTA_LIGHT_FLOATS] {
        let (v, light, cosine, axis, [inner, outer]) = match self {
            Self::Sun {
                direction,
                irradiance,
                cosine,
            } => (direction, irradiance, cosine, Vec3::ZERO, [0.0; 2]),
            Self::Point {
                position,
                intensity,
            } => (position, intensity, POINT, Vec3::ZERO, [0.0; 2]),
            Self::Spot {
                position,
                intensity,
                axis,
                inner,
                outer,
            } => (position, intensity, SPOT, axis, [inner, outer]),
        };
        [
            v.x, v.y, v.z, light.x, light.y, light.z, cosine, axis.x, axis.y, axis.z, inner, outer,
        ]
    }

    /// From memory.
    #[inline(always)]
    pub fn from_floats(floats: [f32; DELTA_LIGHT_FLOATS]) -> Self {
        let v = Vec3::new(floats[0], floats[1], floats[2]);
        let light = Vec3::new(floats[3], floats[4], floats[5]);
        let cosine = floats[6];
        if cosine <= 1.0 {
            Self::Sun {
                direction: v,
                irradiance: light,
                cosine,
            }
        } else if cosine <= POINT {
            Self::Point {
                position: v,
                intensity: light,
            }
        } else {
            Self::Spot {
                position: v,
                intensity: light,
                axis: Vec3::new(floats[7], floats[8], floats[9]),
                inner: floats[10],
                outer: floats[11],
            }
        }
    }
}

/// The light of whatever no ray hits, from straight above to straight below.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sky {
    /// Radiance from above (+y).
    pub zenith: Vec3,
    /// Radiance from below.
    pub nadir: Vec3,
}

impl Sky {
    /// Radiance along a unit vector.
    #[inline(always)]
    pub fn radiance(&self, direction: Vec3) -> Vec3 {
        self.nadir + (self.zenith - self.nadir) * (0.5 * direction.y + 0.5)
    }
}
