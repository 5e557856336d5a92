//! A graph: what it is like, its memory, and what it takes.

use crate::graph::store::Vertex;
use crate::graph::store::block_bytes;
use crate::graph::store::linked::page::{capacity_beside, page_bytes};
use crate::graph::store::measure::{Measure, MeasureArguments, word as measure};
use crate::launch::{Grid, Listed, PlannedLaunch};
use crate::workspace::WorkspaceLayout;

/// How adjacency is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// A block for each vertex.
    #[default]
    Contiguous,
    /// Linked pages of 64 bytes: the baseline.
    Linked,
}

impl Layout {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Contiguous, Self::Linked];

    /// As on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Contiguous => "contiguous",
            Self::Linked => "linked",
        }
    }
}

/// The weights of a graph's edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weighting {
    /// There are none.
    #[default]
    None,
    /// Integers of 32 bits.
    Integer,
    /// `f32`, not negative and finite, kept as their bits.
    Real,
}

impl Weighting {
    /// Whether there are weights.
    pub fn is_some(self) -> bool {
        self != Self::None
    }
}

/// The shape of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Vertices, numbered from 0.
    pub vertices: u32,
    /// Vertices that there is room for.
    pub limit: u32,
    /// Whether an edge says nothing about the opposite direction. Directed
    /// graphs have a second store, of in-neighbours.
    pub directed: bool,
    /// Bytes of the allocator's handles.
    pub handle_bytes: usize,
    /// The weights of edges.
    pub weighting: Weighting,
    /// Whether the allocator makes memory ready ahead of requests.
    pub provides: bool,
    /// How adjacency is kept.
    pub layout: Layout,
}

/// Words at the front of a graph's buffer.
const STATUS_BYTES: usize = 256;

impl Shape {
    /// The stores: out-neighbours, and in-neighbours of a directed graph.
    pub fn stores(&self) -> usize {
        1 + usize::from(self.directed)
    }

    fn store_layout(&self) -> (usize, usize) {
        let mut layout = WorkspaceLayout::default();
        layout.reserve(size_of::<Vertex>() * self.limit as usize);
        let handles = layout.reserve(self.handle_bytes * self.limit as usize);
        (handles, layout.bytes())
    }

    /// Bytes of the buffer of a graph, 256-byte aligned; its first 256 are 0
    /// before the graph is loaded.
    pub fn bytes(&self) -> usize {
        STATUS_BYTES + self.store_layout().1 * self.stores()
    }
}

/// A graph in device memory.
#[derive(Clone, Copy, Debug)]
pub struct Graph {
    /// Its shape.
    pub shape: Shape,
    /// Vertices among them that were deleted.
    pub absent: u32,
    base: *mut u8,
    /// Records of a view, or null; see [`Graph::viewed`].
    view: *mut Vertex,
    /// The same of in-neighbours.
    incoming_view: *mut Vertex,
}

/// The words to read after a launch of `measure`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// Entries: edges in the direction of the store.
    pub entries: u64,
    /// Bytes of those entries, with their weights.
    pub payload_bytes: u64,
    /// Bytes of the blocks, as granted.
    pub granted_bytes: u64,
    /// Vertices with neighbours.
    pub blocks: u64,
    /// The most neighbours of a vertex.
    pub highest_degree: u64,
}

impl Graph {
    /// The graph in a buffer of `shape.bytes()` bytes at this device address.
    pub fn new(shape: Shape, base: *mut u8) -> Self {
        Self {
            shape,
            absent: 0,
            base,
            view: std::ptr::null_mut(),
            incoming_view: std::ptr::null_mut(),
        }
    }

    /// The records of a store.
    pub(in crate::graph) fn records(&self, store: usize) -> *mut Vertex {
        let (_, bytes) = self.shape.store_layout();
        self.base.wrapping_add(STATUS_BYTES + store * bytes).cast()
    }

    /// The graph read through the records of a view, which [`Graph::view`] has
    /// made: only the algorithms of `graph` are meant, not updates. Those of a directed graph's
    /// in-neighbours may be null.
    pub fn viewed(&self, view: *mut Vertex, incoming: *mut Vertex) -> Self {
        let mut graph = *self;
        graph.shape.layout = Layout::Contiguous;
        graph.view = view;
        graph.incoming_view = incoming;
        graph
    }

    /// Records of out-neighbours, contiguous.
    pub(in crate::graph) fn contiguous_records(&self) -> *mut Vertex {
        assert!(
            self.shape.layout == Layout::Contiguous,
            "a linked graph is read through a view"
        );
        if self.view.is_null() {
            self.records(0)
        } else {
            self.view
        }
    }

    /// Whether contiguous rows are 16-byte aligned and have zeroes up to a multiple of four:
    /// those of a view are not.
    pub(in crate::graph) fn has_padded_rows(&self) -> bool {
        self.view.is_null()
    }

    /// Records of in-neighbours, contiguous; null for a view of a directed graph that has
    /// out-neighbours only.
    pub(in crate::graph) fn contiguous_incoming(&self) -> *mut Vertex {
        if !self.shape.directed {
            self.contiguous_records()
        } else if self.view.is_null() {
            self.records(1)
        } else {
            self.incoming_view
        }
    }

    /// The handles of a store.
    pub(in crate::graph) fn handles(&self, store: usize) -> *mut u8 {
        let (handles, _) = self.shape.store_layout();
        self.records(store).cast::<u8>().wrapping_add(handles)
    }

    /// The word that counts deleted vertices.
    pub(in crate::graph) fn absent_word(&self) -> *mut u64 {
        self.base.cast()
    }

    /// The launch of the kernel for the layout of the graph.
    pub(in crate::graph) fn by_layout<Contiguous, Linked>(
        &self,
        grid: Grid,
        arguments: Contiguous::Arguments,
    ) -> PlannedLaunch
    where
        Contiguous: Listed,
        Linked: Listed<Arguments = Contiguous::Arguments>,
    {
        match self.shape.layout {
            Layout::Contiguous => PlannedLaunch::of::<Contiguous>(grid, arguments),
            Layout::Linked => PlannedLaunch::of::<Linked>(grid, arguments),
        }
    }

    /// The launch that measures a store into the first words of a workspace,
    /// which are 0 before; see [`Graph::measured`].
    pub fn measure(&self, store: usize, workspace: *mut u8) -> PlannedLaunch {
        let weighted = self.shape.weighting.is_some();
        let (page, page_bytes) = match self.shape.layout {
            Layout::Contiguous => (4, block_bytes(4, weighted)),
            Layout::Linked => {
                let room = capacity_beside(self.shape.handle_bytes);
                (room, page_bytes(weighted))
            }
        };
        let arguments = MeasureArguments {
            records: self.records(store),
            words: workspace.cast(),
            vertices: self.shape.vertices,
            page,
            page_bytes: page_bytes as u32,
        };
        let threads = self.shape.vertices.min(1 << 18);
        PlannedLaunch::of::<Measure>(Grid::ranges(threads), arguments)
    }

    /// The measures in the words that `measure` wrote.
    pub fn measured(&self, words: &[u64; Measured::WORDS]) -> Measured {
        let entries = words[measure::ENTRIES];
        Measured {
            entries,
            payload_bytes: entries << (2 + u32::from(self.shape.weighting.is_some())),
            granted_bytes: words[measure::BYTES],
            blocks: words[measure::BLOCKS],
            highest_degree: words[measure::DEGREE],
        }
    }
}

impl Measured {
    /// Words that `measure` writes.
    pub const WORDS: usize = measure::COUNT;
}
