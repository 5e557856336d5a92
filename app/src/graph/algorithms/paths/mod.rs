//! Shortest paths: the least sum of weights from a vertex to each one.

mod parents;
mod reference;
mod solver;
mod tree;
mod way;

use heapwood_device::graph::paths::plan::{PathSpace, PathState};
use heapwood_graphs::{Ids, WeightKind};
use heapwood_results::graph::TrialResult;
pub use heapwood_results::graph::{PathReport, WayReport};
use serde::{Deserialize, Serialize};

use super::gap::{Trial, TrialContext};
use super::{Algorithm, Flags, ReportContext, Saves, Values, VertexValue, vertex};
use crate::graph::verify::{Difference, Reference, differ, same_length};
use crate::graph::{Input, Store, StoreError};
use crate::samples::Samples;
use crate::{Error, OptionError};
pub use parents::NO_PARENT;
pub(super) use solver::{PathSolver, path_end};
pub use tree::{PathAdvance, PathTree};
pub use way::Way;

/// Shortest paths from a vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct Paths {
    /// How the search came there.
    pub state: PathState,
    /// The distance of each vertex.
    pub distances: Distances,
    /// By how much the bound of near vertices rises.
    pub delta: f64,
    /// The way to the target, if one is asked for.
    pub way: Option<Way>,
    /// The parent of each vertex in a tree of shortest paths, if it is asked for. The source is its own
    /// parent; a vertex without a path has [`NO_PARENT`].
    pub parents: Option<Vec<u32>>,
    /// Time of all kernels, in milliseconds.
    pub ms: f64,
}

/// A distance for each vertex.
#[derive(Clone, Debug, PartialEq)]
pub enum Distances {
    /// Sums of integers; `u64::MAX` if there is no path.
    Integer(Vec<u64>),
    /// Sums of real numbers, each rounded to an `f32`; infinite if there is no path, or none whose
    /// sum an `f32` can hold.
    Real(Vec<f32>),
}

impl Distances {
    /// Of words of the device.
    pub(super) fn new(words: Vec<u64>, kind: WeightKind) -> Self {
        match kind {
            WeightKind::Integer => Self::Integer(words),
            WeightKind::Real => {
                let real = |word| match word {
                    PathSpace::UNREACHED => f32::INFINITY,
                    word => f32::from_bits(word as u32),
                };
                Self::Real(words.into_iter().map(real).collect())
            }
        }
    }

    /// The distances of vertices that were reached.
    pub(super) fn reached(&self) -> Vec<f64> {
        match self {
            Self::Integer(distances) => {
                let reached = distances.iter().filter(|&&distance| distance != u64::MAX);
                reached.map(|&distance| distance as f64).collect()
            }
            Self::Real(distances) => {
                let reached = distances.iter().filter(|distance| distance.is_finite());
                reached.map(|&distance| distance.into()).collect()
            }
        }
    }

    /// The word of the device for the distance of a vertex.
    fn word(&self, vertex: u32) -> u64 {
        match self {
            Self::Integer(all) => all[vertex as usize],
            Self::Real(all) => match all[vertex as usize] {
                f32::INFINITY => PathSpace::UNREACHED,
                distance => distance.to_bits().into(),
            },
        }
    }

    /// The distance of a vertex, as files have it.
    pub(super) fn value(&self, vertex: u32) -> VertexValue {
        // No distance is the id of a vertex.
        self.values().of(vertex, &Ids::from(0))
    }

    /// The values that files have.
    pub(super) fn values(&self) -> Values<'_> {
        match self {
            Self::Integer(distances) => Values::Sums(distances),
            Self::Real(distances) => Values::RealSums(distances),
        }
    }

    fn clear(&mut self) {
        match self {
            Self::Integer(distances) => *distances = Vec::new(),
            Self::Real(distances) => *distances = Vec::new(),
        }
    }
}

/// The flags for shortest paths.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args), command(group = clap::ArgGroup::new("shortest-paths").multiple(true)))]
pub struct PathFlags {
    /// Find shortest paths from this vertex by the weights of edges
    ///
    /// Its number is that of the file.
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            value_name = "SOURCE",
            group = "shortest-paths",
            hide_short_help = true
        )
    )]
    pub sssp: Option<u64>,
    /// By how much the bound of near vertices rises in --sssp [default: by the weights]
    ///
    /// It is that of --problems, too.
    #[cfg_attr(feature = "cli", arg(long, value_name = "WEIGHT", requires = "shortest-paths", hide_short_help = true, value_parser = parse_delta))]
    pub delta: Option<f32>,
    /// Print the shortest path of --sssp to this vertex
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "TARGET", requires = "sssp", hide_short_help = true)
    )]
    pub path_to: Option<u64>,
}

#[cfg(feature = "cli")]
fn parse_delta(text: &str) -> Result<f32, String> {
    match text.parse() {
        Ok(delta) if delta > 0.0 && delta < f32::INFINITY => Ok(delta),
        _ => Err("write a number above 0".to_owned()),
    }
}

/// How shortest paths are found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathOptions {
    /// The source.
    pub source: u32,
    /// By how much the bound of near vertices rises, if it is not chosen by the weights; above 0.
    pub delta: Option<f32>,
    /// The vertex whose path is wanted too.
    pub target: Option<u32>,
    /// Whether the parents in a tree of shortest paths are wanted too.
    pub parents: bool,
}

impl PathOptions {
    /// Paths from a vertex to all others.
    pub fn from(source: u32) -> Self {
        Self {
            source,
            delta: None,
            target: None,
            parents: false,
        }
    }
}

impl Algorithm for Paths {
    type Flags = PathFlags;
    type Options = PathOptions;
    type Request = Option<PathOptions>;
    type Report = PathReport;

    fn request(flags: &Flags, saves: &Saves, graph: &Input) -> Result<Option<PathOptions>, Error> {
        let flags = &flags.paths;
        let id = match (flags.sssp, saves.paths.is_some()) {
            (Some(id), _) => id,
            (None, false) => return Ok(None),
            (None, true) => return Err(OptionError::NoSource { option: "sssp" }.into()),
        };
        if graph.rows.weights.is_none() {
            return Err(StoreError::Unweighted.into());
        }
        let target = flags.path_to.map(|id| vertex(graph, id, "lead to"));
        Ok(Some(PathOptions {
            source: vertex(graph, id, "start from")?,
            delta: flags.delta,
            target: target.transpose()?,
            parents: saves.parents,
        }))
    }

    fn run(options: &PathOptions, store: &Store) -> Result<Self, StoreError> {
        store.shortest_paths(options)
    }

    fn verify(
        &self,
        options: &PathOptions,
        _: &Store,
        reference: &Reference,
    ) -> Result<String, Error> {
        reference.paths(self, options)?;
        Ok("shortest paths".to_owned())
    }

    fn values(&self, _: &Store) -> Result<Values<'_>, StoreError> {
        let distances = self.distances.values();
        Ok(match &self.parents {
            None => distances,
            Some(parents) => Values::Tree(Box::new(distances), parents),
        })
    }

    fn ms(&self) -> f64 {
        self.ms
    }

    fn drop_vertices(&mut self) {
        self.distances.clear();
        self.parents = None;
    }

    fn report(&self, options: &PathOptions, ms: Samples, context: &ReportContext) -> PathReport {
        let reached = self.distances.reached();
        let ids = &context.input.ids;
        PathReport {
            source: ids.of(options.source),
            reached: reached.len() as u64,
            greatest: reached.iter().copied().max_by(f64::total_cmp),
            delta: self.delta,
            steps: self.state.steps,
            divisions: self.state.divisions,
            path: self.way.as_ref().map(|way| WayReport {
                target: ids.of(way.target),
                distance: way.distance,
                vertices: way.vertices.iter().map(|&vertex| ids.of(vertex)).collect(),
            }),
            ms,
        }
    }
}

/// A trial of the GAP benchmark suite.
pub(super) fn trial(context: &TrialContext) -> Result<Trial, Error> {
    let options = PathOptions::from(context.sources[0]);
    let found = context.store.shortest_paths(&options)?;
    let reached = TrialResult::Reached(found.distances.reached().len() as u64);
    context.trial(&found, &options, reached)
}

impl Store<'_> {
    /// Finds shortest paths from a vertex. From one that was deleted, none is reached.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unweighted`] for a graph without weights, and when there is not enough memory.
    ///
    /// # Panics
    ///
    /// If the source or the target is no vertex, or delta is not above 0.
    pub fn shortest_paths(&self, options: &PathOptions) -> Result<Paths, StoreError> {
        let vertices = self.shape().vertices;
        let source = options.source;
        for vertex in [Some(source), options.target].into_iter().flatten() {
            assert!(vertex < vertices, "vertex {vertex} of {vertices}");
        }
        let solver = PathSolver::prepare(self, options.delta)?;
        let (state, ms) = solver.run(source)?;
        let words = solver.words(source, 0..vertices)?;
        let way = options
            .target
            .map(|target| self.way(&words, source, target));
        let parents = options.parents.then(|| self.parents(&words, source));
        Ok(Paths {
            state,
            way: way.transpose()?,
            parents: parents.transpose()?,
            distances: Distances::new(words, solver.kind),
            delta: solver.delta(),
            ms: solver.ms + ms,
        })
    }
}

impl Reference {
    /// Compares shortest paths.
    ///
    /// # Errors
    ///
    /// When a distance differs, the way to the target is none or not as long, or parents form no tree
    /// of shortest paths.
    pub fn paths(&self, found: &Paths, options: &PathOptions) -> Result<(), Difference> {
        let expected = self.distances(options.source);
        self.same_distances(&found.distances, &expected)?;
        if let Some(way) = &found.way {
            way.verify(&self.rows, &expected, |vertex| self.id(vertex))?;
        }
        match &found.parents {
            Some(parents) => self.parents(parents, &expected, options.source),
            None => Ok(()),
        }
    }

    /// Compares the distances of all vertices from a source.
    ///
    /// # Errors
    ///
    /// When one differs.
    pub fn distances_from(&self, source: u32, found: &Distances) -> Result<(), Difference> {
        self.same_distances(found, &self.distances(source))
    }

    /// The distances from a vertex, by Dijkstra's algorithm.
    pub(super) fn distances(&self, source: u32) -> Distances {
        let words = match self.deleted.contains(&source) {
            true => vec![PathSpace::UNREACHED; self.rows.vertices() as usize],
            false => reference::distances(&self.rows, source),
        };
        let kind = self.rows.weight_kind().unwrap_or(WeightKind::Integer);
        Distances::new(words, kind)
    }

    /// Compares the distances of all vertices.
    ///
    /// # Errors
    ///
    /// When a distance differs.
    pub(super) fn same_distances(
        &self,
        found: &Distances,
        expected: &Distances,
    ) -> Result<(), Difference> {
        match (found, expected) {
            (Distances::Integer(found), Distances::Integer(expected)) => {
                self.same_values(found, expected)
            }
            (Distances::Real(found), Distances::Real(expected)) => {
                self.same_values(found, expected)
            }
            _ => differ("the distances are of another kind than the weights".to_owned()),
        }
    }

    fn same_values<T: PartialEq + std::fmt::Display>(
        &self,
        found: &[T],
        expected: &[T],
    ) -> Result<(), Difference> {
        same_length(found.len(), expected.len())?;
        for (vertex, (found, expected)) in (0..).zip(found.iter().zip(expected)) {
            if found != expected {
                let vertex = self.id(vertex);
                return differ(format!(
                    "vertex {vertex} has the distance {found}, not {expected}"
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
