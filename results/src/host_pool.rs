//! The host's pool of device memory: what allocations and deallocations take.

use serde::{Deserialize, Serialize};

use crate::cells::{self, option};
use crate::samples::nearest_rank;
use crate::{Meta, Report, Status, Table, display};

/// In which order memory is obtained and given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Pattern {
    /// A thread obtains a block and gives it back, again and again
    Pairs,
    /// A thread keeps 64 blocks of 512 B to 1 MiB, and replaces them at random
    Mixed,
    /// Many blocks are obtained, then given back: for the first time
    Cold,
    /// The same once more
    Warm,
}

impl Pattern {
    /// Its name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pairs => "pairs",
            Self::Mixed => "mixed",
            Self::Cold => "cold",
            Self::Warm => "warm",
        }
    }
}

/// The result of a case; the keys are stable, what does not apply is null.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HostPoolRow {
    /// The source of the memory.
    pub source: String,
    /// The pattern.
    pub pattern: Pattern,
    /// Bytes of a block; null for mixed sizes.
    pub bytes: Option<u64>,
    /// Threads that obtain memory at the same time.
    pub threads: u32,
    /// How it ended.
    pub status: Status,
    /// The error of a case that did not end well.
    pub error: Option<String>,
    /// Pairs of an allocation and a deallocation that were timed one by one, of all threads.
    pub pairs: u64,
    /// The latency of allocations.
    pub allocate: Option<Latency>,
    /// The latency of deallocations.
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

/// How times are spread, in nanoseconds, the clock's own included. A percentile is the least
/// time that so many of a hundred do not exceed (nearest rank).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

/// Times are in microseconds for people, in nanoseconds for programs.
impl Report for [HostPoolRow] {
    fn table(&self) -> Table {
        short(self)
    }

    fn records(&self) -> Table {
        full(self)
    }
}

fn short(rows: &[HostPoolRow]) -> Table {
    let mut table = Table::new(&[
        "source",
        "pattern",
        "#size",
        "#threads",
        "#allocate p50 us",
        "#p99",
        "#p99.9",
        "#deallocate p50 us",
        "#p99",
        "#p99.9",
        "#pairs/s",
        "#hits",
        "status",
    ]);
    let dash = || "-".to_owned();
    for row in rows {
        let mut row_cells = vec![
            row.source.clone(),
            row.pattern.name().to_owned(),
            row.bytes.map_or("mixed".to_owned(), display),
            row.threads.to_string(),
        ];
        for latency in [&row.allocate, &row.deallocate] {
            let of = |time: fn(&Latency) -> u64| latency.as_ref().map_or_else(dash, us(time));
            row_cells.extend([of(|of| of.p50_ns), of(|of| of.p99_ns), of(|of| of.p999_ns)]);
        }
        row_cells.push(
            row.pairs_per_s
                .map_or_else(dash, |rate| format!("{rate:.0}")),
        );
        row_cells.push(
            row.hits
                .zip(row.misses)
                .map_or_else(dash, |(hits, misses)| {
                    format!(
                        "{:.1} %",
                        100.0 * hits as f64 / (hits + misses).max(1) as f64
                    )
                }),
        );
        row_cells.push(cells::status(row.status, row.error.as_deref()));
        table.push(row_cells);
    }
    table
}

/// One of the times in microseconds.
fn us(time: fn(&Latency) -> u64) -> impl Fn(&Latency) -> String {
    move |latency| format!("{:.2}", time(latency) as f64 / 1e3)
}

fn full(rows: &[HostPoolRow]) -> Table {
    let mut table = Table::new(&[
        "source",
        "pattern",
        "#bytes",
        "#threads",
        "status",
        "error",
        "#pairs",
        "#allocate_p50_ns",
        "#allocate_p99_ns",
        "#allocate_p999_ns",
        "#allocate_max_ns",
        "#deallocate_p50_ns",
        "#deallocate_p99_ns",
        "#deallocate_p999_ns",
        "#deallocate_max_ns",
        "#pairs_per_s",
        "#hits",
        "#misses",
    ]);
    for row in rows {
        let mut row_cells = vec![
            row.source.clone(),
            row.pattern.name().to_owned(),
            option(row.bytes),
            row.threads.to_string(),
            row.status.name().to_owned(),
            row.error.clone().unwrap_or_default(),
            row.pairs.to_string(),
        ];
        for latency in [row.allocate, row.deallocate] {
            row_cells.extend([
                option(latency.map(|of| of.p50_ns)),
                option(latency.map(|of| of.p99_ns)),
                option(latency.map(|of| of.p999_ns)),
                option(latency.map(|of| of.max_ns)),
            ]);
        }
        row_cells.extend([
            option(row.pairs_per_s),
            option(row.hits),
            option(row.misses),
        ]);
        table.push(row_cells);
    }
    table
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
