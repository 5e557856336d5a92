//! Copies of the rows that a batch changes, in one piece each.
//!
//! A chain can only be searched from its first page on, so that each candidate of a triangle
//! would be a walk along a chain. Rows of the vertices at the ends of changes, which
//! are all that is read, are copied before the triangles of linked adjacency are counted: a
//! lane walks a chain, and the lanes of a warp the sections of a hub. Then lanes share rows as in
//! contiguous adjacency, by the same kernel.
//!
//! Traffic: a page is read and its entries are written. A chain of `n` pages takes `n` dependent
//! reads, as in the walks that change it.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;

use crate::arguments;
use crate::device_heap::DeviceHeap;
use crate::graph::store::Vertex;
use crate::graph::store::keys::Form;
use crate::graph::store::linked::row::for_each;
use crate::graph::store::update::word;
use crate::kernel::{Kernel, Valid};
use crate::simt::Warp;
use crate::simt::reduce::has;
use crate::simt::segments::Segments;

arguments! {
    /// A batch on linked adjacency, and memory for copies of rows.
    pub struct DeltaCopyArguments {
        pointers {
            /// The keys of the batch that change the store, sorted.
            changes: u64,
            /// The header of the batch, in which no entries are counted before the launch.
            header: u64,
            /// The largest request that was refused to the batch, or 0.
            refused: u64,
            /// `vertices` records.
            records: Vertex,
            /// `vertices` records; those of vertices that change are written.
            copied: Vertex,
            /// Room for the entries of all vertices that change.
            entries: u32,
        }
        integers {
            /// Keys of the batch.
            count: u32,
            /// Vertices.
            vertices: u32,
            /// Flags of the keys, without `EDGES`.
            flags: u32,
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
}

/// Copies the rows of the vertices that a batch changes, and makes records of the copies.
pub struct LinkedDeltaCopy;

impl Kernel for LinkedDeltaCopy {
    type Arguments = DeltaCopyArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, copy: DeltaCopyArguments) {
        // SAFETY: the kernel's contract; sources of changes are vertices, whose rows no thread
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
                let rows = Segments::new(warp, record.degree);
                let mut begin = 0;
                if warp.lane() == 0 && rows.total > 0 {
                    // Relaxed: each warp gets entries of its own.
                    let copied = copy
                        .header::<{ word::COPIED }>()
                        .fetch_add(u64::from(rows.total), Relaxed);
                    begin = copied as u32;
                }
                begin = warp.shuffle(W::FULL, begin, 0) + rows.start;
                // Not on what a branch before has decided: see `has`.
                let present = warp.ballot(W::FULL, record.degree > 0);
                if has(present, warp.lane()) {
                    copy.copied.add(vertex as usize).write(Vertex {
                        address: copy.entries.add(begin as usize).expose_provenance() as u64,
                        degree: record.degree,
                        capacity: record.degree,
                    });
                }
                for_each(
                    warp,
                    heap,
                    record,
                    u64::from(begin),
                    |begin, position, entry| {
                        let at = begin as usize + position as usize;
                        copy.entries.add(at).write(*entry);
                    },
                );
                row += warp.threads();
            }
        }
    }
}
