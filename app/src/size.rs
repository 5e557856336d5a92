//! Sizes and counts as people write them: `64MiB`, `1.5GB`, `4096`, `2^20`.

use std::ffi::OsString;

pub use heapwood_results::display;
use thiserror::Error;

use crate::word::{Word, WordError, by_text};

/// Units, longest names first so that `B` does not match before `MiB`.
const UNITS: [(&str, u64); 12] = [
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
    ("kB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("K", 1 << 10),
    ("M", 1 << 20),
    ("G", 1 << 30),
    ("T", 1 << 40),
    ("B", 1),
];

/// A text that is no size, pool or count. Each displays as one line that says how these are
/// written.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ParseSizeError {
    /// It is no size.
    #[error("`{0}` is not a size: write bytes, or a number with KiB, MiB or GiB")]
    Size(String),
    /// It is no byte, where at least one is needed.
    #[error("write a size of at least 1 byte")]
    Empty,
    /// It ends like a multiple, and is none.
    #[error("`{0}` is not a multiple such as 200x")]
    Multiple(String),
    /// It is no pool.
    #[error("`{0}` is no pool: write auto, 200x or a size such as 64MiB")]
    Pool(String),
    /// It is no count.
    #[error("write a whole number, or a power such as 2^20")]
    Count,
}

/// Bytes of a size such as `4096`, `64MiB` or `1.5G` (K, M, G and T are powers
/// of 1024).
///
/// # Errors
///
/// [`ParseSizeError::Size`].
pub fn parse(text: &str) -> Result<u64, ParseSizeError> {
    let wrong = || ParseSizeError::Size(text.to_owned());
    let (number, unit) = UNITS
        .iter()
        .find_map(|(name, unit)| Some((text.strip_suffix(name)?, *unit)))
        .unwrap_or((text, 1));
    let number = number.trim_end();
    if !number.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(wrong());
    }
    if let Ok(whole) = number.parse::<u64>() {
        return whole.checked_mul(unit).ok_or_else(wrong);
    }
    let bytes = number.parse::<f64>().map_err(|_| wrong())? * unit as f64;
    // Not every integer beyond 2^53 is a float, and no memory is that large.
    if bytes.is_finite() && bytes < (1_u64 << 53) as f64 {
        Ok(bytes as u64)
    } else {
        Err(wrong())
    }
}

/// How much memory an allocator gets.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Pool {
    /// As much as turns out to be needed.
    #[default]
    Auto,
    /// A multiple of the bytes of the tree's root reference array.
    Times(f64),
    /// So many bytes.
    Bytes(u64),
}

/// As it is parsed.
impl std::fmt::Display for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Auto => write!(f, "auto"),
            Self::Times(factor) => write!(f, "{factor}x"),
            Self::Bytes(bytes) => write!(f, "{bytes}"),
        }
    }
}

impl Word for Pool {
    fn word(&self) -> OsString {
        self.to_string().into()
    }

    fn from_word(word: OsString) -> Result<Self, WordError> {
        by_text(word, parse_pool)
    }
}

/// A pool as written on the command line: `auto`, `200x`, or a size.
///
/// # Errors
///
/// [`ParseSizeError::Multiple`] or [`ParseSizeError::Pool`].
pub fn parse_pool(text: &str) -> Result<Pool, ParseSizeError> {
    if text == "auto" {
        return Ok(Pool::Auto);
    }
    if let Some(factor) = text.strip_suffix('x') {
        return match factor.parse::<f64>() {
            Ok(factor) if factor.is_finite() && factor > 0.0 => Ok(Pool::Times(factor)),
            _ => Err(ParseSizeError::Multiple(text.to_owned())),
        };
    }
    let bytes = parse(text).map_err(|_| ParseSizeError::Pool(text.to_owned()))?;
    Ok(Pool::Bytes(bytes))
}

/// A count, also as a power of two.
///
/// # Errors
///
/// [`ParseSizeError::Count`].
pub fn parse_count(text: &str) -> Result<u64, ParseSizeError> {
    let count = match text.strip_prefix("2^") {
        Some(exponent) => exponent.parse().ok().and_then(|e| 1_u64.checked_shl(e)),
        None => text.parse().ok(),
    };
    count.ok_or(ParseSizeError::Count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_with_and_without_units() {
        for (text, bytes) in [
            ("0", 0),
            ("4096", 4096),
            ("64MiB", 64 << 20),
            ("2 GiB", 2 << 30),
            ("1.5G", 3 << 29),
            ("3kB", 3000),
            ("7B", 7),
        ] {
            assert_eq!(parse(text), Ok(bytes), "{text}");
        }
        for text in ["", "MiB", "-1", "1e400", "12Mb", "nan", "20000000TiB", "+5"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn pools_are_sizes_multiples_or_auto() {
        assert_eq!(parse_pool("auto"), Ok(Pool::Auto));
        assert_eq!(parse_pool("200x"), Ok(Pool::Times(200.0)));
        assert_eq!(parse_pool("1KiB"), Ok(Pool::Bytes(1024)));
        for text in ["x", "-2x", "0x", "nanx", "some"] {
            assert!(parse_pool(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_are_shown_in_binary_units() {
        assert_eq!(display(2 << 30), "2 GiB");
        assert_eq!(display(1023), "1023 B");
        assert_eq!(display(100 << 10), "100 KiB");
        assert_eq!(display((100 << 10) + 1), "100.0 KiB");
    }

    #[test]
    fn counts_are_numbers_or_powers() {
        assert_eq!(parse_count("1000000"), Ok(1_000_000));
        assert_eq!(parse_count("2^20"), Ok(1 << 20));
        assert_eq!(parse_count("2^0"), Ok(1));
        for bad in ["", "-1", "2^64", "2^", "2^x", "1e6", "3^2", "1.5"] {
            assert!(parse_count(bad).is_err(), "{bad}");
        }
    }
}
