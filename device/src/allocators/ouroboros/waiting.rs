//! The two semaphores of a class, of pages and of room, and waiting at them.
//!
//! A wait is rare and long, and the same for both, so that it is a function of its own.

use super::arena::{Arena, Task};
use super::geometry::Line;
use super::parameters::{Parameters, pages_bits};
use super::semaphore::{Semaphore, Waited};
use crate::simt::Warp;

/// The semaphore of pages of a class.
///
/// # Safety
///
/// `class` is below `P::CLASSES`.
#[inline(always)]
pub unsafe fn supply<P: Parameters>(arena: &Arena<P>, class: u32) -> Semaphore<'_> {
    // SAFETY: the caller's promise.
    unsafe { semaphore(arena, class, Line::Supply) }
}

/// The semaphore of room in the queue of a class.
///
/// # Safety
///
/// `class` is below `P::CLASSES`.
#[inline(always)]
pub unsafe fn room<P: Parameters>(arena: &Arena<P>, class: u32) -> Semaphore<'_> {
    // SAFETY: the caller's promise.
    unsafe { semaphore(arena, class, Line::Room) }
}

/// The semaphore in a line of a class.
///
/// # Safety
///
/// `class` is below `P::CLASSES`.
#[inline(always)]
unsafe fn semaphore<P: Parameters>(arena: &Arena<P>, class: u32, line: Line) -> Semaphore<'_> {
    // SAFETY: the caller's promise; the first words of a line.
    unsafe {
        Semaphore {
            resources: arena.head64(class, line, 0),
            expected: arena.head(class, line, 1),
        }
    }
}

/// [`Semaphore::wait`] for as many units as the argument. The caller passes the semaphore
/// above the bits of the class: 0 for pages, 1 for room.
struct Wait;

impl Task for Wait {
    #[inline(always)]
    unsafe fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: u32,
        n: u32,
        _lanes: u32,
    ) -> u32 {
        // SAFETY: the caller's promise: the class is what is in its bits.
        unsafe {
            let (class, is_room) = (
                class & ((1 << P::CLASS_BITS) - 1),
                class >> P::CLASS_BITS != 0,
            );
            let (line, bundle_bits) = if is_room {
                (Line::Room, P::ENTRY_BITS)
            } else {
                (Line::Supply, pages_bits::<P>(class))
            };
            // Pages and room come from the pool.
            let waited =
                semaphore(arena, class, line).wait(warp, n, bundle_bits, || !arena.is_used_up());
            waited.granted << 1 | u32::from(waited.allocates)
        }
    }
}

/// The outcome that [`Wait`] has packed.
#[inline(always)]
fn waited(word: u32) -> Waited {
    Waited {
        granted: word >> 1,
        allocates: word & 1 != 0,
    }
}

/// Waits for `n` pages: [`Semaphore::wait`].
///
/// # Safety
///
/// `class` is below `P::CLASSES`.
#[inline(always)]
pub unsafe fn wait_for_pages<W: Warp, P: Parameters>(
    warp: W,
    arena: &Arena<P>,
    class: u32,
    n: u32,
) -> Waited {
    // SAFETY: the caller's promise; above the class is 0.
    unsafe { waited(arena.call::<W, Wait>(warp, class, n)) }
}

/// Waits for room for `n` entries: [`Semaphore::wait`].
///
/// # Safety
///
/// `class` is below `P::CLASSES`.
#[inline(always)]
pub unsafe fn wait_for_room<W: Warp, P: Parameters>(
    warp: W,
    arena: &Arena<P>,
    class: u32,
    n: u32,
) -> Waited {
    // SAFETY: the caller's promise; above the class is 1.
    unsafe { waited(arena.call::<W, Wait>(warp, class | 1 << P::CLASS_BITS, n)) }
}
