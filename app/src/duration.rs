//! Times that options take.

use std::time::Duration;

/// A time of at least 0, with a unit or in seconds.
///
/// # Errors
///
/// For what is none.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit = match text[digits.len()..].trim() {
        "" | "s" => 1.0,
        "ns" => 1e-9,
        "us" => 1e-6,
        "ms" => 1e-3,
        "min" => 60.0,
        "h" => 3600.0,
        _ => f64::NAN,
    };
    let number = digits.trim_end().parse::<f64>().unwrap_or(f64::NAN);
    Duration::try_from_secs_f64(number * unit)
        .map_err(|_| "write a time such as 500ms, 10s, 5min or 2h".to_owned())
}

/// A time limit in seconds: a time as [`parse_duration`] takes it.
///
/// # Errors
///
/// For what is not above 0, or more than a day.
pub fn parse_seconds(text: &str) -> Result<f64, String> {
    match parse_duration(text).map(|time| time.as_secs_f64()) {
        Ok(seconds) if seconds > 0.0 && seconds <= 86_400.0 => Ok(seconds),
        _ => Err("write a number of seconds above 0, at most 86400".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        for (text, expected) in [
            ("0", Duration::ZERO),
            ("1ns", Duration::from_nanos(1)),
            ("250us", Duration::from_micros(250)),
            ("1.5 ms", Duration::from_micros(1500)),
            ("10", Duration::from_secs(10)),
            ("2s", Duration::from_secs(2)),
            ("5min", Duration::from_secs(300)),
            ("0.5h", Duration::from_secs(1800)),
        ] {
            assert_eq!(parse_duration(text), Ok(expected), "{text}");
        }
        for text in ["", "s", "-1s", "1m", "nan", "infs", "1e300h", "1 2s", "1ss"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }
}
