//! The walk to a free chunk, and what is done to the chunk: merged with those behind it,
//! split, and freed (Algorithm 3).

use core::sync::atomic::Ordering::{AcqRel, Relaxed};

use cuda_std::atomic::fence;

use super::heap::{Circular, Offsets};
use super::hints::{NO_FIT, Place};
use super::links::{ABSORBED, FREE, LOCKED, Link, Links, USED, Unit};
use crate::allocator::Handle;
use crate::simt::Warp;

/// Regions of a group, less one.
const NEIGHBOURS: u32 = 63;
/// First round of a request of up to a region: the rest of its ticket's group of
/// regions, and after that a whole group.
const NEARBY: u32 = 0;
/// Third round, or first of a large request: beyond the nursery, from where the
/// last such request of the warp's place ended to the end.
const BEYOND: u32 = 2;
/// Fourth round: from where such a request of any place ended last. A place that was not used
/// for long may lead to what is full by now.
const LATEST: u32 = 3;
/// Last round: once more from the first region beyond the nursery, with the fuel that is left.
/// Where the last request ended may be close to the end, and nearly all of the pool before it.
const AROUND: u32 = 4;
/// The steps that a walk may spend in the nursery, and once more beyond: 1 for a turn of
/// waiting, `STEP` for a chunk or region that it looks at. So it looks at some
/// hundreds, but waits longer at a chunk that thousands of threads split.
const FUEL: u32 = 1 << 14;
const STEP: u32 = 31;
/// The same for what several lanes want together: they look in the regions near that of
/// their ticket only, since where free chunks are small each finds one of its own sooner.
/// Also for a large request if as much was refused lately.
const GROUP_FUEL: u32 = 1 << 10;
/// The same for a request of more than a region, which may have to merge hundreds of
/// chunks; it is as rare as it is large.
const LARGE_FUEL: u32 = 1 << 16;
/// The logarithm of the regions that the index is searched for first, where a walk has not
/// served a request: what is left of them serves those that follow.
const RESERVE_BITS: u32 = 4;
/// The part of a region, as a power of two, beyond which a request is worth such a reserve.
const RESERVED_BITS: u32 = 6;
/// The part of a region, as a power of two, beyond which blocks are so few in it that a walk
/// visits all of them, though other threads are at work there.
const FEW_BITS: u32 = 8;
/// Turns that a request waits at a chunk that changes hands, less one.
const PATIENCE: u32 = 31;
/// The same once it has left the nursery: all those that did so meet at few
/// chunks, and to look elsewhere means to look at every region.
const LONG_PATIENCE: u32 = 1023;
/// The same for a request of more than a region. Hundreds of those may take their parts of one
/// chunk in turn; to give up means to read the bits of all units that no block has.
const LARGE_PATIENCE: u32 = LARGE_FUEL / 4 - 1;

impl<L: Links, O: Offsets> Circular<L, O> {
    /// Walks to a free chunk of at least `wanted` units, for the caller's own block or
    /// those of several lanes: its first unit and its end; null and 0 if it comes by none.
    ///
    /// Little is kept from step to step, because registers bound how many warps
    /// hide each other's waits.
    #[inline(always)]
    fn take<W: Warp>(&self, warp: W, wanted: u32, is_own: bool) -> (u32, u32) {
        // SAFETY: regions are below their number where they are used: they come from `start` and
        // `beyond`, and each turn ends with one behind the last replaced. `unit` is below the
        // number of units: a region begins below it, a cursor is a unit that the region has, and
        // `is_in_region_of` excludes the end.
        unsafe {
            let none = (u32::NULL, 0);
            if wanted > self.layout.units {
                return none;
            }
            let mut region = self.start(warp, wanted);
            let (mut fuel, mut round) = if self.is_large(wanted) {
                // As much was refused lately: the index decides, after a short look.
                let is_scarce = self.is_scarce(wanted);
                (if is_scarce { GROUP_FUEL } else { LARGE_FUEL }, BEYOND)
            } else if is_own {
                (FUEL, NEARBY)
            } else {
                (GROUP_FUEL, NEARBY)
            };
            let long_patience = if self.is_large(wanted) {
                LARGE_PATIENCE
            } else {
                LONG_PATIENCE
            };
            while round <= AROUND {
                if fuel == 0 {
                    if round >= LATEST || !is_own || self.is_scarce(wanted) {
                        return none;
                    }
                    let is_nearby = round < BEYOND;
                    round = if is_nearby { BEYOND } else { LATEST };
                    region = self.beyond(if is_nearby {
                        Place::of_warp(warp)
                    } else {
                        Place::LATEST
                    });
                    fuel = FUEL;
                }
                fuel = fuel.saturating_sub(STEP);
                let hint = self.hint(region).load(Relaxed);
                let no_fit = hint & NO_FIT != 0;
                if no_fit && wanted >= hint ^ NO_FIT {
                    region += 1;
                } else {
                    // From here on the unit alone tells the region: it stays there.
                    let mut unit = if no_fit {
                        region << self.layout.region_bits
                    } else {
                        region << self.layout.region_bits | hint & (self.layout.region_units - 1)
                    };
                    let mut whole = no_fit;
                    let mut sure = true;
                    let link = loop {
                        let link = self.links.peek(Unit::new(unit));
                        if link.state == FREE {
                            let end = self.try_take(warp, Unit::new(unit), link, wanted, &mut fuel);
                            if !end.is_null() {
                                return (unit, end);
                            }
                            // Another thread was faster, and may leave most of it.
                            if link.next.wrapping_sub(unit) >= wanted {
                                sure = false;
                            }
                        }
                        if fuel == 0 {
                            // Others need not come as far: the index finds what is left. The
                            // units behind are not known.
                            sure = false;
                            break link;
                        }
                        fuel -= 1;
                        let patient =
                            fuel & PATIENCE != 0 || (round != NEARBY && fuel & long_patience != 0);
                        // A chunk that another thread holds may come free, and fit.
                        if link.state == LOCKED {
                            sure = false;
                        }
                        // A chunk that would do is changing hands: most of it may
                        // come free in a moment. A few turns are worth it.
                        if link.state <= FREE && link.next.wrapping_sub(unit) >= wanted && patient {
                            warp.back_off();
                            continue;
                        }
                        fuel = fuel.saturating_sub(STEP - 1);
                        if link.next != 0 && self.is_in_region_of(unit, link.next) {
                            unit = link.next;
                        } else if !whole && (sure || self.exceeds_part(wanted, FEW_BITS)) {
                            // Of small blocks hundreds may lie before the cursor: where other
                            // threads are at work, the next region is nearer.
                            whole = true;
                            unit = self.anchor_of(unit);
                        } else {
                            break link;
                        }
                    };
                    region = self.region_of(unit);
                    // Only if no other thread has left a newer hint since.
                    if sure {
                        self.hint(region)
                            .compare_exchange(hint, NO_FIT | wanted, Relaxed);
                    }
                    // No chunk starts in the regions inside this one. The link of an absorbed
                    // entry may be long out of date.
                    region = if link.next != 0 {
                        self.region_after(link.next)
                    } else {
                        region + 1
                    };
                }
                let leaves_group = round < BEYOND && region & NEIGHBOURS == 0;
                let ends = region >= self.layout.regions;
                if (leaves_group || ends) && (!is_own || self.is_scarce(wanted)) {
                    return none;
                }
                round += u32::from(leaves_group || ends);
                if (leaves_group || ends) && (round == BEYOND || round == LATEST) {
                    region = self.beyond(if round == BEYOND {
                        Place::of_warp(warp)
                    } else {
                        Place::LATEST
                    });
                    fuel = FUEL;
                } else if ends {
                    region = if round == AROUND {
                        self.layout.beyond
                    } else {
                        0
                    };
                }
            }
            none
        }
    }

    /// Whether a request of `wanted` units may merge the chunk at `next` with
    /// the one before. Only large requests merge across regions: the others
    /// would undo the split of the pool, and with it the ways to large chunks.
    #[inline(always)]
    fn may_merge(&self, wanted: u32, next: u32) -> bool {
        next < self.layout.units
            && (self.is_large(wanted) || next & (self.layout.region_units - 1) != 0)
    }

    /// Takes the free chunk at `unit` if it holds `wanted` units, alone or
    /// merged with the free chunks behind it, as many as the `fuel` lasts for;
    /// returns its end, or null.
    #[inline(always)]
    fn try_take<W: Warp>(
        &self,
        warp: W,
        unit: Unit,
        seen: Link,
        wanted: u32,
        fuel: &mut u32,
    ) -> u32 {
        // SAFETY: links are units by `may_merge`. A chunk is put back that was taken here, and merged
        // up to `next`.
        unsafe {
            let start = unit.number();
            // `seen` is a hint: `take` decides whether its link leads forward.
            if seen.next.wrapping_sub(start) < wanted
                && (!self.may_merge(wanted, seen.next)
                    || self.links.peek(Unit::new(seen.next)).state != FREE)
            {
                return u32::NULL;
            }
            let Some(mut next) = self.links.take(unit, seen, LOCKED) else {
                return u32::NULL;
            };
            while next - start < wanted && *fuel != 0 && self.may_merge(wanted, next) {
                let link = self.links.peek(Unit::new(next));
                if link.state != FREE {
                    break;
                }
                *fuel = fuel.saturating_sub(STEP);
                match self.links.take(Unit::new(next), link, ABSORBED) {
                    Some(end) => next = end,
                    None => break,
                }
            }
            if next - start >= wanted {
                return next;
            }
            self.links.put(unit, next, FREE);
            self.leave_freed(warp, unit, next, true);
            u32::NULL
        }
    }

    /// A used chunk of `wanted` units: its first unit and its end. The rest
    /// of the chunk that was found becomes a free chunk. Null and 0 if
    /// none was found: by a walk only, or, if the request is for the caller's own
    /// block, with the index as evidence.
    ///
    /// # Safety
    ///
    /// `wanted` is not 0.
    #[inline(always)]
    pub(super) unsafe fn find<W: Warp>(&self, warp: W, wanted: u32, is_own: bool) -> (u32, u32) {
        // SAFETY: a chunk that was found is the caller's from `unit` to `end`, of units of the
        // heap. Of `wanted` units or more, those are its own that lie before `rest`, which is
        // behind `unit`; `cut` is behind `rest`, and at most `end`.
        unsafe {
            let (mut unit, mut end) = self.take(warp, wanted, is_own);
            if end == 0 && is_own && wanted <= self.layout.units {
                // Several regions beyond the nursery first: the next requests of this place
                // find what is left of them. Holes that just fit are for when there are none,
                // and for small blocks, which find theirs in the nursery.
                let reserve = self.layout.region_units << RESERVE_BITS;
                let is_possible = self.has_nursery() && reserve <= self.layout.units;
                let is_first = is_possible
                    && wanted < reserve
                    && self.exceeds_part(wanted, RESERVED_BITS)
                    && !self.is_scarce(wanted);
                let mut sought = if is_first { reserve } else { wanted };
                loop {
                    (unit, end) = self.search(warp, sought);
                    if end != 0 || sought == wanted {
                        break;
                    }
                    sought = wanted;
                }
                self.leave_scarce(wanted, end == 0);
            }
            if end == 0 {
                return (unit, end);
            }
            let length = end - unit;
            let fragmented =
                u64::from(wanted) * u64::from(self.layout.fragmentation) <= u64::from(length) * 16;
            let is_split = length - wanted >= self.layout.least && fragmented;
            let rest = if is_split { unit + wanted } else { end };
            // One thread at a time takes a chunk: of a long rest two can take a part each.
            let cut = self.index().cut(rest, end);
            self.lead_behind(unit, rest, cut);
            if is_split {
                // Cursors come before the chunks that they lead to: a thread that takes the chunk
                // leaves its own later, and the region's is the last of them. The other way round
                // a cursor that comes late leads to a block, and walks pass all that lie behind.
                if cut < end {
                    self.leave_cursor(warp, Unit::new(cut));
                    self.links.put(Unit::new(cut), end, FREE);
                    self.anchor(rest, cut);
                }
                self.leave_cursor(warp, Unit::new(rest));
                self.links.put(Unit::new(rest), cut, FREE);
                if self.is_large(wanted) || self.has_nursery() {
                    self.leave_beyond(Place::of_warp(warp), self.region_of(rest));
                    self.leave_beyond(Place::LATEST, self.region_of(rest));
                    if cut < end {
                        let region = self.region_of(cut);
                        self.leave_beyond(Place::led_to(region), region);
                    }
                }
                end = rest;
            }
            // Threads that wait at this chunk go on to what is left of it before the bits are
            // cleared, which takes longer than all the rest where the block is large.
            self.links.put(Unit::new(unit), end, USED);
            // Lanes that share a chunk free their parts of it one by one.
            self.index().keep(unit, end, is_own);
            (unit, end)
        }
    }

    /// Frees the chunk from `unit` to `next`, which the caller owns and whose
    /// entry has the link `was`.
    ///
    /// # Safety
    ///
    /// The caller owns the chunk from `unit` to `next`, whose link is `was`.
    #[inline(always)]
    pub(super) unsafe fn release<W: Warp>(&self, warp: W, unit: u32, was: u32, next: u32) {
        // SAFETY: the chunk is the caller's, of units of the heap. `may_merge` excludes the end, and
        // a chunk that was taken ends at or before that.
        unsafe {
            let index = self.index();
            index.give(unit, next);
            let mut end = next;
            if self.may_merge(0, next) {
                let link = self.links.peek(Unit::new(next));
                if link.state == FREE {
                    // A walker that passes before the merged chunk is free finds neither part
                    // of it, but the locked state shows that a chunk is about to come free.
                    self.links.lock(Unit::new(unit), next);
                    if let Some(after) = self.links.take(Unit::new(next), link, ABSORBED) {
                        end = after;
                    }
                }
            }
            // Release: the bits come before the version, and they, the link, and the
            // owner's use of the memory before what a thread does that takes the chunk.
            fence(AcqRel);
            self.links.publish(Unit::new(unit), was, end);
            index.renew(unit, next);
            self.leave_freed(warp, Unit::new(unit), end, end != next);
        }
    }
}
