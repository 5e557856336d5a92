//! A table of cases by allocators: multiples of the reference, coloured.

use heapwood_results::{Status, milliseconds};
use maud::{Markup, PreEscaped, html};

use super::{View, axis};
use crate::{Case, Measured, Unit};

/// Whether a case should have ended well.
pub fn is_failure(status: Status) -> bool {
    !matches!(status, Status::Ok | Status::Unsupported)
}

/// The class of the colour of a multiple.
pub fn class(multiple: f64) -> &'static str {
    let limits = [
        (0.95, "a"),
        (1.05, "b"),
        (1.25, "c"),
        (1.6, "d"),
        (2.5, "e"),
        (5.0, "f"),
        (20.0, "g"),
    ];
    let found = limits.iter().find(|(limit, _)| multiple <= *limit);
    found.map_or("h", |(_, class)| class)
}

/// The table of some cases.
pub fn table(view: &View, cases: &[Case]) -> Markup {
    let allocators = view.allocators_of(cases);
    let has_bound = cases.iter().any(|case| {
        let reference = case.reference();
        reference.is_some_and(|(name, _)| name == crate::cases::LOWER_BOUND)
    });
    html! {
        div.scroll {
            table.heat.cases {
                caption {
                    "Medians as multiples of the reference"
                    @if has_bound { ": AtomicMalloc, the lower bound, or else the best of the case. " }
                    @else { ": the best of the case. " }
                    "Less is better. "
                    span.a { "up to 0.95" } " " span.b { "1.05" } " " span.c { "1.25" } " "
                    span.d { "1.6" } " " span.e { "2.5" } " " span.f { "5" } " "
                    span.g { "20" } " " span.h { "more" } " " span.bad { "failed" }
                }
                thead {
                    tr {
                        th scope="col" { "case" }
                        th scope="col" { "reference" }
                        @for allocator in &allocators {
                            th scope="col" class={ "k" (view.number(allocator)) } { (allocator) }
                        }
                    }
                }
                tbody {
                    @for case in cases {
                        (row(case, &allocators))
                    }
                }
            }
        }
    }
}

fn reference(case: &Case) -> String {
    let Some((_, value)) = case.reference() else {
        return "-".to_owned();
    };
    match case.unit {
        Unit::Milliseconds => format!("{} ms", milliseconds(value)),
        Unit::Share => format!("{:.1} %", 100.0 * value),
        Unit::Number | Unit::Bytes => format!("{} {}", axis::short(value), case.unit.symbol()),
    }
}

/// A row, which has the colour of most of its cells. A table has thousands of cells: the start of the
/// next one ends each, as HTML permits.
fn row(case: &Case, allocators: &[&str]) -> Markup {
    let multiples = allocators.iter().map(|one| case.multiple(one));
    let classes = multiples.flatten().map(class);
    let classes: Vec<&str> = classes.collect();
    let count = |class: &&&str| classes.iter().filter(|other| other == class).count();
    let usual = classes.iter().max_by_key(count).copied().unwrap_or("n");
    html! {
        (PreEscaped(format!("<tr class={usual}><th>"))) (case.name)
        (PreEscaped("<td>")) (reference(case))
        @for allocator in allocators {
            (cell(case, allocator, usual))
        }
    }
}

fn cell(case: &Case, allocator: &str, usual: &str) -> Markup {
    let Some(measured) = case.cells.get(allocator) else {
        return PreEscaped("<td>".to_owned());
    };
    let Some(multiple) = case.multiple(allocator) else {
        return absent(measured);
    };
    let text = axis::multiple(multiple);
    PreEscaped(match class(multiple) {
        class if class == usual => format!("<td>{text}"),
        class => format!("<td class={class}>{text}"),
    })
}

/// A cell without a number, and the reason.
fn absent(measured: &Measured) -> Markup {
    let reason = measured.error.as_deref();
    match measured.status {
        Status::Ok => html! { td.n { "-" } },
        Status::Unsupported => html! { td.n title=[reason] { "n/a" } },
        status => html! { td.bad title=[reason] { (status.name()) } },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_have_limits() {
        let classes = [0.5, 1.0, 1.05, 1.2, 1.5, 2.0, 4.0, 20.0, 21.0].map(class);
        assert_eq!(classes, ["a", "b", "b", "c", "d", "e", "f", "g", "h"]);
    }
}
