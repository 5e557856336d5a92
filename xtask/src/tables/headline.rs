//! The one table of the README: the work of the chart, in milliseconds, at the lower bound
//! and over the fastest and the slowest allocator that frees.

use super::freeing::{can_free, shown};
use super::outcome::{LOWER_BOUND, Outcome};
use super::results::{Results, origin_line};
use super::work::{Times, Work};
use super::{NOT_MEASURED, markdown, milliseconds, verdict};
use crate::Result;

/// A row a kind of work. No figure of the last two columns is one of an allocator that
/// cannot free.
pub fn table(results: &Results, scene: &str, graph: &str) -> Result<String> {
    if results.bench.is_empty() {
        return Ok(NOT_MEASURED.to_owned());
    }
    let work = Work::of(results, scene, graph)?;
    let titles = [
        "milliseconds".to_owned(),
        shown(LOWER_BOUND),
        "fastest that frees".to_owned(),
        "slowest that frees".to_owned(),
    ];
    let row = |what: String, time: fn(&Times) -> Outcome| {
        let bound = work.times.iter().find(|row| row.allocator == LOWER_BOUND);
        let bound = bound.and_then(|row| time(row).ok());
        let free = work.times.iter().filter(|row| can_free(row.allocator));
        let timed = free.filter_map(|row| Some((row.allocator, time(row).ok()?)));
        let cell = |found: Option<(&str, f64)>| {
            found.map_or("-".to_owned(), |(name, ms)| {
                format!("{} ({name})", milliseconds(ms))
            })
        };
        vec![
            what,
            bound.map_or("-".to_owned(), milliseconds),
            cell(timed.clone().min_by(|a, b| a.1.total_cmp(&b.1))),
            cell(timed.max_by(|a, b| a.1.total_cmp(&b.1))),
        ]
    };
    let rows = [
        row("malloc, 100,000 x 1 KiB".to_owned(), |row| {
            row.malloc.clone()
        }),
        row("free of the same".to_owned(), |row| row.free.clone()),
        row(format!("tree of {scene}"), |row| row.tree.clone()),
        row(format!("10^6 edges, {graph}"), |row| row.batch.clone()),
    ];
    Ok(markdown(&titles, &rows)
        + &format!("\n{}", verdict::sentence(results))
        + &origin_line(work.metas.iter().copied()))
}

#[cfg(test)]
mod tests {
    use super::super::work::tests::results;
    use super::*;

    #[test]
    fn the_fastest_and_the_slowest_can_free() {
        let times = [
            ("atomicmalloc", 0.125, 20.0),
            ("cmalloc", 0.5, 25.0),
            ("ouroboros-p-s", 0.25, 50.0),
            ("awmalloc", 0.125, 75.0),
        ];
        let text = table(&results(&times), "s", "g").expect("a table");
        let titles = "| milliseconds | atomicmalloc (cannot free) | fastest that frees |";
        assert!(text.contains(titles), "{text}");
        let row = "| malloc, 100,000 x 1 KiB | 0.125 | 0.250 (ouroboros-p-s) | 0.500 (cmalloc) |";
        assert!(text.contains(row), "{text}");
        let row = "| tree of s | 20.0 | 25.0 (cmalloc) | 50.0 (ouroboros-p-s) |";
        assert!(text.contains(row), "{text}");
        assert!(text.contains("edges, g | - | - | - |"), "{text}");
        assert!(text.contains("\n\nOf 0 figures"), "{text}");
    }
}
