//! PageRank: the workspace, the launches, and when to stop.

use super::{
    Hub, LinkedRankStep, Part, RELAXATION, RankArguments, RankClear, RankStart, RankStep, SLOTS,
    SUM_WORDS, hub, linked,
};
use crate::graph::store::plan::{Graph, Layout, Shape};
use crate::launch::{Grid, PlannedLaunch};
use crate::simt::reduce::from_fixed;
use crate::workspace::WorkspaceLayout;

/// How ranks are iterated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// The power iteration, `x(k+1) = G x(k)`, whose iterations other systems count.
    Power,
    /// In undirected graphs over-relaxed steps over the last two iterates,
    /// `x(k+1) = x(k-1) + w (G x(k) - x(k-1))`, which take fewer iterations (Golub and
    /// Varga 1961); in directed ones, where eigenvalues may be complex, the power
    /// iteration.
    #[default]
    Accelerated,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Power, Self::Accelerated];

    /// Its name on the command line and in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Power => "power",
            Self::Accelerated => "accelerated",
        }
    }

    /// The method for a graph: the power iteration if that is directed.
    pub fn in_graph(self, directed: bool) -> Self {
        if directed { Self::Power } else { self }
    }
}

/// The method and its exactness. Ranks are the fixed point of
/// `G x = (1 - d) / n + d (P x + m(x) / n)` for `n` vertices and a damping of `d`: `P`
/// gives a vertex the ranks of its in-neighbours, each divided by its out-degree, and
/// `m(x)` is the sum of the ranks of vertices without out-edges.
#[derive(Clone, Copy, Debug)]
pub struct RankOptions {
    /// How ranks are iterated.
    pub method: Method,
    /// The probability of following an edge.
    pub damping: f64,
    /// The residual at which to stop: `G x - x`, its absolute values summed over vertices.
    pub tolerance: f64,
    /// The most iterations.
    pub limit: u32,
    /// Start from the ranks that are in the workspace: after a batch of updates
    /// few iterations remain. Else every vertex starts with the same rank.
    pub resume: bool,
}

impl Default for RankOptions {
    fn default() -> Self {
        Self {
            method: Method::default(),
            damping: 0.85,
            tolerance: 5e-8,
            limit: 200,
            resume: false,
        }
    }
}

/// How far a computation has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankState {
    /// Iterations that were made.
    pub iterations: u32,
    /// The change of the last one, as for [`RankOptions::tolerance`].
    pub residual: f64,
    /// Whether that is within the tolerance, and the last step was plain.
    pub converged: bool,
}

/// The layout of the workspace of a computation of ranks.
#[derive(Clone, Copy, Debug)]
pub struct RankSpace {
    limit: u32,
    entries: u64,
    ranks: usize,
    contributions: [usize; 2],
    sums: usize,
    hubs: usize,
    parts: usize,
    counts: usize,
    bytes: usize,
}

impl RankSpace {
    /// For a graph of that shape and that many entries in one direction, and for that many
    /// iterations.
    pub fn new(shape: &Shape, entries: u64, limit: u32) -> Self {
        let (vertices, limit) = (shape.vertices as usize, limit.min(1 << 20));
        let (least, part_bits) = hub_sizes(shape.layout);
        // Of each hub a part at most has fewer neighbours.
        let hubs = (entries / (u64::from(least) + 1)) as usize;
        let parts = hubs + (entries >> part_bits) as usize;
        let mut layout = WorkspaceLayout::default();
        let ranks = layout.reserve(4 * vertices);
        let contributions = [layout.reserve(4 * vertices), layout.reserve(4 * vertices)];
        let sums = layout.reserve(8 * SUM_WORDS as usize * (limit as usize + 1));
        Self {
            limit,
            entries,
            ranks,
            contributions,
            sums,
            hubs: layout.reserve(size_of::<Hub>() * hubs),
            parts: layout.reserve(size_of::<Part>() * parts),
            counts: layout.reserve(8),
            bytes: layout.bytes(),
        }
    }

    /// Bytes of the workspace, 256-byte aligned. Nothing of it need be 0.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Where in the workspace the ranks begin, an `f32` for each vertex.
    pub fn ranks_offset(&self) -> usize {
        self.ranks
    }

    /// Where in the workspace the words begin that [`RankSpace::state`] reads.
    pub fn sums_offset(&self) -> usize {
        self.sums
    }

    /// The number of those words after so many launches of iterations.
    pub fn sum_words(&self, launched: u32) -> usize {
        SUM_WORDS as usize * (launched.min(self.limit) as usize + 1)
    }

    /// How far the computation has come, from its sums.
    pub fn state(&self, sums: &[u64], tolerance: f64) -> RankState {
        let mut state = RankState {
            iterations: 0,
            residual: f64::INFINITY,
            converged: false,
        };
        let words = sums.chunks_exact(SUM_WORDS as usize).skip(1);
        for words in words {
            if state.converged {
                break;
            }
            state.iterations += 1;
            state.residual = from_fixed(words[..SLOTS as usize].iter().sum());
            // As `is_done` of the kernels: the last step is plain.
            let factor = f64::from_bits(words[RELAXATION as usize]);
            state.converged = state.residual <= tolerance && factor <= 1.0;
        }
        state
    }
}

/// The neighbours of the largest vertex that is no hub, and those of a hub for which there is a
/// part, as a power of two.
fn hub_sizes(layout: Layout) -> (u32, u32) {
    match layout {
        Layout::Contiguous => (hub::HUB, hub::PART_BITS),
        Layout::Linked => (linked::HUB, linked::PART_BITS),
    }
}

impl Graph {
    fn rank_arguments(
        &self,
        options: &RankOptions,
        space: &RankSpace,
        workspace: *mut u8,
        iteration: u32,
    ) -> RankArguments {
        let at = |offset: usize| workspace.wrapping_add(offset);
        // Every iteration reads what the one before has written.
        let odd = (iteration % 2) as usize;
        let method = options.method.in_graph(self.shape.directed);
        let (hub, part_bits) = hub_sizes(self.shape.layout);
        let mean = space.entries / u64::from(self.shape.vertices.max(1));
        RankArguments {
            incoming: self.records(self.shape.stores() - 1),
            outgoing: self.records(0),
            ranks: at(space.ranks).cast(),
            contributions: at(space.contributions[1 - odd]).cast(),
            next: at(space.contributions[odd]).cast(),
            sums: at(space.sums).cast(),
            hubs: at(space.hubs).cast(),
            parts: at(space.parts).cast(),
            counts: at(space.counts).cast(),
            vertices: self.shape.vertices,
            present: (self.shape.vertices - self.absent).max(1),
            iteration,
            limit: space.limit,
            damping: options.damping,
            tolerance: options.tolerance,
            // Two loads of four neighbours a lane for the mean vertex.
            group: (mean / 8).max(1).next_power_of_two().min(32) as u32,
            hub,
            part_bits,
            resume: options.resume,
            accelerated: method == Method::Accelerated,
        }
    }

    /// The launches before the first iteration.
    pub fn rank_start(
        &self,
        options: &RankOptions,
        space: &RankSpace,
        workspace: *mut u8,
    ) -> Vec<PlannedLaunch> {
        // As iteration 0, which writes the contributions that the first one reads.
        let arguments = self.rank_arguments(options, space, workspace, 0);
        let vertices = Grid::ranges(self.shape.vertices);
        vec![
            PlannedLaunch::of::<RankClear>(Grid::strided((space.limit + 1) * SUM_WORDS), arguments),
            PlannedLaunch::of::<RankStart>(vertices, arguments),
        ]
    }

    /// The launch of an iteration, numbered from 1 to the limit. One after the
    /// last that is needed does nothing.
    ///
    /// # Panics
    ///
    /// If the number is out of range.
    pub fn rank_step(
        &self,
        options: &RankOptions,
        space: &RankSpace,
        workspace: *mut u8,
        iteration: u32,
    ) -> PlannedLaunch {
        assert!((1..=space.limit).contains(&iteration));
        let arguments = self.rank_arguments(options, space, workspace, iteration);
        let threads = u64::from(self.shape.vertices) * u64::from(arguments.group);
        // Enough to fill a device a few times over; each warp adds to the sums.
        let threads = threads.min(1 << 19) as u32;
        self.by_layout::<RankStep, LinkedRankStep>(Grid::ranges(threads), arguments)
    }
}
