//! A level bottom-up: vertices that were not reached look for a parent in the frontier.

use core::sync::atomic::Ordering::Relaxed;

use super::level::Level;
use super::next::Next;
use super::{SearchArguments, UNREACHED};
use crate::graph::store::Vertex;
use crate::simt::{Warp, leader};

/// Entries that a lane looks at by itself; the others of its row the warp looks at
/// together. A row whose first ones have no parent is nearly always one of few.
const ALONE: u32 = 32;

/// The neighbour at `position` of a row, or the last one if that is behind it.
///
/// # Safety
///
/// The row has entries, and no thread writes to them meanwhile.
#[inline(always)]
unsafe fn neighbour(row: Vertex, position: u32) -> u32 {
    let within = position - position.saturating_sub(row.degree - 1);
    // SAFETY: the caller's promise; below the degree.
    unsafe { *row.entries().add(within as usize) }
}

/// Whether a vertex is in the frontier.
///
/// # Safety
///
/// The bitmap has a bit for the vertex.
#[inline(always)]
unsafe fn is_marked(bitmap: *const u32, vertex: u32) -> bool {
    // Not an atomic load, which bypasses L1: the bitmap does not change in this launch.
    // SAFETY: the caller's promise.
    (unsafe { *bitmap.add((vertex / 32) as usize) } >> (vertex % 32)) & 1 == 1
}

/// Whether one of four entries, from `position` on and `step` apart, is in the frontier.
///
/// # Safety
///
/// The row has entries, which are vertices, and the bitmap has a bit for each.
#[inline(always)]
unsafe fn has_parent(row: Vertex, position: u32, step: u32, bitmap: *const u32) -> bool {
    // Without short circuits: four loads at a time wait for memory, twice.
    // SAFETY: the caller's promise.
    unsafe {
        let one = neighbour(row, position);
        let two = neighbour(row, position + step);
        let three = neighbour(row, position + 2 * step);
        let four = neighbour(row, position + 3 * step);
        is_marked(bitmap, one)
            | is_marked(bitmap, two)
            | is_marked(bitmap, three)
            | is_marked(bitmap, four)
    }
}

/// Whether a neighbour of each lane's row is in the frontier. All lanes call this; an empty
/// row has none.
///
/// # Safety
///
/// As for `has_parent`, but for rows without entries; and all lanes of the warp make the
/// call.
#[inline(always)]
unsafe fn find<W: Warp>(warp: W, row: Vertex, bitmap: *const u32) -> bool {
    let (mut found, mut position) = (false, 0);
    while position < ALONE && position < row.degree && !found {
        // SAFETY: the caller's promise; the row has an entry.
        unsafe {
            if W::IS_SOLO {
                // A lane alone has little to gain from loads that it need not make.
                found = is_marked(bitmap, neighbour(row, position));
                position += 1;
            } else {
                found = has_parent(row, position, 1, bitmap);
                position += 4;
            }
        }
    }
    let mut rest = warp.ballot(W::FULL, !found && row.degree > ALONE);
    while rest != 0 {
        let owner = leader(rest);
        let of = Vertex {
            address: warp.shuffle64(W::FULL, row.address, owner),
            degree: warp.shuffle(W::FULL, row.degree, owner),
            capacity: 0,
        };
        let (mut hits, mut position) = (0, ALONE);
        while position < of.degree && hits == 0 {
            // SAFETY: the caller's promise.
            let hit = unsafe { has_parent(of, position + warp.lane(), W::LANES, bitmap) };
            hits = warp.ballot(W::FULL, hit);
            position += 4 * W::LANES;
        }
        if warp.lane() == owner {
            found = hits != 0;
        }
        rest &= rest - 1;
    }
    found
}

/// Finds the next level from the bitmap, and makes the bitmap of the next one.
///
/// # Safety
///
/// The arguments' contract holds, there are in-neighbours, the level is this step's and in
/// its bitmap, and all lanes of the warp make the call.
#[inline(always)]
pub unsafe fn bottom_up<W: Warp>(warp: W, search: &SearchArguments, level: &Level) {
    let mut next = Next::new(search, level.begin + level.chunks);
    let depth = level.depth + 1;
    let (frontier, bitmap) = (search.bitmap(level.depth), search.bitmap(depth));
    let mut word = warp.warp();
    while word < search.words() {
        let (mut bits, mut part) = (0, 0);
        while part < 32 {
            let vertex = word * 32 + part + warp.lane();
            let mut row = Vertex::default();
            // SAFETY: the vertex exists and is this lane's; the others of the launch do not
            // access its depth.
            unsafe {
                // Relaxed: written by launches before.
                if vertex < search.vertices && search.depth(vertex).load(Relaxed) == UNREACHED {
                    row = *search.incoming.add(vertex as usize);
                }
                let found = find(warp, row, frontier);
                bits |= warp.ballot(W::FULL, found) << part;
                if bits >> (part + warp.lane()) & 1 == 1 {
                    search.depth(vertex).store(depth, Relaxed);
                    next.count_edges(vertex);
                }
            }
            part += W::LANES;
        }
        if warp.lane() == 0 {
            // SAFETY: a word of the bitmap, of this warp alone.
            unsafe { bitmap.add(word as usize).write(bits) };
        }
        next.count_vertices(bits.count_ones());
        word += warp.warps();
    }
    // SAFETY: the caller's promise.
    unsafe { next.add_counts(warp) };
}
