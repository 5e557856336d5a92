//! The host's side of counting triangles.
//!
//! A graph has *long rows* if its highest degree is above the square root of its entries: the
//! most successors that a vertex can have once edges are oriented by degree. Otherwise no row
//! is longer than a list may be anyway. A lane alone then reads rows in place; warps copy
//! successors and search lists, as many vertices to a warp as it has lanes.
//!
//! Warps count by hubs where rows are long. The other way a warp whose vertices all have `d`
//! neighbours takes up to `d` turns to orient them, of some 0.2 microseconds (a read and one
//! that depends on it), and more to count: up to the bound 0.2 ms of a million entries at
//! worst, and behind it no longer bounded by the size of the graph. Counting by hubs takes four
//! launches more and a turn for each vertex with a hub among its successors, so
//! that meshes, whose degrees are alike, would lose by it.

use super::hubs::{
    self, COUNT_TILE, DENSE_WORDS, HEADER_WORDS, HubArguments, HubBins, HubOrient, HubRows,
    HubStandings, HubTriangles, MAX_DENSE, MAX_HUBS, ORIENT_TILE,
};
use super::linked::LinkedOrient;
use super::{List, Marks, Orient, SLOTS, Stamps, TAIL_PADDING, TriangleArguments, Triangles};
use crate::graph::store::plan::{CsrSpace, Graph, Layout, Measured, Shape};
use crate::launch::{Grid, PlannedLaunch};
use crate::workspace::WorkspaceLayout;

/// How many hubs there may be when triangles are counted by hubs. The count does not depend
/// on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HubLimits {
    /// Hubs; above [`MAX_HUBS`] as many as that.
    pub hubs: u32,
    /// Hubs with dense rows; above [`MAX_DENSE`] as many as that.
    pub dense: u32,
}

impl Default for HubLimits {
    /// As many as there can be.
    fn default() -> Self {
        Self {
            hubs: MAX_HUBS,
            dense: MAX_DENSE,
        }
    }
}

/// The layout of the workspace of a count of triangles.
#[derive(Clone, Copy, Debug)]
pub struct TriangleSpace {
    total: usize,
    counts: Option<usize>,
    marks: usize,
    oriented: Option<OrientedSpace>,
    hubs: Option<HubSpace>,
    entries: u64,
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

/// The part of it for hubs.
#[derive(Clone, Copy, Debug)]
struct HubSpace {
    limits: HubLimits,
    header: usize,
    standings: usize,
    slots: usize,
    codes: usize,
    dense: usize,
    vertices: usize,
}

impl TriangleSpace {
    /// Words at the front of the workspace whose sum is the count.
    pub const TOTAL_WORDS: usize = SLOTS as usize;

    /// For a graph like this whose store is as measured; with counts for each
    /// vertex, if wanted. `workers` run warps of one lane, and have the numbers below
    /// that as [`crate::simt::Warp::processor`].
    pub fn new(
        shape: &Shape,
        measured: &Measured,
        per_vertex: bool,
        workers: u32,
        limits: HubLimits,
    ) -> Self {
        let long_rows = has_long_rows(measured);
        let in_place = workers > 0 && shape.layout == Layout::Contiguous && !long_rows;
        let by_hubs = workers == 0 && long_rows;
        let marks = match in_place {
            true => Stamps::words(shape.vertices),
            false => Marks::words(shape.vertices),
        };
        let vertices = shape.vertices as usize;
        let mut layout = WorkspaceLayout::default();
        let total = layout.reserve(8 * Self::TOTAL_WORDS);
        let counts = per_vertex.then(|| layout.reserve(4 * vertices));
        let marks = layout.reserve(4 * marks * workers as usize);
        let header = by_hubs.then(|| layout.reserve(4 * HEADER_WORDS as usize));
        let zero_bytes = layout.bytes();
        let oriented = (!in_place).then(|| OrientedSpace {
            csr: layout.reserve(CsrSpace::new().bytes()),
            offsets: layout.reserve(4 * (vertices + 1)),
            lists: layout.reserve(size_of::<List>() * vertices),
            successors: layout.reserve(4 * (measured.entries as usize + TAIL_PADDING)),
        });
        let hubs = header.map(|header| {
            let limits = HubLimits {
                hubs: limits.hubs.min(MAX_HUBS),
                dense: limits.dense.min(MAX_DENSE),
            };
            let granules = hubs::codes_granules(shape.vertices, measured.entries);
            let rows = limits.dense.min(shape.vertices) as usize;
            HubSpace {
                limits,
                header,
                standings: layout.reserve(4 * vertices),
                slots: layout.reserve(size_of::<List>() * (MAX_HUBS as usize + vertices)),
                codes: layout.reserve(8 * granules as usize),
                dense: layout.reserve(4 * DENSE_WORDS as usize * rows),
                vertices: layout.reserve(4 * MAX_HUBS as usize),
            }
        });
        Self {
            total,
            counts,
            marks,
            oriented,
            hubs,
            entries: measured.entries,
            zero_bytes,
            bytes: layout.bytes(),
        }
    }

    /// Whether triangles are counted by hubs, which takes contiguous adjacency: a linked graph
    /// is read through a view.
    pub fn is_by_hubs(&self) -> bool {
        self.hubs.is_some()
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

/// Whether a vertex has more neighbours than it may have successors once edges are
/// oriented by degree.
fn has_long_rows(measured: &Measured) -> bool {
    measured
        .highest_degree
        .saturating_mul(measured.highest_degree)
        > measured.entries
}

impl Graph {
    /// The launches that count the triangles of an undirected graph.
    ///
    /// # Panics
    ///
    /// If they are counted by hubs and the graph is linked and not viewed.
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
            steps.extend(match space.hubs {
                Some(hubs) => self.hub_triangles(space, &hubs, &arguments, workspace),
                None => {
                    vec![self.by_layout::<Orient, LinkedOrient>(Grid::ranges(threads), arguments)]
                }
            });
        }
        steps.push(PlannedLaunch::of::<Triangles>(
            Grid::ranges(threads),
            arguments,
        ));
        steps
    }

    /// The launches that orient edges and count the triangles with a hub; the others are left
    /// to [`Triangles`].
    fn hub_triangles(
        &self,
        space: &TriangleSpace,
        hubs: &HubSpace,
        lists: &TriangleArguments,
        workspace: *mut u8,
    ) -> Vec<PlannedLaunch> {
        let at = |offset: usize| workspace.wrapping_add(offset);
        let arguments = HubArguments {
            records: self.contiguous_records(),
            offsets: lists.offsets,
            header: at(hubs.header).cast(),
            standings: at(hubs.standings).cast(),
            slots: at(hubs.slots).cast(),
            codes: at(hubs.codes).cast(),
            lists: lists.lists,
            successors: lists.successors,
            dense: at(hubs.dense).cast(),
            hubs: at(hubs.vertices).cast(),
            total: lists.total,
            counts: lists.counts,
            vertices: self.shape.vertices,
            most_hubs: hubs.limits.hubs,
            most_dense: hubs.limits.dense,
        };
        // Each warp of the first two has bins to go through.
        let vertices = self.shape.vertices;
        let warps = |count: u32| Grid::strided(count.saturating_mul(32));
        let tiles = |entries: u32| warps(space.entries.div_ceil(entries.into()) as u32);
        vec![
            PlannedLaunch::of::<HubBins>(Grid::strided(vertices.min(1 << 17)), arguments),
            PlannedLaunch::of::<HubStandings>(Grid::strided(vertices.min(1 << 18)), arguments),
            PlannedLaunch::of::<HubOrient>(tiles(ORIENT_TILE), arguments),
            PlannedLaunch::of::<HubRows>(warps(vertices.min(MAX_HUBS)), arguments),
            PlannedLaunch::of::<HubTriangles>(tiles(COUNT_TILE), arguments),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::store::plan::Weighting;

    /// The space of a graph of 1000 vertices with such rows.
    fn space(highest_degree: u64, entries: u64, layout: Layout, workers: u32) -> TriangleSpace {
        let shape = Shape {
            vertices: 1000,
            limit: 1000,
            directed: false,
            handle_bytes: 8,
            weighting: Weighting::None,
            provides: false,
            layout,
        };
        let measured = Measured {
            entries,
            highest_degree,
            ..Measured::default()
        };
        TriangleSpace::new(&shape, &measured, false, workers, HubLimits::default())
    }

    #[test]
    fn long_rows_are_counted_by_hubs() {
        for layout in Layout::ALL {
            assert!(!space(100, 10_000, layout, 0).is_by_hubs());
            assert!(space(101, 10_000, layout, 0).is_by_hubs());
            assert!(!space(101, 10_000, layout, 2).is_by_hubs());
            assert!(!space(0, 0, layout, 0).is_by_hubs());
            // Of the largest graph, nothing overflows.
            let entries = u64::from(u32::MAX);
            let largest = space(1 << 31, entries, layout, 0);
            assert!(largest.is_by_hubs() && largest.bytes() as u64 > 6 * entries);
        }
    }

    #[test]
    fn rows_are_read_in_place_by_a_lane_alone() {
        let is_oriented =
            |degree, layout, workers| space(degree, 10_000, layout, workers).oriented.is_some();
        assert!(!is_oriented(100, Layout::Contiguous, 2));
        assert!(is_oriented(101, Layout::Contiguous, 2));
        assert!(is_oriented(100, Layout::Linked, 2));
        assert!(is_oriented(100, Layout::Contiguous, 0));
    }
}
