//! Builds of trees, compared.

use super::ComparedRow;
use crate::cells::{or_dash, status};
use crate::tree::TreeReport;
use crate::{Report, Table, display, milliseconds};

impl Report for [ComparedRow<TreeReport>] {
    /// A row a case; builds in milliseconds, with a star at the fastest that frees.
    fn table(&self) -> Table {
        let mut table = Table::new(&[
            "allocator",
            "#build ms",
            "#ratio",
            "fastest",
            "#pool",
            "#used",
            "#beside",
            "#internal",
            "#external",
            "#SAH cost",
            "#cut off",
            "status",
        ]);
        for row in self {
            let result = row.outcome.result.as_ref();
            table.push(vec![
                row.allocator.clone(),
                or_dash(result.map(|result| milliseconds(result.build_ms.median))),
                or_dash(row.standing.shown_ratio()),
                row.standing.mark(),
                or_dash(result.and_then(|result| result.pool_bytes.map(display))),
                or_dash(result.and_then(|result| result.pool_high_water_bytes.map(display))),
                or_dash(result.and_then(|result| result.device_bytes.map(display))),
                or_dash(
                    result
                        .and_then(|result| result.internal_fragmentation)
                        .map(|part| format!("{part:.4}")),
                ),
                or_dash(
                    result
                        .and_then(|result| result.external_fragmentation)
                        .map(|part| format!("{part:.4}")),
                ),
                or_dash(result.map(|result| format!("{:.2}", result.comparable_sah_cost))),
                or_dash(result.map(|result| result.cut_leaves.to_string())),
                status(row.outcome.status, row.outcome.error.as_deref()),
            ]);
        }
        table
    }
}
