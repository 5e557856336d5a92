//! A level bottom-up: vertices that were not reached look for a parent in the frontier.

use core::sync::atomic::Ordering::Relaxed;

use super::level::Level;
use super::next::Next;
use super::{Search, UNREACHED};
use crate::graph::store::{Vertex, VertexId};
use crate::simt::{Warp, leader};

/// Entries that a lane looks at by itself; the others of its row the warp looks at
/// together. A row whose first ones have no parent is nearly always one of few.
const ALONE: u32 = 32;

/// A frontier's bitmap, which no thread writes to in this launch.
#[derive(Clone, Copy)]
struct Marks(*const u32);

impl Marks {
    /// Whether a vertex is in the frontier.
    #[inline(always)]
    fn has(self, vertex: VertexId) -> bool {
        let (word, bit) = (vertex.index() / 32, vertex.number() % 32);
        // Not an atomic load, which bypasses L1: the bitmap does not change in this launch.
        // SAFETY: it has a bit for each vertex.
        (unsafe { *self.0.add(word) } >> bit) & 1 == 1
    }
}

/// The neighbour at `position` of a row, or the last one if that is behind it.
///
/// # Safety
///
/// The row has entries, which are vertices, and no thread writes to them meanwhile.
#[inline(always)]
unsafe fn neighbour(row: Vertex, position: u32) -> VertexId {
    let within = position - position.saturating_sub(row.degree - 1);
    // SAFETY: below the degree.
    unsafe { VertexId::new(*row.entries().add(within as usize)) }
}

/// Whether one of four entries, from `position` on and `step` apart, is in the frontier.
///
/// # Safety
///
/// As for `neighbour`.
#[inline(always)]
unsafe fn has_parent(row: Vertex, position: u32, step: u32, marks: Marks) -> bool {
    // Without short circuits: four loads at a time wait for memory, twice.
    // SAFETY: such a row.
    let [one, two, three, four] = unsafe {
        [
            neighbour(row, position),
            neighbour(row, position + step),
            neighbour(row, position + 2 * step),
            neighbour(row, position + 3 * step),
        ]
    };
    marks.has(one) | marks.has(two) | marks.has(three) | marks.has(four)
}

/// Whether a neighbour of each lane's row is in the frontier. All lanes call this; an empty
/// row has none.
///
/// # Safety
///
/// The row's entries are vertices, and no thread writes to them meanwhile.
#[inline(always)]
unsafe fn find<W: Warp>(warp: W, row: Vertex, marks: Marks) -> bool {
    let (mut found, mut position) = (false, 0);
    while position < ALONE && position < row.degree && !found {
        // SAFETY: the row has an entry.
        unsafe {
            if W::IS_SOLO {
                // A lane alone has little to gain from loads that it need not make.
                found = marks.has(neighbour(row, position));
                position += 1;
            } else {
                found = has_parent(row, position, 1, marks);
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
            // SAFETY: a lane's row, which has entries.
            let hit = unsafe { has_parent(of, position + warp.lane(), W::LANES, marks) };
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
/// There are in-neighbours, and the level is this step's and in its bitmap.
#[inline(always)]
pub unsafe fn bottom_up<W: Warp>(warp: W, search: &Search, level: &Level) {
    let mut next = Next::new(search, level.begin + level.chunks);
    let depth = level.depth + 1;
    let (frontier, bitmap) = (Marks(search.bitmap(level.depth)), search.bitmap(depth));
    let mut word = warp.warp();
    while word < search.words() {
        let (mut bits, mut part) = (0, 0);
        while part < 32 {
            let mut row = Vertex::default();
            // Relaxed: written by launches before. The vertex is this lane's, and others of the
            // launch do not access its depth.
            if let Some(vertex) = search.vertex(word * 32 + part + warp.lane())
                && search.depth(vertex).load(Relaxed) == UNREACHED
            {
                // SAFETY: there is a record of in-neighbours for each vertex.
                row = unsafe { *search.incoming.add(vertex.index()) };
            }
            // SAFETY: a row of the graph, which does not change.
            let found = unsafe { find(warp, row, frontier) };
            bits |= warp.ballot(W::FULL, found) << part;
            if bits >> (part + warp.lane()) & 1 == 1 {
                // SAFETY: a vertex without a row has no parent.
                let vertex = unsafe { VertexId::new(word * 32 + part + warp.lane()) };
                search.depth(vertex).store(depth, Relaxed);
                next.count_edges(vertex);
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
    next.add_counts(warp);
}
