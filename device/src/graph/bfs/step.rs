//! The kernels: the start, and a step.

use core::sync::atomic::Ordering::Relaxed;

use super::bottom_up::bottom_up;
use super::level::Level;
use super::next::Next;
use super::top_down::top_down;
use super::{SearchArguments, UNREACHED, word};
use crate::kernel::PlainKernel;
use crate::simt::Warp;

/// Clears the depths and enqueues the source.
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
        if warp.warp() != 0 {
            return;
        }
        // SAFETY: the kernel's contract; one warp does this, and no other thread uses the header
        // or the queue in this launch.
        unsafe {
            let mut index = warp.lane() as usize;
            while index < word::COUNT {
                search.header(index).store(0, Relaxed);
                index += W::LANES as usize;
            }
            // The header is cleared before lanes add to it.
            warp.sync(W::FULL);
            let mut next = Next::new(&search, 0);
            next.add(warp, warp.lane() == 0, search.source);
            next.enqueue(warp);
            next.add_counts(warp);
            if warp.lane() == 0 {
                let unexplored = search.header(search.frontier(1) + word::UNEXPLORED);
                unexplored.store(u64::from(search.entries), Relaxed);
            }
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
    /// The arguments' contract holds, the level is this step's, and all lanes of the warp
    /// make the call.
    #[inline(always)]
    unsafe fn change_form<W: Warp>(warp: W, search: &SearchArguments, level: &Level) {
        let mut next = Next::new(search, level.begin + level.chunks);
        let bitmap = search.bitmap(level.depth);
        let mut word = warp.warp();
        while word < search.words() {
            let (mut bits, mut part) = (0, 0);
            // SAFETY: the kernel's contract; a word of the bitmap is this warp's alone, and a
            // vertex that bottom-up has found was not enqueued before.
            unsafe {
                next.make_room(warp);
                while part < 32 {
                    let vertex = word * 32 + part + warp.lane();
                    // Relaxed: written by launches before.
                    let is_of_level = vertex < search.vertices
                        && search.depth(vertex).load(Relaxed) == level.depth;
                    if level.marked {
                        next.add(warp, is_of_level, vertex);
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
        // SAFETY: the kernel's contract, here and below: all lanes are here.
        let level = unsafe { Level::load(warp, &search) };
        if warp.warp() == 0 {
            let first = search.frontier(2);
            let mut index = warp.lane() as usize;
            while index < word::FRONTIER {
                // SAFETY: a word of the header, which no other thread uses in this launch.
                unsafe { search.header(first + index).store(0, Relaxed) };
                index += W::LANES as usize;
            }
        }
        if level.vertices == 0 {
            return;
        }
        let is_bottom_up = level.is_bottom_up(&search);
        let advances = is_bottom_up == level.marked;
        // SAFETY: as above; one lane of the launch passes on, and a level is searched in the
        // form that it has.
        unsafe {
            if warp.thread() == 0 {
                level.pass_on(&search, advances, is_bottom_up);
            }
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
