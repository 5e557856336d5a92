//! A linked store from a graph in CSR form.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;

use super::page::{capacity, entries, link, page_bytes, weight_at};
use super::row::{Directory, MAX_SECTIONS, Section, chain_record, max_degree, new_degree};
use crate::allocator::Handle;
use crate::device_heap::DeviceHeap;
use crate::graph::store::load::{LoadArguments, word};
use crate::graph::store::{Vertex, obtain, obtain_coalesced};
use crate::kernel::{Kernel, Valid};
use crate::simt::{Warp, leader};

/// Makes the row of each vertex; one lane each, a warp for one that is divided.
pub struct LinkedLoad;

/// Targets of a vertex: where they begin and end, and where those of its row begin.
#[derive(Clone, Copy, Default)]
struct Targets {
    start: u32,
    end: u32,
    row: u32,
}

type Loading = Valid<LoadArguments>;

impl Loading {
    /// A word of the status.
    #[inline(always)]
    fn status<const INDEX: usize>(&self) -> &AtomicU64 {
        const { assert!(INDEX < word::COUNT) };
        // SAFETY: the status has a word of this index, which kernels access by atomic operations
        // only.
        unsafe { &*self.status.add(INDEX).cast::<AtomicU64>() }
    }

    /// Notes that a request of so many bytes was refused.
    #[inline(always)]
    fn refuse(&self, bytes: u64) {
        // Relaxed: the host reads it after the launch.
        self.status::<{ word::REFUSED }>().fetch_max(bytes, Relaxed);
    }

    /// The chain of each lane for its targets: the record, and the handle of the first page. If a
    /// page is refused, the record is empty and the handle that of what there is. Whether the
    /// targets are right is added to `valid`.
    ///
    /// The lanes come together for each page, as [`DeviceHeap::malloc_coalesced`] wants.
    ///
    /// # Safety
    ///
    /// All lanes of the warp make the call. The targets are those of a range of
    /// [`LoadArguments::range`].
    #[inline(always)]
    unsafe fn chains<W: Warp, A: DeviceHeap<W> + ?Sized>(
        &self,
        warp: W,
        heap: &A,
        targets: Targets,
        valid: &mut bool,
    ) -> (Vertex, A::Handle) {
        let mut record = chain_record::<A>(0, targets.end - targets.start);
        let (mut handle, mut last) = (A::Handle::NULL, core::ptr::null_mut());
        let mut at = targets.start;
        while warp.ballot(W::FULL, at < targets.end) != 0 {
            if at >= targets.end {
                continue;
            }
            let bytes = page_bytes(self.is_weighted());
            let fresh = obtain_coalesced(warp, heap, bytes);
            if fresh.is_null() {
                record = Vertex::default();
                at = targets.end;
                self.refuse(bytes);
                continue;
            }
            let page = heap.address(fresh);
            // SAFETY: a fresh page is this lane's; the range is within the targets.
            unsafe {
                *link::<A>(page) = A::Handle::NULL;
                if at == targets.start {
                    handle = fresh;
                    record.address = page.expose_provenance() as u64;
                } else {
                    *link::<A>(last) = fresh;
                }
                let mut position = 0;
                while position < capacity::<A>() && at < targets.end {
                    let target = *self.targets.add(at as usize);
                    *valid &= target < self.vertices
                        && (at == targets.row || *self.targets.add(at as usize - 1) < target);
                    let entry = entries::<A>(page).add(position as usize);
                    *entry = target;
                    if self.is_weighted() {
                        *weight_at(entry) = *self.weights.add(at as usize);
                    }
                    position += 1;
                    at += 1;
                }
            }
            last = page;
        }
        (record, handle)
    }

    /// The divided row of targets from `start` on: the record, and the handle of the directory, in
    /// the first lane; null if that was refused.
    ///
    /// # Safety
    ///
    /// All lanes of the warp make the call, with the same range of [`LoadArguments::range`].
    #[inline(always)]
    unsafe fn divided<W: Warp, A: DeviceHeap<W> + ?Sized>(
        &self,
        warp: W,
        heap: &A,
        (start, end): (u32, u32),
        valid: &mut bool,
    ) -> (Vertex, A::Handle) {
        let sections = (end - start).div_ceil(new_degree::<A>());
        let (mut handle, mut address) = (A::Handle::NULL, 0);
        if warp.lane() == 0 {
            let bytes = Directory::bytes(sections);
            if sections <= MAX_SECTIONS {
                handle = obtain(warp, heap, bytes);
            }
            if handle.is_null() {
                self.refuse(bytes);
            } else {
                address = heap.address(handle).expose_provenance() as u64;
            }
        }
        address = warp.shuffle64(W::FULL, address, 0);
        if address == 0 {
            return (Vertex::default(), handle);
        }
        // SAFETY: the block is this warp's and has room for the sections, each one lane's; their
        // targets are within the range.
        unsafe {
            let directory = Directory::new(address);
            if warp.lane() == 0 {
                directory.set_sections(sections);
            }
            let mut group = 0;
            while group < sections {
                let index = group + warp.lane();
                let mut targets = Targets::default();
                if index < sections {
                    let first = start + index * new_degree::<A>();
                    let left = end - first;
                    let length = if left < new_degree::<A>() {
                        left
                    } else {
                        new_degree::<A>()
                    };
                    targets = Targets {
                        start: first,
                        end: first + length,
                        row: start,
                    };
                }
                let (chain, handle) = self.chains(warp, heap, targets, valid);
                if index < sections {
                    let bound = if index == 0 {
                        0
                    } else {
                        *self.targets.add(targets.start as usize)
                    };
                    directory.section(index).write(Section {
                        chain,
                        handle: handle.to_bits(),
                        bound,
                        is_new: 0,
                    });
                }
                group += W::LANES;
            }
            (directory.record(end - start), handle)
        }
    }
}

impl Kernel for LinkedLoad {
    type Arguments = LoadArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, load: LoadArguments) {
        // SAFETY: the kernel's contract.
        let load = unsafe { Loading::new(load) };
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
                let degree = end - start;
                let is_asked = vertex < load.limit && degree >= load.least && degree < load.below;
                let is_hub = is_asked && degree > max_degree::<A>();
                let mut hubs = warp.ballot(W::FULL, is_hub);
                let targets = Targets {
                    start,
                    end: if is_asked && !is_hub { end } else { start },
                    row: start,
                };
                let (mut record, mut handle) = load.chains(warp, heap, targets, &mut valid);
                while hubs != 0 {
                    let owner = leader(hubs);
                    hubs &= hubs - 1;
                    let range = (
                        warp.shuffle(W::FULL, start, owner),
                        warp.shuffle(W::FULL, end, owner),
                    );
                    let (divided, directory) = load.divided(warp, heap, range, &mut valid);
                    let bits = warp.shuffle64(W::FULL, directory.to_bits(), 0);
                    if warp.lane() == owner {
                        (record, handle) = (divided, A::Handle::from_bits(bits));
                    }
                }
                if is_asked {
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
            // Relaxed: the host reads it after the launch.
            load.status::<{ word::INVALID }>().store(1, Relaxed);
        }
    }
}
