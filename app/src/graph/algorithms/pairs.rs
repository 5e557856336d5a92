//! The pairs of vertices and their neighbours, for algorithms that sort them.

use heapwood_device::graph::pairs::plan::{MAX_PAIRS, PairPart, PairSpace, parts};
use heapwood_device::graph::store::plan::Csr;
use heapwood_device::launch::PlannedLaunch;

use crate::backend::Memory;
use crate::graph::device_store::Rows;
use crate::graph::{Store, StoreError};

/// A copy of the rows of a graph, and the memory in which pairs are sorted.
pub(super) struct NeighbourPairs {
    /// The rows of each direction that there is.
    pub csr: Vec<Csr>,
    /// Vertices whose pairs are sorted together; together they have all pairs.
    pub parts: Vec<PairPart>,
    /// Time of copying the rows, in milliseconds.
    pub ms: f64,
    space: PairSpace,
    workspace: Memory,
    _rows: Vec<Rows>,
}

impl NeighbourPairs {
    /// Copies the rows of a store, and divides memory.
    ///
    /// # Errors
    ///
    /// When there is not enough memory, or a vertex has more neighbours than can be sorted.
    pub fn new(store: &Store) -> Result<Self, StoreError> {
        let vertices = store.shape().vertices;
        let stores = 0..store.shape().stores();
        let rows = stores.map(|number| Ok(store.device.rows(number)?.0));
        let rows: Vec<Rows> = rows.collect::<Result<_, StoreError>>()?;
        let offsets = |rows: &Rows| rows.offsets.download::<u32>(0, vertices as usize + 1);
        let offsets: Vec<Vec<u32>> = rows.iter().map(offsets).collect::<Result<_, _>>()?;
        let parts = parts(&offsets).map_err(|count| StoreError::TooMany {
            what: "neighbours of one vertex",
            count,
            limit: MAX_PAIRS.into(),
        })?;
        let space = PairSpace::new(vertices, &parts);
        Ok(Self {
            csr: rows.iter().map(|rows| rows.csr).collect(),
            parts,
            ms: rows.iter().map(|rows| rows.ms).sum(),
            space,
            workspace: store.backend.allocate(space.bytes() as u64)?,
            _rows: rows,
        })
    }

    /// The launches that sort the pairs of a part, with `labels` in place of the neighbours unless
    /// they are null.
    pub fn sort(&self, part: &PairPart, labels: *mut u32) -> Vec<PlannedLaunch> {
        let address = self.workspace.address();
        self.space.sort(&self.csr, part, labels, address)
    }

    /// Where the sorted pairs of the last part are.
    pub fn keys(&self) -> *mut u64 {
        self.space.sorted(self.workspace.address())
    }
}
