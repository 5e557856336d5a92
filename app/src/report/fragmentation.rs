//! Rows of `bench fragmentation` as a table.

use super::{Format, Table};
use crate::size::display;
use crate::workload::fragmentation::Row;

/// The rows as a table: for people with rounded figures, for programs with all but the steps of
/// growth, which are in JSON.
pub fn fragmentation_table(rows: &[Row], format: Format) -> Table {
    match format {
        Format::Csv => full(rows),
        _ => short(rows),
    }
}

fn short(rows: &[Row]) -> Table {
    let mut table = Table::new(&[
        "allocator",
        "#bytes",
        "#range",
        "#least",
        "#ratio",
        "#granted",
        "#steps",
        "#live at the end",
        "#range of growth",
        "status",
    ]);
    for row in rows {
        let range = row.range.as_ref();
        let growth = row.growth.as_ref();
        let steps = growth.map(|growth| match growth.exhausted {
            true => growth.steps_served.to_string(),
            false => format!("more than {}", growth.steps_served),
        });
        table.push(vec![
            name(row),
            row.bytes.to_string(),
            cell(range.map(|range| display(range.range_bytes))),
            cell(range.map(|range| display(range.least_bytes))),
            cell(range.map(|range| format!("{:.2}", range.ratio))),
            cell(row.fill.map(|fill| percent(fill.pool_share))),
            cell(steps),
            cell(growth.map(|growth| percent(growth.pool_share))),
            cell(growth.map(|growth| display(growth.range_bytes))),
            match &row.error {
                Some(why) => format!("{}: {why}", row.status.name()),
                None => row.status.name().to_owned(),
            },
        ]);
    }
    table
}

fn full(rows: &[Row]) -> Table {
    let mut table = Table::new(&[
        "allocator",
        "parameters",
        "backend",
        "device",
        "#pool_bytes",
        "#threads",
        "#bytes",
        "status",
        "error",
        "#range_blocks",
        "#range_bytes",
        "#range_least_bytes",
        "#range_ratio",
        "#fill_blocks",
        "#fill_pool_share",
        "#fill_range_bytes",
        "#fill_alloc_ms",
        "#growth_steps_served",
        "growth_exhausted",
        "#growth_live_bytes",
        "#growth_pool_share",
        "#growth_range_bytes",
    ]);
    for row in rows {
        let (range, fill, growth) = (&row.range, &row.fill, &row.growth);
        let parameters: Vec<String> = row
            .parameters
            .iter()
            .map(|(key, value)| format!("{key}={value}"))
            .collect();
        table.push(vec![
            row.allocator.clone(),
            parameters.join(" "),
            row.backend.clone(),
            row.device.clone(),
            row.pool_bytes.to_string(),
            row.threads.to_string(),
            row.bytes.to_string(),
            row.status.name().to_owned(),
            row.error.clone().unwrap_or_default(),
            option(range, |range| range.blocks),
            option(range, |range| range.range_bytes),
            option(range, |range| range.least_bytes),
            option(range, |range| range.ratio),
            option(fill, |fill| fill.blocks),
            option(fill, |fill| fill.pool_share),
            option(fill, |fill| fill.range_bytes),
            option(fill, |fill| fill.alloc_ms),
            option(growth, |growth| growth.steps_served),
            option(growth, |growth| growth.exhausted),
            option(growth, |growth| growth.live_bytes),
            option(growth, |growth| growth.pool_share),
            option(growth, |growth| growth.range_bytes),
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

fn percent(part: f64) -> String {
    format!("{:.2} %", 100.0 * part)
}

fn cell(value: Option<String>) -> String {
    value.unwrap_or_else(|| "-".to_owned())
}

/// A figure of a part of a row, if it has that part.
fn option<Part, Figure: ToString>(
    part: &Option<Part>,
    figure: impl FnOnce(&Part) -> Figure,
) -> String {
    let figure = part.as_ref().map(figure);
    figure.map(|figure| figure.to_string()).unwrap_or_default()
}
