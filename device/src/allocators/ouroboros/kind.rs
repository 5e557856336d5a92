//! Differences of pages and chunks when they serve a request, and how its lanes are
//! divided over chunks.

use super::arena::Arena;
use super::group::Group;
use super::parameters::{Parameters, pages_bits};
use super::waiting::supply;
use crate::simt::Warp;

/// The differences of pages and chunks when they serve a request.
///
/// Its unsafe functions ask, besides what they say, for a heap that was planned for this kind.
pub trait Kind {
    /// A page for each lane of the groups in `mask`, for which the semaphore has
    /// given permits.
    ///
    /// # Safety
    ///
    /// `class` is below `P::CLASSES`, and the lanes have these permits.
    unsafe fn obtain<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: u32,
        mask: u32,
        group: &Group,
    ) -> u32;

    /// A page that the semaphore does not count, or [`super::arena::EMPTY`]; for all lanes of
    /// the group together. If there is one, some lane gets it.
    ///
    /// # Safety
    ///
    /// `class` is below `P::CLASSES`.
    unsafe fn spare<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: u32,
        group: &Group,
    ) -> u32;

    /// The free pages of the class that requests find, at this moment.
    ///
    /// # Safety
    ///
    /// `class` is below `P::CLASSES`.
    unsafe fn available<P: Parameters>(arena: &Arena<P>, class: u32) -> u64 {
        // SAFETY: the caller's promise.
        unsafe { u64::from(supply(arena, class).read().count) }
    }

    /// Whether a group that finds no page allocates a chunk at once instead of waiting for
    /// one that is on its way. If so, the chunk is counted.
    ///
    /// # Safety
    ///
    /// `class` is below `P::CLASSES`.
    unsafe fn spreads<P: Parameters>(arena: &Arena<P>, class: u32) -> bool;

    /// Whether chunks are divided ahead when a class has no pages.
    const DIVIDES_AHEAD: bool = false;

    /// Chunks to divide ahead, beside the one that a class without pages is to get.
    ///
    /// # Safety
    ///
    /// `class` is below `P::CLASSES`.
    #[inline(always)]
    unsafe fn chunks_ahead<P: Parameters>(_arena: &Arena<P>, _class: u32) -> u32 {
        0
    }

    /// Keeps the pages of a new chunk from `used` on; returns how many of them the semaphore is
    /// to count, the others being counted here. Called by all lanes of the group together, with
    /// the chunk [`super::arena::NONE`] if there is none.
    ///
    /// # Safety
    ///
    /// `class` is below `P::CLASSES`. The chunk, if there is one, is of that class, was divided
    /// with its first `used` pages in use, and the caller holds it.
    unsafe fn keep<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: u32,
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
    pub fn of<W: Warp, P: Parameters>(warp: W, class: u32, mask: u32, group: &Group) -> Self {
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
