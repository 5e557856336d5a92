//! Textures in memory, and what one is like at a point.
//!
//! All is plain arithmetic, so that a picture has the same bits on every backend: bytes become
//! linear values by a table that the host has made, and neighbours are mixed one after the other.
//! There are no smaller copies of a texture (mipmaps): samples of a pixel do their work.
//!
//! Whatever numbers coordinates are, no texel beside the texture is read: [`wrapped`] brings them
//! from 0 to 1, and a NaN to 0.

use cuda_std::math::floor;
use glam::Vec3;

/// Words of a texture in memory.
pub const TEXTURE_WORDS: usize = 10;
/// The first words of all textures: the bits of the linear values of sRGB's bytes.
pub const DECODED: usize = 256;
/// The maximum number of texels of a row or a column.
pub const MAX_TEXTURE_SIDE: u32 = 1 << 14;

/// The texels beyond the edge of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrap {
    /// The texture again.
    Repeat,
    /// The texture again, every other time mirrored.
    Mirror,
    /// The texels of its edge.
    Clamp,
}

/// Where the texels of a texture are, and how it lies over surfaces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Texture {
    /// Number of the word that is its first texel; the others follow row by row from the top.
    pub first: u32,
    /// Texels of a row, from 1 to [`MAX_TEXTURE_SIDE`].
    pub width: u32,
    /// Rows, from 1 to [`MAX_TEXTURE_SIDE`].
    pub height: u32,
    /// The texels beyond its left and right edges, and beyond the upper and lower ones.
    pub wrap: [Wrap; 2],
    /// Whether the four texels around a point are mixed; else the one that it is in counts.
    pub is_linear: bool,
    /// The map of the coordinates `u` and `v` of a surface: with `[a, b, c, d, e, f]` the place
    /// `a u + b v + c` from the left edge, 0, to the right one, 1, and `d u + e v + f` from the
    /// upper to the lower one.
    pub map: [f32; 6],
}

const MIRROR: u32 = 1;
const CLAMP: u32 = 2;
const WRAP_BITS: u32 = 2;
const SMOOTH: u32 = 1 << (2 * WRAP_BITS);

impl Wrap {
    fn to_bits(self) -> u32 {
        match self {
            Self::Repeat => 0,
            Self::Mirror => MIRROR,
            Self::Clamp => CLAMP,
        }
    }

    #[inline(always)]
    fn from_bits(bits: u32) -> Self {
        match bits & ((1 << WRAP_BITS) - 1) {
            0 => Self::Repeat,
            MIRROR => Self::Mirror,
            _ => Self::Clamp,
        }
    }
}

impl Texture {
    /// As it is in memory.
    pub fn to_words(self) -> [u32; TEXTURE_WORDS] {
        let [across, down] = self.wrap.map(Wrap::to_bits);
        let smooth = if self.is_linear { SMOOTH } else { 0 };
        let flags = across | down << WRAP_BITS | smooth;
        let [a, b, c, d, e, f] = self.map.map(f32::to_bits);
        [self.first, self.width, self.height, flags, a, b, c, d, e, f]
    }

    /// From memory.
    #[inline(always)]
    pub fn from_words(words: [u32; TEXTURE_WORDS]) -> Self {
        let [first, width, height, flags, a, b, c, d, e, f] = words;
        Self {
            first,
            width,
            height,
            wrap: [Wrap::from_bits(flags), Wrap::from_bits(flags >> WRAP_BITS)],
            is_linear: flags & SMOOTH != 0,
            map: [
                f32::from_bits(a),
                f32::from_bits(b),
                f32::from_bits(c),
                f32::from_bits(d),
                f32::from_bits(e),
                f32::from_bits(f),
            ],
        }
    }
}

/// The sample of a texture at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Red, green and blue.
    pub colour: Vec3,
    /// How much of it is there.
    pub alpha: f32,
}

impl Sample {
    #[inline(always)]
    fn mixed(self, other: Self, part: f32) -> Self {
        Self {
            colour: self.colour + (other.colour - self.colour) * part,
            alpha: self.alpha + (other.alpha - self.alpha) * part,
        }
    }
}

/// The encoding of a texture's colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Light, in sRGB.
    Srgb,
    /// Numbers, 255 being 1.
    Linear,
}

/// All textures of a scene.
#[derive(Clone, Copy, Debug)]
pub struct Textures {
    /// [`DECODED`] words, then [`Texture::to_words`] of each texture, then texels: red in the
    /// lowest byte, then green, blue and alpha.
    pub words: *const u32,
}

/// Two neighbours in a row or a column, and where between their middles a point is.
pub(super) struct Between {
    pub one: u32,
    pub other: u32,
    pub part: f32,
}

/// A place on or beyond the texture as one on it, from 0 to 1.
#[inline(always)]
fn wrapped(place: f32, wrap: Wrap) -> f32 {
    let place = match wrap {
        Wrap::Repeat => place - floor(place),
        Wrap::Mirror => {
            let half = 0.5 * place;
            let twice = 2.0 * (half - floor(half));
            if twice > 1.0 { 2.0 - twice } else { twice }
        }
        Wrap::Clamp => place,
    };
    // An infinity less itself is a NaN, which is above nothing.
    let place = if place > 0.0 { place } else { 0.0 };
    if place < 1.0 { place } else { 1.0 }
}

/// The texel that a place from 0 to 1 is in, of `count`.
#[inline(always)]
pub(super) fn nearest(place: f32, count: u32) -> u32 {
    let number = (place * count as f32) as u32;
    if number < count { number } else { count - 1 }
}

/// The texels around a place from 0 to 1, of `count`.
#[inline(always)]
pub(super) fn between(place: f32, count: u32, wrap: Wrap) -> Between {
    let last = count - 1;
    // Middles of texels are at halves: one half more is the number of the texel behind.
    let place = place * count as f32 + 0.5;
    let whole = floor(place);
    let behind = whole as u32;
    let is_repeated = wrap == Wrap::Repeat;
    let before_first = if is_repeated { last } else { 0 };
    let after_last = if is_repeated { 0 } else { last };
    Between {
        one: match behind {
            0 => before_first,
            _ if behind <= count => behind - 1,
            _ => last,
        },
        other: if behind <= last { behind } else { after_last },
        part: place - whole,
    }
}

impl Textures {
    /// # Safety
    ///
    /// The texture is one of this table, and has this column and row.
    #[inline(always)]
    unsafe fn texel(&self, texture: &Texture, x: u32, y: u32, encoding: Encoding) -> Sample {
        let at = texture.first as usize + y as usize * texture.width as usize + x as usize;
        // SAFETY: the texture has this texel, and a byte is below the number of decoded ones.
        let word = unsafe { self.words.add(at).read() };
        let channel = |byte: u32| match encoding {
            // SAFETY: as above.
            Encoding::Srgb => f32::from_bits(unsafe { self.words.add(byte as usize).read() }),
            Encoding::Linear => byte as f32 / 255.0,
        };
        Sample {
            colour: Vec3::new(
                channel(word & 255),
                channel(word >> 8 & 255),
                channel(word >> 16 & 255),
            ),
            alpha: (word >> 24) as f32 / 255.0,
        }
    }

    /// The texture of this number at these coordinates, which may be any numbers.
    ///
    /// # Safety
    ///
    /// There is a texture of this number, all of whose texels are there.
    #[inline(always)]
    pub unsafe fn sample(&self, number: u32, [u, v]: [f32; 2], encoding: Encoding) -> Sample {
        let at = DECODED + number as usize * TEXTURE_WORDS;
        // SAFETY: a texture has this number; words are aligned as arrays of them are.
        let words = unsafe { self.words.add(at).cast::<[u32; TEXTURE_WORDS]>().read() };
        let texture = Texture::from_words(words);
        let [a, b, c, d, e, f] = texture.map;
        let [wrap_across, wrap_down] = texture.wrap;
        let across = wrapped(a * u + b * v + c, wrap_across);
        let down = wrapped(d * u + e * v + f, wrap_down);
        // SAFETY: `nearest` and `between` give columns and rows of the texture.
        unsafe {
            if !texture.is_linear {
                let x = nearest(across, texture.width);
                let y = nearest(down, texture.height);
                return self.texel(&texture, x, y, encoding);
            }
            let x = between(across, texture.width, wrap_across);
            let y = between(down, texture.height, wrap_down);
            let row = |y: u32| {
                let one = self.texel(&texture, x.one, y, encoding);
                let other = self.texel(&texture, x.other, y, encoding);
                one.mixed(other, x.part)
            };
            row(y.one).mixed(row(y.other), y.part)
        }
    }
}
