//! The result of a case.

use serde::Serialize;

use super::{Case, Pattern};
use crate::meta::Meta;
use crate::samples::nearest_rank;
use crate::workload::Status;

/// The result of a case; the keys are stable, what does not apply is null.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Where memory comes from.
    pub source: &'static str,
    /// The pattern.
    pub pattern: Pattern,
    /// Bytes of a block; null for mixed sizes.
    pub bytes: Option<u64>,
    /// Threads that obtain memory at the same time.
    pub threads: u32,
    /// How it ended.
    pub status: Status,
    /// Why it did not end well.
    pub error: Option<String>,
    /// Pairs of an allocation and a deallocation that were timed one by one, of all threads.
    pub pairs: u64,
    /// What allocations took.
    pub allocate: Option<Latency>,
    /// What deallocations took.
    pub deallocate: Option<Latency>,
    /// Pairs a second of all threads together, in a round without a clock around each; null
    /// for `cold` and `warm`.
    pub pairs_per_s: Option<f64>,
    /// Timed allocations that the pool's cache has served.
    pub hits: Option<u64>,
    /// Timed allocations for which the pool has called the device.
    pub misses: Option<u64>,
    /// Machine and program.
    pub meta: Meta,
}

impl Row {
    /// The row of a case of which nothing is known yet.
    pub fn new(source: &'static str, case: Case, meta: Meta) -> Self {
        Self {
            source,
            pattern: case.pattern,
            bytes: case.bytes,
            threads: case.threads,
            status: Status::Ok,
            error: None,
            pairs: 0,
            allocate: None,
            deallocate: None,
            pairs_per_s: None,
            hits: None,
            misses: None,
            meta,
        }
    }
}

/// How times are spread, in nanoseconds, the clock's own included. A percentile is the least
/// time that so many of a hundred do not exceed (nearest rank).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Latency {
    /// That of 50 of a hundred.
    pub p50_ns: u64,
    /// That of 99 of a hundred.
    pub p99_ns: u64,
    /// That of 999 of a thousand.
    pub p999_ns: u64,
    /// The longest.
    pub max_ns: u64,
}

impl Latency {
    /// That of some times; nothing without a time.
    pub fn new(mut times_ns: Vec<u64>) -> Option<Self> {
        times_ns.sort_unstable();
        let of = |permille| nearest_rank(&times_ns, permille);
        Some(Self {
            p50_ns: of(500)?,
            p99_ns: of(990)?,
            p999_ns: of(999)?,
            max_ns: of(1000)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_times() {
        let of = |count: u64| {
            let found = Latency::new((1..=count).rev().collect()).unwrap();
            [found.p50_ns, found.p99_ns, found.p999_ns, found.max_ns]
        };
        assert_eq!(of(1), [1; 4]);
        assert_eq!(of(1000), [500, 990, 999, 1000]);
        assert_eq!(of(1001), [501, 991, 1000, 1001]);
        assert_eq!(Latency::new(vec![]), None);
    }
}
