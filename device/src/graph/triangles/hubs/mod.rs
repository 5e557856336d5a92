//! Counting the triangles of graphs with long rows.
//!
//! A triangle is found at its lowest vertex by degree: two of its successors, where one
//! is a successor of the other. Where degrees are skewed, nearly all of these pairs end in few
//! vertices, the *hubs*: at most [`MAX_HUBS`] of the highest degrees. A set of hubs
//! fits the scratch memory of a warp, a bit each, so that a vertex is looked up among the
//! successors of another by one load, as WeTriC does for most of its wedges.
//!
//! 1. `HubBins` counts the vertices of each bin of degrees; `HubStandings` gives hubs their
//!    *codes*, by bins from the highest degrees down. That order is the orientation among
//!    hubs; below them edges are oriented by degree, then id.
//! 2. `HubOrient` writes the successors of each vertex: hubs as codes of 16 bits, in no order,
//!    the others as ids, in ascending order. `HubRows` makes *dense rows* of the first
//!    [`MAX_DENSE`] hubs: their successors, a bit each.
//! 3. `HubTriangles` marks the hubs among the successors of a vertex. For each successor with
//!    a dense row, the row is intersected with the marks, 32 bits at a time. For each other one
//!    its codes are looked up, four a lane.
//! 4. `Triangles` counts those without a hub, from the lists of ids.
//!
//! Invariants: the standings are a total order, so each triangle is found once, at its lowest
//! vertex, by its middle one; no hub is below another vertex. Which hub of a bin has which code
//! depends on who comes first; counts do not.
//!
//! Warps take tiles of entries, not of vertices: a row of the store is shared by as many warps
//! as it has tiles, whatever vertices are numbered by.
//!
//! Traffic: orientation reads 4 bytes and a sector of standings an entry. A Kronecker graph with
//! 2^20 vertices and 15.7 million edges has 32,182 hubs, of 144 neighbours or more. Of its edges
//! 11.3 million lead to dense rows, and 28.4 million segments of 128 bytes of them are read; the
//! others lead to 727 million codes, of 2 bytes; 5.4 million candidates are left to `Triangles`.
//! Without dense rows there would be 4.4 billion codes.

mod count;
mod orient;
mod rows;
mod standings;

use cuda_std::atomic::AtomicU32;

pub use count::HubTriangles;
pub use orient::HubOrient;
pub use rows::HubRows;
pub use standings::{HubBins, HubStandings};

use super::List;
use crate::arguments;
use crate::graph::store::Vertex;
use crate::graph::store::scan::owner;
use crate::simt::{SCRATCH_BYTES, Warp};

/// Hubs of a graph, at most: a bit each in the scratch memory of a warp, but for the
/// last, which is in no set.
pub const MAX_HUBS: u32 = 8 * SCRATCH_BYTES as u32 - 1;

/// The code that fills rows of codes up to a granule.
const PADDING: u16 = MAX_HUBS as u16;

/// Codes that are read at once; rows begin and end at such.
pub const GRANULE: u32 = 4;

/// Dense rows, at most. A row costs as much as its 1024-bit segments up to its code,
/// so that it pays for the first hubs, whose codes are low and who are in most rows.
pub const MAX_DENSE: u32 = 8192;

/// Words of a dense row.
pub const DENSE_WORDS: u32 = MAX_DENSE / 32;

/// Entries of a tile of `HubOrient`: enough that its vertex is searched for seldom.
pub const ORIENT_TILE: u32 = 1024;

/// Entries of a tile of `HubTriangles`. Tiles of nothing but successors lie together where
/// vertices are numbered by degree, and must take a warp a small part of the launch: with four
/// times as many entries it is twice as long as its mean.
pub const COUNT_TILE: u32 = 256;

/// Bins of degrees: a word each in the scratch memory of a warp.
const BINS: u32 = SCRATCH_BYTES as u32 / 4;

/// The words of the header.
mod word {
    use super::BINS;

    /// `BINS` words: the vertices of each bin with two neighbours or more.
    pub const COUNTS: u32 = 0;
    /// `BINS` words: those of them that have a code.
    pub const CODED: u32 = BINS;
    /// Hubs.
    pub const HUBS: u32 = 2 * BINS;
}

/// Words of the header, which are 0 before the first launch.
pub const HEADER_WORDS: u32 = word::HUBS + 1;

arguments! {
    /// A graph whose triangles are counted by hubs.
    pub struct HubArguments {
        pointers {
            /// `vertices` records, contiguous.
            records: Vertex,
            /// `vertices` and one words: sums of degrees.
            offsets: u32,
            /// [`HEADER_WORDS`] words.
            header: u32,
            /// The standing of each vertex: its code, or all ones less its degree. It is lower
            /// by standing, then higher by id, than the vertices below it.
            standings: u32,
            /// The rows of codes, [`MAX_HUBS`] of hubs by code, then one of each other vertex
            /// by id: the granule where it begins, and its codes.
            slots: List,
            /// Codes; `codes_granules` of them.
            codes: u16,
            /// For each vertex its successors that are no hubs: where they begin, its offset,
            /// and their number.
            lists: List,
            /// Those successors; a word for each entry.
            successors: u32,
            /// [`DENSE_WORDS`] words for each dense row.
            dense: u32,
            /// The vertex of each code.
            hubs: u32,
            /// `SLOTS` words, 0 before, to which the count is added.
            total: u64,
            /// For each vertex the triangles that it is in, 0 before; or null.
            counts: u32,
        }
        integers {
            /// Vertices.
            vertices: u32,
            /// Hubs, at the most; not more than [`MAX_HUBS`].
            most_hubs: u32,
            /// Dense rows, at the most; not more than [`MAX_DENSE`].
            most_dense: u32,
        }
    }
}

/// Granules for the codes of a graph with so many vertices and entries.
pub const fn codes_granules(vertices: u32, entries: u64) -> u64 {
    (entries + (GRANULE as u64 - 1) * vertices as u64) / GRANULE as u64
}

/// The granule where the codes of a vertex begin. Between two vertices there are granules for
/// as many codes as the first has neighbours.
#[inline(always)]
fn granule_of(vertex: u32, offset: u32) -> u32 {
    codes_granules(vertex, u64::from(offset)) as u32
}

/// Whether a standing is a code.
#[inline(always)]
fn is_code(standing: u32) -> bool {
    standing < MAX_HUBS
}

/// The slot of a vertex.
#[inline(always)]
fn slot(standing: u32, vertex: u32) -> usize {
    if is_code(standing) {
        standing as usize
    } else {
        MAX_HUBS as usize + vertex as usize
    }
}

/// The entries of a tile.
#[derive(Clone, Copy)]
struct Tile {
    /// The first.
    first: u32,
    /// Behind the last.
    end: u32,
}

impl Tile {
    /// The part of a row that is in the tile: positions, of a row that begins at `offset` and
    /// has so many entries. The first is not before the second if there is none.
    #[inline(always)]
    fn part(&self, offset: u32, length: u32) -> (u32, u32) {
        let end = self.end.saturating_sub(offset);
        (
            self.first.saturating_sub(offset),
            if end < length { end } else { length },
        )
    }

    /// Whether a row begins in the tile.
    #[inline(always)]
    fn has(&self, offset: u32) -> bool {
        self.first <= offset && offset < self.end
    }
}

impl HubArguments {
    /// A word of the header.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds, and `index` is below [`HEADER_WORDS`].
    #[inline(always)]
    unsafe fn header(&self, index: u32) -> &AtomicU32 {
        // SAFETY: the header has the word, and is only accessed so.
        unsafe { &*self.header.add(index as usize).cast::<AtomicU32>() }
    }

    /// The offset of a vertex, or of the end.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds, and `vertex` is at most the number of vertices.
    #[inline(always)]
    unsafe fn offset(&self, vertex: u32) -> u32 {
        // SAFETY: there is an offset for each vertex, and for the end.
        unsafe { *self.offsets.add(vertex as usize) }
    }

    /// Where a code lies, by the granule of its row and its position in it.
    #[inline(always)]
    fn code_at(&self, granule: u32, position: u32) -> *mut u16 {
        let index = u64::from(granule) * u64::from(GRANULE) + u64::from(position);
        self.codes.wrapping_add(index as usize)
    }

    /// Calls `visit` with this warp's tiles of so many entries and, as many at a time as the
    /// warp has lanes, with the vertices that have them: in each lane another one. Some of them
    /// may be behind the tile, and behind the last vertex. All lanes call this, and `visit` may
    /// be collective.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds.
    #[inline(always)]
    unsafe fn for_each_tile<W: Warp>(
        &self,
        warp: W,
        entries: u32,
        mut visit: impl FnMut(&Tile, u32),
    ) {
        // SAFETY: the end has an offset.
        let total = unsafe { self.offset(self.vertices) };
        let mut next = u64::from(warp.warp()) * u64::from(entries);
        while next < u64::from(total) {
            let first = next as u32;
            let left = total - first;
            let end = first + if left < entries { left } else { entries };
            let tile = Tile { first, end };
            // SAFETY: as above; `first` is an entry, and `base` a vertex.
            unsafe {
                let mut base = owner(self.offsets, 0, self.vertices, first);
                while base < self.vertices && self.offset(base) < end {
                    visit(&tile, base + warp.lane());
                    base += W::LANES;
                }
            }
            next += u64::from(warp.warps()) * u64::from(entries);
        }
    }
}

/// The bin of a degree: 32 bins for each power of two, so that the degrees of a bin differ by
/// a thirty-second at the most.
#[inline(always)]
fn bin(degree: u32) -> u32 {
    let shift = 26_u32.saturating_sub(degree.leading_zeros());
    32 * shift + (degree >> shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_ascend_and_are_narrow() {
        let mut degrees: Vec<u32> = (0..100_000).collect();
        degrees.extend((17..32).flat_map(|bit| [(1 << bit) - 1, 1 << bit]));
        degrees.push(u32::MAX);
        assert!(degrees.is_sorted_by_key(|&degree| bin(degree)));
        assert!(bin(u32::MAX) < BINS);
        for degree in 1..100_000_u32 {
            let lowest = (1..=degree).rev().take_while(|&d| bin(d) == bin(degree));
            let width = lowest.count() as u32;
            assert!(32 * width <= 32 + degree, "{degree}: {width}");
        }
    }

    #[test]
    fn rows_of_codes_do_not_overlap() {
        let mut offset = 0;
        for vertex in 0..5000 {
            let degree = vertex * vertex % 23;
            let next = granule_of(vertex + 1, offset + degree);
            let granules = degree.div_ceil(GRANULE);
            assert!(granule_of(vertex, offset) + granules <= next);
            offset += degree;
        }
        // At the end of what can be numbered.
        let most = codes_granules(i32::MAX as u32, u64::from(u32::MAX));
        assert!(most < u64::from(u32::MAX));
    }
}
