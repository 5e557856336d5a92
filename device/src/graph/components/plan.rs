//! The host's side of labelling components.

use std::ptr::null_mut;

use super::{
    ComponentArguments, ComponentCompress, ComponentEnd, ComponentJoin, ComponentJoinLong,
    ComponentLink, ComponentList, ComponentSpread, ComponentStart, LINKED, LONG, ROWS, word,
};
use crate::graph::chunks::{Chunk, max_chunks};
use crate::graph::store::plan::{Graph, Shape};
use crate::launch::{Grid, PlannedLaunch};
use crate::workspace::WorkspaceLayout;

/// The layout of the workspace of a computation of components.
#[derive(Clone, Copy, Debug)]
pub struct ComponentSpace {
    labels: usize,
    long: usize,
    bytes: usize,
}

/// Bytes of the chunks of long rows of a graph of that shape, with that many entries in one
/// direction.
fn long_bytes(shape: &Shape, entries: u64) -> usize {
    // Each has more than a chunk of entries.
    let rows = (entries / u64::from(LONG)) as usize;
    size_of::<Chunk>() * shape.stores() * max_chunks::<LONG>(rows, entries)
}

impl ComponentSpace {
    /// For a graph of that shape, with that many entries in one direction.
    pub fn new(shape: &Shape, entries: u64) -> Self {
        let mut layout = WorkspaceLayout::default();
        layout.reserve(8 * word::WORDS);
        Self {
            labels: layout.reserve(4 * shape.vertices as usize),
            long: layout.reserve(long_bytes(shape, entries)),
            bytes: layout.bytes(),
        }
    }

    /// Bytes of the workspace, 256-byte aligned. Nothing of it need be 0; its first 8 are
    /// the number of components after the last launch.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Where in the workspace the labels begin, 32 bits for each vertex: the
    /// least vertex of its component, or `u32::MAX` if it was deleted.
    pub fn labels_offset(&self) -> usize {
        self.labels
    }
}

/// The memory of labels that batches keep.
#[derive(Clone, Copy, Debug)]
pub struct LabelSpace {
    labels: usize,
    list: usize,
    lost: usize,
    bytes: usize,
}

impl LabelSpace {
    /// Words at the front of the memory that are 0 before labels are brought up to date, after
    /// which the first has the number of components.
    pub const HEADER_WORDS: usize = word::WORDS;

    /// For so many vertices.
    pub fn new(vertices: u32) -> Self {
        let mut layout = WorkspaceLayout::default();
        layout.reserve(8 * word::WORDS);
        Self {
            labels: layout.reserve(4 * vertices as usize),
            list: layout.reserve(4 * vertices as usize),
            lost: vertices.div_ceil(32) as usize,
            bytes: layout.bytes(),
        }
    }

    /// Bytes of the memory, 256-byte aligned.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Words of the memory for marks, a bit for each vertex; 0 but for the vertices that are to
    /// be labelled anew.
    pub fn lost_words(&self) -> usize {
        self.lost
    }

    /// Where in the memory the labels begin, 32 bits for each vertex: at first the vertex
    /// itself, after that the least vertex of its component, or `u32::MAX` if it was deleted.
    pub fn labels_offset(&self) -> usize {
        self.labels
    }

    /// The labels in memory that is divided so, with their marks.
    pub fn labels(&self, memory: *mut u8, lost: *mut u8) -> Labels {
        Labels {
            header: memory.cast(),
            labels: memory.wrapping_add(self.labels).cast(),
            list: memory.wrapping_add(self.list).cast(),
            lost: lost.cast(),
        }
    }

    /// Bytes of the workspace in which lost components are labelled, of a graph of that shape
    /// with that many entries in one direction. Nothing of it need be 0.
    pub fn relabel_bytes(shape: &Shape, entries: u64) -> usize {
        long_bytes(shape, entries)
    }
}

/// Labels that batches keep, in device memory.
#[derive(Clone, Copy, Debug)]
pub struct Labels {
    header: *mut u64,
    pub(in crate::graph) labels: *mut u32,
    list: *mut u32,
    pub(in crate::graph) lost: *mut u32,
}

impl Graph {
    /// The launches that label connected components; in a directed graph those
    /// of the graph without directions.
    pub fn components(&self, space: &ComponentSpace, workspace: *mut u8) -> Vec<PlannedLaunch> {
        self.label(ComponentArguments {
            records: self.contiguous_records(),
            labels: workspace.wrapping_add(space.labels).cast(),
            long: workspace.wrapping_add(space.long).cast(),
            header: workspace.cast(),
            list: null_mut(),
            lost: null_mut(),
            vertices: self.shape.vertices,
            first: LINKED,
            skips: !self.contiguous_incoming().is_null(),
        })
    }

    /// The launches that bring labels up to date if no edge was deleted since they were last;
    /// in either layout.
    pub fn end_labels(&self, labels: &Labels) -> Vec<PlannedLaunch> {
        let arguments = ComponentArguments {
            records: self.records(0),
            labels: labels.labels,
            long: null_mut(),
            header: labels.header,
            list: null_mut(),
            lost: null_mut(),
            vertices: self.shape.vertices,
            first: 0,
            skips: false,
        };
        let grid = Grid::strided(self.shape.vertices);
        vec![PlannedLaunch::of::<ComponentEnd>(grid, arguments)]
    }

    /// The launches that bring labels up to date if edges were deleted, in a workspace of
    /// [`LabelSpace::relabel_bytes`]. The marks are to be zeroed after them.
    pub fn relabel(&self, labels: &Labels, workspace: *mut u8) -> Vec<PlannedLaunch> {
        let arguments = ComponentArguments {
            records: self.contiguous_records(),
            labels: labels.labels,
            long: workspace.cast(),
            header: labels.header,
            list: labels.list,
            lost: labels.lost,
            vertices: self.shape.vertices,
            first: LINKED,
            skips: !self.contiguous_incoming().is_null(),
        };
        let vertices = self.shape.vertices;
        let mut launches = vec![
            PlannedLaunch::of::<ComponentSpread>(Grid::strided(vertices.div_ceil(32)), arguments),
            PlannedLaunch::of::<ComponentList>(Grid::strided(vertices.div_ceil(ROWS)), arguments),
        ];
        launches.extend(self.label(arguments));
        launches
    }

    /// The launches that label all vertices, or those that are listed.
    fn label(&self, outgoing: ComponentArguments) -> Vec<PlannedLaunch> {
        let grid = Grid::strided(self.shape.vertices);
        let mut launches = vec![
            PlannedLaunch::of::<ComponentStart>(grid, outgoing),
            PlannedLaunch::of::<ComponentLink>(grid, outgoing),
            PlannedLaunch::of::<ComponentCompress>(grid, outgoing),
            PlannedLaunch::of::<ComponentJoin>(grid, outgoing),
        ];
        if self.shape.directed && outgoing.skips {
            let incoming = ComponentArguments {
                records: self.contiguous_incoming(),
                first: 0,
                ..outgoing
            };
            launches.push(PlannedLaunch::of::<ComponentJoin>(grid, incoming));
        }
        // Enough to fill a device; how many chunks there are the host does not know.
        let chunks = Grid::strided(self.shape.vertices.min(1 << 17));
        launches.extend([
            PlannedLaunch::of::<ComponentJoinLong>(chunks, outgoing),
            PlannedLaunch::of::<ComponentEnd>(grid, outgoing),
        ]);
        launches
    }
}
