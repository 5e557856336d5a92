//! Breadth-first search by warps of any width.

use core::sync::atomic::Ordering::Relaxed;

use super::{SearchArguments, UNREACHED, word};
use crate::graph::store::Vertex;
use crate::kernel::PlainKernel;
use crate::simt::reduce::has;
use crate::simt::segments::Segments;
use crate::simt::{Warp, rank};

/// Clears the depths and lists the source.
pub struct SearchStart;

impl PlainKernel for SearchStart {
    type Arguments = SearchArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, search: SearchArguments) {
        let mut vertex = warp.thread();
        while vertex < search.vertices {
            let depth = if vertex == search.source {
                0
            } else {
                UNREACHED
            };
            // SAFETY: the kernel's contract, and the vertex exists.
            // Relaxed, here and below: read by later launches.
            unsafe { search.depth(vertex).store(depth, Relaxed) };
            vertex += warp.threads();
        }
        if warp.thread() == 0 {
            // SAFETY: the kernel's contract; lists have room for every vertex.
            unsafe {
                search.level.write(search.source);
                search.header(0).store(1, Relaxed);
                search.header(1).store(0, Relaxed);
                search.header(2).store(0, Relaxed);
                search.header(word::REACHED).store(1, Relaxed);
                search.header(word::DEPTH).store(0, Relaxed);
            }
        }
    }
}

/// A level.
pub struct SearchLevel;

impl SearchLevel {
    /// Puts the vertices of lanes that `found` one on the next list.
    ///
    /// # Safety
    ///
    /// The kernel's contract holds, all lanes of the warp call this, and no vertex is found
    /// twice in a search.
    #[inline(always)]
    unsafe fn append<W: Warp>(warp: W, search: &SearchArguments, found: bool, vertex: u32) -> u32 {
        let finds = warp.ballot(W::FULL, found);
        let mut position = 0;
        if finds != 0 {
            if warp.lane() == 0 {
                // SAFETY: the caller's promise.
                let length = unsafe { search.length(1) };
                // Relaxed: the list is read by the next launch.
                position = length.fetch_add(finds.count_ones(), Relaxed);
            }
            position = warp.shuffle(W::FULL, position, 0) + rank(finds, warp.lane());
            if has(finds, warp.lane()) {
                // SAFETY: a vertex is found once, so there is room.
                unsafe { search.next.add(position as usize).write(vertex) };
            }
        }
        finds.count_ones()
    }
}

impl PlainKernel for SearchLevel {
    type Arguments = SearchArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, search: SearchArguments) {
        // SAFETY: the kernel's contract.
        let (this, after_next) = unsafe { (search.length(0), search.length(2)) };
        // Relaxed: counted by the launch before.
        let length = this.load(Relaxed);
        if warp.thread() == 0 {
            // Nobody else uses it in this launch.
            after_next.store(0, Relaxed);
        }
        let mut reached = 0;
        let mut row = warp.warp() * W::LANES;
        while row < length {
            let mut record = Vertex::default();
            if row + warp.lane() < length {
                // SAFETY: within the list, which holds vertices.
                unsafe {
                    let vertex = *search.level.add((row + warp.lane()) as usize);
                    record = *search.records.add(vertex as usize);
                }
            }
            let segments = Segments::new(warp, record.degree);
            let mut base = 0;
            while base < segments.total {
                let item = base + warp.lane();
                let (owner, position) = segments.locate(warp, item);
                let address = warp.shuffle64(W::FULL, record.address, owner);
                let (mut found, mut neighbour) = (false, 0);
                if item < segments.total {
                    let of = Vertex {
                        address,
                        ..Vertex::default()
                    };
                    // SAFETY: the position is below the vertex' degree, and neighbours are
                    // vertices.
                    let depth = unsafe {
                        neighbour = *of.entries().add(position as usize);
                        search.depth(neighbour)
                    };
                    // Relaxed: the exchange alone decides who found it; all
                    // would write the same.
                    found = depth.load(Relaxed) == UNREACHED
                        && depth.compare_exchange(UNREACHED, search.depth + 1, Relaxed)
                            == UNREACHED;
                }
                // SAFETY: the kernel's contract; whoever found a vertex has exchanged its
                // depth, which one lane does.
                reached += unsafe { Self::append(warp, &search, found, neighbour) };
                base += W::LANES;
            }
            row += warp.threads();
        }
        if warp.lane() == 0 && reached > 0 {
            // SAFETY: the kernel's contract.
            let (total, deepest) =
                unsafe { (search.header(word::REACHED), search.header(word::DEPTH)) };
            // Relaxed: the host reads them after the launch.
            total.fetch_add(reached, Relaxed);
            deepest.fetch_max(search.depth + 1, Relaxed);
        }
    }
}
