//! Steps over allocators, compared.

use super::ComparedRow;
use crate::cells::{fraction, or_dash, percent, status};
use crate::steps::{StepsReport, StepsResult};
use crate::{Report, Table, display, milliseconds};

impl<R: StepsResult> Report for [ComparedRow<StepsReport<R>>] {
    /// A row a case; milliseconds, with a star at the fastest that frees.
    fn table(&self) -> Table {
        let mut table = Table::new(&[
            "allocator",
            "#step ms",
            "#ratio",
            "fastest",
            "#in allocator",
            "#requests a step",
            "#refused",
            "#pool",
            "#at most",
            "#internal",
            "#external",
            "status",
        ]);
        for row in self {
            let result = row.outcome.result.as_ref();
            table.push(vec![
                row.allocator.clone(),
                or_dash(result.map(|result| milliseconds(1e3 / result.steps_per_second))),
                or_dash(row.standing.shown_ratio()),
                row.standing.mark(),
                or_dash(result.map(|result| percent(result.allocator_share))),
                or_dash(result.map(|result| result.requests_per_step().round().to_string())),
                or_dash(result.map(|result| result.refused.to_string())),
                or_dash(result.map(|result| display(result.pool_bytes))),
                or_dash(result.map(|result| display(result.high_water_bytes))),
                or_dash(result.map(|result| fraction(result.internal_fragmentation))),
                or_dash(result.map(|result| fraction(result.external_fragmentation))),
                status(row.outcome.status, row.outcome.error.as_deref()),
            ]);
        }
        table
    }
}
