//! The least-squares fit of times against stretches of calls, and the share that follows from it.

use crate::student;

/// The share of a time that is calls, with an interval that has it with 95 % confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShareFit {
    /// Milliseconds for each doubling of the calls' time.
    pub slope_ms: f64,
    /// The share.
    pub share: f64,
    /// The end of the interval below it.
    pub low: f64,
    /// The end of the interval above it.
    pub high: f64,
}

/// The sum of squares of deviations from the mean, and the mean.
fn deviations(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let mean = values.clone().sum::<f64>() / values.clone().count() as f64;
    let squares = values.map(|value| (value - mean).powi(2)).sum();
    (squares, mean)
}

impl ShareFit {
    /// Fits `ms = base + slope * stretch` to points, and divides the slope by the mean of the times
    /// of runs without delays. The variance of a time is taken to be the same in all runs.
    ///
    /// None without times, with fewer than three points, or with one stretch only.
    pub fn new(plain_ms: &[f64], points: &[(f64, f64)]) -> Option<Self> {
        if plain_ms.is_empty() || points.len() < 3 {
            return None;
        }
        let (plain_squares, plain) = deviations(plain_ms.iter().copied());
        let (stretch_squares, stretch) = deviations(points.iter().map(|point| point.0));
        let (_, mean) = deviations(points.iter().map(|point| point.1));
        if stretch_squares == 0.0 {
            return None;
        }
        let products = points.iter().map(|(x, ms)| (x - stretch) * (ms - mean));
        let slope_ms = products.sum::<f64>() / stretch_squares;
        let residuals = points
            .iter()
            .map(|(x, ms)| (ms - mean - slope_ms * (x - stretch)).powi(2));
        let freedom = points.len() - 2 + plain_ms.len() - 1;
        let variance = (residuals.sum::<f64>() + plain_squares) / freedom as f64;
        let share = slope_ms / plain;
        // Of a quotient, to the first order: the slope and the mean are independent.
        let of_slope = variance / stretch_squares;
        let of_plain = share * share * variance / plain_ms.len() as f64;
        let error = ((of_slope + of_plain) / (plain * plain)).sqrt();
        let quantile = student::quantile(freedom);
        Some(Self {
            slope_ms,
            share,
            low: share - quantile * error,
            high: share + quantile * error,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_its_slope_and_no_interval() {
        let points: Vec<(f64, f64)> = [0.0, 0.5, 1.0, 2.0]
            .iter()
            .map(|&x| (x, 12.0 + 4.0 * x))
            .collect();
        let fit = ShareFit::new(&[10.0, 10.0], &points).unwrap();
        assert!((fit.slope_ms - 4.0).abs() < 1e-12, "{fit:?}");
        assert!((fit.share - 0.4).abs() < 1e-12, "{fit:?}");
        assert!(fit.high - fit.low < 1e-6, "{fit:?}");
    }

    /// Worked out by hand: the stretches' squares are 2 and the slope 1.5; residuals are -1/6, 1/3
    /// and -1/6, so that their squares are 1/6, of one degree of freedom.
    #[test]
    fn an_interval_is_that_of_the_t_distribution() {
        let fit = ShareFit::new(&[10.0], &[(0.0, 10.0), (1.0, 12.0), (2.0, 13.0)]).unwrap();
        assert!((fit.share - 0.15).abs() < 1e-12, "{fit:?}");
        let error = (1.0 / 6.0 * (1.0 / 2.0 + 0.15 * 0.15) / 100.0_f64).sqrt();
        assert!((fit.high - 0.15 - 12.706 * error).abs() < 1e-9, "{fit:?}");
        assert!((fit.low - 0.15 + 12.706 * error).abs() < 1e-9, "{fit:?}");
    }

    #[test]
    fn too_little_is_not_fitted() {
        assert_eq!(
            ShareFit::new(&[], &[(0.0, 1.0), (1.0, 2.0), (2.0, 3.0)]),
            None
        );
        assert_eq!(ShareFit::new(&[1.0], &[(0.0, 1.0), (1.0, 2.0)]), None);
        assert_eq!(ShareFit::new(&[1.0], &[(1.0, 1.0); 4]), None);
    }
}
