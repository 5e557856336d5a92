//! The iteration over linked adjacency.
//!
//! A lane that walks a chain waits for memory at every page, so that the chain of a hub,
//! thousands of pages, took longer than all others together. Before the first iteration a
//! lane walks each long chain once and writes its pages' addresses into a directory; warps
//! then share the pages, one a lane.

use core::sync::atomic::Ordering::Relaxed;

use super::{Iteration, RankArguments, Ranks};
use crate::device_heap::{Blocks, DeviceHeap};
use crate::graph::store::linked::page::{after, capacity, entries, first, pages};
use crate::kernel::Kernel;
use crate::simt::Warp;
use crate::simt::reduce::group_sum;
use crate::simt::rows::Rows;

/// Pages of the longest chain that one lane walks in every iteration.
pub const SHORT: u32 = 8;

/// Pages that are summed by one warp: one a lane.
pub const PART_PAGES: u32 = 32;

/// Lists the vertices of long chains, and their pages.
pub struct LinkedRankIndex;

impl Kernel for LinkedRankIndex {
    type Arguments = RankArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, ranks: RankArguments) {
        // SAFETY: the kernel's contract.
        let ranks = unsafe { Ranks::new(ranks) };
        let rows = Rows::new(warp, ranks.vertices, W::LANES);
        let mut vertex = rows.first + warp.lane();
        while vertex < rows.end {
            // SAFETY: below the number of records, whose chains have `degree` neighbours; the
            // host made room for the pages of all long ones.
            unsafe {
                let record = *ranks.incoming.add(vertex as usize);
                let count = pages::<A>(record.degree);
                if count > SHORT {
                    // Relaxed: read by later launches.
                    let begin = ranks.count::<2>().fetch_add(count, Relaxed);
                    ranks.list(vertex, count.div_ceil(PART_PAGES), PART_PAGES, begin);
                    let (mut page, mut index) = (first(&record), 0);
                    while index < count {
                        let address = page.expose_provenance() as u64;
                        *ranks.directory.add((begin + index) as usize) = address;
                        index += 1;
                        if index < count {
                            page = after(heap, page);
                        }
                    }
                }
            }
            vertex += rows.step;
        }
    }
}

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

    /// The sum of a chain of `degree` neighbours.
    ///
    /// # Safety
    ///
    /// The chain that `page` begins has so many neighbours, which are vertices.
    #[inline(always)]
    unsafe fn walk<A: Blocks + ?Sized>(
        heap: &A,
        mut page: *mut u8,
        degree: u32,
        contributions: *const f32,
    ) -> f64 {
        let (mut sum, mut left) = (0.0, degree);
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

    /// Sums the parts of hubs.
    ///
    /// # Safety
    ///
    /// `iteration` is one over the same arguments.
    #[inline(always)]
    unsafe fn hubs<W: Warp, A: DeviceHeap<W> + ?Sized>(
        warp: W,
        ranks: &Ranks,
        iteration: &mut Iteration,
    ) {
        // SAFETY: counted by an earlier launch.
        let parts = unsafe { *ranks.counts.add(1) };
        let mut index = warp.warp();
        while index < parts {
            // SAFETY: below the number of parts, which are of listed chains; the directory has
            // their pages.
            unsafe {
                let part = *ranks.parts.add(index as usize);
                let degree = (*ranks.incoming.add(part.vertex as usize)).degree;
                let directory = ranks.directory.add(part.pages as usize);
                let (mut sum, mut number) = (0.0, part.first + warp.lane());
                while number < part.first + PART_PAGES && number < pages::<A>(degree) {
                    let address = *directory.add(number as usize);
                    let page = core::ptr::with_exposed_provenance_mut(address as usize);
                    let left = degree - number * capacity::<A>();
                    let count = if left < capacity::<A>() {
                        left
                    } else {
                        capacity::<A>()
                    };
                    sum += Self::pull::<A>(page, count, ranks.contributions);
                    number += W::LANES;
                }
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
        unsafe { Self::hubs::<W, A>(warp, &ranks, &mut iteration) };
        let rows = Rows::new(warp, ranks.vertices, W::LANES);
        let mut vertex = rows.first + warp.lane();
        while vertex < rows.end {
            // SAFETY: below the number of records, whose chains have `degree`
            // neighbours; the vertex is this lane's.
            unsafe {
                let record = *ranks.incoming.add(vertex as usize);
                if pages::<A>(record.degree) <= SHORT && !record.is_absent() {
                    let page = first(&record);
                    let sum = Self::walk(heap, page, record.degree, ranks.contributions);
                    iteration.settle(vertex, sum);
                }
            }
            vertex += rows.step;
        }
        iteration.end(warp);
    }
}
