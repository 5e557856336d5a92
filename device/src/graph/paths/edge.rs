//! The rows and the edges of near vertices.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::hint::opaque64;

use super::{CHUNK, Paths};
use crate::graph::store::{Vertex, VertexId};
use crate::simt::Warp;
use crate::simt::segments::Segments;

/// A chunk of a near vertex: its row from there on, and the distance of the vertex.
#[derive(Clone, Copy)]
pub struct NearRow {
    address: u64,
    /// Words from a neighbour to its weight.
    to_weight: u32,
    /// Entries.
    pub length: u32,
    /// The distance of the vertex.
    pub distance: u64,
}

impl NearRow {
    /// The whole row of a vertex that was found near.
    #[inline(always)]
    pub fn of(paths: &Paths, vertex: VertexId) -> Self {
        let row: Vertex = paths.row(vertex);
        Self {
            address: row.address,
            to_weight: row.capacity,
            length: row.degree,
            // Relaxed: as below.
            distance: paths.distance(vertex).load(Relaxed),
        }
    }

    /// No entries.
    pub const NONE: Self = Self {
        address: 0,
        to_weight: 0,
        length: 0,
        distance: 0,
    };

    /// A row that no lane has read as yet.
    pub const UNREAD: Self = Self {
        length: u32::MAX,
        ..Self::NONE
    };

    /// Whether no lane has read it.
    #[inline(always)]
    pub fn is_unread(&self) -> bool {
        self.length == Self::UNREAD.length
    }

    /// A chunk of the queue.
    ///
    /// # Safety
    ///
    /// It is one that a step has enqueued.
    #[inline(always)]
    pub unsafe fn new(paths: &Paths, word: u64) -> Self {
        // SAFETY: near vertices exist.
        let vertex = unsafe { VertexId::new(word as u32) };
        let row: Vertex = paths.row(vertex);
        let first = (word >> 32) as u32 * CHUNK;
        let left = row.degree - first;
        Self {
            address: row.address + 4 * u64::from(first),
            to_weight: row.capacity,
            length: if left < CHUNK { left } else { CHUNK },
            // Relaxed: a distance that becomes less in this launch makes the vertex near again.
            distance: paths.distance(vertex).load(Relaxed),
        }
    }
}

/// An edge from a near vertex.
#[derive(Clone, Copy)]
pub struct NearEdge {
    /// The lane whose row has it.
    pub owner: u32,
    /// Its end.
    pub target: VertexId,
    /// The distance of the end along this edge.
    pub distance: u64,
    /// Whether it is an edge of its own; else it is a copy of the last one.
    pub is_there: bool,
}

impl NearEdge {
    /// Entry `item` of the rows of all lanes, or a copy of the last one. All lanes call this.
    ///
    /// # Safety
    ///
    /// The rows have entries, which are those of the graph, and no thread writes to them meanwhile.
    #[inline(always)]
    pub unsafe fn read<W: Warp>(
        warp: W,
        paths: &Paths,
        segments: &Segments,
        source: &NearRow,
        item: u32,
    ) -> Self {
        // Without a branch, whose condition `is_there` would repeat behind collectives.
        let within = item - item.saturating_sub(segments.total - 1);
        let (owner, position) = segments.locate(warp, within);
        let address = warp.shuffle64(W::FULL, source.address, owner);
        let to_weight = warp.shuffle(W::FULL, source.to_weight, owner);
        let distance = warp.shuffle64(W::FULL, source.distance, owner);
        let entry = core::ptr::with_exposed_provenance::<u32>(address as usize)
            .wrapping_add(position as usize);
        // SAFETY: the position is below the length of that row; a neighbour is a vertex.
        unsafe {
            let weight = paths.weight_of(entry, to_weight);
            Self {
                owner,
                target: VertexId::new(*entry),
                distance: paths.sum(distance, weight),
                is_there: item < segments.total,
            }
        }
    }

    /// Whether the edge seems to make the distance of its target less.
    #[inline(always)]
    pub fn is_less(self, paths: &Paths) -> bool {
        // Relaxed: the minimum decides.
        self.is_there && self.distance < paths.distance(self.target).load(Relaxed)
    }

    /// Makes the distance of the target less where it seems greater. Returns the one before; 0 where
    /// nothing is done.
    #[inline(always)]
    pub fn relax(self, paths: &Paths, is_less: bool) -> u64 {
        if is_less {
            // Relaxed: later launches read the distance, or this one, which then comes back to it.
            paths
                .distance(self.target)
                .fetch_min(self.distance, Relaxed)
        } else {
            0
        }
    }

    /// Whether the edge has made the distance less, of the one that `relax` has returned.
    #[inline(always)]
    pub fn has_relaxed(self, before: u64) -> bool {
        // Opaque: else each minimum would be waited for before the next access.
        opaque64(before) > self.distance
    }

    /// The row of the target at its distance along this edge, if it `is_needed`.
    #[inline(always)]
    pub fn target_row(self, paths: &Paths, is_needed: bool) -> NearRow {
        let row = paths.row_at_once(is_needed.then_some(self.target));
        NearRow {
            address: row.address,
            to_weight: row.capacity,
            length: row.degree,
            distance: self.distance,
        }
    }
}
