//! Counts of a pool's operations, and of the memory that it holds.
//!
//! Invariant: each counter changes in one atomic step together with what it counts, so that
//! none is ever wrong by more than the operations under way; with none under way, `held` is
//! the sum of live, cached, pending and abandoned bytes.
//!
//! All accesses are relaxed: blocks pass between threads under the locks of the cache, and
//! nothing is read on the strength of a counter.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use serde::Serialize;

/// A moment of a pool. Exact as long as no operation is under way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// Requests that a block of the cache has served.
    pub hits: u64,
    /// Requests that the provider has served.
    pub misses: u64,
    /// Requests that failed.
    pub refused: u64,
    /// Blocks that were given back to the provider.
    pub released: u64,
    /// Blocks in use.
    pub live_blocks: u64,
    /// Their sizes together, in bytes.
    pub live_bytes: u64,
    /// Their requested sizes together, in bytes.
    pub requested_bytes: u64,
    /// Free memory that is kept, in bytes.
    pub cached_bytes: u64,
    /// Deallocated memory on which work was pending when it was last looked at, in bytes.
    pub pending_bytes: u64,
    /// Memory that is lost with a device that has failed, in bytes.
    pub abandoned_bytes: u64,
    /// All memory obtained from the provider and not given back, in bytes.
    pub held_bytes: u64,
    /// The most that `live_bytes` has been.
    pub live_high_water_bytes: u64,
    /// The most that `held_bytes` has been.
    pub held_high_water_bytes: u64,
}

impl Stats {
    /// The unused part of blocks in use: 0 where every block has the size requested, or there
    /// is none.
    pub fn internal_fragmentation(&self) -> f64 {
        match self.live_bytes {
            0 => 0.0,
            live => 1.0 - self.requested_bytes as f64 / live as f64,
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) hits: AtomicU64,
    pub(super) misses: AtomicU64,
    pub(super) refused: AtomicU64,
    pub(super) cached: AtomicU64,
    pub(super) pending: AtomicU64,
    released: AtomicU64,
    live_blocks: AtomicU64,
    live: AtomicU64,
    requested: AtomicU64,
    abandoned: AtomicU64,
    held: AtomicU64,
    live_high_water: AtomicU64,
    held_high_water: AtomicU64,
}

impl Counters {
    /// A block is in use from now on.
    pub(super) fn grant(&self, bytes: u64, requested: u64) {
        self.live_blocks.fetch_add(1, Relaxed);
        self.requested.fetch_add(requested, Relaxed);
        raise(&self.live, bytes, &self.live_high_water);
    }

    /// A block is no longer in use.
    pub(super) fn take_back(&self, bytes: u64, requested: u64) {
        self.live_blocks.fetch_sub(1, Relaxed);
        self.requested.fetch_sub(requested, Relaxed);
        self.live.fetch_sub(bytes, Relaxed);
    }

    /// The provider has given memory.
    pub(super) fn obtain(&self, bytes: u64) {
        raise(&self.held, bytes, &self.held_high_water);
    }

    /// The provider gets its memory back.
    pub(super) fn release(&self, bytes: u64) {
        self.released.fetch_add(1, Relaxed);
        self.held.fetch_sub(bytes, Relaxed);
    }

    /// Memory is lost.
    pub(super) fn abandon(&self, bytes: u64) {
        self.abandoned.fetch_add(bytes, Relaxed);
    }

    /// Counts free memory as kept, unless it were more than `limit` then.
    pub(super) fn admit(&self, bytes: u64, limit: u64) -> bool {
        let more = |cached: u64| cached.checked_add(bytes).filter(|&sum| sum <= limit);
        self.cached.fetch_update(Relaxed, Relaxed, more).is_ok()
    }

    /// Whether there is free memory, idle or pending.
    pub(super) fn has_free(&self) -> bool {
        self.cached.load(Relaxed) > 0 || self.pending.load(Relaxed) > 0
    }

    pub(super) fn read(&self) -> Stats {
        let of = |counter: &AtomicU64| counter.load(Relaxed);
        Stats {
            hits: of(&self.hits),
            misses: of(&self.misses),
            refused: of(&self.refused),
            released: of(&self.released),
            live_blocks: of(&self.live_blocks),
            live_bytes: of(&self.live),
            requested_bytes: of(&self.requested),
            cached_bytes: of(&self.cached),
            pending_bytes: of(&self.pending),
            abandoned_bytes: of(&self.abandoned),
            held_bytes: of(&self.held),
            live_high_water_bytes: of(&self.live_high_water),
            held_high_water_bytes: of(&self.held_high_water),
        }
    }
}

/// Adds to a counter, and to the most that it has been.
fn raise(counter: &AtomicU64, bytes: u64, high_water: &AtomicU64) {
    let now = counter.fetch_add(bytes, Relaxed) + bytes;
    // The usual case writes nothing. A value read too early is too small, and only makes
    // for a needless attempt.
    if now > high_water.load(Relaxed) {
        high_water.fetch_max(now, Relaxed);
    }
}
