//! The list of chunks that a linked queue is: tags, links, and appending to it.

use core::marker::PhantomData;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

use cuda_std::atomic::fence;

use super::chunked::{advance, drain, fuse};
use crate::allocators::ouroboros::arena::{Arena, NONE, Task, Word};
use crate::allocators::ouroboros::geometry::Line;
use crate::allocators::ouroboros::group::Group;
use crate::allocators::ouroboros::parameters::Parameters;
use crate::simt::Warp;

/// What `Word::Drained` of a new chunk begins with: one less, for whoever appends it.
pub const DRAINED: u32 = u32::MAX;

/// How a chunk of the list is found, in which the caller has a position.
pub trait Find: Copy {
    /// Readies an empty queue; called by all threads of the launch. Its first chunk is
    /// [`NONE`] in a small heap.
    fn init<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: u32, chunk: u32);

    /// Readies a chunk that the caller is about to append.
    fn ready<P: Parameters>(arena: &Arena<P>, chunk: u32);

    /// Says that a chunk was appended with this tag. Relaxed: after the fence of the
    /// append.
    fn announce<P: Parameters>(arena: &Arena<P>, tag: u32, chunk: u32);

    /// Says that the chunk of this tag is about to be returned.
    fn withdraw<P: Parameters>(arena: &Arena<P>, tag: u32);

    /// The chunk of a tag, if that is known without following links.
    fn known<P: Parameters>(arena: &Arena<P>, tag: u32) -> (bool, u32);

    /// A number, before `wanted` if it is any use, and its chunk, or [`NONE`]. What
    /// whoever led us there had seen of the chunk was acquired.
    fn begin<P: Parameters>(arena: &Arena<P>, class: u32, wanted: u32) -> u64;

    /// Says that `n` entries are about to be put into a chunk of the class.
    fn filled<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: u32, chunk: u32, n: u32);
}

/// The tag of chunk `number` of a class's queue: no two chunks that a thread may
/// confuse have the same, and none is [`NONE`], whose class does not exist. As many
/// signposts as there can be classes, one behind the other, have one for each class; a
/// table with fewer is everybody's.
#[inline(always)]
pub fn tag<P: Parameters>(class: u32, number: u32) -> u32 {
    number << P::CLASS_BITS | class
}

/// The highest lane of `mask`, which must not be empty.
#[inline(always)]
pub fn last_of(mask: u32) -> u32 {
    31 - mask.leading_zeros()
}

/// Makes a run of chunks the newest of the queue: `chunk` of each of the lanes
/// `run`, the first of the group. Each is linked to the next, the last to none. All
/// lanes of the group call this. Whether all entries of the lane's chunk were taken
/// since, so that it is to be returned.
#[inline(always)]
pub fn append<W: Warp, P: Parameters, F: Find>(
    warp: W,
    arena: &Arena<P>,
    class: u32,
    chunk: u32,
    run: u32,
    group: &Group,
) -> bool {
    let n = run.count_ones();
    let newest = warp.shuffle(group.mask, chunk, last_of(run));
    let own_tag = loop {
        let new = arena.head64(class, Line::New, 0);
        let mut last = 0;
        if group.leads() {
            last = new.load(Relaxed);
        }
        last = warp.shuffle64(group.mask, last, group.leader);
        let index = advance::<P>((last >> 32) as u32, 1 + group.rank);
        let tag = tag::<P>(class, index);
        if group.rank < n {
            // Relaxed: published with the run. Nobody is led to a chunk by a tag that
            // it does not get: the number is another chunk's then.
            arena.meta(chunk, Word::Tag).store(tag, Relaxed);
            F::ready(arena, chunk);
        }
        warp.sync(group.mask);
        // Release, for the exchange, the link and the signposts: the slots and tags of
        // all chunks of the run are there for whoever is led to one of them. Acquire,
        // with `last`: what its appender published, which the link passes on.
        fence(AcqRel);
        let mut is_appended = false;
        if group.leads() {
            let ours = fuse(advance::<P>(index, n - 1), newest);
            // An exchange that fails was another thread's success. Acquire: the slots
            // and the tag of the last chunk.
            is_appended = new.compare_exchange(last, ours, Acquire) == last;
            if is_appended {
                // In the same breath: others wait for this, as they may, since
                // we wait for no lane of this warp in between.
                link(warp, arena, class, last as u32, fuse(index, chunk));
            }
        }
        if warp.ballot(group.mask, is_appended) != 0 {
            break tag;
        }
    };
    // Said in another way than above: see `chunked::MakeRoom`.
    if run & 1 << warp.lane() == 0 {
        return false;
    }
    F::announce(arena, own_tag, chunk);
    // From here on the chunk may be returned; until here it was ours, too.
    drain(arena, chunk, 1)
}

/// Links a run that was appended to the chunk before it, or makes it the oldest. All
/// relaxed: after the fence in [`append`].
#[inline(always)]
fn link<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: u32, last: u32, first: u64) {
    if last != NONE {
        // The last chunk cannot be returned without a link.
        arena.meta(last, Word::Next).store(first as u32, Relaxed);
        return;
    }
    // The queue was empty. Whoever returned its last chunk is about to leave
    // `old` at our number, and has nothing to wait for.
    let old = arena.head64(class, Line::Old, 0);
    let nothing = first | u64::from(NONE);
    while old.compare_exchange(nothing, first, Relaxed) != nothing {
        warp.back_off();
    }
}

/// [`append`] of as many chunks as is told with the class; the lane's is the number.
pub struct AppendRun<F>(PhantomData<F>);

impl<F: Find> Task for AppendRun<F> {
    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: u32,
        chunk: u32,
        lanes: u32,
    ) -> u32 {
        let (class, n) = (class & ((1 << P::CLASS_BITS) - 1), class >> P::CLASS_BITS);
        let group = Group::of_lanes(warp, lanes);
        let run = warp.ballot(lanes, group.rank < n);
        u32::from(append::<W, P, F>(warp, arena, class, chunk, run, &group))
    }
}

/// Whether a chunk still has the tag that the caller, or whoever led it there, had seen;
/// and its link, which is that of the chunk with the tag if so.
#[inline(always)]
pub fn follow<P: Parameters>(arena: &Arena<P>, tag: u32, chunk: u32) -> (bool, u32) {
    // Acquire: the look at the tag comes after the link was read. Whoever led the
    // caller here had seen the tag, and it acquired that: a tag that is still there was
    // there when the link was read. A chunk that was appended again may have kept its
    // link: then the chunk behind it is the same with either tag, and its own tag tells
    // which.
    let next = arena.meta(chunk, Word::Next).load(Acquire);
    (arena.meta(chunk, Word::Tag).load(Acquire) == tag, next)
}
