//! The hubs: the vertices of the highest degrees, a bin of degrees at a time, as long as
//! there are codes for all of a bin.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::SharedU32;

use super::{BINS, HubArguments, List, MAX_HUBS, bin, granule_of, slot, word};
use crate::kernel::PlainKernel;
use crate::simt::Warp;
use crate::simt::rows::Rows;

/// The first standing of a bin whose vertices have no codes.
const NO_CODE: u32 = u32::MAX;

/// Whether a vertex of this degree may be in a triangle.
#[inline(always)]
const fn may_have_triangles(degree: u32) -> bool {
    degree >= 2
}

/// Counts the vertices of each bin.
pub struct HubBins;

impl PlainKernel for HubBins {
    type Arguments = HubArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, graph: HubArguments) {
        let counters: *mut u32 = warp.scratch().cast();
        // SAFETY: the scratch memory is the warp's and has a word for each bin, which its lanes
        // write one each, then access as atomics, then read, with a `sync` in between. Rows are
        // vertices.
        unsafe {
            let mut value = warp.lane();
            while value < BINS {
                counters.add(value as usize).write(0);
                value += W::LANES;
            }
            warp.sync(W::FULL);
            let rows = Rows::new(warp, graph.vertices, W::LANES);
            let mut vertex = rows.first + warp.lane();
            while vertex < rows.end {
                let degree = (*graph.records.add(vertex as usize)).degree;
                if may_have_triangles(degree) {
                    let counter = &*counters.add(bin(degree) as usize).cast::<SharedU32>();
                    // Relaxed: `sync` orders it before it is read.
                    counter.fetch_add(1, Relaxed);
                }
                vertex += rows.step;
            }
            warp.sync(W::FULL);
            let mut value = warp.lane();
            while value < BINS {
                let count = *counters.add(value as usize);
                if count > 0 {
                    // Relaxed: read by the next launch.
                    graph.header(word::COUNTS + value).fetch_add(count, Relaxed);
                }
                value += W::LANES;
            }
        }
    }
}

/// Gives each vertex its standing, and rows to all of them.
pub struct HubStandings;

impl HubStandings {
    /// Puts into scratch memory the first code of each bin; returns the number of hubs.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds, `HubBins` has run, `starts` is the scratch memory of the
    /// warp, and all its lanes make the call.
    #[inline(always)]
    unsafe fn start_bins<W: Warp>(warp: W, graph: &HubArguments, starts: *mut u32) -> u32 {
        let (mut above, mut hubs) = (0_u32, 0);
        let mut top = BINS;
        while top > 0 {
            let value = top - 1 - warp.lane();
            // SAFETY: below the number of bins, whose counts an earlier launch has written, and
            // each lane writes a word of its own.
            let end = unsafe {
                let count = *graph.header.add((word::COUNTS + value) as usize);
                let end = above + warp.all_inclusive_sum(count);
                let has_codes = end <= graph.most_hubs;
                let start = if has_codes { end - count } else { NO_CODE };
                starts.add(value as usize).write(start);
                end
            };
            let coded = if end <= graph.most_hubs { end } else { 0 };
            hubs = hubs.max(coded);
            above = warp.shuffle(W::FULL, end, W::LANES - 1);
            top -= W::LANES;
        }
        warp.sync(W::FULL);
        warp.all_max(hubs)
    }
}

impl PlainKernel for HubStandings {
    type Arguments = HubArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, graph: HubArguments) {
        let starts: *mut u32 = warp.scratch().cast();
        // SAFETY: the kernel's contract; rows are vertices, bins have a start each, and no two
        // vertices have the same slot.
        unsafe {
            let hubs = Self::start_bins(warp, &graph, starts);
            if warp.warp() == 0 && warp.lane() == 0 {
                // Relaxed: read by later launches.
                graph.header(word::HUBS).store(hubs, Relaxed);
            }
            let rows = Rows::new(warp, graph.vertices, W::LANES);
            let mut vertex = rows.first + warp.lane();
            while vertex < rows.end {
                let degree = (*graph.records.add(vertex as usize)).degree;
                let offset = graph.offset(vertex);
                let bin = bin(degree);
                let start = *starts.add(bin as usize);
                let mut standing = !degree;
                if may_have_triangles(degree) && start != NO_CODE {
                    // Relaxed: it only has to be another one each time, and there are no more
                    // of the bin than were counted.
                    standing = start + graph.header(word::CODED + bin).fetch_add(1, Relaxed);
                    graph.hubs.add(standing as usize).write(vertex);
                }
                graph.standings.add(vertex as usize).write(standing);
                graph.slots.add(slot(standing, vertex)).write(List {
                    start: granule_of(vertex, offset),
                    length: 0,
                });
                graph.lists.add(vertex as usize).write(List {
                    start: offset,
                    length: 0,
                });
                vertex += rows.step;
            }
        }
    }
}

// A degree is below 2^31, as the number of vertices is: no standing of another vertex is a code.
const _: () = assert!(MAX_HUBS < !(i32::MAX as u32));
