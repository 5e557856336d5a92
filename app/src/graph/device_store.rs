//! The memory of a store: an allocator with its pool, and the records.

use std::cell::Cell;

use heapwood_device::graph::store::plan::{Csr as DeviceCsr, CsrSpace, Graph, Measured, Shape};
use heapwood_device::launch::PlannedLaunch;

use super::StoreError;
use crate::allocators::Spec;
use crate::backend::{Backend, BackendError, Launch, Memory};
use crate::heap::DeviceHeap;

/// Rows of a graph in memory of the backend.
pub(super) struct Rows {
    pub csr: DeviceCsr,
    /// Keep what `csr` points to.
    pub offsets: Memory,
    /// The targets, and behind them their weights if there are any.
    pub targets: Memory,
    /// Time of copying them from a store, in milliseconds.
    pub ms: f64,
}

/// Where a graph lives.
pub(super) struct DeviceStore<'b> {
    backend: &'b dyn Backend,
    pub heap: DeviceHeap<'b>,
    pub graph: Graph,
    /// Stores whose handles are those of blocks.
    loaded: Cell<usize>,
    _records: Memory,
}

impl<'b> DeviceStore<'b> {
    /// Sets memory aside.
    pub fn new(
        backend: &'b dyn Backend,
        spec: &Spec,
        pool_bytes: u64,
        shape: Shape,
    ) -> Result<Self, StoreError> {
        let heap = DeviceHeap::new(backend, spec, pool_bytes)?;
        let records = backend.allocate_zeroed(shape.bytes() as u64)?;
        Ok(Self {
            backend,
            heap,
            graph: Graph::new(shape, records.address()),
            loaded: Cell::new(0),
            _records: records,
        })
    }

    /// The backend that it is on.
    pub fn backend(&self) -> &'b dyn Backend {
        self.backend
    }

    /// Fills the stores from rows, on a heap made empty before; returns the time
    /// in milliseconds of both.
    pub fn load(&self, stores: &[Rows]) -> Result<f64, StoreError> {
        let mut ms = self.heap.init()?;
        for (store, rows) in stores.iter().enumerate() {
            let workspace = self
                .backend
                .allocate_zeroed(CsrSpace::new().bytes() as u64)?;
            let steps = self.graph.load(store, rows.csr, workspace.address());
            // SAFETY: the heap is empty but for the stores loaded before, the
            // rows have as many offsets and targets as they say.
            ms += unsafe { self.run(&[&steps])? }.iter().sum::<f64>();
            self.loaded.set(store + 1);
            let status: Vec<u64> = workspace.download(0, 2)?;
            if status[0] != 0 {
                return Err(self.refused("the graph", status[0]));
            }
            if status[1] != 0 {
                return Err(StoreError::Rows);
            }
        }
        Ok(ms)
    }

    /// The error of a request that was refused, of so many bytes.
    pub fn refused(&self, what: &'static str, wanted: u64) -> StoreError {
        if let Err(error) = self.heap.check_grants() {
            return error.into();
        }
        let pool = self.heap.pool_bytes();
        if self.heap.may_overwrite() {
            let allocator = self.heap.name();
            return StoreError::Overwriting { allocator, pool };
        }
        StoreError::Pool {
            what,
            allocator: self.heap.allocator_name(),
            pool,
            wanted,
        }
    }

    /// Measures the memory of a store.
    pub fn measure(&self, store: usize) -> Result<Measured, BackendError> {
        let words = self.backend.allocate_zeroed(8 * Measured::WORDS as u64)?;
        let step = self.graph.measure(store, words.address());
        // SAFETY: the workspace is zeroed.
        unsafe { self.run(&[&[step]])? };
        Ok(self.graph.measured(&words.download_array(0)?))
    }

    /// Bytes of the blocks of all stores, as granted.
    pub fn granted_bytes(&self) -> Result<u64, BackendError> {
        let stores = 0..self.graph.shape.stores();
        stores
            .map(|store| Ok(self.measure(store)?.granted_bytes))
            .sum()
    }

    /// Runs the launches of operations, each a part that is timed, in
    /// milliseconds.
    ///
    /// # Safety
    ///
    /// The launches are those of `self.graph`, in the order and with the
    /// workspace that their operations ask for.
    pub unsafe fn run(&self, parts: &[&[PlannedLaunch]]) -> Result<Vec<f64>, BackendError> {
        let launch = |planned: &PlannedLaunch| Launch {
            call: planned.call,
            heap: Some(self.heap.parts()),
            grid: planned.grid,
        };
        let parts: Vec<Vec<Launch>> = parts
            .iter()
            .map(|steps| steps.iter().map(launch).collect())
            .collect();
        let parts: Vec<&[Launch]> = parts.iter().map(Vec::as_slice).collect();
        // SAFETY: the caller's promise.
        unsafe { self.backend.launch_parts(&parts) }
    }

    /// The rows of a store, and the hash of its entries, in memory of the backend.
    pub fn rows(&self, store: usize) -> Result<(Rows, u64), StoreError> {
        let (graph, space) = (&self.graph, CsrSpace::new());
        let vertices = u64::from(graph.shape.vertices);
        let workspace = self.backend.allocate_zeroed(space.bytes() as u64)?;
        let offsets = self.backend.allocate(4 * (vertices + 1))?;
        let address = offsets.address().cast();
        let steps = graph.offsets(store, address, space, workspace.address());
        // SAFETY: there is room for an offset more than there are vertices.
        let offsets_ms = unsafe { self.run(&[&steps])? };
        let entries: Vec<u32> = offsets.download(4 * vertices, 1)?;
        let is_weighted = graph.shape.weighting.is_some();
        let (targets, csr) = allocate_targets(self.backend, address, entries[0], is_weighted)?;
        let step = graph.export(store, csr, workspace.address());
        // SAFETY: the offsets are computed, and there is room for all entries.
        let targets_ms = unsafe { self.run(&[&[step]])? };
        let status: Vec<u64> = workspace.download(0, CsrSpace::STATUS_WORDS)?;
        let rows = Rows {
            csr,
            offsets,
            targets,
            ms: offsets_ms.iter().chain(&targets_ms).sum(),
        };
        Ok((rows, status[2]))
    }
}

/// Memory for targets, with weights behind them if there are any, and the rows that these offsets make
/// of them.
pub(super) fn allocate_targets(
    backend: &dyn Backend,
    offsets: *mut u32,
    entries: u32,
    is_weighted: bool,
) -> Result<(Memory, DeviceCsr), BackendError> {
    let bytes = 4 * u64::from(entries).max(1);
    let memory = backend.allocate(bytes << u32::from(is_weighted))?;
    let targets: *mut u32 = memory.address().cast();
    let weights = match is_weighted {
        true => targets.wrapping_add(entries as usize),
        false => std::ptr::null_mut(),
    };
    let csr = DeviceCsr {
        offsets,
        targets,
        weights,
        entries,
    };
    Ok((memory, csr))
}

impl Drop for DeviceStore<'_> {
    /// Gives the blocks back to a heap that cannot be made empty.
    fn drop(&mut self) {
        if !self.heap.keeps_blocks() {
            return;
        }
        for store in 0..self.loaded.get() {
            let step = self.graph.release(store);
            // SAFETY: the store was loaded, and is not used any more. If that fails, nothing
            // works on the device any more, which was reported, or will be.
            let _ = unsafe { self.run(&[&[step]]) };
        }
    }
}
