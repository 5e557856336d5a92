//! Trees of a moving scene, compared.

use super::ComparedRow;
use crate::cells::{or_dash, status};
use crate::frames::FramesReport;
use crate::{Report, Table, display, milliseconds};

impl Report for [ComparedRow<FramesReport>] {
    /// A row a case; milliseconds, with a star at the fastest.
    fn table(&self) -> Table {
        let mut table = Table::new(&[
            "allocator",
            "#all ms",
            "#ratio",
            "fastest",
            "#median ms",
            "#longest ms",
            "#pool",
            "#used",
            "#beside",
            "status",
        ]);
        for row in self {
            let result = row.outcome.result.as_ref();
            table.push(vec![
                row.allocator.clone(),
                or_dash(result.map(|result| milliseconds(result.all_ms()))),
                or_dash(row.standing.shown_ratio()),
                row.standing.mark(),
                or_dash(result.map(|result| milliseconds(result.build_ms_median))),
                or_dash(result.map(|result| milliseconds(result.build_ms_max))),
                or_dash(result.map(|result| display(result.pool_bytes))),
                or_dash(result.and_then(|result| result.pool_high_water_bytes.map(display))),
                or_dash(result.map(|result| display(result.device_bytes))),
                status(row.outcome.status, row.outcome.error.as_deref()),
            ]);
        }
        table
    }
}
