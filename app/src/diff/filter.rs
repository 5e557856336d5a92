//! Filters of an image that are a product of a row and a column of weights.

use std::f64::consts::PI;

use rayon::prelude::*;

/// Weights at the pixels around one, from `-radius` to `radius`.
#[derive(Clone, Debug)]
pub struct Weights(Vec<f32>);

impl Weights {
    /// A function of the distance in pixels.
    pub fn new(radius: usize, at: impl Fn(f64) -> f64) -> Self {
        let radius = radius as i64;
        Self((-radius..=radius).map(|x| at(x as f64) as f32).collect())
    }

    /// Weights scaled so that the positive ones have the sum 1, and the negative ones the sum -1.
    #[must_use]
    pub fn normalized(self) -> Self {
        let sum = |sign: f32| {
            let of_sign = self
                .0
                .iter()
                .map(|&weight| f64::from((weight * sign).max(0.0)));
            of_sign.sum::<f64>()
        };
        let (above, below) = (sum(1.0), sum(-1.0));
        let one = |&weight: &f32| {
            let all = if weight < 0.0 { below } else { above };
            (f64::from(weight) / all.max(f64::MIN_POSITIVE)) as f32
        };
        Self(self.0.iter().map(one).collect())
    }

    fn radius(&self) -> usize {
        self.0.len() / 2
    }
}

/// `exp(-x^2 / (2 sigma^2))`.
pub fn gauss(x: f64, sigma: f64) -> f64 {
    (-x * x / (2.0 * sigma * sigma)).exp()
}

/// The radius at which a Gaussian of this width ends: three times that.
pub fn radius(sigma: f64) -> usize {
    (3.0 * sigma).ceil() as usize
}

/// The width in degrees of the filter whose transform falls off by `b`: `exp(-pi^2 x^2 / b)`.
pub fn width(b: f64) -> f64 {
    (b / (2.0 * PI * PI)).sqrt()
}

/// A channel filtered along its rows by one and along its columns by the other. Beyond its edges an
/// image goes on as at them.
pub fn separable(channel: &[f32], width: usize, row: &Weights, column: &Weights) -> Vec<f32> {
    let height = channel.len() / width;
    let mut rows = vec![0.0; channel.len()];
    rows.par_chunks_mut(width)
        .zip(channel.par_chunks(width))
        .for_each(|(to, from)| {
            let padded = padded(from, row.radius());
            for (x, to) in to.iter_mut().enumerate() {
                *to = row.0.iter().zip(&padded[x..]).map(|(w, v)| w * v).sum();
            }
        });
    let mut columns = vec![0.0; channel.len()];
    let radius = column.radius() as i64;
    columns
        .par_chunks_mut(width)
        .enumerate()
        .for_each(|(y, to)| {
            for (step, weight) in column.0.iter().enumerate() {
                let from = (y as i64 + step as i64 - radius).clamp(0, height as i64 - 1) as usize;
                let from = &rows[from * width..][..width];
                for (to, from) in to.iter_mut().zip(from) {
                    *to += weight * from;
                }
            }
        });
    columns
}

/// A row with its first and last value repeated in front of it and behind it.
fn padded(row: &[f32], radius: usize) -> Vec<f32> {
    let (first, last) = (row[0], row[row.len() - 1]);
    let mut padded = vec![first; radius];
    padded.extend(row);
    padded.resize(row.len() + 2 * radius, last);
    padded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_of_sum_one_keeps_a_flat_image() {
        let weights = Weights::new(5, |x| gauss(x, 2.0)).normalized();
        let filtered = separable(&[0.25; 7 * 3], 7, &weights, &weights);
        assert!(filtered.iter().all(|value| (value - 0.25).abs() < 1e-6));
    }

    #[test]
    fn a_derivative_finds_a_step() {
        let slope = Weights::new(3, |x| -x * gauss(x, 1.0)).normalized();
        let none = Weights::new(0, |_| 1.0);
        let step = [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
        let found = separable(&step, 8, &slope, &none);
        assert!(found[0].abs() < 1e-6 && found[7].abs() < 1e-6, "{found:?}");
        assert!((found[3] + 1.0).abs() < 1e-6, "{found:?}");
    }
}
