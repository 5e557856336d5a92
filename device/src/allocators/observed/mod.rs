//! An allocator around another that observes calls: it guards blocks, records calls for a trace,
//! adds up their times, or delays them. Which of these a heap does is chosen when it is set up, so that each kernel is
//! compiled once for all of them.

mod guard;
mod record;
mod state;

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::clock::cycles;

use crate::allocator::{Allocator, Faults, Handle, Heap, Observe, Occupancy, Request, SetupError};
use crate::description::{Described, Description};
use crate::registers::RegisterLimits;
use crate::simt::Warp;

use guard::{OVERHEAD, Shown, disclose};
pub use record::{CallTimes, EVENT_WORDS, Operation, RING_HEAD_WORDS, RING_WORD, RecordedCall};
use state::{CLOCKS, DELAYS, GUARDS, ObserverState, RECORDS, STATE_BYTES};
pub use state::{REQUEST_DELAY, STRETCH_ONE};

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

/// Where the pool of a heap begins whose calls are observed.
pub fn observed_pool(heap: &Heap) -> *mut u8 {
    ObserverState(heap.pointers[3]).base()
}

/// Whether a heap guards its blocks.
fn is_guarded(heap: &Heap) -> bool {
    ObserverState(heap.pointers[3]).does(GUARDS)
}

impl<A: Allocator> Observed<A> {
    /// Bytes of the inner allocator's blocks that are not the caller's.
    #[inline(always)]
    fn overhead(&self) -> u64 {
        const { assert!(OVERHEAD == 2 * GUARDS as u64) };
        2 * self.state.header() as u64
    }

    /// The bytes to ask of the inner allocator.
    #[inline(always)]
    fn inner_bytes(&self, bytes: u64) -> u64 {
        served(bytes).saturating_add(self.overhead())
    }

    /// Ends a request for `bytes` that began then, and was given this block.
    #[inline(always)]
    fn end_request<W: Warp>(&self, warp: W, bytes: u64, block: A::Handle, begin: u64) {
        let start = match block.is_null() {
            true => core::ptr::null_mut(),
            false => self.inner.address(block),
        };
        // SAFETY: the block was requested for these bytes, and is ours.
        unsafe { self.state.end_request(warp, served(bytes), start, begin) };
    }

    /// The start of a block that is freed; null where no block can be.
    #[inline(always)]
    fn start(&self, block: A::Handle) -> *mut u8 {
        match self.inner.contains(block) {
            true => self.inner.address(block),
            false => core::ptr::null_mut(),
        }
    }

    /// Whether what was read of a block before this call was the block's own.
    ///
    /// Where blocks may be overwritten, `free` of the inner allocator gives
    /// nothing back but checks for that, and counts it. Another thread's block that
    /// is counted meanwhile makes the answer no, which leaves a check out.
    ///
    /// # Safety
    ///
    /// `inner` contains `block`.
    #[inline(always)]
    unsafe fn is_whole<W: Warp>(&self, warp: W, block: A::Handle) -> bool {
        let before = self.inner.faults().overwritten;
        // SAFETY: `inner` contains the handle, and nothing is given back.
        unsafe { self.inner.free(warp, block) };
        self.inner.faults().overwritten == before
    }

    /// Looks at the guards of a block that is freed and may have been overwritten, and counts what
    /// is wrong.
    ///
    /// # Safety
    ///
    /// `block` is not null, and begins at `start` unless that is null.
    #[inline(always)]
    unsafe fn disclose_whole<W: Warp>(&self, warp: W, block: A::Handle, start: *mut u8) {
        let mut shown = Shown::Dead;
        if !start.is_null() {
            // SAFETY: the pool contains it.
            unsafe {
                if !self.is_whole(warp, block) {
                    return;
                }
                shown = disclose(start);
            }
        }
        if shown == Shown::Dead {
            self.state.invalid_frees().fetch_add(1, Relaxed);
            return;
        }
        // SAFETY: the pool contains it.
        if shown == Shown::Overrun && unsafe { self.is_whole(warp, block) } {
            self.state.overruns().fetch_add(1, Relaxed);
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
    const EXTERNAL: bool = A::EXTERNAL;
    const OWN_MEMORY: bool = A::OWN_MEMORY;

    fn setup(request: &Request) -> Result<Heap, SetupError> {
        let Observe {
            guards,
            records,
            delays,
            clocks,
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
        let bits =
            bit(guards, GUARDS) | bit(records, RECORDS) | bit(delays, DELAYS) | bit(clocks, CLOCKS);
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
            self.state.invalid_frees().store(0, Relaxed);
            self.state.overruns().store(0, Relaxed);
        }
        // SAFETY: nothing else uses the inner heap during the launch.
        unsafe { self.inner.init(warp) }
    }

    #[inline(always)]
    fn malloc<W: Warp>(self, warp: W, bytes: u64) -> A::Handle {
        let begin = cycles();
        let block = self.inner.malloc(warp, self.inner_bytes(bytes));
        self.end_request(warp, bytes, block, begin);
        block
    }

    #[inline(always)]
    fn malloc_exclusive<W: Warp>(self, warp: W, bytes: u64) -> A::Handle {
        let begin = cycles();
        let block = self.inner.malloc_exclusive(warp, self.inner_bytes(bytes));
        self.end_request(warp, bytes, block, begin);
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
        let start = self.start(block);
        // SAFETY: the caller's promise, or what the guards have shown. An allocator that overwrites
        // blocks gives nothing back, and is asked for the block while guards are looked at.
        unsafe {
            if A::MAY_OVERWRITE && self.state.does(GUARDS) {
                let begin = cycles();
                self.state.unguarded().begin_free(warp, start);
                self.disclose_whole(warp, block, start);
                self.state.end_free(warp, begin);
            } else if self.state.begin_free(warp, start) {
                let begin = cycles();
                self.inner.free(warp, block);
                self.state.end_free(warp, begin);
            }
        }
    }

    #[inline(always)]
    fn address(self, block: A::Handle) -> *mut u8 {
        self.inner.address(block).wrapping_add(self.state.header())
    }

    fn contains(self, block: A::Handle) -> bool {
        self.inner.contains(block)
    }

    unsafe fn granted(self, block: A::Handle, requested: u64) -> u64 {
        // SAFETY: the inner block was requested with so many bytes.
        unsafe { self.inner.granted(block, self.inner_bytes(requested)) - self.overhead() }
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
            invalid_frees: self.state.invalid_frees().load(Relaxed),
            overruns: self.state.overruns().load(Relaxed),
            ..self.inner.faults()
        }
    }
}
