//! The allocator trait: what stands behind every `malloc` of heapwood.
//!
//! An allocator is a small `Copy` value that holds addresses and constants; its
//! state lies in the device memory that it manages. Threads of any warp, under
//! any divergence, call `malloc` and `free` on it.
//!
//! Blocks are named by handles, not pointers: an allocator with a pool uses a
//! 32-bit offset, which halves what a data structure stores per block. One without, over the
//! heap of the system, uses a 64-bit address.

use crate::simt::Warp;

/// The name of a block: small, comparable, with a null.
pub trait Handle: Copy + Eq + 'static {
    /// Names no block.
    const NULL: Self;

    /// The handle as an integer, for storing in device memory.
    fn to_bits(self) -> u64;

    /// The handle with these bits.
    fn from_bits(bits: u64) -> Self;

    /// Whether the handle names no block.
    #[inline(always)]
    fn is_null(self) -> bool {
        self == Self::NULL
    }
}

impl Handle for u32 {
    const NULL: Self = u32::MAX;

    #[inline(always)]
    fn to_bits(self) -> u64 {
        u64::from(self)
    }

    #[inline(always)]
    fn from_bits(bits: u64) -> Self {
        bits as u32
    }
}

/// An address, where blocks are anywhere.
impl Handle for u64 {
    const NULL: Self = u64::MAX;

    #[inline(always)]
    fn to_bits(self) -> u64 {
        self
    }

    #[inline(always)]
    fn from_bits(bits: u64) -> Self {
        bits
    }
}

/// Where an allocator's memory lies and how it is divided: the scalars from
/// which device code rebuilds the allocator. Laid out as C does: exported functions
/// (`export`) are given its address.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Heap {
    /// Addresses inside the memory that the host has set aside: the blocks,
    /// two tables of the allocator's own choice, and the state of
    /// [`Observed`](crate::allocators::Observed), with what it does in the bits below 256.
    pub pointers: [*mut u8; 4],
    /// Sizes and parameters.
    pub integers: [u64; 7],
}

/// A request to set an allocator up.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Start of the memory set aside, 256-byte aligned.
    pub base: *mut u8,
    /// All the memory that the allocator may use, its tables included.
    pub pool_bytes: u64,
    /// Multiprocessors of the device, or workers of the CPU backend.
    pub processors: u32,
    /// Parameters by name, as written after the colon of an allocator's name.
    pub parameters: &'a [(&'a str, &'a str)],
    /// The observation by [`Observed`](crate::allocators::Observed); others make none.
    pub observe: Observe,
}

/// Observations around calls of an allocator, by [`Observed`](crate::allocators::Observed).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Observe {
    /// Blocks are guarded against wrong use.
    pub guards: bool,
    /// Calls are recorded.
    pub records: bool,
    /// Calls are delayed.
    pub delays: bool,
    /// The times of calls are added up.
    pub clocks: bool,
}

impl Observe {
    /// None of them.
    pub const NOTHING: Self = Self {
        guards: false,
        records: false,
        delays: false,
        clocks: false,
    };
    /// Guards alone.
    pub const GUARDS: Self = Self {
        guards: true,
        ..Self::NOTHING
    };
}

/// Why an allocator cannot be set up as requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetupError {
    /// The pool is smaller than the least that works.
    PoolTooSmall {
        /// The least, in bytes.
        needed: u64,
    },
    /// The pool is larger than the allocator can address.
    PoolTooLarge {
        /// The most, in bytes.
        limit: u64,
    },
    /// No parameter of this name, or no such value.
    BadParameter {
        /// The parameters, for the message; empty if there are none.
        expected: &'static str,
    },
}

/// A figure of a heap that was walked; see [`Allocator::walk`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Occupancy {
    /// Bytes in live blocks, as granted.
    pub used_bytes: u64,
    /// Bytes in free blocks.
    pub free_bytes: u64,
    /// The largest free block, in bytes.
    pub largest_free_bytes: u64,
}

impl Occupancy {
    /// External fragmentation (Vinkler and Havran, equation 3): the part of the free bytes that
    /// is not in the largest free block, 0 to 1. None if nothing is free, or nothing was found
    /// since the allocator cannot be walked.
    pub fn external_fragmentation(&self) -> Option<f64> {
        (self.free_bytes > 0).then(|| 1.0 - self.largest_free_bytes as f64 / self.free_bytes as f64)
    }
}

/// Faults found in the use of a heap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Live blocks that were allocated again.
    pub overwritten: u64,
    /// Calls of `free` with what is no live block (guarded blocks only).
    pub invalid_frees: u64,
    /// Blocks that were written past their end (guarded blocks only).
    pub overruns: u64,
    /// Blocks that functions of the user's granted outside of the pool, and that were refused
    /// for it ([`Allocator::EXTERNAL`]).
    pub outside: u64,
    /// Blocks of theirs that were not aligned, likewise.
    pub misaligned: u64,
}

/// Dependent accesses to memory after which a request that is refused has
/// returned, where [`Allocator::BOUNDED_REFUSAL`] is declared.
///
/// Accesses that do not wait for each other's results count as one: a vector load
/// is one access, and so are the loads of an unrolled loop.
pub const REFUSAL_ACCESSES: u64 = 1 << 17;

/// Bytes of the pool that are set aside for the state of an allocator that has nothing but the
/// heap of the system ([`Allocator::SYSTEM_HEAP`]): half for its own, half for the state of
/// [`Observed`](crate::allocators::Observed).
pub const SYSTEM_HEAP_STATE: u64 = 512;

/// Bytes at the begin of the pool of an allocator in functions of the user's
/// ([`Allocator::EXTERNAL`]): half for counters of faults, half for the state of the functions.
/// Whoever has a heap made ready sets them to 0 before the launch.
pub const EXTERNAL_STATE: u64 = 512;

/// A dynamic memory allocator for device code.
///
/// # Contract
///
/// The conformance suite holds every implementation to this, on every backend.
///
/// - Blocks are 16-byte aligned, lie inside the pool unless they come from the heap of the
///   system ([`Allocator::SYSTEM_HEAP`]) or of a library ([`Allocator::OWN_MEMORY`]), do not
///   overlap while they live and keep their contents. 0 bytes are served like 1.
/// - Exhaustion gives `Handle::NULL` within bounded time; never a hang or trap.
/// - A block may be freed by any thread that got its handle with
///   synchronisation (an acquire that saw a release after the `malloc`).
///   Freeing null does nothing.
/// - What the previous owner of a block did before `free` happens before what
///   the next owner does after `malloc`.
/// - An allocator that [frees](Allocator::FREES) and never grants a live block again gives all
///   memory back: once every block was freed, requests of whatever sizes, down to the smallest,
///   get as many bytes as from a heap that [`Allocator::init`] just made empty.
/// - No waiting: no call depends on the progress of another thread, unless the
///   implementation says so and argues why that thread runs.
pub trait Allocator: Copy + 'static {
    /// The name of a block.
    type Handle: Handle;

    /// Whether `free` gives memory back.
    const FREES: bool;
    /// Whether freed memory serves requests of other sizes.
    const REUSES_ACROSS_SIZES: bool;
    /// Whether `walk` reports occupancy.
    const WALKABLE: bool;
    /// Whether a live block may be allocated again ("overwritten"), in which
    /// case `free` detects it and `faults` reports it.
    const MAY_OVERWRITE: bool = false;
    /// Whether null is evidence: a request is refused only if no memory that
    /// no thread owned during the whole call could have served it, however long
    /// other threads are descheduled in the middle of theirs. Blocks of one size
    /// are alike: a `malloc` that is in progress owns one of them from its start on,
    /// whichever it will be. Where it is false, a request may be refused because
    /// others hold free memory for a moment.
    const EXACT_NULL: bool;
    /// Whether a refusal takes at most [`REFUSAL_ACCESSES`] dependent accesses to
    /// memory while no other call overlaps it, whatever the state and size of the
    /// heap.
    const BOUNDED_REFUSAL: bool;
    /// Whether [`Allocator::provide`] does anything.
    const PROVIDES: bool = false;
    /// Whether blocks come from the heap of the system, one in a process:
    /// CUDA's device heap on a GPU, the C library's on a CPU. Of [`Request::pool_bytes`] that
    /// heap has [`Allocator::elsewhere`] then, and the host sets the rest aside.
    ///
    /// Such a heap cannot be made empty: blocks that live when [`Allocator::init`] is called
    /// are lost to it, so that whoever is done with a heap frees them.
    const SYSTEM_HEAP: bool = false;
    /// Whether it is in functions of the user's, which the kernels are linked with, or on a CPU
    /// come from a shared library. [`Allocator::init`] finds [`EXTERNAL_STATE`] bytes of 0 at
    /// the begin of the pool.
    const EXTERNAL: bool = false;
    /// Whether the user's functions have their blocks in memory that a library of theirs gets on
    /// the host, [`Allocator::elsewhere`] bytes, and not in the pool.
    const OWN_MEMORY: bool = false;

    /// Divides the memory: computes the scalars of the heap, touching nothing.
    fn setup(request: &Request) -> Result<Heap, SetupError>;

    /// The allocator over a heap that `setup` described.
    ///
    /// # Safety
    ///
    /// The heap's memory is valid for as long as the value is used and is
    /// accessed through the allocator and live blocks only. It was made ready by
    /// [`Allocator::init`] before anything else is asked of the value.
    unsafe fn new(heap: Heap) -> Self;

    /// The largest request that an empty heap can serve, in bytes.
    fn max_block(heap: &Heap) -> u64;

    /// Bytes of the pool that are not where the pool is, but the heap of the system's
    /// ([`Allocator::SYSTEM_HEAP`]) or of a library's ([`Allocator::OWN_MEMORY`]): the host
    /// sets as many fewer aside, and has that heap be so large.
    fn elsewhere(_heap: &Heap) -> u64 {
        0
    }

    /// Makes the heap empty. All lanes of all warps of one launch call this
    /// together; the heap is ready when the launch has ended. Serves as reset, but for the
    /// heap of the system ([`Allocator::SYSTEM_HEAP`]).
    ///
    /// # Safety
    ///
    /// Nothing else uses the heap during the launch, and no block survives it.
    unsafe fn init<W: Warp>(self, warp: W);

    /// A block of at least `bytes`, or null.
    fn malloc<W: Warp>(self, warp: W, bytes: u64) -> Self::Handle;

    /// `malloc`, but null rather than memory that was granted before and may be in
    /// use ([`Allocator::MAY_OVERWRITE`]): for data that lives on whatever is granted
    /// later.
    #[inline(always)]
    fn malloc_exclusive<W: Warp>(self, warp: W, bytes: u64) -> Self::Handle {
        self.malloc(warp, bytes)
    }

    /// Makes memory ready for `count` requests of up to `bytes` each that are to come, as
    /// far as there is any: a hint, from somebody who knows what a whole batch wants before
    /// its first request. An allocator that divides memory into sizes as they are requested
    /// does that here with full warps, where requests would wait for each other.
    ///
    /// All lanes of a warp call this together. Warps that do so with the same arguments, in
    /// one launch, share the work.
    #[inline(always)]
    fn provide<W: Warp>(self, _warp: W, _bytes: u64, _count: u32) {}

    /// Gives a block back.
    ///
    /// # Safety
    ///
    /// `block` came from `malloc` of this heap, is live or null, and no thread
    /// uses it afterwards.
    unsafe fn free<W: Warp>(self, warp: W, block: Self::Handle);

    /// `malloc` for the active lanes, as one request where the
    /// allocator knows how. Each lane's block is freed on its own.
    ///
    /// It reads the active mask ([`Warp::converge`]). So lanes that request again and again
    /// come together before each request, in a collective over the whole warp; lanes that want
    /// nothing more take part in that until the last one is done.
    #[inline(always)]
    fn malloc_coalesced<W: Warp>(self, warp: W, bytes: u64) -> Self::Handle {
        self.malloc(warp, bytes)
    }

    /// `free` for the active lanes, which come together before each call as for
    /// [`Allocator::malloc_coalesced`].
    ///
    /// # Safety
    ///
    /// As for `free`.
    #[inline(always)]
    unsafe fn free_coalesced<W: Warp>(self, warp: W, block: Self::Handle) {
        // SAFETY: the caller's promise is the one that `free` asks for.
        unsafe { self.free(warp, block) }
    }

    /// The address of a live block.
    fn address(self, block: Self::Handle) -> *mut u8;

    /// Whether the handle may name a block of this heap; false for null.
    fn contains(self, block: Self::Handle) -> bool;

    /// The bytes that were granted to a live block, its part of tables and
    /// headers left out; `requested` if the allocator does not know.
    ///
    /// # Safety
    ///
    /// The block is one of this heap that was requested with so many bytes, and lives.
    unsafe fn granted(self, block: Self::Handle, requested: u64) -> u64;

    /// The bytes of a live block that its owner may use: all that were granted,
    /// unless something else lies behind those that were requested.
    ///
    /// # Safety
    ///
    /// As for [`Self::granted`].
    #[inline(always)]
    unsafe fn usable(self, block: Self::Handle, requested: u64) -> u64 {
        // SAFETY: the caller's promise.
        unsafe { self.granted(block, requested) }
    }

    /// This thread's part of a walk over a heap at rest: parts of all threads
    /// of the launch add up (`largest_free_bytes`: maximum) to the occupancy.
    fn walk<W: Warp>(self, _warp: W) -> Occupancy {
        Occupancy::default()
    }

    /// Faults found so far.
    fn faults(self) -> Faults {
        Faults::default()
    }
}

/// The declarations of an allocator, as values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Properties {
    /// [`Allocator::FREES`].
    pub frees: bool,
    /// [`Allocator::REUSES_ACROSS_SIZES`].
    pub reuses_across_sizes: bool,
    /// [`Allocator::WALKABLE`].
    pub walkable: bool,
    /// [`Allocator::MAY_OVERWRITE`].
    pub may_overwrite: bool,
    /// [`Allocator::EXACT_NULL`].
    pub exact_null: bool,
    /// [`Allocator::BOUNDED_REFUSAL`].
    pub bounded_refusal: bool,
    /// [`Allocator::PROVIDES`].
    pub provides: bool,
    /// [`Allocator::SYSTEM_HEAP`].
    pub system_heap: bool,
    /// [`Allocator::EXTERNAL`].
    pub external: bool,
    /// [`Allocator::OWN_MEMORY`].
    pub own_memory: bool,
}

impl Properties {
    /// Those of the allocator `A`.
    pub const fn of<A: Allocator>() -> Self {
        Self {
            frees: A::FREES,
            reuses_across_sizes: A::REUSES_ACROSS_SIZES,
            walkable: A::WALKABLE,
            may_overwrite: A::MAY_OVERWRITE,
            exact_null: A::EXACT_NULL,
            bounded_refusal: A::BOUNDED_REFUSAL,
            provides: A::PROVIDES,
            system_heap: A::SYSTEM_HEAP,
            external: A::EXTERNAL,
            own_memory: A::OWN_MEMORY,
        }
    }
}
