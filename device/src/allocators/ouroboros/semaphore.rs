//! The bulk semaphore: how many of something there are, how many are on their
//! way, and how many were promised to threads that wait (section 3.4, Algorithm 2;
//! after Gelado and Garland 2019).
//!
//! Two words. One has *count* in the upper 32 bits, signed, and *reserved* in the
//! lower: who waits adds what it wants to reserved, and takes from both at once.
//! The other has *expected*, in bundles (of the pages of a chunk, of the entries
//! of a queue's chunk). Differences from the paper, and why:
//!
//! - Everything in the way of a request is one addition; nothing is exchanged in
//!   a loop. With the three fields in one word and exchanges, as published, each
//!   success of a thread makes all others fail that try at the same time: 10^5
//!   threads on an empty class took 4 ms.
//! - Who must bring a bundle is decided by the addition to reserved itself: what
//!   is lacking, `reserved - count`, crosses a multiple of a bundle. So there are
//!   at any time at least as many bundles on their way as are lacking, unless a
//!   request that did not wait was faster than one that does, or a bundle did not
//!   come. Then what is expected falls short, and one of those who wait brings
//!   another, or fails. So everybody returns when memory is exhausted.
//! - Line 6 of Algorithm 2, taken literally, creates pages: the undone
//!   subtraction is `count + n`, of a count that was never reduced. Here what
//!   was subtracted is added again, and nothing else.
//! - Three 21-bit counters overflow: 2 GiB have 2^27 pages of 16 B. Here count has
//!   31 bits and a sign, which the layout's limit on pages keeps, and reserved and
//!   expected have 32 each: every thread of a GPU wants a chunk's pages at most.
//!   Nothing is subtracted from reserved or expected but what was added. So no
//!   field carries into another; a count below 0 for a moment borrows from nobody,
//!   being on top.
//! - A group of threads waits as one, for all that it wants.
//! - Of those who wait only some try when there is something: if all did, each
//!   bundle would cost additions, most of them failed ones, by all who wait.
//!
//! All orderings are relaxed: the semaphore counts permits. The things themselves
//! change hands in the slots of a queue or in the bits of a chunk, with release
//! and acquire.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::{AtomicU32, AtomicU64};

use crate::warp::Warp;

const COUNT_SHIFT: u32 = 32;
/// Looks at what is expected that a waiting thread takes before it believes that
/// too little is: who must bring a bundle says so a moment after it knows.
const PATIENCE: u32 = 8;
/// Most times that a waiting thread backs off between two looks.
const LONGEST_PAUSE: u32 = 128;

/// The semaphore in its words.
#[derive(Clone, Copy)]
pub struct Semaphore<'a> {
    /// Count and reserved.
    pub permits: &'a AtomicU64,
    /// Expected.
    pub expected: &'a AtomicU32,
}

/// What the words say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fields {
    /// What there is; below 0 for a moment while a request fails.
    pub count: i32,
    /// Bundles that are expected.
    pub expected: u32,
    /// What waiting threads were promised.
    pub reserved: u32,
}

#[inline(always)]
fn count_of(permits: u64) -> i32 {
    (permits >> COUNT_SHIFT) as i32
}

/// What is lacking: promised, and not there.
#[inline(always)]
fn lacking(permits: u64) -> i64 {
    i64::from(permits as u32) - i64::from(count_of(permits))
}

#[inline(always)]
fn count(n: u32) -> u64 {
    u64::from(n) << COUNT_SHIFT
}

impl Semaphore<'_> {
    /// Sets it up with `n`.
    #[inline(always)]
    pub fn init(self, n: u32) {
        self.permits.store(count(n), Relaxed);
        self.expected.store(0, Relaxed);
    }

    /// What the words say, one after the other.
    #[inline(always)]
    pub fn read(self) -> Fields {
        let permits = self.permits.load(Relaxed);
        Fields {
            count: count_of(permits),
            expected: self.expected.load(Relaxed),
            reserved: permits as u32,
        }
    }

    /// Takes `n` if there are that many now.
    #[inline(always)]
    pub fn try_take(self, n: u32) -> bool {
        self.try_subtract(n, count(n))
    }

    /// Subtracts `amount`, which takes `n` off the count, if it has as many.
    #[inline(always)]
    fn try_subtract(self, n: u32, amount: u64) -> bool {
        // One addition without a turn of a loop, however many do the same. For
        // the moment of a failed one others may see too little, and fail too or
        // bring a bundle that was not needed.
        let before = self.permits.fetch_add(amount.wrapping_neg(), Relaxed);
        if count_of(before) >= n as i32 {
            return true;
        }
        self.permits.fetch_add(amount, Relaxed);
        false
    }

    /// Takes `n` and returns true; or returns false, and the caller must bring
    /// `bundles_for(n)` bundles of 2^`bundle_bits` and call `arrived`.
    ///
    /// Waits while what was promised to the caller is on its way. Those who
    /// bring it wait for nobody who waits here, as they must not while they owe
    /// a bundle; each ends with `arrived`, for as many bundles as it got, which
    /// fulfils the promise or breaks it. Both end the wait.
    #[inline(always)]
    pub fn wait<W: Warp>(self, warp: W, n: u32, bundle_bits: u32) -> bool {
        let bundles = Self::bundles_for(n, bundle_bits);
        let covering = |lacking: i64| {
            let positive = if lacking > 0 { lacking as u64 } else { 0 };
            (positive + (1 << bundle_bits) - 1) >> bundle_bits
        };
        let before = lacking(self.permits.fetch_add(u64::from(n), Relaxed));
        if covering(before + i64::from(n)) > covering(before) {
            self.expected.fetch_add(bundles, Relaxed);
            return false;
        }
        let mut patience = PATIENCE;
        let mut chance = warp.thread();
        loop {
            let permits = self.permits.load(Relaxed);
            let expected = self.expected.load(Relaxed);
            let promised = permits as u32;
            if count_of(permits) >= n as i32 {
                // Of all who wait, about as many try as there is enough for. The
                // factors make `chance` go through all numbers, so that each
                // thread's turn comes.
                chance = chance.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
                let below = (u64::from(chance) * u64::from(promised)) >> u32::BITS;
                if below < u64::from(count_of(permits) as u32)
                    && self.try_subtract(n, count(n) + u64::from(n))
                {
                    return true;
                }
            } else if lacking(permits) <= i64::from(expected) << bundle_bits {
                patience = PATIENCE;
            } else if patience > 0 {
                patience -= 1;
            } else if self
                .expected
                .compare_exchange(expected, expected + bundles, Relaxed)
                == expected
            {
                // An exchange that fails was another thread's success.
                return false;
            }
            // The longer the line, the later our turn, and the more there are who
            // look: together they would keep the word busy.
            let line = promised >> bundle_bits;
            for _ in 0..=if line < LONGEST_PAUSE {
                line
            } else {
                LONGEST_PAUSE
            } {
                warp.back_off();
            }
        }
    }

    /// Bundles that someone who wants `n` must bring.
    #[inline(always)]
    pub fn bundles_for(n: u32, bundle_bits: u32) -> u32 {
        (n + (1 << bundle_bits) - 1) >> bundle_bits
    }

    /// Ends the expectation of a caller of `wait` who wanted `n`: of what it
    /// brought it leaves `rest` for others.
    #[inline(always)]
    pub fn arrived(self, n: u32, bundle_bits: u32, rest: u32) {
        self.permits
            .fetch_add(count(rest).wrapping_sub(u64::from(n)), Relaxed);
        let bundles = Self::bundles_for(n, bundle_bits);
        self.expected.fetch_add(bundles.wrapping_neg(), Relaxed);
    }

    /// Adds `n`.
    #[inline(always)]
    pub fn signal(self, n: u32) {
        self.permits.fetch_add(count(n), Relaxed);
    }

    /// What there is, less what was promised of it.
    #[inline(always)]
    pub fn left(self) -> i64 {
        -lacking(self.permits.load(Relaxed))
    }

    /// Takes all that there is.
    #[inline(always)]
    pub fn take_all(self) -> u32 {
        loop {
            let seen = self.permits.load(Relaxed);
            let now = count_of(seen);
            if now <= 0 {
                return 0;
            }
            // An exchange that fails was another thread's success.
            let next = seen - count(now as u32);
            if self.permits.compare_exchange(seen, next, Relaxed) == seen {
                return now as u32;
            }
        }
    }
}
