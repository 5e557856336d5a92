//! The summary: each allocator in one line.

use maud::{Markup, html};

use super::{View, axis, heat};
use crate::means::{self, Mean};
use crate::{Case, Section};

/// Sections of work in which allocators are compared by time.
pub fn is_compared(section: Section) -> bool {
    !matches!(
        section,
        Section::Fragmentation | Section::HostPool | Section::Others | Section::Unknown
    )
}

/// The sentences and the table at the top of a page.
pub fn summary(view: &View) -> Markup {
    let sections = view.sections.iter();
    let compared: Vec<&(Section, Vec<Case>)> = sections
        .filter(|(section, _)| is_compared(*section))
        .collect();
    let allocators: Vec<&str> = view
        .allocators
        .iter()
        .filter(|allocator| {
            let mut all = compared.iter();
            all.any(|(_, cases)| cases.iter().any(|case| case.cells.contains_key(*allocator)))
        })
        .copied()
        .collect();
    let failed = view.collection.measured.iter();
    let failed = failed.filter(|one| heat::is_failure(one.status)).count();
    html! {
        section #summary {
            h2 { "Summary" }
            p {
                (view.collection.measured.len()) " results of "
                (allocators.len()) " allocators from " (view.collection.files.len()) " files; "
                a href="#failures" { (failed) " failed" } "."
            }
            @if !compared.is_empty() {
                p {
                    "The fastest and the slowest allocator that frees, as multiples of the reference's \
                     time, of those with at least half of the cases:"
                }
                ul {
                    @for (section, cases) in &compared {
                        @if let Some(line) = best(view, cases, &allocators) {
                            li { a href={ "#" (section.id()) } { (section.title()) } ": " (line) }
                        }
                    }
                }
                div.scroll {
                    table.heat {
                        caption {
                            "Time as a multiple of the reference: geometric means over the cases that \
                             an allocator has, whose number is in brackets where it is not all. The \
                             reference of a case is AtomicMalloc, which cannot free, or else the \
                             fastest."
                        }
                        thead {
                            tr {
                                th scope="col" { "allocator" }
                                th scope="col" { "frees" }
                                th scope="col" { "registers" }
                                @for (section, _) in &compared {
                                    th scope="col" { (section.title()) }
                                }
                                th scope="col" { "failed" }
                            }
                        }
                        tbody {
                            @for allocator in &allocators {
                                (row(view, &compared, allocator))
                            }
                        }
                    }
                }
            }
        }
    }
}

fn row(view: &View, compared: &[&(Section, Vec<Case>)], allocator: &str) -> Markup {
    let cells = |cases: &[Case]| {
        let has = cases
            .iter()
            .filter(|case| case.cells.contains_key(allocator));
        has.count()
    };
    let failed = view.collection.measured.iter();
    let failed = failed.filter(|one| one.allocator == allocator && heat::is_failure(one.status));
    let about = view.about(allocator).map(|row| row.what.as_str());
    html! {
        tr class={ "r" (view.number(allocator)) } {
            th scope="row" title=[about] { (allocator) }
            td { (if view.frees(allocator) { "yes" } else { "no" }) }
            td { @if let Some(count) = view.registers(allocator) { (count) } @else { "-" } }
            @for (_, cases) in compared {
                @match means::time(cases, allocator) {
                    Some(mean) => (mean_cell(mean, cases.len())),
                    None if cells(cases) > 0 => td.bad { "none" },
                    None => td { "-" },
                }
            }
            td { (failed.count()) }
        }
    }
}

fn mean_cell(mean: Mean, all: usize) -> Markup {
    html! {
        td class=(heat::class(mean.value)) {
            (axis::multiple(mean.value))
            @if mean.cases < all { small { " (" (mean.cases) ")" } }
        }
    }
}

/// The fastest and the slowest allocator of those that free and have enough cases.
fn best(view: &View, cases: &[Case], allocators: &[&str]) -> Option<String> {
    let frees = allocators.iter().filter(|allocator| view.frees(allocator));
    let means = means::comparable(cases, &frees.copied().collect::<Vec<&str>>());
    let by_time =
        |one: &&(&str, Mean), other: &&(&str, Mean)| one.1.value.total_cmp(&other.1.value);
    let text = |(allocator, mean): &(&str, Mean)| {
        let cases = if mean.cases == 1 { "case" } else { "cases" };
        format!(
            "{allocator} {} ({} {cases})",
            axis::multiple(mean.value),
            mean.cases
        )
    };
    let (best, last) = (means.iter().min_by(by_time)?, means.iter().max_by(by_time)?);
    Some(match best.0 == last.0 {
        true => text(best),
        false => format!("{} to {}", text(best), text(last)),
    })
}
