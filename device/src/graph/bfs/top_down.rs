//! A level top-down: along the edges of the frontier.

use core::sync::atomic::Ordering::Relaxed;

use super::level::Level;
use super::next::Next;
use super::{Search, UNREACHED};
use crate::graph::chunks::{Chunk, Entry};
use crate::graph::store::VertexId;
use crate::simt::Warp;
use crate::simt::segments::Segments;

/// An entry of the frontier.
#[derive(Clone, Copy)]
struct Found {
    neighbour: VertexId,
    is_there: bool,
}

impl Found {
    /// An entry of a row.
    ///
    /// # Safety
    ///
    /// The row is one of the graph.
    #[inline(always)]
    unsafe fn new(entry: Entry) -> Self {
        Self {
            // SAFETY: neighbours are vertices.
            neighbour: unsafe { VertexId::new(entry.neighbour) },
            is_there: entry.is_there,
        }
    }

    /// Whether the neighbour seems not to be reached.
    #[inline(always)]
    fn is_new(self, search: &Search) -> bool {
        // Relaxed: the exchange decides.
        self.is_there && search.depth(self.neighbour).load(Relaxed) == UNREACHED
    }

    /// Whether this lane is the one that reaches a neighbour which `is_new`.
    #[inline(always)]
    fn reach(self, search: &Search, depth: u32, is_new: bool) -> bool {
        // Relaxed: the exchange alone decides who found it; all would write the same.
        is_new
            && search
                .depth(self.neighbour)
                .compare_exchange(UNREACHED, depth, Relaxed)
                == UNREACHED
    }
}

/// Finds the next level from the queue.
///
/// # Safety
///
/// The level is this step's and in the queue.
#[inline(always)]
pub unsafe fn top_down<W: Warp>(warp: W, search: &Search, level: &Level) {
    let mut next = Next::new(search, level.begin + level.chunks);
    let (share, depth) = (level.share::<W>(), level.depth + 1);
    let mut first = warp.warp() * share;
    while first < level.chunks {
        let position = first + warp.lane();
        let mut row = Chunk::default();
        if warp.lane() < share && position < level.chunks {
            // SAFETY: within the frontier's part of the queue.
            row = unsafe { *search.queue.add((level.begin + position) as usize) };
        }
        let segments = Segments::new(warp, row.length);
        let mut base = 0;
        while base < segments.total {
            // SAFETY: chunks are of rows that no thread changes, and neighbours are vertices;
            // a vertex is added by the one lane that has exchanged its depth.
            unsafe {
                next.make_room(warp);
                let [one, two, three, four] =
                    Entry::four(warp, &segments, &row, base).map(|entry| Found::new(entry));
                // The loads first: none of them waits for an exchange.
                let new_one = one.is_new(search);
                let new_two = two.is_new(search);
                let new_three = three.is_new(search);
                let new_four = four.is_new(search);
                let found_one = one.reach(search, depth, new_one);
                let found_two = two.reach(search, depth, new_two);
                let found_three = three.reach(search, depth, new_three);
                let found_four = four.reach(search, depth, new_four);
                next.add(warp, found_one, one.neighbour.number());
                next.add(warp, found_two, two.neighbour.number());
                next.add(warp, found_three, three.neighbour.number());
                next.add(warp, found_four, four.neighbour.number());
            }
            base += Entry::at_once::<W>();
        }
        first += warp.warps() * share;
    }
    // SAFETY: as above.
    unsafe { next.enqueue(warp) };
    next.add_counts(warp);
}
