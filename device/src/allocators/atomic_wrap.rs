//! AWMalloc: AtomicMalloc on a circular pool (Vinkler and Havran 2014, section
//! 5.1, Algorithm 2). Nothing is tracked: after a turn of the pool a new block
//! may lie over one that is still in use.
//!
//! That is never silent here. The shared word counts turns above the offset, a
//! handle carries the low bits of the turn in which it was made, and `free`
//! compares: the block was overwritten exactly if the offset has since come
//! round to its start again. (Exact for blocks that live for fewer turns than
//! the handle's bits can count: 32 in a pool of 2 GiB, more in smaller ones.)
//!
//! `free` adds 0 to the head, with release, and a request moves the head with acquire. Both
//! are read-modify-writes of one word: if the free comes first, it happens before all that
//! the next owner does; if it comes last, it finds the head past the block, which is counted
//! as overwritten.
//!
//! Data that must live on whatever is granted later is kept in memory of the first
//! turn only: `malloc_exclusive`.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use cuda_std::atomic::AtomicU64;

use super::circular::Group;
use super::common::{UNIT, VINKLER, units, with_unit_alone};
use crate::allocator::{Allocator, Faults, Handle, Heap, Request, SetupError};
use crate::description::{Described, Description};
use crate::simt::{Warp, leader};

/// Bytes before the first block, for the words.
const HEADER: u64 = 256;
/// Bits of the offset in the shared word. The offset may run past the pool by
/// what all threads add before one of them wraps it: 2^19 threads of at most
/// `ADDED_UNITS` each stay below 2^40. (No machine runs so many at a time, and each
/// adds once before it checks whether the head was wrapped. A request for more than
/// the pool adds nothing.)
const OFFSET_BITS: u32 = 40;
const OFFSET_MASK: u64 = (1 << OFFSET_BITS) - 1;
/// Larger requests do not add but compare and swap.
const ADDED_UNITS: u32 = 1 << 20;

/// AtomicMalloc that starts again at the front when the pool is used up.
#[derive(Clone, Copy)]
pub struct AwMalloc {
    blocks: *mut u8,
    words: *mut u8,
    units: u32,
    /// Bits of a unit's number in a handle.
    unit_bits: u32,
    /// The logarithm of a unit's bytes.
    unit_shift: u32,
}

impl AwMalloc {
    /// Turns of the pool, and below them the offset of the next block.
    #[inline(always)]
    fn head(&self) -> &AtomicU64 {
        // SAFETY: `setup` placed two aligned words there, inside the pool.
        unsafe { &*self.words.cast() }
    }

    #[inline(always)]
    fn overwritten_count(&self) -> &AtomicU64 {
        // SAFETY: as above.
        unsafe { &*self.words.wrapping_add(8).cast() }
    }

    /// Turns of the pool that are complete.
    #[inline(always)]
    fn turns(&self) -> u64 {
        self.head().load(Relaxed) >> OFFSET_BITS
    }

    #[inline(always)]
    fn fits(&self, head: u64, wanted: u32) -> bool {
        (head & OFFSET_MASK) + u64::from(wanted) <= u64::from(self.units)
    }

    /// The handle of the block that starts at `head`.
    #[inline(always)]
    fn handle(&self, head: u64) -> u32 {
        let turn = (head >> OFFSET_BITS) as u32;
        let unit = (head & OFFSET_MASK) as u32;
        turn << self.unit_bits | unit
    }

    #[inline(always)]
    fn unit(&self, block: u32) -> u32 {
        block & ((1 << self.unit_bits) - 1)
    }

    /// The handle of `wanted` units, or null.
    ///
    /// A range is owned by the thread that moved the head over it. Acquire: what its former
    /// owner did before its `free` happens before what the caller does next.
    #[inline(always)]
    fn request(&self, wanted: u32) -> u32 {
        if wanted > self.units {
            return u32::NULL;
        }
        let adds = wanted <= ADDED_UNITS;
        // Lock-free: an addition that does not fit, or an exchange that fails,
        // means that another request moved the head.
        let mut fits = true;
        let mut seen = if adds { 0 } else { self.head().load(Relaxed) };
        loop {
            if fits && adds {
                let head = self.head().fetch_add(u64::from(wanted), Acquire);
                if self.fits(head, wanted) {
                    return self.handle(head);
                }
                seen = head + u64::from(wanted);
            }
            let start = if self.fits(seen, wanted) {
                seen
            } else {
                ((seen >> OFFSET_BITS) + 1) << OFFSET_BITS
            };
            let held = self
                .head()
                .compare_exchange(seen, start + u64::from(wanted), Acquire);
            if held == seen {
                return self.handle(start);
            }
            seen = held;
            fits = self.fits(seen, wanted);
        }
    }
}

impl Described for AwMalloc {
    const DESCRIPTION: Description = Description {
        name: "awmalloc",
        what: "as atomicmalloc on a circular pool, where old blocks are overwritten (and reported)",
        paper: VINKLER,
        parameters: &[UNIT],
    };
}

impl Allocator for AwMalloc {
    type Handle = u32;

    const FREES: bool = true;
    const REUSES_ACROSS_SIZES: bool = true;
    const WALKABLE: bool = false;
    const MAY_OVERWRITE: bool = true;
    const EXACT_NULL: bool = true;
    const BOUNDED_REFUSAL: bool = true;

    fn setup(request: &Request) -> Result<Heap, SetupError> {
        with_unit_alone(request, |unit_shift| {
            // Two bits at least for the turn, and one handle fewer for null.
            let limit = HEADER + (((1 << 30) - 1) << unit_shift);
            let needed = HEADER + (1 << unit_shift);
            if request.pool_bytes < needed {
                return Err(SetupError::PoolTooSmall { needed });
            }
            if request.pool_bytes > limit {
                return Err(SetupError::PoolTooLarge { limit });
            }
            let units = (request.pool_bytes - HEADER) >> unit_shift;
            // One unit more than there are, so that no handle equals null.
            let unit_bits = u64::BITS - units.leading_zeros();
            Ok(Heap {
                pointers: [
                    request.base.wrapping_add(HEADER as usize),
                    request.base,
                    core::ptr::null_mut(),
                    core::ptr::null_mut(),
                ],
                integers: [
                    units,
                    u64::from(unit_bits),
                    u64::from(unit_shift),
                    0,
                    0,
                    0,
                    0,
                ],
            })
        })
    }

    #[inline(always)]
    unsafe fn new(heap: Heap) -> Self {
        Self {
            blocks: heap.pointers[0],
            words: heap.pointers[1],
            units: heap.integers[0] as u32,
            unit_bits: heap.integers[1] as u32,
            unit_shift: heap.integers[2] as u32,
        }
    }

    fn max_block(heap: &Heap) -> u64 {
        heap.integers[0] << heap.integers[2]
    }

    unsafe fn init<W: Warp>(self, warp: W) {
        if warp.thread() == 0 {
            self.head().store(0, Relaxed);
            self.overwritten_count().store(0, Relaxed);
        }
    }

    /// The active lanes make one request: additions to a 64-bit word
    /// by the lanes of a warp would be carried out one by one.
    #[inline(always)]
    fn malloc<W: Warp>(self, warp: W, bytes: u64) -> u32 {
        let wanted = units(bytes, self.unit_shift);
        let group = Group::form(warp, wanted);
        if group.total > u64::from(self.units) {
            return self.request(wanted);
        }
        let mut first = u32::NULL;
        if group.leads() {
            first = self.request(group.total as u32);
        }
        // The lanes' blocks begin in the same turn: the request did not wrap.
        let first = warp.shuffle(group.mask, first, group.leader);
        // The leader has acquired for all lanes.
        warp.sync(group.mask);
        first + group.before as u32
    }

    /// A block of the first turn, which lies over no other. Once the pool is used up
    /// the head is left where it is, so that turns are not counted up to where their
    /// number wraps.
    #[inline(always)]
    fn malloc_exclusive<W: Warp>(self, warp: W, bytes: u64) -> u32 {
        // Relaxed: a thread that finds the first turn reads again.
        if self.turns() > 0 {
            return u32::NULL;
        }
        let block = self.malloc(warp, bytes);
        // Relaxed: not before the request, which moved the same word and happens
        // before, also where another lane made it. A block of a later turn is
        // no thread's; those of the first turn that are given up here were granted
        // while others began the second, and are as little needed.
        if self.turns() > 0 {
            return u32::NULL;
        }
        block
    }

    #[inline(always)]
    unsafe fn free<W: Warp>(self, warp: W, block: u32) {
        if block.is_null() {
            return;
        }
        // One addition for the active lanes, after what all of them did.
        let mask = warp.converge();
        warp.sync(mask);
        let mut head = 0;
        if warp.lane() == leader(mask) {
            // Release: before all that the next owner does; see above.
            head = self.head().fetch_add(0, Release);
        }
        let head = warp.shuffle64(mask, head, leader(mask));
        let turn_mask = u32::MAX >> self.unit_bits;
        let turns =
            ((head >> OFFSET_BITS) as u32).wrapping_sub(block >> self.unit_bits) & turn_mask;
        let came_round = (head & OFFSET_MASK) > u64::from(self.unit(block));
        if turns > 1 || (turns == 1 && came_round) {
            self.overwritten_count().fetch_add(1, Relaxed);
        }
    }

    #[inline(always)]
    fn address(self, block: u32) -> *mut u8 {
        self.blocks
            .wrapping_add((self.unit(block) as usize) << self.unit_shift)
    }

    fn contains(self, block: u32) -> bool {
        !block.is_null() && self.unit(block) < self.units
    }

    unsafe fn granted(self, _block: u32, requested: u64) -> u64 {
        u64::from(units(requested, self.unit_shift)) << self.unit_shift
    }

    fn faults(self) -> Faults {
        Faults {
            overwritten: self.overwritten_count().load(Relaxed),
            ..Faults::default()
        }
    }
}
