//! Numbers of PLY text, as C's `strtod` reads them: programs write them by `printf`, whose forms of
//! what is no number differ between C libraries.

/// The number that a word is; none if it is not one as a whole.
pub(super) fn parse(word: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(word).ok()?;
    text.parse().ok().or_else(|| unusual(text))
}

/// The whole number that a word is, of at most 2^53.
pub(super) fn parse_whole(word: &[u8]) -> Option<f64> {
    let (digits, is_negative) = match word {
        [b'-', digits @ ..] => (digits, true),
        [b'+', digits @ ..] => (digits, false),
        digits => (digits, false),
    };
    const MAX_DIGITS: usize = 15;
    if (1..=MAX_DIGITS).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit) {
        let add = |sum: i64, digit: &u8| 10 * sum + i64::from(digit - b'0');
        let value = digits.iter().fold(0, add) as f64;
        return Some(if is_negative { -value } else { value });
    }
    // Programs without integers write `3.0`.
    parse(word).filter(|value| value.fract() == 0.0 && value.abs() < 9e15)
}

/// Numbers that Rust does not know: `0x1.8p3`, `nan(snan)`, and `1.#INF` and `-1.#IND00` of older C
/// libraries for Windows.
fn unusual(text: &str) -> Option<f64> {
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    let lower = unsigned.to_ascii_lowercase();
    if let Some(digits) = lower.strip_prefix("0x") {
        return hexadecimal(digits).map(|value| sign * value);
    }
    if let Some(word) = lower.strip_prefix("1.#") {
        let word = word.trim_end_matches('0');
        return match word {
            "inf" => Some(sign * f64::INFINITY),
            "nan" | "qnan" | "snan" | "ind" => Some(f64::NAN),
            _ => None,
        };
    }
    (lower.starts_with("nan(") && lower.ends_with(')')).then_some(f64::NAN)
}

/// `1.8p3`: hexadecimal digits, times a power of two.
fn hexadecimal(text: &str) -> Option<f64> {
    let (digits, exponent) = match text.split_once('p') {
        Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = [whole, fraction].concat();
    // Digits of 64 bits are more than a double holds, and more than `printf` writes.
    let value = u64::from_str_radix(&all, 16).ok()?;
    let exponent = exponent.checked_sub(4 * fraction.len() as i32)?;
    Some(value as f64 * 2.0_f64.powi(exponent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_by_strtod() {
        for (word, expected) in [
            (".5", 0.5),
            ("1.", 1.0),
            ("+1", 1.0),
            ("-.5e1", -5.0),
            ("1E+05", 1e5),
            ("inf", f64::INFINITY),
            ("-Infinity", f64::NEG_INFINITY),
            ("1e999", f64::INFINITY),
            ("1.#INF", f64::INFINITY),
            ("-1.#INF00", f64::NEG_INFINITY),
            ("0x1.8p3", 12.0),
            ("-0xA", -10.0),
            ("0x1p-2", 0.25),
        ] {
            assert_eq!(parse(word.as_bytes()), Some(expected), "{word}");
        }
        for word in [
            "nan",
            "NaN",
            "-nan",
            "-nan(ind)",
            "nan(0x7f)",
            "1.#QNAN",
            "-1.#IND",
            "1.#IND00",
        ] {
            assert!(parse(word.as_bytes()).unwrap().is_nan(), "{word}");
        }
        for word in [
            "", ".", "-", "1,5", "two", "1.#X", "0x", "0xg", "1_0", "nan(", "\u{e9}",
        ] {
            assert_eq!(parse(word.as_bytes()), None, "{word}");
        }
        assert_eq!(parse(b"\xe9"), None);
    }

    #[test]
    fn whole_numbers_may_have_a_point() {
        for (word, expected) in [
            ("007", 7.0),
            ("-1", -1.0),
            ("+3", 3.0),
            ("3.0", 3.0),
            ("4.", 4.0),
        ] {
            assert_eq!(parse_whole(word.as_bytes()), Some(expected), "{word}");
        }
        for word in ["", "+", "3.5", "nan", "1e300", "x"] {
            assert_eq!(parse_whole(word.as_bytes()), None, "{word}");
        }
    }
}
