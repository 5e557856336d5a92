//! The host's side of shortest paths.

use super::{
    CHUNK, PathContinue, PathStart, PathStep, SampleArguments, SsspArguments, UNREACHED,
    WeightSample, word,
};
use crate::graph::chunks::max_chunks;
use crate::graph::store::plan::{Graph, Weighting};
use crate::launch::{Grid, PlannedLaunch};
use crate::workspace::WorkspaceLayout;

/// Vertices of a sample.
const SAMPLE: u32 = 1 << 14;

/// By default, near vertices are within so many mean weights, divided by the mean number of edges of
/// a vertex: many, so that warps have enough to do.
const WIDTH: f64 = 512.0;

/// The same for lanes alone, which are few: each vertex that is relaxed too early is relaxed again.
const WIDTH_ALONE: f64 = 16.0;

/// The layout of the workspace of a search.
#[derive(Clone, Copy, Debug)]
pub struct PathSpace {
    chunks: u32,
    distances: usize,
    stamps: usize,
    piled: usize,
    near: usize,
    far: usize,
    sample: usize,
    /// For a search whose tree is kept.
    tree: Option<TreeSpace>,
    bytes: usize,
}

/// The part of a workspace for a tree that is kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct TreeSpace {
    pub parents: usize,
    pub climbs: usize,
    pub along: usize,
}

/// The lengths of edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lengths {
    /// Their weights, and by how much the bound of near vertices rises.
    Weights(u32),
    /// 1 each, whether there are weights or not. All vertices are near.
    Ones,
}

/// How far a search has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathState {
    /// Steps that have relaxed edges.
    pub steps: u64,
    /// Times that the far vertices were divided.
    pub divisions: u64,
    /// Vertices whose distance was raised before.
    pub raised: u64,
    /// Whether all distances are found.
    pub ended: bool,
}

impl PathSpace {
    /// Words at the front of the workspace, for [`PathSpace::state`].
    pub const HEADER_WORDS: usize = word::COUNT;
    /// The distance of a vertex that was not reached.
    pub const UNREACHED: u64 = UNREACHED;

    /// For a graph of that many vertices, and that many entries of out-neighbours.
    pub fn new(vertices: u32, entries: u64) -> Self {
        Self::laid_out(vertices, entries, false)
    }

    /// The same with room for what is carried along while the graph changes, up to so many.
    pub fn with_tree(vertices: u32, entries: u64) -> Self {
        Self::laid_out(vertices, entries, true)
    }

    fn laid_out(vertices: u32, entries: u64, has_tree: bool) -> Self {
        let count = vertices as usize;
        let chunks = max_chunks::<CHUNK>(count, entries);
        let mut layout = WorkspaceLayout::default();
        layout.reserve(8 * Self::HEADER_WORDS);
        Self {
            // At most 2^31 vertices, and 2^32 entries.
            chunks: chunks as u32,
            distances: layout.reserve(8 * count),
            stamps: layout.reserve(4 * count),
            piled: layout.reserve(4 * count),
            near: layout.reserve(8 * 2 * chunks),
            far: layout.reserve(4 * 2 * count),
            sample: layout.reserve(8 * SAMPLE as usize),
            tree: has_tree.then(|| TreeSpace {
                parents: layout.reserve(4 * count),
                climbs: layout.reserve(8 * count),
                along: layout.reserve(8 * count),
            }),
            bytes: layout.bytes(),
        }
    }

    /// Bytes of the workspace, 256-byte aligned. Nothing of it need be 0.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Where in the workspace the distances begin, 64 bits for each vertex: integers or the bits of an
    /// `f32`; all ones where there is no path.
    pub fn distances_offset(&self) -> usize {
        self.distances
    }

    /// Where in the workspace the parents begin, 32 bits for each vertex; [`NO_PARENT`](super::tree::NO_PARENT)
    /// of one that has none.
    ///
    /// # Panics
    ///
    /// If there is no room for a tree.
    pub fn parents_offset(&self) -> usize {
        self.tree().parents
    }

    /// The part for a tree.
    pub(super) fn tree(&self) -> &TreeSpace {
        self.tree.as_ref().expect("room for a tree")
    }

    /// Where in the workspace the words of a sample begin, [`Graph::weight_sample`].
    pub fn sample_offset(&self) -> usize {
        self.sample
    }

    /// How far the search has come after the launches `1..=launched`.
    pub fn state(header: &[u64; Self::HEADER_WORDS], launched: u32) -> PathState {
        let first = ((launched + 1) % 3) as usize * word::FRONTIER;
        let divisions = header[first + word::DIVISIONS];
        let pile = word::PILES + (divisions % 3) as usize * word::PILE;
        PathState {
            steps: header[first + word::RELAXED],
            divisions,
            raised: header[word::RAISED],
            ended: header[first + word::NEAR] == 0 && header[pile + word::FAR] == 0,
        }
    }

    /// The width of the steps of warps, or of lanes alone, for a graph with this sample of weights: an
    /// integer, or the bits of an `f32`; greater than 0.
    pub fn delta(sample: &[u64], weighting: Weighting, alone: bool) -> u32 {
        let number = |word: u64| match weighting {
            Weighting::Real => f64::from(f32::from_bits(word as u32)),
            _ => f64::from(word as u32),
        };
        let degree = |word: u64| (word >> 32) as f64;
        let edges: f64 = sample.iter().map(|&word| degree(word)).sum();
        if edges == 0.0 {
            return 1;
        }
        let weights: f64 = sample.iter().map(|&word| degree(word) * number(word)).sum();
        let mean_degree = edges / sample.len() as f64;
        let width = if alone { WIDTH_ALONE } else { WIDTH };
        let delta = width * (weights / edges) / mean_degree;
        match weighting {
            Weighting::Real => (delta as f32).clamp(f32::MIN_POSITIVE, f32::MAX).to_bits(),
            _ => delta.clamp(1.0, f64::from(u32::MAX)) as u32,
        }
    }
}

impl Graph {
    /// The launch that takes a sample of the weights, and the number of its words.
    ///
    /// # Panics
    ///
    /// If the graph has no weights.
    pub fn weight_sample(&self, space: &PathSpace, workspace: *mut u8) -> (PlannedLaunch, u32) {
        assert!(self.shape.weighting.is_some(), "a sample is one of weights");
        let count = self.shape.vertices.min(SAMPLE);
        let arguments = SampleArguments {
            records: self.contiguous_records(),
            sample: workspace.wrapping_add(space.sample).cast(),
            vertices: self.shape.vertices,
            count,
        };
        let launch = PlannedLaunch::of::<WeightSample>(Grid::strided(count), arguments);
        (launch, count)
    }

    pub(super) fn path_arguments(
        &self,
        space: &PathSpace,
        workspace: *mut u8,
        (source, launch): (u32, u32),
        lengths: Lengths,
    ) -> SsspArguments {
        let at = |offset: usize| workspace.wrapping_add(offset);
        let weighting = self.shape.weighting;
        let delta = match lengths {
            Lengths::Weights(delta) => {
                assert!(weighting.is_some(), "paths are of a graph with weights");
                delta
            }
            Lengths::Ones => u32::MAX,
        };
        SsspArguments {
            outgoing: self.contiguous_records(),
            distances: at(space.distances).cast(),
            stamps: at(space.stamps).cast(),
            piled: at(space.piled).cast(),
            near: at(space.near).cast(),
            far: at(space.far).cast(),
            header: workspace.cast(),
            depths: core::ptr::null_mut(),
            vertices: self.shape.vertices,
            chunks: space.chunks,
            source,
            launch,
            delta,
            is_real: lengths != Lengths::Ones && weighting == Weighting::Real,
            is_unweighted: lengths == Lengths::Ones,
            depth: 0,
        }
    }

    /// The launch before the others of a search for shortest paths.
    ///
    /// # Panics
    ///
    /// If the source is no vertex, or a graph without weights is to have them.
    pub fn path_start(
        &self,
        space: &PathSpace,
        workspace: *mut u8,
        source: u32,
        lengths: Lengths,
    ) -> PlannedLaunch {
        assert!(source < self.shape.vertices);
        let arguments = self.path_arguments(space, workspace, (source, 0), lengths);
        PlannedLaunch::of::<PathStart>(Grid::strided(self.shape.vertices), arguments)
    }

    /// The launch behind the start, with [`Lengths::Ones`], that takes over the depths of a breadth-first
    /// search, one for each vertex. That has gone over the levels before `depth`, at least.
    ///
    /// # Panics
    ///
    /// If the source is no vertex.
    pub fn path_continuation(
        &self,
        space: &PathSpace,
        workspace: *mut u8,
        source: u32,
        (depths, depth): (*mut u32, u32),
    ) -> PlannedLaunch {
        assert!(source < self.shape.vertices);
        let arguments = SsspArguments {
            depths,
            depth,
            ..self.path_arguments(space, workspace, (source, 0), Lengths::Ones)
        };
        let threads = self.shape.vertices.min(1 << 18);
        PlannedLaunch::of::<PathContinue>(Grid::strided(threads), arguments)
    }

    /// The launch of a step, numbered from 1, with the lengths of the start. A step after the last that
    /// is needed does nothing.
    ///
    /// # Panics
    ///
    /// If the number is 0, or a graph without weights is to have them.
    pub fn path_launch(
        &self,
        space: &PathSpace,
        workspace: *mut u8,
        launch: u32,
        lengths: Lengths,
    ) -> PlannedLaunch {
        assert!(launch > 0);
        let arguments = self.path_arguments(space, workspace, (0, launch), lengths);
        // The near vertices are seldom a large part of the graph.
        let threads = self.shape.vertices.min(1 << 17);
        PlannedLaunch::of::<PathStep>(Grid::strided(threads), arguments)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_width_follows_weights_and_degrees() {
        let word = |degree: u64, weight: u32| degree << 32 | u64::from(weight);
        let delta = |sample: &[u64]| PathSpace::delta(sample, Weighting::Integer, true);
        assert_eq!(delta(&[word(4, 100), word(0, 7), word(4, 300)]), 1200);
        let warps = PathSpace::delta(&[word(4, 100)], Weighting::Integer, false);
        assert_eq!(warps, 12_800);
        assert_eq!(delta(&[word(1, u32::MAX)]), u32::MAX);
        assert_eq!(delta(&[word(64, 0)]), 1);
        assert_eq!(delta(&[word(0, 0)]), 1);
        let real =
            |weight: f32| PathSpace::delta(&[word(16, weight.to_bits())], Weighting::Real, true);
        assert_eq!(f32::from_bits(real(0.25)), 0.25);
        assert_eq!(f32::from_bits(real(f32::MAX)), f32::MAX);
        assert!(f32::from_bits(real(0.0)) > 0.0);
    }
}
