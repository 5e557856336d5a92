//! Builds of a tree, compared.

use serde::{Deserialize, Serialize};

use super::{Origin, Row, cell, status};
use crate::report::{Table, TreeReport, milliseconds};
use crate::size::display;
use crate::workload::compare::Outcome;

/// The allocator that the others are compared with.
const BASE: &str = "atomicmalloc";

/// An allocator's result.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TreeRow {
    /// The allocator, as on the command line.
    pub allocator: String,
    /// The median build to that over AtomicMalloc, if that succeeded.
    pub ratio: Option<f64>,
    /// The options that all cases have in common, as given to `heapwood kdtree`.
    pub options: Vec<String>,
    /// What became of the case.
    #[serde(flatten)]
    pub outcome: Outcome<TreeReport>,
}

impl Row for TreeRow {
    type Result = TreeReport;

    fn case(&self) -> String {
        self.allocator.clone()
    }

    fn options(&self) -> &[String] {
        &self.options
    }

    fn outcome(&self) -> &Outcome<TreeReport> {
        &self.outcome
    }

    fn hash(result: &TreeReport) -> &str {
        &result.tree_hash
    }

    const DIFFER: &'static str = "built different trees";

    fn relate(rows: &mut [Self]) {
        set_ratios(rows);
    }

    fn table(rows: &[Self]) -> Table {
        table(rows)
    }

    fn origin(result: &TreeReport) -> Origin {
        Origin {
            input: result.scene.clone(),
            backend: result.backend.clone(),
            device: result.device.clone(),
            meta: result.meta.clone(),
        }
    }
}

/// Sets the ratios of rows, by the base if it is among them.
fn set_ratios(rows: &mut [TreeRow]) {
    let median = |row: &TreeRow| Some(row.outcome.result.as_ref()?.build_ms.median);
    let base = rows.iter().find(|row| row.allocator == BASE);
    let base = base.and_then(median);
    for row in rows {
        row.ratio = base.and_then(|base| Some(median(row)? / base));
    }
}

/// A row a case; builds in milliseconds.
fn table(rows: &[TreeRow]) -> Table {
    let mut table = Table::new(&[
        "allocator",
        "#build ms",
        "#ratio",
        "#pool",
        "#used",
        "#internal",
        "#external",
        "status",
    ]);
    for row in rows {
        let result = row.outcome.result.as_ref();
        table.push(vec![
            row.allocator.clone(),
            cell(result.map(|result| milliseconds(result.build_ms.median))),
            cell(row.ratio.map(|ratio| format!("{ratio:.2}"))),
            cell(result.map(|result| display(result.pool_bytes))),
            cell(result.map(|result| display(result.pool_high_water_bytes))),
            cell(result.map(|result| format!("{:.4}", result.internal_fragmentation))),
            cell(
                result
                    .and_then(|result| result.external_fragmentation)
                    .map(|part| format!("{part:.4}")),
            ),
            status(&row.outcome),
        ]);
    }
    table
}
