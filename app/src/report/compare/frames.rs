//! Trees of a moving scene, compared.

use super::tree::{TreeRow, Trees};
use super::{Origin, cell, status};
use crate::report::{FramesReport, Table, milliseconds};
use crate::size::display;

impl Trees for FramesReport {
    /// All frames together.
    fn time(&self) -> f64 {
        self.frames.iter().map(|frame| frame.build_ms.median).sum()
    }

    fn hash(&self) -> &str {
        &self.trees_hash
    }

    fn table(rows: &[TreeRow<Self>]) -> Table {
        table(rows)
    }

    fn origin(&self) -> Origin {
        Origin {
            input: self.name(),
            backend: self.backend.clone(),
            device: self.device.clone(),
            meta: self.meta.clone(),
        }
    }
}

/// A row a case; milliseconds, with a star at the fastest.
fn table(rows: &[TreeRow<FramesReport>]) -> Table {
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
    for row in rows {
        let result = row.outcome.result.as_ref();
        table.push(vec![
            row.allocator.clone(),
            cell(result.map(|result| milliseconds(result.time()))),
            cell(row.standing.shown_ratio()),
            row.standing.mark(),
            cell(result.map(|result| milliseconds(result.build_ms_median))),
            cell(result.map(|result| milliseconds(result.build_ms_max))),
            cell(result.map(|result| display(result.pool_bytes))),
            cell(result.and_then(|result| result.pool_high_water_bytes.map(display))),
            cell(result.map(|result| display(result.device_bytes))),
            status(&row.outcome),
        ]);
    }
    table
}
