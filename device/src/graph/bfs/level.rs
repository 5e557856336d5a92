//! A frontier's counts, and what is done with it.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;

use super::{Search, word};
use crate::simt::Warp;
use crate::simt::reduce::all_sum64;

/// Top-down reads all edges of the frontier. Bottom-up the vertices that were not reached
/// read their rows up to the first parent, which is about the n-th entry if the frontier
/// has an n-th part of the edges that are left. From this n on top-down is taken (the
/// `alpha` of Beamer and others 2012, who found 14 on CPUs).
const MAX_PROBES: u64 = 14;

/// Bottom-up looks at every vertex: a frontier that has fewer edges than this part of the
/// vertices is searched top-down.
const SMALL_PART: u64 = 16;

/// The same where the search is top-down: the change of form pays from more edges on.
const LARGE_PART: u64 = 4;

/// By how much a frontier's edges exceed those of the one before if bottom-up is to begin.
/// Frontiers of meshes and roads grow slowly, and what they do not touch lies far away: no
/// vertex there would find a parent, whichever number of its entries it looks at.
const GROWTH: u64 = 2;

/// Entries that a warp is to read of the queue at a time, as a power of two: four a lane.
const SHARE: u32 = 7;

/// A frontier, and the form that it has.
#[derive(Clone, Copy)]
pub struct Level {
    /// Vertices.
    pub vertices: u32,
    /// Their edges.
    pub edges: u32,
    /// The distance of the vertices from the source.
    pub depth: u32,
    /// Whether it is a bitmap.
    pub marked: bool,
    /// The position in the queue of its first chunk.
    pub begin: u32,
    /// Its chunks.
    pub chunks: u32,
    /// Edges of the vertices that were not reached.
    pub unexplored: u32,
    /// Edges of the frontier before.
    before: u32,
}

impl Level {
    /// The frontier that this step begins with. All lanes call this.
    #[inline(always)]
    pub fn load<W: Warp>(warp: W, search: &Search) -> Self {
        let first = search.frontier(0);
        // Not atomic loads, which bypass L1: all warps read the same words.
        // SAFETY: words of this frontier, which no thread changes in this launch.
        let past = |index: usize| unsafe { *search.header.add(first + index) };
        let (mut counts, mut index) = (0_u64, warp.lane() as usize);
        while index < word::SPREAD {
            counts = counts.wrapping_add(past(word::COUNTS + index));
            index += W::LANES as usize;
        }
        let counts = all_sum64(warp, counts);
        let edges = counts as u32;
        Self {
            vertices: (counts >> 32) as u32,
            edges,
            depth: past(word::DEPTH) as u32,
            marked: past(word::MARKED) != 0,
            begin: past(word::BEGIN) as u32,
            chunks: past(word::CHUNKS) as u32,
            unexplored: (past(word::UNEXPLORED) as u32).wrapping_sub(edges),
            before: past(word::BEFORE) as u32,
        }
    }

    /// Whether bottom-up is to find the next level. The same for either form of the
    /// frontier once the form was changed: a level is at most two steps.
    #[inline(always)]
    pub fn is_bottom_up(&self, search: &Search) -> bool {
        let (edges, vertices) = (u64::from(self.edges), u64::from(search.vertices));
        let dense = MAX_PROBES * edges >= u64::from(self.unexplored);
        let worthwhile = if self.marked {
            SMALL_PART * edges >= vertices
        } else {
            LARGE_PART * edges >= vertices && edges >= GROWTH * u64::from(self.before)
        };
        dense && worthwhile && edges > 0 && !search.incoming.is_null()
    }

    /// Whether a block with room for so many quads searches it.
    #[inline(always)]
    pub fn is_narrow(&self, room: u32) -> bool {
        // A chunk has at most one quad that is not full.
        !self.marked && self.chunks > 0 && self.chunks + self.edges / 4 <= room
    }

    /// Chunks that a warp takes at a time: a power of two up to a chunk a lane, with about
    /// `2^SHARE` entries, from half to twice as many. It is computed in every level, so that
    /// logarithms divide.
    #[inline(always)]
    pub fn share<W: Warp>(&self) -> u32 {
        let shift =
            (self.edges.leading_zeros() + SHARE).saturating_sub(self.chunks.leading_zeros());
        if shift < W::LANES.trailing_zeros() {
            1 << shift
        } else {
            W::LANES
        }
    }

    /// Leaves what the next step must know of the frontier that this one makes: the next
    /// level, or the same one in the other form. One lane of the launch calls this.
    #[inline(always)]
    pub fn pass_on(&self, search: &Search, advances: bool, marked: bool) {
        // Relaxed, here and below: the next launch reads them.
        let set = |word: &AtomicU64, value: u32| word.store(u64::from(value), Relaxed);
        let depth = search.of_frontier::<{ word::DEPTH }>(1);
        let unexplored = search.of_frontier::<{ word::UNEXPLORED }>(1);
        let before = search.of_frontier::<{ word::BEFORE }>(1);
        set(search.of_frontier::<{ word::MARKED }>(1), u32::from(marked));
        set(
            search.of_frontier::<{ word::BEGIN }>(1),
            self.begin + self.chunks,
        );
        if !advances {
            // No warp counts in a step that changes the form.
            let counts = u64::from(self.vertices) << 32 | u64::from(self.edges);
            search
                .of_frontier::<{ word::COUNTS }>(1)
                .store(counts, Relaxed);
            set(depth, self.depth);
            set(unexplored, self.unexplored.wrapping_add(self.edges));
            set(before, self.before);
            return;
        }
        set(depth, self.depth + 1);
        set(unexplored, self.unexplored);
        set(before, self.edges);
        let reached = search.header::<{ word::REACHED }>();
        reached.store(reached.load(Relaxed) + u64::from(self.vertices), Relaxed);
        set(search.header::<{ word::DEEPEST }>(), self.depth);
    }

    /// Leaves this frontier to the next step as it is. One lane of the launch calls this.
    #[inline(always)]
    pub fn keep(&self, search: &Search) {
        self.pass_on(search, false, self.marked);
        // Relaxed: as above.
        let set = |word: &AtomicU64, value: u32| word.store(u64::from(value), Relaxed);
        set(search.of_frontier::<{ word::BEGIN }>(1), self.begin);
        set(search.of_frontier::<{ word::CHUNKS }>(1), self.chunks);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::bfs::SearchArguments;
    use crate::kernel::Args;

    const VERTICES: u32 = 1000;

    fn search(incoming: bool) -> Search {
        let arguments = SearchArguments {
            vertices: VERTICES,
            incoming: if incoming {
                core::ptr::dangling_mut()
            } else {
                core::ptr::null_mut()
            },
            ..SearchArguments::from(Args::NONE)
        };
        // SAFETY: the number of vertices and what is null are read, and no pointer is followed.
        unsafe { Search::new(arguments) }
    }

    fn level(marked: bool, before: u32, edges: u32, unexplored: u32) -> Level {
        Level {
            vertices: 1,
            edges,
            depth: 1,
            marked,
            begin: 0,
            chunks: edges.div_ceil(super::super::CHUNK),
            unexplored,
            before,
        }
    }

    #[test]
    fn dense_frontiers_that_grow_are_searched_bottom_up() {
        let search = search(true);
        let chosen = |level: Level| level.is_bottom_up(&search);
        assert!(chosen(level(false, 100, 5000, 14 * 5000)));
        // Too few of the edges, or of the vertices, or hardly more than before.
        assert!(!chosen(level(false, 100, 5000, 14 * 5000 + 1)));
        assert!(!chosen(level(false, 10, 249, 0)));
        assert!(!chosen(level(false, 2501, 5000, 0)));
        // A bottom-up search goes on as long as there are enough.
        assert!(chosen(level(true, 5000, 63, 0)));
        assert!(!chosen(level(true, 5000, 62, 0)));
        assert!(!chosen(level(true, 5000, 500, 7001)));
    }

    #[test]
    fn without_in_neighbours_there_is_no_bottom_up() {
        assert!(!level(false, 100, 5000, 0).is_bottom_up(&search(false)));
    }

    #[test]
    fn narrow_frontiers_have_room_for_their_quads() {
        // 64 edges of one chunk: 16 quads, and one if the last one were not full.
        assert!(level(false, 0, 64, 900).is_narrow(17));
        assert!(!level(false, 0, 64, 900).is_narrow(16));
        assert!(!level(false, 0, 65, 900).is_narrow(17));
        assert!(!level(true, 0, 64, 900).is_narrow(17));
        // Vertices without edges are no work for a block.
        assert!(!level(false, 0, 0, 900).is_narrow(17));
    }

    /// Else a search would change the form for ever.
    #[test]
    fn a_changed_form_is_kept() {
        let search = search(true);
        let mut changes = 0;
        for edges in (0..3000).step_by(7) {
            for unexplored in [0, 100, 2000, 30_000, 41_000, u32::MAX] {
                for before in [0, 1, edges / 3, edges / 2 + 1, edges, 4000] {
                    for marked in [false, true] {
                        let old = level(marked, before, edges, unexplored);
                        let form = old.is_bottom_up(&search);
                        let new = Level {
                            marked: form,
                            ..old
                        };
                        assert_eq!(new.is_bottom_up(&search), form);
                        changes += u32::from(form != marked);
                    }
                }
            }
        }
        assert!(changes > 1000);
    }
}
