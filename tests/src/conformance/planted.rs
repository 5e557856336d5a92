//! Allocators with a planted fault, for tests of the suite.
//!
//! [`Planted`] stands in front of another allocator. Without a fault it is as good as that one: it
//! keeps one freed block back and grants it to the next request that it serves. A [`Fault`] breaks
//! one step of that. Whether the heap can be walked is chosen too: the suite must not depend on
//! it.

use std::marker::PhantomData;

use cuda_std::atomic::Ordering::{Acquire, Relaxed, Release};
use cuda_std::atomic::{AtomicU32, AtomicU64};
use heapwood_device::allocator::{Allocator, Faults, Handle, Heap, Occupancy, Request, SetupError};
use heapwood_device::simt::Warp;

/// A planted fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// All is right.
    NoFault,
    /// One `free` in [`LOST_ONE_IN`] does not give its block back.
    LosesBlocks,
    /// A request that takes the block which was kept back stores that there is none any more,
    /// and does not exchange it: of two at the same time both get the block.
    GrantsTwice,
    /// The block that is kept back is not released: the accesses of its former owner are not
    /// ordered before those of the next one.
    ReleasesNothing,
}

/// A fault as a type.
pub trait Plant: Copy + 'static {
    /// The fault.
    const FAULT: Fault;
}

macro_rules! plants {
    ($($name:ident)*) => {$(
        /// The fault of this name.
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl Plant for $name {
            const FAULT: Fault = Fault::$name;
        }
    )*};
}

plants! { NoFault LosesBlocks GrantsTwice ReleasesNothing }

/// One in so many frees loses its block.
pub const LOST_ONE_IN: u32 = 16;

/// Bytes at the begin of the pool for the state.
const STATE_BYTES: u64 = 256;
/// The least that any allocator grants, at most.
const MIN_BYTES: u64 = 64;
/// No block is kept back.
const NONE: u64 = u64::MAX;
/// How often a request looks for another one that is to be granted the same block.
const WAIT: u32 = 64;

/// The allocator `A` with a fault, which can be walked if `A` can and `WALKS`.
#[derive(Clone, Copy)]
pub struct Planted<A, P, const WALKS: bool> {
    inner: A,
    state: *mut u8,
    plant: PhantomData<P>,
}

impl<A: Allocator<Handle = u32>, P: Plant, const WALKS: bool> Planted<A, P, WALKS> {
    /// The block that is kept back, with the bytes that it serves in the upper half.
    fn kept(&self) -> &AtomicU64 {
        // SAFETY: `setup` placed aligned words there.
        unsafe { &*self.state.cast() }
    }

    fn word(&self, index: usize) -> &AtomicU32 {
        // SAFETY: as above.
        unsafe { &*self.state.cast::<AtomicU32>().add(2 + index) }
    }

    /// Frees so far.
    fn frees(&self) -> &AtomicU32 {
        self.word(0)
    }

    /// Requests so far that were about to take the block.
    fn takers(&self) -> &AtomicU32 {
        self.word(1)
    }

    /// The block that was kept back, if it is of about `bytes`.
    fn take<W: Warp>(self, warp: W, bytes: u64) -> Option<u32> {
        // Acquire: pairs with the release in `free`.
        let kept = self.kept().load(Acquire);
        let granted = kept >> 32;
        // Much of a large block would be lost to a small request.
        if kept == NONE || granted < bytes || granted > 2 * bytes.max(MIN_BYTES) {
            return None;
        }
        if P::FAULT == Fault::GrantsTwice {
            // For a while, so that another request meets this one here.
            let others = self.takers().fetch_add(1, Relaxed) + 1;
            for _ in 0..WAIT {
                if self.takers().load(Relaxed) != others {
                    break;
                }
                warp.back_off();
            }
            self.kept().store(NONE, Relaxed);
            return Some(kept as u32);
        }
        // The same word is the same block, even if another thread had it in between.
        (self.kept().compare_exchange(kept, NONE, Acquire) == kept).then_some(kept as u32)
    }
}

impl<A: Allocator<Handle = u32>, P: Plant, const WALKS: bool> Allocator for Planted<A, P, WALKS> {
    type Handle = u32;

    const FREES: bool = A::FREES;
    const REUSES_ACROSS_SIZES: bool = A::REUSES_ACROSS_SIZES;
    const WALKABLE: bool = A::WALKABLE && WALKS;
    // The block that is kept back serves small requests only.
    const EXACT_NULL: bool = false;
    const BOUNDED_REFUSAL: bool = false;
    const PROVIDES: bool = A::PROVIDES;

    fn setup(request: &Request) -> Result<Heap, SetupError> {
        let inner = Request {
            base: request.base.wrapping_add(STATE_BYTES as usize),
            pool_bytes: request.pool_bytes.saturating_sub(STATE_BYTES),
            ..*request
        };
        let mut heap = A::setup(&inner).map_err(|error| match error {
            SetupError::PoolTooSmall { needed } => SetupError::PoolTooSmall {
                needed: needed + STATE_BYTES,
            },
            SetupError::PoolTooLarge { limit } => SetupError::PoolTooLarge {
                limit: limit + STATE_BYTES,
            },
            other => other,
        })?;
        heap.pointers[3] = request.base;
        Ok(heap)
    }

    unsafe fn new(heap: Heap) -> Self {
        Self {
            // SAFETY: the caller's promise covers the inner heap.
            inner: unsafe { A::new(heap) },
            state: heap.pointers[3],
            plant: PhantomData,
        }
    }

    fn max_block(heap: &Heap) -> u64 {
        A::max_block(heap)
    }

    unsafe fn init<W: Warp>(self, warp: W) {
        if warp.thread() == 0 {
            self.kept().store(NONE, Relaxed);
            self.frees().store(0, Relaxed);
            self.takers().store(0, Relaxed);
        }
        // SAFETY: the caller's promise.
        unsafe { self.inner.init(warp) }
    }

    fn malloc<W: Warp>(self, warp: W, bytes: u64) -> u32 {
        if let Some(block) = self.take(warp, bytes) {
            return block;
        }
        let block = self.inner.malloc(warp, bytes);
        if !block.is_null() {
            return block;
        }
        // The memory of the block that is kept back may be what is lacking.
        let kept = self.kept().swap(NONE, Acquire);
        if kept == NONE {
            return u32::NULL;
        }
        // SAFETY: a block that was freed and not granted since.
        unsafe { self.inner.free(warp, kept as u32) };
        self.inner.malloc(warp, bytes)
    }

    fn provide<W: Warp>(self, warp: W, bytes: u64, count: u32) {
        self.inner.provide(warp, bytes, count);
    }

    unsafe fn free<W: Warp>(self, warp: W, block: u32) {
        if block.is_null() {
            return;
        }
        if P::FAULT == Fault::LosesBlocks
            && self.frees().fetch_add(1, Relaxed) % LOST_ONE_IN == LOST_ONE_IN - 1
        {
            return;
        }
        // SAFETY: the caller's promise: the block lives, and was requested with 0 bytes at least.
        let bytes = unsafe { self.inner.granted(block, 0) }.min(u64::from(u32::MAX) - 1);
        // Release: the accesses of the thread that frees it come before those of the next owner.
        let order = match P::FAULT {
            Fault::ReleasesNothing => Relaxed,
            _ => Release,
        };
        let kept = bytes << 32 | u64::from(block);
        if self.kept().compare_exchange(NONE, kept, order) != NONE {
            // SAFETY: the caller's promise.
            unsafe { self.inner.free(warp, block) };
        }
    }

    fn address(self, block: u32) -> *mut u8 {
        self.inner.address(block)
    }

    fn contains(self, block: u32) -> bool {
        self.inner.contains(block)
    }

    unsafe fn granted(self, block: u32, requested: u64) -> u64 {
        // SAFETY: the caller's promise.
        unsafe { self.inner.granted(block, requested) }
    }

    fn walk<W: Warp>(self, warp: W) -> Occupancy {
        let mut part = self.inner.walk(warp);
        let kept = self.kept().load(Relaxed);
        if warp.thread() == 0 && kept != NONE {
            // SAFETY: it was freed here, and lives in the inner heap.
            let bytes = unsafe { self.inner.granted(kept as u32, 0) };
            // Parts add up modulo 2^64.
            part.used_bytes = part.used_bytes.wrapping_sub(bytes);
            part.free_bytes = part.free_bytes.wrapping_add(bytes);
        }
        part
    }

    fn faults(self) -> Faults {
        self.inner.faults()
    }
}
