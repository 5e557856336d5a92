//! Moving CSR in and out, hashes, and views.

use crate::graph::store::Vertex;
use crate::graph::store::copy::{CopyArguments, CopyIn, CopyOut, mix};
use crate::graph::store::linked::page::capacity_beside;
use crate::graph::store::linked::row::MAX_DEGREE;
use crate::graph::store::linked::{LinkedCopyOut, LinkedLoad};
use crate::graph::store::load::{Load, LoadArguments, word};
use crate::graph::store::plan::{Graph, Layout};
use crate::graph::store::provide::{LoadDemand, LoadDemandArguments, Provide, ProvideArguments};
use crate::graph::store::release::{LinkedRelease, Release, ReleaseArguments};
use crate::graph::store::scan::{ScanArguments, ScanOffsets, ScanSums};
use crate::graph::store::view::{View, ViewArguments};
use crate::launch::{Grid, PlannedLaunch};
use crate::workspace::{WorkspaceLayout, tiles};

/// Launches with more tiles than this would scan their sums for too long.
const MAX_TILES: u32 = 4096;

/// Vertices with that many neighbours or more are loaded before the others.
const HUB: u32 = 1024;

/// A CSR form in device memory.
#[derive(Clone, Copy, Debug)]
pub struct Csr {
    /// `vertices` and one words: where the targets of each vertex begin.
    pub offsets: *mut u32,
    /// The targets, ascending within a vertex, each once.
    pub targets: *mut u32,
    /// Their weights; null if there are none. For [`Graph::view`] they lie behind all targets.
    pub weights: *mut u32,
    /// Their number.
    pub entries: u32,
}

/// The workspace of operations that move CSR, divided.
#[derive(Clone, Copy, Debug)]
pub struct CsrSpace {
    sums: usize,
    bytes: usize,
}

impl CsrSpace {
    /// Words at the front of the workspace, 0 before the first launch.
    pub const STATUS_WORDS: usize = word::COUNT;

    /// The layout; it suits every graph.
    pub fn new() -> Self {
        let mut layout = WorkspaceLayout::default();
        layout.reserve(8 * Self::STATUS_WORDS);
        let sums = layout.reserve(4 * MAX_TILES as usize);
        Self {
            sums,
            bytes: layout.bytes(),
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
    /// The launches that fill an empty store from CSR. The heap has been made
    /// empty, once for all stores. Afterwards `status[0]` is the largest
    /// request that was refused, in bytes, or 0, and `status[1]` not 0 if the
    /// CSR form is wrong; the graph is unusable in both cases.
    pub fn load(&self, store: usize, csr: Csr, workspace: *mut u8) -> Vec<PlannedLaunch> {
        let arguments = LoadArguments {
            records: self.records(store),
            handles: self.handles(store),
            offsets: csr.offsets,
            targets: csr.targets,
            weights: csr.weights,
            status: workspace.cast(),
            vertices: self.shape.vertices,
            limit: self.shape.limit,
            entries: csr.entries,
            least: 0,
            below: u32::MAX,
        };
        let least = match self.shape.layout {
            Layout::Contiguous => HUB,
            Layout::Linked => MAX_DEGREE + 1,
        };
        let hubs = LoadArguments { least, ..arguments };
        let others = LoadArguments {
            below: least,
            ..arguments
        };
        let grid = Grid::strided(self.shape.limit);
        let hubs_first = self.by_layout::<Load, LinkedLoad>(grid, hubs);
        let then_others = self.by_layout::<Load, LinkedLoad>(grid, others);
        match self.shape.layout {
            // The blocks of hubs find an empty heap, so that memory is made ready after them.
            Layout::Contiguous => {
                let copy = self.copy_arguments(store, csr, workspace);
                let copy = PlannedLaunch::of::<CopyIn>(Grid::strided(csr.entries), copy);
                let ahead = self.provide(others);
                let steps = [hubs_first].into_iter().chain(ahead);
                steps.chain([then_others, copy]).collect()
            }
            // All are pages.
            Layout::Linked => {
                let ahead = self.provide(arguments);
                ahead.chain([hubs_first, then_others]).collect()
            }
        }
    }

    /// The launches that have the allocator make ready what a load is about to request: none
    /// where it does not do that.
    fn provide(&self, load: LoadArguments) -> impl Iterator<Item = PlannedLaunch> + use<> {
        let sums = ProvideArguments {
            demand: load.status.wrapping_add(word::DEMAND),
        };
        let page_entries = match self.shape.layout {
            Layout::Contiguous => 0,
            Layout::Linked => capacity_beside(self.shape.handle_bytes),
        };
        let demand = LoadDemandArguments {
            load,
            sums,
            page_entries,
        };
        let launches = self.shape.provides.then(|| {
            [
                PlannedLaunch::of::<LoadDemand>(Grid::Persistent, demand),
                PlannedLaunch::of::<Provide>(Grid::Persistent, sums),
            ]
        });
        launches.into_iter().flatten()
    }

    /// The launch that frees all blocks of a store that was loaded, whether with success or
    /// not: where the heap cannot be made empty. Nothing else may be done with the store.
    pub fn release(&self, store: usize) -> PlannedLaunch {
        let arguments = ReleaseArguments {
            records: self.records(store),
            handles: self.handles(store),
            limit: self.shape.limit,
        };
        let grid = Grid::strided(self.shape.limit);
        self.by_layout::<Release, LinkedRelease>(grid, arguments)
    }

    fn copy_arguments(&self, store: usize, csr: Csr, workspace: *mut u8) -> CopyArguments {
        CopyArguments {
            records: self.records(store),
            offsets: csr.offsets,
            targets: csr.targets,
            weights: csr.weights,
            status: workspace.cast(),
            vertices: self.shape.vertices,
            tile: 512,
            is_weighted: self.shape.weighting.is_some(),
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
    ) -> [PlannedLaunch; 2] {
        // One more vertex, for the total.
        let vertices = self.shape.vertices;
        let (tile, tiles) = tiles(vertices.saturating_add(1), 64, MAX_TILES);
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
            PlannedLaunch::of::<ScanSums>(Grid::strided(threads), arguments),
            PlannedLaunch::of::<ScanOffsets>(Grid::strided(threads), arguments),
        ]
    }

    /// The launch that copies the targets of a store whose offsets are
    /// computed, and hashes its edges into `status[2]`. With null targets it
    /// only hashes.
    pub fn export(&self, store: usize, csr: Csr, workspace: *mut u8) -> PlannedLaunch {
        let copy = self.copy_arguments(store, csr, workspace);
        let threads = match self.shape.layout {
            Layout::Contiguous => csr.entries,
            Layout::Linked => self.shape.vertices,
        };
        self.by_layout::<CopyOut, LinkedCopyOut>(Grid::strided(threads), copy)
    }

    /// The launch that makes a record for each vertex, in `view`, which points
    /// into the exported targets of a store; see [`Graph::viewed`].
    pub fn view(&self, store: usize, csr: Csr, view: *mut Vertex) -> PlannedLaunch {
        let arguments = ViewArguments {
            records: self.records(store),
            offsets: csr.offsets,
            targets: csr.targets,
            view,
            vertices: self.shape.vertices,
            to_weights: match self.shape.weighting.is_some() {
                true => csr.entries,
                false => 0,
            },
        };
        PlannedLaunch::of::<View>(Grid::strided(self.shape.vertices), arguments)
    }
}
