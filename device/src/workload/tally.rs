//! The requests of a kernel, counted, and the time that warps spend in the allocator.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;
use cuda_std::clock::cycles;

use crate::allocator::Handle;
use crate::device_heap::DeviceHeap;
use crate::simt::Warp;

/// Words of a stripe: a cache line or two have the counters of the warps of some multiprocessors.
const STRIPE_WORDS: usize = 8;
/// Stripes that the counters are spread over: all warps would wait for each other at one.
const STRIPES: usize = 256;
/// Words of all stripes.
pub const TALLY_WORDS: usize = STRIPES * STRIPE_WORDS;

/// The counts of the warps of launches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Requests that were granted.
    pub granted: u64,
    /// Requests that were refused.
    pub refused: u64,
    /// Blocks freed.
    pub freed: u64,
    /// Bytes of granted blocks less those of freed ones, as requested.
    pub live_bytes: u64,
    /// Clock cycles of warps within calls of the allocator, if they were taken.
    pub allocator_cycles: u64,
    /// Clock cycles of the same warps in all.
    pub cycles: u64,
}

impl Counts {
    /// The sums over the words of all stripes, [`TALLY_WORDS`] of them.
    pub fn from_words(words: &[u64]) -> Self {
        let sum = |count: usize| {
            let of_stripes = words.iter().skip(count).step_by(STRIPE_WORDS);
            of_stripes.fold(0, |sum: u64, word| sum.wrapping_add(*word))
        };
        Self {
            granted: sum(0),
            refused: sum(1),
            freed: sum(2),
            live_bytes: sum(3),
            allocator_cycles: sum(4),
            cycles: sum(5),
        }
    }
}

/// The counts of a lane.
pub(super) struct Tally {
    granted: u32,
    refused: u32,
    freed: u32,
    /// It wraps: a lane may free more than it requests.
    live_bytes: u64,
    /// Whether the warp's time is taken.
    is_clocked: bool,
    begin: u64,
    allocator_cycles: u64,
}

impl Tally {
    /// None so far. If it `is_clocked`, all lanes of the warp come together before and after each
    /// call of the allocator.
    #[inline(always)]
    pub fn new(is_clocked: bool) -> Self {
        Self {
            granted: 0,
            refused: 0,
            freed: 0,
            live_bytes: 0,
            is_clocked,
            begin: if is_clocked { cycles() } else { 0 },
            allocator_cycles: 0,
        }
    }

    /// When a call of the allocator begins, in which lanes take part that have one to make, for all
    /// lanes of the warp together; nothing if it is not timed.
    #[inline(always)]
    fn begin_call<W: Warp>(&self, warp: W, takes_part: bool) -> Option<u64> {
        // The ballot brings all lanes together.
        let is_timed = self.is_clocked && warp.ballot(W::FULL, takes_part) != 0;
        is_timed.then(cycles)
    }

    /// Adds the time since a call began.
    #[inline(always)]
    fn end_call<W: Warp>(&mut self, warp: W, begin: Option<u64>) {
        if let Some(begin) = begin {
            warp.sync(W::FULL);
            self.allocator_cycles += cycles().wrapping_sub(begin);
        }
    }

    /// A block of at least `bytes` for each lane that wants more than 0, else null. All lanes of the
    /// warp call this together.
    #[inline(always)]
    pub fn request<W: Warp, A: DeviceHeap<W> + ?Sized>(
        &mut self,
        warp: W,
        heap: &A,
        bytes: u64,
    ) -> A::Handle {
        let begin = self.begin_call(warp, bytes > 0);
        let mut block = A::Handle::NULL;
        if bytes > 0 {
            // Live blocks must not be overwritten.
            block = heap.malloc_exclusive(warp, bytes);
        }
        self.end_call(warp, begin);
        if !block.is_null() {
            self.granted += 1;
            self.live_bytes = self.live_bytes.wrapping_add(bytes);
        } else if bytes > 0 {
            self.refused += 1;
        }
        block
    }

    /// Frees the block of each lane that has one; of others, null. All lanes of the warp call this
    /// together.
    ///
    /// # Safety
    ///
    /// The block was requested with so many bytes, is live and this lane's alone.
    #[inline(always)]
    pub unsafe fn free<W: Warp, A: DeviceHeap<W> + ?Sized>(
        &mut self,
        warp: W,
        heap: &A,
        block: A::Handle,
        bytes: u64,
    ) {
        if !block.is_null() {
            self.freed += 1;
            self.live_bytes = self.live_bytes.wrapping_sub(bytes);
        }
        let begin = self.begin_call(warp, !block.is_null());
        if !block.is_null() {
            // SAFETY: the caller's promise.
            unsafe { heap.free(warp, block) };
        }
        self.end_call(warp, begin);
    }

    /// Adds the counts of the warp's lanes to `words`. All lanes of the warp call this together.
    ///
    /// # Safety
    ///
    /// There are [`TALLY_WORDS`] words, which kernels access by atomic operations only.
    #[inline(always)]
    pub unsafe fn publish<W: Warp>(self, warp: W, words: *mut u64) {
        // A launch in which no lane has asked for anything counts nothing.
        let calls = self.granted | self.refused | self.freed;
        if !self.is_clocked && warp.ballot(W::FULL, calls > 0) == 0 {
            return;
        }
        let cycles = if self.is_clocked {
            cycles().wrapping_sub(self.begin)
        } else {
            0
        };
        let stripe = warp.processor() as usize % STRIPES;
        let mut word = words.wrapping_add(stripe * STRIPE_WORDS);
        let mut add = |count: u64| {
            let sum = all_sum64(warp, count);
            if warp.lane() == 0 && sum > 0 {
                // SAFETY: the caller's promise. Relaxed: the host reads the sums after the launch.
                unsafe { (*word.cast::<AtomicU64>()).fetch_add(sum, Relaxed) };
            }
            word = word.wrapping_add(1);
        };
        add(u64::from(self.granted));
        add(u64::from(self.refused));
        add(u64::from(self.freed));
        add(self.live_bytes);
        add(self.allocator_cycles);
        add(cycles);
    }
}

/// The sum of all lanes' values, in every lane; it wraps.
#[inline(always)]
pub(super) fn all_sum64<W: Warp>(warp: W, mut value: u64) -> u64 {
    let mut step = W::LANES / 2;
    while step > 0 {
        let low = warp.all_shuffle_xor(value as u32, step);
        let high = warp.all_shuffle_xor((value >> 32) as u32, step);
        value = value.wrapping_add(u64::from(high) << 32 | u64::from(low));
        step /= 2;
    }
    value
}
