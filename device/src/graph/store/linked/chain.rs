//! Making chains, and freeing them.

use core::sync::atomic::Ordering::Relaxed;

use super::page::{Cursor, capacity, entries, first, link, page_bytes, weight_at};
use super::row::{Directory, Place, Section, is_divided};
use crate::allocator::Handle;
use crate::device_heap::{Blocks, DeviceHeap};
use crate::graph::store::changes::{Change, Changes, Run};
use crate::graph::store::{Vertex, obtain_coalesced};
use crate::simt::{Warp, leader};

/// A chain whose neighbours and the changes of an insertion are merged into a new one, or a part of
/// that.
#[derive(Clone, Copy)]
pub struct Merge {
    /// The record of the chain.
    chain: Vertex,
    /// The next of its neighbours.
    index: u32,
    /// The number of the next change.
    next: u32,
    /// The number after the last change.
    end: u32,
    /// Neighbours of the new chain that are to come.
    left: u32,
}

impl Merge {
    /// A merge that makes no chain.
    pub const NONE: Self = Self {
        chain: Vertex {
            address: 0,
            degree: 0,
            capacity: 0,
        },
        index: 0,
        next: 0,
        end: 0,
        left: 0,
    };

    /// Neighbours of the new chain.
    #[inline(always)]
    pub fn length(&self) -> u32 {
        self.left
    }

    /// The merge of all neighbours from number `index` on and all changes of a run.
    #[inline(always)]
    pub fn from(chain: Vertex, index: u32, run: Run) -> Self {
        Self {
            chain,
            index,
            next: run.first().index(),
            end: run.end(),
            left: chain.degree - index + run.length(),
        }
    }

    /// The part of a merge that stands from `start` up to `start + length` in the merged sequence of
    /// a chain and a run of changes.
    ///
    /// # Safety
    ///
    /// The sequence is that long, and the changes are of this chain.
    #[inline(always)]
    pub unsafe fn part(
        changes: &Changes,
        chain: Vertex,
        (first, end): (u32, u32),
        (start, length): (u32, u32),
    ) -> Self {
        // A change stands behind the changes before it and the neighbours before its position.
        let (mut low, mut high) = (first, end);
        while low < high {
            let middle = low + (high - low) / 2;
            // SAFETY: between the first change and the end.
            let place = Place::of(changes, unsafe { Change::new(middle) });
            if middle - first + place.position() < start {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Self {
            chain,
            index: start - (low - first),
            next: low,
            end,
            left: length,
        }
    }
}

/// The new chain of each lane; null for no neighbours. Counts its bytes. A refusal, which the batch
/// remembers, leaves the pages that the chain had until then.
///
/// The weights of new neighbours are left to [`weights`](crate::graph::store::weights).
///
/// The lanes come together for each page, as [`DeviceHeap::malloc_coalesced`] wants.
///
/// # Safety
///
/// All lanes of the warp make the call. The chain of the merge has as many neighbours as its record
/// says, and no thread writes to it meanwhile; its changes are of an insertion into that chain.
#[inline(always)]
pub unsafe fn make_chains<W: Warp, A: DeviceHeap<W> + ?Sized>(
    warp: W,
    heap: &A,
    changes: &Changes,
    mut merge: Merge,
    fresh_bytes: &mut u64,
) -> A::Handle {
    // SAFETY: the chain has `degree` neighbours, and new pages are this lane's.
    unsafe {
        let chain = merge.chain;
        let mut old = if merge.index < chain.degree {
            Cursor::new(heap, first(&chain), merge.index)
        } else {
            Cursor::new(heap, core::ptr::null_mut(), 0)
        };
        let (mut head, mut last) = (A::Handle::NULL, core::ptr::null_mut());
        let (mut is_refused, is_weighted) = (false, changes.is_weighted());
        loop {
            let wants = !is_refused && merge.left > 0;
            if warp.ballot(W::FULL, wants) == 0 {
                break;
            }
            if !wants {
                continue;
            }
            let fresh = obtain_coalesced(warp, heap, page_bytes(is_weighted));
            if fresh.is_null() {
                is_refused = true;
                // Relaxed: read by later launches.
                changes
                    .refused()
                    .fetch_max(page_bytes(is_weighted), Relaxed);
                continue;
            }
            *fresh_bytes += page_bytes(is_weighted);
            let page = heap.address(fresh);
            *link::<A>(page) = A::Handle::NULL;
            if head.is_null() {
                head = fresh;
            } else {
                *link::<A>(last) = fresh;
            }
            last = page;
            let mut position = 0;
            while position < capacity::<A>() && merge.left > 0 {
                let is_change = merge.next < merge.end
                    && Place::of(changes, Change::new(merge.next)).position() == merge.index;
                let entry = entries::<A>(page).add(position as usize);
                if is_change {
                    merge.next += 1;
                    *entry = changes.target(Change::new(merge.next - 1)).number();
                } else {
                    merge.index += 1;
                    copy_entry(old.next(), entry, is_weighted);
                }
                position += 1;
                merge.left -= 1;
            }
        }
        head
    }
}

/// Copies a neighbour, and its weight if there is one.
///
/// # Safety
///
/// Both are places of neighbours in pages of the graph, and `to` is this lane's.
#[inline(always)]
pub unsafe fn copy_entry(from: *mut u32, to: *mut u32, is_weighted: bool) {
    // SAFETY: the caller's promise; a page has a place for the weight of each neighbour.
    unsafe {
        *to = *from;
        if is_weighted {
            *weight_at(to) = *weight_at(from);
        }
    }
}

/// The address of a chain's first page, or 0.
#[inline(always)]
pub fn address_of<A: Blocks + ?Sized>(heap: &A, head: A::Handle) -> u64 {
    if head.is_null() {
        0
    } else {
        heap.address(head).expose_provenance() as u64
    }
}

/// Frees the chain of each lane from `handle` on; null is an empty one. The lanes come together
/// for each page, as [`DeviceHeap::free_coalesced`] wants.
///
/// # Safety
///
/// All lanes of the warp make the call, and no other thread uses the pages, now or later.
#[inline(always)]
pub unsafe fn free_chains<W: Warp, A: DeviceHeap<W> + ?Sized>(
    warp: W,
    heap: &A,
    mut handle: A::Handle,
) {
    while warp.ballot(W::FULL, !handle.is_null()) != 0 {
        if !handle.is_null() {
            // SAFETY: the pages are this lane's; the link is read before its page goes.
            unsafe {
                let next = *link::<A>(heap.address(handle));
                heap.free_coalesced(warp, handle);
                handle = next;
            }
        }
    }
}

/// Frees chains of a row, and its directory if it has one. Of a divided row these are the chains of
/// the sections for which `is_freed` holds.
///
/// # Safety
///
/// All lanes of the warp make the call, with the same row, whose handle is that of lane `owner`; of a
/// row without a directory this is the first. No thread uses the chains and the directory, now or
/// later.
#[inline(always)]
pub unsafe fn free_row<W: Warp, A: DeviceHeap<W> + ?Sized>(
    warp: W,
    heap: &A,
    directory: Option<Directory>,
    (owner, handle): (u32, A::Handle),
    is_freed: impl Fn(u32, &Section) -> bool,
) {
    let (mut group, end) = (0, directory.map_or(1, Directory::sections));
    // SAFETY: sections below the number of those of the directory, which is freed behind them.
    unsafe {
        while group < end {
            let index = group + warp.lane();
            let mut chain = A::Handle::NULL;
            if index < end {
                chain = match directory {
                    None => handle,
                    Some(directory) => {
                        let section = *directory.section(index);
                        if is_freed(index, &section) {
                            section.handle()
                        } else {
                            A::Handle::NULL
                        }
                    }
                };
            }
            free_chains(warp, heap, chain);
            group += W::LANES;
        }
        // All are done with the directory.
        warp.sync(W::FULL);
        if warp.lane() == owner && directory.is_some() {
            heap.free(warp, handle);
        }
    }
}

/// Frees the row of each lane, whose record and handle these are; an empty one has a null handle.
/// A divided row is freed by all lanes of the warp.
///
/// # Safety
///
/// All lanes of the warp make the call, and no other thread uses the rows, now or later.
#[inline(always)]
pub unsafe fn free_rows<W: Warp, A: DeviceHeap<W> + ?Sized>(
    warp: W,
    heap: &A,
    record: Vertex,
    handle: A::Handle,
) {
    let is_divided = is_divided(&record);
    // SAFETY: a divided row has the address of its directory. The rows are those of the lanes.
    unsafe {
        let mut divided = warp.ballot(W::FULL, is_divided);
        let chain = if is_divided { A::Handle::NULL } else { handle };
        free_chains(warp, heap, chain);
        while divided != 0 {
            let owner = leader(divided);
            let directory = Directory::new(warp.shuffle64(W::FULL, record.address, owner));
            free_row(warp, heap, Some(directory), (owner, handle), |_, _| true);
            divided &= divided - 1;
        }
    }
}
