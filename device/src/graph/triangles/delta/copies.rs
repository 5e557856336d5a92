//! Copies of the rows that a batch changes, in one piece each.
//!
//! A chain can only be searched from its first page on, so that each candidate of a triangle
//! would be a walk along the chain of a hub. Rows of the vertices at the ends of changes, which
//! are all that is read, are copied before the triangles of linked adjacency are counted. A
//! lane walks each chain once and lists its pages, and does not wait for their entries; the
//! pages of all chains are then copied one a lane, those of a hub by as many lanes as it has
//! pages. Then lanes share rows as in contiguous adjacency, by the same kernel.
//!
//! Traffic: a page is read twice, for its link and for its entries, and listed in 16 bytes. A
//! chain of `n` pages takes `n` dependent reads, as in the walks that change it.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;

use crate::arguments;
use crate::device_heap::{Blocks, DeviceHeap};
use crate::graph::chunks::Chunk;
use crate::graph::store::Vertex;
use crate::graph::store::keys::Form;
use crate::graph::store::linked::page::{after, capacity, entries, first, pages};
use crate::graph::store::update::word;
use crate::kernel::{Kernel, PlainKernel, Valid};
use crate::simt::Warp;
use crate::simt::reduce::has;

arguments! {
    /// A batch on linked adjacency, and memory for copies of rows.
    pub struct DeltaCopyArguments {
        pointers {
            /// The keys of the batch that change the store, sorted.
            changes: u64,
            /// The header of the batch, in which no pages are listed before the first launch.
            header: u64,
            /// The largest request that was refused to the batch, or 0.
            refused: u64,
            /// `vertices` records.
            records: Vertex,
            /// `vertices` records; those of vertices that change are written.
            copied: Vertex,
            /// The pages of all rows, with room for those of all vertices that change.
            pages: Chunk,
            /// The entries of those pages, with room for full ones.
            entries: u32,
        }
        integers {
            /// Keys of the batch.
            count: u32,
            /// Vertices.
            vertices: u32,
            /// Flags of the keys, without `EDGES`.
            flags: u32,
            /// Neighbours that a page has room for.
            capacity: u32,
        }
    }
}

/// A copy of rows whose contract holds.
type RowCopy = Valid<DeltaCopyArguments>;

impl RowCopy {
    /// A word of the header.
    #[inline(always)]
    fn header<const INDEX: usize>(&self) -> &AtomicU64 {
        const { assert!(INDEX < word::COUNT) };
        // SAFETY: the header has a word of this index, which kernels access by atomic operations
        // only.
        unsafe { &*self.header.add(INDEX).cast::<AtomicU64>() }
    }

    /// The source of change `index` if it is the first of its vertex.
    ///
    /// # Safety
    ///
    /// `index` is below the number of changes.
    #[inline(always)]
    unsafe fn first_of(&self, index: u32) -> Option<u32> {
        let form = Form {
            vertices: self.vertices,
            count: self.count,
            flags: self.flags,
        };
        // SAFETY: there is a key for each change, and `index` is below their number.
        let source = |index: u32| unsafe { form.source(*self.changes.add(index as usize)) };
        let own = source(index);
        (index == 0 || source(index - 1) != own).then_some(own)
    }

    /// Lists the pages of a chain from number `begin` of the list on.
    ///
    /// # Safety
    ///
    /// The record is one of the store of `heap`, which has neighbours, and these places of the list
    /// are there and this lane's.
    #[inline(always)]
    unsafe fn list<A: Blocks + ?Sized>(&self, heap: &A, vertex: u32, record: Vertex, begin: u32) {
        // SAFETY: the chain has `degree` neighbours: there is a next page where some are left.
        unsafe {
            let (mut page, mut left, mut index) = (first(&record), record.degree, begin);
            while left > 0 {
                let length = if left < capacity::<A>() {
                    left
                } else {
                    capacity::<A>()
                };
                self.pages.add(index as usize).write(Chunk {
                    address: entries::<A>(page).expose_provenance() as u64,
                    length,
                    vertex,
                });
                left -= length;
                index += 1;
                if left > 0 {
                    page = after(heap, page);
                }
            }
        }
    }
}

/// Lists the pages of the vertices that a batch changes, and makes records of their copies.
pub struct LinkedDeltaList;

impl Kernel for LinkedDeltaList {
    type Arguments = DeltaCopyArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, copy: DeltaCopyArguments) {
        // SAFETY: the kernel's contract; sources of changes are vertices, whose chains no thread
        // writes to in this launch, and a vertex is of one lane, that of its first change.
        unsafe {
            let copy = RowCopy::new(copy);
            // Relaxed: both were written by launches before.
            if (*copy.refused.cast::<AtomicU64>()).load(Relaxed) != 0 {
                return;
            }
            let count = copy.header::<{ word::CHANGES }>().load(Relaxed) as u32;
            let mut row = warp.warp() * W::LANES;
            while row < count {
                let index = row + warp.lane();
                let (mut vertex, mut record) = (0, Vertex::default());
                if index < count
                    && let Some(source) = copy.first_of(index)
                {
                    vertex = source;
                    record = *copy.records.add(source as usize);
                }
                let own = pages::<A>(record.degree);
                let end = warp.all_inclusive_sum(own);
                let total = warp.shuffle(W::FULL, end, W::LANES - 1);
                let mut begin = 0;
                if warp.lane() == 0 && total > 0 {
                    // Relaxed: the list is read by later launches.
                    let listed = copy
                        .header::<{ word::COPIED }>()
                        .fetch_add(u64::from(total), Relaxed);
                    begin = listed as u32;
                }
                begin = warp.shuffle(W::FULL, begin, 0) + (end - own);
                // Not on what a branch before has decided: see `has`.
                let firsts = warp.ballot(W::FULL, own > 0);
                if has(firsts, warp.lane()) {
                    let place = begin as usize * capacity::<A>() as usize;
                    copy.copied.add(vertex as usize).write(Vertex {
                        address: copy.entries.add(place).expose_provenance() as u64,
                        degree: record.degree,
                        capacity: own * capacity::<A>(),
                    });
                    copy.list(heap, vertex, record, begin);
                }
                row += warp.threads();
            }
        }
    }
}

/// Copies the pages that are listed.
pub struct DeltaCopy;

impl PlainKernel for DeltaCopy {
    type Arguments = DeltaCopyArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, copy: DeltaCopyArguments) {
        // SAFETY: the kernel's contract; every page of a row but the last is full, so that the
        // row lies in one piece where its first page begins.
        unsafe {
            let copy = RowCopy::new(copy);
            // Relaxed: counted by a launch before.
            let pages = copy.header::<{ word::COPIED }>().load(Relaxed) as u32;
            let mut index = warp.thread();
            while index < pages {
                let page = *copy.pages.add(index as usize);
                let place = index as usize * copy.capacity as usize;
                let mut position = 0;
                while position < page.length {
                    let to = copy.entries.add(place + position as usize);
                    to.write(page.entry(position));
                    position += 1;
                }
                index += warp.threads();
            }
        }
    }
}
