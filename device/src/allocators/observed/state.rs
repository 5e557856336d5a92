//! The state of a heap whose calls are observed, and what is done before and behind a call. It is out of
//! line: kernels have many calls.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;
use cuda_std::clock::{cycles, nanoseconds};

use super::guard::{HEADER, Shown, disclose, enclose};
use super::record::{FREE_TIME, ObservedCall, Operation, REQUEST_TIME, RING_WORD, add_time};
use crate::simt::{Warp, WithActiveMask};

/// Bytes at the begin of the pool for the state: counters of faults, and what the host writes
/// between launches, from [`RING_WORD`] on.
pub(super) const STATE_BYTES: u64 = 256;
/// The words of the state that the host writes with the clock cycles by which requests and frees
/// are delayed, and with the part of its own time by which each call is stretched.
pub const REQUEST_DELAY: u64 = RING_WORD + 2;
const FREE_DELAY: u64 = RING_WORD + 3;
const STRETCH: u64 = RING_WORD + 4;
/// The stretch by which a call takes twice as long.
pub const STRETCH_ONE: u64 = 256;
/// Cycles at the end of a delay that a lane waits awake: a pause may take as many.
const EXACT_CYCLES: u64 = 512;
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

    /// A word that the host has written.
    ///
    /// # Safety
    ///
    /// The state is that of a heap with delays, and the word one of these.
    #[inline(always)]
    unsafe fn delay_word(self, word: u64) -> u64 {
        // SAFETY: the state has 32 words, and this one is not written during a launch.
        unsafe { self.base().cast::<u64>().add(word as usize).read() }
    }

    /// Waits for so many clock cycles, and for as long as the stretch of a call that took so long.
    ///
    /// Lanes that leave a call at different times wait side by side: while one sleeps, others of its
    /// warp run, which a loop without a pause would keep from it.
    ///
    /// # Safety
    ///
    /// The state is that of a heap with delays.
    #[inline(always)]
    unsafe fn delay<W: Warp>(self, warp: W, cycles_more: u64, took: u64) {
        let begin = cycles();
        // SAFETY: the caller's promise.
        let stretch = unsafe { self.delay_word(STRETCH) };
        let delay = cycles_more.wrapping_add(took.wrapping_mul(stretch) / STRETCH_ONE);
        let mut waited = 0;
        while waited < delay {
            // The last part without a pause, whose length is up to the hardware.
            if delay - waited > EXACT_CYCLES {
                warp.back_off();
            }
            waited = cycles().wrapping_sub(begin);
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
        if self.does(CLOCKS | DELAYS) {
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
/// As there.
#[inline(never)]
unsafe fn outlined_clock<W: Warp>(warp: W, state: ObserverState, took: u64) {
    // SAFETY: the caller's promise. The host has set a ring aside for a heap that adds times up.
    unsafe {
        if state.does(CLOCKS) {
            add_time(warp, state.base(), FREE_TIME, took);
        }
        if state.does(DELAYS) {
            state.delay(warp, state.delay_word(FREE_DELAY), took);
        }
    }
}

/// [`ObserverState::end_request`].
///
/// Delays are behind calls, so that nothing is in front of those but a reading of the clock.
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
                clock: nanoseconds(),
                took,
            };
            call.record(warp, state.base());
        }
        if state.does(CLOCKS) {
            add_time(warp, state.base(), REQUEST_TIME, took);
        }
        if state.does(DELAYS) {
            state.delay(warp, state.delay_word(REQUEST_DELAY), took);
        }
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
                clock: nanoseconds(),
                took: 0,
            };
            call.record(warp, state.base());
        }
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
