//! Shares of time that are calls, in comparisons.

use heapwood_results::compare::ComparedRow;
use heapwood_results::sensitivity::SensitivityReport;
use heapwood_results::{Samples, Status};

use super::adder::{Adder, Row};
use super::tree::{compared, failed};
use crate::{Section, Unit};

/// Adds a row of a comparison of this command with its input.
pub fn add_compared(
    adder: &mut Adder,
    row: ComparedRow<SensitivityReport>,
    (work, input): (&str, Option<&str>),
) {
    let command = compared(work, input, &row.options, &row.allocator).word("--sensitivity");
    let Some(report) = &row.outcome.result else {
        return failed(adder, Section::Sensitivity, &row, command);
    };
    let shown = Row {
        section: Section::Sensitivity,
        allocator: &report.allocator,
        device: &report.device,
        meta: &report.meta,
        status: Status::Ok,
        error: None,
        command,
        memory: None,
        hash: Some(&report.hash),
    };
    let workload = input.map_or_else(|| work.to_owned(), |input| format!("{work} {input}"));
    let plain = Some(&report.plain_ms);
    adder.time(
        &shown,
        format!("{workload}, without delays"),
        plain,
        Vec::new(),
    );
    // The ends of the interval are the spread of the share.
    let share = [report.share_low, report.share, report.share_high];
    let share = share.into_iter().collect::<Option<Vec<f64>>>();
    let case = format!("{workload}, part of the time that is calls");
    let samples = share.and_then(Samples::new);
    adder.quantity(&shown, case, Unit::Share, samples, Vec::new());
}
