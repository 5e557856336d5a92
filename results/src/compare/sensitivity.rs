//! Shares of time that are calls of the allocator, compared.

use super::ComparedRow;
use crate::cells::{or_dash, percent, status};
use crate::sensitivity::SensitivityReport;
use crate::{Report, Table, milliseconds};

impl Report for [ComparedRow<SensitivityReport>] {
    /// A row a case; shares in per cent of the time with observed calls.
    fn table(&self) -> Table {
        let mut table = Table::new(&[
            "allocator",
            "#ms",
            "#ratio",
            "#calls",
            "#malloc ns",
            "#free ns",
            "#share",
            "#from",
            "#to",
            "#slowest ms",
            "status",
        ]);
        for row in self {
            let result = row.outcome.result.as_ref();
            let slowest = |result: &SensitivityReport| {
                let last = result.stretched.last();
                last.map(|times| milliseconds(times.ms.median))
            };
            table.push(vec![
                row.allocator.clone(),
                or_dash(result.map(|result| milliseconds(result.plain_ms.median))),
                or_dash(row.standing.shown_ratio()),
                or_dash(result.map(|result| (result.requests + result.frees).to_string())),
                or_dash(result.map(|result| format!("{:.0}", result.malloc_ns))),
                or_dash(result.map(|result| format!("{:.0}", result.free_ns))),
                or_dash(result.map(|result| percent(result.share))),
                or_dash(result.map(|result| percent(result.share_low))),
                or_dash(result.map(|result| percent(result.share_high))),
                or_dash(result.and_then(slowest)),
                status(row.outcome.status, row.outcome.error.as_deref()),
            ]);
        }
        table
    }
}
