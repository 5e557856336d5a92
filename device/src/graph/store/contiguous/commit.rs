//! The end of a batch: everything is switched over, or nothing.
//!
//! One lane acts for each vertex. Nothing here can fail. Only here are blocks changed in
//! place, after every request of the batch was served.

use core::sync::atomic::Ordering::Relaxed;

use crate::allocator::{Allocator, Handle};
use crate::graph::store::update::UpdateArguments;
use crate::graph::store::{Vertex, capacity_for};
use crate::kernel::Kernel;
use crate::simt::Warp;

/// Inserts the changes `first..end` into a block with room for them.
///
/// # Safety
///
/// The block is the vertex', and this lane's alone.
#[inline(always)]
unsafe fn insert_in_place(update: &UpdateArguments, record: &Vertex, first: u32, end: u32) {
    // SAFETY: the caller's promise; positions are within the capacity of the block.
    unsafe {
        let (entries, form) = (record.entries(), update.form());
        let mut top = record.degree;
        let mut index = end;
        // From the back, so that nothing is overwritten before it has moved.
        while index > first {
            index -= 1;
            let (position, rank) = (update.position(index), index - first);
            while top > position {
                top -= 1;
                *entries.add((top + rank + 1) as usize) = *entries.add(top as usize);
            }
            *entries.add((position + rank) as usize) = form.target(update.change(index));
        }
    }
}

/// Deletes the changes `first..end` from a block.
///
/// # Safety
///
/// The block is the vertex', and this lane's alone.
#[inline(always)]
unsafe fn delete_in_place(update: &UpdateArguments, record: &Vertex, first: u32, end: u32) {
    // SAFETY: the caller's promise; entries are read and written below the degree.
    unsafe {
        let entries = record.entries();
        let mut index = first;
        while index < end {
            let next = if index + 1 < end {
                update.position(index + 1)
            } else {
                record.degree
            };
            let deleted = index - first + 1;
            let mut from = update.position(index) + 1;
            while from < next {
                *entries.add((from - deleted) as usize) = *entries.add(from as usize);
                from += 1;
            }
            index += 1;
        }
    }
}

/// Switches over, or gives the new blocks back.
pub struct Commit;

impl Commit {
    /// Ends the run of changes `first..end`.
    ///
    /// # Safety
    ///
    /// The run is one of a batch that nothing refused, for which `Prepare` and `Relocate`
    /// have run, and this lane alone accesses what belongs to the run and to its vertex.
    #[inline(always)]
    unsafe fn end_run<W: Warp, A: Allocator>(
        warp: W,
        heap: A,
        update: &UpdateArguments,
        first: u32,
        end: u32,
    ) {
        // SAFETY: the caller's promise; the old block is freed after its record is left behind.
        unsafe {
            let vertex = update.form().source(update.change(first)) as usize;
            let handles = update.handles.cast::<A::Handle>();
            let mut record = *update.records.add(vertex);
            let moved = *update.moved.add(first as usize);
            let degree = update.new_degree(record.degree, end - first);
            let mut old = A::Handle::NULL;
            if moved != 0 {
                let fresh = *update.fresh.cast::<A::Handle>().add(first as usize);
                old = *handles.add(vertex);
                *handles.add(vertex) = fresh;
                let usable = heap.usable(fresh, u64::from(capacity_for(degree)) * 4);
                record.address = moved;
                record.capacity = (usable / 16 * 4) as u32;
            } else if degree == 0 {
                old = *handles.add(vertex);
                *handles.add(vertex) = A::Handle::NULL;
                record.capacity = 0;
            } else if update.deletes() {
                delete_in_place(update, &record, first, end);
            } else {
                insert_in_place(update, &record, first, end);
            }
            record.degree = degree;
            record.pad();
            *update.records.add(vertex) = record;
            if !old.is_null() {
                heap.free_coalesced(warp, old);
            }
        }
    }
}

impl Kernel for Commit {
    type Arguments = UpdateArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: Allocator>(warp: W, heap: A, update: UpdateArguments) {
        // SAFETY: the kernel's contract; `Prepare` wrote the words of each run, and `Relocate`
        // filled its block; a run is one lane's, and so is its vertex.
        unsafe {
            let count = update.change_count();
            // Relaxed: written by an earlier launch.
            let refused = update.refused().load(Relaxed) != 0;
            let mut index = warp.thread();
            while index < count {
                if update.is_first(index) {
                    if !refused {
                        let end = update.run_end(index, count);
                        Self::end_run(warp, heap, &update, index, end);
                    } else if *update.moved.add(index as usize) != 0 {
                        let fresh = update.fresh.cast::<A::Handle>().add(index as usize);
                        heap.free_coalesced(warp, *fresh);
                    }
                }
                index += warp.threads();
            }
        }
    }
}
