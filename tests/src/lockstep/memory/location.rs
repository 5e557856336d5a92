//! The history of a word: the stores to it in modification order, and which
//! lane is known to have seen which of them.
//!
//! A load may return any store that is not older, in modification order, than
//! one that the lane or anything that happens before it has written or read
//! (coherence). A store may go anywhere behind that one, but not between a
//! read-modify-write and what it read. Histories are short: of old stores the
//! oldest are forgotten, so that fewer of the allowed values are tried, and
//! never one that is not allowed.

use std::collections::VecDeque;
use std::iter;
use std::panic::Location as Site;

use super::clock::Clock;
use crate::lockstep::random::Random;

/// Stores that are remembered of a word.
const DEPTH: usize = 12;
/// Distance of the stamps of successive stores: leaves room for 2^32 between.
const STEP: u64 = 1 << 32;

/// A store.
pub struct Store {
    /// Its position in modification order.
    stamp: u64,
    /// The value that it wrote.
    pub value: u64,
    /// The clock of the accesses that happen before an access that acquires this store.
    pub message: Option<Clock>,
    /// Whether it is a read-modify-write that read the store before.
    follows: bool,
}

/// An access by a lane, in an epoch of it.
#[derive(Clone, Copy)]
pub struct By {
    /// The lane.
    pub lane: u32,
    /// Its epoch.
    pub epoch: u32,
    /// The call.
    pub site: &'static Site<'static>,
}

/// The bit of a lane in [`Location::lanes`].
fn bit(lane: u32) -> u64 {
    1 << (lane % 64)
}

/// The history of a word, or of four bytes that are accessed plainly.
#[derive(Default)]
pub struct Location {
    stores: VecDeque<Store>,
    /// The accesses that have read or written a store, with the store's stamp.
    seen: Vec<(By, u64)>,
    /// The bits of the lanes that may be among these, modulo 64: most that are not are known at once.
    lanes: u64,
    /// A lower bound of their stamps: most stores leave no record that counts no more.
    least: u64,
    /// The last plain write, and the plain reads since: mostly of one lane, which takes no memory of
    /// its own.
    written: Option<By>,
    read: Option<By>,
    read_by_others: Vec<By>,
}

impl Location {
    /// Makes sure that the newest store is what memory holds.
    pub fn refresh(&mut self, value: u64) {
        if self
            .stores
            .back()
            .is_some_and(|newest| newest.value == value)
        {
            return;
        }
        // The first access of a run, or the first after plain writes.
        self.stores.clear();
        self.seen.clear();
        (self.lanes, self.least) = (0, u64::MAX);
        self.stores.push_back(Store {
            stamp: STEP,
            value,
            message: None,
            follows: false,
        });
    }

    /// The newest store. There is one after `refresh`.
    pub fn newest(&self) -> &Store {
        &self.stores[self.stores.len() - 1]
    }

    /// The index of the oldest store that a lane with this clock may return.
    fn floor(&self, clock: &Clock) -> usize {
        // The last ones mostly have the greatest stamps: then few epochs are compared.
        let newest = self.newest().stamp;
        let mut stamp = 0;
        for (by, other) in self.seen.iter().rev() {
            if *other > stamp && clock.covers(by.lane, by.epoch) {
                stamp = *other;
                if stamp == newest {
                    return self.stores.len() - 1;
                }
            }
        }
        self.stores.partition_point(|store| store.stamp < stamp)
    }

    fn note(&mut self, by: By, stamp: u64) {
        // Positions of a lane only grow: its last entry is the one that counts.
        let is_known = || {
            let mut last = self.seen.iter().rev();
            let last = last.find(|(other, _)| other.lane == by.lane);
            last.is_some_and(|(_, known)| *known >= stamp)
        };
        if self.lanes & bit(by.lane) == 0 || !is_known() {
            self.seen.push((by, stamp));
            self.lanes |= bit(by.lane);
            self.least = self.least.min(stamp);
        }
    }

    /// The index of the store that a load returns: the newest, or an older one that
    /// the lane may still see.
    pub fn read(&self, clock: &Clock, is_stale: bool, random: &mut Random) -> usize {
        let newest = self.stores.len() - 1;
        if !is_stale || newest == 0 {
            return newest;
        }
        let floor = self.floor(clock);
        // The oldest is what programs expect least.
        if random.one_in(2) {
            floor
        } else {
            floor + random.below((newest - floor) as u64 + 1) as usize
        }
    }

    /// The store that a read-modify-write reads: the newest, or an older one that the lane may
    /// still see and that no other read-modify-write has read. Its own store goes behind that one,
    /// by `follow`.
    pub fn read_to_modify(&self, clock: &Clock, is_stale: bool, random: &mut Random) -> usize {
        let newest = self.stores.len() - 1;
        if !is_stale || newest == 0 {
            return newest;
        }
        let floor = self.floor(clock);
        let index = floor + random.below((newest - floor) as u64 + 1) as usize;
        let is_taken = |index: usize| {
            let next = self.stores.get(index + 1);
            next.is_some_and(|next| next.follows || next.stamp - self.stores[index].stamp < 2)
        };
        if is_taken(index) { newest } else { index }
    }

    /// The store at an index.
    pub fn store(&self, index: usize) -> &Store {
        &self.stores[index]
    }

    /// Notes that a lane has read the store at an index.
    pub fn see(&mut self, by: By, index: usize) {
        let stamp = self.stores[index].stamp;
        self.note(by, stamp);
    }

    /// Writes behind the store at `index`, which was read to be modified; whether
    /// the new store is the newest.
    pub fn follow(&mut self, by: By, index: usize, value: u64, message: Option<Clock>) -> bool {
        let Some(behind) = self.stores.get(index + 1) else {
            self.push(by, value, message, true);
            return true;
        };
        let before = self.stores[index].stamp;
        let stamp = before + (behind.stamp - before) / 2;
        let store = Store {
            stamp,
            value,
            message,
            follows: true,
        };
        self.stores.insert(index + 1, store);
        self.note(by, stamp);
        false
    }

    /// Appends a store.
    pub fn push(&mut self, by: By, value: u64, message: Option<Clock>, follows: bool) {
        let stamp = self.newest().stamp + STEP;
        self.stores.push_back(Store {
            stamp,
            value,
            message,
            follows,
        });
        self.note(by, stamp);
        while self.stores.len() > DEPTH {
            self.stores.pop_front();
        }
        // A record that a lane has seen the oldest store excludes no store from its loads.
        let oldest = self.stores[0].stamp;
        if self.least > oldest {
            return;
        }
        (self.lanes, self.least) = (0, u64::MAX);
        self.seen.retain(|(by, stamp)| {
            let counts = *stamp > oldest;
            if counts {
                self.lanes |= bit(by.lane);
                self.least = self.least.min(*stamp);
            }
            counts
        });
    }

    /// Puts a store in front of one that is there, where it may go there; false
    /// if it may not, and nothing is done.
    pub fn insert(
        &mut self,
        by: By,
        clock: &Clock,
        value: u64,
        message: Option<&Clock>,
        random: &mut Random,
    ) -> bool {
        let floor = self.floor(clock);
        let newest = self.stores.len() - 1;
        if floor == newest {
            return false;
        }
        let index = floor + 1 + random.below((newest - floor) as u64) as usize;
        let (before, behind) = (self.stores[index - 1].stamp, &self.stores[index]);
        let stamp = before + (behind.stamp - before) / 2;
        if behind.follows || stamp == before {
            return false;
        }
        let message = message.cloned();
        self.stores.insert(
            index,
            Store {
                stamp,
                value,
                message,
                follows: false,
            },
        );
        self.note(by, stamp);
        true
    }

    /// An access that is not ordered with the last plain write.
    pub fn race_with_write(&self, clock: &Clock) -> Option<By> {
        self.written.filter(|by| !clock.covers(by.lane, by.epoch))
    }

    /// An access that is not ordered with a plain write that comes now.
    pub fn race_with_any(&self, clock: &Clock) -> Option<By> {
        let atomic = self.seen.iter().map(|(by, _)| by);
        let read = self.read.iter().chain(&self.read_by_others);
        let mut others = read.chain(atomic);
        let race = others.find(|by| !clock.covers(by.lane, by.epoch));
        self.race_with_write(clock).or(race.copied())
    }

    /// Notes a plain read.
    pub fn plain_read(&mut self, by: By) {
        let first = self.read.get_or_insert(by);
        let mut read = iter::once(first).chain(&mut self.read_by_others);
        match read.find(|other| other.lane == by.lane) {
            Some(other) => *other = by,
            None => self.read_by_others.push(by),
        }
    }

    /// Notes a plain write, which ends the history.
    pub fn plain_write(&mut self, by: By) {
        self.stores.clear();
        self.seen.clear();
        (self.lanes, self.least) = (0, u64::MAX);
        self.read = None;
        self.read_by_others.clear();
        self.written = Some(by);
    }
}
