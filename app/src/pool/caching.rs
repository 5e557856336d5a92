//! The pool: requests, what is given back, and when memory returns to the provider.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use super::block::{Block, EventOf};
use super::cache::Cache;
use super::memory::{Fenced, Granted, Idle};
use super::provider::{Provider, Stream};
use super::size_class::{Fit, PAGE};
use super::stats::{Counters, Stats};

/// How often a refused request gives free memory back, at most: one that no device could
/// serve has to end though other threads go on freeing. By then all that there was is gone:
/// the amount doubles from [`PAGE`] on.
const MAX_ATTEMPTS: u32 = 64;

/// Limits on the memory that a pool keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most free memory that it keeps, in bytes. Memory on which work is pending is not
    /// counted. Each time that more than this was freed on streams, the pool looks which work
    /// is done, and keeps its memory or gives it back. So it never holds more free memory than
    /// twice this, but for a block and for memory whose work went on at the last look.
    pub cached_bytes: u64,
}

impl Default for Limits {
    /// All freed memory is kept.
    fn default() -> Self {
        Self {
            cached_bytes: u64::MAX,
        }
    }
}

/// A pool that keeps freed memory and serves requests from it, for any number of threads.
///
/// When it is dropped, it waits for pending work and gives everything back but the blocks
/// that are still in use.
#[derive(Debug)]
pub struct Pool<P: Provider> {
    provider: P,
    cache: Cache<EventOf<P>>,
    counters: Counters,
    /// How many events were recorded.
    events: AtomicU64,
    /// Bytes freed on streams since pending work was looked at for the limit.
    unseen: AtomicU64,
    /// Held while free memory is given back for a reason other than its own deallocation. Memory on
    /// its way is in neither the cache nor the provider, so a request that is about to fail for
    /// want of it has to wait.
    giving_back: Mutex<()>,
    /// Tells the blocks of this pool from others.
    number: u64,
}

impl<P: Provider> Pool<P> {
    /// An empty pool.
    pub fn new(provider: P, limits: Limits) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self {
            provider,
            cache: Cache::new(limits.cached_bytes),
            counters: Counters::default(),
            events: AtomicU64::new(0),
            unseen: AtomicU64::new(0),
            giving_back: Mutex::default(),
            // Numbers need only differ.
            number: NEXT.fetch_add(1, Relaxed),
        }
    }

    /// Where its memory comes from.
    pub fn provider(&self) -> &P {
        &self.provider
    }

    /// A block of at least `bytes` bytes, aligned to [`ALIGNMENT`](super::ALIGNMENT), for use
    /// on any stream and by the host; its content is undefined. A request of 0 bytes gets a
    /// block, too.
    ///
    /// If the provider has no more memory, free blocks are given back to it, the largest
    /// first, until it has. Those on which work is pending are waited for in the end.
    ///
    /// # Errors
    ///
    /// Those of the provider; that there is no memory, once nothing is left to give back.
    pub fn allocate(&self, bytes: u64) -> Result<Block<P>, P::Error> {
        let fit = Fit::of(bytes);
        let cached = self.cache.take_idle(fit, &self.counters);
        self.serve(bytes, fit, cached.map(Granted::Idle))
    }

    /// As [`Pool::allocate`], for use by work that is queued on `stream` from now on, and by
    /// nothing else until that is ordered behind it. So the block may be one that earlier
    /// work on the stream still uses.
    ///
    /// # Errors
    ///
    /// As for [`Pool::allocate`].
    pub fn allocate_async(&self, bytes: u64, stream: &P::Stream) -> Result<Block<P>, P::Error> {
        let fit = Fit::of(bytes);
        let cached = self.cache.take_on(fit, stream.id(), &self.counters);
        self.serve(bytes, fit, cached)
    }

    /// Takes a block back that no work uses any more: for any use from now on. The work that was
    /// pending when [`Pool::allocate_async`] granted it is known and need not be done.
    ///
    /// # Panics
    ///
    /// If the block is another pool's.
    pub fn deallocate(&self, block: Block<P>) {
        match self.take_back(block) {
            Granted::Idle(idle) => {
                self.store(idle);
            }
            Granted::Fenced(fenced) => match fenced.settle() {
                Ok(idle) => {
                    self.store(idle);
                }
                Err(fenced) => self.cache.keep_fenced(fenced, &self.counters),
            },
        }
    }

    /// Takes a block back that work already queued on `stream` may use, and no other: for use
    /// on that stream from now on, and for any use when this work is done.
    ///
    /// # Panics
    ///
    /// If the block is another pool's.
    pub fn deallocate_async(&self, block: Block<P>, stream: &P::Stream) {
        let memory = self.take_back(block);
        // Threads that record at once may get their numbers in another order than their
        // events. Then a block is found idle later than it could be.
        let order = self.events.fetch_add(1, Relaxed);
        match stream.record() {
            Some(event) => {
                let fenced = memory.fence(stream.id(), event, order);
                let bytes = fenced.bytes();
                self.cache.keep_fenced(fenced, &self.counters);
                self.mind_limit(bytes);
            }
            // No event will tell when its work is done.
            None => self.counters.abandon(memory.bytes()),
        }
    }

    /// Looks which pending work is done, and keeps the memory that it used, or gives it back.
    /// Returns how many bytes were given back.
    ///
    /// Requests that find no idle block look for their own size, and deallocations look at
    /// all sizes now and then ([`Limits::cached_bytes`]), so this need not be called.
    pub fn reclaim(&self) -> u64 {
        let _turn = self.turn();
        self.reclaim_in_turn()
    }

    /// Gives free memory back, the largest blocks first, until the pool keeps no more than
    /// `keep` bytes; does not wait for pending work. Returns how many bytes were given back.
    pub fn trim(&self, keep: u64) -> u64 {
        let _turn = self.turn();
        let released = self.reclaim_in_turn();
        let surplus = self.stats().cached_bytes.saturating_sub(keep);
        released + self.release_idle(surplus)
    }

    /// Gives all free memory back, after the work that is pending on it. Returns how many
    /// bytes were given back.
    pub fn empty_cache(&self) -> u64 {
        let _turn = self.turn();
        self.give_back_done(u64::MAX) + self.give_back_pending(u64::MAX)
    }

    /// The counts of its operations, and the memory that it holds.
    pub fn stats(&self) -> Stats {
        self.counters.read()
    }

    /// Grants a cached block, or else one of the provider.
    fn serve(
        &self,
        requested: u64,
        fit: Fit,
        cached: Option<Granted<EventOf<P>>>,
    ) -> Result<Block<P>, P::Error> {
        let (memory, counter) = match cached {
            Some(memory) => (memory, &self.counters.hits),
            None => {
                let fresh = self.obtain(fit.block_bytes()).inspect_err(|_| {
                    self.counters.refused.fetch_add(1, Relaxed);
                })?;
                (Granted::Idle(fresh), &self.counters.misses)
            }
        };
        counter.fetch_add(1, Relaxed);
        self.counters.grant(memory.bytes(), requested);
        Ok(Block {
            memory,
            requested,
            pool: self.number,
        })
    }

    /// New memory. It is refused when the pool has none left that it could give back.
    fn obtain(&self, bytes: u64) -> Result<Idle, P::Error> {
        let mut result = self.try_obtain(bytes);
        let is_refused = |result: &Result<Idle, P::Error>| {
            let error = result.as_ref().err();
            error.is_some_and(P::is_exhausted)
        };
        if is_refused(&result) {
            let _turn = self.turn();
            // Twice as much each time: memory in many small blocks may be of little use.
            let mut wanted = bytes.max(PAGE);
            for _ in 0..MAX_ATTEMPTS {
                self.give_back(wanted);
                result = self.try_obtain(bytes);
                // Some that was given back is not free for this request, or others have
                // freed some since.
                if !is_refused(&result) || !self.counters.has_free() {
                    break;
                }
                wanted = wanted.saturating_mul(2);
            }
        }
        result
    }

    fn try_obtain(&self, bytes: u64) -> Result<Idle, P::Error> {
        let address = self.provider.obtain(bytes)?;
        self.counters.obtain(bytes);
        Ok(Idle::fresh(address, bytes))
    }

    /// Waits until no other thread gives back what it has not deallocated itself.
    fn turn(&self) -> MutexGuard<'_, ()> {
        let turn = self.giving_back.lock();
        turn.unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts what was freed on a stream, and makes the limit hold for what is done by now
    /// when that has become much.
    fn mind_limit(&self, bytes: u64) {
        let unseen = self.unseen.fetch_add(bytes, Relaxed).saturating_add(bytes);
        if unseen <= self.cache.limit() {
            return;
        }
        let _turn = match self.giving_back.try_lock() {
            Ok(turn) => turn,
            Err(TryLockError::Poisoned(turn)) => turn.into_inner(),
            // Another thread looks.
            Err(TryLockError::WouldBlock) => return,
        };
        self.unseen.store(0, Relaxed);
        self.reclaim_in_turn();
    }

    /// [`Pool::reclaim`], by the thread whose turn it is.
    fn reclaim_in_turn(&self) -> u64 {
        let settled = self.cache.take_settled(&self.counters);
        settled.into_iter().map(|idle| self.store(idle)).sum()
    }

    /// Gives so many bytes of free memory back, or what there is; returns how many. Work is
    /// waited for only if none of it is done.
    fn give_back(&self, bytes: u64) -> u64 {
        match self.give_back_done(bytes) {
            0 => self.give_back_pending(bytes),
            released => released,
        }
    }

    /// The same of memory that no work uses.
    fn give_back_done(&self, bytes: u64) -> u64 {
        let released = self.reclaim_in_turn();
        released + self.release_idle(bytes.saturating_sub(released))
    }

    /// The same of memory on which work is pending, which is waited for. Memory beyond `bytes` is
    /// kept.
    fn give_back_pending(&self, bytes: u64) -> u64 {
        let pending = self.cache.take_pending(&self.counters);
        let idle = pending.into_iter().filter_map(|fenced| self.wait(fenced));
        let released = idle.map(|idle| self.store(idle)).sum();
        released + self.release_idle(bytes.saturating_sub(released))
    }

    /// Gives idle memory back, the largest blocks first, until they have `bytes` together.
    fn release_idle(&self, bytes: u64) -> u64 {
        let blocks = self.cache.take_bytes(bytes, &self.counters);
        blocks.into_iter().map(|idle| self.release(idle)).sum()
    }

    /// The memory after the work on it, or nothing if the device has failed.
    fn wait(&self, fenced: Fenced<EventOf<P>>) -> Option<Idle> {
        let bytes = fenced.bytes();
        let idle = fenced.wait();
        if idle.is_none() {
            self.counters.abandon(bytes);
        }
        idle
    }

    /// The memory of a block that is no longer in use.
    fn take_back(&self, block: Block<P>) -> Granted<EventOf<P>> {
        assert_eq!(block.pool, self.number, "the block is another pool's");
        self.counters.take_back(block.bytes(), block.requested);
        block.memory
    }

    /// Keeps memory that no work uses, or gives it back if that were too much. Returns how
    /// many bytes were given back.
    fn store(&self, idle: Idle) -> u64 {
        match self.cache.keep(idle, &self.counters) {
            Ok(()) => 0,
            Err(idle) => self.release(idle),
        }
    }

    /// Gives memory back; returns how many bytes.
    fn release(&self, idle: Idle) -> u64 {
        let (address, bytes) = idle.into_parts();
        self.counters.release(bytes);
        // SAFETY: an `Idle` is made of what the provider gave, with its size, stands for all
        // of it once, and is memory that no work uses.
        unsafe { self.provider.release(address, bytes) };
        bytes
    }
}

impl<P: Provider> Drop for Pool<P> {
    fn drop(&mut self) {
        self.empty_cache();
    }
}
