//! The virtualized linked-chunk queue: chunks of slots in a linked list, of which
//! only the ends are known (section 5.2, Algorithm 6).
//!
//! `new` is the chunk that was appended last and `old` the oldest that was not
//! returned. Each word fuses a chunk with its number in the queue; a chunk's tag
//! says the number and the class. `old` lags behind the front: it moves over a
//! chunk, and the chunk is returned, when all the chunk's positions were used at
//! both ends.
//!
//! The paper walks through the list from `old`, or from `new`. Here a *signpost*,
//! a word of a table with the chunk's tag and the chunk, leads there at once. Who
//! appends a chunk puts it up, and the chunk stays until it is up; who returns the
//! chunk takes it down before. So a signpost with the tag of a chunk that somebody
//! has a position in leads to that chunk. It may be missing because of
//! another chunk that has its signpost at the same place: then the list leads
//! there.
//!
//! The paper returns chunks a number of chunks later, which must be large enough
//! for any thread that is still on its way through them. Here no thread relies on
//! that: it follows a link only if the chunk still had its tag after the link was
//! read, and starts again at `old` if not. `old` never passes a chunk in which a
//! thread has a position, so that it always leads there; and that chunk's tag,
//! once seen, stays.
//!
//! An empty queue has no chunk: the last one is returned with `new` set to none
//! in one exchange, which excludes whoever would append to it.

use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use super::chunked::{self, Append, advance, drain, fuse, number, recycle, slot};
use super::{End, Place, Queue, start};
use crate::allocators::ouroboros::arena::{Arena, Line, NONE, Task, Word};
use crate::allocators::ouroboros::group::Group;
use crate::allocators::ouroboros::layout::Static;
use crate::allocators::ouroboros::parameters::Parameters;
use crate::warp::Warp;

/// The virtualized linked-chunk queue (VL).
#[derive(Clone, Copy, Debug)]
pub struct Linked;

/// The tag of chunk `number` of a class's queue: no two chunks that a thread may
/// confuse have the same, and none is [`NONE`], which has class 15.
#[inline(always)]
fn tag(class: u32, number: u32) -> u32 {
    number << 4 | class
}

/// Makes `chunk` the newest of the queue; whether all of its entries were taken
/// since, so that it is to be returned.
#[inline(always)]
fn append<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: u32, chunk: u32) -> bool {
    let new = arena.head64(class, Line::New, 0);
    let (mut last, mut index);
    loop {
        last = new.load(Relaxed);
        index = advance::<P>((last >> 32) as u32, 1);
        arena
            .meta(chunk, Word::Tag)
            .store(tag(class, index), Relaxed);
        // An exchange that fails was another thread's success. Release: the
        // chunk's slots and tag are there for who appends behind it; acquire:
        // and those of the last are for us.
        if new.compare_exchange(last, fuse(index, chunk), AcqRel) == last {
            break;
        }
    }
    let last = last as u32;
    if last != NONE {
        // The last chunk cannot be returned without a link.
        arena.meta(last, Word::Next).store(chunk, Release);
    } else {
        // The queue was empty. Whoever returned its last chunk is about to leave
        // `old` at our number, and has nothing to wait for.
        let old = arena.head64(class, Line::Old, 0);
        let nothing = fuse(index, NONE);
        while old.compare_exchange(nothing, fuse(index, chunk), Release) != nothing {
            warp.back_off();
        }
    }
    let tag = tag(class, index);
    // Release: the chunk's slots are empty before others are led there.
    arena.signpost(tag).store(fuse(tag, chunk), Release);
    // From here on the chunk may be returned; until here it was ours, too.
    drain(arena, chunk, 1)
}

/// [`locate`].
struct Locate;

impl Task for Locate {
    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: u32,
        wanted: u32,
        _lanes: u32,
    ) -> u32 {
        locate(warp, arena, class, wanted)
    }
}

/// Chunks before a wanted one whose signposts are tried. When many are appended
/// at the same time, as many of them may have none yet.
const STEPS: u32 = 8;

/// The chunk of this number, in which the caller has a position.
#[inline(always)]
fn locate<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: u32, wanted: u32) -> u32 {
    // From the nearest signpost before it, or else from `old`.
    let (mut seen, mut steps) = (fuse(0, NONE), 0);
    while seen as u32 == NONE && steps < STEPS {
        let index = advance::<P>(wanted, steps.wrapping_neg());
        let tag = tag(class, index);
        // Acquire: the chunk's tag and slots.
        let post = arena.signpost(tag).load(Acquire);
        if (post >> 32) as u32 == tag {
            seen = fuse(index, post as u32);
        }
        steps += 1;
    }
    loop {
        let (mut index, mut chunk) = ((seen >> 32) as u32, seen as u32);
        // How far to go; more than half of all numbers means back.
        let mut ahead = advance::<P>(wanted, index.wrapping_neg());
        while chunk != NONE && ahead <= u32::MAX >> (P::ENTRY_BITS + 1) {
            // Acquire: the look at the tag comes after the link was read. Whoever
            // led us here had seen the tag, and we acquired that: a tag that is
            // still there was there when the link was read.
            let next = arena.meta(chunk, Word::Next).load(Acquire);
            if arena.meta(chunk, Word::Tag).load(Acquire) != tag(class, index) {
                break;
            }
            if ahead == 0 {
                return chunk;
            }
            if next == NONE {
                // The thread that appended the next chunk is about to link it:
                // we have a position behind this chunk, so there is a next.
                warp.back_off();
            } else {
                chunk = next;
                index = advance::<P>(index, 1);
                ahead -= 1;
            }
        }
        // Acquire: the chunk's tag and slots. A tag that was gone was a chunk that
        // another returned, and `old` has moved on. Without a chunk, the thread
        // that appended the first is about to put it there.
        seen = arena.head64(class, Line::Old, 0).load(Acquire);
        if seen as u32 == NONE {
            warp.back_off();
        }
    }
}

/// Returns the oldest chunks, as many as are drained: to the queue's other end
/// while there is less room than `keep` chunks have.
#[inline(always)]
fn return_drained<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: u32, keep: u32) {
    let old = arena.head64(class, Line::Old, 0);
    let new = arena.head64(class, Line::New, 0);
    let mut seen = old.load(Acquire);
    loop {
        let (index, chunk) = ((seen >> 32) as u32, seen as u32);
        if chunk == NONE {
            return;
        }
        // A read-modify-write: of two threads that drained chunks at the same
        // time, one sees what the other did, and returns both. If the chunk was
        // returned since, whoever did that looks at our chunk after we drained it:
        // had it looked before, we would have acquired where it left `old`.
        let drained = arena.meta(chunk, Word::Drained).fetch_add(0, AcqRel);
        if drained != 1 << P::ENTRY_BITS {
            return;
        }
        let later = advance::<P>(index, 1);
        // A count or a link of what the chunk is by now goes with an exchange that
        // fails, for `old` does not come to this number and chunk again.
        let next = arena.meta(chunk, Word::Next).load(Acquire);
        let moved = if next != NONE {
            // Release: with `old`, what we acquired of the next chunk.
            old.compare_exchange(seen, fuse(later, next), AcqRel)
        } else {
            let last = new.compare_exchange(seen, fuse(index, NONE), AcqRel);
            if last == seen {
                old.store(fuse(later, NONE), Release);
            }
            last
        };
        if moved != seen {
            // Another thread has returned the chunk; or is about to link the next
            // one, or to leave `old` behind the last one. None of these waits.
            if next == NONE {
                warp.back_off();
            }
            seen = old.load(Acquire);
            continue;
        }
        seen = fuse(later, next);
        // Relaxed, both: the pool releases the chunk, or whoever appends it again,
        // with its signpost and its tag gone. If another chunk's is there by now,
        // the list leads to that one.
        arena.signpost(tag(class, index)).store(u64::MAX, Relaxed);
        arena.meta(chunk, Word::Tag).store(NONE, Relaxed);
        recycle::<W, P, Again>(warp, arena, class, chunk, keep);
    }
}

impl Append for Linked {
    // One for whoever appends it.
    const DRAINED: u32 = u32::MAX;

    #[inline(always)]
    fn append<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: u32, chunk: u32) -> bool {
        if append(warp, arena, class, chunk) {
            arena.call::<W, ReturnDrained>(warp, class, 0);
        }
        true
    }
}

/// Appends for [`return_drained`], which looks for chunks to return anyway.
struct Again;

impl Append for Again {
    const DRAINED: u32 = Linked::DRAINED;

    #[inline(always)]
    fn append<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: u32, chunk: u32) -> bool {
        append(warp, arena, class, chunk);
        true
    }
}

/// [`return_drained`]; the number is what to keep.
struct ReturnDrained;

impl Task for ReturnDrained {
    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: u32,
        keep: u32,
        _lanes: u32,
    ) -> u32 {
        return_drained(warp, arena, class, keep);
        0
    }
}

impl Queue for Linked {
    const VIRTUAL: bool = true;

    fn fixed<P: Parameters>(_entries: u64) -> Static {
        Static {
            bits: 0,
            word_bits: 2,
        }
    }

    #[inline(always)]
    fn init<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: u32) {
        if warp.thread() == 0 {
            chunked::init_room(arena, class);
            let first = number::<P>(start::<P>());
            let before = advance::<P>(first, u32::MAX);
            arena
                .head64(class, Line::New, 0)
                .store(fuse(before, NONE), Relaxed);
            arena
                .head64(class, Line::Old, 0)
                .store(fuse(first, NONE), Relaxed);
        }
    }

    #[inline(always)]
    fn reserve<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: u32,
        n: u32,
        group: &Group,
    ) -> bool {
        chunked::reserve::<W, P, Self>(warp, arena, class, n, group)
    }

    #[inline(always)]
    fn place<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: u32,
        position: u32,
        _end: End,
    ) -> Place<'_> {
        let index = number::<P>(position);
        let tag = tag(class, index);
        // Acquire: the chunk's slots were emptied before its signpost was put up.
        let post = arena.signpost(tag).load(Acquire);
        let mut chunk = post as u32;
        if (post >> 32) as u32 != tag {
            chunk = arena.call::<W, Locate>(warp, class, index);
        }
        let slot = slot(arena, chunk, position);
        Place { slot, chunk }
    }

    #[inline(always)]
    fn finish<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: u32,
        chunk: u32,
        n: u32,
        keep: u32,
    ) {
        if drain(arena, chunk, n) {
            arena.call::<W, ReturnDrained>(warp, class, keep);
        }
    }

    #[inline(always)]
    fn take_room<P: Parameters>(arena: &Arena<P>, class: u32) -> u32 {
        chunked::take_room(arena, class)
    }
}
