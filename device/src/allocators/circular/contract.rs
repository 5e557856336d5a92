//! The circular allocators as [`Allocator`]s.

use core::marker::PhantomData;
use core::sync::atomic::Ordering::Relaxed;

use super::group::Group;
use super::heap::{Circular, Offsets};
use super::layout::{self, Layout};
use super::links::{ABSORBED, FREE, LOCKED, Links, USED, Unit};
use crate::allocator::{Allocator, Handle, Heap, Occupancy, Request, SetupError};
use crate::allocators::common::{units, with_unit};
use crate::simt::{Warp, leader};

impl<L: Links, O: Offsets> Allocator for Circular<L, O> {
    type Handle = u32;

    const FREES: bool = true;
    const REUSES_ACROSS_SIZES: bool = true;
    const WALKABLE: bool = true;
    const EXACT_NULL: bool = true;
    const BOUNDED_REFUSAL: bool = true;

    fn setup(request: &Request) -> Result<Heap, SetupError> {
        with_unit(request, L::UNIT_SHIFT, layout::PARAMETERS, |unit_shift| {
            layout::plan(request, unit_shift, L::WORDS, L::LIMIT, O::MULTI)
        })
    }

    #[inline(always)]
    unsafe fn new(heap: Heap) -> Self {
        Self {
            blocks: heap.pointers[0],
            // SAFETY: `setup` made room for the table there.
            links: unsafe { L::new(heap.pointers[1]) },
            hints: heap.pointers[2],
            layout: Layout::unpack(&heap.integers),
            offsets: PhantomData,
        }
    }

    fn max_block(heap: &Heap) -> u64 {
        // Chunks merge, so that an empty heap is one run.
        let layout = Layout::unpack(&heap.integers);
        u64::from(layout.units) << layout.unit_shift
    }

    unsafe fn init<W: Warp>(self, warp: W) {
        // SAFETY: nothing else uses the heap, by the caller's promise; units, regions and tickets
        // are below their numbers, and so are first heads, or at the end of the units.
        unsafe {
            let layout = &self.layout;
            let mut unit = warp.thread();
            while unit < layout.units {
                let head = layout.first_head(unit);
                if head == unit {
                    self.links
                        .reset(Unit::new(unit), layout.first_head(unit + 1), FREE);
                } else if unit & ((1 << layout.region_bits) - 1) == 0 {
                    self.links.reset(Unit::new(unit), head, ABSORBED);
                } else {
                    self.links.reset(Unit::new(unit), 0, LOCKED);
                }
                unit += warp.threads();
            }
            let mut region = warp.thread();
            while region < layout.regions {
                self.hint(region).store(0, Relaxed);
                region += warp.threads();
            }
            let mut index = warp.thread();
            while index < layout.tickets {
                self.ticket(index).store(0, Relaxed);
                index += warp.threads();
            }
            if warp.thread() == 0 {
                self.reset_places();
                self.scarce().store(u32::MAX, Relaxed);
            }
            self.index().init(warp);
        }
    }

    #[inline(always)]
    fn malloc<W: Warp>(self, warp: W, bytes: u64) -> u32 {
        let wanted = units(bytes, self.layout.unit_shift);
        // SAFETY: `units` is at least 1.
        unsafe { self.find(warp, wanted, true).0 }
    }

    #[inline(always)]
    unsafe fn free<W: Warp>(self, warp: W, block: u32) {
        if !block.is_null() {
            // The caller's own chunk: its entry is as `malloc` left it.
            // SAFETY: the caller's promise: a live block is a chunk that its owner gives up.
            unsafe {
                let end = self.links.end(Unit::new(block));
                self.release(warp, block, end, end);
            }
        }
    }

    /// One chunk for the group, which its lanes then split side by side: each
    /// writes the header of its own block. A sum of more than a region, or one
    /// for which a walk finds no chunk, is requested lane by lane.
    ///
    /// Both kinds of request are turns of one loop, so that the walk is compiled
    /// once.
    #[inline(always)]
    fn malloc_coalesced<W: Warp>(self, warp: W, bytes: u64) -> u32 {
        // SAFETY: no request is for 0 units. The chunk that the leader has found has the units
        // that all lanes want: each owns those from its `unit` to `next`, a unit at least.
        unsafe {
            let wanted = units(bytes, self.layout.unit_shift);
            let group = Group::form(warp, wanted);
            // The units that this lane requests: its own units if it does so for itself; as
            // the leader of others the sum, which is more; as one of the others
            // more than there is, so that `find` returns at once.
            let mut request = if group.total > u64::from(self.layout.region_units) {
                wanted
            } else if group.leads() {
                group.total as u32
            } else {
                u32::MAX
            };
            loop {
                let (mut unit, mut end) = self.find(warp, request, request == wanted);
                if request == wanted {
                    return unit;
                }
                let found = warp.ballot(group.mask, end != 0);
                if found != 0 {
                    unit = warp.shuffle(group.mask, unit, leader(found)) + group.before as u32;
                    end = warp.shuffle(group.mask, end, leader(found));
                    // The leader acquired the chunk for all of its lanes.
                    warp.sync(group.mask);
                    let next = if group.is_last() { end } else { unit + wanted };
                    // `find` has anchored the region of `end`; the heads between are
                    // ours.
                    self.anchor(unit, next);
                    self.links.put(Unit::new(unit), next, USED);
                    return unit;
                }
                request = wanted;
            }
        }
    }

    /// Blocks of neighbouring lanes that lie one behind the other, as
    /// `malloc_coalesced` places them, are joined first and freed as one.
    #[inline(always)]
    unsafe fn free_coalesced<W: Warp>(self, warp: W, block: u32) {
        // SAFETY: the caller's promise: a live block is a chunk that its owner gives up, and so
        // is each of the blocks that are joined, whose last ends at `end`.
        unsafe {
            if block.is_null() {
                return;
            }
            let mask = warp.converge();
            let lane = warp.lane();
            let next = self.links.end(Unit::new(block));
            let above = mask & (u32::MAX << lane << 1);
            let neighbour = if above == 0 {
                lane
            } else {
                above.trailing_zeros()
            };
            let joined = warp.shuffle(mask, block, neighbour) == next;
            let joins = warp.ballot(mask, joined);
            // The run ends with the first lane from here on that joins no other.
            let last = (mask & !joins & !((1 << lane) - 1)).trailing_zeros();
            let end = warp.shuffle(mask, next, last);
            let below = mask & ((1 << lane) - 1);
            let absorbed = below != 0 && joins >> (u32::BITS - 1 - below.leading_zeros()) & 1 == 1;
            if absorbed {
                self.links.put(Unit::new(block), next, ABSORBED);
            }
            // Every lane is done with its block before one gives the run up.
            warp.sync(mask);
            if !absorbed {
                self.release(warp, block, next, end);
            }
            // No lane returns before the memory is free: a refusal is judged by that.
            warp.sync(mask);
        }
    }

    #[inline(always)]
    fn address(self, block: u32) -> *mut u8 {
        self.blocks
            .wrapping_add((block as usize) << self.layout.unit_shift)
    }

    fn contains(self, block: u32) -> bool {
        block < self.layout.units
    }

    unsafe fn granted(self, block: u32, _requested: u64) -> u64 {
        // SAFETY: the caller's promise: a live block is a unit of the heap.
        u64::from(unsafe { self.links.end(Unit::new(block)) } - block) << self.layout.unit_shift
    }

    fn walk<W: Warp>(self, warp: W) -> Occupancy {
        // SAFETY: units below `end` are of the heap.
        unsafe {
            let mut sum = Occupancy::default();
            let mut region = warp.thread();
            while region < self.layout.regions {
                let mut unit = region << self.layout.region_bits;
                let end = unit + (1 << self.layout.region_bits);
                let end = if end < self.layout.units {
                    end
                } else {
                    self.layout.units
                };
                while unit < end {
                    let link = self.links.peek(Unit::new(unit));
                    let bytes = u64::from(link.next - unit) << self.layout.unit_shift;
                    if link.state == USED {
                        sum.used_bytes += bytes;
                    } else if link.state == FREE {
                        sum.free_bytes += bytes;
                        if bytes > sum.largest_free_bytes {
                            sum.largest_free_bytes = bytes;
                        }
                    }
                    if link.next <= unit {
                        // No header at all: something overwrote the table.
                        break;
                    }
                    unit = link.next;
                }
                region += warp.threads();
            }
            sum
        }
    }
}
