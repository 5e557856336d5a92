//! Counting the triangles of a vertex in scalar code, in the rows of the store.
//!
//! Where no vertex has many neighbours, lists are short without an orientation by
//! degree. Here the successors of a vertex are its lower neighbours: they are the
//! front of its row, and nothing is copied. They are taken in ascending order. In
//! the row of each, those are looked for that came before it, which bear a stamp,
//! the number of the vertex; then it gets the stamp itself. So a triangle is found
//! once, at its highest vertex, and no stamp need be taken away.
//!
//! Traffic: the front of a row is read for each edge. Rows of vertices that are
//! close to each other are mostly in the cache.

use super::{Counting, TriangleArguments};
use crate::graph::store::{Vertex, VertexId};
use crate::simt::prefetch::{PREFETCH_DISTANCE, prefetch};

/// Vertices between one that is worked on and the one whose neighbours' rows are
/// prefetched.
const NEAR: u32 = PREFETCH_DISTANCE / 4;

/// For each vertex the last that it was a lower neighbour of, or 0, which has none.
///
/// Invariant: there is a word for each vertex, which this lane alone accesses.
#[derive(Clone, Copy)]
pub struct Stamps {
    words: *mut u32,
}

impl Stamps {
    /// The words of one worker for that many vertices.
    pub const fn words(vertices: u32) -> usize {
        vertices as usize
    }

    /// Those of a worker.
    ///
    /// # Safety
    ///
    /// There are stamps for the worker, which are used by this lane alone.
    #[inline(always)]
    pub unsafe fn new(graph: &TriangleArguments, worker: u32) -> Self {
        let before = worker as usize * Self::words(graph.vertices);
        Self {
            words: graph.marks.wrapping_add(before),
        }
    }

    #[inline(always)]
    fn get(&self, vertex: VertexId) -> u32 {
        // SAFETY: there is a word for each vertex.
        unsafe { *self.words.add(vertex.index()) }
    }

    #[inline(always)]
    fn set(&self, vertex: VertexId, stamp: VertexId) {
        // SAFETY: there is a word for each vertex.
        unsafe { *self.words.add(vertex.index()) = stamp.number() };
    }
}

/// Vertices by whose neighbours a range is judged.
const SAMPLE: u32 = 16;

impl Counting {
    /// A vertex, if there are so many.
    #[inline(always)]
    fn vertex(&self, index: u32) -> Option<VertexId> {
        // SAFETY: below their number.
        (index < self.vertices).then(|| unsafe { VertexId::new(index) })
    }

    /// The record of a vertex.
    #[inline(always)]
    fn record(&self, vertex: VertexId) -> Vertex {
        // SAFETY: each vertex has a record, which no thread writes to.
        unsafe { *self.records.add(vertex.index()) }
    }

    /// Calls `visit` with the neighbours of a vertex in turn, until it returns false; returns how
    /// many there are in all.
    #[inline(always)]
    fn visit(&self, vertex: VertexId, mut visit: impl FnMut(VertexId) -> bool) -> u32 {
        let row = self.record(vertex);
        let mut position = 0;
        while position < row.degree {
            // SAFETY: below the degree, and neighbours are vertices.
            let neighbour = unsafe { VertexId::new(*row.entries().add(position as usize)) };
            if !visit(neighbour) {
                break;
            }
            position += 1;
        }
        row.degree
    }

    /// Whether most neighbours of the first vertices from `first` up to `end` have numbers far
    /// from theirs, so that their rows are in no cache.
    #[inline(always)]
    pub fn is_scattered(&self, first: u32, end: u32) -> bool {
        let far = self.vertices / 8;
        let (mut neighbours, mut distant) = (0, 0);
        let mut index = first;
        while index < end
            && index - first < SAMPLE
            && let Some(vertex) = self.vertex(index)
        {
            neighbours += self.visit(vertex, |target| {
                distant += u32::from(target.number().abs_diff(index) > far);
                true
            });
            index += 1;
        }
        2 * distant > neighbours
    }

    /// Prefetches the rows of the lower neighbours of `near`, which are below `vertex`. Its own
    /// row is there by now.
    #[inline(always)]
    fn prefetch_neighbours(&self, near: VertexId, vertex: VertexId) {
        self.visit(near, |target| {
            let is_lower = target < vertex;
            if is_lower {
                prefetch(self.record(target).address);
            }
            is_lower
        });
    }

    /// The triangles whose highest vertex is this one. It has no stamp on others yet.
    /// Whether its neighbours are far away is the range's.
    #[inline(always)]
    pub fn of_vertex(&self, stamps: Stamps, vertex: VertexId, is_far: bool) -> u64 {
        if let Some(later) = self.vertex(vertex.number().saturating_add(PREFETCH_DISTANCE)) {
            prefetch(self.record(later).address);
            if is_far && let Some(near) = self.vertex(vertex.number().saturating_add(NEAR)) {
                self.prefetch_neighbours(near, vertex);
            }
        }
        let (mut found, mut is_first) = (0, true);
        self.visit(vertex, |target| {
            let is_lower = target < vertex;
            if is_lower {
                // Before the first there is nothing to look for.
                if !is_first {
                    found += u64::from(self.stamped(stamps, vertex, target));
                }
                is_first = false;
                stamps.set(target, vertex);
            }
            is_lower
        });
        found
    }

    /// The number of lower neighbours of `target` that bear the stamp of `source`. Each
    /// makes a triangle with both, counted for its three vertices if that is wanted.
    #[inline(always)]
    fn stamped(&self, stamps: Stamps, source: VertexId, target: VertexId) -> u32 {
        let mut found = 0;
        self.visit(target, |third| {
            if third >= target {
                return false;
            }
            // Added without a branch, which would be unpredictable.
            let closed = stamps.get(third) == source.number();
            found += u32::from(closed);
            if !self.counts.is_null() && closed {
                for vertex in [source, target, third] {
                    // SAFETY: there are counts, and these vertices exist.
                    unsafe { self.count(vertex.number()) };
                }
            }
            true
        });
        found
    }
}

#[cfg(all(test, not(target_arch = "nvptx64")))]
mod tests {
    use super::*;

    /// The triangles, and those at each vertex, of a graph with these edges.
    fn count(vertices: u32, edge: impl Fn(u32, u32) -> bool) -> (u64, Vec<u32>) {
        let row = |vertex: u32| (0..vertices).filter(|&other| edge(vertex, other)).collect();
        let mut rows: Vec<Vec<u32>> = (0..vertices).map(row).collect();
        let records = rows.iter_mut().map(|row| Vertex {
            address: row.as_mut_ptr().expose_provenance() as u64,
            degree: row.len() as u32,
            capacity: row.len() as u32,
        });
        let mut records: Vec<Vertex> = records.collect();
        // Of two workers.
        let mut stamps = vec![0_u32; 2 * Stamps::words(vertices)];
        let mut counts = vec![0_u32; vertices as usize];
        let totals = [false, true].map(|per_vertex| {
            stamps.fill(0);
            let graph = TriangleArguments {
                records: records.as_mut_ptr(),
                offsets: std::ptr::null_mut(),
                lists: std::ptr::null_mut(),
                successors: std::ptr::null_mut(),
                total: std::ptr::null_mut(),
                counts: match per_vertex {
                    true => counts.as_mut_ptr(),
                    false => std::ptr::null_mut(),
                },
                marks: stamps.as_mut_ptr(),
                vertices,
            };
            // SAFETY: there are stamps for two workers, and no other thread uses them.
            let mine = unsafe { Stamps::new(&graph, 1) };
            // SAFETY: the arguments are whole, but for what only kernels use.
            let graph = unsafe { Counting::new(graph) };
            let all = (0..vertices).filter_map(|index| graph.vertex(index));
            all.map(|vertex| graph.of_vertex(mine, vertex, per_vertex))
                .sum::<u64>()
        });
        assert_eq!(totals[0], totals[1]);
        assert!(stamps[..vertices as usize].iter().all(|&stamp| stamp == 0));
        (totals[0], counts)
    }

    #[test]
    fn a_complete_graph_has_a_triangle_of_every_three() {
        for loops in [false, true] {
            let (found, counts) = count(40, |one, other| loops || one != other);
            assert_eq!(found, 40 * 39 * 38 / 6);
            assert_eq!(counts, [39 * 38 / 2; 40]);
        }
    }

    #[test]
    fn a_wheel_has_a_triangle_for_each_of_its_spokes() {
        // In the midst of the numbers, so that rows begin and end anywhere.
        let (hub, rim) = (50, 100);
        let at = |vertex: u32| if vertex > hub { vertex - 1 } else { vertex };
        let (found, counts) = count(rim + 1, |one, other| {
            let apart = at(one).abs_diff(at(other));
            one != other && (one == hub || other == hub || apart == 1 || apart == rim - 1)
        });
        assert_eq!(found, 100);
        for (vertex, &count) in counts.iter().enumerate() {
            assert_eq!(count, if vertex == hub as usize { 100 } else { 2 });
        }
    }
}
