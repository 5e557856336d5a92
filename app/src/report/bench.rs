//! Rows of the microbenchmarks as a table.

use super::{Format, Table, milliseconds};
use crate::samples::Samples;
use crate::workload::micro::{Microbenchmark, Row};

/// The rows as a table: for people with rounded medians and only the columns
/// that say something; for programs with all of them.
pub fn bench_table(rows: &[Row], format: Format) -> Table {
    if format == Format::Csv {
        return full(rows);
    }
    let by_warps = rows.iter().any(|row| row.workload.is_by_warps());
    let one_kernel = rows.iter().any(|row| row.workload.is_one_kernel());
    let turns = rows.iter().any(|row| row.turns.is_some());
    let cycles = rows
        .iter()
        .any(|row| row.workload == Microbenchmark::AllocCycleDealloc);
    let draws = rows.iter().any(|row| row.draws.is_some());
    let mut titles = vec![
        "allocator",
        "heap",
        if by_warps { "#blocks" } else { "#threads" },
    ];
    titles.push("#bytes");
    titles.extend(cycles.then_some("#kept"));
    titles.extend(turns.then_some("#turns"));
    titles.push("#init ms");
    if one_kernel {
        titles.push("#kernel ms");
    } else {
        titles.extend(["#malloc ms", "#free ms"]);
    }
    if draws {
        titles.extend(["#allocations", "#frees"]);
    }
    titles.push("#nulls");
    titles.extend(one_kernel.then_some("#counted nulls"));
    titles.extend(["#overlapping nulls", "#corrupt", "status"]);
    let mut table = Table::new(&titles);
    for row in rows {
        let median = |samples: &Option<Samples>| match samples {
            Some(samples) => milliseconds(samples.median),
            None => "-".to_owned(),
        };
        let count = if by_warps { row.blocks } else { row.threads };
        let mut cells = vec![name(row), heap(row), count.to_string()];
        cells.push(
            row.bytes
                .map_or("mixed".to_owned(), |bytes| bytes.to_string()),
        );
        if cycles {
            cells.push(row.kept.map_or("-".to_owned(), |kept| kept.to_string()));
        }
        if turns {
            cells.push(row.turns.map_or("-".to_owned(), |turns| turns.to_string()));
        }
        cells.push(median(&row.init_ms));
        if one_kernel {
            cells.push(median(&row.kernel_ms));
        } else {
            cells.extend([median(&row.alloc_ms), median(&row.free_ms)]);
        }
        let counted = |count: Option<u64>| count.map_or("-".to_owned(), |count| count.to_string());
        if draws {
            cells.extend([counted(row.counted_allocations), counted(row.counted_frees)]);
        }
        cells.push(counted(row.nulls));
        cells.extend(one_kernel.then(|| counted(row.counted_nulls)));
        cells.extend([counted(row.overlapping_nulls), counted(row.corrupt)]);
        cells.push(match &row.error {
            Some(why) => format!("{}: {why}", row.status.name()),
            None => row.status.name().to_owned(),
        });
        table.push(cells);
    }
    table
}

fn full(rows: &[Row]) -> Table {
    let mut table = Table::new(&[
        "workload",
        "allocator",
        "parameters",
        "backend",
        "device",
        "heap",
        "#pool_bytes",
        "#threads",
        "#blocks",
        "#bytes",
        "#kept",
        "#launches",
        "#p_alloc",
        "#p_free",
        "#turns",
        "status",
        "error",
        "#init_ms",
        "#kernel_ms",
        "#alloc_ms",
        "#free_ms",
        "#nulls",
        "#counted_allocations",
        "#counted_frees",
        "#counted_nulls",
        "#overlapping_nulls",
        "#corrupt",
    ]);
    for row in rows {
        let median = |samples: &Option<Samples>| option(samples.as_ref().map(|s| s.median));
        let parameters: Vec<String> = row
            .parameters
            .iter()
            .map(|(key, value)| format!("{key}={value}"))
            .collect();
        table.push(vec![
            row.workload.name().to_owned(),
            row.allocator.clone(),
            parameters.join(" "),
            row.backend.clone(),
            row.device.clone(),
            heap(row),
            row.pool_bytes.to_string(),
            row.threads.to_string(),
            row.blocks.to_string(),
            option(row.bytes),
            option(row.kept),
            option(row.draws.map(|draws| draws.launches)),
            option(row.draws.map(|draws| draws.p_alloc)),
            option(row.draws.map(|draws| draws.p_free)),
            option(row.turns),
            row.status.name().to_owned(),
            row.error.clone().unwrap_or_default(),
            median(&row.init_ms),
            median(&row.kernel_ms),
            median(&row.alloc_ms),
            median(&row.free_ms),
            option(row.nulls),
            option(row.counted_allocations),
            option(row.counted_frees),
            option(row.counted_nulls),
            option(row.overlapping_nulls),
            option(row.corrupt),
        ]);
    }
    table
}

/// The allocator, marked if its requests are coalesced.
fn name(row: &Row) -> String {
    match row.parameters.get("coalesce").map(String::as_str) {
        Some("true") => format!("{}:coalesce", row.allocator),
        _ => row.allocator.clone(),
    }
}

fn heap(row: &Row) -> String {
    format!("{:?}", row.heap).to_lowercase()
}

fn option(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}
