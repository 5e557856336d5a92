//! Checked mode: an allocator around another that puts a header before each
//! block and a canary behind it, and counts the errors that it finds when the block
//! is freed: double frees, foreign pointers, writes past the end.
//!
//! It costs 32 bytes and more a block and is for tests and for hunting faults.

use core::sync::atomic::Ordering::{AcqRel, Relaxed};

use cuda_std::atomic::{AtomicU32, AtomicU64};

use crate::allocator::{Allocator, Faults, Handle, Heap, Occupancy, Request, SetupError};
use crate::description::{Described, Description};
use crate::registers::RegisterLimits;
use crate::simt::Warp;

/// Bytes in front of a block: the state word, the seal, and the requested size.
const HEADER: u64 = 16;
/// Bytes behind the last byte that was asked for, at least.
const CANARY_BYTES: u64 = 16;
/// Bytes of the inner allocator's block that are not the caller's.
const OVERHEAD: u64 = HEADER + CANARY_BYTES;
/// A word of the canary.
const CANARY: u64 = 0xc5c5_c5c5_c5c5_c5c5;
/// Bytes of the pool for the counters.
const COUNTERS: u64 = 256;
/// State of a live block's header; of a freed one's, its complement.
const LIVE: u32 = 0x11fe_b10c;

/// `A` with every block checked.
#[derive(Clone, Copy)]
pub struct Checked<A> {
    inner: A,
    counters: *mut u8,
}

impl<A: Allocator> Checked<A> {
    /// A counter.
    ///
    /// # Safety
    ///
    /// `index` is below the words of `COUNTERS` bytes.
    #[inline(always)]
    unsafe fn counter(&self, index: usize) -> &AtomicU64 {
        // SAFETY: `setup` placed the counters there, aligned, and the index is one of them.
        unsafe { &*self.counters.cast::<AtomicU64>().add(index) }
    }

    #[inline(always)]
    fn invalid_frees(&self) -> &AtomicU64 {
        // SAFETY: the first word.
        unsafe { self.counter(0) }
    }

    #[inline(always)]
    fn overruns(&self) -> &AtomicU64 {
        // SAFETY: the second word.
        unsafe { self.counter(1) }
    }

    /// The caller's block of `bytes` in one of the inner allocator, or null.
    ///
    /// # Safety
    ///
    /// `block` is null, or a live block of `inner` with `padded(bytes)` bytes that no other thread
    /// uses yet.
    #[inline(always)]
    unsafe fn enclose(self, block: A::Handle, bytes: u64) -> A::Handle {
        if !block.is_null() {
            let start = self.inner.address(block);
            // SAFETY: the block is ours and has `padded(bytes)` bytes.
            unsafe {
                start.add(4).cast::<u32>().write(seal(bytes));
                start.add(8).cast::<u64>().write(bytes);
                // The caller has not yet written what shares the first word.
                let [first, second, last] = canary(start, bytes);
                first.write_volatile(CANARY);
                second.write_volatile(CANARY);
                last.write_volatile(CANARY);
                (*start.cast::<AtomicU32>()).store(LIVE, Relaxed);
            }
        }
        block
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
    unsafe fn is_whole<W: Warp>(self, warp: W, block: A::Handle) -> bool {
        if !A::MAY_OVERWRITE {
            return true;
        }
        let before = self.inner.faults().overwritten;
        // SAFETY: `inner` contains the handle, and nothing is given back.
        unsafe { self.inner.free(warp, block) };
        self.inner.faults().overwritten == before
    }
}

/// The bytes to serve: 0 like 1.
#[inline(always)]
fn served(bytes: u64) -> u64 {
    if bytes == 0 { 1 } else { bytes }
}

/// The seal of the size `bytes`, beside it in a header that was not overwritten.
///
/// Where blocks may be overwritten it is not only the block's successor that
/// does so: a thread that is late with writes to its own dead block destroys the
/// headers of live ones. Such a size must not be followed.
#[inline(always)]
fn seal(bytes: u64) -> u32 {
    let folded = bytes as u32 ^ (bytes >> 32) as u32;
    !folded.wrapping_mul(0x9e37_79b9)
}

/// The words that hold the canary, the 16 bytes behind a block's last: the word
/// that begins with the caller's last bytes, if any; the one behind it; and the one
/// with the canary's last byte, which without such bytes is the second again.
/// No other block begins in the last word, as blocks are 16-byte aligned.
///
/// Words, because a loop over bytes is unrolled, and makes up a percent of a module.
///
/// # Safety
///
/// The block at `start` has `padded(bytes)` bytes.
#[inline(always)]
unsafe fn canary(start: *mut u8, bytes: u64) -> [*mut u64; 3] {
    let end = HEADER + bytes;
    let word = |byte: u64| {
        // SAFETY: the byte is the block's, so that the aligned word around it is.
        unsafe { start.add((byte & !7) as usize).cast() }
    };
    [word(end), word(end + 8), word(end + CANARY_BYTES - 1)]
}

/// The bytes to ask of the inner allocator.
fn padded(bytes: u64) -> u64 {
    bytes.saturating_add(OVERHEAD)
}

impl<A: Described> Described for Checked<A> {
    const DESCRIPTION: Description = A::DESCRIPTION;
    const CHECKED: bool = true;
    const REGISTERS: RegisterLimits = A::REGISTERS;
}

impl<A: Allocator> Allocator for Checked<A> {
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
        let inner = Request {
            base: request.base.wrapping_add(COUNTERS as usize),
            pool_bytes: request.pool_bytes.saturating_sub(COUNTERS),
            ..*request
        };
        let has_room = |pool_bytes| {
            A::setup(&Request {
                pool_bytes,
                ..inner
            })
            .is_ok_and(|heap| A::max_block(&heap) >= padded(1))
        };
        let mut heap = A::setup(&inner).map_err(|error| match error {
            SetupError::PoolTooSmall { needed } => SetupError::PoolTooSmall {
                needed: COUNTERS
                    + if has_room(needed) {
                        needed
                    } else {
                        needed + OVERHEAD
                    },
            },
            SetupError::PoolTooLarge { limit } => SetupError::PoolTooLarge {
                limit: limit + COUNTERS,
            },
            other => other,
        })?;
        if !has_room(inner.pool_bytes) {
            return Err(SetupError::PoolTooSmall {
                needed: request.pool_bytes + OVERHEAD,
            });
        }
        heap.pointers[3] = request.base;
        Ok(heap)
    }

    #[inline(always)]
    unsafe fn new(heap: Heap) -> Self {
        // SAFETY: the inner heap is all of this one but the counters.
        let inner = unsafe { A::new(heap) };
        Self {
            inner,
            counters: heap.pointers[3],
        }
    }

    fn max_block(heap: &Heap) -> u64 {
        A::max_block(heap).saturating_sub(OVERHEAD)
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
        let bytes = served(bytes);
        // SAFETY: the block was requested for these bytes, and is ours.
        unsafe { self.enclose(self.inner.malloc(warp, padded(bytes)), bytes) }
    }

    #[inline(always)]
    fn malloc_exclusive<W: Warp>(self, warp: W, bytes: u64) -> A::Handle {
        let bytes = served(bytes);
        // SAFETY: as above.
        unsafe { self.enclose(self.inner.malloc_exclusive(warp, padded(bytes)), bytes) }
    }

    #[inline(always)]
    fn provide<W: Warp>(self, warp: W, bytes: u64, count: u32) {
        self.inner.provide(warp, padded(served(bytes)), count);
    }

    #[inline(always)]
    unsafe fn free<W: Warp>(self, warp: W, block: A::Handle) {
        if block.is_null() {
            return;
        }
        let start = self.inner.address(block);
        let mut is_live = self.inner.contains(block);
        if is_live {
            // SAFETY: the pool contains it.
            if !unsafe { self.is_whole(warp, block) } {
                return;
            }
            // SAFETY: the handle names memory of the pool, if not a live block; the
            // state word decides which, and of two frees only one exchanges it.
            let state = unsafe { &*start.cast::<AtomicU32>() };
            is_live = state.compare_exchange(LIVE, !LIVE, AcqRel) == LIVE;
        }
        if !is_live {
            self.invalid_frees().fetch_add(1, Relaxed);
            return;
        }
        // SAFETY: the block is live and now ours alone. The size is followed only
        // if its seal shows that it is the one that `malloc` wrote.
        unsafe {
            let bytes = start.add(8).cast::<u64>().read_volatile();
            let mut intact = start.add(4).cast::<u32>().read_volatile() == seal(bytes);
            if intact {
                let [first, second, last] = canary(start, bytes);
                // Bytes at lower addresses are the lower ones of a word.
                let callers = 8 * (bytes & 7);
                let changed = (first.read_volatile() ^ CANARY) >> callers
                    | (second.read_volatile() ^ CANARY)
                    | (last.read_volatile() ^ CANARY);
                intact = changed == 0;
            }
            if !intact && self.is_whole(warp, block) {
                self.overruns().fetch_add(1, Relaxed);
            }
            if !A::MAY_OVERWRITE {
                self.inner.free(warp, block);
            }
        }
    }

    #[inline(always)]
    fn address(self, block: A::Handle) -> *mut u8 {
        self.inner.address(block).wrapping_add(HEADER as usize)
    }

    fn contains(self, block: A::Handle) -> bool {
        self.inner.contains(block)
    }

    unsafe fn granted(self, block: A::Handle, requested: u64) -> u64 {
        // SAFETY: the inner block was requested with so many bytes.
        unsafe { self.inner.granted(block, padded(served(requested))) - OVERHEAD }
    }

    /// The requested bytes: behind them is the canary.
    #[inline(always)]
    unsafe fn usable(self, _block: A::Handle, requested: u64) -> u64 {
        served(requested)
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
