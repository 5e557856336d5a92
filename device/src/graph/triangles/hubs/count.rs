//! Counting the triangles that have a hub.
//!
//! A warp takes the edges of a tile, one vertex after the other. It marks the hubs among the
//! vertex' successors, each a bit of scratch memory, and takes the edges in the tile, as many at
//! a time as it has lanes: those to dense rows four at a time, all lanes on each, and the codes
//! of all others as one sequence.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::SharedU32;

use super::{COUNT_TILE, DENSE_WORDS, GRANULE, HubArguments, List, MAX_HUBS, Tile, is_code, slot};
use crate::graph::triangles::{add_total, count_vertex};
use crate::kernel::PlainKernel;
use crate::simt::segments::Segments;
use crate::simt::{SCRATCH_BYTES, Warp, leader};

/// The code of an edge that leads to no dense row.
const NOT_DENSE: u32 = u32::MAX;

/// The vertex that a warp works on.
#[derive(Clone, Copy)]
struct Source {
    vertex: u32,
    /// Its codes.
    codes: List,
    /// Where its other successors begin.
    others: u32,
    /// Its edges in the tile: from this one on, codes first,
    begin: u32,
    /// and up to this one.
    end: u32,
}

impl Source {
    /// None.
    const NONE: Self = Self {
        vertex: 0,
        codes: List::EMPTY,
        others: 0,
        begin: 0,
        end: 0,
    };

    /// The edges of a vertex in a tile; none if it has no triangle with a hub.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds, `HubOrient` has run, and the vertex exists.
    #[inline(always)]
    unsafe fn new(graph: &HubArguments, tile: &Tile, vertex: u32) -> Self {
        // SAFETY: each vertex has a standing, whose slot is its own.
        unsafe {
            let standing = *graph.standings.add(vertex as usize);
            let codes = *graph.slots.add(slot(standing, vertex));
            let others = if is_code(standing) {
                List {
                    start: graph.offset(vertex),
                    length: 0,
                }
            } else {
                *graph.lists.add(vertex as usize)
            };
            let edges = codes.length + others.length;
            let (begin, end) = tile.part(others.start, edges);
            if codes.length == 0 || edges < 2 || begin >= end {
                return Self::NONE;
            }
            Self {
                vertex,
                codes,
                others: others.start,
                begin,
                end,
            }
        }
    }

    /// That of another lane. All lanes call this.
    #[inline(always)]
    fn of_lane<W: Warp>(&self, warp: W, lane: u32) -> Self {
        let get = |value| warp.shuffle(W::FULL, value, lane);
        Self {
            vertex: get(self.vertex),
            codes: List {
                start: get(self.codes.start),
                length: get(self.codes.length),
            },
            others: get(self.others),
            begin: get(self.begin),
            end: get(self.end),
        }
    }
}

/// A set of hubs in the scratch memory of a warp.
#[derive(Clone, Copy)]
struct Set(*mut u32);

impl Set {
    /// The set of a warp, empty. All lanes call this.
    #[inline(always)]
    fn empty<W: Warp>(warp: W) -> Self {
        let words: *mut u32 = warp.scratch().cast();
        let mut at = warp.lane() as usize;
        while at < SCRATCH_BYTES / 4 {
            // SAFETY: the scratch memory is the warp's; each lane writes words of its own.
            unsafe { words.add(at).write(0) };
            at += W::LANES as usize;
        }
        warp.sync(W::FULL);
        Self(words)
    }

    /// A word that lanes write at the same time.
    ///
    /// # Safety
    ///
    /// A `sync` is between this and other accesses.
    #[inline(always)]
    unsafe fn shared(&self, code: u32) -> &SharedU32 {
        // SAFETY: codes have bits in the scratch memory.
        unsafe { &*self.0.add(code as usize / 32).cast::<SharedU32>() }
    }

    /// Word `at` of the set.
    ///
    /// # Safety
    ///
    /// The set has the word, and no lane changes it meanwhile.
    #[inline(always)]
    unsafe fn word(&self, at: u32) -> u32 {
        // SAFETY: such a word.
        unsafe { *self.0.add(at as usize) }
    }
}

/// Counts the triangles with a hub.
pub struct HubTriangles;

impl HubTriangles {
    /// The triangles of a vertex and its edges to dense rows: the code of such an edge, or
    /// [`NOT_DENSE`], and the vertex that it leads to.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds, `HubRows` has run, `set` has the codes of the vertex, and
    /// all lanes of the warp make the call.
    #[inline(always)]
    unsafe fn in_dense_rows<W: Warp>(
        warp: W,
        graph: &HubArguments,
        set: Set,
        source: u32,
        code: u32,
        target: u32,
    ) -> u64 {
        let mut found = 0;
        let mut left = warp.ballot(W::FULL, code != NOT_DENSE);
        while left != 0 {
            // Four rows at once, so that their latencies overlap: codes, vertices, and segments
            // of as many words as there are lanes.
            let mut next = || {
                let lane = leader(left);
                let row = warp.shuffle(W::FULL, code, lane);
                let vertex = warp.shuffle(W::FULL, target, lane);
                let segments = if left == 0 {
                    0
                } else {
                    row / (32 * W::LANES) + 1
                };
                left &= left.wrapping_sub(1);
                (row, vertex, segments)
            };
            let rows = [next(), next(), next(), next()];
            let most = rows[0].2.max(rows[1].2).max(rows[2].2.max(rows[3].2));
            let mut segment = 0;
            while segment < most {
                let at = segment * W::LANES + warp.lane();
                // SAFETY: a row has that many segments, and the set as many words as a row.
                unsafe {
                    let own = set.word(at);
                    let words = rows.map(|(row, _, segments)| {
                        if segment < segments {
                            *graph.dense.add((row * DENSE_WORDS + at) as usize)
                        } else {
                            0
                        }
                    });
                    let [one, two, three, four] = words.map(|word| word & own);
                    let ones = |word: u32| word.count_ones();
                    found += u64::from((ones(one) + ones(two)) + (ones(three) + ones(four)));
                    if !graph.counts.is_null() {
                        Self::count_word(graph, source, rows[0].1, at, one);
                        Self::count_word(graph, source, rows[1].1, at, two);
                        Self::count_word(graph, source, rows[2].1, at, three);
                        Self::count_word(graph, source, rows[3].1, at, four);
                    }
                }
                segment += 1;
            }
        }
        found
    }

    /// The triangles of a vertex and edges whose ends have these rows of codes; `target` is the
    /// vertex that an edge leads to.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds, `HubRows` has run, `set` has the codes of the vertex, and
    /// all lanes of the warp make the call.
    #[inline(always)]
    unsafe fn in_codes<W: Warp>(
        warp: W,
        graph: &HubArguments,
        set: Set,
        source: u32,
        codes: List,
        target: u32,
    ) -> u64 {
        let mut found = 0;
        let segments = Segments::new(warp, codes.length.div_ceil(GRANULE));
        let mut base = 0;
        while base < segments.total {
            let item = base + warp.lane();
            let (owner, position) = segments.locate(warp, item);
            let start = warp.shuffle(W::FULL, codes.start, owner);
            let middle = warp.shuffle(W::FULL, target, owner);
            if item < segments.total {
                // SAFETY: rows are whole granules; all codes, padding too, have bits in the
                // scratch memory.
                unsafe {
                    let granule = *graph.code_at(start + position, 0).cast::<u64>();
                    let codes = [0, 16, 32, 48].map(|shift| (granule >> shift) as u32 & 0xffff);
                    let closed = codes.map(|code| set.word(code / 32) >> (code % 32) & 1);
                    found += u64::from((closed[0] + closed[1]) + (closed[2] + closed[3]));
                    let count = |code, closed| {
                        if closed == 1 {
                            Self::count(graph, source, middle, code);
                        }
                    };
                    if !graph.counts.is_null() {
                        count(codes[0], closed[0]);
                        count(codes[1], closed[1]);
                        count(codes[2], closed[2]);
                        count(codes[3], closed[3]);
                    }
                }
            }
            base += W::LANES;
        }
        found
    }

    /// Counts a triangle for its vertices; the third vertex is the hub of this code.
    ///
    /// # Safety
    ///
    /// The arguments have counts, and their contract holds; the vertices and the hub exist.
    #[inline(always)]
    unsafe fn count(graph: &HubArguments, source: u32, target: u32, code: u32) {
        // SAFETY: there is a count for each vertex, and hubs are vertices.
        unsafe {
            count_vertex(graph.counts, source);
            count_vertex(graph.counts, target);
            count_vertex(graph.counts, *graph.hubs.add(code as usize));
        }
    }

    /// The same with each hub in word `at` of a set.
    ///
    /// # Safety
    ///
    /// As for `count`.
    #[inline(always)]
    unsafe fn count_word(graph: &HubArguments, source: u32, target: u32, at: u32, word: u32) {
        let mut left = word;
        while left != 0 {
            // SAFETY: a bit of the word is the code of a hub.
            unsafe { Self::count(graph, source, target, 32 * at + leader(left)) };
            left &= left - 1;
        }
    }

    /// Calls `visit` with each code of a row, in some lane. All lanes call this, with the same
    /// row; what they do in `visit` comes after all before this call, and before all after it.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds, and the row is one of the graph's.
    #[inline(always)]
    unsafe fn for_each_code<W: Warp>(
        warp: W,
        graph: &HubArguments,
        codes: List,
        mut visit: impl FnMut(u32),
    ) {
        warp.sync(W::FULL);
        let mut position = warp.lane();
        while position < codes.length {
            // SAFETY: below the length of the row.
            visit(u32::from(unsafe { *graph.code_at(codes.start, position) }));
            position += W::LANES;
        }
        warp.sync(W::FULL);
    }

    /// The triangles of a vertex by its edges in the tile. The set is empty before and after.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds, `HubRows` has run, and all lanes of the warp make the
    /// call, with the same vertex.
    #[inline(always)]
    unsafe fn of_source<W: Warp>(warp: W, graph: &HubArguments, set: Set, source: Source) -> u64 {
        let mut found = 0;
        // SAFETY: codes are in the set, and edges below the number of successors. Relaxed, twice:
        // `for_each_code` has a `sync` before and after.
        unsafe {
            Self::for_each_code(warp, graph, source.codes, |code| {
                set.shared(code).fetch_or(1 << (code % 32), Relaxed);
            });
            let mut base = source.begin;
            while base < source.end {
                let edge = base + warp.lane();
                let (mut dense, mut codes, mut target) = (NOT_DENSE, List::EMPTY, 0);
                if edge < source.end {
                    if edge < source.codes.length {
                        let code = u32::from(*graph.code_at(source.codes.start, edge));
                        target = code;
                        if code < graph.most_dense {
                            dense = code;
                        } else {
                            codes = *graph.slots.add(code as usize);
                        }
                        if !graph.counts.is_null() {
                            target = *graph.hubs.add(code as usize);
                        }
                    } else {
                        let at = u64::from(source.others) + u64::from(edge - source.codes.length);
                        target = *graph.successors.add(at as usize);
                        codes = *graph.slots.add(MAX_HUBS as usize + target as usize);
                    }
                }
                found += Self::in_dense_rows(warp, graph, set, source.vertex, dense, target);
                found += Self::in_codes(warp, graph, set, source.vertex, codes, target);
                base += W::LANES;
            }
            Self::for_each_code(warp, graph, source.codes, |code| {
                set.shared(code).store(0, Relaxed);
            });
        }
        found
    }
}

impl PlainKernel for HubTriangles {
    type Arguments = HubArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, graph: HubArguments) {
        let set = Set::empty(warp);
        let mut found = 0;
        // SAFETY: the kernel's contract; the vertices of a tile exist.
        unsafe {
            graph.for_each_tile(warp, COUNT_TILE, |tile, vertex| {
                let mut mine = Source::NONE;
                if vertex < graph.vertices {
                    mine = Source::new(&graph, tile, vertex);
                }
                let mut left = warp.ballot(W::FULL, mine.end > mine.begin);
                while left != 0 {
                    let source = mine.of_lane(warp, leader(left));
                    found += Self::of_source(warp, &graph, set, source);
                    left &= left - 1;
                }
            });
            add_total(warp, graph.total, found);
        }
    }
}
