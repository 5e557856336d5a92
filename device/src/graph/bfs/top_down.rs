//! A level top-down: along the edges of the frontier.

use core::sync::atomic::Ordering::Relaxed;

use super::level::Level;
use super::next::Next;
use super::{SearchArguments, UNREACHED};
use crate::graph::chunks::{Chunk, Entry};
use crate::simt::Warp;
use crate::simt::segments::Segments;

/// Whether an entry's neighbour seems not to be reached.
///
/// # Safety
///
/// The arguments' contract holds, and neighbours are vertices.
#[inline(always)]
unsafe fn is_new(search: &SearchArguments, entry: Entry) -> bool {
    // SAFETY: the caller's promise. Relaxed: the exchange decides.
    entry.is_there && unsafe { search.depth(entry.neighbour) }.load(Relaxed) == UNREACHED
}

/// Whether this lane is the one that reaches a neighbour which `is_new`.
///
/// # Safety
///
/// As for `is_new`.
#[inline(always)]
unsafe fn reach(search: &SearchArguments, depth: u32, entry: Entry, is_new: bool) -> bool {
    // SAFETY: the caller's promise. Relaxed: the exchange alone decides who found it; all
    // would write the same.
    is_new
        && unsafe { search.depth(entry.neighbour) }.compare_exchange(UNREACHED, depth, Relaxed)
            == UNREACHED
}

/// Finds the next level from the queue.
///
/// # Safety
///
/// The arguments' contract holds, the level is this step's and in the queue, and all lanes
/// of the warp make the call.
#[inline(always)]
pub unsafe fn top_down<W: Warp>(warp: W, search: &SearchArguments, level: &Level) {
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
                let [one, two, three, four] = Entry::four(warp, &segments, &row, base);
                // The loads first: none of them waits for an exchange.
                let new_one = is_new(search, one);
                let new_two = is_new(search, two);
                let new_three = is_new(search, three);
                let new_four = is_new(search, four);
                let found_one = reach(search, depth, one, new_one);
                let found_two = reach(search, depth, two, new_two);
                let found_three = reach(search, depth, three, new_three);
                let found_four = reach(search, depth, four, new_four);
                next.add(warp, found_one, one.neighbour);
                next.add(warp, found_two, two.neighbour);
                next.add(warp, found_three, three.neighbour);
                next.add(warp, found_four, four.neighbour);
            }
            base += Entry::at_once::<W>();
        }
        first += warp.warps() * share;
    }
    // SAFETY: as above.
    unsafe {
        next.enqueue(warp);
        next.add_counts(warp);
    }
}
