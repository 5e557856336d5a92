//! The light of whatever no ray hits: a sky of two colours, or an image of what is around the
//! scene.
//!
//! The image is a panorama: a row for each height and a column for each direction around the
//! vertical axis, all of the same angle (equirectangular). Shadow rays look for its bright places:
//! a texel is chosen in proportion to the light that comes from it, first its row and then its
//! place in the row (Pharr, Jakob and Humphreys, "Physically Based Rendering", section 12.5), and
//! a direction within it evenly over its solid angle.

use cuda_std::math::{floor, sqrt};
use glam::Vec3;

use super::direction::{atan2_turns, cos_sin_turns};
use super::material::Sky;
use super::random::Sampler;
use super::texture::{Wrap, between, nearest};

/// Words before the rows of an environment in memory: texels of a row, rows, bits of the turn.
pub const ENVIRONMENT_WORDS: usize = 3;
/// Words of a row: [`AliasEntry::to_words`], and the bits of how far its upper and its lower edge
/// are below the upper pole of the unit sphere; of rows below the horizon, how far they are below
/// the lower pole, which is less than 0. So rows next to either pole, whose heights hardly differ
/// from 1 or -1, have edges of full precision.
pub const ENVIRONMENT_ROW_WORDS: usize = 4;
/// Words of a texel: [`AliasEntry::to_words`] among the texels of its row, and the bits of its
/// density and its radiance.
pub const ENVIRONMENT_TEXEL_WORDS: usize = 6;

/// The light from far away, where paths leave the scene.
pub(super) trait Environment: Copy {
    /// Whether shadow rays look for it.
    fn is_sampled(&self) -> bool;

    /// Radiance along a unit vector.
    fn radiance(&self, direction: Vec3) -> Vec3;

    /// The density over solid angle with which [`sample`](Self::sample) chooses a unit vector.
    fn pdf(&self, direction: Vec3) -> f32;

    /// A direction from which light comes, if shadow rays look for the environment.
    fn sample(&self, sampler: &mut Sampler) -> EnvironmentSample;
}

/// A direction from which light comes.
pub(super) struct EnvironmentSample {
    /// A unit vector.
    pub direction: Vec3,
    /// From there.
    pub radiance: Vec3,
    /// Over solid angle.
    pub pdf: f32,
}

/// Two colours are found soon enough by the rays that go on.
impl Environment for Sky {
    #[inline(always)]
    fn is_sampled(&self) -> bool {
        false
    }

    #[inline(always)]
    fn radiance(&self, direction: Vec3) -> Vec3 {
        Sky::radiance(self, direction)
    }

    #[inline(always)]
    fn pdf(&self, _: Vec3) -> f32 {
        0.0
    }

    #[inline(always)]
    fn sample(&self, _: &mut Sampler) -> EnvironmentSample {
        EnvironmentSample {
            direction: Vec3::Y,
            radiance: self.zenith,
            pdf: 0.0,
        }
    }
}

/// One of several things that are chosen with different chances (Walker's alias method, as Vose
/// builds it): of the thing drawn evenly itself where a number is below the threshold, else the
/// other one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AliasEntry {
    /// The entry that takes the rest of this one's share.
    pub other: u32,
    /// From 0 to 1.
    pub threshold: f32,
}

impl AliasEntry {
    /// As it is in memory.
    pub fn to_words(self) -> [u32; 2] {
        [self.other, self.threshold.to_bits()]
    }
}

/// A thing drawn evenly of `count` by the first number, or its other one by the second.
#[inline(always)]
fn chosen([evenly, number]: [f32; 2], count: u32, choice: impl Fn(u32) -> [u32; 2]) -> u32 {
    let thing = nearest(evenly, count);
    let [other, threshold] = choice(thing);
    if number < f32::from_bits(threshold) {
        thing
    } else {
        other
    }
}

/// An image of what is around the scene.
///
/// Invariant: the rows and the texels are there, of the sizes, while the value is in use.
#[derive(Clone, Copy, Debug)]
pub struct EnvironmentImage {
    /// Texels of a row.
    width: u32,
    height: u32,
    /// By what part of a full turn columns lie further to the right.
    turn: f32,
    rows: *const [u32; ENVIRONMENT_ROW_WORDS],
    texels: *const [u32; ENVIRONMENT_TEXEL_WORDS],
}

impl EnvironmentImage {
    /// From memory: [`ENVIRONMENT_WORDS`] words, then those of all rows from the top, then those
    /// of all texels row by row. The middle of the image, not turned, is at -z, its right half
    /// at +x, its upper edge at +y.
    ///
    /// # Safety
    ///
    /// All words are there while the value is in use, sides are from 1 to
    /// [`MAX_TEXTURE_SIDE`](super::MAX_TEXTURE_SIDE), and others of rows and of texels are below
    /// their number.
    #[inline(always)]
    pub unsafe fn new(words: *const u32) -> Self {
        // SAFETY: the words are there; records are words, and aligned as these.
        unsafe {
            let height = words.add(1).read();
            let rows = words.add(ENVIRONMENT_WORDS);
            Self {
                width: words.read(),
                height,
                turn: f32::from_bits(words.add(2).read()),
                rows: rows.cast(),
                texels: rows.add(height as usize * ENVIRONMENT_ROW_WORDS).cast(),
            }
        }
    }

    /// Where along a row and down a column a direction is, from 0 to 1 in both.
    #[inline(always)]
    fn place_of(&self, direction: Vec3) -> [f32; 2] {
        let across = atan2_turns([-direction.z, direction.x]) + 0.5 + self.turn;
        let level = direction.x * direction.x + direction.z * direction.z;
        [
            across - floor(across),
            2.0 * atan2_turns([direction.y, sqrt(level)]),
        ]
    }

    /// # Safety
    ///
    /// There is this column and this row.
    #[inline(always)]
    unsafe fn texel(&self, x: u32, y: u32) -> [u32; ENVIRONMENT_TEXEL_WORDS] {
        let at = y as usize * self.width as usize + x as usize;
        // SAFETY: a texel of the image.
        unsafe { self.texels.add(at).read() }
    }

    /// # Safety
    ///
    /// As for `texel`.
    #[inline(always)]
    unsafe fn colour(&self, x: u32, y: u32) -> Vec3 {
        // SAFETY: there is this texel.
        let [_, _, _, red, green, blue] = unsafe { self.texel(x, y) };
        Vec3::from_array([red, green, blue].map(f32::from_bits))
    }

    /// # Safety
    ///
    /// There is this row.
    #[inline(always)]
    unsafe fn row(&self, y: u32) -> [u32; ENVIRONMENT_ROW_WORDS] {
        // SAFETY: a row of the image.
        unsafe { self.rows.add(y as usize).read() }
    }
}

impl Environment for EnvironmentImage {
    #[inline(always)]
    fn is_sampled(&self) -> bool {
        true
    }

    /// The four texels around the direction are mixed.
    #[inline(always)]
    fn radiance(&self, direction: Vec3) -> Vec3 {
        let [across, down] = self.place_of(direction);
        let x = between(across, self.width, Wrap::Repeat);
        let y = between(down, self.height, Wrap::Clamp);
        // SAFETY: `between` gives columns and rows of the image.
        let row = |y: u32| unsafe {
            let (one, other) = (self.colour(x.one, y), self.colour(x.other, y));
            one + (other - one) * x.part
        };
        let (one, other) = (row(y.one), row(y.other));
        one + (other - one) * y.part
    }

    #[inline(always)]
    fn pdf(&self, direction: Vec3) -> f32 {
        let [across, down] = self.place_of(direction);
        // SAFETY: `nearest` gives columns and rows of the image.
        let [_, _, pdf, ..] =
            unsafe { self.texel(nearest(across, self.width), nearest(down, self.height)) };
        f32::from_bits(pdf)
    }

    #[inline(always)]
    fn sample(&self, sampler: &mut Sampler) -> EnvironmentSample {
        // SAFETY: what is chosen is a row, and a column of it.
        let (x, [top, bottom], pdf) = unsafe {
            let y = chosen(sampler.get_2d(), self.height, |y| {
                let [other, threshold, ..] = self.row(y);
                [other, threshold]
            });
            let x = chosen(sampler.get_2d(), self.width, |x| {
                let [other, threshold, ..] = self.texel(x, y);
                [other, threshold]
            });
            let [_, _, top, bottom] = self.row(y);
            let [_, _, pdf, ..] = self.texel(x, y);
            let edges = [top, bottom].map(f32::from_bits);
            (x, edges, f32::from_bits(pdf))
        };
        let [across, down] = sampler.get_2d();
        // Slices of a sphere have the area of their height.
        let below = top + (bottom - top) * down;
        let from_pole = below.abs();
        let height = if top < 0.0 {
            from_pole - 1.0
        } else {
            1.0 - from_pole
        };
        let square = from_pole * (2.0 - from_pole);
        let level = if square > 0.0 { sqrt(square) } else { 0.0 };
        let turn = (x as f32 + across) / self.width as f32 - 0.5 - self.turn;
        let [cosine, sine] = cos_sin_turns(turn - floor(turn));
        let direction = Vec3::new(sine * level, height, -cosine * level);
        EnvironmentSample {
            direction,
            radiance: self.radiance(direction),
            pdf,
        }
    }
}

/// A sky, or an image where there is one.
#[derive(Clone, Copy, Debug)]
pub(super) struct SkyOrImage {
    pub sky: Sky,
    pub image: Option<EnvironmentImage>,
}

impl Environment for SkyOrImage {
    #[inline(always)]
    fn is_sampled(&self) -> bool {
        self.image.is_some()
    }

    #[inline(always)]
    fn radiance(&self, direction: Vec3) -> Vec3 {
        match self.image {
            Some(image) => image.radiance(direction),
            None => self.sky.radiance(direction),
        }
    }

    #[inline(always)]
    fn pdf(&self, direction: Vec3) -> f32 {
        match self.image {
            Some(image) => image.pdf(direction),
            None => 0.0,
        }
    }

    #[inline(always)]
    fn sample(&self, sampler: &mut Sampler) -> EnvironmentSample {
        match self.image {
            Some(image) => image.sample(sampler),
            None => self.sky.sample(sampler),
        }
    }
}
