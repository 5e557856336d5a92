//! FDGMalloc (Widmer, Wodniok, Weber and Goesele 2013): each warp has a heap of its own, a
//! superblock from which it cuts block after block, without headers. Blocks are not freed one
//! by one: all of them go together, here when the heap is initialised.
//!
//! The lanes that call together elect one, which cuts what all of them want off the warp's
//! superblock. If that is too small, it obtains another superblock, and what is left of the
//! old one is given up. Requests not smaller than a superblock go to the pool itself.
//! The paper obtains superblocks from CUDA's heap; here they come from [`AtomicMalloc`]: whoever
//! frees everything together needs no allocator below that frees.
//!
//! The paper takes a warp's lanes for one thread. They are not: lanes that diverged request at
//! the same time, and more warps than heaps may be resident. So a heap is a word, and
//! whoever changes it owns what it cut off:
//!
//! - The word is `end << 32 | next`, in units: of a superblock or 0. It changes by
//!   compare-and-swap only, so that a part of a superblock is cut off once. That no value
//!   comes again, with which a late exchange would succeed: `next` only grows in a
//!   superblock, and no superblock is obtained twice.
//! - A new superblock replaces the word only if it has more left than what is there: of two
//!   that were obtained at the same time one stays, and the other's rest is given up.
//! - No memory passes from one owner to another. So all operations are relaxed.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;

use super::AtomicMalloc;
use super::circular::Group;
use super::common::{UNIT, units};
use crate::allocator::{Allocator, Handle, Heap, Request, SetupError};
use crate::description::{Described, Description, Parameter};
use crate::registers::RegisterLimits;
use crate::simt::Warp;

/// Warps that a multiprocessor runs at a time, at the most: each has a heap.
const RESIDENT_WARPS: u64 = 64;
/// Bytes of a superblock unless `superblock=BYTES` says otherwise.
const SUPERBLOCK_BYTES: u64 = 8192;
const MIN_SUPERBLOCK_BYTES: u64 = 256;
const MAX_SUPERBLOCK_BYTES: u64 = 1 << 30;
/// The alignment of the superblocks' memory.
const LINE: u64 = 256;
const PARAMETERS: &str = "superblock=BYTES, a power of two from 256 to 2^30, \
                          unit=BYTES, a power of two from 16 to 4096";

/// A heap of superblocks for each warp.
#[derive(Clone, Copy)]
pub struct FdgMalloc {
    pool: AtomicMalloc,
    heaps: *mut u8,
    /// The number of heaps, a power of two, less one.
    last_heap: u32,
    /// Units of the pool.
    pool_units: u64,
    /// Units of a superblock.
    superblock_units: u64,
    /// The logarithm of a unit's bytes.
    unit_shift: u32,
}

/// Units that are left of the superblock in a word.
#[inline(always)]
fn left(word: u64) -> u64 {
    (word >> 32) - (word & u64::from(u32::MAX))
}

impl FdgMalloc {
    /// The heap of a warp; on the CPU, where a warp is a lane, of a worker.
    #[inline(always)]
    fn heap<W: Warp>(&self, warp: W) -> &AtomicU64 {
        let own = if W::IS_SOLO {
            warp.processor()
        } else {
            warp.warp()
        };
        let index = (own & self.last_heap) as usize;
        // SAFETY: `setup` placed a word there for each index up to `last_heap`.
        unsafe { &*self.heaps.cast::<AtomicU64>().add(index) }
    }

    /// The first of so many units, fewer than a superblock has, or null if no superblock is
    /// left. One lane calls this for the others.
    #[inline(always)]
    fn cut<W: Warp>(self, warp: W, total: u64) -> u32 {
        let heap = self.heap(warp);
        // Relaxed, here and below: see the module. An outdated word is not exchanged, or has a
        // superblock too many obtained.
        let mut seen = heap.load(Relaxed);
        while left(seen) >= total {
            let held = heap.compare_exchange(seen, seen + total, Relaxed);
            if held == seen {
                return seen as u32;
            }
            seen = held;
            warp.back_off();
        }
        let superblock = self.pool.request(warp, self.superblock_units);
        if superblock.is_null() {
            return superblock;
        }
        let end = u64::from(superblock) + self.superblock_units;
        let ours = end << 32 | (u64::from(superblock) + total);
        while left(seen) < left(ours) {
            let held = heap.compare_exchange(seen, ours, Relaxed);
            if held == seen {
                break;
            }
            seen = held;
            warp.back_off();
        }
        superblock
    }
}

impl Described for FdgMalloc {
    const DESCRIPTION: Description = Description {
        name: "fdgmalloc",
        what: "a heap of superblocks for each warp, all blocks of which are freed together",
        paper: "Widmer, Wodniok, Weber and Goesele, Fast Dynamic Memory Allocator for Massively \
                Parallel Architectures, 2013",
        parameters: &[
            Parameter {
                name: "superblock",
                values: "bytes, a power of two from 256 to 2^30",
                default: "8192",
                what: "what a warp obtains at a time",
            },
            UNIT,
        ],
    };
    // With fewer the sum of the lanes is spilled.
    const REGISTERS: RegisterLimits = RegisterLimits {
        pair: 28,
        ..RegisterLimits::SMALL
    };
}

impl Allocator for FdgMalloc {
    type Handle = u32;

    const FREES: bool = false;
    const REUSES_ACROSS_SIZES: bool = false;
    const WALKABLE: bool = false;
    // The rest of a superblock serves its own warp only.
    const EXACT_NULL: bool = false;
    const BOUNDED_REFUSAL: bool = true;

    fn setup(request: &Request) -> Result<Heap, SetupError> {
        let bad = SetupError::BadParameter {
            expected: PARAMETERS,
        };
        let (mut superblock_bytes, mut unit) = (SUPERBLOCK_BYTES, &[][..]);
        for parameter in request.parameters {
            match parameter {
                ("unit", _) => unit = core::slice::from_ref(parameter),
                ("superblock", text) => match text.parse::<u64>() {
                    Ok(bytes @ MIN_SUPERBLOCK_BYTES..=MAX_SUPERBLOCK_BYTES)
                        if bytes.is_power_of_two() =>
                    {
                        superblock_bytes = bytes;
                    }
                    _ => return Err(bad),
                },
                _ => return Err(bad),
            }
        }
        let heaps = (u64::from(request.processors.max(1)) * RESIDENT_WARPS).next_power_of_two();
        let table = (8 * heaps).next_multiple_of(LINE);
        let beside = |bytes: u64| bytes.saturating_add(table);
        let pool = AtomicMalloc::setup(&Request {
            base: request.base.wrapping_add(table as usize),
            pool_bytes: request.pool_bytes.saturating_sub(table),
            parameters: unit,
            ..*request
        });
        let mut heap = pool.map_err(|error| match error {
            SetupError::PoolTooSmall { needed } => SetupError::PoolTooSmall {
                needed: beside(needed),
            },
            SetupError::PoolTooLarge { limit } => SetupError::PoolTooLarge {
                limit: beside(limit),
            },
            SetupError::BadParameter { .. } => bad,
        })?;
        heap.pointers[2] = request.base;
        heap.integers[2] = heaps - 1;
        heap.integers[3] = superblock_bytes;
        Ok(heap)
    }

    #[inline(always)]
    unsafe fn new(heap: Heap) -> Self {
        let unit_shift = heap.integers[1] as u32;
        Self {
            // SAFETY: `setup` has left the words of the pool where they were.
            pool: unsafe { AtomicMalloc::new(heap) },
            heaps: heap.pointers[2],
            last_heap: heap.integers[2] as u32,
            pool_units: heap.integers[0],
            superblock_units: u64::from(units(heap.integers[3], unit_shift)),
            unit_shift,
        }
    }

    fn max_block(heap: &Heap) -> u64 {
        AtomicMalloc::max_block(heap)
    }

    unsafe fn init<W: Warp>(self, warp: W) {
        // SAFETY: nothing else uses the pool during the launch.
        unsafe { self.pool.init(warp) };
        let mut index = warp.thread();
        while index <= self.last_heap {
            // SAFETY: a word of the table.
            let heap = unsafe { &*self.heaps.cast::<AtomicU64>().add(index as usize) };
            heap.store(0, Relaxed);
            index += warp.threads();
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
        if group.leads() {
            // No collective: other lanes of the warp are in their own requests, in which they
            // would be taken for those of this one.
            first = if group.total < self.superblock_units {
                self.cut(warp, group.total)
            } else {
                self.pool.request(warp, group.total)
            };
        }
        let first = warp.shuffle(group.mask, first, group.leader);
        if wanted == 0 {
            return u32::NULL;
        }
        if first.is_null() {
            // Not enough for all of them, or for a superblock.
            return self.pool.request(warp, u64::from(wanted));
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
