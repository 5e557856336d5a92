//! The list of chunks of a linked queue: tags, links, and appending to it.

use core::marker::PhantomData;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

use cuda_std::atomic::fence;

use super::chunked::{advance, count_dequeued, fuse};
use crate::allocators::ouroboros::arena::{Arena, Chunk, Class, Given, NONE, Noted, Task, Word};
use crate::allocators::ouroboros::geometry::Line;
use crate::allocators::ouroboros::group::Group;
use crate::allocators::ouroboros::parameters::Parameters;
use crate::simt::Warp;

/// The initial value of a chunk's `Word::Dequeued`: one less, for the thread that appends it.
pub const INITIAL_DEQUEUED: u32 = u32::MAX;

/// How a thread finds a chunk of the list in which it has a position.
pub trait Find: Copy + 'static {
    /// Readies an empty queue; called by all threads of the launch. Its first chunk is
    /// [`NONE`] in a small heap.
    ///
    /// # Safety
    ///
    /// `chunk` is a chunk of the heap or [`NONE`], and nothing else uses the heap.
    unsafe fn init<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: Class, chunk: u32);

    /// Readies a chunk that the caller is about to append.
    ///
    /// # Safety
    ///
    /// The caller owns `chunk`.
    unsafe fn ready<P: Parameters>(arena: &Arena<P>, chunk: Chunk);

    /// Records that a chunk was appended with this tag. Relaxed: after the fence of the
    /// append.
    ///
    /// # Safety
    ///
    /// `chunk` was appended with this tag.
    unsafe fn announce<P: Parameters>(arena: &Arena<P>, tag: u32, chunk: Chunk);

    /// Removes the record of a tag, whose chunk is about to be returned.
    fn withdraw<P: Parameters>(arena: &Arena<P>, tag: u32);

    /// The chunk of a tag, if it is recorded: no links are followed.
    fn lookup<P: Parameters>(arena: &Arena<P>, tag: u32) -> (bool, u32);

    /// A number, before `wanted` if it is any use, and its chunk, or [`NONE`]. It acquires
    /// what the thread that recorded the chunk had seen of it.
    fn begin<P: Parameters>(arena: &Arena<P>, class: Class, wanted: u32) -> u64;

    /// Counts `n` entries that are about to be enqueued in a chunk of the class.
    ///
    /// # Safety
    ///
    /// As for [`Queue::count_enqueued`](super::Queue::count_enqueued).
    unsafe fn count_enqueued<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: Class,
        chunk: Chunk,
        n: u32,
    );
}

/// The tag of chunk `number` of a class's queue: no two chunks that a thread may
/// confuse have the same, and none is [`NONE`], whose class does not exist. As many
/// skip pointers as there can be classes, one behind the other, have one for each class;
/// in a table with fewer the classes share them.
#[inline(always)]
pub fn tag<P: Parameters>(class: Class, number: u32) -> u32 {
    number << P::CLASS_BITS | class.number()
}

/// The highest lane of `mask`, which must not be empty.
#[inline(always)]
pub fn last_of(mask: u32) -> u32 {
    31 - mask.leading_zeros()
}

/// Makes a run of chunks the newest of the queue: `chunk` of each of the lanes
/// `run`, the first of the group. Each is linked to the next, the last to none. All
/// lanes of the group call this. Whether all entries of the lane's chunk were dequeued
/// since, so that it is to be returned.
///
/// # Safety
///
/// `chunk` is a chunk of the heap in each lane of the run, which owns it, and was prepared.
#[inline(always)]
pub unsafe fn append<W: Warp, P: Parameters, F: Find>(
    warp: W,
    arena: &Arena<P>,
    class: Class,
    chunk: u32,
    run: u32,
    group: &Group,
) -> bool {
    let n = run.count_ones();
    let newest = warp.shuffle(group.mask, chunk, last_of(run));
    let own_tag = loop {
        let new = arena.head64(class, Line::New);
        let mut last = 0;
        if group.leads() {
            last = new.load(Relaxed);
        }
        last = warp.shuffle64(group.mask, last, group.leader);
        let index = advance::<P>((last >> 32) as u32, 1 + group.rank);
        let tag = tag::<P>(class, index);
        if group.rank < n {
            // SAFETY: a lane of the run, with a chunk of its own.
            let chunk = unsafe { Chunk::new(chunk) };
            // Relaxed: published with the run. If the exchange fails no thread is led to
            // the chunk by this tag: the number is another chunk's then.
            arena.meta(chunk, Word::Tag).store(tag, Relaxed);
            // SAFETY: the same.
            unsafe { F::ready(arena, chunk) };
        }
        warp.sync(group.mask);
        // Release, for the exchange, the link and the skip pointers: the slots and tags of
        // all chunks of the run are there for a thread that is led to one of them. Acquire,
        // with `last`: what the thread that appended it published, which the link passes on.
        fence(AcqRel);
        let mut is_appended = false;
        if group.leads() {
            let ours = fuse(advance::<P>(index, n - 1), newest);
            // An exchange that fails was another thread's success. Acquire: the slots
            // and the tag of the last chunk.
            is_appended = new.compare_exchange(last, ours, Acquire) == last;
            if is_appended {
                // At once: others wait for this, as they may, since
                // we wait for no lane of this warp in between.
                // SAFETY: what was appended before is a chunk, or there is none.
                unsafe { link(warp, arena, class, last as u32, fuse(index, chunk)) };
            }
        }
        if warp.ballot(group.mask, is_appended) != 0 {
            break tag;
        }
    };
    // Another expression than above for the same lanes: see `chunked::MakeRoom`.
    if run & 1 << warp.lane() == 0 {
        return false;
    }
    // SAFETY: a chunk of the run. From where it is counted on it may be returned; until there it
    // was ours, too: the append itself counts as one entry of each chunk.
    unsafe {
        let chunk = Chunk::new(chunk);
        F::announce(arena, own_tag, chunk);
        count_dequeued(arena, chunk, 1)
    }
}

/// Links a run that was appended to the chunk before it, or makes it the oldest. All
/// relaxed: after the fence in [`append`].
///
/// # Safety
///
/// `last` is the chunk before the run, or [`NONE`], and `first` has the run's first chunk with its
/// number.
#[inline(always)]
unsafe fn link<W: Warp, P: Parameters>(
    warp: W,
    arena: &Arena<P>,
    class: Class,
    last: u32,
    first: u64,
) {
    if last != NONE {
        // The last chunk cannot be returned without a link.
        // SAFETY: a chunk, which is not none.
        let last = unsafe { Chunk::new(last) };
        arena.meta(last, Word::Next).store(first as u32, Relaxed);
        return;
    }
    // The queue was empty. The thread that returned its last chunk is about to leave
    // `old` at our number, and waits for nothing.
    let old = arena.head64(class, Line::Old);
    let nothing = first | u64::from(NONE);
    while old.compare_exchange(nothing, first, Relaxed) != nothing {
        warp.back_off();
    }
}

/// [`append`] of the lane's chunk, the argument, as that asks for it. The number of chunks is
/// passed beside the class.
pub struct AppendRun<F>(PhantomData<F>);

impl<F: Find> Task for AppendRun<F> {
    type Of = Noted;
    type Argument = Given;

    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        of: Noted,
        chunk: Given,
        lanes: u32,
    ) -> u32 {
        let (class, n) = of.parts::<P>();
        let group = Group::of_lanes(warp, lanes);
        let run = warp.ballot(lanes, group.rank < n);
        // SAFETY: such chunks, in as many lanes.
        let is_retired =
            unsafe { append::<W, P, F>(warp, arena, class, chunk.number(), run, &group) };
        u32::from(is_retired)
    }
}

/// Whether a chunk still has the tag that the caller, or the thread that led it there, had
/// seen; and its link, which is that of the chunk with the tag if so.
#[inline(always)]
pub fn follow<P: Parameters>(arena: &Arena<P>, tag: u32, chunk: Chunk) -> (bool, u32) {
    // Acquire: the tag is read after the link. The thread that led the
    // caller here had seen the tag, and the caller acquired that: a tag that is still there
    // was there when the link was read. A chunk that was appended again may have kept its
    // link: then the chunk behind it is the same with either tag, and its own tag decides
    // which.
    let next = arena.meta(chunk, Word::Next).load(Acquire);
    (arena.meta(chunk, Word::Tag).load(Acquire) == tag, next)
}
