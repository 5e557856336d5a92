//! A histogram of integers in constant memory, for quantiles.

use heapwood_results::trace::Distribution;

/// Bits of a value that its bucket keeps, so that a bucket is at most 1/256 of its values wide.
const BITS: u32 = 8;
/// Buckets of values below `2^BITS`, and `2^BITS` for each higher power of two.
const BUCKETS: usize = (65 - BITS as usize) << BITS;

/// Counts of values in buckets whose width grows with the values, as those of HdrHistogram do. Values
/// below 512 have a bucket each.
pub struct LogHistogram {
    buckets: Vec<u64>,
    count: u64,
    sum: u128,
    min: u64,
    max: u64,
}

impl Default for LogHistogram {
    fn default() -> Self {
        Self {
            buckets: vec![0; BUCKETS],
            count: 0,
            sum: 0,
            min: u64::MAX,
            max: 0,
        }
    }
}

impl LogHistogram {
    /// Counts a value.
    pub fn add(&mut self, value: u64) {
        if let Some(bucket) = self.buckets.get_mut(bucket(value)) {
            *bucket += 1;
        }
        self.count += 1;
        self.sum += u128::from(value);
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }

    /// The sum of all values, at most `u64::MAX`.
    pub fn sum(&self) -> u64 {
        u64::try_from(self.sum).unwrap_or(u64::MAX)
    }

    /// The distribution; nothing without a value. Quantiles are at most 1/256 above the exact ones.
    pub fn distribution(&self) -> Option<Distribution> {
        (self.count > 0).then(|| Distribution {
            count: self.count,
            mean: self.sum as f64 / self.count as f64,
            min: self.min,
            p50: self.quantile(50),
            p90: self.quantile(90),
            p99: self.quantile(99),
            max: self.max,
        })
    }

    /// The largest value of the bucket that has the value of nearest rank.
    fn quantile(&self, percent: u128) -> u64 {
        let rank = (percent * u128::from(self.count)).div_ceil(100);
        let mut seen = 0;
        let reaches = |&bucket: &usize| {
            seen += u128::from(self.buckets[bucket]);
            seen >= rank
        };
        (0..BUCKETS)
            .find(reaches)
            .map_or(self.max, largest)
            .min(self.max)
    }
}

fn bucket(value: u64) -> usize {
    let shift = (u64::BITS - BITS - 1).saturating_sub(value.leading_zeros());
    ((shift as usize) << BITS) + (value >> shift) as usize
}

/// The largest value of a bucket.
fn largest(bucket: usize) -> u64 {
    let shift = (bucket >> BITS).saturating_sub(1);
    let first = (bucket - (shift << BITS)) as u64;
    (first << shift) + ((1 << shift) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_cover_all_values_and_are_narrow() {
        assert_eq!(bucket(u64::MAX), BUCKETS - 1);
        for shift in 0..64 {
            for near in -2..3_i64 {
                let value = (1_u64 << shift).wrapping_add_signed(near);
                let last = largest(bucket(value));
                assert!(
                    last >= value && last - value <= value / 256,
                    "{value} {last}"
                );
                assert_eq!(bucket(last), bucket(value));
                assert!(last == u64::MAX || bucket(last + 1) == bucket(last) + 1);
            }
        }
    }

    #[test]
    fn small_values_are_exact_and_large_ones_close() {
        let mut histogram = LogHistogram::default();
        assert_eq!(histogram.distribution(), None);
        (1..=100).for_each(|value| histogram.add(value));
        let found = histogram.distribution().unwrap();
        assert_eq!(
            [found.min, found.p50, found.p90, found.p99, found.max],
            [1, 50, 90, 99, 100]
        );
        assert_eq!(
            (found.count, found.mean, histogram.sum()),
            (100, 50.5, 5050)
        );
        let mut histogram = LogHistogram::default();
        (1..=10_000).for_each(|value| histogram.add(value * 1000));
        let found = histogram.distribution().unwrap();
        for (found, exact) in [(found.p50, 5_000_000), (found.p99, 9_900_000)] {
            assert!((exact..=exact + exact / 256).contains(&found), "{found}");
        }
    }
}
