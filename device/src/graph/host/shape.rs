//! A graph's memory, and moving CSR in and out.

use super::super::copy::{CopyArguments, mix};
use super::super::load::{LoadArguments, word as load};
use super::super::measure::{MeasureArguments, word as measure};
use super::super::scan::ScanArguments;
use super::super::store::Vertex;
use super::{Division, Step, tiles};

/// What a graph is like.
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
}

/// Words at the front of a graph's buffer.
const STATUS_BYTES: usize = 256;
/// Launches with more tiles than this would scan their sums for too long.
const MOST_TILES: u32 = 4096;

impl Shape {
    /// The stores: out-neighbours, and in-neighbours of a directed graph.
    pub fn stores(&self) -> usize {
        1 + usize::from(self.directed)
    }

    fn store_division(&self) -> (usize, usize) {
        let mut division = Division::default();
        division.part(size_of::<Vertex>() * self.limit as usize);
        let handles = division.part(self.handle_bytes * self.limit as usize);
        (handles, division.bytes)
    }

    /// Bytes of the buffer of a graph, 256-byte aligned; its first 256 are 0
    /// before the graph is loaded.
    pub fn bytes(&self) -> usize {
        STATUS_BYTES + self.store_division().1 * self.stores()
    }
}

/// A graph in device memory.
#[derive(Clone, Copy, Debug)]
pub struct Graph {
    /// What it is like.
    pub shape: Shape,
    /// Vertices among them that were deleted.
    pub absent: u32,
    base: *mut u8,
}

/// A CSR form in device memory.
#[derive(Clone, Copy, Debug)]
pub struct Csr {
    /// `vertices` and one words: where the targets of each vertex begin.
    pub offsets: *mut u32,
    /// The targets, ascending within a vertex, each once.
    pub targets: *mut u32,
    /// Their number.
    pub entries: u32,
}

/// What is read after a launch of `measure`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// Entries: edges in the direction of the store.
    pub entries: u64,
    /// Bytes of those entries.
    pub payload_bytes: u64,
    /// Bytes of the blocks, as granted.
    pub granted_bytes: u64,
    /// Vertices with neighbours.
    pub blocks: u64,
    /// The most neighbours of a vertex.
    pub highest_degree: u64,
}

/// The workspace of operations that move CSR, divided.
#[derive(Clone, Copy, Debug)]
pub struct CsrSpace {
    sums: usize,
    bytes: usize,
}

impl CsrSpace {
    /// Words at the front of the workspace, 0 before the first launch.
    pub const STATUS_WORDS: usize = load::COUNT;

    /// The division; it suits every graph.
    pub fn new() -> Self {
        let mut division = Division::default();
        division.part(8 * Self::STATUS_WORDS);
        let sums = division.part(4 * MOST_TILES as usize);
        Self {
            sums,
            bytes: division.bytes,
        }
    }

    /// Bytes of the workspace, 256-byte aligned.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Default for CsrSpace {
    fn default() -> Self {
        Self::new()
    }
}

/// The hash of a graph with so many vertices whose edges have this hash, as
/// `status[2]` of an export. It depends on the set of edges alone.
pub fn graph_hash(vertices: u32, edges: u64) -> u64 {
    let once = mix(0, vertices);
    edges.wrapping_add(mix((once >> 32) as u32, once as u32))
}

impl Graph {
    /// The graph in a buffer of `shape.bytes()` bytes at this device address.
    pub fn new(shape: Shape, base: *mut u8) -> Self {
        Self {
            shape,
            absent: 0,
            base,
        }
    }

    /// The records of a store.
    pub(super) fn records(&self, store: usize) -> *mut Vertex {
        let (_, bytes) = self.shape.store_division();
        self.base.wrapping_add(STATUS_BYTES + store * bytes).cast()
    }

    /// The handles of a store.
    pub(super) fn handles(&self, store: usize) -> *mut u8 {
        let (handles, _) = self.shape.store_division();
        self.records(store).cast::<u8>().wrapping_add(handles)
    }

    /// The word that counts deleted vertices.
    pub(super) fn absent_word(&self) -> *mut u64 {
        self.base.cast()
    }

    /// The launches that fill an empty store from CSR. The heap has been made
    /// empty, once for all stores. Afterwards `status[0]` is the largest
    /// request that was refused, in bytes, or 0, and `status[1]` not 0 if the
    /// CSR form is wrong; the graph is unusable in both cases.
    pub fn load(&self, store: usize, csr: Csr, space: CsrSpace, workspace: *mut u8) -> [Step; 2] {
        let arguments = LoadArguments {
            records: self.records(store),
            handles: self.handles(store),
            offsets: csr.offsets,
            status: workspace.cast(),
            vertices: self.shape.vertices,
            limit: self.shape.limit,
            entries: csr.entries,
        };
        let copy = self.copy_arguments(store, csr, space, workspace);
        [
            Step::over_heap("graph_load", self.shape.limit, arguments),
            Step::plain("graph_copy_in", csr.entries, copy),
        ]
    }

    fn copy_arguments(
        &self,
        store: usize,
        csr: Csr,
        _: CsrSpace,
        workspace: *mut u8,
    ) -> CopyArguments {
        CopyArguments {
            records: self.records(store),
            offsets: csr.offsets,
            targets: csr.targets,
            status: workspace.cast(),
            vertices: self.shape.vertices,
            tile: 512,
        }
    }

    /// The launches that compute the offsets of a store, whose last is the
    /// number of entries. `offsets` has room for a word for each vertex and
    /// one.
    pub fn offsets(
        &self,
        store: usize,
        offsets: *mut u32,
        space: CsrSpace,
        workspace: *mut u8,
    ) -> [Step; 2] {
        // One more vertex, for the total.
        let vertices = self.shape.vertices;
        let (tile, tiles) = tiles(vertices.saturating_add(1), 64, MOST_TILES);
        let arguments = ScanArguments {
            records: self.records(store),
            sums: workspace.wrapping_add(space.sums).cast(),
            offsets,
            vertices,
            tile,
            tiles,
        };
        let threads = tiles.saturating_mul(32);
        [
            Step::plain("graph_scan_sums", threads, arguments),
            Step::plain("graph_scan_offsets", threads, arguments),
        ]
    }

    /// The launch that copies the targets of a store whose offsets are
    /// computed, and hashes its edges into `status[2]`. With null targets it
    /// only hashes.
    pub fn export(&self, store: usize, csr: Csr, space: CsrSpace, workspace: *mut u8) -> Step {
        let copy = self.copy_arguments(store, csr, space, workspace);
        Step::plain("graph_copy_out", csr.entries, copy)
    }

    /// The launch that measures a store into the first words of a workspace,
    /// which are 0 before; see [`Measured::from_words`].
    pub fn measure(&self, store: usize, workspace: *mut u8) -> Step {
        let arguments = MeasureArguments {
            records: self.records(store),
            words: workspace.cast(),
            vertices: self.shape.vertices,
        };
        Step::plain("graph_measure", self.shape.vertices.min(1 << 18), arguments)
    }
}

impl Measured {
    /// Words that `measure` writes.
    pub const WORDS: usize = measure::COUNT;

    /// What the words say.
    pub fn from_words(words: &[u64; Self::WORDS]) -> Self {
        Self {
            entries: words[measure::ENTRIES],
            payload_bytes: 4 * words[measure::ENTRIES],
            granted_bytes: 4 * words[measure::ROOM],
            blocks: words[measure::BLOCKS],
            highest_degree: words[measure::DEGREE],
        }
    }
}
