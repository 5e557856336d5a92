//! The host's side of counting triangles.

use super::linked::LinkedOrient;
use super::{List, Marks, Orient, SLOTS, Stamps, TAIL_PADDING, TriangleArguments, Triangles};
use crate::graph::store::plan::{CsrSpace, Graph, Layout, Measured, Shape};
use crate::launch::{Grid, PlannedLaunch};
use crate::workspace::WorkspaceLayout;

/// The layout of the workspace of a count of triangles.
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

    /// For a graph like this whose store is as measured; with counts for each
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
        let zero_bytes = layout.bytes();
        let oriented = (!in_place).then(|| OrientedSpace {
            csr: layout.reserve(CsrSpace::new().bytes()),
            offsets: layout.reserve(4 * (vertices + 1)),
            lists: layout.reserve(size_of::<List>() * vertices),
            successors: layout.reserve(4 * (measured.entries as usize + TAIL_PADDING)),
        });
        Self {
            total,
            counts,
            marks,
            oriented,
            zero_bytes,
            bytes: layout.bytes(),
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
            steps.push(self.by_layout::<Orient, LinkedOrient>(Grid::ranges(threads), arguments));
        }
        steps.push(PlannedLaunch::of::<Triangles>(
            Grid::ranges(threads),
            arguments,
        ));
        steps
    }
}
