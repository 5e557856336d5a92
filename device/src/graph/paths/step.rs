//! The kernel that makes a step.

use core::sync::atomic::Ordering::Relaxed;

use super::edge::{NearEdge, NearRow};
use super::found::Found;
use super::front::Front;
use super::{CHUNK, Paths, SsspArguments, UNREACHED};
use crate::graph::store::VertexId;
use crate::kernel::PlainKernel;
use crate::simt::Warp;
use crate::simt::segments::Segments;

/// The maximum number of times that a warp goes on with the vertices that it has found near. With more,
/// it relaxes edges from distances that other warps are about to make less.
const MAX_TURNS: u32 = 16;

/// The same in a round of [`tree`](super::tree), where what follows takes improvements further at once.
const MAX_TURNS_OF_ROUND: u32 = 4;

/// Vertices that a warp takes at a time where there are few: with their edges and the vertices behind
/// these, they are work for all lanes.
const SHARE: u32 = 4;

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
        let divides = state.near == 0;
        let next = if !divides {
            Front {
                relaxed: state.relaxed + 1,
                ..state
            }
        } else if state.far > 0 {
            Front {
                bound: state.bound_of_division(paths),
                divisions: state.divisions + 1,
                ..state
            }
        } else {
            // The end: what follows finds no more than this step does.
            state
        };
        if warp.thread() == 0 {
            next.pass_on(paths);
        }
        // SAFETY: the states of this step.
        unsafe { self.go_over(&state, &next) };
    }

    /// Goes over the near vertices, or the far ones if the step divides them, and relaxes the edges of all
    /// that are below the bound.
    ///
    /// A warp goes on with the vertices that it has made near, some times over, as long as they are few:
    /// the next step would take longer to begin. The rows of hubs are left to it. A lane that is alone
    /// does its share first, and then goes on until none waits, or hundreds do (bucket fusion, Zhang
    /// and others 2020).
    ///
    /// # Safety
    ///
    /// All warps of the launch make the call, with the state that it begins with and the next one, but
    /// for the numbers of near and far vertices.
    #[inline(always)]
    unsafe fn go_over(self, state: &Front, next: &Front) {
        let Self { warp, paths } = self;
        let divides = state.near == 0;
        let count = if divides { state.far } else { state.near };
        let bound = next.bound;
        let share = self.share(count);
        let is_round = bound == UNREACHED;
        let max_turns = if is_round {
            MAX_TURNS_OF_ROUND
        } else {
            MAX_TURNS
        };
        let mut first = warp.warp() * share;
        let mut times = 0;
        let mut found = Found::new(paths, state.number, next.divisions);
        // SAFETY: within the frontier's queue or the pile, whose vertices exist and are there once; so
        // do those that wait.
        unsafe {
            loop {
                let mut source = NearRow::NONE;
                let goes_on = if W::IS_SOLO {
                    first >= count
                } else {
                    times < max_turns
                };
                if goes_on && found.has_few::<W>() {
                    times += 1;
                    let (vertex, row) = found.take(warp);
                    let is_hub = !W::IS_SOLO && row.length > CHUNK;
                    if !is_hub {
                        source = row;
                    }
                    found.add_near(warp, is_hub, vertex, &row);
                    if warp.ballot(W::FULL, source.length > 0) == 0 {
                        times = max_turns;
                    }
                } else if first < count {
                    times = 0;
                    found.make_room(warp);
                    let place = first + warp.lane();
                    let is_there = warp.lane() < share && place < count;
                    if divides {
                        self.divide(&mut found, state, bound, is_there.then_some(place));
                    } else if is_there {
                        let near = paths.near(state.number);
                        source = NearRow::new(paths, *near.add(place as usize));
                    }
                    first += warp.warps() * share;
                } else {
                    break;
                }
                self.relax_rows(&mut found, bound, &source);
            }
            found.end(warp);
        }
    }

    /// Vertices that a warp takes at a time: few where there are few, so that many warps share them.
    #[inline(always)]
    fn share(self, count: u32) -> u32 {
        let few = count <= self.warp.warps().saturating_mul(SHARE);
        if few && SHARE < W::LANES {
            SHARE
        } else {
            W::LANES
        }
    }

    /// Takes the far vertex at a lane's place: one below the next bound becomes near, one below this
    /// bound has been near since it was piled up, and another is piled up anew. All lanes call this.
    ///
    /// # Safety
    ///
    /// The place is this lane's, within the pile; there is room for a vertex a lane.
    #[inline(always)]
    unsafe fn divide(self, found: &mut Found, state: &Front, bound: u64, place: Option<u32>) {
        let Self { warp, paths } = self;
        let (mut vertex, mut is_near, mut is_far) = (0, false, false);
        // SAFETY: within the pile, whose vertices exist.
        unsafe {
            if let Some(place) = place {
                vertex = *paths.far(state.divisions).add(place as usize);
                let id = VertexId::new(vertex);
                // Relaxed, here and below: whoever has made the distance less since then has found the
                // vertex near, or finds it piled up as it is.
                let distance = paths.distance(id).load(Relaxed);
                is_far = distance >= bound;
                is_near = !is_far && distance >= state.bound;
                if is_far {
                    found.note(distance);
                } else {
                    paths.piled(id).store(0, Relaxed);
                }
            }
            found.add_near(warp, is_near, vertex, &NearRow::UNREAD);
            found.add_far(warp, is_far, vertex);
        }
    }

    /// Relaxes the edges of the lanes' rows.
    ///
    /// # Safety
    ///
    /// The rows are of near vertices below the bound.
    #[inline(always)]
    unsafe fn relax_rows(self, found: &mut Found, bound: u64, source: &NearRow) {
        let Self { warp, paths } = self;
        let segments = Segments::new(warp, source.length);
        let mut base = 0;
        // SAFETY: rows of the graph; there is room for four vertices a lane.
        unsafe {
            if !W::IS_SOLO && base < segments.total && segments.total <= W::LANES {
                return self.relax_few(found, bound, source, &segments);
            }
            while base < segments.total {
                found.make_room(warp);
                let read = |row: u32| {
                    let item = base + warp.lane() + row * W::LANES;
                    NearEdge::read(warp, paths, &segments, source, item)
                };
                let edges = [read(0), read(1), read(2), read(3)];
                // The loads first: none of them waits for a minimum.
                let less = edges.map(|edge| edge.is_less(paths));
                let before = [
                    edges[0].relax(paths, less[0]),
                    edges[1].relax(paths, less[1]),
                    edges[2].relax(paths, less[2]),
                    edges[3].relax(paths, less[3]),
                ];
                let unread = NearRow::UNREAD;
                self.add(found, bound, edges[0], &unread, before[0]);
                self.add(found, bound, edges[1], &unread, before[1]);
                self.add(found, bound, edges[2], &unread, before[2]);
                self.add(found, bound, edges[3], &unread, before[3]);
                base += 4 * W::LANES;
            }
        }
    }

    /// The same where the rows have some edges, and no more than there are lanes.
    ///
    /// A step of few vertices is a chain of accesses, each waiting for the one before. So no lane looks
    /// at a distance before it makes it less, and the records of the targets come at the same time.
    ///
    /// # Safety
    ///
    /// As for `relax_rows`, whose segments these are.
    #[inline(always)]
    unsafe fn relax_few(
        self,
        found: &mut Found,
        bound: u64,
        source: &NearRow,
        segments: &Segments,
    ) {
        let Self { warp, paths } = self;
        // SAFETY: rows of the graph; there is room for a vertex a lane.
        unsafe {
            found.make_room(warp);
            let edge = NearEdge::read(warp, paths, segments, source, warp.lane());
            let row = edge.target_row(paths, edge.is_there);
            let before = edge.relax(paths, edge.is_there);
            self.add(found, bound, edge, &row, before);
        }
    }

    /// Adds the target of an edge if that has made its distance less, which was this one before. All lanes
    /// call this.
    ///
    /// # Safety
    ///
    /// There is room.
    #[inline(always)]
    unsafe fn add(self, found: &mut Found, bound: u64, edge: NearEdge, row: &NearRow, before: u64) {
        let Self { warp, paths } = self;
        let relaxed = edge.has_relaxed(before);
        let is_near = edge.distance < bound;
        let mut piles = false;
        if relaxed && !is_near {
            found.note(edge.distance);
            let piled = paths.piled(edge.target);
            // Relaxed: the exchange alone decides which lane piles the vertex up.
            piles = piled.load(Relaxed) == 0 && piled.swap(1, Relaxed) == 0;
        }
        // SAFETY: the caller's promise; targets exist.
        unsafe {
            let target = edge.target.number();
            found.add_near(warp, relaxed && is_near, target, row);
            found.add_far(warp, piles, target);
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
