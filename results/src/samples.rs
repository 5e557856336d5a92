//! Repeated measurements of one quantity, in whatever unit it has.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

/// All samples in the order taken, and their median.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Samples {
    /// The samples; empty in files that keep medians only.
    #[serde(default)]
    pub samples: Vec<f64>,
    /// The median: the middle one, or the mean of the middle two. Null stands for NaN.
    #[serde(deserialize_with = "nan_if_null")]
    pub median: f64,
}

fn nan_if_null<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or(f64::NAN))
}

/// No samples, where an older file has none: the median is NaN.
impl Default for Samples {
    fn default() -> Self {
        Self {
            samples: Vec::new(),
            median: f64::NAN,
        }
    }
}

impl Samples {
    /// The samples with their median; nothing without a sample.
    pub fn new(samples: Vec<f64>) -> Option<Self> {
        let median = median(&samples)?;
        Some(Self { samples, median })
    }

    /// The smallest and the largest sample; the median twice, if only that is kept.
    pub fn range(&self) -> (f64, f64) {
        let samples = || self.samples.iter().copied();
        let [min, max] = [samples().reduce(f64::min), samples().reduce(f64::max)];
        (min.unwrap_or(self.median), max.unwrap_or(self.median))
    }

    /// The median, unless there is none.
    pub fn measured(&self) -> Option<f64> {
        (!self.median.is_nan()).then_some(self.median)
    }
}

impl fmt::Display for Samples {
    /// Times in milliseconds for people: the median, and the range of several.
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        write!(out, "{} ms", milliseconds(self.median))?;
        if self.samples.len() <= 1 {
            return Ok(());
        }
        let (least, most) = self.range();
        write!(out, " ({} to {})", milliseconds(least), milliseconds(most))
    }
}

/// How samples are spread. A percentile is the least sample that so many of a hundred samples
/// do not exceed (nearest rank).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Percentiles {
    /// That of 50 of a hundred.
    pub p50: f64,
    /// That of 95 of a hundred.
    pub p95: f64,
    /// That of 99 of a hundred.
    pub p99: f64,
    /// The largest sample.
    pub max: f64,
}

impl Percentiles {
    /// Those of some samples; nothing without a sample.
    pub fn new(mut samples: Vec<f64>) -> Option<Self> {
        samples.sort_unstable_by(f64::total_cmp);
        let of = |permille| nearest_rank(&samples, permille);
        Some(Self {
            p50: of(500)?,
            p95: of(950)?,
            p99: of(990)?,
            max: of(1000)?,
        })
    }
}

impl fmt::Display for Percentiles {
    /// Times in milliseconds for people.
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        let [p50, p95, p99, max] = [self.p50, self.p95, self.p99, self.max].map(milliseconds);
        write!(out, "p50 {p50} ms, p95 {p95}, p99 {p99}, max {max}")
    }
}

/// The geometric mean of some positive numbers; nothing without one.
pub fn geometric_mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0);
    for value in values {
        sum += value.ln();
        count += 1;
    }
    (count > 0).then(|| (sum / f64::from(count)).exp())
}

/// The least of sorted samples that so many of a thousand do not exceed, of 1 to 1000;
/// nothing without a sample.
pub fn nearest_rank<T: Copy>(sorted: &[T], permille: usize) -> Option<T> {
    let rank = (permille * sorted.len()).div_ceil(1000);
    sorted.get(rank.checked_sub(1)?).copied()
}

/// A time in milliseconds with four significant digits, and at most four decimals.
pub fn milliseconds(time: f64) -> String {
    let digits = match time.abs() {
        t if t >= 1000.0 => 0,
        t if t >= 100.0 => 1,
        t if t >= 10.0 => 2,
        t if t >= 1.0 => 3,
        _ => 4,
    };
    format!("{time:.digits$}")
}

fn median(samples: &[f64]) -> Option<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    let upper = *sorted.get(middle)?;
    if sorted.len() % 2 == 1 {
        Some(upper)
    } else {
        Some((sorted[middle - 1] + upper) / 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(Samples::new(vec![]), None);
        assert_eq!(Samples::new(vec![3.0, 1.0, 2.0]).unwrap().median, 2.0);
        let even = Samples::new(vec![4.0, 1.0, 2.0, 3.0]).unwrap();
        assert_eq!(even.median, 2.5);
        assert_eq!(even.range(), (1.0, 4.0));
        assert_eq!(even.samples, [4.0, 1.0, 2.0, 3.0]);
    }

    #[test]
    fn percentiles_are_samples() {
        let of = |count: u32| {
            let samples = (1..=count).rev().map(f64::from).collect();
            let found = Percentiles::new(samples).unwrap();
            [found.p50, found.p95, found.p99, found.max]
        };
        assert_eq!(of(1), [1.0; 4]);
        assert_eq!(of(2), [1.0, 2.0, 2.0, 2.0]);
        assert_eq!(of(100), [50.0, 95.0, 99.0, 100.0]);
        assert_eq!(of(1000), [500.0, 950.0, 990.0, 1000.0]);
        assert_eq!(of(101), [51.0, 96.0, 100.0, 101.0]);
        assert_eq!(Percentiles::new(vec![]), None);
        let shown = Percentiles::new(vec![0.5, 20.0]).unwrap().to_string();
        assert_eq!(shown, "p50 0.5000 ms, p95 20.00, p99 20.00, max 20.00");
    }

    #[test]
    fn times_have_four_digits() {
        let shown = [1234.5, 123.45, 12.345, 1.2345, 0.00567].map(milliseconds);
        assert_eq!(
            shown,
            ["1234", "123.5", "12.35", "1.234", "0.0057"].map(String::from)
        );
    }

    #[test]
    fn times_are_shown_with_their_range() {
        let one = Samples::new(vec![1.5]).unwrap();
        assert_eq!(one.to_string(), "1.500 ms");
        let three = Samples::new(vec![3.0, 1.0, 20.0]).unwrap();
        assert_eq!(three.to_string(), "3.000 ms (1.000 to 20.00)");
    }
}
