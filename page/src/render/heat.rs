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
        (0.95, "h0"),
        (1.05, "h1"),
        (1.25, "h2"),
        (1.6, "h3"),
        (2.5, "h4"),
        (5.0, "h5"),
        (20.0, "h6"),
    ];
    let found = limits.iter().find(|(limit, _)| multiple <= *limit);
    found.map_or("h7", |(_, class)| class)
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
                    span.h0 { "up to 0.95" } " " span.h1 { "1.05" } " " span.h2 { "1.25" } " "
                    span.h3 { "1.6" } " " span.h4 { "2.5" } " " span.h5 { "5" } " "
                    span.h6 { "20" } " " span.h7 { "more" } " " span.bad { "failed" }
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
                        tr {
                            th scope="row" { (case.name) }
                            td { (reference(case)) }
                            @for allocator in &allocators {
                                (cell(case, allocator))
                            }
                        }
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

/// A cell. A table has thousands: the start of the next one ends it, as HTML permits.
fn cell(case: &Case, allocator: &str) -> Markup {
    let Some(measured) = case.cells.get(allocator) else {
        return PreEscaped("<td>".to_owned());
    };
    match case.multiple(allocator) {
        Some(multiple) => PreEscaped(format!(
            "<td class={}>{}",
            class(multiple),
            axis::multiple(multiple)
        )),
        None => absent(measured),
    }
}

/// A cell without a number, and the reason.
fn absent(measured: &Measured) -> Markup {
    let reason = measured.error.as_deref();
    match measured.status {
        Status::Ok => html! { td { "-" } },
        Status::Unsupported => html! { td title=[reason] { "n/a" } },
        status => html! { td.bad title=[reason] { (status.name()) } },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_have_limits() {
        let classes = [0.5, 1.0, 1.05, 1.2, 1.5, 2.0, 4.0, 20.0, 21.0].map(class);
        assert_eq!(
            classes,
            ["h0", "h1", "h1", "h2", "h3", "h4", "h5", "h6", "h7"]
        );
    }
}
