//! The kernels: the start, and a step.

use core::sync::atomic::Ordering::Relaxed;

use super::bottom_up::bottom_up;
use super::level::Level;
use super::next::Next;
use super::top_down::top_down;
use super::{Search, SearchArguments, UNREACHED, word};
use crate::kernel::PlainKernel;
use crate::simt::Warp;

/// Clears the depths and enqueues the source.
pub struct SearchStart;

impl PlainKernel for SearchStart {
    type Arguments = SearchArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, search: SearchArguments) {
        // SAFETY: the kernel's contract.
        let search = unsafe { Search::new(search) };
        let mut index = warp.thread();
        while let Some(vertex) = search.vertex(index) {
            let depth = if index == search.source { 0 } else { UNREACHED };
            // Relaxed, here and below: read by later launches.
            search.depth(vertex).store(depth, Relaxed);
            index += warp.threads();
        }
        if warp.warp() != 0 {
            return;
        }
        // SAFETY: all of them.
        unsafe { search.clear(warp, 0, word::COUNT) };
        // The header is cleared before lanes add to it.
        warp.sync(W::FULL);
        let mut next = Next::new(&search, 0);
        // SAFETY: one warp adds the source, for which there is room.
        unsafe {
            next.add(warp, warp.lane() == 0, search.source);
            next.enqueue(warp);
        }
        next.add_counts(warp);
        if warp.lane() == 0 {
            let unexplored = search.of_frontier::<{ word::UNEXPLORED }>(1);
            unexplored.store(u64::from(search.entries), Relaxed);
        }
    }
}

/// A step of a search; see the module [`bfs`](super).
pub struct SearchStep;

impl SearchStep {
    /// Gives the frontier its other form: a bitmap, or chunks in the queue.
    ///
    /// # Safety
    ///
    /// The level is this step's.
    #[inline(always)]
    unsafe fn change_form<W: Warp>(warp: W, search: &Search, level: &Level) {
        let mut next = Next::new(search, level.begin + level.chunks);
        let bitmap = search.bitmap(level.depth);
        let mut word = warp.warp();
        while word < search.words() {
            let (mut bits, mut part) = (0, 0);
            // SAFETY: there is room; a word of the bitmap is this warp's alone, and a
            // vertex that bottom-up has found was not enqueued before.
            unsafe {
                next.make_room(warp);
                while part < 32 {
                    let index = word * 32 + part + warp.lane();
                    let mut is_of_level = false;
                    if let Some(vertex) = search.vertex(index) {
                        // Relaxed: written by launches before.
                        is_of_level = search.depth(vertex).load(Relaxed) == level.depth;
                    }
                    if level.marked {
                        next.add(warp, is_of_level, index);
                    } else {
                        bits |= warp.ballot(W::FULL, is_of_level) << part;
                    }
                    part += W::LANES;
                }
                if !level.marked && warp.lane() == 0 {
                    bitmap.add(word as usize).write(bits);
                }
            }
            word += warp.warps();
        }
        // SAFETY: as above.
        unsafe { next.enqueue(warp) };
    }
}

impl PlainKernel for SearchStep {
    type Arguments = SearchArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, search: SearchArguments) {
        // SAFETY: the kernel's contract.
        let search = unsafe { Search::new(search) };
        let level = Level::load(warp, &search);
        if warp.warp() == 0 {
            // SAFETY: the words of a frontier.
            unsafe { search.clear(warp, search.frontier(2), word::FRONTIER) };
        }
        if level.vertices == 0 {
            return;
        }
        let is_bottom_up = level.is_bottom_up(&search);
        let advances = is_bottom_up == level.marked;
        if warp.thread() == 0 {
            level.pass_on(&search, advances, is_bottom_up);
        }
        // SAFETY: a level is searched in the form that it has, bottom-up where there are
        // in-neighbours.
        unsafe {
            if !advances {
                Self::change_form(warp, &search, &level);
            } else if is_bottom_up {
                bottom_up(warp, &search, &level);
            } else {
                top_down(warp, &search, &level);
            }
        }
    }
}
