//! Graphs that were kept, changed and computed on, compared.

use super::{GraphRow, Origin, Row, Standing};
use crate::report::graph::GraphReport;
use crate::workload::compare::Outcome;

impl Row for GraphRow {
    type Result = GraphReport;

    fn case(&self) -> String {
        format!("{}, {}", self.allocator, self.layout)
    }

    fn allocator(&self) -> &str {
        &self.allocator
    }

    fn group(&self) -> &str {
        &self.layout
    }

    fn standing(&self) -> &Standing {
        &self.standing
    }

    fn standing_mut(&mut self) -> &mut Standing {
        &mut self.standing
    }

    fn time(result: &GraphReport) -> f64 {
        result.changes_ms()
    }

    fn options(&self) -> &[String] {
        &self.options
    }

    fn outcome(&self) -> &Outcome<GraphReport> {
        &self.outcome
    }

    fn hash(result: &GraphReport) -> &str {
        &result.graph_hash
    }

    const DIFFER: &'static str = "ended with different graphs";

    fn origin(result: &GraphReport) -> Origin {
        Origin {
            input: result.graph.clone(),
            backend: result.backend.clone(),
            device: result.device.clone(),
            meta: result.meta.clone(),
        }
    }
}
