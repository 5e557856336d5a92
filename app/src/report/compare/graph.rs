//! Graphs that were kept, changed and computed on, compared.

use super::{Compared, GraphRow, Origin, Row, Standing};
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
        result.time()
    }

    fn options(&self) -> &[String] {
        &self.options
    }

    fn outcome(&self) -> &Outcome<GraphReport> {
        &self.outcome
    }

    fn hash(result: &GraphReport) -> &str {
        Compared::hash(result)
    }

    const DIFFER: &'static str = GraphReport::DIFFER;

    fn origin(result: &GraphReport) -> Origin {
        Compared::origin(result)
    }
}

impl Compared for GraphReport {
    /// All changes of the graph.
    fn time(&self) -> f64 {
        self.changes_ms()
    }

    fn hash(&self) -> &str {
        &self.graph_hash
    }

    const DIFFER: &'static str = "ended with different graphs";

    fn origin(&self) -> Origin {
        Origin {
            input: self.graph.clone(),
            backend: self.backend.clone(),
            device: self.device.clone(),
            meta: self.meta.clone(),
        }
    }
}
