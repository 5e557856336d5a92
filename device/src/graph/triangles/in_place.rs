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

use super::TriangleArguments;
use crate::graph::store::Vertex;
use crate::simt::prefetch::{PREFETCH_DISTANCE, prefetch};

/// Vertices between one that is worked on and the one whose neighbours' rows are
/// prefetched.
const NEAR: u32 = PREFETCH_DISTANCE / 4;

/// For each vertex the last that it was a lower neighbour of, or 0, which has none.
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

    /// # Safety
    ///
    /// The vertex exists.
    #[inline(always)]
    unsafe fn get(&self, vertex: u32) -> u32 {
        // SAFETY: the caller's promise.
        unsafe { *self.words.add(vertex as usize) }
    }

    /// # Safety
    ///
    /// The vertex exists.
    #[inline(always)]
    unsafe fn set(&self, vertex: u32, stamp: u32) {
        // SAFETY: the caller's promise.
        unsafe {
            *self.words.add(vertex as usize) = stamp;
        }
    }
}

/// The record of a vertex.
///
/// # Safety
///
/// The arguments' contract holds, and the vertex exists.
#[inline(always)]
unsafe fn record(graph: &TriangleArguments, vertex: u32) -> Vertex {
    // SAFETY: the caller's promise.
    unsafe { *graph.records.add(vertex as usize) }
}

/// Vertices by whose neighbours a range is judged.
const SAMPLE: u32 = 16;

/// Whether most neighbours of the first vertices from `first` on have numbers far from
/// theirs, so that their rows are in no cache.
///
/// # Safety
///
/// The arguments' contract holds, and `end` is at most the number of vertices.
#[inline(always)]
pub unsafe fn is_scattered(graph: &TriangleArguments, first: u32, end: u32) -> bool {
    // SAFETY: the caller's promise; positions are below the degree.
    unsafe {
        let far = graph.vertices / 8;
        let (mut neighbours, mut distant) = (0, 0);
        let mut vertex = first;
        while vertex < end && vertex - first < SAMPLE {
            let row = record(graph, vertex);
            let mut position = 0;
            while position < row.degree {
                let target = *row.entries().add(position as usize);
                distant += u32::from(target.abs_diff(vertex) > far);
                position += 1;
            }
            neighbours += row.degree;
            vertex += 1;
        }
        2 * distant > neighbours
    }
}

/// Prefetches the rows of the lower neighbours of a vertex behind this one, whose row is
/// there by now.
///
/// # Safety
///
/// The arguments' contract holds, and a vertex `NEAR` behind this one exists.
#[inline(always)]
unsafe fn prefetch_neighbours(graph: &TriangleArguments, vertex: u32) {
    // SAFETY: the caller's promise; positions are below the degree, and neighbours exist.
    unsafe {
        let row = record(graph, vertex + NEAR);
        let mut position = 0;
        while position < row.degree {
            let target = *row.entries().add(position as usize);
            if target >= vertex {
                break;
            }
            prefetch(record(graph, target).address);
            position += 1;
        }
    }
}

/// The triangles whose highest vertex is this one. It has no stamp on others yet.
/// Whether its neighbours are far away is the range's.
///
/// # Safety
///
/// The arguments' contract holds, `stamps` are this lane's, and `vertex` is one of the graph.
#[inline(always)]
pub unsafe fn of_vertex(
    graph: &TriangleArguments,
    stamps: Stamps,
    vertex: u32,
    is_far: bool,
) -> u64 {
    // SAFETY: the caller's promise; positions are below the degree, and neighbours exist.
    unsafe {
        let left = graph.vertices - vertex;
        if left > PREFETCH_DISTANCE {
            prefetch(record(graph, vertex + PREFETCH_DISTANCE).address);
            if is_far {
                prefetch_neighbours(graph, vertex);
            }
        }
        let row = record(graph, vertex);
        let mut found = 0;
        let mut position = 0;
        while position < row.degree {
            let target = *row.entries().add(position as usize);
            if target >= vertex {
                break;
            }
            // Before the first there is nothing to look for.
            if position > 0 {
                found += u64::from(stamped(graph, stamps, vertex, target));
            }
            stamps.set(target, vertex);
            position += 1;
        }
        found
    }
}

/// The number of lower neighbours of `target` that bear the stamp of `source`. Each
/// makes a triangle with both, counted for its three vertices if that is wanted.
///
/// # Safety
///
/// The arguments' contract holds, `stamps` are this lane's, and both vertices exist.
#[inline(always)]
unsafe fn stamped(graph: &TriangleArguments, stamps: Stamps, source: u32, target: u32) -> u32 {
    // SAFETY: the caller's promise; positions are below the degree, and neighbours exist.
    unsafe {
        let row = record(graph, target);
        let mut found = 0;
        let mut position = 0;
        while position < row.degree {
            let third = *row.entries().add(position as usize);
            if third >= target {
                break;
            }
            // Added without a branch, which would be unpredictable.
            let closed = stamps.get(third) == source;
            found += u32::from(closed);
            if !graph.counts.is_null() && closed {
                graph.count(source);
                graph.count(target);
                graph.count(third);
            }
            position += 1;
        }
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
            let of = |vertex| unsafe { of_vertex(&graph, mine, vertex, per_vertex) };
            (0..vertices).map(of).sum::<u64>()
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
