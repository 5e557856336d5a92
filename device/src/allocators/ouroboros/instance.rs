//! Instances, which serve the classes of pages, and how a request is served.
//!
//! Common to pages and chunks: the lanes of a warp that
//! want pages of a class make one request of the semaphore; if that counts enough, each
//! kind finds its pages in its own way ([`Kind::obtain`]). If it counts too few, some lanes
//! get what is available. The others wait for a chunk that another thread is about to
//! allocate, if the kind has them wait ([`Kind::spreads`]), or allocate new ones
//! ([`super::supply`]), take their own pages from them before any other thread sees them,
//! and leave the rest to the kind ([`Kind::keep`]). Lanes that get nothing look again until
//! it is evident that there is nothing ([`super::contract`]).

use super::arena::{Arena, Chunk, Class};
use super::geometry::Static;
use super::group::Group;
use super::kind::Kind;
use super::parameters::Parameters;
use super::supply::{GRANTED, Supply};
use crate::simt::Warp;

/// Free and used pages, as a walk finds them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pages {
    /// Pages in use.
    pub used: u64,
    /// Free pages.
    pub free: u64,
}

/// The outcome of a search for chunks that can be returned to the pool.
#[derive(Clone, Copy)]
pub struct Reclaimed {
    /// Whether some were returned, or may be by other threads that hold them.
    pub again: bool,
    /// How many times this search itself changed the caller's epoch.
    pub moves: u32,
}

/// Instances that together serve all classes. A class belongs to one of them.
///
/// Its functions get classes of heaps that were planned for these instances ([`Instance::fixed`]).
///
/// # Safety
///
/// An implementation promises that `malloc` returns `EMPTY`, or a page of the class in a chunk
/// that it has from the arena for that class, which no other thread is granted until `free` is
/// called for it; and that chunks which it returns to the arena hold no block.
pub unsafe trait Instance: Copy + 'static {
    /// Whether fully free chunks serve any other use, in all classes.
    const REUSES: bool;
    /// Whether null is evidence: `Allocator::EXACT_NULL`.
    const EXACT_NULL: bool;
    /// Whether a refusal is bounded: `Allocator::BOUNDED_REFUSAL`.
    const BOUNDED_REFUSAL: bool;
    /// Whether chunks are divided ahead: `Allocator::PROVIDES`.
    const PROVIDES: bool;

    /// Whether the queue of a class is stored in chunks of the pool.
    fn is_virtual(class: u32) -> bool;

    /// Static memory of a class's queue in a heap of so many chunks.
    fn fixed<P: Parameters>(chunks: u64) -> Static;

    /// Empties the queue of a class; called by all threads of the launch.
    ///
    /// # Safety
    ///
    /// Nothing else uses the heap.
    unsafe fn init<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: Class);

    /// A page of the class, or `EMPTY`. The lanes of `all` call this together,
    /// each for a class of its own; whether they look again is the same for all.
    fn malloc<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        all: u32,
        class: Class,
        is_again: bool,
    ) -> u32;

    /// Divides chunks until the class has `count` free pages; called by all lanes of a
    /// warp.
    #[inline(always)]
    fn provide<W: Warp, P: Parameters>(_warp: W, _arena: &Arena<P>, _class: Class, _count: u32) {}

    /// Frees a page of the class; called as `malloc`.
    ///
    /// # Safety
    ///
    /// `block` is a live block, of a chunk of that class, that the caller gives up.
    unsafe fn free<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        all: u32,
        class: Class,
        block: u32,
    );

    /// Whether the class has no free page.
    fn is_bare<P: Parameters>(arena: &Arena<P>, class: Class) -> bool;

    /// Returns chunks of the class that hold no block to the pool.
    fn reclaim<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: Class) -> Reclaimed;

    /// The pages of one chunk of the class, if they are counted by chunks.
    #[inline(always)]
    fn pages_of_chunk<P: Parameters>(_arena: &Arena<P>, _class: Class, _chunk: Chunk) -> Pages {
        Pages::default()
    }

    /// The pages of the class, if they are counted by classes.
    #[inline(always)]
    fn pages_of_class<P: Parameters>(_arena: &Arena<P>, _class: Class) -> Pages {
        Pages::default()
    }
}

/// Classes below `FROM` are served by `A`, the others by `B`: several instances
/// of different kinds in one manager. They share the pool by need: neither has a
/// part of its own.
#[derive(Clone, Copy, Debug)]
pub struct Split<A, B, const FROM: u32>(core::marker::PhantomData<(A, B)>);

// SAFETY: a class is served by one of the two alone, which keeps the promise.
unsafe impl<A: Instance, B: Instance, const FROM: u32> Instance for Split<A, B, FROM> {
    const REUSES: bool = A::REUSES && B::REUSES;
    const EXACT_NULL: bool = A::EXACT_NULL && B::EXACT_NULL;
    const BOUNDED_REFUSAL: bool = A::BOUNDED_REFUSAL && B::BOUNDED_REFUSAL;
    const PROVIDES: bool = A::PROVIDES || B::PROVIDES;

    #[inline(always)]
    fn is_virtual(class: u32) -> bool {
        if class < FROM {
            A::is_virtual(class)
        } else {
            B::is_virtual(class)
        }
    }

    fn fixed<P: Parameters>(chunks: u64) -> Static {
        // One figure for both: the larger serves either.
        let (a, b) = (A::fixed::<P>(chunks), B::fixed::<P>(chunks));
        Static {
            bits: a.bits.max(b.bits),
            word_bits: a.word_bits.max(b.word_bits),
        }
    }

    #[inline(always)]
    unsafe fn init<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: Class) {
        // SAFETY: neither uses the heap.
        unsafe {
            if class.number() < FROM {
                A::init(warp, arena, class);
            } else {
                B::init(warp, arena, class);
            }
        }
    }

    #[inline(always)]
    fn malloc<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        all: u32,
        class: Class,
        is_again: bool,
    ) -> u32 {
        let low = warp.ballot(all, class.number() < FROM);
        if class.number() < FROM {
            A::malloc(warp, arena, low, class, is_again)
        } else {
            B::malloc(warp, arena, all & !low, class, is_again)
        }
    }

    #[inline(always)]
    fn provide<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: Class, count: u32) {
        if class.number() < FROM {
            A::provide(warp, arena, class, count);
        } else {
            B::provide(warp, arena, class, count);
        }
    }

    #[inline(always)]
    unsafe fn free<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        all: u32,
        class: Class,
        block: u32,
    ) {
        // SAFETY: a live block of the class, whichever it is.
        unsafe {
            let low = warp.ballot(all, class.number() < FROM);
            if class.number() < FROM {
                A::free(warp, arena, low, class, block);
            } else {
                B::free(warp, arena, all & !low, class, block);
            }
        }
    }

    #[inline(always)]
    fn is_bare<P: Parameters>(arena: &Arena<P>, class: Class) -> bool {
        if class.number() < FROM {
            A::is_bare(arena, class)
        } else {
            B::is_bare(arena, class)
        }
    }

    #[inline(always)]
    fn reclaim<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: Class) -> Reclaimed {
        if class.number() < FROM {
            A::reclaim(warp, arena, class)
        } else {
            B::reclaim(warp, arena, class)
        }
    }

    #[inline(always)]
    fn pages_of_chunk<P: Parameters>(arena: &Arena<P>, class: Class, chunk: Chunk) -> Pages {
        if class.number() < FROM {
            A::pages_of_chunk(arena, class, chunk)
        } else {
            B::pages_of_chunk(arena, class, chunk)
        }
    }

    #[inline(always)]
    fn pages_of_class<P: Parameters>(arena: &Arena<P>, class: Class) -> Pages {
        if class.number() < FROM {
            A::pages_of_class(arena, class)
        } else {
            B::pages_of_class(arena, class)
        }
    }
}

/// A page of the class, or `EMPTY`: [`Instance::malloc`].
#[inline(always)]
pub fn malloc<W: Warp, P: Parameters, K: Kind>(
    warp: W,
    arena: &Arena<P>,
    all: u32,
    class: Class,
    is_again: bool,
) -> u32 {
    let mut group = Group::by_key(warp, all, class.number());
    let mut granted = 0;
    if group.leads() {
        let supply = arena.supply(class);
        // A request that looks again waits for what is about to be added.
        granted = if is_again {
            supply.take_if_any(group.size)
        } else {
            supply.take(group.size)
        };
    }
    granted = warp.shuffle(all, granted, group.leader);
    // Of a group that wants more pages than there are, the first lanes get these.
    let is_granted = group.rank < granted;
    let mut together = warp.ballot(all, is_granted);
    if is_granted {
        group = group.without(!together);
    } else {
        group = group.without(together);
        let block = arena.call_together::<W, Supply<K>>(warp, class, (), group.mask);
        together = warp.ballot(group.mask, block == GRANTED);
        if block != GRANTED {
            return block;
        }
        group = Group::of_lanes(warp, together);
    }
    // SAFETY: the lanes of `together` have a permit each: the semaphore's, or those of `Supply`.
    unsafe { K::obtain(warp, arena, class, together, &group) }
}
