//! The kernels: the start, and a step.

use core::sync::atomic::Ordering::Relaxed;

use super::found::Found;
use super::queue::WHOLE;
use super::{CHUNK, Paths, SsspArguments, UNREACHED, word};
use crate::graph::store::{Vertex, VertexId};
use crate::kernel::PlainKernel;
use crate::simt::Warp;
use crate::simt::segments::Segments;

/// Clears the distances and makes the source near.
pub struct PathStart;

impl PlainKernel for PathStart {
    type Arguments = SsspArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, paths: SsspArguments) {
        // SAFETY: the kernel's contract.
        let paths = unsafe { Paths::new(paths) };
        let mut index = warp.thread();
        while index < paths.vertices {
            let is_source = index == paths.source;
            // SAFETY: below the number of vertices.
            let vertex = unsafe { VertexId::new(index) };
            // Relaxed, here and below: read by later launches.
            let distance = if is_source { 0 } else { UNREACHED };
            paths.distance(vertex).store(distance, Relaxed);
            paths.piled(vertex).store(0, Relaxed);
            // SAFETY: each vertex has a stamp, and no step has this number.
            unsafe { paths.stamps.add(index as usize).write(0) };
            index += warp.threads();
        }
        if warp.warp() != 0 {
            return;
        }
        let mut index = warp.lane();
        while index < word::COUNT as u32 {
            paths.word(index).store(0, Relaxed);
            index += W::LANES;
        }
        // The header is cleared before lanes add to it.
        warp.sync(W::FULL);
        // SAFETY: one warp adds the source, for which there is room.
        unsafe {
            let mut found = Found::new(&paths, 0, 0);
            found.add_near(warp, warp.lane() == 0, paths.source);
            found.end(warp);
        }
        if warp.lane() == 0 {
            let bound = paths.frontier::<{ word::BOUND }>(1);
            bound.store(paths.next_bound(0), Relaxed);
            paths.frontier::<{ word::STEP }>(1).store(1, Relaxed);
        }
    }
}

/// The state that a step begins with.
#[derive(Clone, Copy)]
pub struct Front {
    /// Chunks of near vertices.
    pub near: u32,
    /// Far vertices.
    pub far: u32,
    /// Vertices below this distance are near.
    pub bound: u64,
    /// Divisions before.
    pub divisions: u32,
    /// The number of the step.
    pub number: u32,
    /// Steps before that have relaxed edges.
    pub relaxed: u32,
}

impl Front {
    /// The state that this launch begins with.
    #[inline(always)]
    pub fn load(paths: &Paths) -> Self {
        // Relaxed: written by the launch before.
        let divisions = paths.frontier::<{ word::DIVISIONS }>(0).load(Relaxed) as u32;
        Self {
            near: paths.frontier::<{ word::NEAR }>(0).load(Relaxed) as u32,
            far: paths.pile::<{ word::FAR }>(divisions).load(Relaxed) as u32,
            bound: paths.frontier::<{ word::BOUND }>(0).load(Relaxed),
            divisions,
            number: paths.frontier::<{ word::STEP }>(0).load(Relaxed) as u32,
            relaxed: paths.frontier::<{ word::RELAXED }>(0).load(Relaxed) as u32,
        }
    }

    /// Leaves this state to the next launch but for the near vertices. One lane of the launch calls
    /// this.
    #[inline(always)]
    pub fn leave(&self, paths: &Paths) {
        // Relaxed, here and below: the next launch reads them. No lane reads the words of the frontier
        // after the next, and of the pile after that, in this one.
        paths
            .frontier::<{ word::BOUND }>(1)
            .store(self.bound, Relaxed);
        let divisions = paths.frontier::<{ word::DIVISIONS }>(1);
        divisions.store(self.divisions.into(), Relaxed);
        let number = paths.frontier::<{ word::STEP }>(1);
        number.store(self.number.into(), Relaxed);
        paths
            .frontier::<{ word::RELAXED }>(1)
            .store(self.relaxed.into(), Relaxed);
        paths.frontier::<{ word::NEAR }>(2).store(0, Relaxed);
    }

    /// Leaves this state to the next launch as it is. One lane of the launch calls this.
    #[inline(always)]
    pub fn keep(&self, paths: &Paths) {
        self.leave(paths);
        // Relaxed: as above.
        paths
            .frontier::<{ word::NEAR }>(1)
            .store(self.near.into(), Relaxed);
    }

    /// Leaves what the next step must know but for what warps count. One lane of the launch calls this.
    #[inline(always)]
    fn pass_on(&self, paths: &Paths) {
        let number = self.number + 1;
        Self { number, ..*self }.leave(paths);
        self.clear_pile(paths);
    }

    /// Clears the words of the pile that the next division makes. One lane of the launch calls this.
    #[inline(always)]
    pub fn clear_pile(&self, paths: &Paths) {
        // Relaxed: no other lane reads them before the next launch, or the next barrier.
        let after = self.divisions + 1;
        paths.pile::<{ word::FAR }>(after).store(0, Relaxed);
        paths
            .pile::<{ word::MIN_DISTANCE }>(after)
            .store(0, Relaxed);
    }

    /// The bound that the next division raises this one to.
    #[inline(always)]
    pub fn bound_of_division(&self, paths: &Paths) -> u64 {
        // Relaxed: written by launches before, or behind a barrier.
        let least = !paths
            .pile::<{ word::MIN_DISTANCE }>(self.divisions)
            .load(Relaxed);
        // No far vertex has a distance below the least one.
        let from = if least > self.bound {
            least
        } else {
            self.bound
        };
        paths.next_bound(from)
    }
}

/// A chunk of a near vertex: its row from there on, and the distance of the vertex.
#[derive(Clone, Copy)]
pub struct NearRow {
    address: u64,
    /// Words from a neighbour to its weight.
    to_weight: u32,
    /// Entries.
    pub length: u32,
    distance: u64,
}

impl NearRow {
    /// An item of a block's queue, which may be a whole row.
    ///
    /// # Safety
    ///
    /// It is one that a step has pushed, or a chunk that a step has enqueued.
    #[inline(always)]
    pub unsafe fn whole(paths: &Paths, word: u64) -> Self {
        if (word >> 32) as u32 != WHOLE {
            // SAFETY: the caller's promise.
            return unsafe { Self::new(paths, word) };
        }
        // SAFETY: near vertices exist.
        let vertex = unsafe { VertexId::new(word as u32) };
        let row: Vertex = paths.row(vertex);
        Self {
            address: row.address,
            to_weight: row.capacity,
            length: row.degree,
            // Relaxed: as below.
            distance: paths.distance(vertex).load(Relaxed),
        }
    }

    /// No entries.
    pub const NONE: Self = Self {
        address: 0,
        to_weight: 0,
        length: 0,
        distance: 0,
    };

    /// A chunk of the queue.
    ///
    /// # Safety
    ///
    /// It is one that a step has enqueued.
    #[inline(always)]
    unsafe fn new(paths: &Paths, word: u64) -> Self {
        // SAFETY: near vertices exist.
        let vertex = unsafe { VertexId::new(word as u32) };
        let row: Vertex = paths.row(vertex);
        let first = (word >> 32) as u32 * CHUNK;
        let left = row.degree - first;
        Self {
            address: row.address + 4 * u64::from(first),
            to_weight: row.capacity,
            length: if left < CHUNK { left } else { CHUNK },
            // Relaxed: a distance that becomes less in this launch makes the vertex near again.
            distance: paths.distance(vertex).load(Relaxed),
        }
    }
}

/// An edge from a near vertex.
#[derive(Clone, Copy)]
pub struct NearEdge {
    /// Its end.
    pub target: VertexId,
    /// The distance of the end along this edge.
    pub distance: u64,
    /// Whether it is an edge of its own; else it is a copy of the last one.
    pub is_there: bool,
}

impl NearEdge {
    /// Entry `item` of the rows of all lanes, or a copy of the last one. All lanes call this.
    ///
    /// # Safety
    ///
    /// The rows have entries, which are those of the graph, and no thread writes to them meanwhile.
    #[inline(always)]
    pub unsafe fn read<W: Warp>(
        warp: W,
        paths: &Paths,
        segments: &Segments,
        source: &NearRow,
        item: u32,
    ) -> Self {
        // Without a branch, whose condition `is_there` would repeat behind collectives.
        let within = item - item.saturating_sub(segments.total - 1);
        let (owner, position) = segments.locate(warp, within);
        let address = warp.shuffle64(W::FULL, source.address, owner);
        let to_weight = warp.shuffle(W::FULL, source.to_weight, owner);
        let distance = warp.shuffle64(W::FULL, source.distance, owner);
        let entry = core::ptr::with_exposed_provenance::<u32>(address as usize)
            .wrapping_add(position as usize);
        // SAFETY: the position is below the length of that row; a neighbour is a vertex, and has a
        // weight.
        unsafe {
            let weight = *entry.wrapping_add(to_weight as usize);
            Self {
                target: VertexId::new(*entry),
                distance: paths.sum(distance, weight),
                is_there: item < segments.total,
            }
        }
    }

    /// Whether the edge seems to make the distance of its target less.
    #[inline(always)]
    fn is_less(self, paths: &Paths) -> bool {
        // Relaxed: the minimum decides.
        self.is_there && self.distance < paths.distance(self.target).load(Relaxed)
    }

    /// Whether it does, where it seems so.
    #[inline(always)]
    pub fn relax(self, paths: &Paths, is_less: bool) -> bool {
        // Relaxed: later launches read the distance, or this one, which then comes back to it.
        is_less
            && paths
                .distance(self.target)
                .fetch_min(self.distance, Relaxed)
                > self.distance
    }
}

/// The part of a warp in a step.
#[derive(Clone, Copy)]
struct Stepping<'a, W> {
    warp: W,
    paths: &'a Paths,
}

impl<W: Warp> Stepping<'_, W> {
    /// Makes a step. All warps of the launch call this.
    ///
    /// # Safety
    ///
    /// The state is the one that the step begins with.
    #[inline(always)]
    unsafe fn step(self, state: Front) {
        let Self { warp, paths } = self;
        if state.near > 0 {
            if warp.thread() == 0 {
                let relaxed = state.relaxed + 1;
                Front { relaxed, ..state }.pass_on(paths);
            }
            // SAFETY: the state of this step.
            unsafe { self.relax(&state) };
            return;
        }
        if state.far == 0 {
            // The end: what follows finds no more than this step did.
            if warp.thread() == 0 {
                state.pass_on(paths);
            }
            return;
        }
        let next = Front {
            bound: state.bound_of_division(paths),
            divisions: state.divisions + 1,
            ..state
        };
        if warp.thread() == 0 {
            next.pass_on(paths);
        }
        // SAFETY: the state of this step, and no vertex is near.
        unsafe { self.divide(&state, next.bound) };
    }

    /// Relaxes the edges of the near vertices.
    ///
    /// # Safety
    ///
    /// All warps of the launch make the call, with the state that it begins with.
    #[inline(always)]
    unsafe fn relax(self, state: &Front) {
        let Self { warp, paths } = self;
        let near = paths.near(state.number);
        let mut first = warp.warp() * W::LANES;
        // SAFETY: within the frontier's queue; a vertex is added by the lane that stamps it, or that
        // marks it as piled.
        unsafe {
            let mut found = Found::new(paths, state.number, state.divisions);
            while first < state.near {
                let mut source = NearRow::NONE;
                if first + warp.lane() < state.near {
                    source = NearRow::new(paths, *near.add((first + warp.lane()) as usize));
                }
                let segments = Segments::new(warp, source.length);
                let mut base = 0;
                while base < segments.total {
                    found.make_room(warp);
                    let read = |row: u32| {
                        let item = base + warp.lane() + row * W::LANES;
                        NearEdge::read(warp, paths, &segments, &source, item)
                    };
                    let edges = [read(0), read(1), read(2), read(3)];
                    // The loads first: none of them waits for a minimum.
                    let less = edges.map(|edge| edge.is_less(paths));
                    let relaxed = [
                        edges[0].relax(paths, less[0]),
                        edges[1].relax(paths, less[1]),
                        edges[2].relax(paths, less[2]),
                        edges[3].relax(paths, less[3]),
                    ];
                    self.add(&mut found, state, edges[0], relaxed[0]);
                    self.add(&mut found, state, edges[1], relaxed[1]);
                    self.add(&mut found, state, edges[2], relaxed[2]);
                    self.add(&mut found, state, edges[3], relaxed[3]);
                    base += 4 * W::LANES;
                }
                first += warp.threads();
            }
            found.end(warp);
        }
    }

    /// Adds the target of an edge that was relaxed. All lanes call this.
    ///
    /// # Safety
    ///
    /// There is room.
    #[inline(always)]
    unsafe fn add(self, found: &mut Found, state: &Front, edge: NearEdge, relaxed: bool) {
        let Self { warp, paths } = self;
        let is_near = edge.distance < state.bound;
        let enqueues = relaxed && is_near && paths.stamp(edge.target, state.number);
        let mut piles = false;
        if relaxed && !is_near {
            found.note(edge.distance);
            let piled = paths.piled(edge.target);
            // Relaxed: the exchange alone decides which lane piles the vertex up.
            piles = piled.load(Relaxed) == 0 && piled.swap(1, Relaxed) == 0;
        }
        // SAFETY: the caller's promise; targets exist.
        unsafe {
            found.add_near(warp, enqueues, edge.target.number());
            found.add_far(warp, piles, edge.target.number());
        }
    }

    /// Divides the far vertices: those below the next bound become near, those below this one have
    /// been near since they were piled up, and the others are piled up anew.
    ///
    /// # Safety
    ///
    /// All warps of the launch make the call, with the state that it begins with; no vertex is near.
    #[inline(always)]
    unsafe fn divide(self, state: &Front, bound: u64) {
        let Self { warp, paths } = self;
        let far = state.far;
        let pile = paths.far(state.divisions);
        let mut first = warp.warp() * W::LANES;
        // SAFETY: within the pile, whose vertices exist and are there once.
        unsafe {
            let mut found = Found::new(paths, state.number, state.divisions + 1);
            while first < far {
                found.make_room(warp);
                let (mut vertex, mut is_near, mut is_far) = (0, false, false);
                if first + warp.lane() < far {
                    vertex = *pile.add((first + warp.lane()) as usize);
                    let id = VertexId::new(vertex);
                    // Relaxed, here and below: no other lane of this launch accesses them.
                    let distance = paths.distance(id).load(Relaxed);
                    is_far = distance >= bound;
                    is_near = !is_far && distance >= state.bound;
                    if is_far {
                        found.note(distance);
                    } else {
                        paths.piled(id).store(0, Relaxed);
                    }
                }
                found.add_near(warp, is_near, vertex);
                found.add_far(warp, is_far, vertex);
                first += warp.threads();
            }
            found.end(warp);
        }
    }
}

/// A step; see the module [`paths`](super).
pub struct PathStep;

impl PlainKernel for PathStep {
    type Arguments = SsspArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, paths: SsspArguments) {
        // SAFETY: the kernel's contract; the state is that which the launch before has left.
        unsafe {
            let paths = Paths::new(paths);
            let stepping = Stepping {
                warp,
                paths: &paths,
            };
            stepping.step(Front::load(&paths));
        }
    }
}
