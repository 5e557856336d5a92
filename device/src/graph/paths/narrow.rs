//! Steps with little to do, many of them in one launch of one block.
//!
//! A launch takes longer than a step of few vertices, and the graph of a road network has thousands of
//! those. One block needs a barrier between steps and no launch. Its near vertices are in shared memory
//! (`queue`), so that a step is four accesses to memory that depend on each other: records and
//! distances; entries and weights; the minima; and for the vertices that are far, whether they are
//! piled up.
//!
//! The block takes over the frontier that a launch has left, and leaves one when it has become wide, or
//! when it has made `MAX_STEPS`.

use core::sync::atomic::Ordering::Relaxed;

use super::queue::{NearQueue, ROOM};
use super::step::{Front, NearEdge, NearRow};
use super::{Paths, SsspArguments, word};
use crate::graph::store::VertexId;
use crate::kernel::PlainKernel;
use crate::simt::segments::Segments;
use crate::simt::{Block, BlockShape, MAX_SHARED_BYTES, Warp, leader, rank};

/// Steps of a launch, at the most: some ten milliseconds, so that an interrupt finds the device idle
/// soon.
const MAX_STEPS: u32 = 4096;

/// Near vertices that a block takes: two a thread. More are done sooner by a launch.
const MAX_NEAR: u32 = 2048;

/// Far vertices that a block divides.
const MAX_FAR: u32 = 1 << 14;

/// Neighbours of a vertex that a warp takes; the chunks of more are for many.
const MAX_DEGREE: u32 = 1024;

const _: () = assert!(MAX_NEAR <= ROOM);

/// Makes steps in a row; see the module.
pub struct PathNarrow;

/// Whether one block makes a step with so many near and far vertices.
#[inline(always)]
fn is_narrow(near: u32, far: u32) -> bool {
    if near > 0 {
        near <= MAX_NEAR
    } else {
        far > 0 && far <= MAX_FAR
    }
}

/// A step of the block.
#[derive(Clone, Copy)]
struct Narrow<'a, W> {
    warp: W,
    paths: &'a Paths,
    queue: NearQueue<'a, W>,
}

impl<W: Warp> Narrow<'_, W> {
    /// Relaxes the edges of the near vertices, `near` of them.
    ///
    /// # Safety
    ///
    /// All warps of the block make the call, with the state and the number that the step begins with.
    #[inline(always)]
    unsafe fn relax(self, state: &Front, near: u32) {
        let Self { warp, paths, queue } = self;
        let block = Block::of(warp);
        let mut least = u64::MAX;
        let mut first = warp.warp_in_block() * W::LANES;
        // SAFETY: items of the queue are near vertices, and targets exist; a vertex is piled up by the
        // lane that marks it so.
        unsafe {
            while first < near {
                let mut source = NearRow::NONE;
                if first + warp.lane() < near {
                    let item = queue.get(state.number, first + warp.lane());
                    source = NearRow::whole(paths, item);
                    if source.length > MAX_DEGREE {
                        queue.spill(item as u32, state.number);
                        source.length = 0;
                    }
                }
                let segments = Segments::new(warp, source.length);
                let mut base = 0;
                while base < segments.total {
                    let item = base + warp.lane();
                    let edge = NearEdge::read(warp, paths, &segments, &source, item);
                    // No load before the minimum: a step waits for what it waits for most.
                    let relaxed = edge.relax(paths, edge.is_there);
                    let is_near = edge.distance < state.bound;
                    queue.push(state.number + 1, relaxed && is_near, edge.target.number());
                    if relaxed && !is_near && edge.distance < least {
                        least = edge.distance;
                    }
                    // Relaxed: the exchange alone decides which lane piles the vertex up.
                    let piles =
                        relaxed && !is_near && paths.piled(edge.target).swap(1, Relaxed) == 0;
                    self.pile_up(state.divisions, piles, edge.target.number());
                    base += W::LANES;
                }
                first += block.threads();
            }
        }
        self.leave_least(state.divisions, least);
    }

    /// Divides the far vertices, as a step of many blocks does ([`step`](super::step)).
    ///
    /// # Safety
    ///
    /// All warps of the block make the call, with the state that the step begins with.
    #[inline(always)]
    unsafe fn divide(self, state: &Front, far: u32, bound: u64) {
        let Self { warp, paths, queue } = self;
        let block = Block::of(warp);
        let pile = paths.far(state.divisions);
        let mut least = u64::MAX;
        let mut first = warp.warp_in_block() * W::LANES;
        // SAFETY: within the pile, whose vertices exist and are there once.
        unsafe {
            while first < far {
                let (mut vertex, mut is_near, mut is_far) = (0, false, false);
                if first + warp.lane() < far {
                    vertex = *pile.add((first + warp.lane()) as usize);
                    let id = VertexId::new(vertex);
                    // Relaxed, here and below: no other lane accesses them in this step.
                    let distance = paths.distance(id).load(Relaxed);
                    is_far = distance >= bound;
                    is_near = !is_far && distance >= state.bound;
                    if !is_far {
                        paths.piled(id).store(0, Relaxed);
                    } else if distance < least {
                        least = distance;
                    }
                }
                queue.push(state.number + 1, is_near, vertex);
                self.pile_up(state.divisions + 1, is_far, vertex);
                first += block.threads();
            }
        }
        self.leave_least(state.divisions + 1, least);
    }

    /// Adds the vertices of lanes that pile one up to a pile. All lanes of the warp call this.
    ///
    /// # Safety
    ///
    /// The pile does not have them, and they exist.
    #[inline(always)]
    unsafe fn pile_up(self, divisions: u32, piles: bool, vertex: u32) {
        let Self { warp, paths, .. } = self;
        let lanes = warp.ballot(W::FULL, piles);
        if lanes == 0 {
            return;
        }
        let mut place = 0;
        if warp.lane() == leader(lanes) {
            let count = paths.pile::<{ word::FAR }>(divisions);
            // Relaxed: read behind a barrier, or by a later launch.
            place = count.fetch_add(lanes.count_ones().into(), Relaxed) as u32;
        }
        place = warp.shuffle(W::FULL, place, leader(lanes));
        if piles {
            let at = place + rank(lanes, warp.lane());
            // SAFETY: the places are this warp's, and a pile has room for all vertices, each once.
            unsafe { paths.far(divisions).add(at as usize).write(vertex) };
        }
    }

    /// Leaves the least distance of what this lane has found far.
    #[inline(always)]
    fn leave_least(self, divisions: u32, least: u64) {
        if least != u64::MAX {
            // Relaxed: read behind a barrier, or by a later launch.
            let word = self.paths.pile::<{ word::MIN_DISTANCE }>(divisions);
            word.fetch_max(!least, Relaxed);
        }
    }
}

impl PlainKernel for PathNarrow {
    type Arguments = SsspArguments;
    const REGISTERS: u32 = 64;
    const BLOCK: BlockShape = BlockShape::sharing(32, MAX_SHARED_BYTES);

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, arguments: SsspArguments) {
        let block = Block::of(warp);
        if block.index() > 0 {
            return;
        }
        // SAFETY: the kernel's contract; the block has the shared memory, and is the only one. All
        // threads go on by the same words, which change between barriers that all are behind.
        unsafe {
            let paths = Paths::new(arguments);
            let mut state = Front::load(&paths);
            if !is_narrow(state.near, state.far) {
                if block.thread() == 0 {
                    state.keep(&paths);
                }
                return;
            }
            let queue = NearQueue::new(warp, &paths);
            queue.take_over(state.number, state.near);
            let narrow = Narrow {
                warp,
                paths: &paths,
                queue,
            };
            let mut steps = 0;
            loop {
                let near = queue.count(state.number);
                let mut far = 0;
                if near == 0 {
                    // Relaxed: as in `Front::load`.
                    far = paths.pile::<{ word::FAR }>(state.divisions).load(Relaxed) as u32;
                }
                if steps >= MAX_STEPS || queue.has_spilled() || !is_narrow(near, far) {
                    break;
                }
                if block.thread() == 0 {
                    queue.clear(state.number + 2);
                }
                if near > 0 {
                    narrow.relax(&state, near);
                    state.relaxed += 1;
                } else {
                    let bound = state.bound_of_division(&paths);
                    narrow.divide(&state, far, bound);
                    state.bound = bound;
                    state.divisions += 1;
                    if block.thread() == 0 {
                        state.clear_pile(&paths);
                    }
                }
                state.number += 1;
                steps += 1;
                block.sync();
            }
            // All have read the counts.
            block.sync();
            queue.leave(state.number);
            block.sync();
            if block.thread() == 0 {
                state.leave(&paths);
            }
        }
    }
}
