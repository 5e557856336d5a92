//! The successors of each vertex, out of its row.
//!
//! A warp takes a tile of entries. Of a hub's row it takes what is in the tile, and reserves
//! places for the codes that it finds, in no order. The row of another vertex is short; it is
//! taken whole by the warp in whose tile it begins, so that ids stay in order.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU32;

use super::{GRANULE, HubArguments, List, ORIENT_TILE, PADDING, Tile, granule_of, is_code, slot};
use crate::graph::store::Vertex;
use crate::kernel::PlainKernel;
use crate::simt::reduce::has;
use crate::simt::segments::Segments;
use crate::simt::{Warp, leader, low_bits, rank};

/// A row that a lane has for its warp.
#[derive(Clone, Copy)]
struct Row {
    vertex: u32,
    address: u64,
    offset: u32,
    standing: u32,
    /// The first entry that is read, by position.
    begin: u32,
    /// The number of entries that are read.
    length: u32,
}

impl Row {
    /// None.
    const EMPTY: Self = Self {
        vertex: 0,
        address: 0,
        offset: 0,
        standing: u32::MAX,
        begin: 0,
        length: 0,
    };

    /// The entries that a tile takes of a vertex' row.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds, `HubStandings` has run, and the vertex exists.
    #[inline(always)]
    unsafe fn new(graph: &HubArguments, tile: &Tile, vertex: u32) -> Self {
        // SAFETY: each vertex has a record, an offset and a standing.
        let (record, offset, standing) = unsafe {
            (
                *graph.records.add(vertex as usize),
                graph.offset(vertex),
                *graph.standings.add(vertex as usize),
            )
        };
        let (begin, end) = if is_code(standing) {
            tile.part(offset, record.degree)
        } else if tile.has(offset) {
            (0, record.degree)
        } else {
            (0, 0)
        };
        Self {
            vertex,
            address: record.address,
            offset,
            standing,
            begin,
            length: end.saturating_sub(begin),
        }
    }

    /// That of another lane, but for its length. All lanes call this.
    #[inline(always)]
    fn of_lane<W: Warp>(&self, warp: W, lane: u32) -> Self {
        let get = |value| warp.shuffle(W::FULL, value, lane);
        Self {
            vertex: get(self.vertex),
            address: warp.shuffle64(W::FULL, self.address, lane),
            offset: get(self.offset),
            standing: get(self.standing),
            begin: get(self.begin),
            length: 0,
        }
    }
}

/// Writes the successors of each vertex.
pub struct HubOrient;

impl HubOrient {
    /// Those of as many rows as there are lanes.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds, `HubStandings` has run, no other warp has these entries,
    /// and all lanes of the warp make the call.
    #[inline(always)]
    unsafe fn rows<W: Warp>(warp: W, graph: &HubArguments, mine: Row) {
        let segments = Segments::new(warp, mine.length);
        // Successors that this lane's vertex has so far, unless it is a hub.
        let (mut codes, mut others) = (0, 0);
        let mut base = 0;
        while base < segments.total {
            let item = base + warp.lane();
            let (owner, position) = segments.locate(warp, item);
            let row = mine.of_lane(warp, owner);
            let (mut to_hub, mut to_other) = (false, false);
            let (mut neighbour, mut standing) = (0, 0);
            if item < segments.total {
                let of = Vertex {
                    address: row.address,
                    ..Vertex::default()
                };
                // SAFETY: the row has so many entries, which are vertices.
                unsafe {
                    neighbour = *of.entries().add((row.begin + position) as usize);
                    standing = *graph.standings.add(neighbour as usize);
                }
                let above = (standing < row.standing)
                    | ((standing == row.standing) & (neighbour > row.vertex));
                to_hub = above & is_code(standing);
                to_other = above & !is_code(standing);
            }
            let hubs = warp.ballot(W::FULL, to_hub);
            let rest = warp.ballot(W::FULL, to_other);
            // The lanes whose items are of the same row.
            let end = warp
                .shuffle(W::FULL, segments.end, owner)
                .wrapping_sub(base);
            let behind = if end < W::LANES { end } else { W::LANES };
            let before = position.min(warp.lane());
            let same = low_bits(behind) & !low_bits(warp.lane() - before);
            let own = hubs & same;
            let mut place = warp.shuffle(W::FULL, codes, owner);
            if own != 0 && leader(own) == warp.lane() && is_code(row.standing) {
                // SAFETY: the slot of a hub, whose length is only accessed so in this launch.
                // Relaxed: read after the launch.
                place = unsafe {
                    let length = &raw mut (*graph.slots.add(row.standing as usize)).length;
                    (*length.cast::<AtomicU32>()).fetch_add(own.count_ones(), Relaxed)
                };
            }
            let place = warp.shuffle(W::FULL, place, leader(own));
            let placed = warp.shuffle(W::FULL, others, owner);
            if has(hubs, warp.lane()) {
                let at = place + rank(own, warp.lane());
                let granule = granule_of(row.vertex, row.offset);
                // SAFETY: a vertex has no more successors than neighbours.
                unsafe { graph.code_at(granule, at).write(standing as u16) };
            }
            if has(rest, warp.lane()) {
                let at = u64::from(row.offset) + u64::from(placed + rank(rest & same, warp.lane()));
                // SAFETY: as above.
                unsafe { graph.successors.add(at as usize).write(neighbour) };
            }
            // The lanes whose items are this lane's row's.
            let lanes = segments.own_lanes::<W>(base);
            codes += (hubs & lanes).count_ones();
            others += (rest & lanes).count_ones();
            base += W::LANES;
        }
        if mine.length > 0 && !is_code(mine.standing) {
            let granule = granule_of(mine.vertex, mine.offset);
            // SAFETY: the vertex is this lane's; there is room up to a granule.
            unsafe {
                let at = slot(mine.standing, mine.vertex);
                graph.slots.add(at).write(List {
                    start: granule,
                    length: codes,
                });
                graph.lists.add(mine.vertex as usize).write(List {
                    start: mine.offset,
                    length: others,
                });
                while !codes.is_multiple_of(GRANULE) {
                    graph.code_at(granule, codes).write(PADDING);
                    codes += 1;
                }
            }
        }
    }
}

impl PlainKernel for HubOrient {
    type Arguments = HubArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, graph: HubArguments) {
        // SAFETY: the kernel's contract; vertices of a tile exist, and its entries are this
        // warp's.
        unsafe {
            graph.for_each_tile(warp, ORIENT_TILE, |tile, vertex| {
                let mut row = Row::EMPTY;
                if vertex < graph.vertices {
                    row = Row::new(&graph, tile, vertex);
                }
                Self::rows(warp, &graph, row);
            });
        }
    }
}
