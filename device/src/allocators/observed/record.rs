//! Events of calls, in a ring that the host empties between launches.
//!
//! A warp takes places for its active lanes by one addition, and each lane writes its event into
//! its own. The order of places is one in which a trace can be replayed:
//!
//! - A grant is recorded behind the call, and a free before it. So the place of a grant comes before
//!   that of the block's free, which needs its handle, and the place of a free before that of the
//!   next grant of the same memory: each of these pairs is ordered by the contract of
//!   [`Allocator`](crate::allocator::Allocator), and additions to one word are ordered as they
//!   happen before each other.
//! - The events of a thread have places in the order of its calls.
//!
//! A place beyond the ring is counted and not written: the host then knows how many are missing.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;

use crate::simt::{Warp, leader, rank};

/// The first word of the state that the host writes: the address of the ring of events. Behind it
/// are the events that it has room for, and the clock cycles by which requests and frees are
/// delayed.
pub const RING_WORD: u64 = 16;
/// Words of an event.
pub const EVENT_WORDS: usize = 4;
/// Words in front of the first event: the first of them counts places, those behind it are the
/// [`CallTimes`], and no event is in their line.
pub const RING_HEAD_WORDS: usize = 16;
/// The words of a ring with the times of requests and frees.
pub(super) const REQUEST_TIME: usize = 1;
pub(super) const FREE_TIME: usize = 3;

/// The sums of the times of calls, in the head of a ring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallTimes {
    /// Clock cycles of requests.
    pub request_cycles: u64,
    /// Requests.
    pub requests: u64,
    /// Clock cycles of frees.
    pub free_cycles: u64,
    /// Frees of blocks.
    pub frees: u64,
}

impl CallTimes {
    /// Those in the head of a ring.
    pub fn from_words(head: [u64; RING_HEAD_WORDS]) -> Self {
        Self {
            request_cycles: head[REQUEST_TIME],
            requests: head[REQUEST_TIME + 1],
            free_cycles: head[FREE_TIME],
            frees: head[FREE_TIME + 1],
        }
    }
}

/// A call of the allocator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// A request that was granted.
    Granted = 0,
    /// A request that was refused.
    Refused = 1,
    /// A free.
    Freed = 2,
}

/// Bits of the last word of an event: the operation, the lane, the warp, and the clock cycles of the
/// call, as many as fit.
const LANE_SHIFT: u32 = 2;
const WARP_SHIFT: u32 = LANE_SHIFT + 5;
const CYCLES_SHIFT: u32 = WARP_SHIFT + 26;
/// The most clock cycles that an event has room for.
const MAX_CYCLES: u64 = u64::MAX >> CYCLES_SHIFT;

/// An event as it lies in the ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedCall {
    /// When a request ended or a free began, in nanoseconds of the clock that all threads share.
    pub clock: u64,
    /// Bytes that were requested; 0 of a free.
    pub bytes: u64,
    /// The address of the block, with its guards; 0 of a refusal.
    pub address: u64,
    /// The kind of call.
    pub operation: Operation,
    /// The lane.
    pub lane: u32,
    /// The warp.
    pub warp: u32,
    /// Clock cycles that the call took, or as many as fit; 0 of a free.
    pub cycles: u64,
}

impl RecordedCall {
    /// The event with these words; none if the operation is unknown, as of a place that was not
    /// written.
    pub fn from_words(words: [u64; EVENT_WORDS]) -> Option<Self> {
        let [clock, bytes, address, who] = words;
        let operation = match who & 3 {
            0 => Operation::Granted,
            1 => Operation::Refused,
            2 => Operation::Freed,
            _ => return None,
        };
        Some(Self {
            clock,
            bytes,
            address,
            operation,
            lane: (who >> LANE_SHIFT & 31) as u32,
            warp: (who >> WARP_SHIFT) as u32 & ((1 << (CYCLES_SHIFT - WARP_SHIFT)) - 1),
            cycles: who >> CYCLES_SHIFT,
        })
    }

    /// When the call began, in nanoseconds, if the multiprocessor's clock has so many ticks a second.
    pub fn begin(&self, clock_hz: u64) -> u64 {
        let took = u128::from(self.cycles) * 1_000_000_000 / u128::from(clock_hz.max(1));
        self.clock.saturating_sub(took as u64)
    }
}

/// A call that a lane has made, or is about to make.
#[derive(Clone, Copy)]
pub(super) struct ObservedCall {
    pub operation: Operation,
    pub bytes: u64,
    pub address: u64,
    /// When a request ended or a free began, in nanoseconds of the clock that all threads share.
    pub clock: u64,
    /// Clock cycles that it took.
    pub took: u64,
}

impl ObservedCall {
    /// Records the call of each of the active lanes, by the state of their heap.
    ///
    /// # Safety
    ///
    /// The state is that of a heap which records: the host has written there where the ring is, and
    /// how many events it has room for.
    #[inline(always)]
    pub unsafe fn record<W: Warp>(self, warp: W, state: *mut u8) {
        // SAFETY: the caller's promise.
        let (ring, events) = unsafe { ring_of(state) };
        let lane = warp.lane();
        let mask = warp.converge();
        let first = leader(mask);
        let mut place = 0;
        if lane == first {
            // SAFETY: the word that counts places, accessed by atomic operations only.
            let places = unsafe { &*ring.cast::<AtomicU64>() };
            // Relaxed: additions to one word have an order, which is that of calls where one happens
            // before another. Events themselves are read after the launch.
            place = places.fetch_add(u64::from(mask.count_ones()), Relaxed);
        }
        place = warp.shuffle64(mask, place, first) + u64::from(rank(mask, lane));
        // The addition of the leader comes before what each lane does with its block.
        warp.sync(mask);
        if place < events {
            let event = RING_HEAD_WORDS as u64 + EVENT_WORDS as u64 * place;
            let cycles = if self.took > MAX_CYCLES {
                MAX_CYCLES
            } else {
                self.took
            };
            let who = self.operation as u64
                | u64::from(lane) << LANE_SHIFT
                | u64::from(warp.warp()) << WARP_SHIFT
                | cycles << CYCLES_SHIFT;
            // SAFETY: the place is within the ring, and this lane's.
            unsafe {
                let event = ring.add(event as usize);
                event.write(self.clock);
                event.add(1).write(self.bytes);
                event.add(2).write(self.address);
                event.add(3).write(who);
            }
        }
    }
}

/// The ring of a heap, and the events that it has room for.
///
/// # Safety
///
/// The state is that of a heap for which the host has set a ring aside.
#[inline(always)]
unsafe fn ring_of(state: *mut u8) -> (*mut u64, u64) {
    // SAFETY: two words of the state, which are not written during a launch.
    unsafe {
        let words = state.cast::<u64>().add(RING_WORD as usize);
        let ring = core::ptr::with_exposed_provenance_mut(words.read() as usize);
        (ring, words.add(1).read())
    }
}

/// Adds the time of a call to the sums at a word of the ring's head: of each of the active lanes as
/// much as of their leader, so that there are two additions and not two a lane.
///
/// # Safety
///
/// As for [`ring_of`]; the word is one of [`CallTimes`].
#[inline(always)]
pub(super) unsafe fn add_time<W: Warp>(warp: W, state: *mut u8, word: usize, took: u64) {
    let mask = warp.converge();
    if warp.lane() == leader(mask) {
        let calls = u64::from(mask.count_ones());
        // SAFETY: words in the ring's head, which kernels access by atomic operations only.
        let [time, count] = unsafe {
            let head = ring_of(state).0.cast::<AtomicU64>();
            [&*head.add(word), &*head.add(word + 1)]
        };
        // Relaxed: the host reads the sums after the launch.
        time.fetch_add(took.wrapping_mul(calls), Relaxed);
        count.fetch_add(calls, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_room_for_every_warp_and_long_calls() {
        let who = 1 | 31 << LANE_SHIFT | ((1 << 26) - 1) << WARP_SHIFT | MAX_CYCLES << CYCLES_SHIFT;
        let call = RecordedCall::from_words([1, 2, 3, who]).expect("an event");
        assert_eq!(call.operation, Operation::Refused);
        assert_eq!((call.lane, call.warp), (31, (1 << 26) - 1));
        assert_eq!((call.clock, call.bytes, call.address), (1, 2, 3));
        assert_eq!(call.cycles, (1 << 31) - 1);
    }

    #[test]
    fn a_call_begins_before_it_ends() {
        let who = 1000 << CYCLES_SHIFT;
        let call = RecordedCall::from_words([2000, 2, 3, who]).expect("an event");
        assert_eq!(call.begin(2_000_000_000), 1500);
        // A clock that is too slow for what was measured.
        assert_eq!(call.begin(1_000_000), 0);
    }

    #[test]
    fn a_place_that_was_not_written_is_no_event() {
        assert_eq!(RecordedCall::from_words([u64::MAX; EVENT_WORDS]), None);
    }
}
