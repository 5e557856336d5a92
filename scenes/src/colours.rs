//! Colours of vertices, as triangles' corners have them. Linear RGB multiplies the diffuse or base
//! colour of a material, and alpha its opacity. Positions and trees know nothing of them.
//!
//! Scans have the colours of photographs: those of OBJ and PLY are encoded as sRGB. Those of glTF
//! are linear.

use crate::{Warning, decoded};
use rayon::prelude::*;

/// The colours of a triangle's corners: linear RGB and alpha, each from 0 to 1.
pub type CornerColours = [[f32; 4]; 3];

/// The colour of a vertex without one, which changes nothing.
pub(crate) const WHITE: [f32; 4] = [1.0; 4];

/// The byte of sRGB that is brightest.
const BYTE: f32 = 255.0;

/// A colour within its bounds, and whether it was not: NaN becomes 1, and other numbers the
/// nearest.
pub(crate) fn sound(colour: [f32; 4]) -> ([f32; 4], bool) {
    let is_sound = |number: f32| (0.0..=1.0).contains(&number);
    let sound = |number: f32| match number.is_nan() {
        true => 1.0,
        false => number.clamp(0.0, 1.0),
    };
    (colour.map(sound), !colour.into_iter().all(is_sound))
}

/// Colours of a file that are encoded as sRGB.
#[derive(Debug)]
pub(crate) struct Encoded {
    /// The factor from numbers to bytes.
    scale: f32,
    /// The linear values of bytes.
    linear: [f32; 256],
}

impl Encoded {
    /// Numbers from 0 to 255.
    pub fn bytes() -> Self {
        Self {
            scale: 1.0,
            linear: std::array::from_fn(|byte| decoded(byte as u8)),
        }
    }

    /// Floats from 0 to 1, or to 255 if one of these is 2 or more. A number a little above 1 is
    /// rounded.
    pub fn floats(mut numbers: impl Iterator<Item = f32>) -> Self {
        let has_bytes = numbers.any(|number| number >= 2.0 && number.is_finite());
        Self {
            scale: if has_bytes { 1.0 } else { BYTE },
            ..Self::bytes()
        }
    }

    /// A linear colour, opaque, and whether its numbers were unsound.
    pub fn colour(&self, encoded: [f32; 3]) -> ([f32; 4], bool) {
        let bytes = encoded.map(|number| number * self.scale);
        let is_faulty = !bytes.iter().all(|byte| (0.0..=BYTE).contains(byte));
        let [red, green, blue] = bytes.map(|byte| self.decode(byte));
        ([red, green, blue, 1.0], is_faulty)
    }

    /// The linear value of a byte, and of numbers in between on a line: a power function would have
    /// other bits on other machines.
    fn decode(&self, byte: f32) -> f32 {
        if byte.is_nan() {
            return 1.0;
        }
        let byte = byte.clamp(0.0, BYTE);
        let below = byte.floor();
        let at = below as usize;
        let [from, to] = [at, (at + 1).min(255)].map(|at| self.linear[at]);
        from + (byte - below) * (to - from)
    }
}

/// Colours as a scene has them: none if all are white.
pub(crate) fn visible(colours: Vec<CornerColours>) -> Vec<CornerColours> {
    match colours.par_iter().any(|corners| *corners != [WHITE; 3]) {
        true => colours,
        false => Vec::new(),
    }
}

/// The fault in the colours of so many triangles, if there is one.
pub(crate) fn fault(colours: &[CornerColours], triangles: usize) -> Option<&'static str> {
    let is_faulty = |corners: &CornerColours| corners.iter().any(|colour| sound(*colour).1);
    if !colours.is_empty() && colours.len() != triangles {
        Some("colours, but not those of three corners for each triangle")
    } else if colours.par_iter().any(is_faulty) {
        Some("a colour with a number that is not from 0 to 1")
    } else {
        None
    }
}

/// A warning about unsound colours of a file: how many there are, and the first line of a text.
pub(crate) fn warning(path: &str, count: usize, line: Option<usize>) -> Option<Warning> {
    (count > 0).then(|| Warning::VertexColours {
        path: path.to_owned(),
        count,
        line,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_decoded() {
        let unit = Encoded::floats([0.0, 1.0].into_iter());
        assert_eq!(unit.colour([0.0, 1.0, 0.0]), ([0.0, 1.0, 0.0, 1.0], false));
        let byte = Encoded::floats([0.0, 200.0].into_iter());
        for number in 0..=u8::MAX {
            let value = f32::from(number);
            let expected = ([decoded(number), decoded(number), 1.0, 1.0], false);
            assert_eq!(byte.colour([value, value, 255.0]), expected);
            let near = unit.colour([value / 255.0; 3]).0[0];
            assert!((near - decoded(number)).abs() < 1e-6, "{number}");
        }
        // Between bytes, the formula of sRGB within 2e-5.
        for step in 0..=2550_u16 {
            let number = f32::from(step) / 2550.0;
            let encoded = f64::from(number);
            let expected = match encoded <= 0.040_45 {
                true => encoded / 12.92,
                false => ((encoded + 0.055) / 1.055).powf(2.4),
            };
            let found = unit.colour([number; 3]).0[0];
            assert!((f64::from(found) - expected).abs() < 2e-5, "{number}");
        }
    }

    #[test]
    fn unsound_numbers_are_clamped() {
        let unit = Encoded::floats([0.5].into_iter());
        let found = unit.colour([-1.0, f32::NAN, 0.0]);
        assert_eq!(found, ([0.0, 1.0, 0.0, 1.0], true));
        assert_eq!(
            sound([2.0, 0.0, 1.0, f32::INFINITY]),
            ([1.0, 0.0, 1.0, 1.0], true)
        );
    }

    #[test]
    fn white_is_no_colour() {
        assert!(visible(vec![[WHITE; 3]; 2]).is_empty());
        let grey = [[WHITE; 3], [WHITE, WHITE, [0.5, 0.5, 0.5, 1.0]]].to_vec();
        assert_eq!(visible(grey.clone()), grey);
        assert_eq!(fault(&grey, 2), None);
        assert!(fault(&grey, 3).is_some() && fault(&[[[1.5; 4]; 3]], 1).is_some());
    }
}
