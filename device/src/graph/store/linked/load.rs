//! A linked store from a graph in CSR form.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;

use super::page::{PAGE_BYTES, capacity, entries, link, pages};
use super::update::free_chains;
use crate::allocator::Handle;
use crate::device_heap::DeviceHeap;
use crate::graph::store::load::{LoadArguments, word};
use crate::graph::store::{Vertex, obtain_coalesced};
use crate::kernel::Kernel;
use crate::simt::Warp;

/// Makes the chain of each vertex; one lane each.
pub struct LinkedLoad;

impl LinkedLoad {
    /// The chain of each lane for its targets `start..end`: the record, and the handle of
    /// the first page, null if a page was refused or there is no target. Whether the targets
    /// are right is added to `valid`.
    ///
    /// The lanes come together for each page, as [`DeviceHeap::malloc_coalesced`] wants.
    ///
    /// # Safety
    ///
    /// All lanes of the warp make the call. The arguments' contract holds, and `start..end` is a
    /// range of [`LoadArguments::range`].
    #[inline(always)]
    unsafe fn chains<W: Warp, A: DeviceHeap<W> + ?Sized>(
        warp: W,
        heap: &A,
        load: &LoadArguments,
        (start, end): (u32, u32),
        valid: &mut bool,
    ) -> (Vertex, A::Handle) {
        let degree = end - start;
        let mut record = Vertex {
            address: 0,
            degree,
            capacity: pages::<A>(degree) * capacity::<A>(),
        };
        let (mut handle, mut last) = (A::Handle::NULL, core::ptr::null_mut());
        // The pages of a chain that was refused.
        let mut refused = A::Handle::NULL;
        let mut at = start;
        while warp.ballot(W::FULL, at < end) != 0 {
            if at >= end {
                continue;
            }
            let fresh = obtain_coalesced(warp, heap, PAGE_BYTES);
            if fresh.is_null() {
                (refused, handle) = (handle, fresh);
                record = Vertex::default();
                at = end;
                continue;
            }
            let page = heap.address(fresh);
            // SAFETY: a fresh page is this lane's; the range is within the targets.
            unsafe {
                *link::<A>(page) = A::Handle::NULL;
                if at == start {
                    handle = fresh;
                    record.address = page.expose_provenance() as u64;
                } else {
                    *link::<A>(last) = fresh;
                }
                let mut position = 0;
                while position < capacity::<A>() && at < end {
                    let target = *load.targets.add(at as usize);
                    *valid &= target < load.vertices
                        && (at == start || *load.targets.add(at as usize - 1) < target);
                    *entries::<A>(page).add(position as usize) = target;
                    position += 1;
                    at += 1;
                }
            }
            last = page;
        }
        // Another heap is made empty.
        if heap.properties().system_heap {
            // SAFETY: all lanes are here; the pages are this lane's, and the last has no next
            // one.
            unsafe { free_chains(warp, heap, refused) };
        }
        (record, handle)
    }
}

impl Kernel for LinkedLoad {
    type Arguments = LoadArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, load: LoadArguments) {
        // SAFETY: the arguments' contract.
        let status = |index: usize| unsafe { &*load.status.add(index).cast::<AtomicU64>() };
        let mut valid = true;
        let mut row = warp.thread() - warp.lane();
        while row < load.limit {
            let vertex = row + warp.lane();
            // SAFETY: `offsets` ends checked ranges; below the limit, records
            // and handles are this lane's alone. All lanes of the warp are at this row.
            unsafe {
                let mut range = Some((0, 0));
                if vertex < load.limit {
                    range = load.range(vertex);
                }
                valid &= range.is_some();
                let (start, end) = range.unwrap_or((0, 0));
                let (record, handle) = Self::chains(warp, heap, &load, (start, end), &mut valid);
                if end > start && handle.is_null() {
                    // Relaxed: the host reads it after the launch.
                    status(word::REFUSED).fetch_max(PAGE_BYTES, Relaxed);
                }
                if vertex < load.limit {
                    load.records.add(vertex as usize).write(record);
                    load.handles
                        .cast::<A::Handle>()
                        .add(vertex as usize)
                        .write(handle);
                }
            }
            row += warp.threads();
        }
        if !valid {
            // Relaxed: as above.
            status(word::INVALID).store(1, Relaxed);
        }
    }
}
