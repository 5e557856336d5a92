//! The colour of a ray: linear RGB from its hit.

use cuda_std::math::sqrt;
use glam::Vec3;

use super::random::hash;
use super::search::Hit;
use crate::kdtree::bounds::Triangle;
use crate::kernel::Word;

/// The quantity that an image shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum Mode {
    /// A neutral surface lit from the eye: the brighter, the more it faces the
    /// viewer.
    #[default]
    Eyelight,
    /// The unit normal of the triangle (counterclockwise corners face the
    /// viewer), from -1..1 to 0..1 in each channel.
    Normal,
    /// A colour for each triangle.
    Primitive,
    /// The distance from the eye in each channel, infinite for the background. It is no colour:
    /// the host makes one of it.
    Depth,
}

impl Mode {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Eyelight, Self::Normal, Self::Primitive, Self::Depth];

    /// As on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Eyelight => "eyelight",
            Self::Normal => "normal",
            Self::Primitive => "primitive",
            Self::Depth => "depth",
        }
    }

    /// A description for help.
    pub const fn what(self) -> &'static str {
        match self {
            Self::Eyelight => "A neutral surface lit from the eye",
            Self::Normal => "The normal of each triangle as a colour",
            Self::Primitive => "Each triangle in a colour of its own",
            Self::Depth => "The distance from the eye: near bright, far dark",
        }
    }
}

impl Word for Mode {
    #[inline(always)]
    fn to_word(self) -> u64 {
        self as u64
    }

    /// Words that no mode has become the default.
    #[inline(always)]
    fn from_word(word: u64) -> Self {
        if word == Self::Normal as u64 {
            Self::Normal
        } else if word == Self::Primitive as u64 {
            Self::Primitive
        } else if word == Self::Depth as u64 {
            Self::Depth
        } else {
            Self::Eyelight
        }
    }
}

/// Reflectance of the surface in `Mode::Eyelight`.
const SURFACE: Vec3 = Vec3::new(0.80, 0.77, 0.72);
/// The part of its light that a surface seen edge-on keeps.
const AMBIENT: f32 = 0.06;
/// Background at the top of the image.
const SKY: Vec3 = Vec3::new(0.16, 0.20, 0.26);
/// Background at the bottom of the image.
const HAZE: Vec3 = Vec3::new(0.56, 0.57, 0.58);

/// `v` with its largest coordinate made 1 or -1, so that squares of coordinates
/// stay within `f32`; 0 for 0.
#[inline(always)]
fn rescaled(v: Vec3) -> Vec3 {
    let mut largest = v.x.abs();
    for coordinate in [v.y.abs(), v.z.abs()] {
        largest = if largest < coordinate {
            coordinate
        } else {
            largest
        };
    }
    if largest > 0.0 {
        v / largest
    } else {
        Vec3::ZERO
    }
}

/// The length of `v`.
#[inline(always)]
fn length(v: Vec3) -> f32 {
    unit(v).dot(v)
}

/// The unit vector along `v`, or 0 for 0.
#[inline(always)]
pub(super) fn unit(v: Vec3) -> Vec3 {
    let v = rescaled(v);
    let square = v.dot(v);
    if square > 0.0 {
        v / sqrt(square)
    } else {
        Vec3::ZERO
    }
}

/// The unit normal of a triangle, on the side from which its corners run
/// counterclockwise; 0 for a triangle without area.
#[inline(always)]
pub fn normal(triangle: &Triangle) -> Vec3 {
    let [a, b, c] = triangle;
    let corner = |[x, y, z]: [f32; 3]| Vec3::new(x, y, z);
    let (a, b, c) = (corner(*a), corner(*b), corner(*c));
    unit(rescaled(b - a).cross(rescaled(c - a)))
}

/// A colour for a triangle, neither dark nor bright, by a hash of its number.
#[inline(always)]
fn of_number(triangle: u32) -> Vec3 {
    let word = hash(triangle);
    let channel = |shift: u32| 0.08 + 0.77 * ((word >> shift & 0xff) as f32 * (1.0 / 255.0));
    Vec3::new(channel(0), channel(8), channel(16))
}

/// The colour of a ray along `direction` (of any length) with this hit in `triangle`.
#[inline(always)]
pub fn surface(mode: Mode, triangle: &Triangle, hit: Hit, direction: Vec3) -> Vec3 {
    let normal = normal(triangle);
    match mode {
        Mode::Eyelight => {
            let cosine = normal.dot(unit(direction)).abs();
            // Squared, because the encoding of sRGB is about a square root: the bytes
            // fall off as the cosine does.
            SURFACE * (AMBIENT + (1.0 - AMBIENT) * (cosine * cosine))
        }
        Mode::Normal => normal * 0.5 + Vec3::splat(0.5),
        Mode::Primitive => of_number(hit.triangle),
        Mode::Depth => Vec3::splat(hit.t * length(direction)),
    }
}

/// The colour of a ray that hits nothing, in row `y` of `height`.
#[inline(always)]
pub fn background(mode: Mode, y: u32, height: u32) -> Vec3 {
    match mode {
        Mode::Eyelight => {
            let down = (y as f32 + 0.5) / height as f32;
            SKY + (HAZE - SKY) * down
        }
        Mode::Normal | Mode::Primitive => Vec3::ZERO,
        Mode::Depth => Vec3::INFINITY,
    }
}
