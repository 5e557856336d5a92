//! Rows of `bench host-pool` as a table.

use super::{Format, Table};
use crate::size::display;
use crate::workload::host_pool::{Latency, Row};

/// The rows as a table: times in microseconds for people, in nanoseconds for programs.
pub fn host_pool_table(rows: &[Row], format: Format) -> Table {
    match format {
        Format::Csv => full(rows),
        _ => short(rows),
    }
}

fn short(rows: &[Row]) -> Table {
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
        let mut cells = vec![
            row.source.to_owned(),
            row.pattern.name().to_owned(),
            row.bytes.map_or("mixed".to_owned(), display),
            row.threads.to_string(),
        ];
        for latency in [&row.allocate, &row.deallocate] {
            let of = |time: fn(&Latency) -> u64| latency.as_ref().map_or_else(dash, us(time));
            cells.extend([of(|of| of.p50_ns), of(|of| of.p99_ns), of(|of| of.p999_ns)]);
        }
        cells.push(
            row.pairs_per_s
                .map_or_else(dash, |rate| format!("{rate:.0}")),
        );
        cells.push(
            row.hits
                .zip(row.misses)
                .map_or_else(dash, |(hits, misses)| {
                    format!(
                        "{:.1} %",
                        100.0 * hits as f64 / (hits + misses).max(1) as f64
                    )
                }),
        );
        cells.push(match &row.error {
            Some(why) => format!("{}: {why}", row.status.name()),
            None => row.status.name().to_owned(),
        });
        table.push(cells);
    }
    table
}

/// One of the times in microseconds.
fn us(time: fn(&Latency) -> u64) -> impl Fn(&Latency) -> String {
    move |latency| format!("{:.2}", time(latency) as f64 / 1e3)
}

fn full(rows: &[Row]) -> Table {
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
        let mut cells = vec![
            row.source.to_owned(),
            row.pattern.name().to_owned(),
            option(row.bytes),
            row.threads.to_string(),
            row.status.name().to_owned(),
            row.error.clone().unwrap_or_default(),
            row.pairs.to_string(),
        ];
        for latency in [row.allocate, row.deallocate] {
            cells.extend([
                option(latency.map(|of| of.p50_ns)),
                option(latency.map(|of| of.p99_ns)),
                option(latency.map(|of| of.p999_ns)),
                option(latency.map(|of| of.max_ns)),
            ]);
        }
        cells.extend([
            option(row.pairs_per_s),
            option(row.hits),
            option(row.misses),
        ]);
        table.push(cells);
    }
    table
}

fn option(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}
