//! The state of a heap whose calls are observed, and what is done before and behind a call. It is out of
//! line: kernels have many calls.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;
use cuda_std::clock::cycles;

use super::guard::{HEADER, Shown, disclose, enclose};
use super::record::{FREE_TIME, ObservedCall, Operation, REQUEST_TIME, RING_WORD, add_time};
use crate::simt::{Warp, WithActiveMask};

/// Bytes at the begin of the pool for the state: counters of faults, and what the host writes
/// between launches, from [`RING_WORD`] on.
pub(super) const STATE_BYTES: u64 = 256;
/// The words of the state that the host writes with the clock cycles by which requests and frees
/// are delayed.
pub const REQUEST_DELAY: u64 = RING_WORD + 2;
const FREE_DELAY: u64 = RING_WORD + 3;
/// Bits of the address of the state, which is a multiple of 256. That of guards is the size of
/// their header, so that an address is found without a test.
pub(super) const GUARDS: usize = HEADER as usize;
pub(super) const RECORDS: usize = 1;
pub(super) const DELAYS: usize = 2;
pub(super) const CLOCKS: usize = 4;

/// The address of the state, and the bits that say what is observed.
#[derive(Clone, Copy)]
pub(super) struct ObserverState(pub *mut u8);

impl ObserverState {
    /// Whether one of these bits is set.
    #[inline(always)]
    pub fn does(self, bits: usize) -> bool {
        self.0.addr() & bits != 0
    }

    /// The bytes in front of a block: [`HEADER`] with guards, and else none.
    #[inline(always)]
    pub fn header(self) -> usize {
        self.0.addr() & GUARDS
    }

    /// The state without guards.
    #[inline(always)]
    pub fn unguarded(self) -> Self {
        Self(self.0.map_addr(|address| address & !GUARDS))
    }

    /// The address.
    #[inline(always)]
    pub fn base(self) -> *mut u8 {
        let bits = STATE_BYTES as usize - 1;
        self.0.map_addr(|address| address & !bits)
    }

    /// Waits for the clock cycles in a word of the state.
    ///
    /// # Safety
    ///
    /// The state is that of a heap, and the word one of a delay.
    #[inline(always)]
    unsafe fn delay(self, word: u64) {
        if self.does(DELAYS) {
            let begin = cycles();
            // SAFETY: the state has 32 words, and this one is not written during a launch.
            let delay = unsafe { self.base().cast::<u64>().add(word as usize).read() };
            while cycles().wrapping_sub(begin) < delay {}
        }
    }

    /// Frees of blocks that do not live.
    #[inline(always)]
    pub fn invalid_frees(&self) -> &AtomicU64 {
        // SAFETY: the first word of the state, which kernels access by atomic operations only.
        unsafe { &*self.base().cast::<AtomicU64>() }
    }

    /// Blocks that were written past their end.
    #[inline(always)]
    pub fn overruns(&self) -> &AtomicU64 {
        // SAFETY: the second word, likewise.
        unsafe { &*self.base().cast::<AtomicU64>().wrapping_add(1) }
    }

    /// Ends a request for `bytes` that began then, and was given the block at `start`, or null.
    ///
    /// # Safety
    ///
    /// The state is that of a heap. The block is null, or has room for `bytes` and what this heap
    /// adds, and no other thread uses it yet. The lanes that call this together are the active ones.
    #[inline(always)]
    pub unsafe fn end_request<W: Warp>(self, warp: W, bytes: u64, start: *mut u8, begin: u64) {
        let mask = warp.converge();
        // SAFETY: the caller's promise.
        unsafe { outlined_end(WithActiveMask::new(warp, mask), self, bytes, start, begin) };
    }

    /// Begins to free the block at `start`, null where no block can be. Returns whether the inner
    /// allocator is to free it: not if guards show that it does not live.
    ///
    /// # Safety
    ///
    /// The state is that of a heap, and `start` is null or in its pool. The lanes that call this
    /// together are the active ones.
    #[inline(always)]
    pub unsafe fn begin_free<W: Warp>(self, warp: W, start: *mut u8) -> bool {
        let mask = warp.converge();
        // SAFETY: the caller's promise.
        unsafe { outlined_free(WithActiveMask::new(warp, mask), self, start) }
    }

    /// Ends a free that began then.
    ///
    /// # Safety
    ///
    /// The state is that of a heap. The lanes that call this together are the active ones.
    #[inline(always)]
    pub unsafe fn end_free<W: Warp>(self, warp: W, begin: u64) {
        if self.does(CLOCKS) {
            let took = cycles().wrapping_sub(begin);
            let mask = warp.converge();
            // SAFETY: the caller's promise.
            unsafe { outlined_clock(WithActiveMask::new(warp, mask), self, took) };
        }
    }
}

/// [`ObserverState::end_free`].
///
/// # Safety
///
/// As there, for a heap that adds times up.
#[inline(never)]
unsafe fn outlined_clock<W: Warp>(warp: W, state: ObserverState, took: u64) {
    // SAFETY: the host has set a ring aside.
    unsafe { add_time(warp, state.base(), FREE_TIME, took) };
}

/// [`ObserverState::end_request`].
///
/// A delay is here, behind the call, so that nothing is in front of it but a reading of the clock.
///
/// # Safety
///
/// As there.
#[inline(never)]
unsafe fn outlined_end<W: Warp>(
    warp: W,
    state: ObserverState,
    bytes: u64,
    start: *mut u8,
    begin: u64,
) {
    let took = cycles().wrapping_sub(begin);
    // SAFETY: the caller's promise. The host has set a ring aside for a heap that records, or adds
    // times up.
    unsafe {
        if state.does(GUARDS) && !start.is_null() {
            enclose(start, bytes);
        }
        if state.does(RECORDS) {
            let call = ObservedCall {
                operation: match start.is_null() {
                    true => Operation::Refused,
                    false => Operation::Granted,
                },
                bytes,
                address: start.addr() as u64,
                begin,
                took,
            };
            call.record(warp, state.base());
        }
        if state.does(CLOCKS) {
            add_time(warp, state.base(), REQUEST_TIME, took);
        }
        state.delay(REQUEST_DELAY);
    }
}

/// [`ObserverState::begin_free`].
///
/// # Safety
///
/// As there.
#[inline(never)]
unsafe fn outlined_free<W: Warp>(warp: W, state: ObserverState, start: *mut u8) -> bool {
    // SAFETY: as for `outlined_end`.
    unsafe {
        if state.does(RECORDS) {
            let call = ObservedCall {
                operation: Operation::Freed,
                bytes: 0,
                address: start.addr() as u64,
                begin: cycles(),
                took: 0,
            };
            call.record(warp, state.base());
        }
        state.delay(FREE_DELAY);
        if !state.does(GUARDS) {
            return true;
        }
        let shown = match start.is_null() {
            true => Shown::Dead,
            false => disclose(start),
        };
        // Relaxed: the host reads the sums after the launch.
        if shown == Shown::Dead {
            state.invalid_frees().fetch_add(1, Relaxed);
        } else if shown == Shown::Overrun {
            state.overruns().fetch_add(1, Relaxed);
        }
        shown != Shown::Dead
    }
}
