//! The table of registers: a kernel with one malloc and one free, by the GPU's
//! driver, beside the published code and Table 1 of Vinkler and Havran.

use super::results::{Cost, Results};
use super::{freeing, markdown};

/// A row an allocator. Ours are dashes until they are measured; the figures of
/// the published code stand for themselves.
pub fn table(results: &Results) -> String {
    let titles = [
        "allocator",
        "ours",
        "published code",
        "ours, coalesced",
        "published code, coalesced",
        "Table 1",
        "Table 1, coalesced",
    ];
    let shown = |cost: Option<Cost>| cost.map_or("-".to_owned(), |cost| cost.registers.to_string());
    let figure = |registers: Option<u32>| registers.map_or("-".to_owned(), |n| n.to_string());
    let rows: Vec<Vec<String>> = results
        .published
        .registers
        .iter()
        .map(|published| {
            let ours = results
                .allocators
                .iter()
                .find(|listed| listed.name == published.allocator);
            vec![
                freeing::shown(&published.allocator),
                shown(ours.and_then(|listed| listed.costs.plain)),
                figure(published.plain),
                shown(ours.and_then(|listed| listed.costs.coalesced)),
                figure(published.coalesced),
                figure(published.paper),
                figure(published.paper_coalesced),
            ]
        })
        .collect();
    let mut text = markdown(&titles.map(str::to_owned), &rows);
    if results.allocators.is_empty() {
        text.push_str("\nOurs are not measured yet.\n");
    }
    text
}
