//! Rows of very different lengths, divided evenly among lanes and warps.
//!
//! A list holds rows in chunks of bounded length, so that a hub is shared by as many warps
//! as it has chunks. A warp takes a row or chunk a lane and reads their entries as one
//! sequence (`Segments`), four a lane at a time: the four loads do not wait for each
//! other.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;

use crate::graph::store::Vertex;
use crate::simt::Warp;
use crate::simt::segments::Segments;

/// Consecutive entries of a row. The default has none.
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, Default)]
pub struct Chunk {
    /// Address of the first one.
    pub address: u64,
    /// Their number.
    pub length: u32,
    /// The vertex whose row it is.
    pub vertex: u32,
}

impl Chunk {
    /// The row of a vertex from entry `first` on; none if there are no more.
    #[inline(always)]
    pub fn row(vertex: u32, record: Vertex, first: u32) -> Self {
        if record.degree <= first {
            return Self::default();
        }
        Self {
            address: record.address + 4 * u64::from(first),
            length: record.degree - first,
            vertex,
        }
    }

    /// The entry at `position`.
    ///
    /// # Safety
    ///
    /// The position is below the length, and no thread writes to the row meanwhile.
    #[inline(always)]
    pub unsafe fn entry(&self, position: u32) -> u32 {
        let entries = core::ptr::with_exposed_provenance::<u32>(self.address as usize);
        // SAFETY: below the length.
        unsafe { *entries.add(position as usize) }
    }
}

/// The maximum number of chunks of `SIZE` entries that so many rows have with `entries` in all.
#[cfg(not(target_arch = "nvptx64"))]
pub fn max_chunks<const SIZE: u32>(rows: usize, entries: u64) -> usize {
    rows + (entries / u64::from(SIZE)) as usize
}

/// Appends the rows of all lanes to a list, in chunks of `SIZE` entries. All lanes call
/// this.
///
/// # Safety
///
/// The list has `length` chunks and room for those of all rows that are appended in this
/// launch; who reads it does so in a later one.
#[inline(always)]
pub unsafe fn append<const SIZE: u32, W: Warp>(
    warp: W,
    list: *mut Chunk,
    length: &AtomicU64,
    row: Chunk,
) {
    let chunks = row.length / SIZE + u32::from(!row.length.is_multiple_of(SIZE));
    let segments = Segments::new(warp, chunks);
    if segments.total == 0 {
        return;
    }
    let mut position = 0;
    if warp.lane() == 0 {
        // Relaxed: the list is read by later launches.
        position = length.fetch_add(u64::from(segments.total), Relaxed) as u32;
    }
    let mut base = 0;
    while base < segments.total {
        let item = base + warp.lane();
        let (owner, index) = segments.locate(warp, item);
        let address = warp.shuffle64(W::FULL, row.address, owner);
        let entries = warp.shuffle(W::FULL, row.length, owner);
        let vertex = warp.shuffle(W::FULL, row.vertex, owner);
        // Last: it waits for the addition.
        let position = warp.shuffle(W::FULL, position, 0);
        if item < segments.total {
            let first = index * SIZE;
            let left = entries - first;
            let chunk = Chunk {
                address: address + 4 * u64::from(first),
                length: if left < SIZE { left } else { SIZE },
                vertex,
            };
            // SAFETY: the positions are this warp's, and there is room.
            unsafe { list.add((position + item) as usize).write(chunk) };
        }
        base += W::LANES;
    }
}

/// An entry of one of the rows of a warp's lanes.
#[derive(Clone, Copy)]
pub struct Entry {
    /// The neighbour.
    pub neighbour: u32,
    /// The vertex whose row it is in.
    pub vertex: u32,
    /// Whether it is an entry of its own; else it is a copy of the last one.
    pub is_there: bool,
}

impl Entry {
    /// Entries that all lanes of a warp read at a time.
    pub const fn at_once<W: Warp>() -> u32 {
        4 * W::LANES
    }

    /// Entry `item` of the rows. All lanes call this.
    ///
    /// # Safety
    ///
    /// The rows have entries, which can be read, and no thread writes to them meanwhile.
    #[inline(always)]
    unsafe fn read<W: Warp>(warp: W, segments: &Segments, row: &Chunk, item: u32) -> Self {
        // Without a branch, whose condition `is_there` would repeat behind collectives.
        let within = item - item.saturating_sub(segments.total - 1);
        let (owner, position) = segments.locate(warp, within);
        let of = Chunk {
            address: warp.shuffle64(W::FULL, row.address, owner),
            vertex: warp.shuffle(W::FULL, row.vertex, owner),
            ..*row
        };
        Self {
            // SAFETY: the position is below the length of that row.
            neighbour: unsafe { of.entry(position) },
            vertex: of.vertex,
            is_there: item < segments.total,
        }
    }

    /// The next four entries of this lane, if those before `base` of the rows of all lanes
    /// were read. All lanes call this.
    ///
    /// # Safety
    ///
    /// As for `read`; the segments are of the rows' lengths.
    #[inline(always)]
    pub unsafe fn four<W: Warp>(warp: W, segments: &Segments, row: &Chunk, base: u32) -> [Self; 4] {
        let item = base + warp.lane();
        // SAFETY: the rows have entries if some were not read.
        unsafe {
            [
                Self::read(warp, segments, row, item),
                Self::read(warp, segments, row, item + W::LANES),
                Self::read(warp, segments, row, item + 2 * W::LANES),
                Self::read(warp, segments, row, item + 3 * W::LANES),
            ]
        }
    }
}
