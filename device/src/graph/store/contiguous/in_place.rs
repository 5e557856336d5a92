//! Changes of a block in place: neighbours that stay make room, or close up.

use crate::graph::store::update::UpdateArguments;
use crate::graph::store::{Vertex, lower_bound};
use crate::simt::Warp;

/// Neighbours that a lane moves at a time: all are read before the first is written.
const UNROLL: u32 = 4;

/// Inserts the changes `first..end` into a block with room for them.
///
/// # Safety
///
/// The block is the vertex', and this lane's alone.
#[inline(always)]
pub unsafe fn insert(update: &UpdateArguments, record: &Vertex, first: u32, end: u32) {
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
pub unsafe fn delete(update: &UpdateArguments, record: &Vertex, first: u32, end: u32) {
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

/// Changes the block of the run `first..end` in place, and its vertex' record. All lanes call
/// this.
///
/// Neighbours are moved in rows: the warp reads a row, and then writes it. Those that make
/// room move up, from the last row to the first, those that close up move down, from the
/// first to the last; so a row is written where all is read already, and every neighbour
/// goes where no other does.
///
/// # Safety
///
/// The run is one of the batch, the block has room for what it makes, and both are this
/// warp's alone.
#[inline(always)]
pub unsafe fn change_together<W: Warp>(warp: W, update: &UpdateArguments, first: u32, end: u32) {
    // SAFETY: the caller's promise; positions are up to the degree, and what is written lies
    // within the room of the block.
    unsafe {
        let form = update.form();
        let vertex = form.source(update.change(first)) as usize;
        let mut record = *update.records.add(vertex);
        let entries = record.entries();
        let (deletes, degree) = (update.deletes(), record.degree);
        // Those below stay where they are.
        let bottom = update.position(first);
        let rows = (degree - bottom).div_ceil(UNROLL * W::LANES);
        let mut turn = 0;
        while turn < rows {
            let row = if deletes { turn } else { rows - 1 - turn };
            let base = bottom + row * UNROLL * W::LANES + warp.lane();
            let position = |part: u32| base + part * W::LANES;
            let values: [u32; UNROLL as usize] = core::array::from_fn(|part| {
                if position(part as u32) < degree {
                    *entries.add(position(part as u32) as usize)
                } else {
                    0
                }
            });
            warp.sync(W::FULL);
            let put = |value: u32, part: u32| {
                let position = position(part);
                if position >= degree {
                    return;
                }
                // An inserted neighbour comes before the old one at its position, a deleted
                // one is the one there.
                let behind = u32::from(!deletes);
                let change = lower_bound(update.positions, first, end, position + behind);
                let changed = change - first;
                if !deletes {
                    *entries.add((position + changed) as usize) = value;
                } else if change == end || update.position(change) != position {
                    *entries.add((position - changed) as usize) = value;
                }
            };
            put(values[0], 0);
            put(values[1], 1);
            put(values[2], 2);
            put(values[3], 3);
            turn += 1;
        }
        if !deletes {
            // All that was where these go is read.
            let mut index = first + warp.lane();
            while index < end {
                let position = update.position(index) + (index - first);
                *entries.add(position as usize) = form.target(update.change(index));
                index += W::LANES;
            }
        }
        if warp.lane() == 0 {
            record.degree = update.new_degree(degree, end - first);
            record.pad();
            *update.records.add(vertex) = record;
        }
    }
}
