//! The state of a heap whose calls are observed, and what is done before and behind a call. It is out of
//! line: kernels have many calls.

use cuda_std::clock::cycles;

use super::guard::enclose;
use super::record::{ObservedCall, Operation, RING_WORD};
use crate::simt::{Warp, WithActiveMask};

/// Bytes at the begin of the pool for the state: counters of faults, and what the host writes
/// between launches, from [`RING_WORD`] on.
pub(super) const STATE_BYTES: u64 = 256;
/// The words of the delays.
const REQUEST_DELAY: u64 = RING_WORD + 2;
const FREE_DELAY: u64 = RING_WORD + 3;
/// Bits of the address of the state, which is a multiple of 256.
pub(super) const GUARDS: usize = 1;
pub(super) const RECORDS: usize = 2;
pub(super) const DELAYS: usize = 4;

/// The address of the state, and the bits that say what is observed.
#[derive(Clone, Copy)]
pub(super) struct ObserverState(pub *mut u8);

impl ObserverState {
    /// Whether one of these bits is set.
    #[inline(always)]
    pub fn does(self, bits: usize) -> bool {
        self.0.addr() & bits != 0
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

    /// Begins a request; returns when.
    #[inline(always)]
    pub fn begin_request(self) -> u64 {
        match self.does(RECORDS | DELAYS) {
            // SAFETY: the state of a heap.
            true => unsafe { outlined_begin(self) },
            false => 0,
        }
    }

    /// Ends a request for `bytes` that began then, and was given the block at `start`, or null.
    ///
    /// # Safety
    ///
    /// The block is null, or has room for `bytes` and what this heap adds, and no other thread uses it
    /// yet. The lanes that call this together are the active ones.
    #[inline(always)]
    pub unsafe fn end_request<W: Warp>(self, warp: W, bytes: u64, start: *mut u8, begin: u64) {
        if self.does(GUARDS | RECORDS) {
            let mask = warp.converge();
            // SAFETY: the caller's promise.
            unsafe { outlined_end(WithActiveMask::new(warp, mask), self, bytes, start, begin) };
        }
    }

    /// Begins to free the block at `start`.
    ///
    /// # Safety
    ///
    /// The state is that of a heap. The lanes that call this together are the active ones.
    #[inline(always)]
    pub unsafe fn begin_free<W: Warp>(self, warp: W, start: *mut u8) {
        if self.does(RECORDS | DELAYS) {
            let mask = warp.converge();
            // SAFETY: the caller's promise.
            unsafe { outlined_free(WithActiveMask::new(warp, mask), self, start) };
        }
    }
}

/// [`ObserverState::begin_request`].
///
/// # Safety
///
/// The state is that of a heap.
#[inline(never)]
unsafe fn outlined_begin(state: ObserverState) -> u64 {
    let begin = cycles();
    // SAFETY: the caller's promise.
    unsafe { state.delay(REQUEST_DELAY) };
    begin
}

/// [`ObserverState::end_request`].
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
    // SAFETY: the caller's promise. The host has set the ring of a heap that records aside.
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
                took: cycles().wrapping_sub(begin),
            };
            call.record(warp, state.base());
        }
    }
}

/// [`ObserverState::begin_free`].
///
/// # Safety
///
/// As there.
#[inline(never)]
unsafe fn outlined_free<W: Warp>(warp: W, state: ObserverState, start: *mut u8) {
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
    }
}
