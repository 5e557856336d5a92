//! Requests for basic blocks, and their frees: the lanes of a class that come together draw
//! tickets of its bin together. An empty bin is refilled elsewhere (`refill`).

use super::XMalloc;
use super::fifo::{NOTHING, Tickets};
use super::layout::units_of;
use super::tables::{Class, Superblock};
use crate::allocator::Handle;
use crate::simt::{Warp, leader, rank};

/// Turns in which a request tries the bin.
const BIN_TURNS: u32 = 2;

/// A request for basic blocks of a class: at most 32, and no more than a superblock has.
#[derive(Clone, Copy)]
pub struct Request {
    class: Class,
    wanted: u32,
}

impl Request {
    /// The request for `wanted` blocks of a class.
    ///
    /// # Safety
    ///
    /// `wanted` is from 1 to 32 and at most the blocks of a superblock.
    #[inline(always)]
    unsafe fn new(class: Class, wanted: u32) -> Self {
        Self { class, wanted }
    }

    /// The class.
    #[inline(always)]
    pub fn class(self) -> Class {
        self.class
    }

    /// How many blocks.
    #[inline(always)]
    pub fn wanted(self) -> u32 {
        self.wanted
    }

    /// The request in a word.
    #[inline(always)]
    pub fn to_bits(self) -> u32 {
        self.class.number() << 8 | self.wanted
    }

    /// The request of these bits.
    ///
    /// # Safety
    ///
    /// They are those of a request.
    #[inline(always)]
    pub unsafe fn from_bits(bits: u32) -> Self {
        // SAFETY: the class of a request.
        let class = unsafe { Class::new(bits >> 8) };
        Self {
            class,
            wanted: bits & 0xff,
        }
    }
}

/// Where basic blocks are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// At tickets of a bin, which may be void.
    Bin,
    /// Side by side in a superblock.
    Cut,
    /// Home, with permits.
    Home,
}

/// Basic blocks that lanes may take.
#[derive(Clone, Copy)]
pub struct Taken {
    /// Where they are.
    pub source: Source,
    /// How many: 0 if there was none, at most 32.
    pub count: u32,
    /// Their class.
    pub class: u32,
    /// The first ticket; the unit where the first begins; or the superblock.
    pub value: u32,
}

impl Taken {
    /// None.
    pub const NONE: Self = Self {
        source: Source::Bin,
        count: 0,
        class: 0,
        value: 0,
    };

    /// The blocks in a word, for a shuffle.
    #[inline(always)]
    pub fn to_bits(self) -> u64 {
        let source = match self.source {
            Source::Bin => 0,
            Source::Cut => 1,
            Source::Home => 2,
        };
        let high = self.class << 8 | source << 6 | self.count;
        u64::from(high) << 32 | u64::from(self.value)
    }

    /// The blocks of these bits.
    #[inline(always)]
    pub fn from_bits(bits: u64) -> Self {
        let high = (bits >> 32) as u32;
        let source = match high >> 6 & 3 {
            0 => Source::Bin,
            1 => Source::Cut,
            _ => Source::Home,
        };
        Self {
            source,
            count: high & 0x3f,
            class: high >> 8,
            value: bits as u32,
        }
    }
}

impl XMalloc {
    /// The number of a basic block of this class in its superblock: of the one with unit `block`.
    #[inline(always)]
    pub(super) fn index_of(&self, block: u32, class: Class) -> u32 {
        let unit = block & ((1 << self.layout.unit_bits()) - 1);
        unit.checked_div(units_of(class.number())).unwrap_or(0)
    }

    /// Basic blocks of a superblock of this class.
    #[inline(always)]
    pub(super) fn capacity(&self, class: Class) -> u32 {
        self.layout.capacity(class.number())
    }

    /// Blocks that are cut off the superblock of a class, and whether it has no more.
    #[inline(always)]
    pub(super) fn cut_together(&self, request: Request) -> (Taken, bool) {
        let class = request.class.number();
        let slice = self.cut_off(request);
        let taken = Taken {
            source: Source::Cut,
            count: slice.count,
            class,
            value: (slice.superblock << self.layout.unit_bits()) + slice.first * units_of(class),
        };
        (taken, slice.is_last)
    }

    /// Up to as many blocks as are requested: none if the request is refused. From some turn on
    /// it does not look into the bin, whose tickets may be void.
    #[inline(always)]
    fn find<W: Warp>(&self, warp: W, request: Request, turn: u32) -> Taken {
        if turn < BIN_TURNS {
            let tickets = self.bin(request.class).draw_front(request.wanted);
            if tickets.count != 0 {
                return Taken {
                    source: Source::Bin,
                    count: tickets.count,
                    class: request.class.number(),
                    value: tickets.first,
                };
            }
        }
        self.refill(warp, request)
    }

    /// A basic block of a class, or null. Lanes that want one of the same class get them from one
    /// source.
    ///
    /// Only lanes that want one call this: it reads the active mask, so that each collective is
    /// one of all lanes of `mask`. Those that want none are not to follow another path with the
    /// same mask, on which the compiler would give them collectives of their own.
    #[inline(always)]
    pub(super) fn blocks<W: Warp>(&self, warp: W, class: Class) -> u32 {
        let lane = warp.lane();
        let mask = warp.converge();
        // Lanes that a superblock suffices for are a group.
        let same = warp.match_any(mask, class.number());
        let part = rank(same, lane) >> self.layout.group_bits(class.number());
        let group = warp.match_any(mask, class.number() << 5 | part);
        let mut rest = group;
        let (mut block, mut turn) = (u32::NULL, 0);
        // Each turn but those of the bin serves a lane of each group, or refuses the group.
        loop {
            let first = if rest == 0 { lane } else { leader(rest) };
            let mut taken = Taken::NONE.to_bits();
            if rest != 0 && lane == first {
                // SAFETY: `rest` has lanes, no more than a superblock blocks.
                let request = unsafe { Request::new(class, rest.count_ones()) };
                taken = self.find(warp, request, turn).to_bits();
            }
            // All lanes take part until the last is done, whatever their groups: see
            // `Warp::converge`.
            let taken = Taken::from_bits(warp.shuffle64(mask, taken, first));
            // The leader acquired what it got for all of its lanes.
            warp.sync(mask);
            let place = rank(rest, lane);
            if (place < taken.count) & (rest >> lane & 1 == 1) {
                // SAFETY: the leader drew these tickets, cut these blocks off or got these
                // permits, one for each lane.
                block = unsafe { self.pick(warp, taken, place) };
            }
            let done = warp.ballot(mask, !block.is_null()) & group;
            rest &= !done;
            if taken.count == 0 || rest >> lane & 1 == 0 {
                // Refused, or done: a lane that is done leads no more.
                rest = 0;
            }
            turn += 1;
            if warp.ballot(mask, rest != 0) & mask == 0 {
                return block;
            }
        }
    }

    /// The block of number `place` of those that were taken; null if it lies in a bin at a void
    /// ticket.
    ///
    /// # Safety
    ///
    /// `taken` has more blocks than `place`, and this one has not been picked yet.
    #[inline(always)]
    unsafe fn pick<W: Warp>(&self, warp: W, taken: Taken, place: u32) -> u32 {
        const { assert!(NOTHING == u32::NULL) };
        // SAFETY: what was taken has a class of the heap.
        let class = unsafe { Class::new(taken.class) };
        match taken.source {
            Source::Bin => {
                let ticket = taken.value.wrapping_add(place);
                self.bin(class).take(warp, ticket)
            }
            Source::Cut => taken.value + place * units_of(taken.class),
            Source::Home => {
                // SAFETY: this one of the permits for blocks of the superblock is ours.
                let index = unsafe { self.take_home(warp, Superblock::new(taken.value), class) };
                (taken.value << self.layout.unit_bits()) + index * units_of(taken.class)
            }
        }
    }

    /// Frees a basic block of this class. Lanes that free blocks of one class together draw
    /// tickets of its bin together.
    ///
    /// # Safety
    ///
    /// The caller owns the block, which begins with unit `block`, and gives it up.
    #[inline(always)]
    pub(super) unsafe fn give_block<W: Warp>(&self, warp: W, block: u32, class: Class) {
        let lane = warp.lane();
        let mask = warp.converge();
        let group = warp.match_any(mask, class.number());
        let first = leader(group);
        let bin = self.bin(class);
        let mut tickets = Tickets { first: 0, count: 0 };
        if lane == first {
            tickets = bin.draw_back(group.count_ones());
        }
        let place = rank(group, lane);
        let ticket = warp.shuffle(mask, tickets.first, first).wrapping_add(place);
        let count = warp.shuffle(mask, tickets.count, first);
        if place >= count || !bin.put(ticket, block) {
            // The bin is full, or the ticket void.
            // SAFETY: so the block is still ours.
            unsafe { self.bring_block_home(block, class) }
        }
    }
}
