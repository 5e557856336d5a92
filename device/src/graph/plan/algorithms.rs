//! Triangles, components, breadth-first search, and questions about edges.

use super::super::bfs::{SearchArguments, SearchLevel, SearchStart, word as search};
use super::super::components::{ComponentArguments, ComponentEnd, ComponentJoin, ComponentStart};
use super::super::linked::{LinkedOrient, LinkedQuery};
use super::super::query::{Query, QueryArguments};
use super::super::triangles::{
    BEHIND, List, Marks, Orient, SLOTS, Stamps, TriangleArguments, Triangles,
};
use super::{CsrSpace, Graph, Layout, Measured, Shape, WorkspaceLayout, in_ranges, strided};
use crate::launch::PlannedLaunch;

/// The workspace of a count of triangles, divided.
#[derive(Clone, Copy, Debug)]
pub struct TriangleSpace {
    total: usize,
    counts: Option<usize>,
    marks: usize,
    oriented: Option<OrientedSpace>,
    zero_bytes: usize,
    bytes: usize,
}

/// The part of it for oriented edges.
#[derive(Clone, Copy, Debug)]
struct OrientedSpace {
    csr: usize,
    offsets: usize,
    lists: usize,
    successors: usize,
}

impl TriangleSpace {
    /// Words at the front of the workspace whose sum is the count.
    pub const TOTAL_WORDS: usize = SLOTS as usize;

    /// Room for a graph like this whose store is as measured; with counts for each
    /// vertex, if wanted. `workers` run warps of one lane, and have the numbers below
    /// that as [`crate::simt::Warp::processor`].
    pub fn new(shape: &Shape, measured: &Measured, per_vertex: bool, workers: u32) -> Self {
        let in_place =
            workers > 0 && shape.layout == Layout::Contiguous && no_row_is_long(measured);
        let marks = match in_place {
            true => Stamps::words(shape.vertices),
            false => Marks::words(shape.vertices),
        };
        let vertices = shape.vertices as usize;
        let mut layout = WorkspaceLayout::default();
        let total = layout.reserve(8 * Self::TOTAL_WORDS);
        let counts = per_vertex.then(|| layout.reserve(4 * vertices));
        let marks = layout.reserve(4 * marks * workers as usize);
        let zero_bytes = layout.bytes;
        let oriented = (!in_place).then(|| OrientedSpace {
            csr: layout.reserve(CsrSpace::new().bytes()),
            offsets: layout.reserve(4 * (vertices + 1)),
            lists: layout.reserve(size_of::<List>() * vertices),
            successors: layout.reserve(4 * (measured.entries as usize + BEHIND)),
        });
        Self {
            total,
            counts,
            marks,
            oriented,
            zero_bytes,
            bytes: layout.bytes,
        }
    }

    /// Bytes of the workspace, 256-byte aligned.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Bytes at its front that are 0 before the first launch.
    pub fn zero_bytes(&self) -> usize {
        self.zero_bytes
    }

    /// Where in the workspace the counts of the vertices begin, 32 bits each,
    /// if there are any.
    pub fn counts_offset(&self) -> Option<usize> {
        self.counts
    }
}

/// Whether no vertex has more neighbours than it may have successors once edges are
/// oriented by degree: then there is no need of that.
fn no_row_is_long(measured: &Measured) -> bool {
    measured
        .highest_degree
        .saturating_mul(measured.highest_degree)
        <= measured.entries
}

/// The workspace of a computation of components, divided.
#[derive(Clone, Copy, Debug)]
pub struct ComponentSpace {
    labels: usize,
    bytes: usize,
}

impl ComponentSpace {
    /// Room for a graph with that many vertices.
    pub fn new(vertices: u32) -> Self {
        let mut layout = WorkspaceLayout::default();
        layout.reserve(8);
        Self {
            labels: layout.reserve(4 * vertices as usize),
            bytes: layout.bytes,
        }
    }

    /// Bytes of the workspace, 256-byte aligned. Its first 8 are 0 before the
    /// first launch, and the number of components after the last.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Where in the workspace the labels begin, 32 bits for each vertex: the
    /// least vertex of its component, or `u32::MAX` if it was deleted.
    pub fn labels_offset(&self) -> usize {
        self.labels
    }
}

/// The workspace of a search, divided.
#[derive(Clone, Copy, Debug)]
pub struct SearchSpace {
    depths: usize,
    lists: [usize; 2],
    bytes: usize,
}

/// How far a search has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchState {
    /// Vertices that were reached, the source among them.
    pub reached: u32,
    /// The greatest depth.
    pub depth: u32,
    /// Whether there is nothing more to reach.
    pub ended: bool,
}

impl SearchSpace {
    /// Words at the front of the workspace, for [`SearchSpace::state`].
    pub const HEADER_WORDS: usize = search::COUNT;

    /// Room for a graph with that many vertices.
    pub fn new(vertices: u32) -> Self {
        let vertices = vertices as usize;
        let mut layout = WorkspaceLayout::default();
        layout.reserve(4 * Self::HEADER_WORDS);
        Self {
            depths: layout.reserve(4 * vertices),
            lists: [layout.reserve(4 * vertices), layout.reserve(4 * vertices)],
            bytes: layout.bytes,
        }
    }

    /// Bytes of the workspace, 256-byte aligned. Nothing of it need be 0.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Where in the workspace the depths begin, 32 bits for each vertex;
    /// `u32::MAX` is not reached.
    pub fn depths_offset(&self) -> usize {
        self.depths
    }

    /// How far the search has come after the launches of levels `0..launched`.
    pub fn state(header: &[u32; Self::HEADER_WORDS], launched: u32) -> SearchState {
        SearchState {
            reached: header[search::REACHED],
            depth: header[search::DEPTH],
            ended: header[(launched % 3) as usize] == 0,
        }
    }
}

impl Graph {
    /// The launches that count the triangles of an undirected graph.
    pub fn triangles(&self, space: &TriangleSpace, workspace: *mut u8) -> Vec<PlannedLaunch> {
        let at = |offset: usize| workspace.wrapping_add(offset);
        let null: *mut u8 = std::ptr::null_mut();
        let mut arguments = TriangleArguments {
            records: self.records(0),
            offsets: null.cast(),
            lists: null.cast(),
            successors: null.cast(),
            total: at(space.total).cast(),
            counts: space.counts.map_or(null, at).cast(),
            marks: at(space.marks).cast(),
            vertices: self.shape.vertices,
        };
        // Enough to fill a device a few times over; each warp adds to the sum.
        let threads = self.shape.vertices.min(1 << 19);
        let mut steps = Vec::new();
        if let Some(oriented) = space.oriented {
            arguments.offsets = at(oriented.offsets).cast();
            arguments.lists = at(oriented.lists).cast();
            arguments.successors = at(oriented.successors).cast();
            let (offsets, scan) = (arguments.offsets, at(oriented.csr));
            steps.extend(self.offsets(0, offsets, CsrSpace::new(), scan));
            steps.push(self.by_layout::<Orient, LinkedOrient>(in_ranges(threads), arguments));
        }
        steps.push(PlannedLaunch::of::<Triangles>(
            in_ranges(threads),
            arguments,
        ));
        steps
    }

    /// The launches that label connected components; in a directed graph those
    /// of the graph without directions.
    pub fn components(&self, space: &ComponentSpace, workspace: *mut u8) -> [PlannedLaunch; 3] {
        let arguments = ComponentArguments {
            records: self.contiguous_records(),
            labels: workspace.wrapping_add(space.labels).cast(),
            count: workspace.cast(),
            vertices: self.shape.vertices,
        };
        let threads = self.shape.vertices;
        [
            PlannedLaunch::of::<ComponentStart>(strided(threads), arguments),
            PlannedLaunch::of::<ComponentJoin>(strided(threads), arguments),
            PlannedLaunch::of::<ComponentEnd>(strided(threads), arguments),
        ]
    }

    fn search_arguments(
        &self,
        space: &SearchSpace,
        workspace: *mut u8,
        source: u32,
        depth: u32,
    ) -> SearchArguments {
        let list = |ahead: u32| {
            let offset = space.lists[((depth + ahead) % 2) as usize];
            workspace.wrapping_add(offset).cast()
        };
        SearchArguments {
            records: self.contiguous_records(),
            depths: workspace.wrapping_add(space.depths).cast(),
            level: list(0),
            next: list(1),
            header: workspace.cast(),
            vertices: self.shape.vertices,
            source,
            depth,
        }
    }

    /// The launch before the levels of a search.
    ///
    /// # Panics
    ///
    /// If the source is no vertex.
    pub fn search_start(
        &self,
        space: &SearchSpace,
        workspace: *mut u8,
        source: u32,
    ) -> PlannedLaunch {
        assert!(source < self.shape.vertices);
        let arguments = self.search_arguments(space, workspace, source, 0);
        PlannedLaunch::of::<SearchStart>(strided(self.shape.vertices), arguments)
    }

    /// The launch of a level, numbered from 0. One after the last that is
    /// needed does nothing.
    pub fn search_level(
        &self,
        space: &SearchSpace,
        workspace: *mut u8,
        depth: u32,
    ) -> PlannedLaunch {
        let arguments = self.search_arguments(space, workspace, 0, depth);
        // A level is seldom a large part of the graph.
        let threads = self.shape.vertices.min(1 << 17);
        PlannedLaunch::of::<SearchLevel>(strided(threads), arguments)
    }

    /// The launch that answers whether edges are there: `count` words with a
    /// source and a target each, and a word of 32 bits for each answer, 1 or 0.
    pub fn query(&self, edges: *mut u64, answers: *mut u32, count: u32) -> PlannedLaunch {
        let arguments = QueryArguments {
            records: self.records(0),
            edges,
            answers,
            vertices: self.shape.vertices,
            count,
        };
        self.by_layout::<Query, LinkedQuery>(strided(count), arguments)
    }
}
