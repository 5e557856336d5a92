//! SpreadMalloc: AtomicMalloc with an offset for each multiprocessor. It cannot free, and is a lower
//! bound for allocators whose requests do not meet at one word.
//!
//! A multiprocessor allocates from a *slab* that it took from the pool. Its word, in a cache line of
//! its own, is `start << 32 | used`: the slab's first unit, and the units that are used. A request
//! that fits is one addition to this word. The pool is that of [`AtomicMalloc`].
//!
//! An addition that does not fit has moved `used` past the slab's end, and that *closes* the word:
//!
//! - While the word is closed no request is served from it. Exactly one addition found the word
//!   open. Its thread takes another slab from the pool, records what is left of the old one in the
//!   table of rests, and opens the word by a store. If the pool has no slab left, it stores what
//!   its addition found.
//! - The other threads wait until the word is open. The thread that they wait for waits only for
//!   the pool, in which it waits for a thread between an addition and a store.
//! - Each further turn of such a thread means that a slab was used up, so turns are finite.
//!
//! Groups that want more than an eighth of a slab go to the pool. So an eighth of each slab at
//! most becomes a rest, and waiting is rare.
//!
//! Null is evidence. Memory is first in the pool, then in a slab, then in a rest; it never returns,
//! and neighbours never merge. A request that would be refused looks at all three in this order,
//! and waits at closed words:
//!
//! - The pool never has more again than it had then.
//! - A slab that left the pool before that is in a word that was closed before it, or is a rest.
//!   Two fences make the closing visible: of the thread that closed the word, between its
//!   additions to the word and to the pool, and of the one that looks, behind its look at the pool.
//! - A rest was recorded before its word was opened.
//!
//! So a size that was refused is refused for ever. The least of them is kept, and larger requests do
//! not look again.
//!
//! Additions to a closed word must not carry into its `start`. They are undone one by one, each of
//! 2^13 units at most, since a slab has 2^16 at most: 2^19 lanes would have to wait at one word. A
//! multiprocessor runs 2048.

mod search;

use core::sync::atomic::Ordering::{AcqRel, Relaxed, Release};

use cuda_std::atomic::{AtomicU32, AtomicU64, fence};

use super::AtomicMalloc;
use super::circular::Group;
use super::common::{UNIT, units, with_unit_alone};
use crate::allocator::{Allocator, Handle, Heap, Request, SetupError};
use crate::description::{Described, Description};
use crate::registers::RegisterLimits;
use crate::simt::Warp;

/// Bytes between the words of multiprocessors: a cache line.
const LINE: u64 = 128;
/// Alignment of the pool behind the tables.
const ALIGN: u64 = 256;
/// Slabs that a multiprocessor finds in a pool at least, so that those of all multiprocessors
/// together keep an eighth of the pool from requests that are larger than a slab.
const SLABS: u64 = 8;
/// The logarithm of the smallest slab's bytes.
const MIN_SLAB_SHIFT: u32 = 10;
/// The logarithm of the units that a slab has at most.
const MAX_SLAB_BITS: u32 = 16;
/// The logarithm of the fraction of a slab that a group may want of it.
const GROUP_BITS: u32 = 3;
/// The slab of a word that has none: no unit has this number.
const NO_SLAB: u64 = u32::MAX as u64;

/// An offset for each multiprocessor.
#[derive(Clone, Copy)]
pub struct SpreadMalloc {
    pool: AtomicMalloc,
    /// A word for each multiprocessor; the least size that was refused; the rests.
    tables: *mut u8,
    processors: u32,
    /// Entries of the table of rests.
    rests: u32,
    /// The logarithm of a slab's units.
    slab_bits: u32,
    /// Units of the pool.
    pool_units: u64,
    /// The logarithm of a unit's bytes.
    unit_shift: u32,
}

/// How the memory in front of the pool is divided.
struct Tables {
    slab_bits: u32,
    rests: u64,
    bytes: u64,
}

impl Tables {
    /// The tables of a pool of so many bytes, for a number of multiprocessors that is not 0.
    fn of(pool_bytes: u64, processors: u64, unit_shift: u32) -> Self {
        let least = SLABS * processors;
        let each = pool_bytes.checked_div(least).unwrap_or(0);
        let shift = each.checked_ilog2().unwrap_or(0);
        let shift = shift.clamp(MIN_SLAB_SHIFT, MAX_SLAB_BITS + unit_shift);
        // No two slabs overlap, so that the number of whole slabs in front of one names it.
        let rests = (pool_bytes >> shift).max(least) + 1;
        let bytes = (processors + 1) * LINE + 8 * rests;
        Self {
            slab_bits: shift.saturating_sub(unit_shift),
            rests,
            bytes: bytes.next_multiple_of(ALIGN),
        }
    }
}

impl SpreadMalloc {
    /// The word of a multiprocessor.
    ///
    /// # Safety
    ///
    /// `index` is below `processors`.
    #[inline(always)]
    unsafe fn word(&self, index: u32) -> &AtomicU64 {
        // SAFETY: `setup` placed a line there for each multiprocessor.
        unsafe { &*self.tables.add(index as usize * LINE as usize).cast() }
    }

    /// The least units that were refused.
    #[inline(always)]
    fn refused(&self) -> &AtomicU32 {
        let offset = self.processors as usize * LINE as usize;
        // SAFETY: `setup` placed a line behind those of the multiprocessors.
        unsafe { &*self.tables.add(offset).cast() }
    }

    /// A word of the table of rests.
    ///
    /// # Safety
    ///
    /// `index` is below `rests`.
    #[inline(always)]
    unsafe fn rest(&self, index: u32) -> &AtomicU64 {
        let offset = (self.processors as usize + 1) * LINE as usize + 8 * index as usize;
        // SAFETY: `setup` placed the table behind the lines.
        unsafe { &*self.tables.add(offset).cast() }
    }

    /// The number of this warp's word.
    #[inline(always)]
    fn own<W: Warp>(&self, warp: W) -> u32 {
        let processor = warp.processor();
        if processor < self.processors {
            processor
        } else {
            0
        }
    }

    #[inline(always)]
    fn slab_units(&self) -> u64 {
        1 << self.slab_bits
    }

    /// The first of so many units, at most an eighth of a slab's, or null if the pool has no slab
    /// left. One lane calls this for the others.
    #[inline(always)]
    fn bump<W: Warp>(self, warp: W, wanted: u64) -> u32 {
        // SAFETY: `own` returns a number below `processors`.
        let word = unsafe { self.word(self.own(warp)) };
        loop {
            // Relaxed: the addition alone makes the ranges disjoint, and no memory ever passes
            // from one owner to another.
            let seen = word.fetch_add(wanted, Relaxed);
            let (slab, used) = (seen >> 32, seen & u64::from(u32::MAX));
            if used + wanted <= self.slab_units() {
                return (slab + used) as u32;
            }
            if used <= self.slab_units() {
                return self.replace(warp, word, seen, wanted);
            }
            let mut now;
            loop {
                warp.back_off();
                // Relaxed: the next addition decides.
                now = word.load(Relaxed);
                if now & u64::from(u32::MAX) <= self.slab_units() {
                    break;
                }
            }
            if now >> 32 == slab {
                return u32::NULL;
            }
        }
    }

    /// Opens a word that an addition of `wanted` units has closed, which found `seen`: with a slab
    /// of the pool, whose first units are returned, or as it was, and null is.
    #[inline(always)]
    fn replace<W: Warp>(self, warp: W, word: &AtomicU64, seen: u64, wanted: u64) -> u32 {
        // AcqRel: the word was closed before a slab leaves the pool, for those that find too little
        // there. The rests of earlier slabs, recorded before the stores whose result `seen` is, are
        // recorded before the store below.
        fence(AcqRel);
        let slab = self.pool.request(warp, self.slab_units());
        if slab.is_null() {
            // Relaxed: the fence stands between it and the rests of earlier slabs.
            word.store(seen, Relaxed);
            return slab;
        }
        let (old, used) = ((seen >> 32) as u32, seen & u64::from(u32::MAX));
        if used < self.slab_units() {
            let rest = (u64::from(old) + self.slab_units()) << 32 | (u64::from(old) + used);
            // SAFETY: a slab's unit is one of the pool, which has fewer whole slabs than rests.
            // Relaxed: the store below releases it.
            unsafe { self.rest(old >> self.slab_bits).store(rest, Relaxed) };
        }
        // Release: the rest is recorded before its slab is gone from the word. All that came before
        // the fence is, too.
        word.store(u64::from(slab) << 32 | wanted, Release);
        slab
    }
}

impl Described for SpreadMalloc {
    const DESCRIPTION: Description = Description {
        name: "spread",
        what: "one atomic addition a request to an offset for each multiprocessor, nothing is ever \
               freed",
        paper: "none; the offsets are those of Vinkler and Havran, Register Efficient Memory \
                Allocator for GPUs, 2014, section 5.4",
        parameters: &[UNIT],
    };
    // The search of a heap that is nearly full takes more than the common case.
    const REGISTERS: RegisterLimits = RegisterLimits {
        pair: 0,
        ..RegisterLimits::SMALL
    };
}

impl Allocator for SpreadMalloc {
    type Handle = u32;

    const FREES: bool = false;
    const REUSES_ACROSS_SIZES: bool = false;
    const WALKABLE: bool = false;
    const EXACT_NULL: bool = true;
    // A refusal looks at each word and at each rest, 2^16 at most.
    const BOUNDED_REFUSAL: bool = true;

    fn setup(request: &Request) -> Result<Heap, SetupError> {
        let processors = u64::from(request.processors.max(1));
        with_unit_alone(request, |unit_shift| {
            let tables = |bytes| Tables::of(bytes, processors, unit_shift);
            let with_tables = |bytes: u64| bytes.saturating_add(tables(bytes).bytes);
            let Tables {
                slab_bits,
                rests,
                bytes,
            } = tables(request.pool_bytes);
            let pool = Request {
                base: request.base.wrapping_add(bytes as usize),
                pool_bytes: request.pool_bytes.saturating_sub(bytes),
                ..*request
            };
            let pool = AtomicMalloc::divide(&pool, unit_shift);
            let mut heap = pool.map_err(|error| match error {
                SetupError::PoolTooSmall { needed } => SetupError::PoolTooSmall {
                    needed: with_tables(needed),
                },
                SetupError::PoolTooLarge { limit } => SetupError::PoolTooLarge {
                    limit: with_tables(limit),
                },
                SetupError::BadParameter { .. } => error,
            })?;
            heap.pointers[2] = request.base;
            heap.integers[2] = processors;
            heap.integers[3] = rests;
            heap.integers[4] = u64::from(slab_bits);
            Ok(heap)
        })
    }

    #[inline(always)]
    unsafe fn new(heap: Heap) -> Self {
        Self {
            // SAFETY: `setup` has left the words of the pool where they were.
            pool: unsafe { AtomicMalloc::new(heap) },
            tables: heap.pointers[2],
            processors: heap.integers[2] as u32,
            rests: heap.integers[3] as u32,
            slab_bits: heap.integers[4] as u32,
            pool_units: heap.integers[0],
            unit_shift: heap.integers[1] as u32,
        }
    }

    fn max_block(heap: &Heap) -> u64 {
        AtomicMalloc::max_block(heap)
    }

    unsafe fn init<W: Warp>(self, warp: W) {
        // SAFETY: nothing else uses the pool during the launch; indices are of the tables.
        // Relaxed, all: the heap is used by later launches only.
        unsafe {
            self.pool.init(warp);
            if warp.thread() == 0 {
                self.refused().store(u32::MAX, Relaxed);
            }
            let mut index = warp.thread();
            while index < self.processors {
                self.word(index)
                    .store(NO_SLAB << 32 | self.slab_units(), Relaxed);
                index += warp.threads();
            }
            index = warp.thread();
            while index < self.rests {
                self.rest(index).store(0, Relaxed);
                index += warp.threads();
            }
        }
    }

    #[inline(always)]
    fn malloc<W: Warp>(self, warp: W, bytes: u64) -> u32 {
        let asked = units(bytes, self.unit_shift);
        // A size that no pool of this size has counts for nothing. A product and not a branch, as
        // in AtomicMalloc.
        let wanted = asked * u32::from(u64::from(asked) <= self.pool_units);
        let group = Group::form(warp, wanted);
        let mut first = u32::NULL;
        if group.leads() && group.total > 0 {
            // No collective: other lanes of the warp are in their own requests, in which they
            // would be taken for those of this one.
            first = if group.total << GROUP_BITS <= self.slab_units() {
                self.bump(warp, group.total)
            } else {
                self.pool.request(warp, group.total)
            };
        }
        let first = warp.shuffle(group.mask, first, group.leader);
        if wanted == 0 {
            return u32::NULL;
        }
        if first.is_null() {
            // Not enough for all of them, or for a slab.
            return self.search(warp, u64::from(wanted));
        }
        first + group.before as u32
    }

    #[inline(always)]
    unsafe fn free<W: Warp>(self, _warp: W, _block: u32) {}

    #[inline(always)]
    fn address(self, block: u32) -> *mut u8 {
        self.pool.address(block)
    }

    fn contains(self, block: u32) -> bool {
        self.pool.contains(block)
    }

    unsafe fn granted(self, block: u32, requested: u64) -> u64 {
        // SAFETY: blocks are as large as those of the pool.
        unsafe { self.pool.granted(block, requested) }
    }
}
