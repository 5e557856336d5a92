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
    /// Fits `ms = base + slope * stretch` to points by least squares, and divides the slope by the mean
    /// time of runs whose stretch is 0.
    ///
    /// These are runs with delays of no time. Observed calls are slower than those of a run without
    /// delays, so that their share of its time would be too large. The base of the fit will not do: it
    /// is too small where times bend upwards, and noise can make it 0.
    ///
    /// None with fewer than three points, with one stretch only, or where runs take no time.
    pub fn new(points: &[(f64, f64)]) -> Option<Self> {
        let unstretched = points.iter().filter(|point| point.0 == 0.0);
        let unstretched: Vec<f64> = unstretched.map(|point| point.1).collect();
        let base = unstretched.iter().sum::<f64>() / unstretched.len().max(1) as f64;
        let (stretch_squares, stretch) = deviations(points.iter().map(|point| point.0));
        let (_, mean) = deviations(points.iter().map(|point| point.1));
        if points.len() < 3 || stretch_squares == 0.0 || base <= 0.0 {
            return None;
        }
        let products = points.iter().map(|(x, ms)| (x - stretch) * (ms - mean));
        let slope_ms = products.sum::<f64>() / stretch_squares;
        let residuals = points
            .iter()
            .map(|(x, ms)| (ms - mean - slope_ms * (x - stretch)).powi(2));
        let freedom = points.len() - 2;
        let variance = residuals.sum::<f64>() / freedom as f64;
        let share = slope_ms / base;
        // Of a quotient, to the first order, as parts of the variance: those of the slope and the base,
        // and the covariance of both, which is negative.
        let of_slope = 1.0 / stretch_squares;
        let of_base = 1.0 / unstretched.len() as f64;
        let of_both = -stretch / stretch_squares;
        let parts = of_slope + share * share * of_base - 2.0 * share * of_both;
        let error = (variance * parts).sqrt() / base;
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
        let fit = ShareFit::new(&points).unwrap();
        assert!((fit.slope_ms - 4.0).abs() < 1e-12, "{fit:?}");
        assert!((fit.share - 1.0 / 3.0).abs() < 1e-12, "{fit:?}");
        assert!(fit.high - fit.low < 1e-6, "{fit:?}");
    }

    /// Worked out by hand: the stretches' squares are 2, the slope is 1.5 and the run of stretch 0 took
    /// 10. Residuals are -1/6, 1/3 and -1/6, so that their squares are 1/6, of one degree of freedom.
    #[test]
    fn an_interval_is_that_of_the_t_distribution() {
        let fit = ShareFit::new(&[(0.0, 10.0), (1.0, 12.0), (2.0, 13.0)]).unwrap();
        let share = 0.15;
        assert!((fit.share - share).abs() < 1e-12, "{fit:?}");
        let parts = 1.0 / 2.0 + share * share + 2.0 * share / 2.0;
        let error = (1.0 / 6.0 * parts).sqrt() / 10.0;
        assert!((fit.high - share - 12.706 * error).abs() < 1e-9, "{fit:?}");
        assert!((fit.low - share + 12.706 * error).abs() < 1e-9, "{fit:?}");
    }

    /// The base of the fit is less than 0 here.
    #[test]
    fn times_that_bend_upwards_have_a_share() {
        let fit = ShareFit::new(&[(0.0, 1.0), (1.0, 1.0), (2.0, 10.0)]).unwrap();
        assert_eq!(fit.share, 4.5);
        assert!(fit.low < 1.0, "{fit:?}");
    }

    #[test]
    fn too_little_is_not_fitted() {
        assert_eq!(ShareFit::new(&[(0.0, 1.0), (1.0, 2.0)]), None);
        assert_eq!(ShareFit::new(&[(1.0, 1.0); 4]), None);
        // Runs of no time, and none without a delay.
        assert_eq!(ShareFit::new(&[(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)]), None);
        assert_eq!(ShareFit::new(&[(0.5, 1.0), (1.0, 1.0), (2.0, 2.0)]), None);
    }
}
