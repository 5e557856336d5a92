//! The bulk semaphore: how many units of a resource are available, how many are
//! expected, and how many are reserved for threads that wait (section 3.4, Algorithm 2;
//! after Gelado and Garland 2019).
//!
//! Two words. One has *count* in the upper 32 bits, signed, and *reserved* in the
//! lower: a thread that waits adds what it wants to reserved, and subtracts from both at
//! once. The other has *expected*, in bundles (of the pages of a chunk, of the entries
//! of a queue's chunk). Differences from the paper, and why:
//!
//! - A request costs one addition; nothing is exchanged in a loop. With the three fields
//!   in one word and exchanges, as published, each success of a thread makes all others
//!   fail that try at the same time: 10^5 threads on an empty class took 4 ms.
//! - The addition to reserved itself decides which thread must allocate a bundle: the one
//!   by which what is lacking, `reserved - count`, crosses a multiple of a bundle. So at
//!   any time at least as many bundles are on their way as are lacking, unless a
//!   request that did not wait was faster than one that does, or a bundle did not
//!   come. Then expected falls short, and one of the threads that wait allocates
//!   another bundle, or fails. So every thread returns when memory is exhausted.
//! - Line 6 of Algorithm 2, taken literally, creates pages: the undone
//!   subtraction is `count + n`, of a count that was never reduced. Undone rightly,
//!   it hides for a moment what others could have, and a thread that stalls in
//!   that moment makes them fail for long. Here a request for more than is available gets
//!   what is available, and nothing is undone: the count stays below 0, a *deficit*, which
//!   stands for nothing. A thread that adds to a deficit adds once more what the deficit has
//!   swallowed, or replaces the deficit by what it adds. So a request fails only if nothing
//!   is available.
//! - Three 21-bit counters overflow: 2 GiB have 2^27 pages of 16 B. Here count has
//!   31 bits and a sign, which the layout's limit on pages keeps, and reserved and
//!   expected have 32 each: every thread of a GPU wants a chunk's pages at most.
//!   Nothing is subtracted from reserved or expected but what was added. So no
//!   field carries into another; a deficit borrows from no field, the count being on
//!   top, and is cleared long before it could wrap.
//! - A group of threads waits as one, for all that it wants, and keeps what it got
//!   when it is refused the rest.
//! - Once nothing can be allocated, no thread waits, and none is to allocate a bundle.
//!   Otherwise each of those that wait would try in turn, one after the other.
//! - When something is available only some of the threads that wait try to take it: if all
//!   did, each bundle would cost additions, most of them failed ones, by all that wait.
//!
//! All orderings are relaxed: the semaphore counts permits. The resources themselves
//! change hands in the slots of a queue or in the bits of a chunk, with release
//! and acquire.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::{AtomicU32, AtomicU64};

use crate::simt::Warp;

const COUNT_SHIFT: u32 = 32;
/// Times that a waiting thread reads expected before it takes for granted that expected
/// falls short: the thread that is to allocate a bundle adds to expected only a moment
/// after its addition to reserved.
const PATIENCE: u32 = 8;
/// The maximum number of usual pauses, beside one, between two reads of a waiting thread.
const MAX_PAUSE: u32 = 16;
/// The logarithm of the promised bundles that add one of these.
const LINE_BITS: u32 = 3;

/// A count below which a thread that fails clears the deficit: far from where a count ends,
/// by more than all threads of a GPU can subtract meanwhile.
const MAX_DEFICIT: i32 = -(1 << 28);

/// The outcome of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waited {
    /// Units that the thread got.
    pub granted: u32,
    /// Whether it must allocate the rest and call [`Semaphore::arrived`]. If not, and
    /// without all that it wanted, it was refused the rest.
    pub allocates: bool,
}

/// The semaphore in its words.
#[derive(Clone, Copy)]
pub struct Semaphore<'a> {
    /// The resource count, and of it what is reserved.
    pub resources: &'a AtomicU64,
    /// Expected.
    pub expected: &'a AtomicU32,
}

/// The values of the counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fields {
    /// Units that are available.
    pub count: u32,
    /// Bundles that are expected.
    pub expected: u32,
    /// Units that are promised to waiting threads.
    pub reserved: u32,
}

#[inline(always)]
fn count_of(resources: u64) -> i32 {
    (resources >> COUNT_SHIFT) as i32
}

/// Units that are lacking: promised, and not available.
#[inline(always)]
fn lacking(resources: u64) -> i64 {
    i64::from(resources as u32) - i64::from(available(resources))
}

/// Units that are available: a count below 0 is a deficit.
#[inline(always)]
fn available(resources: u64) -> u32 {
    let count = count_of(resources);
    if count > 0 { count as u32 } else { 0 }
}

/// The word with a count of 0.
#[inline(always)]
fn without_count(resources: u64) -> u64 {
    resources & u64::from(u32::MAX)
}

#[inline(always)]
fn count(n: u32) -> u64 {
    u64::from(n) << COUNT_SHIFT
}

impl Semaphore<'_> {
    /// Initialises the count with `n`.
    #[inline(always)]
    pub fn init(self, n: u32) {
        self.resources.store(count(n), Relaxed);
        self.expected.store(0, Relaxed);
    }

    /// The counters, whose two words are read one after the other.
    #[inline(always)]
    pub fn read(self) -> Fields {
        let resources = self.resources.load(Relaxed);
        Fields {
            count: available(resources),
            expected: self.expected.load(Relaxed),
            reserved: resources as u32,
        }
    }

    /// Units that are available.
    #[inline(always)]
    pub fn count(self) -> u32 {
        available(self.resources.load(Relaxed))
    }

    /// Takes `n`, or all that are available if these are fewer; returns how many.
    #[inline(always)]
    pub fn take(self, n: u32) -> u32 {
        self.subtract(n, count(n))
    }

    /// [`Self::take`] where nothing may be available for long: it reads first. If every
    /// thread that fails subtracted, one that adds would never find the count as it last
    /// was, and so never end a deficit.
    #[inline(always)]
    pub fn take_if_any(self, n: u32) -> u32 {
        if self.count() == 0 { 0 } else { self.take(n) }
    }

    /// Takes `n` or nothing.
    #[inline(always)]
    pub fn take_together(self, n: u32) -> bool {
        loop {
            let seen = self.resources.load(Relaxed);
            if count_of(seen) < n as i32 {
                return false;
            }
            // An exchange that fails was another thread's success, or failure.
            if self
                .resources
                .compare_exchange(seen, seen - count(n), Relaxed)
                == seen
            {
                return true;
            }
        }
    }

    /// Subtracts `amount`, which takes `n` off the count; returns how many of these were
    /// available.
    #[inline(always)]
    fn subtract(self, n: u32, amount: u64) -> u32 {
        // One addition without a turn of a loop, however many do the same.
        let before = count_of(self.resources.fetch_add(amount.wrapping_neg(), Relaxed));
        if before >= n as i32 {
            return n;
        }
        if before < MAX_DEFICIT {
            self.clear_deficit();
        }
        if before > 0 { before as u32 } else { 0 }
    }

    /// Clears a deficit, if there is one.
    #[inline(always)]
    fn clear_deficit(self) {
        let mut seen = self.resources.load(Relaxed);
        while count_of(seen) < 0 {
            let now = self
                .resources
                .compare_exchange(seen, without_count(seen), Relaxed);
            if now == seen {
                return;
            }
            // Another thread's success, or failure: all that fail come here by then.
            seen = now;
        }
    }

    /// Adds `n`, and subtracts `amount` beside it.
    #[inline(always)]
    fn add(self, n: u32, amount: u64) {
        let change = count(n).wrapping_sub(amount);
        let before = self.resources.fetch_add(change, Relaxed);
        if n > 0 && count_of(before) < 0 {
            self.add_again(n, before.wrapping_add(change));
        }
    }

    /// Adds what a deficit has swallowed of `n`, after which the word was `now`.
    #[inline(always)]
    fn add_again(self, n: u32, now: u64) {
        let (mut owed, mut now) = (n, now);
        loop {
            if count_of(now) >= 0 {
                // The count came from below 0; the rest was swallowed.
                owed -= count_of(now) as u32;
            }
            // Otherwise all of it was, and the count stands for nothing.
            while count_of(now) < 0 {
                let next = without_count(now) + count(owed);
                let seen = self.resources.compare_exchange(now, next, Relaxed);
                if seen == now {
                    return;
                }
                // Another thread's success, or failure.
                now = seen;
            }
            let before = self.resources.fetch_add(count(owed), Relaxed);
            if count_of(before) >= 0 {
                return;
            }
            now = before.wrapping_add(count(owed));
        }
    }

    /// Takes `n`, waiting for what is on its way. A caller that is to allocate the rest must
    /// allocate `bundles_for` as many bundles of 2^`bundle_bits` and call `arrived`. A caller
    /// that is refused the rest has found that nothing is on its way and, by `may_come`, that
    /// nothing can be allocated.
    ///
    /// Threads that allocate bundles wait for no thread that waits here, as they must not
    /// while they owe one; each ends with `arrived`, for as many bundles as it got, which
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
        let before = lacking(self.resources.fetch_add(u64::from(n), Relaxed));
        if covering(before + i64::from(n)) > covering(before) {
            self.expected
                .fetch_add(Self::bundles_for(n, bundle_bits), Relaxed);
            return Waited {
                granted: 0,
                allocates: true,
            };
        }
        let mut left = n;
        let mut patience = PATIENCE;
        let mut chance = warp.thread();
        loop {
            let resources = self.resources.load(Relaxed);
            let expected = self.expected.load(Relaxed);
            let promised = resources as u32;
            let bundles = Self::bundles_for(left, bundle_bits);
            if count_of(resources) >= left as i32 {
                // Of all that wait, about as many try as the count suffices for. The
                // factors make `chance` go through all numbers, so that each
                // thread's turn comes.
                chance = chance.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
                let below = (u64::from(chance) * u64::from(promised)) >> u32::BITS;
                if below < u64::from(count_of(resources) as u32) {
                    let got = self.subtract(left, count(left) + u64::from(left));
                    left -= got;
                    if left == 0 {
                        return Waited {
                            granted: n,
                            allocates: false,
                        };
                    }
                    // Still promised to us.
                    self.resources.fetch_add(u64::from(left), Relaxed);
                }
            } else if lacking(resources) <= i64::from(expected) << bundle_bits {
                patience = PATIENCE;
            } else if !may_come() {
                // The promise ends, with what is available, if that is less than we want.
                let got = self.subtract(left, count(left) + u64::from(left));
                return Waited {
                    granted: n - left + got,
                    allocates: false,
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
                    allocates: true,
                };
            }
            // The longer the line, the later our turn, and the more threads read the
            // word: together they would keep it busy.
            let line = (promised >> bundle_bits) >> LINE_BITS;
            warp.back_off_for(line.min(MAX_PAUSE) + 1);
        }
    }

    /// Bundles that a thread that wants `n` must allocate.
    #[inline(always)]
    pub fn bundles_for(n: u32, bundle_bits: u32) -> u32 {
        (n + (1 << bundle_bits) - 1) >> bundle_bits
    }

    /// Ends the expectation of a caller of `wait` that was to allocate `n`: of what it
    /// allocated it leaves `rest` for others.
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

    /// The available count, less the promised one.
    #[inline(always)]
    pub fn left(self) -> i64 {
        -lacking(self.resources.load(Relaxed))
    }

    /// Takes all that is available.
    #[inline(always)]
    pub fn take_all(self) -> u32 {
        loop {
            let seen = self.resources.load(Relaxed);
            let now = count_of(seen);
            if now <= 0 {
                return 0;
            }
            // An exchange that fails was another thread's success.
            let next = seen - count(now as u32);
            if self.resources.compare_exchange(seen, next, Relaxed) == seen {
                return now as u32;
            }
        }
    }
}
