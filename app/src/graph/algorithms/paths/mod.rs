//! Shortest paths: the least sum of weights from a vertex to each one.

mod reference;
mod way;

use heapwood_device::graph::paths::plan::{PathSpace, PathState};
use heapwood_device::graph::store::plan::Weighting;
use heapwood_graphs::WeightKind;
pub use heapwood_results::graph::{PathReport, WayReport};
use serde::{Deserialize, Serialize};

use super::{Algorithm, ReportContext, Values, vertex};
use crate::graph::verify::{Difference, Reference, differ, same_length};
use crate::graph::{Input, Store, StoreError};
use crate::samples::Samples;
use crate::{Error, OptionError};
pub use way::Way;

/// Launches of a search that are made together at first, and at the most, as for a breadth-first
/// search.
const STEPS: [u32; 2] = [16, 64];

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
    fn new(words: Vec<u64>, kind: WeightKind) -> Self {
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
    fn reached(&self) -> Vec<f64> {
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

    fn clear(&mut self) {
        match self {
            Self::Integer(distances) => *distances = Vec::new(),
            Self::Real(distances) => *distances = Vec::new(),
        }
    }
}

/// The flags for shortest paths.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct PathFlags {
    /// Find shortest paths from this vertex by the weights of edges
    ///
    /// Its number is that of the file.
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "SOURCE", hide_short_help = true)
    )]
    pub sssp: Option<u64>,
    /// By how much the bound of near vertices rises in --sssp [default: by the weights]
    #[cfg_attr(feature = "cli", arg(long, value_name = "WEIGHT", requires = "sssp", hide_short_help = true, value_parser = parse_delta))]
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
}

impl PathOptions {
    /// Paths from a vertex to all others.
    pub fn from(source: u32) -> Self {
        Self {
            source,
            delta: None,
            target: None,
        }
    }
}

impl Algorithm for Paths {
    type Flags = PathFlags;
    type Options = PathOptions;
    type Request = Option<PathOptions>;
    type Report = PathReport;

    fn request(
        flags: &PathFlags,
        saved: bool,
        graph: &Input,
    ) -> Result<Option<PathOptions>, Error> {
        let id = match (flags.sssp, saved) {
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
        Ok(match &self.distances {
            Distances::Integer(distances) => Values::Sums(distances),
            Distances::Real(distances) => Values::RealSums(distances),
        })
    }

    fn ms(&self) -> f64 {
        self.ms
    }

    fn drop_vertices(&mut self) {
        self.distances.clear();
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
        let Some(kind) = self.weight_kind() else {
            return Err(StoreError::Unweighted);
        };
        let vertices = self.shape().vertices;
        let source = options.source;
        for vertex in [Some(source), options.target].into_iter().flatten() {
            assert!(vertex < vertices, "vertex {vertex} of {vertices}");
        }
        let contiguous = self.contiguous()?;
        let space = PathSpace::new(vertices, self.entries()?);
        let workspace = self.backend.allocate(space.bytes() as u64)?;
        let (graph, address) = (&contiguous.graph, workspace.address());
        let mut ms = contiguous.ms;
        let delta = match options.delta {
            Some(delta) => delta_word(delta, kind),
            None => {
                let (step, count) = graph.weight_sample(&space, address);
                // SAFETY: the workspace is divided by `space`.
                ms += unsafe { self.time(&[step])? };
                let offset = space.sample_offset() as u64;
                let sample: Vec<u64> = workspace.download(offset, count as usize)?;
                PathSpace::delta(&sample, graph.shape.weighting)
            }
        };
        let mut steps = vec![graph.path_start(&space, address, source, delta)];
        let [mut more, most] = STEPS;
        let mut launched = 0;
        let state = loop {
            let numbers = launched + 1..=launched + more;
            steps.extend(numbers.map(|number| graph.path_launch(&space, address, number, delta)));
            // SAFETY: the workspace is divided by `space`, and launches come in order.
            ms += unsafe { self.time(&steps)? };
            steps.clear();
            launched += more;
            more = (2 * more).min(most);
            let state = PathSpace::state(&workspace.download_array(0)?, launched);
            if state.ended {
                break state;
            }
        };
        let mut words: Vec<u64> =
            workspace.download(space.distances_offset() as u64, vertices as usize)?;
        if self.deleted_vertices().contains(&source) {
            words[source as usize] = PathSpace::UNREACHED;
        }
        if kind == WeightKind::Real {
            let too_large = u64::from(f32::INFINITY.to_bits());
            for word in words.iter_mut().filter(|word| **word == too_large) {
                *word = PathSpace::UNREACHED;
            }
        }
        let way = options
            .target
            .map(|target| self.way(&words, source, target));
        Ok(Paths {
            state,
            way: way.transpose()?,
            distances: Distances::new(words, kind),
            delta: match graph.shape.weighting {
                Weighting::Real => f32::from_bits(delta).into(),
                _ => delta.into(),
            },
            ms,
        })
    }
}

/// A delta as a word: of integers at least 1.
fn delta_word(delta: f32, kind: WeightKind) -> u32 {
    assert!(delta > 0.0, "delta is {delta}");
    match kind {
        WeightKind::Integer => delta.round().max(1.0) as u32,
        WeightKind::Real => delta.min(f32::MAX).to_bits(),
    }
}

impl Reference {
    /// Compares shortest paths.
    ///
    /// # Errors
    ///
    /// When a distance differs, or the way to the target is none or not as long.
    pub fn paths(&self, found: &Paths, options: &PathOptions) -> Result<(), Difference> {
        let words = match self.deleted.contains(&options.source) {
            true => vec![PathSpace::UNREACHED; self.rows.vertices() as usize],
            false => reference::distances(&self.rows, options.source),
        };
        let kind = self.rows.weight_kind().unwrap_or(WeightKind::Integer);
        let expected = Distances::new(words, kind);
        match (&found.distances, &expected) {
            (Distances::Integer(found), Distances::Integer(expected)) => {
                self.same_distances(found, expected)
            }
            (Distances::Real(found), Distances::Real(expected)) => {
                self.same_distances(found, expected)
            }
            _ => differ("the distances are of another kind than the weights".to_owned()),
        }?;
        match &found.way {
            Some(way) => way.verify(&self.rows, &expected, |vertex| self.id(vertex)),
            None => Ok(()),
        }
    }

    fn same_distances<T: PartialEq + std::fmt::Display>(
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
