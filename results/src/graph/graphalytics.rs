//! A run of LDBC Graphalytics: the graph, and an entry for each algorithm of its dataset.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::GraphReport;
use crate::cells::{self, option};
use crate::{Line, Report, Samples, Table};

/// The result of `heapwood graphalytics`: the keys of `heapwood graph`, and one more.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GraphalyticsReport {
    /// The graph and the results of the algorithms.
    #[serde(flatten)]
    pub graph: GraphReport,
    /// The algorithms in the order of the dataset, with the comparison of their output.
    #[serde(rename = "graphalytics")]
    pub algorithms: Vec<DatasetRow>,
}

/// An algorithm of a dataset.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DatasetRow {
    /// The name, as the properties have it.
    pub algorithm: String,
    /// The parameters, by the names that the properties have for them.
    pub parameters: BTreeMap<String, String>,
    /// All launches, in milliseconds.
    pub ms: Samples,
    /// The comparison of the output with that of the reference.
    pub comparison: Comparison,
}

/// The comparison of output with that of the reference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Comparison {
    /// The outputs match by the rule of the algorithm.
    Matches,
    /// The values of a vertex differ.
    Differs {
        /// The id of the first such vertex.
        vertex: u64,
        /// Its value, as it is written.
        found: String,
        /// The value of the reference in the same form.
        expected: String,
    },
    /// There is no reference output.
    NoReference,
}

impl fmt::Display for Comparison {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Matches => write!(out, "matches"),
            Self::Differs {
                vertex,
                found,
                expected,
            } => write!(out, "differs at vertex {vertex}: {found}, not {expected}"),
            Self::NoReference => write!(out, "no reference"),
        }
    }
}

/// The titles for programs: the graph, and an algorithm. Times are medians.
const RECORDS: [&str; 21] = [
    "graph",
    "#vertices",
    "#edges_stored",
    "directed",
    "backend",
    "device",
    "allocator",
    "parameters",
    "layout",
    "#pool_bytes",
    "#init_ms",
    "#allocated_bytes",
    "algorithm",
    "algorithm_parameters",
    "#ms",
    "outcome",
    "#vertex",
    "found",
    "expected",
    "graph_hash",
    "commit",
];

impl DatasetRow {
    /// The algorithm for people.
    fn text(&self) -> String {
        let parameters = self.parameters.iter();
        let parameters: Vec<String> = parameters
            .map(|(name, value)| format!("{name} {value}"))
            .collect();
        let separator = if parameters.is_empty() { "" } else { "; " };
        format!(
            "{}: {}{separator}{}; {}",
            self.algorithm,
            parameters.join(", "),
            self.ms,
            self.comparison
        )
    }

    /// The cells of the comparison: the outcome, the vertex, its value, and that of the reference.
    fn comparison_cells(&self) -> [String; 4] {
        let cells = |outcome: &str| {
            [
                outcome.to_owned(),
                String::new(),
                String::new(),
                String::new(),
            ]
        };
        match &self.comparison {
            Comparison::Matches => cells("matches"),
            Comparison::NoReference => cells("no-reference"),
            Comparison::Differs {
                vertex,
                found,
                expected,
            } => [
                "differs".to_owned(),
                vertex.to_string(),
                found.clone(),
                expected.clone(),
            ],
        }
    }
}

impl GraphalyticsReport {
    /// The report for people.
    fn lines(&self) -> Vec<Line> {
        let mut lines = self.graph.load_lines();
        for (index, row) in self.algorithms.iter().enumerate() {
            let name = if index == 0 { "graphalytics" } else { "" };
            lines.push((name, row.text()));
        }
        lines.push(("graph hash", self.graph.graph_hash.clone()));
        lines
    }
}

impl Report for GraphalyticsReport {
    fn table(&self) -> Table {
        cells::table(self.lines())
    }

    /// A row an algorithm.
    fn records(&self) -> Table {
        let mut table = Table::new(&RECORDS);
        let graph = &self.graph;
        for row in &self.algorithms {
            let mut cells = vec![
                graph.graph.clone(),
                graph.vertices.to_string(),
                graph.edges_stored.to_string(),
                graph.directed.to_string(),
                graph.backend.clone(),
                graph.device.clone(),
                graph.allocator.clone(),
                cells::parameters(&graph.parameters),
                graph.layout.clone(),
                graph.pool_bytes.to_string(),
                graph.init_ms.median.to_string(),
                option(graph.memory.allocated_bytes),
                row.algorithm.clone(),
                cells::parameters(&row.parameters),
                row.ms.median.to_string(),
            ];
            cells.extend(row.comparison_cells());
            cells.extend([graph.graph_hash.clone(), option(graph.meta.commit.as_ref())]);
            table.push(cells);
        }
        table
    }

    fn text(&self) -> String {
        cells::text(&self.lines(), 12)
    }
}
