//! A linked store from a graph in CSR form.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;

use super::page::{PAGE_BYTES, capacity, entries, link, pages};
use crate::allocator::{Allocator, Handle};
use crate::graph::store::load::{LoadArguments, word};
use crate::graph::store::{Vertex, obtain_coalesced};
use crate::kernel::Kernel;
use crate::simt::Warp;

/// Makes the chain of each vertex; one lane each.
pub struct LinkedLoad;

impl LinkedLoad {
    /// The chain for the targets `start..end`: its record, and the handle of
    /// its first page, null if a page was refused. Whether the targets are
    /// right is added to `valid`.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds, and `start..end` is a range of [`LoadArguments::range`].
    #[inline(always)]
    unsafe fn chain<W: Warp, A: Allocator>(
        warp: W,
        heap: A,
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
        let mut at = start;
        while at < end {
            let fresh = obtain_coalesced(warp, heap, PAGE_BYTES);
            if fresh.is_null() {
                return (Vertex::default(), fresh);
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
        (record, handle)
    }
}

impl Kernel for LinkedLoad {
    type Arguments = LoadArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: Allocator>(warp: W, heap: A, load: LoadArguments) {
        // SAFETY: the arguments' contract.
        let status = |index: usize| unsafe { &*load.status.add(index).cast::<AtomicU64>() };
        let mut valid = true;
        let mut vertex = warp.thread();
        while vertex < load.limit {
            let (mut record, mut handle) = (Vertex::default(), A::Handle::NULL);
            // SAFETY: `offsets` ends checked ranges; below the limit, records
            // and handles are this lane's alone.
            unsafe {
                if let Some((start, end)) = load.range(vertex) {
                    if end > start {
                        let range = (start, end);
                        (record, handle) = Self::chain(warp, heap, &load, range, &mut valid);
                        if handle.is_null() {
                            // Relaxed: the host reads it after the launch.
                            status(word::REFUSED).fetch_max(PAGE_BYTES, Relaxed);
                        }
                    }
                } else {
                    valid = false;
                }
                load.records.add(vertex as usize).write(record);
                load.handles
                    .cast::<A::Handle>()
                    .add(vertex as usize)
                    .write(handle);
            }
            vertex += warp.threads();
        }
        if !valid {
            // Relaxed: as above.
            status(word::INVALID).store(1, Relaxed);
        }
    }
}
