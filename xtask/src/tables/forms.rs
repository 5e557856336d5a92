//! The published forms of allocators beside their defaults and the published code.

use std::collections::BTreeSet;

use super::results::{MicroRow, PublishedCell, Results, origin_line};
use super::{NOT_MEASURED, distinct, markdown, milliseconds};
use crate::Result;

/// Threads of the cases that are shown.
const THREADS: u32 = 100_000;

/// Malloc of one block a thread: a row a form, a column a size, each with the default,
/// the form and the published code.
pub fn table(results: &Results, heap: &str) -> Result<String> {
    let is_shown = |case: &&MicroRow| {
        case.workload.name() == "threads" && case.heap.name() == heap && case.threads == THREADS
    };
    let cases: Vec<&MicroRow> = results.forms.iter().filter(is_shown).collect();
    if cases.is_empty() {
        return Ok(NOT_MEASURED.to_owned());
    }
    let sizes: BTreeSet<Option<u64>> = cases.iter().map(|case| case.bytes).collect();
    let mut titles = vec!["form".to_owned()];
    titles.extend(sizes.iter().map(|size| format!("{} B", size.unwrap_or(0))));
    let mut rows = Vec::new();
    for form in distinct(cases.iter().map(|case| case.allocator.as_str())) {
        let mut row = vec![form.to_owned()];
        for &size in &sizes {
            let found = cases
                .iter()
                .find(|case| case.allocator == form && case.bytes == size);
            row.push(found.map_or("-".to_owned(), |case| cell(results, case)));
        }
        rows.push(row);
    }
    let default = results.bench.iter().filter(is_shown);
    let metas = cases.iter().copied().chain(default).map(|case| &case.meta);
    Ok(markdown(&titles, &rows) + &origin_line(metas))
}

/// `default / form / published code`.
fn cell(results: &Results, form: &MicroRow) -> String {
    let default = form.allocator.split(':').next().unwrap_or_default();
    let is_same = |case: &&MicroRow| {
        case.workload == form.workload
            && case.heap == form.heap
            && case.threads == form.threads
            && case.bytes == form.bytes
            && case.allocator == default
            && !super::bench::is_coalesced(case)
    };
    let is_reference = |cell: &&PublishedCell| {
        cell.workload == form.workload.name()
            && cell.heap == form.heap.name()
            && cell.kernel == "malloc"
            && cell.threads == form.threads
            && cell.bytes == form.bytes
            && cell.allocator == default
    };
    let own = |case: &MicroRow| {
        let time = case.alloc_ms.as_ref().map(|samples| samples.median);
        let shown = time.map_or("-".to_owned(), milliseconds);
        match case.status.name() {
            "ok" => shown,
            status => format!("{shown} ({status})"),
        }
    };
    let ours = results.bench.iter().find(is_same);
    let reference = results.published.cells.iter().find(is_reference);
    let published = reference.map_or("-".to_owned(), |cell| match cell.ms {
        Some(time) => milliseconds(time),
        None => cell.status.clone(),
    });
    format!(
        "{} / {} / {published}",
        ours.map_or("-".to_owned(), own),
        own(form)
    )
}
