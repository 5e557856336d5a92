//! The triangles of a vertex, by a lane alone.
//!
//! The successors of the vertex go into a hash table in the warp's scratch memory;
//! then the list of each successor is read through, and every entry looked up.
//! That is as many look-ups as the lists have entries, which do not depend on each
//! other, where merging takes a chain of steps over both lists.
//!
//! Up to [`FEW`] successors make no table: an entry is compared with all at once.
//! The table takes [`PART`] successors, those of nearly every vertex. More are
//! taken in parts, each of which is a range of vertices, since lists ascend: so
//! the entries of another list that may be in it are a range of that list.

use super::{List, TriangleArguments};
use crate::graph::store::lower_bound;
use crate::warp::{SCRATCH_BYTES, Warp};

/// Successors that are compared instead of looked up.
const FEW: usize = 8;
/// Words of the table.
const SLOTS: u32 = (SCRATCH_BYTES / 4) as u32;
/// The most words that are in use: a third, so that a look-up seldom goes on.
const PART: u32 = SLOTS / 3;
/// No vertex: ids are below it.
const EMPTY: u32 = u32::MAX;
/// 2^32 divided by the golden ratio: spreads the ids of grids too.
const GOLDEN: u32 = 0x9e37_79b9;
/// How many times as long a list is searched instead of read through.
const MUCH_LONGER: u32 = 8;

/// A set of vertices: a hash table with linear probing.
#[derive(Clone, Copy)]
pub struct Table {
    words: *mut u32,
}

impl Table {
    /// An empty one in the scratch memory of a warp of one lane.
    #[inline(always)]
    pub fn new<W: Warp>(warp: W) -> Self {
        let words = warp.scratch().cast::<u32>();
        let mut slot = 0;
        while slot < SLOTS {
            // SAFETY: the scratch has so many words, and is this lane's alone.
            unsafe { words.add(slot as usize).write(EMPTY) };
            slot += 1;
        }
        Self { words }
    }

    /// Where to look for a vertex first.
    #[inline(always)]
    fn home(vertex: u32) -> u32 {
        vertex.wrapping_mul(GOLDEN) >> (32 - SLOTS.trailing_zeros())
    }

    #[inline(always)]
    fn word(&self, slot: u32) -> *mut u32 {
        self.words.wrapping_add(slot as usize)
    }

    /// The slot that has `vertex`, or the empty one where that would belong; and
    /// what it has.
    #[inline(always)]
    fn find(&self, vertex: u32) -> (u32, u32) {
        let mut slot = Self::home(vertex);
        loop {
            // SAFETY: slots are below their number. The table is never full.
            let value = unsafe { *self.word(slot) };
            if value == vertex || value == EMPTY {
                return (slot, value);
            }
            slot = (slot + 1) & (SLOTS - 1);
        }
    }

    #[inline(always)]
    fn insert(&self, vertex: u32) {
        let (slot, _) = self.find(vertex);
        // SAFETY: as above.
        unsafe { self.word(slot).write(vertex) };
    }

    /// Takes out a vertex, and whatever lies from its home up to an empty slot. Once
    /// every vertex was taken out so, the table is empty.
    #[inline(always)]
    fn remove_run(&self, vertex: u32) {
        let mut slot = Self::home(vertex);
        // SAFETY: as above.
        unsafe {
            while *self.word(slot) != EMPTY {
                self.word(slot).write(EMPTY);
                slot = (slot + 1) & (SLOTS - 1);
            }
        }
    }
}

/// The triangles of `source`, whose successors are `list`. The table is empty
/// before and after.
#[inline(always)]
pub fn of_vertex(graph: &TriangleArguments, table: Table, source: u32, list: List) -> u64 {
    // A triangle has two successors of its source.
    if list.length < 2 {
        return 0;
    }
    if list.length as usize <= FEW && graph.counts.is_null() {
        return of_few(graph, list);
    }
    let end = list.start + list.length;
    let mut found = 0;
    let mut first = list.start;
    while first < end {
        let last = if end - first > PART {
            first + PART
        } else {
            end
        };
        let part = Part {
            graph,
            table,
            source,
            list: List {
                start: first,
                length: last - first,
            },
            whole: list.length <= PART,
        };
        part.enter();
        let mut place = list.start;
        while place < end {
            found += part.of_edge(graph.successor(place));
            place += 1;
        }
        part.leave();
        first = last;
    }
    found
}

/// The triangles of a vertex whose successors are few. Nothing is counted for each
/// vertex.
#[inline(always)]
fn of_few(graph: &TriangleArguments, list: List) -> u64 {
    let mut few = [EMPTY; FEW];
    let from = graph.successors.wrapping_add(list.start as usize);
    for (place, word) in few.iter_mut().enumerate().take(list.length as usize) {
        // SAFETY: the list has so many successors.
        *word = unsafe { *from.add(place) };
    }
    // Apart for each of them, so that the sums are added up once.
    let mut found = [0_u32; FEW];
    let mut searched = 0;
    let mut place = list.start;
    while place < list.start + list.length {
        let to = graph.list(graph.successor(place));
        let long = to.length / MUCH_LONGER > list.length;
        if long {
            by_searching(graph, list, to, |_| searched += 1);
        }
        let (mut other, end) = (to.start, to.start + if long { 0 } else { to.length });
        while other < end {
            let third = graph.successor(other);
            for (sum, word) in found.iter_mut().zip(few) {
                *sum += u32::from(word == third);
            }
            other += 1;
        }
        place += 1;
    }
    searched + found.iter().map(|&sum| u64::from(sum)).sum::<u64>()
}

/// Calls `act` with every vertex that is in both lists. It looks for each of the
/// first in the second, which takes less than reading through one that is much
/// longer.
#[inline(always)]
fn by_searching(graph: &TriangleArguments, few: List, many: List, mut act: impl FnMut(u32)) {
    let (mut low, high) = (many.start, many.start + many.length);
    let mut place = few.start;
    while place < few.start + few.length {
        let third = graph.successor(place);
        // SAFETY: the list of a vertex; both ascend, so what is below one vertex is
        // below the next too.
        low = unsafe { lower_bound(graph.successors, low, high, third) };
        if low < high && graph.successor(low) == third {
            act(third);
        }
        place += 1;
    }
}

/// As many successors of a vertex as the table takes.
struct Part<'a> {
    graph: &'a TriangleArguments,
    table: Table,
    source: u32,
    list: List,
    /// Whether these are all.
    whole: bool,
}

impl Part<'_> {
    #[inline(always)]
    fn enter(&self) {
        let mut place = self.list.start;
        while place < self.list.start + self.list.length {
            self.table.insert(self.graph.successor(place));
            place += 1;
        }
    }

    #[inline(always)]
    fn leave(&self) {
        let mut place = self.list.start;
        while place < self.list.start + self.list.length {
            self.table.remove_run(self.graph.successor(place));
            place += 1;
        }
    }

    /// The triangles of the edge to `target` whose third vertex is in this part.
    #[inline(always)]
    fn of_edge(&self, target: u32) -> u64 {
        let to = self.graph.list(target);
        let counts = !self.graph.counts.is_null();
        let mut found = 0;
        if to.length / MUCH_LONGER > self.list.length {
            by_searching(self.graph, self.list, to, |third| {
                found += 1;
                if counts {
                    self.count(target, third);
                }
            });
            return found;
        }
        let (mut place, mut end) = (to.start, to.start + to.length);
        if !self.whole {
            let low = self.graph.successor(self.list.start);
            let high = self.graph.successor(self.list.start + self.list.length - 1);
            // SAFETY: the list of a vertex.
            unsafe {
                place = lower_bound(self.graph.successors, place, end, low);
                end = lower_bound(self.graph.successors, place, end, high + 1);
            }
        }
        while place < end {
            let third = self.graph.successor(place);
            let (_, value) = self.table.find(third);
            found += u64::from(value == third);
            if counts && value == third {
                self.count(target, third);
            }
            place += 1;
        }
        found
    }

    #[inline(always)]
    fn count(&self, target: u32, third: u32) {
        self.graph.count(self.source);
        self.graph.count(target);
        self.graph.count(third);
    }
}

#[cfg(all(test, not(target_arch = "nvptx64")))]
mod tests {
    use super::*;
    use crate::warp::Solo;

    /// A complete graph whose vertices, in ascending order, have the later ones as
    /// successors; the last vertex has the first two.
    #[test]
    fn lists_of_every_length_are_counted() {
        let clique = 2 * PART + 50;
        let mut lists = Vec::new();
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
        }
        let all = u64::from(clique);
        let expected = all * (all - 1) * (all - 2) / 6 + 1;
        let mut counts = vec![0_u32; lists.len()];
        for per_vertex in [false, true] {
            let graph = TriangleArguments {
                records: std::ptr::null_mut(),
                offsets: std::ptr::null_mut(),
                lists: lists.as_mut_ptr(),
                successors: successors.as_mut_ptr(),
                total: std::ptr::null_mut(),
                counts: match per_vertex {
                    true => counts.as_mut_ptr(),
                    false => std::ptr::null_mut(),
                },
                vertices: lists.len() as u32,
            };
            let mut scratch = vec![0_u128; SCRATCH_BYTES / 16];
            // SAFETY: the scratch is that large, aligned, and used by this alone.
            let warp = unsafe { Solo::new(0, 1, 0, scratch.as_mut_ptr().cast()) };
            let table = Table::new(warp);
            let vertices = lists.iter().enumerate();
            let found: u64 = vertices
                .map(|(vertex, &list)| of_vertex(&graph, table, vertex as u32, list))
                .sum();
            assert_eq!(found, expected);
            assert!((0..SLOTS).all(|slot| table.find(slot).1 == EMPTY));
        }
        let corner = (clique - 1) * (clique - 2) / 2;
        assert_eq!(counts[clique as usize], 1);
        assert_eq!(counts[..3], [corner + 1, corner + 1, corner]);
    }
}
