//! The state of a shared chunk, in one word of its metadata: how many of its pages are free
//! and may be taken and, if the chunk is available, where it is.
//!
//! A chunk is *queued*, at a position of the queue of a class; or *in front* of a class,
//! as the chunk of a number; or neither, which is *unavailable* here. Whatever else names a
//! chunk is a hint, be it the entry of a queue or the front of a class: a thread that follows
//! the hint exchanges the state that belongs to that position or number, and fails if the
//! chunk has become something else, however late the thread is.
//!
//! A chunk without free pages is unavailable, and its state is 0. The thread that raises the
//! count from 0 is the only one to make the chunk available: no thread takes pages of a chunk
//! that is not in front. A chunk on a stack of its class has a count alone; the thread that
//! pops it owns it.
//!
//! Orders: setting a bit releases a page, claiming it acquires. A thread that takes pages
//! acquires with the exchange that the bits are set that are counted, and what was done to
//! the chunk before it became available; with a count of 0 it releases the chunk to the
//! thread that raises the count next. All changes are read-modify-writes, but those of a chunk
//! that the thread owns alone, and pass on what was released before.

use core::sync::atomic::Ordering::{Relaxed, Release};

use super::super::arena::{Arena, Chunk, Class};
use super::super::chunks::available::Record;
use super::super::parameters::{Parameters, pages};

/// Mask of the count of free pages.
const COUNT: u64 = 0xffff;
/// The class whose chunk this is.
const CLASS_SHIFT: u32 = 16;
/// Whether it is queued, and whether it is in front.
const QUEUED: u64 = 1 << 30;
const IN_FRONT: u64 = 1 << 31;
/// The position in the queue, or the number as a front.
const NUMBER_SHIFT: u32 = 32;

/// The bits of the state beside the count if the chunk is neither queued nor in front.
pub const UNAVAILABLE: u64 = 0;

/// Free pages.
#[inline(always)]
pub fn count(state: u64) -> u32 {
    (state & COUNT) as u32
}

/// The bits of a class.
#[inline(always)]
fn own(class: Class) -> u64 {
    u64::from(class.number()) << CLASS_SHIFT
}

/// The bits of a queued chunk's state beside the count.
#[inline(always)]
pub fn queued(class: Class, position: u32) -> u64 {
    u64::from(position) << NUMBER_SHIFT | QUEUED | own(class)
}

/// The bits of the state of a chunk in front beside the count.
#[inline(always)]
pub fn in_front(class: Class, number: u32) -> u64 {
    u64::from(number) << NUMBER_SHIFT | IN_FRONT | own(class)
}

/// Whether a chunk is in front.
#[inline(always)]
pub fn is_in_front(state: u64) -> bool {
    state & IN_FRONT != 0
}

/// Its number as a front.
#[inline(always)]
pub fn number(state: u64) -> u32 {
    (state >> NUMBER_SHIFT) as u32
}

/// Whether a chunk is queued or in front in a class, with all of its pages free.
#[inline(always)]
pub fn is_idle<P: Parameters>(state: u64, class: Class) -> bool {
    let (own, available) = (in_front(class, 0), QUEUED | IN_FRONT);
    let is_own = (state ^ own) & (u64::from(u32::MAX) & !COUNT & !available) == 0;
    is_own && state & available != 0 && count(state) == pages::<P>(class)
}

/// Replaces `from`, what the state has beside the count, by `to`, whatever the count; whether
/// it was `from`.
///
/// Release: the front, which is stored before ([`super::front`]). Nothing is acquired for
/// the caller, which has the chunk from its slot or from a stack.
///
/// # Safety
///
/// If `from` is [`UNAVAILABLE`], the caller holds the chunk.
#[inline(always)]
pub unsafe fn transition<P: Parameters>(
    arena: &Arena<P>,
    chunk: Chunk,
    from: u64,
    to: u64,
) -> bool {
    let state = arena.shared_state(chunk);
    let mut seen = state.load(Relaxed);
    while seen & !COUNT == from {
        // An exchange that fails was another thread's success.
        let before = state.compare_exchange(seen, seen & COUNT | to, Release);
        if before == seen {
            return true;
        }
        seen = before;
    }
    false
}

/// The position, in the chunk's state.
pub struct Position;

impl Record for Position {
    #[inline(always)]
    unsafe fn record<P: Parameters>(arena: &Arena<P>, class: Class, chunk: Chunk, position: u32) {
        // Release: the chunk, to the threads that take its pages. Threads that free pages
        // change the count alone.
        let state = arena.shared_state(chunk);
        state.fetch_add(queued(class, position), Release);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::arena::Class;
    use super::super::super::parameters::{Paper, Parameters, pages};
    use super::{UNAVAILABLE, in_front, is_idle, queued};

    #[test]
    fn an_idle_chunk_is_full_and_available_in_its_class() {
        for number in 0..Paper::CLASSES {
            // SAFETY: no heap is reached by them.
            let [class, other] = [number, number ^ 1].map(|number| unsafe { Class::new(number) });
            let all = u64::from(pages::<Paper>(class));
            for number in [0, 1, u32::MAX] {
                for available in [queued(class, number), in_front(class, number)] {
                    assert!(is_idle::<Paper>(available | all, class));
                    assert!(!is_idle::<Paper>(available | (all - 1), class));
                    assert!(!is_idle::<Paper>(available | all, other));
                }
            }
            assert!(!is_idle::<Paper>(UNAVAILABLE | all, class));
        }
    }
}
