//! The record of a vertex in the store, and how adjacency is read.
//!
//! Records hold addresses, which every kernel can follow; handles, which only
//! the allocator understands and only updates need, lie in an array beside
//! them. So the algorithms are the same code over every allocator.

use cuda_std::hint::opaque;

use crate::device_heap::DeviceHeap;
use crate::simt::Warp;
use crate::simt::tail::Four;

/// A vertex. Without a block, `capacity` is 0 and the address means nothing.
///
/// In a weighted graph, a block has as many weights behind the neighbours that there is room for: the
/// weight of a neighbour lies `capacity` words behind it.
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Vertex {
    /// Address of the block: `degree` neighbours, ascending, each once, and
    /// zeroes up to a multiple of four.
    pub address: u64,
    /// Neighbours.
    pub degree: u32,
    /// Neighbours that the block has room for, a multiple of four; [`ABSENT`] for
    /// a vertex that was deleted.
    pub capacity: u32,
}

/// A vertex of the graph of a launch.
///
/// Invariant: below the number of vertices, as whoever made it has argued. All arguments of a
/// launch are of one graph, so arrays with an entry for each vertex have one for this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct VertexId(u32);

impl VertexId {
    /// Vertex `index`.
    ///
    /// # Safety
    ///
    /// It is below the number of vertices of the launch's graph.
    #[inline(always)]
    pub(in crate::graph) unsafe fn new(index: u32) -> Self {
        Self(index)
    }

    /// The number of the vertex.
    #[inline(always)]
    pub fn number(self) -> u32 {
        self.0
    }

    /// The same, as an index of an array.
    #[inline(always)]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The `capacity` of a vertex that was deleted: it has no edges and gets none.
pub const ABSENT: u32 = u32::MAX;

impl Vertex {
    /// Reads a record by one access of 16 bytes.
    ///
    /// # Safety
    ///
    /// It is one, and no thread writes to it.
    #[inline(always)]
    pub unsafe fn read_at_once(record: *const Self) -> Self {
        // SAFETY: the caller's promise; a record is aligned to 16 bytes.
        let Four(words) = unsafe { *record.cast::<Four>() };
        // Opaque: else the access would be divided into one for each field.
        // SAFETY: the words of a record, which any words are.
        unsafe { core::mem::transmute::<Four, Self>(Four(words.map(opaque))) }
    }

    /// The neighbours.
    #[inline(always)]
    pub fn entries(&self) -> *mut u32 {
        core::ptr::with_exposed_provenance_mut(self.address as usize)
    }

    /// The weights, of a weighted graph.
    #[inline(always)]
    pub fn weights(&self) -> *mut u32 {
        self.entries().wrapping_add(self.capacity as usize)
    }

    /// Where `target` belongs among the neighbours, and whether it is there.
    ///
    /// # Safety
    ///
    /// The block has `degree` neighbours, which no thread writes to meanwhile.
    #[inline(always)]
    pub unsafe fn search(&self, target: u32) -> (u32, bool) {
        let entries = self.entries();
        // SAFETY: the caller's promise; `position` is read if it is below the degree.
        unsafe {
            let position = lower_bound(entries, 0, self.degree, target);
            let found = position < self.degree && *entries.add(position as usize) == target;
            (position, found)
        }
    }

    /// Zeroes what the block has behind the last neighbour up to a multiple of
    /// four: neighbours are read four at a time, and what is read was written.
    ///
    /// # Safety
    ///
    /// The block has room for `degree` neighbours, and is this lane's alone.
    #[inline(always)]
    pub unsafe fn pad(&self) {
        let mut position = self.degree;
        while position & 3 != 0 {
            // SAFETY: the capacity is a multiple of four.
            unsafe { self.entries().add(position as usize).write(0) };
            position += 1;
        }
    }

    /// Whether the vertex was deleted.
    #[inline(always)]
    pub fn is_absent(&self) -> bool {
        self.capacity == ABSENT
    }
}

/// The first position in `entries[from..to]`, which ascends, whose value is not
/// below `value`; `to` if there is none.
///
/// # Safety
///
/// The entries from `from` up to `to` can be read.
#[inline(always)]
pub unsafe fn lower_bound(entries: *const u32, from: u32, to: u32, value: u32) -> u32 {
    let (mut low, mut high) = (from, to);
    while low < high {
        let middle = low + (high - low) / 2;
        // SAFETY: `middle` is between `from` and `to`.
        if unsafe { *entries.add(middle as usize) } < value {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// A block for the store, requested by the active lanes as one. The store's blocks
/// live on while others are granted, so none may lie over another: an allocator that
/// would do that has no memory left for a graph.
#[inline(always)]
pub fn obtain_coalesced<W: Warp, A: DeviceHeap<W> + ?Sized>(
    warp: W,
    heap: &A,
    bytes: u64,
) -> A::Handle {
    if heap.properties().may_overwrite {
        heap.malloc_exclusive(warp, bytes)
    } else {
        heap.malloc_coalesced(warp, bytes)
    }
}

/// The same for one lane by itself.
#[inline(always)]
pub fn obtain<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, bytes: u64) -> A::Handle {
    if heap.properties().may_overwrite {
        heap.malloc_exclusive(warp, bytes)
    } else {
        heap.malloc(warp, bytes)
    }
}

/// Entries that a new block for `degree` neighbours is requested for: the next
/// of four sizes between powers of two, so that a vertex that grows by single
/// edges moves seldom and a fifth of a block at most is idle; a multiple of 4,
/// the 16 bytes that allocators deal in.
#[inline(always)]
pub fn capacity_for(degree: u32) -> u32 {
    if degree <= 16 {
        return (degree + 3) & !3;
    }
    let grain = 1 << (29 - (degree - 1).leading_zeros());
    ((degree - 1) & !(grain - 1)) + grain
}

/// Bytes of a block with room for so many neighbours, and for their weights if there are any.
#[inline(always)]
pub fn block_bytes(capacity: u32, is_weighted: bool) -> u64 {
    u64::from(capacity) << (2 + u32::from(is_weighted))
}

/// Neighbours that a block of so many bytes has room for: a multiple of four.
#[inline(always)]
pub fn capacity_of(bytes: u64, is_weighted: bool) -> u32 {
    (bytes >> (4 + u32::from(is_weighted)) << 2) as u32
}

#[cfg(test)]
mod tests {
    use super::{block_bytes, capacity_for, capacity_of};

    #[test]
    fn blocks_have_room_for_what_they_were_requested_for() {
        for is_weighted in [false, true] {
            for capacity in [4, 8, 20, 1 << 20, (1 << 31) - 4] {
                let bytes = block_bytes(capacity, is_weighted);
                assert_eq!(capacity_of(bytes, is_weighted), capacity);
                assert_eq!(capacity_of(bytes + 15, is_weighted), capacity);
                assert!(capacity_of(bytes - 1, is_weighted) < capacity);
            }
        }
    }

    #[test]
    fn capacities_suffice_and_waste_little() {
        for degree in 1..100_000 {
            let capacity = capacity_for(degree);
            assert!(
                capacity >= degree && capacity.is_multiple_of(4),
                "{degree}: {capacity}"
            );
            assert!(
                capacity - degree <= 3.max(degree / 4),
                "{degree}: {capacity}"
            );
            assert_eq!(capacity_for(capacity), capacity);
        }
    }
}
