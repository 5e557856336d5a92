//! The circular allocators with the walk as published (Vinkler and Havran 2014,
//! Algorithm 3): `walk=paper`.
//!
//! There is one offset into the list of chunks (CMalloc, CFMalloc) or one a
//! multiprocessor (CMMalloc, CFMMalloc). A request follows the links from the
//! offset, takes each free chunk that it comes to, keeps the first that is large
//! enough and gives the others back; it splits off what exceeds its size by more
//! than the maximum fragmentation, and leaves the offset behind its chunk. `free`
//! merges the chunk with its successor, if that is free, and leaves the offset
//! behind the two. With `split=heap` the pool is divided by equation 1, for an
//! offset a multiprocessor into a heap for each, from whose root it starts.
//!
//! Mended:
//!
//! - Headers lie in a table and stay valid for ever ([`super::links`]). A walker
//!   that stalled, and an offset that was left long ago, find their way back.
//! - A walk ends. It gives up after a round of the whole list in which no other
//!   thread held a chunk, or when it has gone round for long enough. The
//!   published one does so for ever. So null is no evidence: with more chunks than
//!   it may look at, or others that hold some all the time, a walk misses free ones.
//! - A chunk's word is read before the chunk is taken: the exchange of a fused word
//!   needs its value.
//!
//! There is no coalesced request: each lane makes its own, as published.

mod layout;

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU32;

use super::links::{ABSORBED, FREE, Fused, LOCKED, Links, TwoWords, USED, Unit};
use crate::allocator::{Allocator, Handle, Heap, Occupancy, REFUSAL_ACCESSES, Request, SetupError};
use crate::allocators::common::units;
use crate::simt::Warp;
use layout::{Layout, OFFSET_BYTES};

/// Accesses of a walk: those of the last step, and of the offset, come on top.
const FUEL: u32 = REFUSAL_ACCESSES as u32 - 16;
/// Accesses after which no other round is made because others held chunks.
const PATIENCE: u32 = 1 << 10;

/// A circular allocator with the published walk; `MULTI` tells whether each
/// multiprocessor has an offset.
#[derive(Clone, Copy)]
pub struct Published<L, const MULTI: bool> {
    blocks: *mut u8,
    links: L,
    offsets: *mut u8,
    layout: Layout,
}

/// CMalloc as published.
pub type CMallocPaper = Published<TwoWords, false>;
/// CFMalloc as published.
pub type CfMallocPaper = Published<Fused, false>;
/// CMMalloc as published.
pub type CmMallocPaper = Published<TwoWords, true>;
/// CFMMalloc as published.
pub type CfmMallocPaper = Published<Fused, true>;

impl<L: Links, const MULTI: bool> Published<L, MULTI> {
    /// An offset by its number.
    ///
    /// # Safety
    ///
    /// `index` is below the number of offsets.
    #[inline(always)]
    unsafe fn offset(&self, index: u32) -> &AtomicU32 {
        // SAFETY: the layout has an aligned word for each offset, and this is one of them.
        unsafe {
            &*self
                .offsets
                .add(index as usize * OFFSET_BYTES as usize)
                .cast()
        }
    }

    /// The offset of the multiprocessor that the warp runs on.
    #[inline(always)]
    fn own_offset<W: Warp>(&self, warp: W) -> &AtomicU32 {
        // SAFETY: a number below that of the offsets, at least one.
        unsafe {
            let processor = if MULTI { warp.processor() } else { 0 };
            self.offset(if processor < self.layout.offsets {
                processor
            } else {
                0
            })
        }
    }

    /// The unit where the next chunk starts, in the circle.
    #[inline(always)]
    fn around(&self, next: u32) -> u32 {
        if next < self.layout.units { next } else { 0 }
    }

    /// Takes a free chunk of at least `wanted` units from `unit` on, the first
    /// on the way: its first unit and its end; null and 0 if there is none.
    ///
    /// # Safety
    ///
    /// `unit` is below the number of units.
    #[inline(always)]
    unsafe fn take<W: Warp>(&self, warp: W, mut unit: u32, wanted: u32) -> (u32, u32) {
        // SAFETY: `unit` is of the heap by the caller's promise, and later by `around`. A chunk
        // that is put back was taken here, with this end.
        unsafe {
            let words = L::WORDS as u32;
            let mut fuel = FUEL;
            // Units to go until the round is complete, and whether all chunks in it
            // were used or too small.
            let mut rest = self.layout.units;
            let mut sure = true;
            loop {
                let link = self.links.peek(Unit::new(unit));
                let mut next = link.next;
                fuel -= words;
                if link.state == FREE {
                    if let Some(end) = self.links.take(Unit::new(unit), link, LOCKED) {
                        if end - unit >= wanted {
                            return (unit, end);
                        }
                        self.links.put(Unit::new(unit), end, FREE);
                        next = end;
                    } else {
                        sure = false;
                    }
                    fuel -= 2 * words;
                }
                if fuel < 3 * words {
                    return (u32::NULL, 0);
                }
                if next <= unit {
                    // We were faster than the store that makes this a header; it is
                    // about to be seen.
                    sure = false;
                    warp.back_off();
                    continue;
                }
                if link.state == LOCKED {
                    sure = false;
                }
                if next - unit < rest {
                    rest -= next - unit;
                } else if sure || fuel < FUEL - PATIENCE {
                    return (u32::NULL, 0);
                } else {
                    rest = self.layout.units;
                    sure = true;
                    warp.back_off();
                }
                unit = self.around(next);
            }
        }
    }
}

impl<L: Links, const MULTI: bool> Allocator for Published<L, MULTI> {
    type Handle = u32;

    const FREES: bool = true;
    // Only `free` merges, and only forward: what is freed in ascending order
    // stays as it was.
    const REUSES_ACROSS_SIZES: bool = false;
    const WALKABLE: bool = true;
    const EXACT_NULL: bool = false;
    const BOUNDED_REFUSAL: bool = true;

    fn setup(request: &Request) -> Result<Heap, SetupError> {
        layout::plan(request, 1 << L::UNIT_SHIFT, L::WORDS, L::LIMIT, MULTI)
    }

    #[inline(always)]
    unsafe fn new(heap: Heap) -> Self {
        Self {
            blocks: heap.pointers[0],
            // SAFETY: `setup` made room for the table there.
            links: unsafe { L::new(heap.pointers[1]) },
            offsets: heap.pointers[2],
            layout: Layout::unpack(&heap.integers),
        }
    }

    fn max_block(heap: &Heap) -> u64 {
        // A request merges nothing.
        u64::from(Layout::unpack(&heap.integers).largest) << L::UNIT_SHIFT
    }

    unsafe fn init<W: Warp>(self, warp: W) {
        // SAFETY: nothing else uses the heap, by the caller's promise; units and offsets are
        // below their numbers, and so are first heads, or at the end of the units.
        unsafe {
            let mut unit = warp.thread();
            while unit < self.layout.units {
                if self.layout.first_head(unit) == unit {
                    let next = self.layout.first_head(unit + 1);
                    self.links.reset(Unit::new(unit), next, FREE);
                } else {
                    self.links.reset(Unit::new(unit), 0, LOCKED);
                }
                unit += warp.threads();
            }
            let mut index = warp.thread();
            while index < self.layout.offsets {
                // Relaxed, as every access to an offset: it is a hint, and any unit that was
                // ever a header will do.
                self.offset(index)
                    .store(self.layout.first_offset(index), Relaxed);
                index += warp.threads();
            }
        }
    }

    #[inline(always)]
    fn malloc<W: Warp>(self, warp: W, bytes: u64) -> u32 {
        // SAFETY: an offset is a unit of the heap from `init` on, since `around` makes it one.
        // The chunk that was taken is the caller's from `unit` to `end`, and has `wanted` units,
        // which is not 0.
        unsafe {
            let wanted = units(bytes, L::UNIT_SHIFT);
            if wanted > self.layout.units {
                return u32::NULL;
            }
            let offset = self.own_offset(warp);
            let (unit, mut end) = self.take(warp, offset.load(Relaxed), wanted);
            if end == 0 {
                return u32::NULL;
            }
            let length = end - unit;
            let fragmented =
                u64::from(wanted) * u64::from(self.layout.fragmentation) <= u64::from(length) * 16;
            if length - wanted >= self.layout.least && fragmented {
                // The published code has a fence between the two: a walker that sees the
                // second and not yet the first waits here.
                self.links.put(Unit::new(unit + wanted), end, FREE);
                end = unit + wanted;
            }
            self.links.put(Unit::new(unit), end, USED);
            offset.store(self.around(end), Relaxed);
            unit
        }
    }

    #[inline(always)]
    unsafe fn free<W: Warp>(self, warp: W, block: u32) {
        // SAFETY: the caller's promise: a live block is a chunk that its owner gives up. The
        // chunk behind it is taken only if that is of the heap.
        unsafe {
            if block.is_null() {
                return;
            }
            // The caller's own chunk: its entry is as `malloc` left it.
            let was = self.links.end(Unit::new(block));
            let mut end = was;
            if was < self.layout.units {
                let link = self.links.peek(Unit::new(was));
                if link.state == FREE
                    && let Some(after) = self.links.take(Unit::new(was), link, ABSORBED)
                {
                    end = after;
                    self.own_offset(warp).store(self.around(end), Relaxed);
                }
            }
            self.links.give_up(Unit::new(block), was, end);
        }
    }

    #[inline(always)]
    fn address(self, block: u32) -> *mut u8 {
        self.blocks.wrapping_add((block as usize) << L::UNIT_SHIFT)
    }

    fn contains(self, block: u32) -> bool {
        block < self.layout.units
    }

    unsafe fn granted(self, block: u32, _requested: u64) -> u64 {
        // SAFETY: the caller's promise: a live block is a unit of the heap.
        u64::from(unsafe { self.links.end(Unit::new(block)) } - block) << L::UNIT_SHIFT
    }

    /// Only heads of chunks are used or free.
    fn walk<W: Warp>(self, warp: W) -> Occupancy {
        // SAFETY: the unit is of the heap.
        unsafe {
            let mut sum = Occupancy::default();
            let mut unit = warp.thread();
            while unit < self.layout.units {
                let link = self.links.peek(Unit::new(unit));
                let bytes = u64::from(link.next.wrapping_sub(unit)) << L::UNIT_SHIFT;
                if link.state == USED {
                    sum.used_bytes += bytes;
                } else if link.state == FREE {
                    sum.free_bytes += bytes;
                    if bytes > sum.largest_free_bytes {
                        sum.largest_free_bytes = bytes;
                    }
                }
                unit += warp.threads();
            }
            sum
        }
    }
}
