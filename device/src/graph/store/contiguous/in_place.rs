//! Changes of a block in place: neighbours that stay make room, or close up. Their weights do the same in
//! a launch of its own ([`weights`](super::weights)), which writes no new ones.

use crate::graph::store::changes::{Changes, Run};
use crate::simt::Warp;

/// Neighbours that a lane moves at a time: all are read before the first is written.
const UNROLL: u32 = 4;

/// Inserts the changes of a run into a block with room for them: into its neighbours, or into the
/// weights, which are the `words`.
///
/// # Safety
///
/// The block is the vertex', and this lane's alone.
#[inline(always)]
pub unsafe fn insert<const NEIGHBOURS: bool>(
    changes: &Changes,
    words: *mut u32,
    degree: u32,
    run: Run,
) {
    let mut top = degree;
    // From the back, so that nothing is overwritten before it has moved.
    run.for_each_reversed(|change, rank| {
        let position = changes.position(change);
        // SAFETY: positions are at most the degree, and the block has room for the old neighbours
        // and for the new ones, as many as the run has changes.
        unsafe {
            while top > position {
                top -= 1;
                *words.add((top + rank + 1) as usize) = *words.add(top as usize);
            }
            if NEIGHBOURS {
                *words.add((position + rank) as usize) = changes.target(change).number();
            }
        }
    });
}

/// Deletes the changes of a run from a block: from its neighbours or its weights, the `words`.
///
/// # Safety
///
/// The block is the vertex', and this lane's alone.
#[inline(always)]
pub unsafe fn delete(changes: &Changes, words: *mut u32, degree: u32, run: Run) {
    let first = run.first().index();
    let mut index = first;
    while let Some(change) = run.get(index) {
        let next = match run.get(index + 1) {
            Some(next) => changes.position(next),
            None => degree,
        };
        let deleted = index - first + 1;
        let mut from = changes.position(change) + 1;
        while from < next {
            // SAFETY: positions are below the degree, and at least `deleted` before `from`.
            unsafe { *words.add((from - deleted) as usize) = *words.add(from as usize) };
            from += 1;
        }
        index += 1;
    }
}

/// Changes the block of a run in place: its neighbours, and the vertex' record, or its weights. All
/// lanes call this.
///
/// Neighbours are moved in rows: the warp reads a row, and the next one, and then writes the
/// former. Those that make room move up, from the last row to the first, those that close up move
/// down, from the first to the last; so a row is written where all is read already, and every
/// neighbour goes where no other does.
///
/// # Safety
///
/// The run is one of the batch, the block has room for what it makes, and both are this
/// warp's alone.
#[inline(always)]
pub unsafe fn change_together<const NEIGHBOURS: bool, W: Warp>(
    warp: W,
    changes: &Changes,
    run: Run,
) {
    let (first, end) = (run.first().index(), run.end());
    // SAFETY: positions are up to the degree, and what is written lies within the room of the
    // block.
    unsafe {
        let vertex = changes.source(run.first());
        let mut record = changes.record(vertex);
        let words = if NEIGHBOURS {
            record.entries()
        } else {
            record.weights()
        };
        let (deletes, degree) = (changes.deletes(), record.degree);
        // Those below stay where they are.
        let bottom = changes.position(run.first());
        let rows = (degree - bottom).div_ceil(UNROLL * W::LANES);
        let position = |turn: u32, part: u32| {
            let row = if deletes { turn } else { rows - 1 - turn };
            bottom + (row * UNROLL + part) * W::LANES + warp.lane()
        };
        let read = |turn: u32| -> [u32; UNROLL as usize] {
            core::array::from_fn(|part| {
                if turn < rows && position(turn, part as u32) < degree {
                    *words.add(position(turn, part as u32) as usize)
                } else {
                    0
                }
            })
        };
        let mut values = read(0);
        let mut turn = 0;
        while turn < rows {
            let next = read(turn + 1);
            warp.sync(W::FULL);
            let put = |value: u32, part: u32| {
                let position = position(turn, part);
                if position >= degree {
                    return;
                }
                // An inserted neighbour comes before the old one at its position, a deleted
                // one is the one there.
                let behind = u32::from(!deletes);
                let change = changes.first_from(first, end, position + behind);
                let changed = change - first;
                if !deletes {
                    *words.add((position + changed) as usize) = value;
                } else if (run.get(change))
                    .is_none_or(|change| changes.position(change) != position)
                {
                    *words.add((position - changed) as usize) = value;
                }
            };
            put(values[0], 0);
            put(values[1], 1);
            put(values[2], 2);
            put(values[3], 3);
            values = next;
            turn += 1;
        }
        if !NEIGHBOURS {
            return;
        }
        if !deletes {
            // All that was where these go is read.
            let mut index = first + warp.lane();
            while let Some(change) = run.get(index) {
                let position = changes.position(change) + (index - first);
                *words.add(position as usize) = changes.target(change).number();
                index += W::LANES;
            }
        }
        // Without rows, lanes may still be about to read the record.
        warp.sync(W::FULL);
        if warp.lane() == 0 {
            record.degree = changes.new_degree(degree, run.length());
            record.pad();
            changes.set_record(vertex, record);
        }
    }
}
