//! An allocator around another that observes calls: it guards blocks, records calls for a trace, or
//! delays them. Which of these a heap does is chosen when it is set up, so that each kernel is
//! compiled once for all of them.

mod guard;
mod record;
mod state;

use core::sync::atomic::Ordering::Relaxed;

use crate::allocator::{Allocator, Faults, Handle, Heap, Observe, Occupancy, Request, SetupError};
use crate::description::{Described, Description};
use crate::registers::RegisterLimits;
use crate::simt::Warp;

use guard::{HEADER, OVERHEAD};
pub use record::{EVENT_WORDS, Operation, RING_HEAD_WORDS, RING_WORD, RecordedCall};
use state::{DELAYS, GUARDS, ObserverState, RECORDS, STATE_BYTES};

/// `A` with calls observed.
#[derive(Clone, Copy)]
pub struct Observed<A> {
    inner: A,
    state: ObserverState,
}

/// The bytes to serve: 0 like 1.
#[inline(always)]
fn served(bytes: u64) -> u64 {
    if bytes == 0 { 1 } else { bytes }
}

/// Whether a heap guards its blocks.
fn is_guarded(heap: &Heap) -> bool {
    ObserverState(heap.pointers[3]).does(GUARDS)
}

impl<A: Allocator> Observed<A> {
    /// The bytes to ask of the inner allocator.
    #[inline(always)]
    fn inner_bytes(&self, bytes: u64) -> u64 {
        let overhead = if self.state.does(GUARDS) { OVERHEAD } else { 0 };
        served(bytes).saturating_add(overhead)
    }

    /// The start of a block of the inner allocator, or null.
    #[inline(always)]
    fn start(&self, block: A::Handle) -> *mut u8 {
        match block.is_null() {
            true => core::ptr::null_mut(),
            false => self.inner.address(block),
        }
    }
}

impl<A: Described> Described for Observed<A> {
    const DESCRIPTION: Description = A::DESCRIPTION;
    const OBSERVED: bool = true;
    const REGISTERS: RegisterLimits = A::REGISTERS;
}

impl<A: Allocator> Allocator for Observed<A> {
    type Handle = A::Handle;

    const FREES: bool = A::FREES;
    const REUSES_ACROSS_SIZES: bool = A::REUSES_ACROSS_SIZES;
    const WALKABLE: bool = A::WALKABLE;
    const MAY_OVERWRITE: bool = A::MAY_OVERWRITE;
    const EXACT_NULL: bool = A::EXACT_NULL;
    const BOUNDED_REFUSAL: bool = A::BOUNDED_REFUSAL;
    const PROVIDES: bool = A::PROVIDES;
    const SYSTEM_HEAP: bool = A::SYSTEM_HEAP;

    fn setup(request: &Request) -> Result<Heap, SetupError> {
        let Observe {
            guards,
            records,
            delays,
        } = request.observe;
        let overhead = if guards { OVERHEAD } else { 0 };
        let inner = Request {
            base: request.base.wrapping_add(STATE_BYTES as usize),
            pool_bytes: request.pool_bytes.saturating_sub(STATE_BYTES),
            ..*request
        };
        let has_room = |pool_bytes| {
            A::setup(&Request {
                pool_bytes,
                ..inner
            })
            .is_ok_and(|heap| A::max_block(&heap) > overhead)
        };
        let mut heap = A::setup(&inner).map_err(|error| match error {
            SetupError::PoolTooSmall { needed } => SetupError::PoolTooSmall {
                needed: STATE_BYTES
                    + if has_room(needed) {
                        needed
                    } else {
                        needed + overhead
                    },
            },
            SetupError::PoolTooLarge { limit } => SetupError::PoolTooLarge {
                limit: limit + STATE_BYTES,
            },
            other => other,
        })?;
        if !has_room(inner.pool_bytes) {
            return Err(SetupError::PoolTooSmall {
                needed: request.pool_bytes + overhead,
            });
        }
        let bit = |does: bool, bit: usize| if does { bit } else { 0 };
        let bits = bit(guards, GUARDS) | bit(records, RECORDS) | bit(delays, DELAYS);
        heap.pointers[3] = request.base.wrapping_add(bits);
        Ok(heap)
    }

    #[inline(always)]
    unsafe fn new(heap: Heap) -> Self {
        // SAFETY: the inner heap is all of this one but the state.
        let inner = unsafe { A::new(heap) };
        Self {
            inner,
            state: ObserverState(heap.pointers[3]),
        }
    }

    fn max_block(heap: &Heap) -> u64 {
        let overhead = if is_guarded(heap) { OVERHEAD } else { 0 };
        A::max_block(heap).saturating_sub(overhead)
    }

    fn elsewhere(heap: &Heap) -> u64 {
        A::elsewhere(heap)
    }

    unsafe fn init<W: Warp>(self, warp: W) {
        if warp.thread() == 0 {
            self.invalid_frees().store(0, Relaxed);
            self.overruns().store(0, Relaxed);
        }
        // SAFETY: nothing else uses the inner heap during the launch.
        unsafe { self.inner.init(warp) }
    }

    #[inline(always)]
    fn malloc<W: Warp>(self, warp: W, bytes: u64) -> A::Handle {
        let begin = self.state.begin_request();
        let block = self.inner.malloc(warp, self.inner_bytes(bytes));
        // SAFETY: the block was requested for these bytes, and is ours.
        unsafe {
            self.state
                .end_request(warp, served(bytes), self.start(block), begin)
        };
        block
    }

    #[inline(always)]
    fn malloc_exclusive<W: Warp>(self, warp: W, bytes: u64) -> A::Handle {
        let begin = self.state.begin_request();
        let block = self.inner.malloc_exclusive(warp, self.inner_bytes(bytes));
        // SAFETY: as above.
        unsafe {
            self.state
                .end_request(warp, served(bytes), self.start(block), begin)
        };
        block
    }

    #[inline(always)]
    fn provide<W: Warp>(self, warp: W, bytes: u64, count: u32) {
        self.inner.provide(warp, self.inner_bytes(bytes), count);
    }

    #[inline(always)]
    unsafe fn free<W: Warp>(self, warp: W, block: A::Handle) {
        if block.is_null() {
            return;
        }
        // SAFETY: the state of this heap.
        unsafe { self.state.begin_free(warp, self.inner.address(block)) };
        let mut gives = true;
        if self.state.does(GUARDS) {
            // SAFETY: it is not null. An allocator that overwrites blocks gives nothing back, and
            // was asked for the block by then.
            gives = unsafe { self.disclose(warp, block) } && !A::MAY_OVERWRITE;
        }
        if gives {
            // SAFETY: the caller's promise, or what the guards have shown.
            unsafe { self.inner.free(warp, block) };
        }
    }

    #[inline(always)]
    fn address(self, block: A::Handle) -> *mut u8 {
        let header = if self.state.does(GUARDS) { HEADER } else { 0 };
        self.inner.address(block).wrapping_add(header as usize)
    }

    fn contains(self, block: A::Handle) -> bool {
        self.inner.contains(block)
    }

    unsafe fn granted(self, block: A::Handle, requested: u64) -> u64 {
        let overhead = if self.state.does(GUARDS) { OVERHEAD } else { 0 };
        // SAFETY: the inner block was requested with so many bytes.
        unsafe { self.inner.granted(block, self.inner_bytes(requested)) - overhead }
    }

    /// The requested bytes if the canary is behind them.
    #[inline(always)]
    unsafe fn usable(self, block: A::Handle, requested: u64) -> u64 {
        if self.state.does(GUARDS) {
            return served(requested);
        }
        // SAFETY: the inner block was requested with so many bytes.
        unsafe { self.inner.usable(block, served(requested)) }
    }

    fn walk<W: Warp>(self, warp: W) -> Occupancy {
        self.inner.walk(warp)
    }

    fn faults(self) -> Faults {
        Faults {
            invalid_frees: self.invalid_frees().load(Relaxed),
            overruns: self.overruns().load(Relaxed),
            ..self.inner.faults()
        }
    }
}
