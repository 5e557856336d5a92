//! Trees of a moving scene, compared.

use serde::{Deserialize, Serialize};

use super::{Origin, Row, Standing, cell, status};
use crate::report::{FramesReport, Table, milliseconds};
use crate::size::display;
use crate::workload::compare::Outcome;

/// An allocator's result.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FramesRow {
    /// The allocator, as on the command line.
    pub allocator: String,
    /// Its frames beside those of the others.
    #[serde(flatten)]
    pub standing: Standing,
    /// The options that all cases have in common, as given to `heapwood kdtree`.
    pub options: Vec<String>,
    /// What became of the case.
    #[serde(flatten)]
    pub outcome: Outcome<FramesReport>,
}

impl Row for FramesRow {
    type Result = FramesReport;

    fn case(&self) -> String {
        self.allocator.clone()
    }

    fn allocator(&self) -> &str {
        &self.allocator
    }

    fn standing(&self) -> &Standing {
        &self.standing
    }

    fn standing_mut(&mut self) -> &mut Standing {
        &mut self.standing
    }

    /// All frames together.
    fn time(result: &FramesReport) -> f64 {
        result
            .frames
            .iter()
            .map(|frame| frame.build_ms.median)
            .sum()
    }

    fn options(&self) -> &[String] {
        &self.options
    }

    fn outcome(&self) -> &Outcome<FramesReport> {
        &self.outcome
    }

    fn hash(result: &FramesReport) -> &str {
        &result.trees_hash
    }

    const DIFFER: &'static str = "built different trees";

    fn table(rows: &[Self]) -> Table {
        table(rows)
    }

    fn origin(result: &FramesReport) -> Origin {
        Origin {
            input: result.name(),
            backend: result.backend.clone(),
            device: result.device.clone(),
            meta: result.meta.clone(),
        }
    }
}

/// A row a case; milliseconds, with a star at the fastest.
fn table(rows: &[FramesRow]) -> Table {
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
            cell(result.map(|result| milliseconds(FramesRow::time(result)))),
            cell(row.standing.shown_ratio()),
            row.standing.mark(),
            cell(result.map(|result| milliseconds(result.build_ms_median))),
            cell(result.map(|result| milliseconds(result.build_ms_max))),
            cell(result.map(|result| display(result.pool_bytes))),
            cell(result.map(|result| display(result.pool_high_water_bytes))),
            cell(result.map(|result| display(result.device_bytes))),
            status(&row.outcome),
        ]);
    }
    table
}
