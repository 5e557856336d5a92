//! Counting triangles in scalar code.
//!
//! The successors of the vertex are marked, a bit each in the marks of the worker;
//! then the list of each successor is read through, and every entry looked up. A
//! look-up is a load that depends on no other and needs no branch, where merging
//! lists takes a chain of steps over both, each with an unpredictable branch. The marks are an
//! eighth of a byte for each vertex of the graph, which stays in the cache.
//!
//! Traffic: a list is read for each oriented edge, prefetched before it is
//! needed.

use super::{Counting, List, Stamps, TriangleArguments};
use crate::graph::store::VertexId;
use crate::simt::Warp;
use crate::simt::prefetch::{PREFETCH_DISTANCE, prefetch};
use crate::simt::rows::Rows;
use crate::simt::tail::{Four, TAIL_MASKS};

/// Words that may be read behind the last list.
pub const TAIL_PADDING: usize = 3;

/// Successors of a short list.
const FEW: u32 = 8;

/// A set of vertices, a bit each.
///
/// Invariant: there is a bit for each vertex, in words that this lane alone accesses.
#[derive(Clone, Copy)]
pub struct Marks {
    words: *mut u32,
}

impl Marks {
    /// The words of one worker for that many vertices.
    pub const fn words(vertices: u32) -> usize {
        vertices.div_ceil(32) as usize
    }

    /// Those of a worker; empty.
    ///
    /// # Safety
    ///
    /// There are marks for the worker, which are used by this lane alone.
    #[inline(always)]
    pub unsafe fn new(graph: &TriangleArguments, worker: u32) -> Self {
        let before = worker as usize * Self::words(graph.vertices);
        Self {
            words: graph.marks.wrapping_add(before),
        }
    }

    #[inline(always)]
    fn word(&self, vertex: VertexId) -> *mut u32 {
        self.words.wrapping_add(vertex.index() / 32)
    }

    #[inline(always)]
    fn set(&self, vertex: VertexId) {
        // SAFETY: there is a bit for each vertex.
        unsafe { *self.word(vertex) |= 1 << (vertex.number() % 32) };
    }

    /// 1 for a vertex that is marked, else 0.
    #[inline(always)]
    fn get(&self, vertex: VertexId) -> u32 {
        // SAFETY: there is a bit for each vertex.
        unsafe { *self.word(vertex) >> (vertex.number() % 32) & 1 }
    }

    /// Takes away the mark of a vertex, and of those that share its word.
    #[inline(always)]
    fn clear(&self, vertex: VertexId) {
        // SAFETY: there is a bit for each vertex.
        unsafe { *self.word(vertex) = 0 };
    }
}

/// Copies the successors of this warp's vertices: one list behind the other, so that they
/// take less of the cache.
///
/// # Safety
///
/// The arguments' contract holds.
#[inline(always)]
pub unsafe fn orient<W: Warp>(warp: W, graph: &TriangleArguments) {
    let rows = Rows::new(warp, graph.vertices, 1);
    // SAFETY: rows begin at the number of vertices at most.
    let mut end = unsafe { graph.offset(rows.first) };
    let mut vertex = rows.first;
    while vertex < rows.end {
        let start = end;
        let mut position = 0;
        // SAFETY: the vertex has so many neighbours, and no more successors.
        unsafe {
            let record = *graph.records.add(vertex as usize);
            while position < record.degree {
                let neighbour = *record.entries().add(position as usize);
                let degree = graph.offset(neighbour + 1) - graph.offset(neighbour);
                let keep =
                    (degree > record.degree) | ((degree == record.degree) & (neighbour > vertex));
                // An entry that is not kept is written over. Half of them are: no branch.
                *graph.successors.add(end as usize) = neighbour;
                end += u32::from(keep);
                position += 1;
            }
            *graph.lists.add(vertex as usize) = List {
                start,
                length: end - start,
            };
        }
        vertex += rows.step;
    }
}

/// The triangles of this warp's vertices.
///
/// # Safety
///
/// `Orient` has run if there are lists.
#[inline(always)]
pub unsafe fn count<W: Warp>(warp: W, graph: &Counting) -> u64 {
    let rows = Rows::new(warp, graph.vertices, 1);
    let mut found = 0;
    let mut vertex = rows.first;
    if graph.lists.is_null() {
        // SAFETY: a worker runs a warp at a time.
        let stamps = unsafe { Stamps::new(graph, warp.processor()) };
        let is_far = graph.is_scattered(rows.first, rows.end);
        while vertex < rows.end {
            // SAFETY: rows are vertices.
            found += graph.of_vertex(stamps, unsafe { VertexId::new(vertex) }, is_far);
            vertex += rows.step;
        }
        return found;
    }
    // SAFETY: a worker runs a warp at a time; rows are vertices.
    unsafe {
        let marks = Marks::new(graph, warp.processor());
        while vertex < rows.end {
            found += of_vertex(graph, marks, vertex, graph.list(vertex));
            vertex += rows.step;
        }
    }
    found
}

/// The triangles of `source`, whose successors are `list`. No vertex is marked
/// before and after.
///
/// # Safety
///
/// The arguments have lists, and their contract holds; `marks` are this lane's, and `list`
/// is that of `source`.
#[inline(always)]
unsafe fn of_vertex(graph: &TriangleArguments, marks: Marks, source: u32, list: List) -> u64 {
    // SAFETY: positions are those of the list's successors, which are vertices.
    unsafe {
        // A triangle has two successors of its source.
        if list.length < 2 {
            return 0;
        }
        let end = list.start + list.length;
        let mut position = list.start;
        while position < end {
            marks.set(VertexId::new(graph.successor(position)));
            position += 1;
        }
        let mut found = 0;
        position = list.start;
        while position < end {
            prefetch_lists(graph, position);
            let target = graph.successor(position);
            found += u64::from(if graph.counts.is_null() {
                marked(graph, marks, target)
            } else {
                counted(graph, marks, source, target)
            });
            position += 1;
        }
        position = list.start;
        while position < end {
            marks.clear(VertexId::new(graph.successor(position)));
            position += 1;
        }
        found
    }
}

/// The number of successors of `target` that are marked.
///
/// # Safety
///
/// The arguments have lists, and their contract holds; the vertex exists, and `marks` are this
/// lane's.
#[inline(always)]
unsafe fn marked(graph: &TriangleArguments, marks: Marks, target: u32) -> u32 {
    // SAFETY: successors are vertices; there are [`TAIL_PADDING`] words behind the last list, and
    // masks for up to four.
    unsafe {
        let list = graph.list(target);
        if list.length == 0 {
            return 0;
        }
        let (mut position, end) = (list.start, list.start + list.length);
        let mut found = 0;
        if list.length > FEW {
            while position < end {
                found += marks.get(VertexId::new(graph.successor(position)));
                position += 1;
            }
            return found;
        }
        // The length of a short list is unpredictable. So the last successors are looked up
        // as four words under a tail mask.
        let four = |position: u32| [0, 1, 2, 3].map(|next| graph.successor(position + next));
        while end - position > 4 {
            let [one, two, three, last] =
                four(position).map(|third| marks.get(VertexId::new(third)));
            found += (one + two) + (three + last);
            position += 4;
        }
        let Four(mask) = *TAIL_MASKS.as_ptr().add((end - position) as usize);
        let thirds = four(position);
        // Entries behind the list become vertex 0, which is not counted.
        let third = |index: usize| VertexId::new(thirds[index] & mask[index]);
        let get = |index: usize| marks.get(third(index)) & mask[index];
        found + (get(0) + get(1)) + (get(2) + get(3))
    }
}

/// The same; each is a triangle with `source`, counted for its three vertices.
///
/// # Safety
///
/// As for `marked`; the arguments have counts, and `source` exists.
#[inline(always)]
unsafe fn counted(graph: &TriangleArguments, marks: Marks, source: u32, target: u32) -> u32 {
    // SAFETY: successors are vertices, and there are counts.
    unsafe {
        let list = graph.list(target);
        let mut found = 0;
        let mut position = list.start;
        while position < list.start + list.length {
            let third = graph.successor(position);
            if marks.get(VertexId::new(third)) == 1 {
                found += 1;
                graph.count(source);
                graph.count(target);
                graph.count(third);
            }
            position += 1;
        }
        found
    }
}

/// Prefetches what the successors behind a position lead to: first the record of a list,
/// then, as many successors later, the list.
///
/// # Safety
///
/// The arguments have lists, and their contract holds; the position is below the number of
/// successors.
#[inline(always)]
unsafe fn prefetch_lists(graph: &TriangleArguments, position: u32) {
    // SAFETY: the successors have as many words as there are entries.
    unsafe {
        if position + 2 * PREFETCH_DISTANCE >= graph.offset(graph.vertices) {
            return;
        }
        let far = graph.successor(position + 2 * PREFETCH_DISTANCE);
        prefetch(graph.lists.wrapping_add(far as usize) as u64);
        // Between the lists of two vertices there may be anything.
        let near = graph.successor(position + PREFETCH_DISTANCE);
        if near < graph.vertices {
            let start = graph.list(near).start;
            prefetch(graph.successors.wrapping_add(start as usize) as u64);
        }
    }
}

#[cfg(all(test, not(target_arch = "nvptx64")))]
mod tests {
    use super::*;

    /// A complete graph whose vertices, in ascending order, have the later ones as
    /// successors; the last vertex has the first two.
    #[test]
    fn lists_of_every_length_are_counted() {
        let clique = 700;
        let (mut lists, mut offsets) = (Vec::new(), Vec::new());
        let mut successors: Vec<u32> = Vec::new();
        for vertex in 0..=clique {
            let start = successors.len() as u32;
            successors.extend(if vertex < clique {
                vertex + 1..clique
            } else {
                0..2
            });
            let length = successors.len() as u32 - start;
            lists.push(List { start, length });
            offsets.push(start);
        }
        offsets.push(successors.len() as u32);
        // Padding that may be read behind the last list.
        successors.extend([u32::MAX; TAIL_PADDING]);
        let all = u64::from(clique);
        let expected = all * (all - 1) * (all - 2) / 6 + 1;
        let mut counts = vec![0_u32; lists.len()];
        // Of two workers.
        let mut marks = vec![0_u32; 2 * Marks::words(lists.len() as u32)];
        for per_vertex in [false, true] {
            let graph = TriangleArguments {
                records: std::ptr::null_mut(),
                offsets: offsets.as_mut_ptr(),
                lists: lists.as_mut_ptr(),
                successors: successors.as_mut_ptr(),
                total: std::ptr::null_mut(),
                counts: match per_vertex {
                    true => counts.as_mut_ptr(),
                    false => std::ptr::null_mut(),
                },
                marks: marks.as_mut_ptr(),
                vertices: lists.len() as u32,
            };
            // SAFETY: there are marks for two workers, and no other thread uses them.
            let mine = unsafe { Marks::new(&graph, 1) };
            let vertices = lists.iter().enumerate();
            // SAFETY: the arguments are whole, but for what only kernels use.
            let of = |(vertex, &list)| unsafe { of_vertex(&graph, mine, vertex as u32, list) };
            let found: u64 = vertices.map(of).sum();
            assert_eq!(found, expected);
            assert!(marks.iter().all(|&word| word == 0));
        }
        let corner = u64::from(clique - 1) * u64::from(clique - 2) / 2;
        assert_eq!(counts[clique as usize], 1);
        let counts: Vec<u64> = counts[..3].iter().map(|&count| count.into()).collect();
        assert_eq!(counts, [corner + 1, corner + 1, corner]);
    }
}
