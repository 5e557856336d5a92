//! Where a request begins to search, and how far it goes: tickets, cursors and notes. All of
//! these are hints, which at worst make it search in vain.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU32;

use super::heap::{Circular, Offsets};
use super::index::Span;
use super::layout::{HINT_BYTES, LATEST_PLACE, PLACES, TICKET_BYTES};
use super::links::{Links, Unit};
use super::search;
use crate::simt::Warp;

/// A hint with this bit records that no run was found of the number of units in
/// its other bits. Without it the hint is a cursor: its low bits are the unit of the
/// region where to start, and those above a tag of the thread that wrote it.
pub(super) const NO_FIT: u32 = 1 << 31;
/// A chunk that is no more than this part of a region, as a power of two, is small.
const SMALL_BITS: u32 = 5;
/// 2^32 divided by the golden ratio: successive tickets fall into regions that
/// are spread as evenly as can be, for any number of regions.
const GOLDEN: u32 = 0x9e37_79b9;

/// The logarithm of how many requests of a processor in turn start in one region.
///
/// Regions are spread for the threads of a GPU, which make thousands of requests
/// at the same time. A worker of the CPU makes one after the other and reads what
/// it got in that order: blocks of a region share pages and cache lines, while
/// one block each in thousands of regions took PageRank nine times as long.
const fn ticket_bits<W: Warp>() -> u32 {
    if W::IS_SOLO { 8 } else { 0 }
}

/// A place beyond the nursery where requests begin.
///
/// Invariant: there is a word for it behind the last ticket.
#[derive(Clone, Copy)]
pub(super) struct Place(u32);

impl Place {
    /// That of all warps together.
    pub(super) const LATEST: Self = Self(LATEST_PLACE);

    /// That of this warp.
    #[inline(always)]
    pub(super) fn of_warp<W: Warp>(warp: W) -> Self {
        Self(warp.warp() & (PLACES - 1))
    }

    /// The place whose warps are led to this region, to come apart from others. Neighbouring
    /// regions are those of different places, and so are regions far from each other.
    #[inline(always)]
    pub(super) fn led_to(region: u32) -> Self {
        Self(region.wrapping_mul(GOLDEN) >> (u32::BITS - PLACES.ilog2()))
    }
}

impl<L: Links, O: Offsets> Circular<L, O> {
    /// The hint of the region that a unit is in.
    #[inline(always)]
    fn hint_of(&self, unit: Unit) -> &AtomicU32 {
        // SAFETY: the region of a unit of the heap is one of its regions.
        unsafe { self.hint(self.region_of(unit.number())) }
    }

    /// The hint of a region; see `NO_FIT`.
    ///
    /// # Safety
    ///
    /// `region` is below the number of regions.
    #[inline(always)]
    pub(super) unsafe fn hint(&self, region: u32) -> &AtomicU32 {
        // SAFETY: the layout has an aligned word for each region, and the region is one of them.
        unsafe { &*self.hints.add(region as usize * HINT_BYTES as usize).cast() }
    }

    /// Makes the free chunk at `unit` the one where the next walk in its region starts.
    ///
    /// A walker that found nothing in the region replaces the cursor that it saw
    /// by `NO_FIT`. If the chunk came free in between, it must fail to, although
    /// the cursor may have been the same unit before: hence the tag, in which
    /// threads differ. Without it, regions of one chunk each were lost one by
    /// one, and requests of a region took a millisecond.
    #[inline(always)]
    pub(super) fn leave_cursor<W: Warp>(&self, warp: W, unit: Unit) {
        let inside = self.layout.region_units - 1;
        let tag = warp.thread().wrapping_mul(GOLDEN) & !inside & !NO_FIT;
        self.hint_of(unit)
            .store(tag | unit.number() & inside, Relaxed);
    }

    /// As [`Self::leave_cursor`] for a chunk that comes free, up to `end`, maybe merged with
    /// others, unless walks had better go on where they are.
    ///
    /// A cursor is at what the last request in the region has left, which is mostly the
    /// largest chunk there. Where frees are as frequent as requests, and blocks small, the walk
    /// would begin at a hole among hundreds of used blocks each time. A chunk left aside now is
    /// found when the walk comes round, and merged with its neighbours by then.
    #[inline(always)]
    pub(super) fn leave_freed<W: Warp>(&self, warp: W, unit: Unit, end: u32, is_merged: bool) {
        let length = end.wrapping_sub(unit.number());
        // Relaxed: a hint.
        let hint = self.hint_of(unit).load(Relaxed);
        // Free chunks that lie side by side may make up what was not found.
        let may_fit = hint & NO_FIT != 0 && (is_merged || length >= hint ^ NO_FIT);
        if may_fit || self.exceeds_part(length, SMALL_BITS) {
            self.leave_cursor(warp, unit);
        }
    }

    /// Ticket counter `index`; behind the last, the words of [`Self::beyond`].
    ///
    /// # Safety
    ///
    /// `index` is at most the number of tickets and [`Place::LATEST`] together.
    #[inline(always)]
    pub(super) unsafe fn ticket(&self, index: u32) -> &AtomicU32 {
        let slot = self.layout.first_ticket as usize + index as usize;
        // SAFETY: the layout has these words behind the hints: one for each ticket and each place.
        unsafe { &*self.hints.add(slot * TICKET_BYTES as usize).cast() }
    }

    /// Whether small requests start in a part of the pool only.
    #[inline(always)]
    pub(super) fn has_nursery(&self) -> bool {
        self.layout.beyond != 0
    }

    /// The word of a place.
    #[inline(always)]
    fn word_of(&self, place: Place) -> &AtomicU32 {
        // SAFETY: a place is one of the words behind the last ticket.
        unsafe { self.ticket(self.layout.tickets + place.0) }
    }

    /// A place beyond the nursery: the region where the last request ended that began there
    /// and was large or had left the nursery, or one that such a request has left to others.
    #[inline(always)]
    pub(super) fn beyond(&self, place: Place) -> u32 {
        // Relaxed, here and below: hints.
        self.word_of(place).load(Relaxed)
    }

    /// Records where requests of a place are to begin.
    ///
    /// Never in the nursery, where the index may have found the last: those that follow would
    /// search among small blocks, in vain.
    ///
    /// # Safety
    ///
    /// `region` is below the number of regions: requests begin there.
    #[inline(always)]
    pub(super) unsafe fn leave_beyond(&self, place: Place, region: u32) {
        if region >= self.layout.beyond {
            self.word_of(place).store(region, Relaxed);
        }
    }

    /// Makes requests of all places begin at the first region beyond the nursery.
    #[inline(always)]
    pub(super) fn reset_places(&self) {
        let mut place = 0;
        while place <= LATEST_PLACE {
            self.word_of(Place(place))
                .store(self.layout.beyond, Relaxed);
            place += 1;
        }
    }

    /// The least units that the index has refused since it last found as many or more.
    #[inline(always)]
    pub(super) fn scarce(&self) -> &AtomicU32 {
        let slot = self.layout.first_ticket + self.layout.tickets;
        let offset = u64::from(slot) * TICKET_BYTES + 4;
        // SAFETY: the sector of the first place has room for eight words.
        unsafe { &*self.hints.add(offset as usize).cast() }
    }

    /// Whether so many units were refused lately: a walk that has found none nearby had
    /// better leave it to the index.
    #[inline(always)]
    pub(super) fn is_scarce(&self, wanted: u32) -> bool {
        // Relaxed: how far to go, nothing more.
        wanted >= self.scarce().load(Relaxed)
    }

    /// Records the outcome of a search of the index. Stores nothing that is recorded
    /// already: all requests that are refused meet here.
    #[inline(always)]
    pub(super) fn leave_scarce(&self, wanted: u32, is_refused: bool) {
        if self.is_scarce(wanted) != is_refused {
            let least = if is_refused { wanted } else { u32::MAX };
            self.scarce().store(least, Relaxed);
        }
    }

    /// The region where a request starts.
    #[inline(always)]
    pub(super) fn start<W: Warp>(&self, warp: W, wanted: u32) -> u32 {
        // SAFETY: `index` is below the number of tickets, at least one.
        unsafe {
            if self.is_large(wanted) {
                return self.beyond(Place::of_warp(warp));
            }
            let index = if O::MULTI {
                let processor = warp.processor();
                if processor < self.layout.tickets {
                    processor
                } else {
                    0
                }
            } else {
                0
            };
            // Relaxed: a ticket is a hint.
            let ticket = self.ticket(index).fetch_add(1, Relaxed);
            let ticket = ticket >> ticket_bits::<W>();
            let turn = ticket.wrapping_mul(self.layout.tickets).wrapping_add(index);
            let position = turn.wrapping_mul(GOLDEN);
            ((u64::from(position) * u64::from(self.layout.nursery)) >> 32) as u32
        }
    }

    /// A chunk of at least `wanted` units that the index knows of: its first unit and its end;
    /// the end is 0 if there is none.
    ///
    /// # Safety
    ///
    /// `wanted` is not 0.
    #[inline(always)]
    pub(super) unsafe fn search<W: Warp>(&self, warp: W, wanted: u32) -> (u32, u32) {
        // SAFETY: the search gets the links and the index of this heap. Of the spans, one is a number
        // that a cursor holds. The first region beyond the nursery has units, and a chunk one at least.
        unsafe {
            let index = self.index();
            // In the nursery there is hardly a long run, and notes about it do not count for
            // long: half of the map would be read first.
            let least = if self.is_large(wanted) {
                index.span_of(Unit::new(self.layout.beyond << self.layout.region_bits))
            } else {
                Span::FIRST
            };
            let own = index.cursor(warp, least);
            let cursor = index.cursor_at(own);
            // Relaxed: a hint.
            let noted = Span::new(cursor.load(Relaxed));
            let first = if noted.number() < least.number() {
                own
            } else {
                noted
            };
            let (unit, end) = search::call(warp, self.links, index, wanted, first);
            if end != 0 {
                cursor.store(index.span_of(Unit::new(unit)).number(), Relaxed);
            }
            (unit, end)
        }
    }
}
