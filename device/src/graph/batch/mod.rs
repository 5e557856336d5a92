//! Batches of edges.

mod job;
mod phase;

use crate::graph::components::plan::Labels;
use crate::graph::store::plan::{Graph, Shape};
use crate::graph::store::sort::{MAX_BINS, PROGRESS_WORDS, Sorting, list_bytes};
use crate::graph::store::update::word;
use crate::graph::triangles::delta::plan::Copies;
use crate::launch::PlannedLaunch;
use crate::workspace::WorkspaceLayout;
use job::Job;
pub use phase::Phase;

/// The change that a batch makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Inserts its edges.
    Insert,
    /// Deletes its edges.
    Delete,
}

/// The edges of a batch by outcome, each counted once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Edges that were inserted or deleted.
    pub applied: u64,
    /// Edges that the batch had twice, or that the graph had when they were to
    /// be inserted.
    pub duplicates: u64,
    /// Edges that the graph had with another weight.
    pub reweighted: u64,
    /// Edges to be deleted that the graph did not have.
    pub missing: u64,
    /// Edges whose ends are no vertices, and loops where they are refused.
    pub rejected: u64,
}

/// Why a batch was not applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UpdateError {
    /// The heap refused a block. The graph is as before the batch.
    OutOfMemory {
        /// The largest block that was refused, in bytes.
        bytes: u64,
    },
}

impl std::fmt::Display for UpdateError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::OutOfMemory { bytes } => write!(
                f,
                "graph: the pool refused a block of {bytes} bytes; the graph is as before this \
                 batch; use a larger pool or smaller batches"
            ),
        }
    }
}

impl std::error::Error for UpdateError {}

/// Tiles of the kernels that scan the sums of tiles.
const MAX_TILES: u32 = 6144;
const TILE: u32 = 64;

/// The workspace of a batch, divided; for each store of the graph anew.
#[derive(Clone, Copy, Debug)]
pub struct UpdateSpace {
    edges: u32,
    stores: usize,
    /// Offsets of the parts, in the order of `part`.
    parts: [usize; 13],
    store_bytes: usize,
}

/// Parts of a store's workspace.
mod part {
    pub const HEADER: usize = 0;
    pub const KEYS: usize = 1;
    /// While the keys are sorted, a buffer for rests.
    pub const CHANGES: usize = 2;
    pub const COUNTS: usize = 3;
    pub const SLOT_COUNTS: usize = 4;
    pub const PROGRESS: usize = 5;
    /// While the keys are sorted, its buckets.
    pub const KEY_POSITIONS: usize = 6;
    /// While the keys are sorted, large bins.
    pub const POSITIONS: usize = 7;
    /// While the keys are sorted, a buffer for rests.
    pub const MOVED: usize = 8;
    pub const FRESH: usize = 9;
    pub const FRESH_CAPACITIES: usize = 10;
    /// Of a weighted graph.
    pub const KEY_WEIGHTS: usize = 11;
    /// Of a weighted graph; of others the memory of the keys.
    pub const LONG: usize = 12;
}

impl UpdateSpace {
    /// Room for batches of up to `edges` edges, or none if they are more than
    /// can be numbered, 2^30.
    pub fn new(shape: &Shape, edges: u32) -> Option<Self> {
        if edges > 1 << 30 {
            return None;
        }
        let keys = if shape.directed { edges } else { 2 * edges };
        let count = keys as usize;
        let weights = if shape.weighting.is_some() { count } else { 0 };
        // A smaller batch may have more tiles than the largest.
        let update_tiles = keys.div_ceil(TILE).min(MAX_TILES);
        let [buckets, large, slot_counts] = list_bytes(shape.vertices, keys);
        let mut layout = WorkspaceLayout::default();
        let parts = [
            8 * word::COUNT,
            8 * count,
            8 * count,
            4 * (2 * MAX_BINS).max(update_tiles) as usize,
            slot_counts,
            8 * PROGRESS_WORDS as usize,
            buckets.max(4 * count),
            large.max(4 * count),
            8 * count,
            shape.handle_bytes * count,
            4 * count,
            8 * weights,
            8 * weights,
        ]
        .map(|bytes| layout.reserve(bytes));
        Some(Self {
            edges,
            stores: shape.stores(),
            parts,
            store_bytes: layout.bytes(),
        })
    }

    /// Bytes of the workspace, 256-byte aligned. Nothing of it need be 0.
    pub fn bytes(&self) -> usize {
        self.store_bytes * self.stores
    }

    /// Bytes of the part that [`Graph::sort`] takes: that of the first store.
    pub fn sort_bytes(&self) -> usize {
        self.store_bytes
    }

    /// Where in the workspace the sorted keys of the first store begin.
    pub fn keys_offset(&self) -> usize {
        self.parts[part::KEYS]
    }

    /// Edges of the largest batch.
    pub fn edges(&self) -> u32 {
        self.edges
    }

    /// Words that [`UpdateSpace::outcome`] reads, from the front of the
    /// workspace.
    pub const HEADER_WORDS: usize = word::COUNT;

    /// Where in the workspace the header of a store begins.
    pub fn header_offset(&self, store: usize) -> usize {
        store * self.store_bytes + self.parts[part::HEADER]
    }

    /// Bytes that were granted to new blocks of a store, before the old ones were
    /// freed.
    pub fn fresh_bytes(header: &[u64; Self::HEADER_WORDS]) -> u64 {
        header[word::FRESH]
    }

    /// Entries of a store that a batch changes, known once its keys are compared with
    /// the graph.
    pub fn changes(header: &[u64; Self::HEADER_WORDS]) -> u64 {
        header[word::CHANGES]
    }

    /// The triangles that a batch has made or destroyed, if it was to count
    /// them.
    pub fn triangles(header: &[u64; Self::HEADER_WORDS]) -> u64 {
        header[word::TRIANGLES]
    }

    /// The outcome of a batch that was not empty.
    ///
    /// # Errors
    ///
    /// If the heap was exhausted.
    pub fn outcome(header: &[u64; Self::HEADER_WORDS]) -> Result<Counts, UpdateError> {
        if header[word::REFUSED] != 0 {
            return Err(UpdateError::OutOfMemory {
                bytes: header[word::REFUSED],
            });
        }
        Ok(Counts {
            applied: header[word::APPLIED],
            duplicates: header[word::DUPLICATES],
            reweighted: header[word::REWEIGHTED],
            missing: header[word::MISSING],
            rejected: header[word::REJECTED],
        })
    }
}

/// A batch of edges in device memory.
#[derive(Clone, Copy, Debug)]
pub struct Batch {
    /// The edges: a source and a target of 32 bits each.
    pub edges: *mut u64,
    /// The weights of edges that are inserted into a weighted graph; else null.
    pub weights: *mut u32,
    /// Of an edge that the batch has twice the least weight counts, not the last one.
    pub least: bool,
    /// Their number.
    pub count: u32,
    /// The change to make with them.
    pub change: Change,
    /// Refuse edges from a vertex to itself.
    pub no_loops: bool,
    /// Count the triangles that the batch makes or destroys; for undirected graphs.
    pub triangles: bool,
    /// Memory of a [`CopySpace`](crate::graph::triangles::delta::plan::CopySpace) for the batch,
    /// if triangles are counted in linked pages.
    pub copies: Option<Copies>,
    /// Whether it is a further part of a change: what is granted to new blocks is
    /// added to that of the parts before.
    pub continues: bool,
    /// Labels of components that the batch keeps, if there are any.
    pub labels: Option<Labels>,
}

impl Batch {
    /// Edges in device memory to change, loops among them, and nothing besides.
    pub fn new(edges: *mut u64, count: u32, change: Change) -> Self {
        Self {
            edges,
            weights: std::ptr::null_mut(),
            least: false,
            count,
            change,
            no_loops: false,
            triangles: false,
            copies: None,
            continues: false,
            labels: None,
        }
    }
}

impl Graph {
    /// The launches that apply a batch, which is not empty and not larger than
    /// the workspace has room for.
    ///
    /// # Panics
    ///
    /// If the batch does not suit the workspace, has no weights where they are needed, asks for triangles of a directed graph, or
    /// for those of a linked one without memory for copies.
    pub fn update(
        &self,
        batch: &Batch,
        space: &UpdateSpace,
        workspace: *mut u8,
    ) -> Vec<PlannedLaunch> {
        let mut steps = Vec::new();
        let mut commits = Vec::new();
        for store in 0..self.shape.stores() {
            let job = self.job(batch, space, workspace, store);
            steps.extend(job.sort(Sorting::of(job.keys())));
            steps.extend(job.find_weights());
            steps.extend(job.prepare());
            commits.extend(job.commit());
        }
        if batch.triangles {
            // They are those of the graph that has the changed edges.
            let delta = self.job(batch, space, workspace, 0).delta();
            match batch.change {
                Change::Insert => commits.extend(delta),
                Change::Delete => steps.extend(delta),
            }
        }
        steps.extend(commits);
        if let Some(labels) = &batch.labels {
            // An edge joins its ends whatever the direction.
            let job = self.job(batch, space, workspace, 0);
            steps.push(job.components(labels));
        }
        steps
    }

    /// The launches that sort the keys of a batch, for the first store, in one way or the other:
    /// [`Graph::update`] takes the fastest.
    ///
    /// # Panics
    ///
    /// As for [`Graph::update`].
    pub fn sort(
        &self,
        batch: &Batch,
        space: &UpdateSpace,
        workspace: *mut u8,
        sorting: Sorting,
    ) -> Vec<PlannedLaunch> {
        self.job(batch, space, workspace, 0).sort(sorting)
    }

    fn job<'a>(
        &'a self,
        batch: &'a Batch,
        space: &'a UpdateSpace,
        workspace: *mut u8,
        store: usize,
    ) -> Job<'a> {
        assert!(batch.count > 0 && batch.count <= space.edges);
        Job {
            graph: self,
            batch,
            space,
            front: workspace,
            workspace: workspace.wrapping_add(store * space.store_bytes),
            store,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::store::plan::{Layout, Weighting};

    #[test]
    fn a_workspace_suits_all_smaller_batches() {
        let shape = Shape {
            vertices: 1 << 20,
            limit: 1 << 20,
            directed: true,
            handle_bytes: 4,
            weighting: Weighting::None,
            provides: true,
            layout: Layout::Contiguous,
        };
        let graph = Graph::new(shape, std::ptr::null_mut());
        for edges in [1, 70, 5000, 300_000, 2_200_000, 5_000_000] {
            let space = UpdateSpace::new(&shape, edges).unwrap();
            let bytes = space.parts[part::SLOT_COUNTS] - space.parts[part::COUNTS];
            for count in [1, edges / 3, edges / 2, edges * 9 / 10, edges - 1, edges] {
                let batch = Batch::new(std::ptr::null_mut(), count.max(1), Change::Insert);
                let job = graph.job(&batch, &space, std::ptr::null_mut(), 0);
                assert!(job.arguments().tiles as usize * 4 <= bytes);
            }
        }
    }
}
