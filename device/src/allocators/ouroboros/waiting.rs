//! The two semaphores of a class, of pages and of room, and waiting at them.
//!
//! A wait is rare and long, and the same for both, so that it is a function of its own.

use super::arena::{Arena, Class, Noted, Task};
use super::geometry::Line;
use super::parameters::{Parameters, pages_bits};
use super::queue::Queue;
use super::semaphore::{Semaphore, Waited};
use crate::simt::Warp;

impl<P: Parameters> Arena<P> {
    /// The semaphore of pages of a class.
    #[inline(always)]
    pub(super) fn supply(&self, class: Class) -> Semaphore<'_> {
        self.semaphore(class, Line::Supply)
    }

    /// The semaphore of room in the queue of a class.
    #[inline(always)]
    pub(super) fn room(&self, class: Class) -> Semaphore<'_> {
        self.semaphore(class, Line::Room)
    }

    /// The semaphore in a line of a class: its first words.
    #[inline(always)]
    pub(super) fn semaphore(&self, class: Class, line: Line) -> Semaphore<'_> {
        Semaphore {
            resources: self.head64(class, line),
            expected: self.second(class, line),
        }
    }

    /// Waits for `n` pages: [`Semaphore::wait`].
    #[inline(always)]
    pub(super) fn wait_for_pages<W: Warp, Q: Queue>(
        &self,
        warp: W,
        class: Class,
        n: u32,
    ) -> Waited {
        waited(self.call::<W, Wait<Q>>(warp, class.with::<P>(0), n))
    }

    /// Waits for room for `n` entries: [`Semaphore::wait`].
    #[inline(always)]
    pub(super) fn wait_for_room<W: Warp, Q: Queue>(&self, warp: W, class: Class, n: u32) -> Waited {
        waited(self.call::<W, Wait<Q>>(warp, class.with::<P>(1), n))
    }

    /// Whether room in the queue of a class may come.
    #[inline(always)]
    pub(super) fn may_get_room<Q: Queue>(&self, class: Class) -> bool {
        !self.is_used_up() && !Q::is_full(self, class)
    }
}

/// [`Semaphore::wait`] for as many units as the argument. The number beside the class picks the
/// semaphore: 0 for pages, 1 for room.
struct Wait<Q>(core::marker::PhantomData<Q>);

impl<Q: Queue> Task for Wait<Q> {
    type Of = Noted;
    type Argument = u32;

    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        of: Noted,
        n: u32,
        _lanes: u32,
    ) -> u32 {
        let (class, is_room) = of.parts::<P>();
        let (line, bundle_bits) = if is_room != 0 {
            (Line::Room, P::ENTRY_BITS)
        } else {
            (Line::Supply, pages_bits::<P>(class))
        };
        // Pages and room come from the pool.
        let may_come = || !arena.is_used_up() && (is_room == 0 || !Q::is_full(arena, class));
        let semaphore = arena.semaphore(class, line);
        let waited = semaphore.wait(warp, n, bundle_bits, may_come);
        waited.granted << 1 | u32::from(waited.allocates)
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
