//! Rows of fragmentation.

use heapwood_results::Samples;
use heapwood_results::fragmentation::FragmentationRow;

use super::adder::{Adder, Row, scale};
use crate::{Command, Section, Unit};

/// Adds the figures of a row.
pub fn add(adder: &mut Adder, found: FragmentationRow) {
    let row = Row {
        section: Section::Fragmentation,
        allocator: &found.allocator,
        device: &found.device,
        meta: &found.meta,
        status: found.status,
        error: found.error.as_deref(),
        command: Command::new("bench fragmentation")
            .word(format!("--threads={}", found.threads))
            .word(format!("--pool={}", found.pool_bytes))
            .list("--bytes", found.bytes)
            .list("--allocators", &found.allocator),
        memory: None,
        hash: None,
    };
    let range = found.range.map(|range| range.ratio);
    let fill = found.fill.map(|fill| fill.pool_share);
    let growth = found.growth.as_ref().map(|growth| growth.pool_share);
    let time = found.fill.map(|fill| fill.alloc_ms);
    let figures = [
        ("addresses over the fewest bytes", Unit::Number, range),
        ("part of the pool that is granted", Unit::Share, fill),
        ("part of the pool that grows", Unit::Share, growth),
        ("time until a request is refused", Unit::Milliseconds, time),
    ];
    // A row that failed has its error at its first figure.
    let is_shown = |place: usize, value: Option<f64>| place == 0 || value.is_some();
    for (place, (name, unit, value)) in figures.into_iter().enumerate() {
        if !is_shown(place, value) {
            continue;
        }
        let samples = value.and_then(|value| Samples::new(vec![value]));
        let curve = format!("{name}, {} threads", found.threads);
        let case = format!("{curve}, {} B", found.bytes);
        let scales = vec![scale("bytes", found.bytes as f64, curve)];
        adder.quantity(&row, case, unit, samples, scales);
    }
}
