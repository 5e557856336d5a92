//! A run of the GAP benchmark suite: the graph, and the trials of each kernel.
//!
//! The text has a block of lines for each kernel in the form that gapbs prints, so that scripts for its
//! output read it.

use serde::{Deserialize, Serialize};

use super::GraphReport;
use crate::cells;
use crate::{Line, Report, Samples, Table, milliseconds};

/// The result of `heapwood gap`: the keys of `heapwood graph`, and two more.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GapReport {
    /// The graph as loaded.
    #[serde(flatten)]
    pub graph: GraphReport,
    /// Reading or generating the graph and making its rows, in milliseconds.
    pub read_ms: f64,
    /// The kernels in the order in which they ran.
    #[serde(rename = "gap")]
    pub kernels: Vec<KernelReport>,
}

/// The trials of a kernel, at least one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KernelReport {
    /// The name that gapbs has for it.
    pub kernel: String,
    /// The mean time of a trial, in milliseconds.
    pub average_ms: f64,
    /// All launches of each trial, in milliseconds.
    pub ms: Samples,
    /// The sources and results of the trials.
    pub trials: Vec<TrialReport>,
}

/// One trial in results.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TrialReport {
    /// The numbers of the vertices that it starts from, as in the file.
    pub sources: Vec<u64>,
    /// A figure of the result.
    pub result: TrialResult,
    /// The change of one more iteration on the host, summed over vertices; null except for verified
    /// PageRank.
    pub total_error: Option<f64>,
    /// The time of the verification on the host, in milliseconds; null without verification.
    pub verification_ms: Option<f64>,
}

/// A figure of the result of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrialResult {
    /// Vertices that a search reached, the source among them.
    Reached(u64),
    /// Iterations of PageRank.
    Iterations(u32),
    /// Connected components.
    Components(u64),
    /// The greatest betweenness of a vertex.
    Greatest(f64),
    /// Triangles.
    Triangles(u64),
}

/// The titles for programs: the graph, and a kernel.
const RECORDS: [&str; 22] = [
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
    "#read_ms",
    "#init_ms",
    "#allocated_bytes",
    "kernel",
    "#trials",
    "#average_ms",
    "#median_ms",
    "#min_ms",
    "#max_ms",
    "verified",
    "graph_hash",
    "commit",
];

impl KernelReport {
    /// The kernel for people.
    fn summary(&self) -> String {
        let (min, max) = self.ms.range();
        format!(
            "{}: {} trials, average {} ms ({} to {})",
            self.kernel,
            self.trials.len(),
            milliseconds(self.average_ms),
            milliseconds(min),
            milliseconds(max)
        )
    }

    /// Whether all trials were verified.
    fn is_verified(&self) -> bool {
        let mut trials = self.trials.iter();
        trials.all(|trial| trial.verification_ms.is_some())
    }

    /// The lines of the trials in the form of gapbs.
    fn trial_lines(&self) -> String {
        let trials = self.trials.iter().zip(&self.ms.samples);
        let mut text: String = trials.map(|(trial, &ms)| trial.lines(ms)).collect();
        text.push_str(&time_line("Average Time", self.average_ms));
        text
    }
}

impl TrialReport {
    /// The lines of a trial that took so many milliseconds.
    fn lines(&self, ms: f64) -> String {
        let mut text = time_line("Trial Time", ms);
        if let Some(error) = self.total_error {
            text.push_str(&figure_line("Total Error", error));
        }
        if let Some(ms) = self.verification_ms {
            // A trial that fails ends the run with an error.
            text.push_str(&label_line("Verification", "PASS"));
            text.push_str(&time_line("Verification Time", ms));
        }
        text
    }
}

/// A label and a time in seconds, of milliseconds.
fn time_line(label: &str, ms: f64) -> String {
    figure_line(label, ms / 1e3)
}

/// A label and a figure with the columns and digits of gapbs.
fn figure_line(label: &str, figure: f64) -> String {
    format!("{:<21}{figure:.5}\n", format!("{label}:"))
}

/// A label and a word in the columns of gapbs.
fn label_line(label: &str, word: &str) -> String {
    format!("{:<21}{word:>7}\n", format!("{label}:"))
}

impl GapReport {
    /// The lines of the graph for people.
    fn load_lines(&self) -> Vec<Line> {
        let mut lines = self.graph.load_lines();
        lines.push(("read", format!("{} ms", milliseconds(self.read_ms))));
        lines
    }

    /// The lines behind those of the kernels.
    fn end_lines(&self) -> Vec<Line> {
        let mut lines = vec![("graph hash", self.graph.graph_hash.clone())];
        if let Some(verified) = &self.graph.verified {
            lines.push(("verified", verified.join(", ")));
        }
        lines
    }

    /// The size of the graph in the form of gapbs, whose edges are undirected in an undirected graph.
    fn size_line(&self) -> String {
        let GraphReport {
            vertices,
            edges_stored,
            directed,
            ..
        } = &self.graph;
        let (edges, kind) = match directed {
            true => (*edges_stored, "directed"),
            false => (edges_stored / 2, "undirected"),
        };
        let degree = edges.checked_div(u64::from(*vertices)).unwrap_or(0);
        format!("Graph has {vertices} nodes and {edges} {kind} edges for degree: {degree}\n")
    }

    /// The block of a kernel in the form of gapbs.
    fn block(&self, kernel: &KernelReport) -> String {
        [
            label_line("Kernel", &kernel.kernel),
            time_line("Read Time", self.read_ms),
            time_line("Build Time", self.graph.init_ms.median),
            self.size_line(),
            kernel.trial_lines(),
        ]
        .concat()
    }
}

impl Report for GapReport {
    fn table(&self) -> Table {
        let mut lines = self.load_lines();
        for (index, kernel) in self.kernels.iter().enumerate() {
            let name = if index == 0 { "gap" } else { "" };
            lines.push((name, kernel.summary()));
        }
        lines.extend(self.end_lines());
        cells::table(lines)
    }

    /// A row a kernel.
    fn records(&self) -> Table {
        let mut table = Table::new(&RECORDS);
        let graph = &self.graph;
        for kernel in &self.kernels {
            let (min, max) = kernel.ms.range();
            table.push(vec![
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
                self.read_ms.to_string(),
                graph.init_ms.median.to_string(),
                cells::option(graph.memory.allocated_bytes),
                kernel.kernel.clone(),
                kernel.trials.len().to_string(),
                kernel.average_ms.to_string(),
                kernel.ms.median.to_string(),
                min.to_string(),
                max.to_string(),
                kernel.is_verified().to_string(),
                graph.graph_hash.clone(),
                cells::option(graph.meta.commit.as_ref()),
            ]);
        }
        table
    }

    fn text(&self) -> String {
        let mut lines = self.load_lines();
        lines.extend(self.end_lines());
        let mut text = cells::text(&lines, 12);
        for kernel in &self.kernels {
            text.push('\n');
            text.push_str(&self.block(kernel));
        }
        text
    }
}
