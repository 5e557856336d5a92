//! Differences of pages and chunks when they serve a request, and how its lanes are
//! divided over chunks.

use super::arena::{Arena, Class, EMPTY};
use super::group::Group;
use super::parameters::{Parameters, pages_bits};
use super::queue::Queue;
use crate::simt::Warp;

/// The differences of pages and chunks when they serve a request.
///
/// Its functions get classes of heaps that were planned for this kind.
pub trait Kind {
    /// A page for each lane of the groups in `mask`, for which the semaphore has
    /// given permits.
    ///
    /// # Safety
    ///
    /// The lanes have these permits.
    unsafe fn obtain<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: Class,
        mask: u32,
        group: &Group,
    ) -> u32;

    /// A page that the semaphore does not count, or [`EMPTY`]; for all lanes of
    /// the group together. If there is one, some lane gets it.
    #[inline(always)]
    fn spare<W: Warp, P: Parameters>(
        _warp: W,
        _arena: &Arena<P>,
        _class: Class,
        _group: &Group,
    ) -> u32 {
        EMPTY
    }

    /// The free pages of the class that requests find, at this moment.
    #[inline(always)]
    fn available<P: Parameters>(arena: &Arena<P>, class: Class) -> u64 {
        u64::from(arena.supply(class).count())
    }

    /// Whether a group that finds no page allocates a chunk at once instead of waiting for
    /// one that is on its way. If so, the chunk is counted, and `end_spread` follows.
    #[inline(always)]
    fn spreads<P: Parameters>(_arena: &Arena<P>, _class: Class) -> bool {
        false
    }

    /// The semaphore counts the pages of that chunk, or there was none.
    #[inline(always)]
    fn end_spread<P: Parameters>(_arena: &Arena<P>, _class: Class) {}

    /// The queue of a class.
    type Queue: Queue;

    /// Whether chunks are divided ahead when a class has no pages.
    const DIVIDES_AHEAD: bool = false;

    /// Chunks to divide ahead, beside the one that a class without pages is to get.
    #[inline(always)]
    fn chunks_ahead<P: Parameters>(_arena: &Arena<P>, _class: Class) -> u32 {
        0
    }

    /// Chunks that a warp divides at once when it does so ahead, at least one.
    #[inline(always)]
    fn bundle<P: Parameters>(_class: Class) -> u32 {
        1
    }

    /// Memory for what is recorded of `n` pages that are about to be kept, at most a
    /// [`Self::bundle`]: a hint. Called by all lanes of the group together, whose leader has begun a
    /// move.
    #[inline(always)]
    fn make_room<W: Warp, P: Parameters>(
        _warp: W,
        _arena: &Arena<P>,
        _class: Class,
        _group: &Group,
        _n: u32,
    ) {
    }

    /// Keeps the pages of a new chunk from `used` on; returns how many of them the semaphore is
    /// to count, the others being counted here. Called by all lanes of the group together, with
    /// the chunk [`super::arena::NONE`] if there is none.
    ///
    /// # Safety
    ///
    /// The chunk, if there is one, is of that class, was divided with its first `used` pages in use,
    /// and the caller holds it.
    unsafe fn keep<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: Class,
        group: &Group,
        chunk: u32,
        used: u32,
    ) -> u32;
}

/// The lane of `lanes` that is the nearest at or below `lane`.
#[inline(always)]
fn nearest(lanes: u32, lane: u32) -> u32 {
    31 - (lanes & (u32::MAX >> (31 - lane))).leading_zeros()
}

/// How a group is divided over chunks: each serves as many lanes as it has
/// pages, and one of these lanes, its agent, acts on the chunk.
#[derive(Clone, Copy)]
pub struct Share {
    /// The lane that acts for this one.
    pub agent: u32,
    /// Lanes that are served before this one by the same agent.
    pub index: u32,
    /// Lanes that the agent serves.
    pub size: u32,
}

impl Share {
    /// This lane's share, among the lanes of `mask`, which all call this.
    #[inline(always)]
    pub fn of<W: Warp, P: Parameters>(warp: W, class: Class, mask: u32, group: &Group) -> Self {
        let pages = 1 << pages_bits::<P>(class);
        let index = group.rank & (pages - 1);
        let agents = warp.ballot(mask, index == 0) & group.mask;
        let left = group.size - (group.rank - index);
        Self {
            agent: nearest(agents, warp.lane()),
            index,
            size: if left < pages { left } else { pages },
        }
    }
}
