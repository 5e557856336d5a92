//! Levels of narrow frontiers, many of them in one launch of one block.
//!
//! A launch takes longer than a level of few vertices, and the graph of a road network has
//! thousands of those. One block needs a barrier between levels and no launch. Its frontier is
//! in shared memory (`quads`), so that a level is two accesses to memory that depend on each
//! other: the entries of the frontier's rows; then the exchanges of the neighbours' depths
//! and, at the same time, their records, which most of the exchanges turn out to need.
//!
//! The block takes over a frontier from the queue, and leaves one there when it has become
//! wide, or when the launch has searched `MAX_LEVELS`. A frontier that is wide from the
//! beginning it passes on as it is.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::hint::opaque;

use super::count::Count;
use super::level::Level;
use super::quads::{Quad, Quads};
use super::{Search, SearchArguments, UNREACHED, word};
use crate::graph::chunks::Chunk;
use crate::kernel::PlainKernel;
use crate::simt::{Block, BlockShape, MAX_SHARED_BYTES, Warp};

/// Levels of a launch, at the most: half a millisecond, so that the host learns soon how narrow they
/// are, and an interrupt finds the device idle.
const MAX_LEVELS: u32 = 128;

/// Searches narrow frontiers; see the module.
pub struct SearchNarrow;

impl PlainKernel for SearchNarrow {
    type Arguments = SearchArguments;
    const REGISTERS: u32 = 64;
    const BLOCK: BlockShape = BlockShape::sharing(32, MAX_SHARED_BYTES);

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, search: SearchArguments) {
        // SAFETY: the kernel's contract.
        let search = unsafe { Search::new(search) };
        let block = Block::of(warp);
        if block.index() > 0 {
            return;
        }
        let level = Level::load(warp, &search);
        if warp.warp() == 0 {
            // SAFETY: the words of a frontier.
            unsafe { search.clear(warp, search.frontier(2), word::FRONTIER) };
        }
        if level.vertices == 0 {
            return;
        }
        if !level.is_narrow(Quads::<W>::room(&search)) {
            if block.thread() == 0 {
                level.keep(&search);
            }
            return;
        }
        let mut count = Count::new(block, &level);
        // SAFETY: the shape of the block; the level is this step's and its chunks have no more
        // quads than there is room for. All threads see the same counts, so that all of them
        // make the same calls.
        unsafe {
            let quads = Quads::new(warp, &search, level.begin + level.chunks);
            quads.load(level.begin, level.chunks);
            block.sync();
            let (mut done, mut width) = (0, quads.count(0));
            while width > 0 && quads.has_room(width) && done < MAX_LEVELS {
                if block.thread() == 0 {
                    quads.clear(done + 2);
                }
                count.advance();
                let depth = level.depth + done + 1;
                let mut first = warp.warp_in_block() * W::LANES;
                while first < width {
                    let quad = quads.get(done, first + warp.lane(), width);
                    let rows = find::<W>(&search, quad, depth, &mut count);
                    quads.push(done + 1, rows, quad.vertex);
                    first += block.threads();
                }
                block.sync();
                done += 1;
                width = quads.count(done);
            }
            quads.enqueue(done, width);
            count.pass_on(warp, &search, &level, done);
        }
    }
}

/// The rows of the vertices that a quad finds, at this depth.
///
/// # Safety
///
/// The quad is of a row of the graph, which no thread writes to.
#[inline(always)]
unsafe fn find<W: Warp>(search: &Search, quad: Quad, depth: u32, count: &mut Count) -> [Chunk; 4] {
    // SAFETY: the caller's promise.
    let entries = unsafe { quad.entries(search) };
    let places = [0, 1, 2, 3];
    if W::IS_SOLO {
        return places.map(|at: usize| {
            let entry = entries[at];
            // Relaxed: no other thread of the launch accesses depths.
            if !quad.may_find(at, entry) || search.depth(entry).load(Relaxed) != UNREACHED {
                return Chunk::default();
            }
            search.depth(entry).store(depth, Relaxed);
            count.add(Chunk::row(entry.number(), search.outgoing(entry), 0))
        });
    }
    // Lanes that need none read the record of the first vertex, together, by one access.
    let records = places.map(|at: usize| {
        let is_needed = quad.may_find(at, entries[at]);
        search.outgoing_at_once(is_needed.then_some(entries[at]))
    });
    // No load before the exchange: that would be one access after the other. Relaxed: the
    // exchange alone decides who found the vertex, and later launches read the depth.
    let before = places.map(|at: usize| match quad.may_find(at, entries[at]) {
        true => search
            .depth(entries[at])
            .compare_exchange(UNREACHED, depth, Relaxed),
        false => depth,
    });
    places.map(|at: usize| {
        // Opaque: else each exchange would be waited for before the next one.
        if opaque(before[at]) != UNREACHED {
            return Chunk::default();
        }
        count.add(Chunk::row(entries[at].number(), records[at], 0))
    })
}
