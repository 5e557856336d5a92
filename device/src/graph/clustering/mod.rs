//! Local clustering coefficients, as LDBC Graphalytics defines them: of all edges that could lead
//! from a neighbour of a vertex to another, the part that is there. In a directed graph the
//! neighbours are those in either direction, each once, and an edge leads from its source.
//!
//! [`Links`] counts. The [pairs](super::pairs) of vertices and neighbours are sorted, so that those
//! of a vertex are an ascending list. For each pair, either the neighbour's row is walked and looked
//! for in that list, or the list is walked and looked for in the row, whichever is shorter. The
//! walks of a warp's lanes are one sequence (`Segments`).
//!
//! The shorter lengths of all pairs add up to the order of the edges times their square root at most
//! (Chiba and Nishizeki 1985). Each step of a walk is a binary search.

#[cfg(not(target_arch = "nvptx64"))]
pub mod plan;

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::{AtomicU32, AtomicU64};

use crate::arguments;
use crate::graph::store::keys::Form;
use crate::graph::store::lower_bound;
use crate::kernel::{PlainKernel, Valid};
use crate::simt::Warp;
use crate::simt::segments::Segments;

arguments! {
    /// A count of links among the neighbours of some vertices.
    pub struct LinkArguments {
        pointers {
            /// The pairs of the vertices and their neighbours, sorted, as keys.
            keys: u64,
            /// Where the targets of each vertex begin, and the end.
            offsets: u32,
            /// The targets.
            targets: u32,
            /// Where the in-neighbours of each vertex begin, and the end; null where they are the
            /// targets.
            incoming: u32,
            /// For each vertex the edges from a neighbour to another, 0 before.
            links: u64,
            /// For each vertex its neighbours, without itself, each once; 0 before.
            neighbours: u32,
        }
        integers {
            /// The first of the vertices.
            first: u32,
            /// Pairs.
            count: u32,
            /// Vertices of the graph.
            vertices: u32,
        }
    }
}

type LinkCount = Valid<LinkArguments>;

/// A pair of a vertex and a neighbour: what is walked and where it is looked for.
#[derive(Clone, Copy)]
struct NeighbourPair {
    vertex: u32,
    neighbour: u32,
    /// The pairs of the vertex: where they begin, and their number.
    list: (u32, u32),
    /// The targets of the neighbour, likewise.
    row: (u32, u32),
}

impl NeighbourPair {
    /// Nothing is walked.
    const NONE: Self = Self {
        vertex: 0,
        neighbour: 0,
        list: (0, 0),
        row: (0, 0),
    };

    /// Whether the row is walked.
    #[inline(always)]
    fn walks_row(&self) -> bool {
        self.row.1 <= self.list.1
    }

    /// Vertices that are walked.
    #[inline(always)]
    fn length(&self) -> u32 {
        if self.walks_row() {
            self.row.1
        } else {
            self.list.1
        }
    }

    /// That of another lane. All lanes call this.
    #[inline(always)]
    fn of_lane<W: Warp>(&self, warp: W, lane: u32) -> Self {
        let of = |value: u32| warp.shuffle(W::FULL, value, lane);
        Self {
            vertex: of(self.vertex),
            neighbour: of(self.neighbour),
            list: (of(self.list.0), of(self.list.1)),
            row: (of(self.row.0), of(self.row.1)),
        }
    }
}

impl LinkCount {
    #[inline(always)]
    fn form(&self) -> Form {
        Form {
            vertices: self.vertices,
            count: self.count,
            flags: 0,
        }
    }

    /// Where the pairs of a vertex begin.
    ///
    /// # Safety
    ///
    /// It is one of the vertices whose pairs there are, or the one behind them.
    #[inline(always)]
    unsafe fn begin(&self, vertex: u32) -> u32 {
        let (vertex, first) = (vertex as usize, self.first as usize);
        // SAFETY: there is an offset for each vertex and for the end.
        unsafe {
            let begin = *self.offsets.add(vertex) - *self.offsets.add(first);
            if self.incoming.is_null() {
                return begin;
            }
            begin + *self.incoming.add(vertex) - *self.incoming.add(first)
        }
    }

    /// The pair at an index, if it is the first of equal ones and not of a vertex with itself.
    ///
    /// # Safety
    ///
    /// The index is below the number of pairs.
    #[inline(always)]
    unsafe fn pair(&self, index: u32) -> Option<NeighbourPair> {
        // SAFETY: vertices of the pairs, and their neighbours, exist.
        unsafe {
            let key = *self.keys.add(index as usize);
            let is_first = index == 0 || *self.keys.add(index as usize - 1) != key;
            let (vertex, neighbour) = (self.form().source(key), self.form().target(key));
            if !is_first || vertex == neighbour {
                return None;
            }
            let begin = self.begin(vertex);
            let row = *self.offsets.add(neighbour as usize);
            Some(NeighbourPair {
                vertex,
                neighbour,
                list: (begin, self.begin(vertex + 1) - begin),
                row: (row, *self.offsets.add(neighbour as usize + 1) - row),
            })
        }
    }

    /// Whether the vertex at a place of a pair's walk is a neighbour of the pair's vertex that the
    /// pair's neighbour leads to.
    ///
    /// # Safety
    ///
    /// The place is below the length of the walk.
    #[inline(always)]
    unsafe fn is_link(&self, pair: &NeighbourPair, place: u32) -> bool {
        let (list, row) = (pair.list, pair.row);
        let is_other = |third: u32| third != pair.vertex && third != pair.neighbour;
        // SAFETY: such a place; searches stay in the list and in the row.
        unsafe {
            if pair.walks_row() {
                let third = *self.targets.add((row.0 + place) as usize);
                let key = self.form().key(pair.vertex, third);
                let end = list.0 + list.1;
                let at = lower_key(self.keys, list.0, end, key);
                is_other(third) && at < end && *self.keys.add(at as usize) == key
            } else {
                let at = (list.0 + place) as usize;
                let key = *self.keys.add(at);
                let is_first = place == 0 || *self.keys.add(at - 1) != key;
                let third = self.form().target(key);
                let end = row.0 + row.1;
                let at = lower_bound(self.targets, row.0, end, third);
                is_first && is_other(third) && at < end && *self.targets.add(at as usize) == third
            }
        }
    }
}

/// The first position in `keys[from..to]`, which ascends, whose key is not below `key`.
///
/// # Safety
///
/// The keys from `from` up to `to` can be read.
#[inline(always)]
unsafe fn lower_key(keys: *const u64, from: u32, to: u32, key: u64) -> u32 {
    let (mut low, mut high) = (from, to);
    while low < high {
        let middle = low + (high - low) / 2;
        // SAFETY: `middle` is between `from` and `to`.
        if unsafe { *keys.add(middle as usize) } < key {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// Counts the links among the neighbours of each vertex, and the neighbours.
pub struct Links;

impl PlainKernel for Links {
    type Arguments = LinkArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, counting: LinkArguments) {
        // SAFETY: the kernel's contract.
        let counting = unsafe { LinkCount::new(counting) };
        let mut row = warp.warp() * W::LANES;
        while row < counting.count {
            let index = row + warp.lane();
            let mut own = None;
            if index < counting.count {
                // SAFETY: below the number of pairs.
                own = unsafe { counting.pair(index) };
            }
            let pair = own.unwrap_or(NeighbourPair::NONE);
            // The sum fits: a list is of 2^25 pairs at most, or of a vertex whose pairs are alone. The
            // rows of its neighbours, each once, are entries of the graph.
            let segments = Segments::new(warp, pair.length());
            let (mut links, mut base) = (0, 0_u32);
            while base < segments.total {
                let item = base.wrapping_add(warp.lane());
                let (owner, place) = segments.locate(warp, item);
                let of = pair.of_lane(warp, owner);
                let is_there = item >= base && item < segments.total && place < of.length();
                // SAFETY: the place is below the length.
                let is_link = is_there && unsafe { counting.is_link(&of, place) };
                let found = warp.ballot(W::FULL, is_link);
                links += (found & segments.own_lanes::<W>(base)).count_ones();
                let Some(next) = base.checked_add(W::LANES) else {
                    break;
                };
                base = next;
            }
            if own.is_some() {
                // SAFETY: there are two words for the vertex, accessed so only in this launch.
                let (word, neighbours) = unsafe {
                    let at = pair.vertex as usize;
                    (
                        &*counting.links.add(at).cast::<AtomicU64>(),
                        &*counting.neighbours.add(at).cast::<AtomicU32>(),
                    )
                };
                // Relaxed, both: sums that the host reads after the launch.
                neighbours.fetch_add(1, Relaxed);
                if links > 0 {
                    word.fetch_add(u64::from(links), Relaxed);
                }
            }
            row += warp.threads();
        }
    }
}
