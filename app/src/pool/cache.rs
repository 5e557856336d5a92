//! The free blocks of all sizes, under a lock a class and one for all large blocks.
//!
//! Threads that ask for different sizes do not meet. The provider is never called under a
//! lock: what is to be given back is taken out first.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::memory::{Fenced, Granted, Idle};
use super::provider::Event;
use super::shelf::Shelf;
use super::size_class::{CLASSES, Fit};
use super::stats::Counters;

#[derive(Debug)]
pub(super) struct Cache<E> {
    classes: [Class<E>; CLASSES],
    /// By size; none that is empty.
    large: Mutex<BTreeMap<u64, Shelf<E>>>,
    /// The most that idle blocks may hold, in bytes.
    limit: u64,
}

/// A class on cache lines of its own; processors fetch two lines at a time.
#[derive(Debug)]
#[repr(align(128))]
struct Class<E>(Mutex<Shelf<E>>);

impl<E: Event> Cache<E> {
    pub(super) fn new(limit: u64) -> Self {
        Self {
            classes: std::array::from_fn(|_| Class(Mutex::default())),
            large: Mutex::default(),
            limit,
        }
    }

    /// The most that idle blocks may hold, in bytes.
    pub(super) fn limit(&self) -> u64 {
        self.limit
    }

    /// Takes a block that no work uses.
    pub(super) fn take_idle(&self, fit: Fit, counters: &Counters) -> Option<Idle> {
        self.take(fit, |shelf| shelf.take_idle(counters))
    }

    /// Takes a block for use behind what is queued on a stream.
    pub(super) fn take_on(&self, fit: Fit, stream: u64, counters: &Counters) -> Option<Granted<E>> {
        self.take(fit, |shelf| shelf.take_on(stream, counters))
    }

    /// Keeps a block that no work uses, or hands it back if that were too much.
    pub(super) fn keep(&self, idle: Idle, counters: &Counters) -> Result<(), Idle> {
        if !counters.admit(idle.bytes(), self.limit) {
            return Err(idle);
        }
        self.of_block(idle.bytes(), |shelf| shelf.push_idle(idle));
        Ok(())
    }

    /// Keeps a block on which work may be pending.
    pub(super) fn keep_fenced(&self, fenced: Fenced<E>, counters: &Counters) {
        self.of_block(fenced.bytes(), |shelf| shelf.push_fenced(fenced, counters));
    }

    /// Takes every pending block whose work is done.
    pub(super) fn take_settled(&self, counters: &Counters) -> Vec<Idle> {
        let mut settled = Vec::new();
        self.each(|shelf| {
            settled.extend(shelf.take_settled(counters));
            true
        });
        settled
    }

    /// Takes idle blocks, the largest first, until they have `bytes` together.
    pub(super) fn take_bytes(&self, bytes: u64, counters: &Counters) -> Vec<Idle> {
        let (mut taken, mut sum) = (Vec::new(), 0);
        self.each(|shelf| {
            while sum < bytes
                && let Some(idle) = shelf.pop_idle(counters)
            {
                sum += idle.bytes();
                taken.push(idle);
            }
            sum < bytes
        });
        taken
    }

    /// Takes every pending block, whether or not its work is done.
    pub(super) fn take_pending(&self, counters: &Counters) -> Vec<Fenced<E>> {
        let mut taken = Vec::new();
        self.each(|shelf| {
            taken.extend(shelf.take_pending(counters));
            true
        });
        taken
    }

    /// Takes a block from the first shelf that fits and has one.
    fn take<Block>(
        &self,
        fit: Fit,
        mut from: impl FnMut(&mut Shelf<E>) -> Option<Block>,
    ) -> Option<Block> {
        match fit {
            Fit::Class { class, .. } => from(&mut lock(&self.classes[class].0)),
            Fit::Large { bytes, most } => {
                let mut large = lock(&self.large);
                let mut shelves = large.range_mut(bytes..=most.max(bytes));
                let (size, block) =
                    shelves.find_map(|(&size, shelf)| Some((size, from(shelf)?)))?;
                if large.get(&size).is_some_and(Shelf::is_empty) {
                    large.remove(&size);
                }
                Some(block)
            }
        }
    }

    /// Visits the shelf of blocks of this size, to put one there.
    fn of_block(&self, bytes: u64, visit: impl FnOnce(&mut Shelf<E>)) {
        match Fit::of(bytes) {
            Fit::Class { class, .. } => visit(&mut lock(&self.classes[class].0)),
            Fit::Large { .. } => visit(lock(&self.large).entry(bytes).or_default()),
        }
    }

    /// Visits all shelves, those of the largest blocks first, as long as `visit` returns true.
    fn each(&self, mut visit: impl FnMut(&mut Shelf<E>) -> bool) {
        let goes_on = {
            let mut large = lock(&self.large);
            let goes_on = large.values_mut().rev().all(&mut visit);
            large.retain(|_, shelf| !shelf.is_empty());
            goes_on
        };
        let mut classes = self.classes.iter().rev();
        let _ = goes_on && classes.all(|class| visit(&mut lock(&class.0)));
    }
}

/// A panic of a provider's event under the lock leaves the blocks as they are.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
