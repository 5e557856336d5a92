//! The free blocks of one size.
//!
//! Idle blocks serve any request, the last one freed first. Pending ones wait by the stream
//! of their latest work. Work of a stream is done in order, so of each stream only the blocks
//! freed first are looked at, up to one that is not done: a look costs as many queries as
//! there are streams and blocks that have become idle. A block that waits for several streams
//! waits by each in turn.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::Ordering::Relaxed;

use super::memory::{Fenced, Granted, Idle};
use super::provider::Event;
use super::stats::Counters;

/// The free blocks of one size. The counters of cached and of pending memory are kept here.
#[derive(Debug)]
pub(super) struct Shelf<E> {
    idle: Vec<Idle>,
    /// By stream, none without a block, each in the order of its latest work.
    pending: BTreeMap<u64, VecDeque<Fenced<E>>>,
}

impl<E> Default for Shelf<E> {
    fn default() -> Self {
        Self {
            idle: Vec::new(),
            pending: BTreeMap::new(),
        }
    }
}

impl<E: Event> Shelf<E> {
    /// Whether there is no block at all.
    pub(super) fn is_empty(&self) -> bool {
        self.idle.is_empty() && self.pending.is_empty()
    }

    /// Adds a block, which was counted as cached.
    pub(super) fn push_idle(&mut self, idle: Idle) {
        self.idle.push(idle);
    }

    /// Adds a block on which work may be pending.
    pub(super) fn push_fenced(&mut self, fenced: Fenced<E>, counters: &Counters) {
        counters.pending.fetch_add(fenced.bytes(), Relaxed);
        self.enqueue(fenced);
    }

    /// Takes an idle block, without a look at pending ones.
    pub(super) fn pop_idle(&mut self, counters: &Counters) -> Option<Idle> {
        let idle = self.idle.pop()?;
        counters.cached.fetch_sub(idle.bytes(), Relaxed);
        Some(idle)
    }

    /// Takes a block that no work uses.
    pub(super) fn take_idle(&mut self, counters: &Counters) -> Option<Idle> {
        let idle = self.pop_idle(counters);
        idle.or_else(|| {
            let mut streams = self.streams().into_iter();
            streams.find_map(|stream| self.settle_front(stream, counters))
        })
    }

    /// Takes a block for use behind what is queued on a stream: its own before others.
    pub(super) fn take_on(&mut self, stream: u64, counters: &Counters) -> Option<Granted<E>> {
        let own = self.pop_own(stream, counters).map(Granted::Fenced);
        own.or_else(|| self.take_idle(counters).map(Granted::Idle))
    }

    /// Takes the blocks whose pending work is done.
    pub(super) fn take_settled(&mut self, counters: &Counters) -> Vec<Idle> {
        let mut settled = Vec::new();
        for stream in self.streams() {
            let blocks = std::iter::from_fn(|| self.settle_front(stream, counters));
            settled.extend(blocks);
        }
        settled
    }

    /// Takes every pending block, whether or not its work is done.
    pub(super) fn take_pending(&mut self, counters: &Counters) -> Vec<Fenced<E>> {
        let pending = std::mem::take(&mut self.pending);
        let blocks: Vec<_> = pending.into_values().flatten().collect();
        let bytes = blocks.iter().map(Fenced::bytes).sum();
        counters.pending.fetch_sub(bytes, Relaxed);
        blocks
    }

    /// The streams with pending blocks.
    fn streams(&self) -> Vec<u64> {
        self.pending.keys().copied().collect()
    }

    fn enqueue(&mut self, fenced: Fenced<E>) {
        let queue = self.pending.entry(fenced.stream()).or_default();
        // Last, unless it was granted pending and has come back unused.
        let position = queue.partition_point(|other| other.order() < fenced.order());
        queue.insert(position, fenced);
    }

    /// Takes the first block of a stream's queue if its work is done.
    fn settle_front(&mut self, stream: u64, counters: &Counters) -> Option<Idle> {
        loop {
            let settled = self.pending.get_mut(&stream)?.pop_front()?.settle();
            self.forget_if_empty(stream);
            match settled {
                Ok(idle) => {
                    counters.pending.fetch_sub(idle.bytes(), Relaxed);
                    return Some(idle);
                }
                Err(fenced) => {
                    let is_first = fenced.stream() == stream;
                    self.enqueue(fenced);
                    if is_first {
                        return None;
                    }
                }
            }
        }
    }

    /// Takes the block freed last of those whose work is all on this stream.
    fn pop_own(&mut self, stream: u64, counters: &Counters) -> Option<Fenced<E>> {
        let queue = self.pending.get_mut(&stream)?;
        let last = queue.iter().rposition(|block| block.is_only_on(stream))?;
        let fenced = queue.remove(last)?;
        self.forget_if_empty(stream);
        counters.pending.fetch_sub(fenced.bytes(), Relaxed);
        Some(fenced)
    }

    fn forget_if_empty(&mut self, stream: u64) {
        if self.pending.get(&stream).is_some_and(VecDeque::is_empty) {
            self.pending.remove(&stream);
        }
    }
}
