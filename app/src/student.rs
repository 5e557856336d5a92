//! Student's t distribution.

/// The quantiles of 97.5 % for 1 to 30 degrees of freedom.
const QUANTILES: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042,
];

/// The quantile of 97.5 %: that of the normal distribution from 31 degrees of freedom on, and
/// infinity for none.
pub fn quantile(freedom: usize) -> f64 {
    match freedom.checked_sub(1) {
        Some(place) => QUANTILES.get(place).copied().unwrap_or(1.960),
        None => f64::INFINITY,
    }
}
