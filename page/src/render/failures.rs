//! Cases without a number: failures, and what allocators do not do.

use std::collections::BTreeMap;

use heapwood_results::Status;
use maud::{Markup, html};

use super::{View, heat};
use crate::Measured;

/// The section of failures.
pub fn failures(view: &View) -> Markup {
    let measured = view.collection.measured.iter();
    let (failed, unsupported): (Vec<&Measured>, Vec<&Measured>) = measured
        .filter(|one| one.status != Status::Ok)
        .partition(|one| heat::is_failure(one.status));
    html! {
        section #failures {
            h2 { "Failures" }
            @if failed.is_empty() {
                p { "No case failed." }
            } @else {
                p { (failed.len()) " results failed." }
                (table(&failed))
            }
            @if !unsupported.is_empty() {
                details {
                    summary { (unsupported.len()) " cases are not what their allocators do" }
                    (table(&unsupported))
                }
            }
        }
    }
}

/// A row for each reason of an allocator.
fn table(measured: &[&Measured]) -> Markup {
    let mut reasons: BTreeMap<(&str, &str, &str), Vec<&str>> = BTreeMap::new();
    for one in measured {
        let error = one.error.as_deref().unwrap_or("-");
        let key = (one.allocator.as_str(), one.status.name(), error);
        let case = match one.case.as_str() {
            "" => "all cases",
            case => case,
        };
        reasons.entry(key).or_default().push(case);
    }
    html! {
        div.scroll {
            table {
                thead {
                    tr {
                        th scope="col" { "allocator" }
                        th scope="col" { "status" }
                        th.text scope="col" { "reason" }
                        th.text scope="col" { "cases" }
                    }
                }
                tbody {
                    @for ((allocator, status, error), cases) in &reasons {
                        tr {
                            th scope="row" { (allocator) }
                            td { (status) }
                            td.text { (error) }
                            td.text { (cases.join("; ")) }
                        }
                    }
                }
            }
        }
    }
}
