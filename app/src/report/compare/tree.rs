//! Builds of a tree, compared.

use serde::{Deserialize, Serialize};

use super::{Origin, Row, Standing, cell, status};
use crate::report::{Table, TreeReport, milliseconds};
use crate::size::display;
use crate::workload::compare::Outcome;

/// An allocator's result.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TreeRow {
    /// The allocator, as on the command line.
    pub allocator: String,
    /// Its median build beside those of the others.
    #[serde(flatten)]
    pub standing: Standing,
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

    fn allocator(&self) -> &str {
        &self.allocator
    }

    fn standing(&self) -> &Standing {
        &self.standing
    }

    fn standing_mut(&mut self) -> &mut Standing {
        &mut self.standing
    }

    fn time(result: &TreeReport) -> f64 {
        result.build_ms.median
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

/// A row a case; builds in milliseconds, with a star at the fastest that frees.
fn table(rows: &[TreeRow]) -> Table {
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
    for row in rows {
        let result = row.outcome.result.as_ref();
        table.push(vec![
            row.allocator.clone(),
            cell(result.map(|result| milliseconds(result.build_ms.median))),
            cell(row.standing.shown_ratio()),
            row.standing.mark(),
            cell(result.map(|result| display(result.pool_bytes))),
            cell(result.map(|result| display(result.pool_high_water_bytes))),
            cell(result.map(|result| display(result.device_bytes))),
            cell(result.map(|result| format!("{:.4}", result.internal_fragmentation))),
            cell(
                result
                    .and_then(|result| result.external_fragmentation)
                    .map(|part| format!("{part:.4}")),
            ),
            cell(result.map(|result| format!("{:.2}", result.comparable_sah_cost))),
            cell(result.map(|result| result.cut_leaves.to_string())),
            status(&row.outcome),
        ]);
    }
    table
}
