//! Weights of edges: integers or real numbers, finite and not negative, each a word of 32 bits.

use std::fmt;
use std::str::FromStr;

use crate::WeightProblem;
use crate::error::excerpt;

/// The kind of the weights of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WeightKind {
    /// Whole numbers up to [`u32::MAX`].
    Integer,
    /// Numbers of the type [`f32`].
    Real,
}

/// Weights of one kind: one per edge of a list, or one per entry of rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    /// The kind of all weights.
    pub kind: WeightKind,
    /// The integers, or the bits of the real numbers. As no weight is negative, words are ordered
    /// as the weights are.
    pub words: Vec<u32>,
}

impl WeightKind {
    /// The word of the weight 1.
    pub fn one(self) -> u32 {
        match self {
            Self::Integer => 1,
            Self::Real => 1_f32.to_bits(),
        }
    }

    /// The word of a weight that stands in a text.
    ///
    /// ```
    /// use heapwood_graphs::WeightKind::{Integer, Real};
    ///
    /// assert_eq!(Integer.parse(b"7"), Ok(7));
    /// assert_eq!(Real.parse(b"0.5"), Ok(0.5_f32.to_bits()));
    /// assert!(Integer.parse(b"0.5").is_err() && Real.parse(b"-1").is_err());
    /// ```
    ///
    /// # Errors
    /// [`WeightProblem`] for a word that is no weight of this kind.
    pub fn parse(self, text: &[u8]) -> Result<u32, WeightProblem> {
        if self == Self::Integer && is_whole(text) {
            return number(text).ok_or_else(|| WeightProblem::TooLarge(excerpt(text)));
        }
        let Some(real) = number::<f32>(text) else {
            return Err(WeightProblem::NotANumber(excerpt(text)));
        };
        let is_spelled = || !text.iter().any(u8::is_ascii_digit);
        let problem: fn(String) -> WeightProblem = match self {
            _ if real.is_nan() || real.is_infinite() && is_spelled() => WeightProblem::NotFinite,
            _ if real < 0.0 => WeightProblem::Negative,
            Self::Integer => WeightProblem::NotWhole,
            Self::Real if real.is_infinite() => WeightProblem::TooLarge,
            // -0 is 0, whose bits are the least.
            Self::Real => return Ok(real.abs().to_bits()),
        };
        Err(problem(excerpt(text)))
    }

    /// The name of the kind, which is that of Matrix Market.
    pub fn name(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::Real => "real",
        }
    }

    /// The weight of a word as text from which [`parse`](Self::parse) gives the same word. The text
    /// of a real number has a point or an exponent, so that no reader takes it for an integer.
    pub fn display(self, word: u32) -> impl fmt::Display {
        Weight { kind: self, word }
    }
}

/// A weight as text.
struct Weight {
    kind: WeightKind,
    word: u32,
}

impl fmt::Display for Weight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            WeightKind::Integer => write!(f, "{}", self.word),
            WeightKind::Real => write!(f, "{:?}", f32::from_bits(self.word)),
        }
    }
}

/// Whether a weight is written as an integer is, of any size.
pub(crate) fn is_whole(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

fn number<T: FromStr>(text: &[u8]) -> Option<T> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

impl fmt::Display for WeightKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::WeightKind::{Integer, Real};
    use super::*;

    #[test]
    fn integers_are_digits() {
        for (text, word) in [("0", 0), ("007", 7), ("4294967295", u32::MAX)] {
            assert_eq!(Integer.parse(text.as_bytes()), Ok(word));
        }
        let parse = |text: &str| Integer.parse(text.as_bytes()).unwrap_err();
        for text in ["1.5", "1.0", "1e3", "+1", "-0", "1e-50"] {
            assert_eq!(parse(text), WeightProblem::NotWhole(text.to_owned()));
        }
        let long = "1".to_owned() + &"0".repeat(39);
        for text in ["4294967296", "18446744073709551616", &long] {
            assert_eq!(parse(text), WeightProblem::TooLarge(text.to_owned()));
        }
        for text in ["-1", "-1.5", "-1e400", "-inf"] {
            let expected = match text {
                "-inf" => WeightProblem::NotFinite(text.to_owned()),
                _ => WeightProblem::Negative(text.to_owned()),
            };
            assert_eq!(parse(text), expected);
        }
        for text in ["", "x", "1x", "0x1", "1,5", "\u{661}", "--1"] {
            assert_eq!(parse(text), WeightProblem::NotANumber(text.to_owned()));
        }
    }

    #[test]
    fn real_numbers_are_finite() {
        for (text, weight) in [
            ("0", 0.0_f32),
            ("-0.0", 0.0),
            (".5", 0.5),
            ("5.", 5.0),
            ("+1e3", 1000.0),
            ("16777217", 16_777_216.0),
            ("4294967296", 4_294_967_296.0),
            ("1e-60", 0.0),
            ("3.4028235e38", f32::MAX),
        ] {
            assert_eq!(Real.parse(text.as_bytes()), Ok(weight.to_bits()), "{text}");
        }
        let parse = |text: &str| Real.parse(text.as_bytes()).unwrap_err();
        for text in ["1e39", "1e400"] {
            assert_eq!(parse(text), WeightProblem::TooLarge(text.to_owned()));
        }
        for text in ["inf", "NaN", "-nan", "infinity"] {
            assert_eq!(parse(text), WeightProblem::NotFinite(text.to_owned()));
        }
        assert_eq!(parse("-1e-9"), WeightProblem::Negative("-1e-9".to_owned()));
        assert_eq!(parse("1;5"), WeightProblem::NotANumber("1;5".to_owned()));
    }

    #[test]
    fn real_numbers_are_never_written_as_integers() {
        for (weight, text) in [
            (0.0_f32, "0.0"),
            (3.0, "3.0"),
            (0.1, "0.1"),
            (1e20, "1e20"),
            (1e-9, "1e-9"),
        ] {
            assert_eq!(Real.display(weight.to_bits()).to_string(), text);
        }
        assert_eq!(Integer.display(u32::MAX).to_string(), "4294967295");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn text_keeps_every_bit(word: u32, other: u32) {
            let again = |kind: WeightKind, word| kind.parse(kind.display(word).to_string().as_bytes());
            prop_assert_eq!(again(Integer, word), Ok(word));
            let [a, b] = [word, other].map(|word| f32::from_bits(word).abs());
            if a.is_finite() && b.is_finite() {
                prop_assert_eq!(again(Real, a.to_bits()), Ok(a.to_bits()));
                prop_assert_eq!(a < b, a.to_bits() < b.to_bits());
                prop_assert!(!is_whole(Real.display(a.to_bits()).to_string().as_bytes()));
            }
        }
    }
}
