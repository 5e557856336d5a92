//! Deleting vertices: their edges as a batch, and marking them.
//!
//! The edges of the vertices are counted, so that the host can make room, then
//! listed and deleted as any batch; then the vertices, which have none left,
//! are marked. Edges to marked vertices are rejected from then on.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::{AtomicU32, AtomicU64};

use crate::arguments;
use crate::device_heap::DeviceHeap;
use crate::graph::store::linked::row::for_each;
use crate::graph::store::{ABSENT, Vertex};
use crate::kernel::{Kernel, PlainKernel, Valid};
use crate::simt::Warp;

/// Words of the header, by number.
pub mod word {
    /// Edges of the listed vertices; of a vertex that is listed twice, twice.
    pub const EDGES: usize = 0;
    /// Edges that were written.
    pub const WRITTEN: usize = 1;
    /// Vertices that were deleted.
    pub const DELETED: usize = 2;
    /// Number of words.
    pub const COUNT: usize = 4;
}

arguments! {
    /// Vertices to be deleted.
    pub struct VertexArguments {
        pointers {
            /// Records of a store.
            records: Vertex,
            /// `count` vertices; what does not exist is passed over.
            list: u32,
            /// Room for all edges: a source and a target of 32 bits each.
            edges: u64,
            /// `word::COUNT` words, 0 before the first launch.
            header: u64,
            /// A word of the graph: vertices that were deleted.
            absent: u64,
        }
        integers {
            /// Vertices of the graph.
            vertices: u32,
            /// Vertices of the list.
            count: u32,
            /// Whether the store is of in-neighbours.
            incoming: bool,
        }
    }
}

impl Valid<VertexArguments> {
    /// A word of the header.
    #[inline(always)]
    fn header<const INDEX: usize>(&self) -> &AtomicU64 {
        const { assert!(INDEX < word::COUNT) };
        // SAFETY: the header has a word of this index, which kernels access by atomic operations
        // only.
        unsafe { &*self.header.add(INDEX).cast::<AtomicU64>() }
    }

    /// Calls `visit` with each vertex of the list that exists, and where its record is.
    #[inline(always)]
    fn for_each<W: Warp>(&self, warp: W, mut visit: impl FnMut(u32, *mut Vertex)) {
        let mut index = warp.thread();
        while index < self.count {
            // SAFETY: below the length of the list.
            let vertex = unsafe { *self.list.add(index as usize) };
            if vertex < self.vertices {
                // SAFETY: below the number of records.
                visit(vertex, unsafe { self.records.add(vertex as usize) });
            }
            index += warp.threads();
        }
    }

    /// Room for so many edges: the position of the first one.
    #[inline(always)]
    fn reserve(&self, edges: u32) -> u32 {
        if edges == 0 {
            return 0;
        }
        // Relaxed: each lane gets positions of its own; the batch is sorted. A batch has fewer than
        // 2^32 edges.
        let written = self.header::<{ word::WRITTEN }>();
        written.fetch_add(u64::from(edges), Relaxed) as u32
    }

    /// Writes an edge of a listed vertex.
    ///
    /// # Safety
    ///
    /// The position is one of those that were reserved, and this lane's.
    #[inline(always)]
    unsafe fn write(&self, position: u32, vertex: u32, other: u32) {
        let (source, target) = if self.incoming {
            (other, vertex)
        } else {
            (vertex, other)
        };
        // SAFETY: the host made room for all edges.
        unsafe {
            self.edges
                .add(position as usize)
                .write(u64::from(source) | u64::from(target) << 32);
        }
    }
}

/// Counts the edges of the vertices.
pub struct VertexCount;

impl PlainKernel for VertexCount {
    type Arguments = VertexArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, job: VertexArguments) {
        // SAFETY: the kernel's contract; records are of the store.
        unsafe {
            let job = Valid::new(job);
            job.for_each(warp, |_, record| {
                let degree = u64::from((*record).degree);
                // Relaxed: a sum that the host reads after the launch.
                job.header::<{ word::EDGES }>().fetch_add(degree, Relaxed);
            });
        }
    }
}

/// Lists the edges of the vertices, from a store of contiguous blocks.
pub struct VertexEdges;

impl PlainKernel for VertexEdges {
    type Arguments = VertexArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, job: VertexArguments) {
        // SAFETY: the kernel's contract; a record has as many entries as its degree.
        unsafe {
            let job = Valid::new(job);
            job.for_each(warp, |vertex, record| {
                let record = *record;
                let begin = job.reserve(record.degree);
                let mut position = 0;
                while position < record.degree {
                    let other = *record.entries().add(position as usize);
                    job.write(begin + position, vertex, other);
                    position += 1;
                }
            });
        }
    }
}

/// Lists the edges of the vertices, from a store of linked pages.
pub struct LinkedVertexEdges;

impl Kernel for LinkedVertexEdges {
    type Arguments = VertexArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, job: VertexArguments) {
        // SAFETY: the kernel's contract; records are of a linked store, and nothing changes in this
        // launch. All lanes of the warp are at this row.
        unsafe {
            let job = Valid::new(job);
            let mut row = warp.thread() - warp.lane();
            while row < job.count {
                let index = row + warp.lane();
                let (mut record, mut vertex) = (Vertex::default(), job.vertices);
                if index < job.count {
                    vertex = *job.list.add(index as usize);
                }
                if vertex < job.vertices {
                    record = *job.records.add(vertex as usize);
                }
                let begin = job.reserve(record.degree);
                let whose = u64::from(vertex) << 32 | u64::from(begin);
                for_each(warp, heap, record, whose, |whose, position, entry| {
                    job.write(whose as u32 + position, (whose >> 32) as u32, *entry);
                });
                row += warp.threads();
            }
        }
    }
}

/// Marks the vertices, which have no edges any more.
pub struct VertexMark;

impl PlainKernel for VertexMark {
    type Arguments = VertexArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, job: VertexArguments) {
        // SAFETY: the kernel's contract; records are of the store, and nothing else accesses
        // their words in this launch.
        unsafe {
            let job = Valid::new(job);
            job.for_each(warp, |_, record| {
                let capacity = &*(&raw const (*record).capacity).cast::<AtomicU32>();
                // Relaxed: only one lane finds a vertex unmarked.
                if capacity.swap(ABSENT, Relaxed) != ABSENT && !job.incoming {
                    let absent = &*job.absent.cast::<AtomicU64>();
                    absent.fetch_add(1, Relaxed);
                    job.header::<{ word::DELETED }>().fetch_add(1, Relaxed);
                }
            });
        }
    }
}
