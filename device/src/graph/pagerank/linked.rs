//! The iteration over linked adjacency: a lane walks a chain. Hubs are divided rows, whose sections
//! lanes take side by side.

use super::{Iteration, RankArguments, Ranks};
use crate::device_heap::{Blocks, DeviceHeap};
use crate::graph::store::Vertex;
use crate::graph::store::linked::page::{after, capacity, entries, first};
use crate::graph::store::linked::row::{Directory, MAX_DEGREE};
use crate::kernel::Kernel;
use crate::simt::Warp;
use crate::simt::reduce::group_sum;
use crate::simt::rows::Rows;

/// Vertices of more neighbours are hubs: their rows are divided.
pub const HUB: u32 = MAX_DEGREE;

/// Neighbours of a hub for which there is a part, as a power of two: about a section a lane.
pub const PART_BITS: u32 = 12;

/// An iteration.
pub struct LinkedRankStep;

impl LinkedRankStep {
    /// The sum of the contributions of a page's `count` neighbours.
    ///
    /// # Safety
    ///
    /// The page has so many neighbours, which are vertices.
    #[inline(always)]
    unsafe fn pull<A: Blocks + ?Sized>(
        page: *mut u8,
        count: u32,
        contributions: *const f32,
    ) -> f64 {
        let neighbours = entries::<A>(page);
        let (mut sum, mut at) = (0.0, 0);
        // Four at a time, whose loads do not wait for each other.
        while at < count {
            let contribution = |index: u32| {
                if at + index < count {
                    // SAFETY: below the number of neighbours.
                    unsafe {
                        let neighbour = *neighbours.add((at + index) as usize);
                        f64::from(*contributions.add(neighbour as usize))
                    }
                } else {
                    0.0
                }
            };
            let (one, two) = (contribution(0), contribution(1));
            let (three, four) = (contribution(2), contribution(3));
            sum += (one + two) + (three + four);
            at += 4;
        }
        sum
    }

    /// The sum of a chain.
    ///
    /// # Safety
    ///
    /// The chain has as many neighbours as its record says, which are vertices.
    #[inline(always)]
    unsafe fn walk<A: Blocks + ?Sized>(heap: &A, chain: &Vertex, contributions: *const f32) -> f64 {
        let (mut sum, mut page, mut left) = (0.0, first(chain), chain.degree);
        // SAFETY: there is a next page if there are more neighbours.
        unsafe {
            while left > capacity::<A>() {
                // Before the neighbours are waited for.
                let next = after(heap, page);
                sum += Self::pull::<A>(page, capacity::<A>(), contributions);
                page = next;
                left -= capacity::<A>();
            }
            if left > 0 {
                sum += Self::pull::<A>(page, left, contributions);
            }
        }
        sum
    }

    /// The sum of the sections of a divided row that begin with number `first` and follow each
    /// other in steps of `step`, up to before `end`.
    ///
    /// # Safety
    ///
    /// The directory is that of a row and has `end` sections at least.
    #[inline(always)]
    unsafe fn sections<A: Blocks + ?Sized>(
        heap: &A,
        directory: Directory,
        (first, end, step): (u32, u32, u32),
        contributions: *const f32,
    ) -> f64 {
        let (mut sum, mut index) = (0.0, first);
        while index < end {
            // SAFETY: a section of the directory.
            sum += unsafe { Self::walk(heap, &directory.chain(index), contributions) };
            index += step;
        }
        sum
    }

    /// Sums the parts of hubs.
    ///
    /// # Safety
    ///
    /// `iteration` is one over the same arguments.
    #[inline(always)]
    unsafe fn hubs<W: Warp, A: DeviceHeap<W> + ?Sized>(
        warp: W,
        heap: &A,
        ranks: &Ranks,
        iteration: &mut Iteration,
    ) {
        // SAFETY: counted by an earlier launch.
        let parts = unsafe { *ranks.counts.add(1) };
        let mut index = warp.warp();
        while index < parts {
            // SAFETY: below the number of parts, which are of hubs: their rows are divided.
            unsafe {
                let part = *ranks.parts.add(index as usize);
                let record = *ranks.incoming.add(part.vertex as usize);
                let directory = Directory::new(record.address);
                // A row may have more sections than its neighbours need: parts share all of them.
                let parts = ranks.parts_of(record.degree);
                let sections = directory.sections();
                let share = (sections + parts - 1).checked_div(parts).unwrap_or(0);
                let begin = share * part.number;
                let end = if begin + share < sections {
                    begin + share
                } else {
                    sections
                };
                let range = (begin + warp.lane(), end, W::LANES);
                let sum = Self::sections(heap, directory, range, ranks.contributions);
                let sum = group_sum(warp, sum, W::LANES);
                if warp.lane() == 0
                    && let Some(sum) = ranks.end_part(part, sum)
                {
                    iteration.settle(part.vertex, sum);
                }
            }
            index += warp.warps();
        }
    }
}

impl Kernel for LinkedRankStep {
    type Arguments = RankArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, ranks: RankArguments) {
        // SAFETY: the kernel's contract.
        let ranks = unsafe { Ranks::new(ranks) };
        // SAFETY: steps are from 1 on.
        let Some(mut iteration) = (unsafe { Iteration::begin(warp, ranks) }) else {
            return;
        };
        // SAFETY: over these arguments.
        unsafe { Self::hubs(warp, heap, &ranks, &mut iteration) };
        let rows = Rows::new(warp, ranks.vertices, W::LANES);
        let mut vertex = rows.first + warp.lane();
        while vertex < rows.end {
            // SAFETY: below the number of records; the vertex is this lane's.
            unsafe {
                let record = *ranks.incoming.add(vertex as usize);
                if record.degree <= HUB && !record.is_absent() {
                    let sum = match Directory::of(&record) {
                        // The row of a vertex that was a hub.
                        Some(directory) => {
                            let range = (0, directory.sections(), 1);
                            Self::sections(heap, directory, range, ranks.contributions)
                        }
                        None => Self::walk(heap, &record, ranks.contributions),
                    };
                    iteration.settle(vertex, sum);
                }
            }
            vertex += rows.step;
        }
        iteration.end(warp);
    }
}
