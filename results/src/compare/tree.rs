//! Builds of trees, compared.

use serde::{Deserialize, Serialize};

use super::Standing;
use crate::cells::{or_dash, status};
use crate::tree::TreeReport;
use crate::{Outcome, Report, Table, display, milliseconds};

/// An allocator's result: of one tree, or of the trees of a moving scene.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TreeRow<R> {
    /// The allocator, as on the command line.
    pub allocator: String,
    /// Its time beside those of the others.
    #[serde(flatten)]
    pub standing: Standing,
    /// The options that all cases have in common, as given to `heapwood kdtree`.
    #[serde(default)]
    pub options: Vec<String>,
    /// The report of the case or its error.
    #[serde(flatten)]
    pub outcome: Outcome<R>,
}

impl Report for [TreeRow<TreeReport>] {
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
