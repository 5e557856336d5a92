//! What a chunk that is shared knows of itself, in one word of its metadata: how many of
//! its pages are free and may be taken and, if the class lists it, where.
//!
//! A chunk is *queued*, at a position of the queue of a class; or *in front* of a class,
//! as the chunk of a number; or neither. Whatever else names a chunk is a hint, be it the
//! entry of a queue or the front of a class: who comes by it exchanges the state that
//! belongs to that position or number, and fails if the chunk has become something else,
//! however late it is.
//!
//! A chunk without free pages is not listed, and its state is 0. Whoever raises the count
//! from 0 is the only one to list it: nobody takes pages of a chunk that is not in front.
//! A chunk on a stack of its class has a count alone; it is whose pops it.
//!
//! Orders: setting a bit releases a page, claiming it acquires. Who takes pages acquires
//! with the exchange that the bits are set that are counted, and what was done to the
//! chunk before it was listed; to a count of 0 it releases the chunk to who raises the
//! count next. All changes are read-modify-writes, but those of a chunk that is nobody
//! else's, and pass on what was released before.

use core::sync::atomic::Ordering::{Relaxed, Release};

use super::super::arena::Arena;
use super::super::chunks::listed::Tell;
use super::super::parameters::{Parameters, pages};

/// Mask of the count of free pages.
const COUNT: u64 = 0xffff;
/// The class that lists the chunk.
const CLASS_SHIFT: u32 = 16;
/// Whether it is queued, and whether it is in front.
const QUEUED: u64 = 1 << 30;
const IN_FRONT: u64 = 1 << 31;
/// The position in the queue, or the number as a front.
const NUMBER_SHIFT: u32 = 32;

/// What the state has beside the count if the chunk is not listed.
pub const UNLISTED: u64 = 0;

/// Free pages.
#[inline(always)]
pub fn count(state: u64) -> u32 {
    (state & COUNT) as u32
}

/// What the state of a queued chunk has beside the count.
#[inline(always)]
pub fn queued(class: u32, position: u32) -> u64 {
    u64::from(position) << NUMBER_SHIFT | QUEUED | u64::from(class) << CLASS_SHIFT
}

/// What the state of a chunk in front has beside the count.
#[inline(always)]
pub fn in_front(class: u32, number: u32) -> u64 {
    u64::from(number) << NUMBER_SHIFT | IN_FRONT | u64::from(class) << CLASS_SHIFT
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

/// Whether a class lists a chunk, all of whose pages are free.
#[inline(always)]
pub fn is_idle<P: Parameters>(state: u64, class: u32) -> bool {
    let (own, place) = (in_front(class, 0), QUEUED | IN_FRONT);
    let is_own = (state ^ own) & (u64::from(u32::MAX) & !COUNT & !place) == 0;
    is_own && state & place != 0 && count(state) == pages::<P>(class)
}

/// Makes a chunk that is listed as `from` says listed as `to` says, whatever its count;
/// whether it was listed so.
///
/// Release: the front, which is stored before ([`super::front`]). Nothing is acquired for
/// the caller, who has the chunk from its slot or from a stack.
#[inline(always)]
pub fn relist<P: Parameters>(arena: &Arena<P>, chunk: u32, from: u64, to: u64) -> bool {
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

/// A chunk is told its position.
pub struct Position;

impl Tell for Position {
    #[inline(always)]
    fn tell<P: Parameters>(arena: &Arena<P>, class: u32, chunk: u32, position: u32) {
        // Release: the chunk, to who takes its pages. Those who free pages change the
        // count alone.
        arena
            .shared_state(chunk)
            .fetch_add(queued(class, position), Release);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::parameters::{Paper, Parameters, pages};
    use super::{UNLISTED, in_front, is_idle, queued};

    #[test]
    fn an_idle_chunk_is_full_and_listed_by_its_class() {
        for class in 0..Paper::CLASSES {
            let all = u64::from(pages::<Paper>(class));
            for number in [0, 1, u32::MAX] {
                for listed in [queued(class, number), in_front(class, number)] {
                    assert!(is_idle::<Paper>(listed | all, class));
                    assert!(!is_idle::<Paper>(listed | (all - 1), class));
                    assert!(!is_idle::<Paper>(listed | all, class ^ 1));
                }
            }
            assert!(!is_idle::<Paper>(UNLISTED | all, class));
        }
    }
}
