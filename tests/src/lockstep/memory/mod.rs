//! The weak memory of a run: what a load may return is more than the last
//! store, and what is not ordered is a race.
//!
//! The model is that of C11 as repaired by Lahav and others 2017 (RC11), in operational form: each
//! word has its stores in modification order, a load returns one that the lane may still see,
//! chosen at random, and a release carries the lane's clock to lanes that acquire it. A fence turns
//! the relaxed accesses around it into releases and acquires. `sync` orders its lanes; votes and
//! shuffles order nothing. `SeqCst` is what PTX makes of it: a sequentially consistent fence in
//! front of the access.
//!
//! Real memory always holds the newest store, for readers after the run. A load never returns a
//! store that has not been made yet: load buffering, which PTX allows, is not in the model
//! (`docs/memory-model.md`).

mod clock;
mod location;
mod locations;
mod mapped;

use std::ops::Range;
use std::panic::Location as Site;
use std::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicU32, AtomicU64};

use cuda_std::schedule::{Access, Operation};

use super::failure::Fault;
use super::machine::id;
use super::orders::Orders;
use super::random::Random;
use clock::Clock;
use location::By;
use locations::{GRAIN, Locations};

/// The knowledge of a lane, as vector clocks.
struct View {
    /// The accesses that happen before its next action.
    clock: Clock,
    /// The accesses that would, had all its relaxed loads been acquires.
    pending: Clock,
    /// Its clock at its last release fence, which its relaxed stores carry.
    fenced: Option<Clock>,
}

/// A point in the course of a lane of a run over weak memory, between two of its
/// accesses.
#[derive(Clone, Debug)]
pub struct Moment {
    lane: u32,
    epoch: u32,
    clock: Clock,
    /// Moments that were asked for before: an epoch may have several of a lane.
    nth: u64,
}

impl Moment {
    /// Whether what its lane did up to here happens before what the other's does from
    /// `later` on.
    pub fn is_before(&self, later: &Self) -> bool {
        self.nth <= later.nth && later.clock.covers(self.lane, self.epoch)
    }
}

/// The memory of a run.
pub struct Memory {
    views: Vec<View>,
    locations: Locations,
    /// The accesses that happen before every sequentially consistent fence to come.
    fences: Clock,
    random: Random,
    /// One load in so many may return an older store.
    stale: u64,
    orders: Orders,
    /// Whether one lane is present. It sees its own stores in order and cannot race, so that real
    /// memory has all that it reads.
    is_alone: bool,
    moments: u64,
}

fn acquires(order: Ordering) -> bool {
    matches!(order, Acquire | AcqRel | SeqCst)
}

fn releases(order: Ordering) -> bool {
    matches!(order, Release | AcqRel | SeqCst)
}

/// Reads real memory.
fn read_real(address: usize, bytes: usize) -> u64 {
    // SAFETY: an atomic access of the caller's is at hand, whose word this is.
    unsafe {
        if bytes == 4 {
            AtomicU32::from_ptr(address as *mut u32)
                .load(Relaxed)
                .into()
        } else {
            AtomicU64::from_ptr(address as *mut u64).load(Relaxed)
        }
    }
}

/// Writes real memory.
fn write_real(address: usize, bytes: usize, value: u64) {
    // SAFETY: as above.
    unsafe {
        if bytes == 4 {
            AtomicU32::from_ptr(address as *mut u32).store(value as u32, Relaxed);
        } else {
            AtomicU64::from_ptr(address as *mut u64).store(value, Relaxed);
        }
    }
}

/// The value that a read-modify-write stores over `before`, if it stores one.
fn modified(operation: Operation, before: u64, bytes: usize) -> Option<u64> {
    let value = match operation {
        Operation::Swap(value) => value,
        Operation::Add(value) => before.wrapping_add(value),
        Operation::And(value) => before & value,
        Operation::Or(value) => before | value,
        Operation::Min(value) => before.min(value),
        Operation::Max(value) => before.max(value),
        Operation::CompareExchange { current, new } if before == current => new,
        _ => return None,
    };
    Some(if bytes == 4 {
        value as u32 as u64
    } else {
        value
    })
}

impl Memory {
    /// The memory of `lanes` lanes, all of whose values come from `seed`. Only lanes that are
    /// `present` access it.
    pub fn new(lanes: u32, present: &Range<u32>, seed: u64) -> Self {
        let mut random = Random::new(seed ^ 0x6d65_6d6f_7279);
        let nothing = Clock::new(lanes);
        let view = |lane| {
            let mut clock = nothing.clone();
            // Stores from before the run have epoch 0, and every lane knows them.
            if present.contains(&lane) {
                clock.advance(lane);
            }
            View {
                clock,
                pending: nothing.clone(),
                fenced: None,
            }
        };
        Self {
            views: (0..lanes).map(view).collect(),
            locations: Locations::new(),
            fences: nothing.clone(),
            stale: random.choose(&[1, 2, 4, 16]),
            random,
            orders: Orders::of_this_thread(),
            is_alone: present.len() == 1,
            moments: 0,
        }
    }

    /// Performs an access of `lane`: what an atomic one returns, if this performed it, or the race
    /// that it is part of.
    pub fn access(&mut self, lane: u32, access: &Access) -> Result<Option<u64>, Fault> {
        let order = self.orders.of(access);
        match access.operation {
            Operation::Fence if self.is_alone => Ok(Some(0)),
            _ if self.is_alone => match self.locations.has(access.address) {
                true => Ok(None),
                false => Err(wild(self.by(lane, access.site))),
            },
            Operation::Fence => {
                self.fence(lane, order);
                Ok(Some(0))
            }
            Operation::PlainRead | Operation::PlainWrite => {
                self.plain(lane, access).map(|()| Some(0))
            }
            _ => {
                if order == SeqCst {
                    self.fence(lane, SeqCst);
                }
                self.atomic(lane, access, order).map(Some)
            }
        }
    }

    /// Where a lane is.
    pub fn moment(&mut self, lane: u32) -> Moment {
        self.moments += 1;
        let clock = self.views[lane as usize].clock.clone();
        Moment {
            lane,
            epoch: clock.epoch(lane),
            clock,
            nth: self.moments,
        }
    }

    fn by(&self, lane: u32, site: &'static Site<'static>) -> By {
        let epoch = self.views[lane as usize].clock.epoch(lane);
        By { lane, epoch, site }
    }

    fn fence(&mut self, lane: u32, order: Ordering) {
        let view = &mut self.views[lane as usize];
        if acquires(order) {
            view.clock.join(&view.pending);
        }
        if order == SeqCst {
            view.clock.join(&self.fences);
            self.fences.join(&view.clock);
        }
        if releases(order) {
            view.fenced = Some(view.clock.clone());
            view.clock.advance(lane);
        }
    }

    fn atomic(&mut self, lane: u32, access: &Access, order: Ordering) -> Result<u64, Fault> {
        let by = self.by(lane, access.site);
        let is_stale = self.random.one_in(self.stale);
        let is_inserted = is_stale && self.random.one_in(4);
        let view = &mut self.views[lane as usize];
        let Some(location) = self.locations.at(access.address) else {
            return Err(wild(by));
        };
        if let Some(other) = location.race_with_write(&view.clock) {
            return Err(race(access.address, other, by));
        }
        location.refresh(read_real(access.address, access.bytes));
        if let Operation::Store(value) = access.operation {
            let message = if releases(order) {
                Some(view.clock.clone())
            } else {
                view.fenced.clone()
            };
            let random = &mut self.random;
            let is_old =
                is_inserted && location.insert(by, &view.clock, value, message.as_ref(), random);
            if !is_old {
                location.push(by, value, message, false);
                write_real(access.address, access.bytes, value);
            }
            if releases(order) {
                view.clock.advance(lane);
            }
            return Ok(0);
        }
        let index = if access.operation == Operation::Load {
            location.read(&view.clock, is_stale, &mut self.random)
        } else {
            location.read_to_modify(&view.clock, is_inserted, &mut self.random)
        };
        location.see(by, index);
        let store = location.store(index);
        let before = store.value;
        if let Some(message) = &store.message {
            // Accesses in the clock need not be pending too.
            if acquires(order) {
                view.clock.join(message);
            } else {
                view.pending.join(message);
            }
        }
        if let Some(value) = modified(access.operation, before, access.bytes) {
            let inherited = store.message.clone();
            let own = if releases(order) {
                Some(view.clock.clone())
            } else {
                view.fenced.clone()
            };
            // The release sequence of what was read goes on.
            let message = match (own, inherited) {
                (Some(mut own), Some(inherited)) => {
                    own.join(&inherited);
                    Some(own)
                }
                (own, inherited) => own.or(inherited),
            };
            if location.follow(by, index, value, message) {
                write_real(access.address, access.bytes, value);
            }
            if releases(order) {
                view.clock.advance(lane);
            }
        }
        Ok(before)
    }

    fn plain(&mut self, lane: u32, access: &Access) -> Result<(), Fault> {
        let by = self.by(lane, access.site);
        let clock = &self.views[lane as usize].clock;
        let first = access.address / GRAIN * GRAIN;
        for address in (first..access.address + access.bytes).step_by(GRAIN) {
            let Some(location) = self.locations.at(address) else {
                return Err(wild(by));
            };
            let writes = access.operation == Operation::PlainWrite;
            let other = if writes {
                location.race_with_any(clock)
            } else {
                location.race_with_write(clock)
            };
            if let Some(other) = other {
                return Err(race(address, other, by));
            }
            if writes {
                location.plain_write(by);
            } else {
                location.plain_read(by);
            }
        }
        Ok(())
    }

    /// Orders the accesses of lanes that meet in `sync`.
    pub fn meet(&mut self, lanes: impl Iterator<Item = u32> + Clone, site: &'static Site<'static>) {
        if !self.orders.keeps_sync(site) {
            return;
        }
        let mut all = Clock::new(self.views.len() as u32);
        for lane in lanes.clone() {
            all.join(&self.views[lane as usize].clock);
        }
        for lane in lanes {
            let view = &mut self.views[lane as usize];
            view.clock = all.clone();
            view.clock.advance(lane);
        }
    }
}

fn wild(by: By) -> Fault {
    Fault::Wild {
        lane: id(by.lane),
        site: by.site,
    }
}

fn race(address: usize, first: By, second: By) -> Fault {
    Fault::Race {
        address,
        first: id(first.lane),
        first_site: first.site,
        second: id(second.lane),
        second_site: second.site,
    }
}
