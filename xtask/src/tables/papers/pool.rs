//! The tables of `cuda-mempool` beside those of the host's pool: device memory that the host
//! obtains, from the driver and from a cache.

use heapwood_results::host_pool::Latency;

use super::super::results::{HostPoolRow, Results, origin_line};
use super::super::{NOT_MEASURED, markdown};
use super::ratio;

/// A figure of a case, in the unit of its row.
#[derive(Clone, Copy)]
enum Figure {
    /// The median microseconds of an allocation.
    Median,
    /// Those that 99 of a hundred allocations do not exceed.
    Of99,
    /// Those that 999 of a thousand do not exceed.
    Of999,
    /// Thousand pairs of allocation and deallocation per second.
    Pairs,
}

/// A case: source, pattern, bytes and threads.
type Case = (&'static str, &'static str, Option<u64>, u32);

/// A row: its name, the figure, the case without a cache and the one with it, and what the
/// published tables have of both.
type Row = (&'static str, Figure, Option<Case>, Case, [Option<f64>; 2]);

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

const fn driver(pattern: &'static str, bytes: Option<u64>, threads: u32) -> Option<Case> {
    Some(("cuMemAlloc", pattern, bytes, threads))
}

const fn pool(pattern: &'static str, bytes: Option<u64>, threads: u32) -> Case {
    ("pool", pattern, bytes, threads)
}

/// A latency of a size.
const fn size(name: &'static str, bytes: u64, published: [f64; 2]) -> Row {
    let (slow, fast) = (
        driver("pairs", Some(bytes), 1),
        pool("pairs", Some(bytes), 1),
    );
    let published = [Some(published[0]), Some(published[1])];
    (name, Figure::Median, slow, fast, published)
}

/// A percentile of the pool alone, of 1 MiB.
const fn percentile(name: &'static str, figure: Figure, published: f64) -> Row {
    let fast = pool("pairs", Some(MIB), 1);
    (name, figure, None, fast, [None, Some(published)])
}

const ROWS: [Row; 11] = [
    size("64 KiB, us", 64 * KIB, [180.0, 0.8]),
    size("1 MiB, us", MIB, [520.0, 1.1]),
    size("16 MiB, us", 16 * MIB, [890.0, 1.4]),
    size("64 MiB, us", 64 * MIB, [1200.0, 1.8]),
    (
        "1 MiB, thousand pairs/s",
        Figure::Pairs,
        driver("pairs", Some(MIB), 1),
        pool("pairs", Some(MIB), 1),
        [Some(0.85), Some(900.0)],
    ),
    (
        "mixed sizes, thousand pairs/s",
        Figure::Pairs,
        driver("mixed", None, 1),
        pool("mixed", None, 1),
        [Some(0.72), Some(650.0)],
    ),
    (
        "4 threads, thousand pairs/s",
        Figure::Pairs,
        driver("pairs", Some(MIB), 4),
        pool("pairs", Some(MIB), 4),
        [Some(0.31), Some(420.0)],
    ),
    percentile("p50, us", Figure::Median, 0.9),
    percentile("p99, us", Figure::Of99, 2.1),
    percentile("p99.9, us", Figure::Of999, 4.8),
    (
        "cold and warm pool, 1 MiB, us",
        Figure::Median,
        Some(pool("cold", Some(MIB), 1)),
        pool("warm", Some(MIB), 1),
        [Some(498.21), Some(1.08)],
    ),
];

/// A row per published figure: without and with the cache, and how many times as fast that is.
pub fn table(results: &Results) -> String {
    if results.host_pool.is_empty() {
        return NOT_MEASURED.to_owned();
    }
    let titles = [
        "figure",
        "published: cudaMalloc",
        "pool",
        "times",
        "ours: cuMemAlloc",
        "pool",
        "times",
    ];
    let mut metas = Vec::new();
    let mut rows = Vec::new();
    for (name, figure, slow, fast, published) in ROWS {
        let cases = [slow, Some(fast)].map(|case| find(&results.host_pool, case?));
        metas.extend(cases.into_iter().flatten().map(|row| &row.meta));
        let ours = cases.map(|row| value(row?, figure));
        let mut row = vec![name.to_owned()];
        for [slow, fast] in [published, ours] {
            let times = slow.zip(fast).map(|(slow, fast)| match figure {
                Figure::Pairs => fast / slow,
                _ => slow / fast,
            });
            row.extend([slow, fast, times].map(ratio));
        }
        rows.push(row);
    }
    markdown(&titles.map(str::to_owned), &rows) + &origin_line(metas)
}

fn find(rows: &[HostPoolRow], (source, pattern, bytes, threads): Case) -> Option<&HostPoolRow> {
    let mut rows = rows.iter();
    rows.find(|row| {
        row.source == source
            && row.pattern.name() == pattern
            && row.bytes == bytes
            && row.threads == threads
    })
}

fn value(row: &HostPoolRow, figure: Figure) -> Option<f64> {
    let latency = |of: fn(&Latency) -> u64| Some(of(row.allocate.as_ref()?) as f64 / 1e3);
    match figure {
        Figure::Median => latency(|of| of.p50_ns),
        Figure::Of99 => latency(|of| of.p99_ns),
        Figure::Of999 => latency(|of| of.p999_ns),
        Figure::Pairs => Some(row.pairs_per_s? / 1e3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_is_so_many_times_as_fast() {
        let row = |source: &str, ns: u64, rate: f64| -> HostPoolRow {
            let text = format!(
                r#"{{"source": "{source}", "pattern": "pairs", "bytes": {MIB}, "threads": 1,
                    "status": "ok", "error": null, "pairs": 1, "deallocate": null,
                    "allocate": {{"p50_ns": {ns}, "p99_ns": 2, "p999_ns": 3, "max_ns": 4}},
                    "pairs_per_s": {rate}, "hits": null, "misses": null, "meta": {{"gpu": "G"}}}}"#
            );
            serde_json::from_str(&text).expect("a row")
        };
        let results = Results {
            host_pool: vec![row("cuMemAlloc", 30_000, 2e3), row("pool", 100, 8e3)],
            ..Results::default()
        };
        let text = table(&results);
        let latency = "| 1 MiB, us | 520 | 1.10 | 473 | 30.0 | 0.10 | 300 |";
        assert!(text.contains(latency), "{text}");
        let rate = "| 1 MiB, thousand pairs/s | 0.85 | 900 | 1059 | 2.00 | 8.00 | 4.00 |";
        assert!(text.contains(rate), "{text}");
        assert!(text.contains("| 64 KiB, us | 180 | 0.80 | 225 | - | - | - |"));
    }
}
