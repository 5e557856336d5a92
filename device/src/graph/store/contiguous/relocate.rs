//! Fills new blocks with the merged adjacency.
//!
//! Where each change belongs is known, so nothing is compared: a change of a run
//! owns the old neighbours between its position and that of the next change, and
//! these move as far as there are changes up to it. A warp takes as many changes
//! as it has lanes and moves what they own as one sequence, so that a long segment is
//! shared by its lanes. A hub, whose neighbours would keep one warp busy for longer than
//! all others take together, is moved in parts by many warps.
//!
//! The weights of the old neighbours move likewise, in a launch of its own.
//!
//! Traffic: 12 bytes a change, a record, and each neighbour read and written
//! once.

use core::sync::atomic::Ordering::Relaxed;

use crate::graph::store::Vertex;
use crate::graph::store::changes::{Change, Changes};
use crate::graph::store::contiguous::long::{LONG, LONG_PART};
use crate::graph::store::update::{Update, UpdateArguments};
use crate::kernel::PlainKernel;
use crate::simt::Warp;
use crate::simt::segments::Segments;

/// Neighbours that a lane moves at a time: all are requested before the first
/// is written.
const UNROLL: u32 = 4;

/// A segment of old neighbours and where it goes.
#[derive(Clone, Copy)]
struct Move {
    from: u64,
    to: u64,
    length: u32,
}

const NOTHING: Move = Move {
    from: 0,
    to: 0,
    length: 0,
};

/// The word at `index` behind an address.
#[inline(always)]
fn entry(address: u64, index: u32) -> *mut u32 {
    let address = address.wrapping_add(u64::from(index) * 4);
    core::ptr::with_exposed_provenance_mut(address as usize)
}

/// Moves the segments of all lanes. All lanes call this.
///
/// # Safety
///
/// The segments lie in blocks of the store, and where they go in new ones that
/// no other lane writes to there.
#[inline(always)]
unsafe fn move_all<W: Warp>(warp: W, segment: Move) {
    let segments = Segments::new(warp, segment.length);
    let item = |item: u32| {
        let (lane, offset) = segments.locate(warp, item);
        let from = warp.shuffle64(W::FULL, segment.from, lane);
        let to = warp.shuffle64(W::FULL, segment.to, lane);
        (entry(from, offset), entry(to, offset))
    };
    let mut base = 0;
    while base < segments.total {
        let first = base + warp.lane();
        let (from0, to0) = item(first);
        // Few neighbours move in most rows of changes: three more searches would find none.
        if segments.total - base <= W::LANES {
            if first < segments.total {
                // SAFETY: an item below the total is in a lane's segment.
                unsafe { *to0 = *from0 };
            }
            return;
        }
        let (from1, to1) = item(first + W::LANES);
        let (from2, to2) = item(first + 2 * W::LANES);
        let (from3, to3) = item(first + 3 * W::LANES);
        let present = |part: u32| first + part * W::LANES < segments.total;
        // SAFETY: items below the total are in a lane's segment.
        unsafe {
            let value0 = if present(0) { *from0 } else { 0 };
            let value1 = if present(1) { *from1 } else { 0 };
            let value2 = if present(2) { *from2 } else { 0 };
            let value3 = if present(3) { *from3 } else { 0 };
            if present(0) {
                *to0 = value0;
            }
            if present(1) {
                *to1 = value1;
            }
            if present(2) {
                *to2 = value2;
            }
            if present(3) {
                *to3 = value3;
            }
        }
        base += UNROLL * W::LANES;
    }
}

/// Where the neighbours of an old block and a new one begin, or their weights.
///
/// # Safety
///
/// `Prepare` has given the vertex of this record a new block for the run that `first` begins.
#[inline(always)]
unsafe fn bases<const NEIGHBOURS: bool>(
    changes: &Changes,
    record: &Vertex,
    first: Change,
) -> (u64, u64) {
    // SAFETY: it has written the word, and the room, of the run.
    let (block, capacity) = unsafe { (*changes.moved(first), *changes.fresh_capacity(first)) };
    let behind = |address: u64, capacity: u32| address.wrapping_add(u64::from(capacity) * 4);
    if NEIGHBOURS {
        (record.address, block)
    } else {
        (
            behind(record.address, record.capacity),
            behind(block, capacity),
        )
    }
}

/// The entries that a change moves: the segment before it if it is the first of its
/// run, which `start` is, and the one behind it. Writes an inserted target.
///
/// # Safety
///
/// `Prepare` has run in an earlier launch, the run of `change` begins with `start`, and no other
/// lane calls this with `change`.
#[inline(always)]
unsafe fn moves<const NEIGHBOURS: bool>(
    changes: &Changes,
    change: Change,
    start: Change,
) -> (Move, Move) {
    // SAFETY: `Prepare` has written the word of the run, and the new block has room for the old
    // and the new neighbours.
    unsafe {
        if *changes.moved(start) == 0 {
            return (NOTHING, NOTHING);
        }
        let source = changes.source(change);
        let record = changes.record(source);
        let (old, block) = bases::<NEIGHBOURS>(changes, &record, start);
        let position = changes.position(change);
        let is_long = record.degree >= LONG;
        let before = if change == start {
            Move {
                from: old,
                to: block,
                length: position,
            }
        } else {
            NOTHING
        };
        let next = changes.get(change.index() + 1);
        let end = match next.filter(|&next| changes.source(next) == source) {
            Some(next) => changes.position(next),
            None => record.degree,
        };
        let rank = change.index() - start.index();
        let (from, to) = if changes.deletes() {
            // The entry itself and those deleted before it are left out.
            (position + 1, position - rank)
        } else {
            if NEIGHBOURS {
                *entry(block, position + rank) = changes.target(change).number();
            }
            (position, position + rank + 1)
        };
        if is_long {
            return (NOTHING, NOTHING);
        }
        let behind = Move {
            from: old.wrapping_add(u64::from(from) * 4),
            to: block.wrapping_add(u64::from(to) * 4),
            length: end - from,
        };
        (before, behind)
    }
}

/// Moves part `part` of the old neighbours of the vertex whose run `first` begins. All
/// lanes call this.
///
/// # Safety
///
/// `Prepare` has run in an earlier launch, and has given the vertex of the run that `first` begins
/// a new block; the part is one of its parts, and this warp's.
#[inline(always)]
unsafe fn move_part<const NEIGHBOURS: bool, W: Warp>(
    warp: W,
    changes: &Changes,
    first: Change,
    part: u32,
) {
    // SAFETY: positions of the part are below the degree, and an old neighbour goes where nothing
    // else is written.
    unsafe {
        let record = changes.record(changes.source(first));
        let (old, block) = bases::<NEIGHBOURS>(changes, &record, first);
        let from = part * LONG_PART;
        let to = if record.degree - from < LONG_PART {
            record.degree
        } else {
            from + LONG_PART
        };
        // An inserted neighbour comes before the old one at its position, a deleted one is
        // the one there.
        let behind = u32::from(!changes.deletes());
        let changes_before =
            |low: u32, high: u32, position: u32| changes.first_from(low, high, position + behind);
        let run = changes.run(first);
        let (first, end) = (first.index(), run.end());
        let low = changes_before(first, end, from);
        // Few changes fall into a part, mostly none, so that the lanes search few or none.
        let high = changes_before(low, end, to - 1);
        let mut base = from;
        while base < to {
            let position = |row: u32| base + row * W::LANES + warp.lane();
            let values: [u32; UNROLL as usize] = core::array::from_fn(|row| {
                if position(row as u32) < to {
                    *entry(old, position(row as u32))
                } else {
                    0
                }
            });
            let put = |value: u32, row: u32| {
                let position = position(row);
                if position >= to {
                    return;
                }
                let change = changes_before(low, high, position);
                let changed = change - first;
                if !changes.deletes() {
                    *entry(block, position + changed) = value;
                } else if (run.get(change))
                    .is_none_or(|change| changes.position(change) != position)
                {
                    *entry(block, position - changed) = value;
                }
            };
            put(values[0], 0);
            put(values[1], 1);
            put(values[2], 2);
            put(values[3], 3);
            base += UNROLL * W::LANES;
        }
    }
}

/// Fills the new blocks with neighbours, or with weights.
///
/// # Safety
///
/// `Prepare` has run in an earlier launch, and nothing else accesses the blocks in this one.
#[inline(always)]
unsafe fn relocate<const NEIGHBOURS: bool, W: Warp>(warp: W, update: Update) {
    // Relaxed: written by an earlier launch.
    if update.refused().load(Relaxed) != 0 {
        return;
    }
    // SAFETY: the segments of a vertex do not overlap where they go, and old blocks are not written
    // to.
    unsafe {
        let changes = Changes::new(update);
        let mut row = warp.warp() * W::LANES;
        while row < changes.count() {
            let own = changes.row_start(warp, row);
            let (before, behind) = own.map_or((NOTHING, NOTHING), |(change, start)| {
                moves::<NEIGHBOURS>(&changes, change, start)
            });
            move_all(warp, before);
            move_all(warp, behind);
            row += warp.threads();
        }
        let parts = changes.long_parts();
        let mut part = warp.warp();
        while part < parts {
            let (first, of_run) = changes.long_part(part);
            move_part::<NEIGHBOURS, W>(warp, &changes, first, of_run);
            part += warp.warps();
        }
    }
}

/// Fills the new blocks.
pub struct Relocate;

impl PlainKernel for Relocate {
    type Arguments = UpdateArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, update: UpdateArguments) {
        // SAFETY: the kernel's contract.
        unsafe { relocate::<true, W>(warp, Update::new(update)) }
    }
}

/// Fills the new blocks of a weighted graph with the weights of their old neighbours.
pub struct RelocateWeights;

impl PlainKernel for RelocateWeights {
    type Arguments = UpdateArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, update: UpdateArguments) {
        // SAFETY: the kernel's contract.
        unsafe { relocate::<false, W>(warp, Update::new(update)) }
    }
}
