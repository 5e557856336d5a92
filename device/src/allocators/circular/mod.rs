//! The circular allocators: CMalloc, CFMalloc, CMMalloc and CFMMalloc (Vinkler
//! and Havran 2014, sections 5.2 to 5.4, Algorithm 3, equation 1).
//!
//! The pool is a circular, singly linked list of chunks. A request walks from
//! an offset to the first free chunk that is large enough, takes it, and splits
//! off what it does not need; `free` merges the chunk with its successor if that
//! is free. The four differ in two choices: flag and link in two words or fused
//! into one ([`links`]), and one offset for all or one a multiprocessor.
//!
//! What is ours, and why:
//!
//! - Headers lie in a table and stay valid for ever ([`links`] has the argument):
//!   the published algorithm corrupts memory if a thread stalls between reading
//!   a link and following it.
//! - The offset is a ticket that picks the region where the walk starts, and
//!   each region remembers where its last request ended. The published offset
//!   sends all threads to the same chunk, so that 10^5 threads need 100 ms.
//! - A walk that finds no fit in a region leaves a hint of the size that failed,
//!   so that others step over the region, and it gives up after some hundred steps.
//!   All of this is about where to look, and may be wrong.
//! - What the walk has not found an [`index`] of free units serves or refuses
//!   ([`search`]): null is evidence, and takes a bounded number of accesses.
//! - A free chunk that is too small is merged with the free chunks behind it
//!   until it fits, so that what was freed in any order serves any size.

mod contract;
mod descriptions;
mod group;
mod hints;
mod index;
mod layout;
mod links;
mod published;
pub mod runs;
mod search;

use core::marker::PhantomData;
use core::sync::atomic::Ordering::{AcqRel, Relaxed};

use cuda_std::atomic::fence;

pub use group::Group;
use hints::NO_FIT;
use index::Index;
use layout::{INDEX_ALIGN, Layout};
use links::{ABSORBED, FREE, Fused, LOCKED, Link, Links, TwoWords, USED};
pub use published::{CMallocPaper, CfMallocPaper, CfmMallocPaper, CmMallocPaper, Published};

use super::units;
use crate::allocator::{Allocator, Handle, Heap, Occupancy, Request, SetupError};
use crate::simt::Warp;

/// Regions of a group, less one.
const NEIGHBOURS: u32 = 63;
/// First round of a request of up to a region: the rest of its ticket's group of
/// regions, and after that a whole group.
const NEARBY: u32 = 0;
/// Third round, or first of a large request: beyond the nursery, from where the
/// last such request ended to the end.
const BEYOND: u32 = 2;
/// What a walk may spend in the nursery, and once more beyond: 1 for a turn of
/// waiting, `STEP` for a chunk or region that it looks at. So it looks at some
/// hundreds, but waits longer at a chunk that thousands of threads split.
const FUEL: u32 = 1 << 14;
const STEP: u32 = 31;
/// The same for a request of more than a region, which may have to merge hundreds of
/// chunks; it is as rare as it is large.
const LARGE_FUEL: u32 = 1 << 16;
/// Turns that a request waits at a chunk that changes hands, less one.
const PATIENCE: u32 = 31;
/// The same once it has left the nursery: all those that did so meet at few
/// chunks, and to look elsewhere means to look at every region.
const LONG_PATIENCE: u32 = 1023;
/// How many offsets there are.
pub trait Offsets: Copy {
    /// Whether each processor has one.
    const MULTI: bool;
}

/// One offset for all.
#[derive(Clone, Copy)]
pub struct One;

/// One offset a multiprocessor.
#[derive(Clone, Copy)]
pub struct PerProcessor;

impl Offsets for One {
    const MULTI: bool = false;
}

impl Offsets for PerProcessor {
    const MULTI: bool = true;
}

/// CircularMalloc: flag and link in two words, one offset.
pub type CMalloc = Circular<TwoWords, One>;
/// Circular Fused Malloc: flag and link in one word, one offset.
pub type CfMalloc = Circular<Fused, One>;
/// Circular Multi Malloc: flag and link in two words, an offset a processor.
pub type CmMalloc = Circular<TwoWords, PerProcessor>;
/// Circular Fused Multi Malloc: one word, an offset a processor.
pub type CfmMalloc = Circular<Fused, PerProcessor>;

/// A circular allocator over links of form `L` with offsets `O`.
#[derive(Clone, Copy)]
pub struct Circular<L, O> {
    blocks: *mut u8,
    links: L,
    hints: *mut u8,
    layout: Layout,
    offsets: PhantomData<O>,
}

impl<L: Links, O: Offsets> Circular<L, O> {
    #[inline(always)]
    fn region_of(&self, unit: u32) -> u32 {
        unit >> self.layout.region_bits
    }

    /// Where the region of `unit` starts.
    #[inline(always)]
    fn anchor_of(&self, unit: u32) -> u32 {
        unit & !(self.layout.region_units - 1)
    }

    /// The region of the chunk at `unit`, or the number of regions at the end.
    #[inline(always)]
    fn region_after(&self, unit: u32) -> u32 {
        if unit < self.layout.units {
            self.region_of(unit)
        } else {
            self.layout.regions
        }
    }

    /// Whether a chunk that starts at `next` belongs to the region of `unit`.
    #[inline(always)]
    fn is_in_region_of(&self, unit: u32, next: u32) -> bool {
        self.region_of(next) == self.region_of(unit) && next < self.layout.units
    }

    #[inline(always)]
    fn is_large(&self, wanted: u32) -> bool {
        wanted > self.layout.region_units
    }

    /// The index of free memory.
    #[inline(always)]
    fn index(&self) -> Index {
        let layout = &self.layout;
        let base = self
            .blocks
            .wrapping_add(layout.index as usize * INDEX_ALIGN as usize);
        // SAFETY: `setup` made room for the index there.
        unsafe { Index::new(base, layout.units, layout.span_bits) }
    }

    /// Walks to a free chunk of at least `wanted` units: its first unit and its
    /// end; null and 0 if it comes by none.
    ///
    /// Little is kept from step to step, because registers bound how many warps
    /// hide each other's waits.
    #[inline(always)]
    fn take<W: Warp>(&self, warp: W, wanted: u32) -> (u32, u32) {
        let none = (u32::NULL, 0);
        if wanted > self.layout.units {
            return none;
        }
        let mut region = self.start(warp, wanted);
        let (mut fuel, mut round) = if self.is_large(wanted) {
            (LARGE_FUEL, BEYOND)
        } else {
            (FUEL, NEARBY)
        };
        while round <= BEYOND {
            if fuel == 0 {
                if round == BEYOND || self.is_scarce(wanted) {
                    return none;
                }
                round = BEYOND;
                region = self.beyond();
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
                    let link = self.links.peek(unit);
                    if link.state == FREE {
                        let end = self.try_take(warp, unit, link, wanted, &mut fuel);
                        if !end.is_null() {
                            return (unit, end);
                        }
                    }
                    if fuel == 0 {
                        // Others need not come as far: the index finds what is left.
                        break link;
                    }
                    fuel -= 1;
                    let patient =
                        fuel & PATIENCE != 0 || (round != NEARBY && fuel & LONG_PATIENCE != 0);
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
                    } else if !whole {
                        sure = true;
                        whole = true;
                        unit = self.anchor_of(unit);
                    } else {
                        break link;
                    }
                };
                region = self.region_of(unit);
                // Only if nobody has left a newer hint since.
                if sure {
                    self.hint(region)
                        .compare_exchange(hint, NO_FIT | wanted, Relaxed);
                }
                // No chunk starts in the regions inside this one. What an absorbed
                // entry says may be long out of date.
                region = if link.next != 0 {
                    self.region_after(link.next)
                } else {
                    region + 1
                };
            }
            let leaves_group = round < BEYOND && region & NEIGHBOURS == 0;
            let ends = region >= self.layout.regions;
            if (leaves_group || ends) && self.is_scarce(wanted) {
                return none;
            }
            round += u32::from(leaves_group || ends);
            if (leaves_group || ends) && round == BEYOND {
                region = self.beyond();
                fuel = FUEL;
            } else if ends {
                region = 0;
            }
        }
        none
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
        unit: u32,
        seen: Link,
        wanted: u32,
        fuel: &mut u32,
    ) -> u32 {
        // `seen` is a hint: whether its link leads forward is for `take` to say.
        if seen.next.wrapping_sub(unit) < wanted
            && (!self.may_merge(wanted, seen.next) || self.links.peek(seen.next).state != FREE)
        {
            return u32::NULL;
        }
        let Some(mut next) = self.links.take(unit, seen, LOCKED) else {
            return u32::NULL;
        };
        while next - unit < wanted && *fuel != 0 && self.may_merge(wanted, next) {
            let link = self.links.peek(next);
            if link.state != FREE {
                break;
            }
            *fuel = fuel.saturating_sub(STEP);
            match self.links.take(next, link, ABSORBED) {
                Some(end) => next = end,
                None => break,
            }
        }
        if next - unit >= wanted {
            return next;
        }
        self.links.put(unit, next, FREE);
        self.leave_cursor(warp, unit);
        u32::NULL
    }

    /// A used chunk of `wanted` units: its first unit and its end. What the
    /// chunk that was found has beyond that becomes a free chunk. Null and 0 if
    /// none was found: by a walk only, or, if the request is for the caller's own
    /// block, with the index as evidence.
    #[inline(always)]
    fn find<W: Warp>(&self, warp: W, wanted: u32, is_own: bool) -> (u32, u32) {
        let (mut unit, mut end) = self.take(warp, wanted);
        if end == 0 && is_own && wanted <= self.layout.units {
            let index = self.index();
            // Relaxed: where to begin, nothing more.
            let cursor = index.cursor(warp);
            (unit, end) = search::call(warp, self.links, index, wanted, cursor.load(Relaxed));
            if end != 0 {
                cursor.store(index.span_of(unit), Relaxed);
            }
            self.leave_scarce(wanted, end == 0);
        }
        if end == 0 {
            return (unit, end);
        }
        let length = end - unit;
        let fragmented =
            u64::from(wanted) * u64::from(self.layout.fragmentation) <= u64::from(length) * 16;
        if length - wanted >= self.layout.least && fragmented {
            let rest = unit + wanted;
            // A chunk has one taker at a time: of a long rest two can go on.
            let cut = self.index().cut(rest, end);
            if cut < end {
                self.links.put(cut, end, FREE);
                self.anchor(rest, cut);
                self.leave_cursor(warp, cut);
            }
            self.links.put(rest, cut, FREE);
            self.anchor(unit, rest);
            self.leave_cursor(warp, rest);
            let region = self.region_of(rest);
            if self.is_large(wanted) || (self.has_nursery() && region >= self.layout.beyond) {
                self.leave_beyond(region);
            }
            end = rest;
        }
        // Lanes that share a chunk free their parts of it one by one.
        self.index().keep(unit, end, is_own);
        self.links.put(unit, end, USED);
        (unit, end)
    }

    /// Makes the region of `head` lead to it, where `head` starts a chunk
    /// inside a chunk that the caller owns from `unit` on.
    ///
    /// If the region starts inside the owned chunk its first entry is an
    /// absorbed one, and `head` is now the first chunk of the region.
    #[inline(always)]
    fn anchor(&self, unit: u32, head: u32) {
        let anchor = self.anchor_of(head);
        if anchor > unit && anchor < head {
            self.links.put(anchor, head, ABSORBED);
        }
    }

    /// Frees the chunk from `unit` to `next`, which the caller owns and whose
    /// entry has the link `was`.
    #[inline(always)]
    fn release<W: Warp>(&self, warp: W, unit: u32, was: u32, next: u32) {
        let index = self.index();
        index.give(unit, next);
        let mut end = next;
        if self.may_merge(0, next) {
            let link = self.links.peek(next);
            if link.state == FREE {
                // A walker that comes by before the merged chunk is free finds
                // neither part of it, but learns that there is more to come.
                self.links.lock(unit, next);
                if let Some(after) = self.links.take(next, link, ABSORBED) {
                    end = after;
                }
            }
        }
        // Release: the bits come before the version, and they, the link, and the
        // owner's use of the memory before whoever takes the chunk.
        fence(AcqRel);
        self.links.publish(unit, was, end);
        index.renew(unit, next);
        self.leave_cursor(warp, unit);
    }
}
