//! The end of a store whose heap cannot be made empty: all its blocks are freed.

use crate::allocator::Handle;
use crate::arguments;
use crate::device_heap::DeviceHeap;
use crate::graph::store::Vertex;
use crate::graph::store::linked::free_rows;
use crate::kernel::Kernel;
use crate::simt::Warp;

arguments! {
    /// The blocks of a store.
    pub struct ReleaseArguments {
        pointers {
            /// `limit` records.
            records: Vertex,
            /// `limit` handles, of blocks or null.
            handles: u8,
        }
        integers {
            /// Vertices that the store has room for.
            limit: u32,
        }
    }
}

/// Frees the block of each vertex.
pub struct Release;

impl Kernel for Release {
    type Arguments = ReleaseArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(
        warp: W,
        heap: &A,
        release: ReleaseArguments,
    ) {
        let mut vertex = warp.thread();
        while vertex < release.limit {
            // SAFETY: below the limit; a vertex is one lane's, and no thread uses the store
            // afterwards.
            unsafe {
                let handles = release.handles.cast::<A::Handle>();
                heap.free(warp, *handles.add(vertex as usize));
            }
            vertex += warp.threads();
        }
    }
}

/// Frees the pages of each vertex.
pub struct LinkedRelease;

impl Kernel for LinkedRelease {
    type Arguments = ReleaseArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(
        warp: W,
        heap: &A,
        release: ReleaseArguments,
    ) {
        let mut row = warp.thread() - warp.lane();
        while row < release.limit {
            let vertex = row + warp.lane();
            // SAFETY: as for `Release`. All lanes of the warp are at this row.
            unsafe {
                let (mut record, mut handle) = (Vertex::default(), A::Handle::NULL);
                if vertex < release.limit {
                    record = *release.records.add(vertex as usize);
                    handle = *release.handles.cast::<A::Handle>().add(vertex as usize);
                }
                free_rows(warp, heap, record, handle);
            }
            row += warp.threads();
        }
    }
}
