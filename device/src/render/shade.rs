//! The colour of a ray: linear RGB from its hit.

use cuda_std::math::sqrt;
use glam::Vec3;

use crate::kdtree::bounds::Triangle;
use crate::kernel::Word;

/// What an image shows.
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
}

impl Mode {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Eyelight, Self::Normal];

    /// As on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Eyelight => "eyelight",
            Self::Normal => "normal",
        }
    }

    /// What it shows, for help.
    pub const fn what(self) -> &'static str {
        match self {
            Self::Eyelight => "A neutral surface lit from the eye",
            Self::Normal => "The normal of each triangle as a colour",
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

/// The unit vector along `v`, or 0 for 0.
#[inline(always)]
fn unit(v: Vec3) -> Vec3 {
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

/// The colour of a ray along `direction` (of any length) that hits `triangle`.
#[inline(always)]
pub fn surface(mode: Mode, triangle: &Triangle, direction: Vec3) -> Vec3 {
    let normal = normal(triangle);
    match mode {
        Mode::Eyelight => {
            let cosine = normal.dot(unit(direction)).abs();
            // Squared, because the encoding of sRGB is about a square root: the bytes
            // fall off as the cosine does.
            SURFACE * (AMBIENT + (1.0 - AMBIENT) * (cosine * cosine))
        }
        Mode::Normal => normal * 0.5 + Vec3::splat(0.5),
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
        Mode::Normal => Vec3::ZERO,
    }
}
