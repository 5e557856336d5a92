//! The summary of a trace. docs/traces.md defines its figures.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::cells::{self, parameters};
use crate::{Line, Report, Table, display, milliseconds};

/// How integers are spread. A quantile is the least value that so many of a hundred do not exceed
/// (nearest rank), or up to 1/256 above it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Distribution {
    /// Values.
    pub count: u64,
    /// Their mean.
    pub mean: f64,
    /// The least.
    pub min: u64,
    /// That of 50 of a hundred.
    pub p50: u64,
    /// That of 90 of a hundred.
    pub p90: u64,
    /// That of 99 of a hundred.
    pub p99: u64,
    /// The largest.
    pub max: u64,
}

/// The maximum of a quantity over the events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HighWater {
    /// The maximum.
    pub value: u64,
    /// The first event after which it is reached, counted from 0.
    pub event: u64,
}

impl HighWater {
    /// Raises it to the value after an event.
    pub fn raise(&mut self, value: u64, event: u64) {
        if value > self.value {
            *self = Self { value, event };
        }
    }
}

/// Times of a run in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordingCost {
    /// With recording.
    pub recorded_ms: f64,
    /// The same run without.
    pub unrecorded_ms: f64,
}

/// Requests of sizes up to a power of two, above the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SizeClass {
    /// The power of two, in bytes.
    pub max_bytes: u64,
    /// Requests that got a block.
    pub granted: u64,
    /// Requests that got null.
    pub refused: u64,
}

/// The result of `heapwood trace summary`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceReport {
    /// The file.
    pub file: String,
    /// The workload and its options.
    pub workload: String,
    /// The allocator.
    pub allocator: String,
    /// Its parameters.
    pub parameters: BTreeMap<String, String>,
    /// The backend.
    pub backend: String,
    /// The device, if it is known.
    pub device: Option<String>,
    /// Bytes of the pool, if it is known.
    pub pool_bytes: Option<u64>,
    /// Events.
    pub events: u64,
    /// Launches that are listed.
    pub launches: u64,
    /// Requests that got a block.
    pub granted: u64,
    /// Requests that got null.
    pub refused: u64,
    /// Frees.
    pub frees: u64,
    /// Bytes that granted requests asked for.
    pub granted_bytes: u64,
    /// Bytes that refused requests asked for.
    pub refused_bytes: u64,
    /// Blocks that were never freed.
    pub live_blocks: u64,
    /// Their bytes, as requested.
    pub live_bytes: u64,
    /// Max blocks that are live at a time.
    pub max_live_blocks: HighWater,
    /// Max bytes of blocks that are live at a time, as requested.
    pub max_live_bytes: HighWater,
    /// Warps that call the allocator, each once per launch.
    pub warps: u64,
    /// Lanes that call it, each once per launch.
    pub lanes: u64,
    /// Sizes of granted requests.
    pub bytes: Option<Distribution>,
    /// Events from a grant to its free.
    pub lifetime_events: Option<Distribution>,
    /// Nanoseconds from a grant to its free; null without clocks.
    pub lifetime_ns: Option<Distribution>,
    /// Requests of a launch that has events.
    pub requests_per_launch: Option<Distribution>,
    /// Bytes granted since the last free in the class of a granted request.
    pub reuse_distance_bytes: Option<Distribution>,
    /// Classes that have requests.
    pub sizes: Vec<SizeClass>,
    /// The cost of recording, if it was measured.
    pub cost: Option<RecordingCost>,
}

fn spread(of: &Option<Distribution>, show: fn(u64) -> String) -> String {
    of.as_ref().map_or_else(
        || "none".to_owned(),
        |of| {
            let [min, p50, p90, p99, max] = [of.min, of.p50, of.p90, of.p99, of.max].map(show);
            format!("{min} to {max}, p50 {p50}, p90 {p90}, p99 {p99}")
        },
    )
}

fn time(ns: u64) -> String {
    match ns {
        0..1_000_000 => format!("{} us", milliseconds(ns as f64 / 1e3)),
        _ => format!("{} ms", milliseconds(ns as f64 / 1e6)),
    }
}

impl TraceReport {
    fn lines(&self) -> Vec<Line> {
        let of = |parameters: String| match parameters.as_str() {
            "" => self.allocator.clone(),
            _ => format!("{} {parameters}", self.allocator),
        };
        let pool = self.pool_bytes.map_or("unknown size".to_owned(), display);
        let device = self.device.as_deref().unwrap_or(&self.backend);
        let mut lines = vec![
            ("trace", self.file.clone()),
            ("workload", self.workload.clone()),
            (
                "allocator",
                format!(
                    "{}, pool of {pool}, {device}",
                    of(parameters(&self.parameters))
                ),
            ),
            (
                "events",
                format!(
                    "{}: {} requests granted, {} refused, {} frees",
                    self.events, self.granted, self.refused, self.frees
                ),
            ),
            (
                "granted",
                format!(
                    "{} in all, {}",
                    display(self.granted_bytes),
                    spread(&self.bytes, display)
                ),
            ),
        ];
        for size in &self.sizes {
            let refused = match size.refused {
                0 => String::new(),
                refused => format!(", {refused} refused"),
            };
            let text = format!(
                "up to {}: {}{refused}",
                display(size.max_bytes),
                size.granted
            );
            lines.push(("", text));
        }
        lines.extend([
            (
                "high water",
                format!(
                    "{} live blocks at event {}, {} at event {}",
                    self.max_live_blocks.value,
                    self.max_live_blocks.event,
                    display(self.max_live_bytes.value),
                    self.max_live_bytes.event
                ),
            ),
            (
                "never freed",
                format!("{} blocks, {}", self.live_blocks, display(self.live_bytes)),
            ),
            (
                "lifetime",
                format!(
                    "{} events",
                    spread(&self.lifetime_events, |of| of.to_string())
                ),
            ),
            ("", spread(&self.lifetime_ns, time)),
            (
                "reuse distance",
                spread(&self.reuse_distance_bytes, display),
            ),
            (
                "launches",
                format!(
                    "{}, requests of one: {}",
                    self.launches,
                    spread(&self.requests_per_launch, |of| of.to_string())
                ),
            ),
            (
                "callers",
                format!("{} warps, {} lanes", self.warps, self.lanes),
            ),
        ]);
        if let Some(cost) = self.cost {
            let [with, without] = [cost.recorded_ms, cost.unrecorded_ms].map(milliseconds);
            let text = format!("{with} ms, and {without} ms without recording");
            lines.push(("recorded in", text));
        }
        lines
    }
}

/// Adds a row for each figure in a value of JSON, named by the keys that lead to it.
fn add_figures(name: &str, value: &Value, table: &mut Table) {
    let named = |key: &str| match name {
        "" => key.to_owned(),
        _ => format!("{name}_{key}"),
    };
    match value {
        Value::Object(fields) => fields
            .iter()
            .for_each(|(key, value)| add_figures(&named(key), value, table)),
        Value::Array(values) => (1..)
            .zip(values)
            .for_each(|(number, value)| add_figures(&named(&number.to_string()), value, table)),
        Value::String(text) => table.push(vec![name.to_owned(), text.clone()]),
        Value::Null => table.push(vec![name.to_owned(), String::new()]),
        _ => table.push(vec![name.to_owned(), value.to_string()]),
    }
}

impl Report for TraceReport {
    fn table(&self) -> Table {
        cells::table(self.lines())
    }

    /// A line a figure: classes of sizes differ from trace to trace.
    fn records(&self) -> Table {
        let mut table = Table::new(&["figure", "#value"]);
        let value = serde_json::to_value(self).unwrap_or_default();
        add_figures("", &value, &mut table);
        table
    }

    fn text(&self) -> String {
        cells::text(&self.lines(), 14)
    }
}
