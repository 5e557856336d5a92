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
//!   subtraction is `count + n`, of a count that was never reduced. Undone rightly,
//!   it hides for a moment what others could have, and a thread that stands still in
//!   that moment makes them fail for long. Here who asks for more than there is gets
//!   what there is, and nothing is undone: the count stays below 0, a *deficit*, which
//!   stands for nothing. Who adds to a deficit adds once more what that has swallowed,
//!   or puts what it adds in its place. So a request fails only if there is nothing.
//! - Three 21-bit counters overflow: 2 GiB have 2^27 pages of 16 B. Here count has
//!   31 bits and a sign, which the layout's limit on pages keeps, and reserved and
//!   expected have 32 each: every thread of a GPU wants a chunk's pages at most.
//!   Nothing is subtracted from reserved or expected but what was added. So no
//!   field carries into another; a deficit borrows from nobody, the count being on
//!   top, and is taken away long before it could wrap.
//! - A group of threads waits as one, for all that it wants, and keeps what it got
//!   when it is refused the rest.
//! - Nobody waits, and nobody is told to bring a bundle, once nothing can be brought.
//!   Otherwise each of those who wait would be told so in turn, one after the other.
//! - Of those who wait only some try when there is something: if all did, each
//!   bundle would cost additions, most of them failed ones, by all who wait.
//!
//! All orderings are relaxed: the semaphore counts permits. The things themselves
//! change hands in the slots of a queue or in the bits of a chunk, with release
//! and acquire.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::{AtomicU32, AtomicU64};

use crate::simt::Warp;

const COUNT_SHIFT: u32 = 32;
/// Looks at what is expected that a waiting thread takes before it believes that
/// too little is: who must bring a bundle says so a moment after it knows.
const PATIENCE: u32 = 8;
/// Most times that a waiting thread backs off between two looks.
const LONGEST_PAUSE: u32 = 128;

/// A count below which who fails takes the deficit away: far from where a count ends,
/// by more than all threads of a GPU can subtract meanwhile.
const DEFICIT_MOST: i32 = -(1 << 28);

/// What a thread has after it waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waited {
    /// As many as it got.
    pub granted: u32,
    /// Whether it must bring the rest and call [`Semaphore::arrived`]. Without that, and
    /// without all that it wanted, it was refused the rest.
    pub brings: bool,
}

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
    /// What there is.
    pub count: u32,
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
    i64::from(permits as u32) - i64::from(there(permits))
}

/// What there is: a count below 0 is a deficit.
#[inline(always)]
fn there(permits: u64) -> u32 {
    let count = count_of(permits);
    if count > 0 { count as u32 } else { 0 }
}

/// The word with a count of 0.
#[inline(always)]
fn without_count(permits: u64) -> u64 {
    permits & u64::from(u32::MAX)
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
            count: there(permits),
            expected: self.expected.load(Relaxed),
            reserved: permits as u32,
        }
    }

    /// Takes `n`, or all that there are if these are fewer; says how many.
    #[inline(always)]
    pub fn take(self, n: u32) -> u32 {
        self.subtract(n, count(n))
    }

    /// [`Self::take`] where there may be nothing for long: it reads first. If all who look
    /// in vain subtracted, who adds would never find the count as it last was, and so
    /// never end a deficit.
    #[inline(always)]
    pub fn take_if_any(self, n: u32) -> u32 {
        if there(self.permits.load(Relaxed)) == 0 {
            0
        } else {
            self.take(n)
        }
    }

    /// Takes `n` or nothing.
    #[inline(always)]
    pub fn take_together(self, n: u32) -> bool {
        loop {
            let seen = self.permits.load(Relaxed);
            if count_of(seen) < n as i32 {
                return false;
            }
            // An exchange that fails was another thread's success, or failure.
            if self
                .permits
                .compare_exchange(seen, seen - count(n), Relaxed)
                == seen
            {
                return true;
            }
        }
    }

    /// Subtracts `amount`, which takes `n` off the count; says how many of these there
    /// were.
    #[inline(always)]
    fn subtract(self, n: u32, amount: u64) -> u32 {
        // One addition without a turn of a loop, however many do the same.
        let before = count_of(self.permits.fetch_add(amount.wrapping_neg(), Relaxed));
        if before >= n as i32 {
            return n;
        }
        if before < DEFICIT_MOST {
            self.clear_deficit();
        }
        if before > 0 { before as u32 } else { 0 }
    }

    /// Takes away a deficit, as far as there is one.
    #[inline(always)]
    fn clear_deficit(self) {
        let mut seen = self.permits.load(Relaxed);
        while count_of(seen) < 0 {
            let now = self
                .permits
                .compare_exchange(seen, without_count(seen), Relaxed);
            if now == seen {
                return;
            }
            // Another thread's success, or failure: all who fail come here by then.
            seen = now;
        }
    }

    /// Adds `n`, and subtracts `amount` beside it.
    #[inline(always)]
    fn add(self, n: u32, amount: u64) {
        let change = count(n).wrapping_sub(amount);
        let before = self.permits.fetch_add(change, Relaxed);
        if n > 0 && count_of(before) < 0 {
            self.add_again(n, before.wrapping_add(change));
        }
    }

    /// Adds what a deficit has swallowed of `n`, after which `now` was there.
    #[inline(always)]
    fn add_again(self, n: u32, now: u64) {
        let (mut owed, mut now) = (n, now);
        loop {
            if count_of(now) >= 0 {
                // The count came from below 0; the rest was swallowed.
                owed -= count_of(now) as u32;
            }
            // Otherwise all of it was, and what is there is nobody's.
            while count_of(now) < 0 {
                let next = without_count(now) + count(owed);
                let seen = self.permits.compare_exchange(now, next, Relaxed);
                if seen == now {
                    return;
                }
                // Another thread's success, or failure.
                now = seen;
            }
            let before = self.permits.fetch_add(count(owed), Relaxed);
            if count_of(before) >= 0 {
                return;
            }
            now = before.wrapping_add(count(owed));
        }
    }

    /// Takes `n`, waiting for what is on its way. Who is told to bring the rest must
    /// bring `bundles_for` as many bundles of 2^`bundle_bits` and call `arrived`. Who
    /// is refused the rest has found that nothing is on its way and that, as
    /// `may_come` says, nothing can be brought.
    ///
    /// Those who bring bundles wait for nobody who waits here, as they must not while
    /// they owe one; each ends with `arrived`, for as many bundles as it got, which
    /// fulfils the promise or breaks it. Both end the wait.
    #[inline(always)]
    pub fn wait<W: Warp>(
        self,
        warp: W,
        n: u32,
        bundle_bits: u32,
        may_come: impl Fn() -> bool,
    ) -> Waited {
        let covering = |lacking: i64| {
            let positive = if lacking > 0 { lacking as u64 } else { 0 };
            (positive + (1 << bundle_bits) - 1) >> bundle_bits
        };
        let before = lacking(self.permits.fetch_add(u64::from(n), Relaxed));
        if covering(before + i64::from(n)) > covering(before) {
            self.expected
                .fetch_add(Self::bundles_for(n, bundle_bits), Relaxed);
            return Waited {
                granted: 0,
                brings: true,
            };
        }
        let mut left = n;
        let mut patience = PATIENCE;
        let mut chance = warp.thread();
        loop {
            let permits = self.permits.load(Relaxed);
            let expected = self.expected.load(Relaxed);
            let promised = permits as u32;
            let bundles = Self::bundles_for(left, bundle_bits);
            if count_of(permits) >= left as i32 {
                // Of all who wait, about as many try as there is enough for. The
                // factors make `chance` go through all numbers, so that each
                // thread's turn comes.
                chance = chance.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
                let below = (u64::from(chance) * u64::from(promised)) >> u32::BITS;
                if below < u64::from(count_of(permits) as u32) {
                    let got = self.subtract(left, count(left) + u64::from(left));
                    left -= got;
                    if left == 0 {
                        return Waited {
                            granted: n,
                            brings: false,
                        };
                    }
                    // Still promised to us.
                    self.permits.fetch_add(u64::from(left), Relaxed);
                }
            } else if lacking(permits) <= i64::from(expected) << bundle_bits {
                patience = PATIENCE;
            } else if !may_come() {
                // With the promise goes what there is, if that is less than we want.
                let got = self.subtract(left, count(left) + u64::from(left));
                return Waited {
                    granted: n - left + got,
                    brings: false,
                };
            } else if patience > 0 {
                patience -= 1;
            } else if self
                .expected
                .compare_exchange(expected, expected + bundles, Relaxed)
                == expected
            {
                // An exchange that fails was another thread's success.
                return Waited {
                    granted: n - left,
                    brings: true,
                };
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

    /// Ends the expectation of a caller of `wait` who was to bring `n`: of what it
    /// brought it leaves `rest` for others.
    #[inline(always)]
    pub fn arrived(self, n: u32, bundle_bits: u32, rest: u32) {
        self.add(rest, u64::from(n));
        let bundles = Self::bundles_for(n, bundle_bits);
        self.expected.fetch_add(bundles.wrapping_neg(), Relaxed);
    }

    /// Adds `n`.
    #[inline(always)]
    pub fn signal(self, n: u32) {
        self.add(n, 0);
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
