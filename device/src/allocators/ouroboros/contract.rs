//! Ouroboros as an [`Allocator`].
//!
//! A request that finds nothing looks again here until that is evidence ([`Refuse`]).

use core::marker::PhantomData;
use core::sync::atomic::Ordering::Relaxed;

use super::Ouroboros;
use super::arena::{Arena, Chunk, Class, EMPTY, Given, NONE, Owner, Task, Word, for_each_class};
use super::geometry::Geometry;
use super::instance::{Instance, Pages};
use super::layout::{self, first_chunks};
use super::parameters::{Parameters, class_of, page_bytes};
use super::transit::later;
use crate::allocator::{Allocator, Handle, Heap, Occupancy, Request, SetupError};
use crate::allocators::common::{MIN_UNIT_SHIFT, with_unit_alone};
use crate::simt::Warp;

/// The outcome of [`Refuse`] that refuses the request; any other is the epoch with which
/// the request looks again.
const REFUSED: u32 = NONE;
/// The epoch of a request that has none yet.
const UNSEEN: u32 = NONE - 1;

/// The class of a request that no page serves.
#[inline(always)]
const fn run<P: Parameters>() -> u32 {
    (1 << P::CLASS_BITS) - 1
}

/// [`Instance::reclaim`], a function of its own: in line there would be one for each
/// class.
struct Reclaim<I>(PhantomData<I>);

impl<I: Instance> Task for Reclaim<I> {
    type Of = Class;
    type Argument = ();

    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: Class,
        _argument: (),
        _lanes: u32,
    ) -> u32 {
        let reclaimed = I::reclaim(warp, arena, class);
        reclaimed.moves << 1 | u32::from(reclaimed.again)
    }
}

/// Decides whether a request of a class of these instances, or of a [`run`], that has found nothing
/// since it got an epoch, the argument, is refused.
///
/// It is refused if nothing has moved in between ([`super::transit`]): then all that was
/// free meanwhile lay where the request has looked. Before that the classes return their
/// unused chunks to the pool, where the next look finds them. A few counts show that a heap
/// has nothing, without another look.
struct Refuse<I>(PhantomData<I>);

impl<I: Instance> Task for Refuse<I> {
    type Of = Given;
    type Argument = u32;

    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: Given,
        seen: u32,
        _lanes: u32,
    ) -> u32 {
        let epoch = arena.epoch(warp);
        if epoch == seen {
            return REFUSED;
        }
        let (mut again, mut moves) = (false, 0);
        for other in 0..arena.classes() {
            // SAFETY: at most `P::CLASSES`, of these instances.
            let other = unsafe { Class::new(other) };
            let reclaimed = arena.call::<W, Reclaim<I>>(warp, other, ());
            again |= reclaimed & 1 != 0;
            moves += reclaimed >> 1;
        }
        if again {
            // Threads that hold something take it, or put it where we look next; they wait
            // for no thread that looks here.
            warp.back_off();
            return UNSEEN;
        }
        let class = class.number();
        // SAFETY: a class of these instances, if it is not that of a run.
        let has_none = || class == run::<P>() || I::is_bare(arena, unsafe { Class::new(class) });
        // None of the counts is ever too low.
        let is_bare = arena.is_used_up() && has_none();
        let epoch = later(epoch, moves);
        if is_bare && arena.epoch(warp) == epoch {
            return REFUSED;
        }
        epoch
    }
}

impl<P: Parameters, I: Instance> Ouroboros<P, I> {
    /// A run of chunks that holds `bytes`.
    #[inline(always)]
    fn malloc_run<W: Warp>(&self, warp: W, bytes: u64) -> u32 {
        if P::IS_STACKED {
            return u32::NULL;
        }
        let length = self.arena.chunks_for(bytes);
        if length == NONE {
            return u32::NULL;
        }
        // SAFETY: a length is a chunk at least.
        let first = unsafe { self.arena.take_run(warp, length) };
        if first == NONE {
            u32::NULL
        } else {
            first << P::UNIT_BITS
        }
    }

    /// Adds pages of `class` to a sum.
    #[inline(always)]
    fn add(&self, sum: &mut Occupancy, class: Class, pages: Pages) {
        let bytes = page_bytes::<P>(class) << self.arena.scale_bits;
        sum.used_bytes += pages.used * bytes;
        sum.free_bytes += pages.free * bytes;
        if pages.free > 0 && bytes > sum.largest_free_bytes {
            sum.largest_free_bytes = bytes;
        }
    }

    /// Bytes of the run that begins with a chunk, before they are scaled.
    #[inline(always)]
    fn run_bytes(&self, chunk: Chunk) -> u64 {
        u64::from(self.arena.meta(chunk, Word::Length).load(Relaxed)) << P::CHUNK_BITS
    }

    /// Free chunks from `chunk` on, if a run of them starts there.
    #[inline(always)]
    fn run_at(&self, chunk: Chunk) -> u32 {
        let chunk = chunk.number();
        // SAFETY: a word of the map, for `chunk` is of the heap, and so is `end` here.
        let map = |index: u32| unsafe { self.arena.free_map(index) }.load(Relaxed);
        let is_free = |chunk: u32| map(chunk >> 5) >> (chunk & 31) & 1 == 1;
        if !is_free(chunk) || (chunk > 0 && is_free(chunk - 1)) {
            return 0;
        }
        let mut end = chunk;
        loop {
            // Ones from `end` up to the end of its word.
            let ones = (!(map(end >> 5) >> (end & 31))).trailing_zeros();
            let left = 32 - (end & 31);
            end += if ones < left { ones } else { left };
            if ones < left || end >= self.arena.chunks {
                return end - chunk;
            }
        }
    }
}

impl<P: Parameters, I: Instance> Allocator for Ouroboros<P, I> {
    type Handle = u32;

    const FREES: bool = true;
    const REUSES_ACROSS_SIZES: bool = I::REUSES;
    const WALKABLE: bool = true;
    const EXACT_NULL: bool = I::EXACT_NULL;
    const BOUNDED_REFUSAL: bool = I::BOUNDED_REFUSAL;
    const PROVIDES: bool = I::PROVIDES;

    fn setup(request: &Request) -> Result<Heap, SetupError> {
        with_unit_alone(request, |unit_shift| {
            layout::plan::<P>(request, unit_shift - MIN_UNIT_SHIFT, I::fixed::<P>)
        })
    }

    #[inline(always)]
    unsafe fn new(heap: Heap) -> Self {
        Self {
            // SAFETY: `setup` planned the heap.
            arena: unsafe { Arena::new(&heap) },
            instances: PhantomData,
        }
    }

    fn max_block(heap: &Heap) -> u64 {
        // A request for all of it makes the queues return their chunks.
        let scale_bits = Geometry::unpack(heap.integers[1]).scale_bits;
        layout::max_block::<P>(heap.integers[0]) << scale_bits
    }

    unsafe fn init<W: Warp>(self, warp: W) {
        let taken = first_chunks::<P>(self.arena.chunks, I::is_virtual);
        // SAFETY: nothing else uses the heap; `first_chunks` has chunks of the heap, and the
        // classes are of these instances.
        unsafe {
            layout::init(warp, &self.arena, taken);
            for class in 0..P::CLASSES {
                I::init(warp, &self.arena, Class::new(class));
            }
        }
    }

    #[inline(always)]
    fn malloc<W: Warp>(self, warp: W, bytes: u64) -> u32 {
        // The null handle and the empty slot are the same.
        const { assert!(EMPTY == u32::NULL) };
        let bytes = self.arena.scaled(bytes);
        let is_run = bytes > P::MAX_PAGE_BYTES;
        let class = if is_run {
            run::<P>()
        } else {
            // SAFETY: a request for up to the largest page has a class, of these instances.
            unsafe { class_of::<P>(bytes) }.number()
        };
        let (mut block, mut epoch) = (EMPTY, UNSEEN);
        // Lanes that come together look again together, until all have what they get:
        // see `Warp::converge`.
        let all = warp.converge();
        let (mut rest, mut is_again) = (all, false);
        while rest != 0 {
            let looks = rest & 1 << warp.lane() != 0;
            let pages = warp.ballot(all, looks & !is_run);
            if looks {
                block = if is_run {
                    self.malloc_run(warp, bytes)
                } else {
                    // SAFETY: it is no run that has this class.
                    let class = unsafe { Class::new(class) };
                    I::malloc(warp, &self.arena, pages, class, is_again)
                };
                if block.is_null() {
                    // SAFETY: a class of these instances, or that of a run.
                    let class = unsafe { Given::new(class) };
                    epoch = self.arena.call::<W, Refuse<I>>(warp, class, epoch);
                }
            }
            rest = warp.ballot(all, block.is_null() & (epoch != REFUSED));
            is_again = true;
            // A chunk that one lane has seen free, the lane that looks for its group must see.
            warp.sync(all);
        }
        block
    }

    #[inline(always)]
    fn provide<W: Warp>(self, warp: W, bytes: u64, count: u32) {
        let bytes = self.arena.scaled(bytes);
        // SAFETY: up to the largest page there is a class.
        unsafe {
            if bytes <= P::MAX_PAGE_BYTES {
                I::provide(warp, &self.arena, class_of::<P>(bytes), count);
            }
        }
    }

    #[inline(always)]
    unsafe fn free<W: Warp>(self, warp: W, block: u32) {
        if block.is_null() {
            return;
        }
        // SAFETY: a live block is in a chunk that has an owner: its class, or the run that begins
        // there.
        unsafe {
            let chunk = self.arena.chunk_of(block);
            let owner = self.arena.owner(chunk);
            if owner == Owner::RUN {
                self.arena.give_run(chunk);
            } else {
                let all = warp.converge();
                I::free(warp, &self.arena, all, owner.class(), block);
            }
        }
    }

    #[inline(always)]
    fn address(self, block: u32) -> *mut u8 {
        self.arena.address(block)
    }

    fn contains(self, block: u32) -> bool {
        self.arena.is_block(block)
    }

    unsafe fn granted(self, block: u32, _requested: u64) -> u64 {
        // SAFETY: a live block is in a chunk.
        let chunk = unsafe { self.arena.chunk_of(block) };
        let owner = self.arena.owner(chunk);
        let bytes = if owner == Owner::RUN {
            self.run_bytes(chunk)
        } else {
            // SAFETY: its class, as it has an owner.
            page_bytes::<P>(unsafe { owner.class() })
        };
        bytes << self.arena.scale_bits
    }

    fn walk<W: Warp>(self, warp: W) -> Occupancy {
        let arena = &self.arena;
        let mut sum = Occupancy::default();
        arena.for_each_chunk(warp, |chunk| {
            let run = u64::from(self.run_at(chunk));
            sum.free_bytes += run << P::CHUNK_BITS << arena.scale_bits;
            let largest = layout::max_block::<P>(run) << arena.scale_bits;
            if largest > sum.largest_free_bytes {
                sum.largest_free_bytes = largest;
            }
            match arena.owner(chunk) {
                Owner::NO_CLASS => {}
                Owner::RUN => sum.used_bytes += self.run_bytes(chunk) << arena.scale_bits,
                owner => {
                    // SAFETY: it is a class.
                    let class = unsafe { owner.class() };
                    self.add(&mut sum, class, I::pages_of_chunk(arena, class, chunk));
                }
            }
        });
        for_each_class::<W, P>(warp, |class| {
            self.add(&mut sum, class, I::pages_of_class(arena, class));
        });
        sum
    }
}
