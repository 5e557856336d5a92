//! External: an allocator of the user's own, in functions that are linked with the kernels
//! (docs/external-allocators.md).
//!
//! The pool begins with what is ours, two counters, and the state of the user's functions.
//! The rest is theirs to divide. They answer with addresses; a handle is what it is for most
//! other allocators, a number of units of 16 bytes in 32 bits, so that data structures have
//! the size that they have over those. One whose blocks lie in memory that it got for itself
//! has addresses for handles ([`ExternalOwn`]).
//!
//! An address that no block may have is not believed: it is counted, and the request refused,
//! so that memory of others is not written to and the result names the fault. Whether blocks
//! overlap is not looked at here: the benchmarks' verification does that.

mod own;

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;
use cuda_std::external::{EXTERNAL_WORDS, External as Functions};

use crate::allocator::{Allocator, EXTERNAL_STATE, Faults, Handle, Heap, Request, SetupError};
use crate::description::{Described, Description, Parameter};
use crate::registers::RegisterLimits;
use crate::simt::Warp;

pub use own::ExternalOwn;

/// Where the state of the user's functions begins, in bytes.
const STATE: u64 = EXTERNAL_STATE / 2;
/// The logarithm of a unit's bytes, which blocks are aligned to.
const UNIT_SHIFT: u32 = 4;
/// The first integer of a heap with an address of a function, on the host.
const WORDS: usize = 1;
/// The integer of a heap that is 1 if there is a `heapwood_granted`, else 0.
const HAS_GRANTED: usize = WORDS + EXTERNAL_WORDS;
const PARAMETERS: &str = "free=yes|no, name=NAME";
/// Parameters of both forms, but for the one that chooses between them.
const FREE: Parameter = Parameter {
    name: "free",
    values: "yes, no",
    default: "yes",
    what: "whether there is a heapwood_free",
};
const NAME: Parameter = Parameter {
    name: "name",
    values: "letters, digits, points, hyphens and underscores",
    default: "",
    what: "what results call it",
};

/// A heap whose functions are at these addresses, 0 for none. For the host; on the GPU they
/// are linked, and these are not used.
pub fn bind_external(mut heap: Heap, functions: [u64; EXTERNAL_WORDS]) -> Heap {
    heap.integers[WORDS..HAS_GRANTED].copy_from_slice(&functions);
    let [.., granted] = functions;
    link_external(heap, granted != 0)
}

/// The heap of functions that are linked on the GPU, with a `heapwood_granted` among them or
/// without.
pub fn link_external(mut heap: Heap, has_granted: bool) -> Heap {
    heap.integers[HAS_GRANTED] = has_granted.into();
    heap
}

/// Whether a heap has a `heapwood_granted`.
pub fn has_external_granted(heap: &Heap) -> bool {
    heap.integers[HAS_GRANTED] != 0
}

/// The user's functions with their state and our counters, at the begin of the pool.
#[derive(Clone, Copy)]
struct Linked {
    functions: Functions,
    /// Where the pool begins.
    base: *mut u8,
}

impl Linked {
    /// # Safety
    ///
    /// As for [`Allocator::new`], for a heap that one of the two made.
    #[inline(always)]
    unsafe fn new(heap: &Heap) -> Self {
        let [_, malloc, free, init, granted, ..] = heap.integers;
        Self {
            // SAFETY: addresses of `bind_external`, whose caller has loaded the functions, or 0;
            // `setup` and `link_external` leave all of them 0.
            functions: unsafe { Functions::new([malloc, free, init, granted]) },
            base: heap.pointers[0],
        }
    }

    #[inline(always)]
    fn state(self) -> *mut u8 {
        self.base.wrapping_add(STATE as usize)
    }

    /// # Safety
    ///
    /// As for [`Allocator::init`]; the functions may use so many bytes of `pool`.
    unsafe fn init<W: Warp>(self, warp: W, pool: *mut u8, bytes: u64) {
        // SAFETY: the host has zeroed the state before this launch, in which no other thread uses
        // the heap.
        unsafe {
            self.functions
                .init(self.state(), pool, bytes, warp.thread(), warp.threads());
        }
    }

    /// The address of a block, or null.
    #[inline(always)]
    fn malloc(self, bytes: u64) -> *mut u8 {
        // SAFETY: the heap was made ready before, as `new` asks for.
        unsafe { self.functions.malloc(self.state(), bytes) }
    }

    /// # Safety
    ///
    /// As for [`Allocator::free`], for an address that is not null.
    #[inline(always)]
    unsafe fn free(self, block: *mut u8) {
        // SAFETY: a live block of these functions, which its owner gives up.
        unsafe { self.functions.free(self.state(), block) }
    }

    /// The size of a block: what `heapwood_granted` says, but at least the request and at most
    /// `limit`; the request where there is no such function.
    ///
    /// # Safety
    ///
    /// As for [`Allocator::granted`], for an address that is not null.
    #[inline(always)]
    unsafe fn granted(self, block: *mut u8, requested: u64, limit: u64) -> u64 {
        let requested = if requested == 0 { 1 } else { requested };
        // SAFETY: a live block of these functions.
        match unsafe { self.functions.granted(self.state(), block) } {
            Some(granted) if granted > limit => limit,
            Some(granted) if granted > requested => granted,
            _ => requested,
        }
    }

    fn faults(self) -> Faults {
        Faults {
            outside: self.outside().load(Relaxed),
            misaligned: self.misaligned().load(Relaxed),
            ..Faults::default()
        }
    }

    /// Blocks that did not lie in the pool.
    #[inline(always)]
    fn outside(&self) -> &AtomicU64 {
        // SAFETY: `setup` placed an aligned word there.
        unsafe { &*self.base.cast() }
    }

    /// Blocks that were not aligned.
    #[inline(always)]
    fn misaligned(&self) -> &AtomicU64 {
        // SAFETY: `setup` placed a second one behind it.
        unsafe { &*self.base.cast::<AtomicU64>().wrapping_add(1) }
    }
}

/// Functions of the user's, whose blocks lie in the pool.
#[derive(Clone, Copy)]
pub struct External {
    linked: Linked,
    /// Bytes of the pool that blocks may lie in.
    bytes: u64,
}

impl External {
    #[inline(always)]
    fn blocks(self) -> *mut u8 {
        self.linked.base.wrapping_add(EXTERNAL_STATE as usize)
    }
}

impl Described for External {
    const DESCRIPTION: Description = Description {
        name: "external",
        what: "your own, in CUDA C++ or PTX, linked by --link (docs/external-allocators.md)",
        paper: "whoever wrote it",
        parameters: &[
            FREE,
            NAME,
            Parameter {
                name: "pool",
                values: "given, own",
                default: "given",
                what: "where blocks lie: in the pool, or in memory that a library of its own gets",
            },
        ],
    };
    const REGISTERS: RegisterLimits = RegisterLimits::NONE;
}

/// Refuses parameters that neither form has, and values that they cannot have.
fn check(parameters: &[(&str, &str)]) -> Result<(), SetupError> {
    let is_known = |&(name, value): &(&str, &str)| match name {
        "free" => matches!(value, "yes" | "no"),
        "name" => {
            let is_sign = |sign: u8| sign.is_ascii_alphanumeric() || b".-_".contains(&sign);
            !value.is_empty() && value.bytes().all(is_sign)
        }
        _ => false,
    };
    match parameters.iter().all(is_known) {
        true => Ok(()),
        false => Err(SetupError::BadParameter {
            expected: PARAMETERS,
        }),
    }
}

impl Allocator for External {
    type Handle = u32;

    // With `free=no` the host says that it does not; no kernel asks.
    const FREES: bool = true;
    // Nothing is known of it.
    const REUSES_ACROSS_SIZES: bool = false;
    const WALKABLE: bool = false;
    const EXACT_NULL: bool = false;
    const BOUNDED_REFUSAL: bool = false;
    const EXTERNAL: bool = true;

    fn setup(request: &Request) -> Result<Heap, SetupError> {
        check(request.parameters)?;
        let needed = EXTERNAL_STATE + (1 << UNIT_SHIFT);
        let limit = EXTERNAL_STATE + (u64::from(u32::MAX) << UNIT_SHIFT);
        if request.pool_bytes < needed {
            return Err(SetupError::PoolTooSmall { needed });
        }
        if request.pool_bytes > limit {
            return Err(SetupError::PoolTooLarge { limit });
        }
        let null = core::ptr::null_mut();
        let bytes = (request.pool_bytes - EXTERNAL_STATE) >> UNIT_SHIFT << UNIT_SHIFT;
        Ok(Heap {
            pointers: [request.base, null, null, null],
            integers: [bytes, 0, 0, 0, 0, 0, 0],
        })
    }

    #[inline(always)]
    unsafe fn new(heap: Heap) -> Self {
        Self {
            // SAFETY: the heap that `setup` described, with the state in front.
            linked: unsafe { Linked::new(&heap) },
            bytes: heap.integers[0],
        }
    }

    /// How much of the pool the user's functions take for themselves is not known.
    fn max_block(heap: &Heap) -> u64 {
        heap.integers[0]
    }

    unsafe fn init<W: Warp>(self, warp: W) {
        // SAFETY: nothing else uses the heap during the launch; blocks lie behind the state.
        unsafe { self.linked.init(warp, self.blocks(), self.bytes) }
    }

    #[inline(always)]
    fn malloc<W: Warp>(self, _warp: W, bytes: u64) -> u32 {
        let bytes = if bytes == 0 { 1 } else { bytes };
        let block = self.linked.malloc(bytes);
        if block.is_null() {
            return u32::NULL;
        }
        let offset = (block.addr() as u64).wrapping_sub(self.blocks().addr() as u64);
        if offset >= self.bytes || bytes > self.bytes - offset {
            // Relaxed: the host reads the sum after the launch, as below.
            self.linked.outside().fetch_add(1, Relaxed);
            return u32::NULL;
        }
        if offset & ((1 << UNIT_SHIFT) - 1) != 0 {
            self.linked.misaligned().fetch_add(1, Relaxed);
            return u32::NULL;
        }
        (offset >> UNIT_SHIFT) as u32
    }

    #[inline(always)]
    unsafe fn free<W: Warp>(self, _warp: W, block: u32) {
        if block.is_null() {
            return;
        }
        // SAFETY: a live block, which its owner gives up.
        unsafe { self.linked.free(self.address(block)) }
    }

    #[inline(always)]
    fn address(self, block: u32) -> *mut u8 {
        self.blocks().wrapping_add((block as usize) << UNIT_SHIFT)
    }

    fn contains(self, block: u32) -> bool {
        u64::from(block) < self.bytes >> UNIT_SHIFT
    }

    /// A block ends where the pool does, whatever the functions say.
    unsafe fn granted(self, block: u32, requested: u64) -> u64 {
        let limit = self.bytes - (u64::from(block) << UNIT_SHIFT);
        // SAFETY: a live block.
        unsafe { self.linked.granted(self.address(block), requested, limit) }
    }

    fn faults(self) -> Faults {
        self.linked.faults()
    }
}
