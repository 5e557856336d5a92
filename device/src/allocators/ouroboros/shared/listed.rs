//! A chunk's state, and the queue of chunks that are shared.
//!
//! The state of a chunk is one word: how many of its pages are free and may be taken
//! and, if the queue of a class has it, of which class and at which position. Who takes
//! pages exchanges the state that belongs to the position where it found the chunk, for
//! one with fewer pages; nobody takes more than there are. With the published
//! subtraction, which may go below 0 and is undone, a walker that is late takes pages
//! of what has become a chunk of another class, and some chunk is listed twice or never.
//!
//! A chunk without free pages is not listed, and its state is 0. Whoever raises the
//! count from 0 is the only one to list it: nobody takes pages of a chunk that is not
//! listed. Whoever lowers it to 0 is the only one to take it out. A chunk on the stack is
//! not listed either; who pops it is the only one to take its pages, and lists it again.
//!
//! A chunk is taken out by a mark in its slot. The front passes marks and nothing else:
//! the published front goes to behind the last chunk that was emptied, past slots that
//! others are about to fill, whose chunks are then never found. Who has moved the front
//! empties the slot, which makes room for one entry. A slot is filled by who has room
//! and its position, and waits at most for who has moved the front past it a turn of the
//! queue ago and is about to empty it.
//!
//! Orders: setting a bit releases a page, claiming it acquires. An exchange of the state
//! acquires that the bits are set, and what was done to the chunk before it was listed.
//! To 0 it releases the chunk to who raises the count next. Slots, marks and the front
//! are relaxed where they say only where to look: what counts is the state.

use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use cuda_std::atomic::AtomicU32;

use super::super::arena::{Arena, Line, NONE, Word};
use super::super::parameters::{Parameters, pages};
use super::super::pool::take_count;
use super::super::queue::{Array, EMPTY, End, Queue, positions, put};
use super::super::waiting::supply;
use crate::warp::Warp;

/// Mask of the count of free pages.
const COUNT: u64 = 0xffff;
/// The class of a listed chunk.
const CLASS_SHIFT: u32 = 16;
/// Whether the chunk is listed.
const LISTED: u64 = 1 << 31;
/// The position of a listed chunk.
const POSITION_SHIFT: u32 = 32;
/// Marks of slots whose chunk was taken out, less the turn of the queue.
const MARK: u32 = EMPTY - 2;

/// Free pages.
#[inline(always)]
pub fn count(state: u64) -> u32 {
    (state & COUNT) as u32
}

/// What the state of a listed chunk has beside the count.
#[inline(always)]
fn tag(class: u32, position: u32) -> u64 {
    u64::from(position) << POSITION_SHIFT | LISTED | u64::from(class) << CLASS_SHIFT
}

#[inline(always)]
fn slot<W: Warp, P: Parameters>(
    warp: W,
    arena: &Arena<P>,
    class: u32,
    position: u32,
) -> &AtomicU32 {
    Array::place(warp, arena, class, position, End::Front).slot
}

/// The mark of a position. Another one than a turn of the queue ago, whose mark may still
/// be there: who has moved the front past it is about to empty the slot.
#[inline(always)]
fn mark<P: Parameters>(arena: &Arena<P>, position: u32) -> u32 {
    MARK + (position >> arena.static_bits & 1)
}

/// Takes up to `most` pages of the first chunk that has some: the chunk, how many, and
/// where to look for them; 0 pages if there is no chunk at this moment.
#[inline(always)]
pub fn take_pages<W: Warp, P: Parameters>(
    warp: W,
    arena: &Arena<P>,
    class: u32,
    most: u32,
) -> (u32, u32, u32) {
    let mut position = arena.head(class, Line::Front, 0).load(Relaxed);
    let back = arena.head(class, Line::Back, 0);
    while back.load(Relaxed).wrapping_sub(position) as i32 > 0 {
        let entry = slot(warp, arena, class, position).load(Relaxed);
        if entry == mark(arena, position) {
            // Who left the mark may have found the front before an older one.
            advance(warp, arena, class);
        } else if entry < MARK {
            let (taken, start) = take_of(warp, arena, class, entry, position, most);
            if taken > 0 {
                return (entry, taken, start);
            }
        }
        position = position.wrapping_add(1);
    }
    take_of_stack(warp, arena, class, most)
}

/// Takes up to `most` pages of a chunk, if it is listed at the position.
#[inline(always)]
fn take_of<W: Warp, P: Parameters>(
    warp: W,
    arena: &Arena<P>,
    class: u32,
    chunk: u32,
    position: u32,
    most: u32,
) -> (u32, u32) {
    let state = arena.shared_state(chunk);
    let mut seen = state.load(Relaxed);
    loop {
        let there = count(seen);
        if seen != tag(class, position) | u64::from(there) {
            return (0, 0);
        }
        let n = if most < there { most } else { there };
        let next = if n == there { 0 } else { seen - u64::from(n) };
        let before = state.compare_exchange(seen, next, AcqRel);
        if before == seen {
            if next == 0 {
                // The published exchange, by the only one whose business it is.
                slot(warp, arena, class, position).store(mark(arena, position), Relaxed);
                advance(warp, arena, class);
            }
            return (n, pages::<P>(class) - there);
        }
        // An exchange that fails was another thread's success.
        seen = before;
    }
}

/// Takes up to `most` pages of the top chunk of the stack, and lists it if any are left.
#[inline(always)]
fn take_of_stack<W: Warp, P: Parameters>(
    warp: W,
    arena: &Arena<P>,
    class: u32,
    most: u32,
) -> (u32, u32, u32) {
    let chunk = arena.pop(class);
    if chunk == NONE {
        return (NONE, 0, 0);
    }
    let state = arena.shared_state(chunk);
    let there = count(state.load(Relaxed));
    let n = if most < there { most } else { there };
    // Nobody else lowers it. Acquire and release: as an exchange.
    let before = state.fetch_add(u64::from(n).wrapping_neg(), AcqRel);
    if count(before) > n {
        list(warp, arena, class, chunk);
    }
    (chunk, n, pages::<P>(class) - there)
}

/// Moves the front past the marks that are there.
#[inline(always)]
fn advance<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: u32) {
    let front = arena.head(class, Line::Front, 0);
    // Acquire, and release where it is exchanged: who has moved the front here has seen
    // the marks of a turn ago, so that we see none that are older.
    let mut position = front.load(Acquire);
    loop {
        let place = slot(warp, arena, class, position);
        // A mark stays until the front has passed it: if that is still there when it is
        // exchanged, so was the mark.
        if place.load(Relaxed) != mark(arena, position) {
            return;
        }
        let next = position.wrapping_add(1);
        let before = front.compare_exchange(position, next, AcqRel);
        if before == position {
            place.store(EMPTY, Relaxed);
            arena.head(class, Line::Room, 0).fetch_add(1, Relaxed);
            position = next;
        } else {
            // Another has moved it.
            position = before;
        }
    }
}

/// Lists a chunk with free pages that nobody else may list: at the end of the queue or,
/// without room there, on the stack.
#[inline(always)]
pub fn list<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: u32, chunk: u32) {
    let room = arena.head(class, Line::Room, 0);
    if !take_count(room) {
        arena.push(class, chunk);
        return;
    }
    let position = positions(arena, class, End::Back, 1);
    // Release: the chunk, to who takes its pages. Those who free pages change the count
    // alone.
    arena
        .shared_state(chunk)
        .fetch_add(tag(class, position), Release);
    put::<W, P, Array>(warp, arena, class, position, chunk);
}

/// Gives a chunk back to the pool, if it is listed with all of its pages free and none of
/// them is promised.
#[inline(always)]
pub fn retire<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: u32, chunk: u32) -> bool {
    let pages = pages::<P>(class);
    let state = arena.shared_state(chunk);
    let seen = state.load(Relaxed);
    let position = (seen >> POSITION_SHIFT) as u32;
    // With permits for as many pages nobody is promised these.
    if seen != tag(class, position) | u64::from(pages) || !supply(arena, class).take_together(pages)
    {
        return false;
    }
    // Acquire: what was done to the pages comes before who gets the chunk from the pool.
    if state.compare_exchange(seen, 0, Acquire) != seen {
        supply(arena, class).signal(pages);
        return false;
    }
    // Waits for who has listed the chunk and is about to fill the slot.
    let place = slot(warp, arena, class, position);
    while place.compare_exchange(chunk, mark(arena, position), Relaxed) != chunk {
        warp.back_off();
    }
    advance(warp, arena, class);
    give(warp, arena, class, chunk);
    true
}

#[inline(always)]
fn give<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: u32, chunk: u32) {
    arena.divided(class).fetch_add(u32::MAX, Relaxed);
    arena.give_chunk(warp, chunk);
}

/// Retires what it can of the chunks in the queue.
#[inline(always)]
pub fn retire_listed<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: u32) -> bool {
    let mut any = false;
    let mut position = arena.head(class, Line::Front, 0).load(Relaxed);
    let back = arena.head(class, Line::Back, 0).load(Relaxed);
    while back.wrapping_sub(position) as i32 > 0 {
        let entry = slot(warp, arena, class, position).load(Relaxed);
        if entry < MARK {
            any |= retire(warp, arena, class, entry);
        }
        position = position.wrapping_add(1);
    }
    any
}

/// Retires what it can of the chunks on the stack, and lists the others.
#[inline(always)]
pub fn retire_stack<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: u32) -> bool {
    let pages = pages::<P>(class);
    let (mut any, mut kept) = (false, NONE);
    // Others may put chunks there all the time.
    for _ in 0..arena.chunks {
        let chunk = arena.pop(class);
        if chunk == NONE {
            break;
        }
        let state = arena.shared_state(chunk);
        // Acquire: as in `retire`. Nobody has one of its pages or can take one.
        if count(state.load(Acquire)) == pages && supply(arena, class).take_together(pages) {
            state.store(0, Relaxed);
            give(warp, arena, class, chunk);
            any = true;
        } else {
            // Ours alone: nobody else uses the link. Release: as for all links, see
            // `queue::chunked::prepare`.
            arena.meta(chunk, Word::Next).store(kept, Release);
            kept = chunk;
        }
    }
    while kept != NONE {
        let next = arena.meta(kept, Word::Next).load(Relaxed);
        list(warp, arena, class, kept);
        kept = next;
    }
    any
}
