//! Reading linked adjacency: searches, export, questions, draws. One lane walks the chain of a
//! vertex.

use super::page::{Cursor, capacity, entries, first};
use crate::device_heap::{Blocks, DeviceHeap};
use crate::graph::store::copy::{CopyArguments, Copying, mix};
use crate::graph::store::draw::{DrawCountArguments, DrawPickArguments, count_all, pick_all};
use crate::graph::store::query::{QueryArguments, answer_all};
use crate::graph::store::{Vertex, lower_bound};
use crate::kernel::Kernel;
use crate::simt::Warp;

/// Where `target` belongs among the neighbours of a vertex, and whether it is
/// there.
///
/// # Safety
///
/// The chain of the record has `degree` neighbours, and no thread writes to it meanwhile.
#[inline(always)]
pub unsafe fn search<A: Blocks + ?Sized>(heap: &A, record: &Vertex, target: u32) -> (u32, bool) {
    let mut cursor_page = first(record);
    let (mut before, mut left) = (0, record.degree);
    while left > 0 {
        let here = if left < capacity::<A>() {
            left
        } else {
            capacity::<A>()
        };
        let page = entries::<A>(cursor_page);
        // SAFETY: the page has so many neighbours, and there is a next page if there are more.
        unsafe {
            if left == here || *page.add(here as usize - 1) >= target {
                let position = lower_bound(page, 0, here, target);
                let found = position < here && *page.add(position as usize) == target;
                return (before + position, found);
            }
            cursor_page = super::page::after(heap, cursor_page);
        }
        before += here;
        left -= here;
    }
    (0, false)
}

/// Copies targets out of the pages, and hashes them.
pub struct LinkedCopyOut;

impl Kernel for LinkedCopyOut {
    type Arguments = CopyArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, copy: CopyArguments) {
        // SAFETY: the kernel's contract.
        let copy = unsafe { Copying::new(copy) };
        let mut hash = 0_u64;
        let mut vertex = warp.thread();
        while vertex < copy.vertices {
            // SAFETY: the offsets were made from the records, whose chains
            // have `degree` neighbours.
            unsafe {
                let record = *copy.records.add(vertex as usize);
                let offset = *copy.offsets.add(vertex as usize);
                if record.degree > 0 {
                    let mut cursor = Cursor::new(heap, first(&record), 0);
                    let mut position = 0;
                    while position < record.degree {
                        let target = *cursor.next();
                        hash = hash.wrapping_add(mix(vertex, target));
                        if !copy.targets.is_null() {
                            *copy.targets.add((offset + position) as usize) = target;
                        }
                        position += 1;
                    }
                }
            }
            vertex += warp.threads();
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
        unsafe { count_all(warp, &draw, |record, bound| search(heap, record, bound).0) };
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
                |record, bound| search(heap, record, bound).0,
                |record, position| *Cursor::new(heap, first(record), position).next(),
            );
        }
    }
}
