//! The bulk semaphore: how many of something there are, how many are on their
//! way, and how many of those are promised (section 3.4, Algorithm 2; after
//! Gelado and Garland 2019).
//!
//! One 64-bit word: *count* in the upper 32 bits, signed; *expected*, 12 bits,
//! in bundles (of the pages of a chunk, of the entries of a queue's chunk); and
//! *reserved*, 20 bits. Differences from the paper, and why:
//!
//! - Line 6 of Algorithm 2, taken literally, creates pages: the undone
//!   subtraction is `count + n`, of a count that was never reduced. Here what
//!   was subtracted is added again, and nothing else.
//! - Three 21-bit counters overflow: 2 GiB have 2^27 pages of 16 B. Count has 31
//!   bits, which the layout's limit on pages keeps; expected counts bundles, so
//!   that 12 bits suffice; the two lower fields change only by exchanges that
//!   check that they have room, and by subtracting what was added. So no field
//!   carries into another. A count below 0 for a moment borrows from nobody,
//!   being on top.
//! - When a bundle does not come, the thread that expected it takes the
//!   expectation back. What is left may be less than what is reserved: then a
//!   promise is broken, and waiting threads withdraw, one of which expects a
//!   bundle in turn, or fails. So everybody returns when memory is exhausted.
//! - A group of threads waits as one, for all that it wants.
//!
//! All orderings are relaxed: the semaphore counts permits. The things themselves
//! change hands in the slots of a queue or in the bits of a chunk, with release
//! and acquire.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;

use crate::warp::Warp;

const RESERVED_BITS: u32 = 20;
const RESERVED_MOST: u32 = (1 << RESERVED_BITS) - 1;
const EXPECTED_MOST: u32 = (1 << (COUNT_SHIFT - RESERVED_BITS)) - 1;
const COUNT_SHIFT: u32 = 32;

/// The semaphore in a word.
#[derive(Clone, Copy)]
pub struct Semaphore<'a>(pub &'a AtomicU64);

/// The fields of the word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fields {
    /// What there is; below 0 for a moment while a request fails.
    pub count: i32,
    /// Bundles that are expected.
    pub expected: u32,
    /// What waiting threads were promised.
    pub reserved: u32,
}

/// The fields of a word.
#[inline(always)]
fn fields(word: u64) -> Fields {
    Fields {
        count: (word >> COUNT_SHIFT) as i32,
        expected: word as u32 >> RESERVED_BITS,
        reserved: word as u32 & RESERVED_MOST,
    }
}

#[inline(always)]
fn count(n: u32) -> u64 {
    u64::from(n) << COUNT_SHIFT
}

#[inline(always)]
fn expected(bundles: u32) -> u64 {
    u64::from(bundles) << RESERVED_BITS
}

impl Semaphore<'_> {
    /// The fields at this moment.
    #[inline(always)]
    pub fn read(self) -> Fields {
        fields(self.0.load(Relaxed))
    }

    /// Takes `n` if there are that many now.
    #[inline(always)]
    pub fn try_take(self, n: u32) -> bool {
        // One addition without a turn of a loop, however many do the same. For
        // the moment of a failed one others may see too little, and fail too or
        // expect a bundle that was not needed.
        let before = fields(self.0.fetch_add(count(n).wrapping_neg(), Relaxed));
        if before.count >= n as i32 {
            return true;
        }
        self.0.fetch_add(count(n), Relaxed);
        false
    }

    /// Takes `n` and returns true; or returns false, and the caller must bring
    /// `bundles_for(n)` bundles of 2^`bundle_bits` and call `arrived`.
    ///
    /// Waits while what was promised to the caller is on its way. Those who
    /// expect it wait for nobody who waits here, as they must not while they owe
    /// a bundle; each ends with `arrived`, for as many bundles as it got, which
    /// fulfils the promise or breaks it. Both end the wait.
    #[inline(always)]
    pub fn wait<W: Warp>(self, warp: W, n: u32, bundle_bits: u32) -> bool {
        let bundles = Self::bundles_for(n, bundle_bits);
        let mut waits = false;
        loop {
            let seen = self.0.load(Relaxed);
            let now = fields(seen);
            let coming = i64::from(now.count) + (i64::from(now.expected) << bundle_bits);
            let free = coming - i64::from(now.reserved);
            let own = if waits { u64::from(n) } else { 0 };
            let (next, done) = if now.count >= n as i32 {
                (seen - count(n) - own, Some(true))
            } else if waits && free >= 0 {
                warp.back_off();
                continue;
            } else if waits {
                (seen - own, None)
            } else if now.reserved + n > RESERVED_MOST {
                // Others withdraw or are served before long.
                warp.back_off();
                continue;
            } else if free >= i64::from(n) {
                (seen + u64::from(n), None)
            } else if now.expected + bundles > EXPECTED_MOST {
                warp.back_off();
                continue;
            } else {
                (seen + expected(bundles) + u64::from(n), Some(false))
            };
            // An exchange that fails was another thread's success.
            if self.0.compare_exchange(seen, next, Relaxed) != seen {
                continue;
            }
            if let Some(taken) = done {
                return taken;
            }
            waits = !waits;
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
        let own = expected(Self::bundles_for(n, bundle_bits)) + u64::from(n);
        self.0.fetch_add(count(rest).wrapping_sub(own), Relaxed);
    }

    /// Adds `n`.
    #[inline(always)]
    pub fn signal(self, n: u32) {
        self.0.fetch_add(count(n), Relaxed);
    }

    /// Takes all that there is.
    #[inline(always)]
    pub fn take_all(self) -> u32 {
        loop {
            let seen = self.0.load(Relaxed);
            let now = fields(seen).count;
            if now <= 0 {
                return 0;
            }
            // An exchange that fails was another thread's success.
            let next = seen - count(now as u32);
            if self.0.compare_exchange(seen, next, Relaxed) == seen {
                return now as u32;
            }
        }
    }
}
