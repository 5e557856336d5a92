//! Reports of graph algorithms, one key per algorithm.

use serde::{Deserialize, Serialize};

use super::ProblemsReport;
use crate::{Line, Samples};

/// The reports of all algorithms; what was not asked for is null.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AlgorithmReports {
    /// PageRank.
    #[serde(rename = "pagerank")]
    pub ranks: Option<RankReport>,
    /// Triangles.
    pub triangles: Option<CountReport>,
    /// Connected components.
    pub components: Option<CountReport>,
    /// A breadth-first search.
    #[serde(rename = "bfs")]
    pub search: Option<SearchReport>,
    /// Shortest paths.
    #[serde(rename = "sssp")]
    pub paths: Option<PathReport>,
    /// Problems of shortest paths.
    pub problems: Option<ProblemsReport>,
    /// Local clustering coefficients.
    #[serde(rename = "lcc")]
    pub clustering: Option<ClusteringReport>,
    /// Communities by label propagation.
    #[serde(rename = "cdlp")]
    pub communities: Option<CommunityReport>,
    /// Core numbers.
    #[serde(rename = "kcore")]
    pub cores: Option<CoreReport>,
    /// Betweenness centrality.
    pub betweenness: Option<BetweennessReport>,
}

impl AlgorithmReports {
    /// The reports for people, on a graph of so many vertices.
    pub(super) fn lines(&self, vertices: u32) -> Vec<Line> {
        let mut lines: Vec<Line> = self.ranks.iter().flat_map(RankReport::lines).collect();
        lines.extend(self.triangles.iter().map(|found| found.line("triangles")));
        lines.extend(self.components.iter().map(|found| found.line("components")));
        lines.extend(self.search.iter().map(|found| found.line(vertices)));
        lines.extend(self.paths.iter().flat_map(|found| found.lines(vertices)));
        let problems = self.problems.iter();
        lines.extend(problems.flat_map(|found| found.lines(vertices)));
        lines.extend(self.clustering.iter().map(ClusteringReport::line));
        lines.extend(self.communities.iter().map(CommunityReport::line));
        lines.extend(self.cores.iter().map(CoreReport::line));
        let betweenness = self.betweenness.iter();
        lines.extend(betweenness.flat_map(BetweennessReport::lines));
        lines
    }
}

/// A number of something.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CountReport {
    /// The number.
    pub count: u64,
    /// Counting, in milliseconds.
    pub ms: Samples,
}

impl CountReport {
    /// The number for people, called `name`.
    fn line(&self, name: &'static str) -> Line {
        (name, format!("{}; {}", self.count, self.ms))
    }
}

/// PageRank in results.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RankReport {
    /// `power` or `accelerated`; in directed graphs the one is the other.
    pub method: String,
    /// Iterations.
    pub iterations: u32,
    /// Whether the last change was within the tolerance.
    pub converged: bool,
    /// The change of the last iteration, summed over vertices.
    pub residual: f64,
    /// The sum of all ranks.
    pub sum: f64,
    /// All iterations, in milliseconds.
    pub ms: Samples,
    /// Bytes that one of them moves at least; null in linked layout and after
    /// updates, where there is no count.
    pub iteration_bytes: Option<u64>,
    /// Vertices of highest rank.
    pub top: Vec<Ranked>,
}

/// A vertex and its rank.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ranked {
    /// Its number in the file.
    pub vertex: u64,
    /// Its rank.
    pub rank: f32,
}

impl RankReport {
    /// The report for people: a line, and one for each listed vertex.
    fn lines(&self) -> Vec<Line> {
        let end = if self.converged { "" } else { " (the limit)" };
        let mut lines = vec![(
            "pagerank",
            format!(
                "{} iterations{end}, residual {:.1e}, sum {:.6}; {}",
                self.iterations, self.residual, self.sum, self.ms
            ),
        )];
        let top = self.top.iter().map(|top| (top.vertex, top.rank.into()));
        lines.extend(listed(top));
        lines
    }
}

/// Vertices and their values for people, a line each.
fn listed(top: impl Iterator<Item = (u64, f64)> + Clone) -> impl Iterator<Item = Line> {
    let width = top.clone().map(|(vertex, _)| vertex.to_string().len());
    let width = width.max().unwrap_or(0);
    top.map(move |(vertex, value)| ("", format!("{vertex:>width$}  {value:.4e}")))
}

/// A breadth-first search in results.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SearchReport {
    /// The number of the vertex that it starts from.
    pub source: u64,
    /// Vertices that were reached, the source among them; 0 if that was deleted.
    pub reached: u32,
    /// The greatest depth.
    pub depth: u32,
    /// The search, in milliseconds.
    pub ms: Samples,
}

impl SearchReport {
    /// The search for people, on a graph of so many vertices.
    fn line(&self, vertices: u32) -> Line {
        let Self {
            source,
            reached,
            depth,
            ms,
        } = self;
        let deleted = match reached {
            0 => ", which was deleted",
            _ => "",
        };
        let text = format!(
            "{reached} of {vertices} vertices reached from {source}{deleted}, depth {depth}; {ms}"
        );
        ("search", text)
    }
}

/// Shortest paths in results.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PathReport {
    /// The number of the vertex that they start from.
    pub source: u64,
    /// Vertices that were reached, the source among them; 0 if that was deleted.
    pub reached: u64,
    /// The greatest distance; null if no vertex was reached.
    pub greatest: Option<f64>,
    /// By how much the bound of near vertices rises.
    pub delta: f64,
    /// Steps that have relaxed edges.
    pub steps: u64,
    /// Times that the far vertices were divided.
    pub divisions: u64,
    /// The path to a target; null unless it was asked for.
    pub path: Option<WayReport>,
    /// The search, in milliseconds.
    pub ms: Samples,
}

/// One shortest path in results.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WayReport {
    /// The number of the vertex that it leads to.
    pub target: u64,
    /// Its length; null if there is no path.
    pub distance: Option<f64>,
    /// The numbers of its vertices; none if there is no path.
    pub vertices: Vec<u64>,
}

impl PathReport {
    /// The search for people, on a graph of so many vertices; and the path, if it was asked for.
    fn lines(&self, vertices: u32) -> Vec<Line> {
        let Self {
            source,
            reached,
            steps,
            ms,
            ..
        } = self;
        let greatest = match self.greatest {
            Some(greatest) => format!("distance up to {greatest}"),
            None => "it was deleted".to_owned(),
        };
        let text = format!(
            "{reached} of {vertices} vertices reached from {source}, {greatest}, {steps} steps; {ms}"
        );
        let mut lines = vec![("paths", text)];
        lines.extend(self.path.iter().map(|way| ("path", way.text())));
        lines
    }
}

impl WayReport {
    /// The path for people.
    fn text(&self) -> String {
        match self.distance {
            None => format!("there is none to {}", self.target),
            Some(distance) => {
                let vertices: Vec<String> = self.vertices.iter().map(u64::to_string).collect();
                format!("length {distance}: {}", vertices.join(" "))
            }
        }
    }
}

/// Local clustering coefficients in results.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ClusteringReport {
    /// The mean over all vertices.
    pub mean: f64,
    /// All launches, in milliseconds.
    pub ms: Samples,
}

impl ClusteringReport {
    /// The mean for people.
    fn line(&self) -> Line {
        ("clustering", format!("mean {:.6}; {}", self.mean, self.ms))
    }
}

/// Communities by label propagation in results.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CommunityReport {
    /// Iterations.
    pub iterations: u32,
    /// How many labels there are after them.
    pub count: u64,
    /// All iterations, in milliseconds.
    pub ms: Samples,
}

impl CommunityReport {
    /// The communities for people.
    fn line(&self) -> Line {
        let Self {
            iterations,
            count,
            ms,
        } = self;
        (
            "communities",
            format!("{count} after {iterations} iterations; {ms}"),
        )
    }
}

/// Core numbers in results.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CoreReport {
    /// The greatest core number.
    pub degeneracy: u32,
    /// Vertices that have it.
    pub innermost: u64,
    /// All levels, in milliseconds.
    pub ms: Samples,
}

impl CoreReport {
    /// The innermost core for people.
    fn line(&self) -> Line {
        let Self {
            degeneracy,
            innermost,
            ms,
        } = self;
        (
            "cores",
            format!("degeneracy {degeneracy}, {innermost} vertices in the innermost core; {ms}"),
        )
    }
}

/// Betweenness centrality in results.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BetweennessReport {
    /// The number of sources.
    pub sources: u64,
    /// Vertices of highest score.
    pub top: Vec<Scored>,
    /// All sources, in milliseconds.
    pub ms: Samples,
}

/// A vertex and its score.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Scored {
    /// Its number in the file.
    pub vertex: u64,
    /// Its score.
    pub score: f64,
}

impl BetweennessReport {
    /// The report for people: a line, and one for each listed vertex.
    fn lines(&self) -> Vec<Line> {
        let Self { sources, ms, .. } = self;
        let sources = match sources {
            1 => "1 source".to_owned(),
            _ => format!("{sources} sources"),
        };
        let mut lines = vec![("betweenness", format!("{sources}; {ms}"))];
        lines.extend(listed(self.top.iter().map(|top| (top.vertex, top.score))));
        lines
    }
}
