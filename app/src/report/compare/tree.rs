//! Builds of trees, compared.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Origin, Row, Standing, cell, status};
use crate::report::{Table, TreeReport, milliseconds};
use crate::size::display;
use crate::workload::compare::Outcome;

/// An allocator's result: of one tree, or of the trees of a moving scene.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TreeRow<R> {
    /// The allocator, as on the command line.
    pub allocator: String,
    /// Its time beside those of the others.
    #[serde(flatten)]
    pub standing: Standing,
    /// The options that all cases have in common, as given to `heapwood kdtree`.
    pub options: Vec<String>,
    /// What became of the case.
    #[serde(flatten)]
    pub outcome: Outcome<R>,
}

/// What `heapwood kdtree` answers.
pub trait Trees: Serialize + DeserializeOwned {
    /// The time by which results are compared, in milliseconds.
    fn time(&self) -> f64;

    /// The hash that all results must have.
    fn hash(&self) -> &str;

    /// Rows for people.
    fn table(rows: &[TreeRow<Self>]) -> Table;

    /// Where it comes from.
    fn origin(&self) -> Origin;
}

impl<R: Trees> Row for TreeRow<R> {
    type Result = R;

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

    fn time(result: &R) -> f64 {
        result.time()
    }

    fn options(&self) -> &[String] {
        &self.options
    }

    fn outcome(&self) -> &Outcome<R> {
        &self.outcome
    }

    fn hash(result: &R) -> &str {
        result.hash()
    }

    const DIFFER: &'static str = "built different trees";

    fn table(rows: &[Self]) -> Table {
        R::table(rows)
    }

    fn origin(result: &R) -> Origin {
        result.origin()
    }
}

impl Trees for TreeReport {
    fn time(&self) -> f64 {
        self.build_ms.median
    }

    fn hash(&self) -> &str {
        &self.tree_hash
    }

    fn table(rows: &[TreeRow<Self>]) -> Table {
        table(rows)
    }

    fn origin(&self) -> Origin {
        Origin {
            input: self.scene.clone(),
            backend: self.backend.clone(),
            device: self.device.clone(),
            meta: self.meta.clone(),
        }
    }
}

/// A row a case; builds in milliseconds, with a star at the fastest that frees.
fn table(rows: &[TreeRow<TreeReport>]) -> Table {
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
            cell(result.and_then(|result| result.pool_bytes.map(display))),
            cell(result.and_then(|result| result.pool_high_water_bytes.map(display))),
            cell(result.and_then(|result| result.device_bytes.map(display))),
            cell(
                result
                    .and_then(|result| result.internal_fragmentation)
                    .map(|part| format!("{part:.4}")),
            ),
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
