//! Reading linked adjacency: searches, export, questions, draws.

use super::page::weight_at;
use super::row::{Place, for_each, neighbour, rank, search, weight};
use crate::device_heap::DeviceHeap;
use crate::graph::store::Vertex;
use crate::graph::store::classify::classify;
use crate::graph::store::copy::{CopyArguments, Copying};
use crate::graph::store::draw::{DrawCountArguments, DrawPickArguments, count_all, pick_all};
use crate::graph::store::query::{QueryArguments, answer_all};
use crate::graph::store::update::{Update, UpdateArguments};
use crate::kernel::Kernel;
use crate::simt::Warp;

/// Finds out what each key does, and counts.
pub struct LinkedClassify;

impl Kernel for LinkedClassify {
    type Arguments = UpdateArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, update: UpdateArguments) {
        // SAFETY: the kernel's contract; no thread writes to rows in this launch.
        unsafe {
            let update = Update::new(update);
            let search = |record: &Vertex, target| {
                let (place, found) = search(heap, record, target);
                (place.word(), found)
            };
            classify(warp, &update, search, |record, word| {
                *weight(heap, record, Place::from_word(word))
            });
        }
    }
}

/// Copies targets and weights out of the pages, and hashes them.
pub struct LinkedCopyOut;

impl Kernel for LinkedCopyOut {
    type Arguments = CopyArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, copy: CopyArguments) {
        // SAFETY: the kernel's contract.
        let copy = unsafe { Copying::new(copy) };
        let mut hash = 0_u64;
        let mut row = warp.thread() - warp.lane();
        while row < copy.vertices {
            let vertex = row + warp.lane();
            // SAFETY: the offsets were made from the records.
            unsafe {
                let (mut record, mut offset) = (Vertex::default(), 0);
                if vertex < copy.vertices {
                    record = *copy.records.add(vertex as usize);
                    offset = *copy.offsets.add(vertex as usize);
                }
                let whose = u64::from(vertex) << 32 | u64::from(offset);
                for_each(warp, heap, record, whose, |whose, position, entry| {
                    let (source, at) = ((whose >> 32) as u32, whose as u32 + position);
                    let out = copy.copy_out(source, entry, weight_at(entry), at);
                    hash = hash.wrapping_add(out);
                });
            }
            row += warp.threads();
        }
        copy.add_hash(warp, hash);
    }
}

/// Answers questions about edges.
pub struct LinkedQuery;

impl Kernel for LinkedQuery {
    type Arguments = QueryArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, query: QueryArguments) {
        // SAFETY: the kernel's contract; a record of the store has a chain with its
        // neighbours, and nothing changes in this launch.
        unsafe {
            answer_all(warp, &query, |record, target| {
                search(heap, record, target).1
            })
        };
    }
}

/// Counts the edges of vertices.
pub struct LinkedDrawCount;

impl Kernel for LinkedDrawCount {
    type Arguments = DrawCountArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, draw: DrawCountArguments) {
        // SAFETY: as for questions.
        unsafe { count_all(warp, &draw, |record, bound| rank(heap, record, bound)) };
    }
}

/// Finds the edges that were drawn.
pub struct LinkedDrawPick;

impl Kernel for LinkedDrawPick {
    type Arguments = DrawPickArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, draw: DrawPickArguments) {
        // SAFETY: as for questions; the positions are below the degree.
        unsafe {
            pick_all(
                warp,
                &draw,
                |record, bound| rank(heap, record, bound),
                |record, position| neighbour(heap, record, position),
            );
        }
    }
}
