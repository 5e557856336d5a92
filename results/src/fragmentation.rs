//! Fragmentation: the addresses that blocks cover, and what a pool grants.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::cells::{self, or_dash};
use crate::meta::linked_below;
use crate::{Meta, Report, Status, Table, display};

/// The result of a case; the keys are stable, what was not found is null.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FragmentationRow {
    /// The allocator.
    pub allocator: String,
    /// All of its parameters.
    pub parameters: BTreeMap<String, String>,
    /// `cpu` or `cuda`.
    pub backend: String,
    /// The product.
    pub device: String,
    /// Its pool, in bytes.
    pub pool_bytes: u64,
    /// Threads that allocate a block each at a time.
    pub threads: u32,
    /// Bytes of a block.
    pub bytes: u64,
    /// How it ended.
    pub status: Status,
    /// The error of a case that did not end well.
    pub error: Option<String>,
    /// By what addresses live blocks overlap; null if their addresses do not show that.
    #[serde(default)]
    pub overlap: Option<String>,
    /// The addresses of a block a thread.
    pub range: Option<Range>,
    /// All that is granted.
    pub fill: Option<Fill>,
    /// Growth by half; null for allocators that cannot free.
    pub growth: Option<Growth>,
    /// Machine and program.
    pub meta: Meta,
}

/// The addresses that blocks cover, from the lowest to the highest end.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Range {
    /// Blocks; fewer than threads if some were refused.
    pub blocks: u64,
    /// Bytes that they cover.
    pub range_bytes: u64,
    /// The fewest bytes that could hold them side by side, each aligned to 16.
    pub least_bytes: u64,
    /// The former to the latter.
    pub ratio: f64,
}

/// The blocks that an allocator granted until it refused every request.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fill {
    /// Blocks.
    pub blocks: u64,
    /// Their bytes, as requested, to those of the pool.
    pub pool_share: f64,
    /// Bytes that they cover.
    pub range_bytes: u64,
    /// Time of all requests, in milliseconds.
    pub alloc_ms: f64,
}

/// Growth until a request was refused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Growth {
    /// Steps in which all requests were served.
    pub steps_served: u32,
    /// Whether a request was refused in the end; if not, there were too many steps.
    pub exhausted: bool,
    /// The most bytes that were live at a time, as requested.
    pub live_bytes: u64,
    /// These to the bytes of the pool.
    pub pool_share: f64,
    /// Bytes that all blocks cover that there ever were.
    pub range_bytes: u64,
    /// Some of the steps that were served, evenly distributed, and the last one.
    pub steps: Vec<Step>,
}

/// A step of growth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Its number, from 1.
    pub number: u32,
    /// Bytes that are live after it, as requested.
    pub live_bytes: u64,
    /// Bytes that all blocks cover that there were so far.
    pub range_bytes: u64,
    /// Time of its requests, in milliseconds.
    pub alloc_ms: f64,
    /// Time of its frees, in milliseconds.
    pub free_ms: f64,
}

/// All but the steps of growth, which are in JSON only.
impl Report for [FragmentationRow] {
    fn table(&self) -> Table {
        short(self)
    }

    fn records(&self) -> Table {
        full(self)
    }

    fn text(&self) -> String {
        short(self).text() + &linked_below(self.iter().map(|row| &row.meta))
    }
}

fn short(rows: &[FragmentationRow]) -> Table {
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
            cells::allocator(&row.allocator, &row.parameters),
            row.bytes.to_string(),
            or_dash(range.map(|range| display(range.range_bytes))),
            or_dash(range.map(|range| display(range.least_bytes))),
            or_dash(range.map(|range| format!("{:.2}", range.ratio))),
            or_dash(row.fill.map(|fill| percent(fill.pool_share))),
            or_dash(steps),
            or_dash(growth.map(|growth| percent(growth.pool_share))),
            or_dash(growth.map(|growth| display(growth.range_bytes))),
            cells::status(row.status, row.error.as_deref()),
        ]);
    }
    table
}

fn full(rows: &[FragmentationRow]) -> Table {
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
        table.push(vec![
            row.allocator.clone(),
            cells::parameters(&row.parameters),
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

fn percent(part: f64) -> String {
    format!("{:.2} %", 100.0 * part)
}

/// A figure of a part of a row, if it has that part.
fn option<Part, Figure: ToString>(
    part: &Option<Part>,
    figure: impl FnOnce(&Part) -> Figure,
) -> String {
    let figure = part.as_ref().map(figure);
    figure.map(|figure| figure.to_string()).unwrap_or_default()
}
