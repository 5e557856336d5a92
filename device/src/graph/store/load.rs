//! A store from a graph in CSR form: a block for each vertex.
//!
//! Vertices with many neighbours come first, in a launch of their own: large
//! blocks are found at once while the heap is empty, and after a long search,
//! or not at all, among a million small ones.
//!
//! Reads 8 bytes and writes a record and a handle a vertex. The contents of a block
//! are copied afterwards, by `copy`. If a request is refused, the heap is to be
//! made empty, as before any load.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;

use crate::allocator::Handle;
use crate::arguments;
use crate::device_heap::DeviceHeap;
use crate::graph::store::{Vertex, block_bytes, capacity_for, capacity_of, obtain_coalesced};
use crate::kernel::Kernel;
use crate::simt::Warp;
use crate::simt::rows::Rows;

/// Words of the status of a load, by number.
pub mod word {
    /// The largest request that was refused, in bytes, or 0.
    pub const REFUSED: usize = 0;
    /// Not 0 if offsets do not ascend up to the number of entries, or targets
    /// do not ascend within a vertex or are no vertices.
    pub const INVALID: usize = 1;
    /// A sum over all edges, by which graphs are compared; see `copy`.
    pub const HASH: usize = 2;
    /// Blocks that are about to be requested, a word for each class of sizes.
    pub const DEMAND: usize = 3;
    /// Number of words.
    pub const COUNT: usize = DEMAND + crate::graph::store::update::CLASSES as usize;
}

arguments! {
    /// A store that is to be filled.
    pub struct LoadArguments {
        pointers {
            /// `limit` records.
            records: Vertex,
            /// `limit` handles.
            handles: u8,
            /// `vertices` and one words: where the targets of each begin.
            offsets: u32,
            /// The targets.
            targets: u32,
            /// Their weights; null if there are none.
            weights: u32,
            /// `word::COUNT` words, 0 before the first launch.
            status: u64,
        }
        integers {
            /// Vertices of the graph.
            vertices: u32,
            /// Vertices that the store has room for.
            limit: u32,
            /// Entries: edges in the direction of this store.
            entries: u32,
            /// Vertices with fewer neighbours are left to another launch.
            least: u32,
            /// Vertices with that many neighbours or more, too.
            below: u32,
        }
    }
}

impl LoadArguments {
    /// Whether edges have weights.
    #[inline(always)]
    pub fn is_weighted(&self) -> bool {
        !self.weights.is_null()
    }

    /// Where the targets of a vertex begin and end: nowhere for one that the
    /// graph does not have yet, none if the offsets are wrong.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds.
    #[inline(always)]
    pub unsafe fn range(&self, vertex: u32) -> Option<(u32, u32)> {
        if vertex >= self.vertices {
            return Some((0, 0));
        }
        // SAFETY: there are `vertices` and one offsets.
        let (start, end) = unsafe {
            (
                *self.offsets.add(vertex as usize),
                *self.offsets.add(vertex as usize + 1),
            )
        };
        (start <= end && end <= self.entries).then_some((start, end))
    }
}

/// Requests a block for each vertex that has neighbours.
pub struct Load;

impl Kernel for Load {
    type Arguments = LoadArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, load: LoadArguments) {
        // SAFETY: the arguments' contract.
        let status = |index: usize| unsafe { &*load.status.add(index).cast::<AtomicU64>() };
        let rows = Rows::new(warp, load.limit, W::LANES);
        let mut row = rows.first;
        while row < rows.end {
            let vertex = row + warp.lane();
            let mut range = Some((0, 0));
            if vertex < rows.end {
                // SAFETY: the kernel's contract.
                range = unsafe { load.range(vertex) };
            }
            if range.is_none() {
                // Relaxed: the host reads it after the launch.
                status(word::INVALID).store(1, Relaxed);
            }
            let (start, end) = range.unwrap_or((0, 0));
            let degree = end - start;
            if vertex < rows.end && degree >= load.least && degree < load.below {
                let (mut record, mut handle) = (Vertex::default(), A::Handle::NULL);
                if degree > 0 {
                    let is_weighted = load.is_weighted();
                    let bytes = block_bytes(capacity_for(degree), is_weighted);
                    handle = obtain_coalesced(warp, heap, bytes);
                    if handle.is_null() {
                        // Relaxed: as above.
                        status(word::REFUSED).fetch_max(bytes, Relaxed);
                    } else {
                        record = Vertex {
                            address: heap.address(handle).expose_provenance() as u64,
                            degree,
                            capacity: capacity_of(
                                // SAFETY: the block was just requested.
                                unsafe { heap.usable(handle, bytes) },
                                is_weighted,
                            ),
                        };
                        // SAFETY: the block was requested by this lane.
                        unsafe { record.pad() };
                    }
                }
                // SAFETY: below the limit, and this lane's alone.
                unsafe {
                    load.records.add(vertex as usize).write(record);
                    load.handles
                        .cast::<A::Handle>()
                        .add(vertex as usize)
                        .write(handle);
                }
            }
            // The lanes come together before the next request, as `malloc_coalesced` wants.
            warp.sync(W::FULL);
            row += rows.step;
        }
    }
}
