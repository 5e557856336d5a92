//! Halloc as an [`Allocator`].

use core::sync::atomic::Ordering::Relaxed;

use super::layout::{Layout, MAX_SLAB_SHIFT, MIN_SLAB_SHIFT, ROW_SLABS, SETS, class_of, units_of};
use super::level::Class;
use super::relay::Relay;
use super::word::{NONE, Slab, class_in, count_of};
use super::{Halloc, Slabs};
use crate::allocator::{Allocator, Handle, Heap, Occupancy, Request, SetupError};
use crate::simt::Warp;

/// The maximum number of bytes of a pool: more than any device has.
const MAX_POOL: u64 = 1 << 40;
/// The most slabs, so that their numbers fit a word with others.
const MAX_SLABS: u64 = 1 << 18;
/// The granularity of the parts of the pool.
const LINE: u64 = 256;

impl Slabs {
    /// Makes the slabs free: the part of this thread.
    ///
    /// # Safety
    ///
    /// No thread uses the heap, and all threads of a launch call this.
    unsafe fn init<W: Warp>(&self, warp: W) {
        let layout = &self.layout;
        // SAFETY: words of bitmaps, slabs, heads and rows of sets.
        // Relaxed, all: the heap is used by later launches only.
        unsafe {
            let word_bits = layout.slab_bits() - 5;
            let mut word = u64::from(warp.thread());
            while word < u64::from(layout.slabs) << word_bits {
                let inside = word as u32 & ((1 << word_bits) - 1);
                self.reset_bits(Slab::new((word >> word_bits) as u32), inside);
                word += u64::from(warp.threads());
            }
            let mut slab = warp.thread();
            while slab < layout.slabs {
                self.word(Slab::new(slab)).store(0, Relaxed);
                slab += warp.threads();
            }
            let mut head = warp.thread();
            while head < (layout.last_class + 1) << layout.head_bits {
                self.head_at(head).store(NONE, Relaxed);
                head += warp.threads();
            }
            let words = layout.rows() as u32 * (ROW_SLABS / 32);
            let mut word = warp.thread();
            while word < words * SETS as u32 {
                let first = 32 * word;
                let left = layout.slabs.saturating_sub(first);
                let mut bits = 0;
                if word < words {
                    bits = if left < 32 { (1 << left) - 1 } else { u32::MAX };
                }
                self.set_word(word).store(bits, Relaxed);
                word += warp.threads();
            }
        }
    }

    /// The used and the free bytes of a slab.
    fn occupancy_of(&self, slab: Slab) -> Occupancy {
        // Relaxed: the heap is at rest.
        let word = self.word(slab).load(Relaxed);
        let (class, count) = (class_in(word), count_of(word));
        if count == 0 {
            return Occupancy {
                used_bytes: 0,
                free_bytes: 1 << self.layout.slab_shift,
                largest_free_bytes: self.layout.chunk_bytes(self.layout.last_class),
            };
        }
        let chunk = self.layout.chunk_bytes(class);
        let free = self.layout.shape(class).chunks - count;
        Occupancy {
            used_bytes: u64::from(count) * chunk,
            free_bytes: u64::from(free) * chunk,
            largest_free_bytes: if free > 0 { chunk } else { 0 },
        }
    }
}

impl<L: Relay> Halloc<L> {
    /// Where a block begins behind the first slab, if it is a chunk; more than the slabs have
    /// if it is a large one.
    #[inline(always)]
    fn offset(&self, block: L::Handle) -> u64 {
        let layout = &self.slabs.layout;
        L::offset(self.slabs.blocks, layout.tables(), layout.unit_shift, block)
    }

    /// Whether a block that begins there is a chunk.
    #[inline(always)]
    fn is_chunk(&self, offset: u64) -> bool {
        offset < self.slabs.layout.tables()
    }

    /// Whether a request that no slab serves is to be relayed.
    #[inline(always)]
    fn is_relayed(&self, bytes: u64) -> bool {
        bytes > self.slabs.layout.chunk_bytes(self.slabs.layout.last_class)
            || L::suits(self.integer, bytes)
    }

    /// The chunk of a request for so many bytes, or null; none if it is too large for chunks.
    #[inline(always)]
    fn small<W: Warp>(&self, warp: W, bytes: u64) -> L::Handle {
        let layout = &self.slabs.layout;
        let last = bytes.saturating_sub(1) >> layout.unit_shift;
        let mut block = L::Handle::NULL;
        if last < u64::from(units_of(layout.last_class)) {
            let class = class_of(last as u32 + 1);
            // SAFETY: the class of so many units is not beyond the last one.
            let offset = self.slabs.chunk(warp, unsafe { Class::new(class) });
            if offset != u64::MAX {
                block = L::name_chunk(self.slabs.blocks, offset, layout.unit_shift);
            }
        }
        block
    }

    /// The name of a large block, or null.
    #[inline(always)]
    fn named(block: L::Handle) -> L::Handle {
        if block.is_null() {
            return block;
        }
        L::name_large(block)
    }
}

/// The heap of large blocks inside a heap.
#[inline(always)]
fn large_heap<L: Relay>(heap: &Heap) -> Heap {
    L::heap(heap.pointers[0], heap.integers[1])
}

/// The parameters of a request: the logarithm of a slab's bytes, if given, and the
/// percentage of the slabs.
fn parameters<L: Relay>(request: &Request) -> Result<(Option<u32>, u64), SetupError> {
    let bad = SetupError::BadParameter {
        expected: L::PARAMETERS,
    };
    let (mut slab_shift, mut share) = (None, L::SHARE);
    for (name, text) in request.parameters {
        let value = text.parse::<u64>().unwrap_or(0);
        match *name {
            "slab" if value.is_power_of_two() => match value.ilog2() {
                shift @ MIN_SLAB_SHIFT..=MAX_SLAB_SHIFT => slab_shift = Some(shift),
                _ => return Err(bad),
            },
            "share" if (1..=99).contains(&value) => share = value,
            _ => return Err(bad),
        }
    }
    Ok((slab_shift, share))
}

impl<L: Relay> Allocator for Halloc<L> {
    type Handle = L::Handle;

    const FREES: bool = true;
    const REUSES_ACROSS_SIZES: bool = L::REUSES_ACROSS_SIZES;
    const WALKABLE: bool = L::WALKABLE;
    const SYSTEM_HEAP: bool = L::SYSTEM_HEAP;
    // Slabs that are being given back, or change sets, are hidden for a moment.
    const EXACT_NULL: bool = false;
    // A refusal looks at the sets of its class, and at slabs that are in one by mistake.
    const BOUNDED_REFUSAL: bool = false;

    fn setup(request: &Request) -> Result<Heap, SetupError> {
        let (slab_shift, share) = parameters::<L>(request)?;
        let most = slab_shift.map_or(MAX_POOL, |shift| MAX_POOL.min(MAX_SLABS << shift));
        if request.pool_bytes > most {
            return Err(SetupError::PoolTooLarge { limit: most });
        }
        let large = |offset: u64, pool_bytes: u64| Request {
            base: request.base.wrapping_add(offset as usize),
            pool_bytes,
            parameters: &[],
            ..*request
        };
        let least_large = match L::setup(&large(0, 0)) {
            Err(SetupError::PoolTooSmall { needed }) => needed,
            _ => 0,
        };
        let least = Layout::min_bytes(slab_shift).next_multiple_of(LINE);
        let needed = least + least_large;
        if request.pool_bytes < needed {
            return Err(SetupError::PoolTooSmall { needed });
        }
        let shared = (request.pool_bytes / 100 * share).next_multiple_of(LINE);
        let bytes = shared.clamp(least, request.pool_bytes - least_large) & !(LINE - 1);
        let unit_shift = L::unit_shift(bytes);
        let Some(layout) = Layout::plan(bytes, unit_shift, slab_shift) else {
            return Err(SetupError::PoolTooSmall { needed });
        };
        let inner = L::setup(&large(bytes, request.pool_bytes - bytes))?;
        let null = core::ptr::null_mut();
        Ok(Heap {
            pointers: [
                request.base.wrapping_add(bytes as usize),
                request.base,
                request.base.wrapping_add(layout.tables() as usize),
                null,
            ],
            integers: [layout.to_bits(), inner.integers[0], 0, 0, 0, 0, 0],
        })
    }

    #[inline(always)]
    unsafe fn new(heap: Heap) -> Self {
        Self {
            slabs: Slabs {
                blocks: heap.pointers[1],
                tables: heap.pointers[2],
                layout: Layout::from_bits(heap.integers[0]),
            },
            // SAFETY: the heap that `setup` described has this one in it.
            large: unsafe { L::new(large_heap::<L>(&heap)) },
            base: heap.pointers[0],
            integer: heap.integers[1],
        }
    }

    fn max_block(heap: &Heap) -> u64 {
        let layout = Layout::from_bits(heap.integers[0]);
        let chunk = layout.chunk_bytes(layout.last_class);
        chunk.max(L::max_block(&large_heap::<L>(heap)))
    }

    fn elsewhere(heap: &Heap) -> u64 {
        L::elsewhere(&large_heap::<L>(heap))
    }

    unsafe fn init<W: Warp>(self, warp: W) {
        // SAFETY: nothing else uses either heap during the launch.
        unsafe {
            self.slabs.init(warp);
            self.large.init(warp);
        }
    }

    /// Lanes that request chunks of one class together get them of one slab.
    #[inline(always)]
    fn malloc<W: Warp>(self, warp: W, bytes: u64) -> L::Handle {
        let block = self.small(warp, bytes);
        if !block.is_null() || !self.is_relayed(bytes) {
            return block;
        }
        // SAFETY: the heap of large blocks, which `new` was given.
        let block = unsafe { L::relay_malloc(warp, self.base, self.integer, bytes) };
        Self::named(block)
    }

    #[inline(always)]
    unsafe fn free<W: Warp>(self, warp: W, block: L::Handle) {
        if block.is_null() {
            return;
        }
        let offset = self.offset(block);
        // SAFETY: a live block of one of the two heaps, which its owner gives up.
        unsafe {
            if self.is_chunk(offset) {
                self.slabs.free(warp, offset);
            } else {
                L::relay_free(warp, self.base, self.integer, L::large(block));
            }
        }
    }

    #[inline(always)]
    fn address(self, block: L::Handle) -> *mut u8 {
        let offset = self.offset(block);
        if self.is_chunk(offset) {
            return self.slabs.blocks.wrapping_add(offset as usize);
        }
        self.large.address(L::large(block))
    }

    fn contains(self, block: L::Handle) -> bool {
        let offset = self.offset(block);
        self.is_chunk(offset) || (!block.is_null() && self.large.contains(L::large(block)))
    }

    unsafe fn granted(self, block: L::Handle, requested: u64) -> u64 {
        let offset = self.offset(block);
        // SAFETY: a live block of one of the two heaps.
        unsafe {
            if self.is_chunk(offset) {
                let place = self.slabs.place(offset);
                return self.slabs.layout.chunk_bytes(place.class.number());
            }
            self.large.granted(L::large(block), requested)
        }
    }

    fn walk<W: Warp>(self, warp: W) -> Occupancy {
        let mut sum = self.large.walk(warp);
        let mut slab = warp.thread();
        while slab < self.slabs.layout.slabs {
            // SAFETY: a slab of the heap.
            let found = self.slabs.occupancy_of(unsafe { Slab::new(slab) });
            sum.used_bytes += found.used_bytes;
            sum.free_bytes += found.free_bytes;
            if found.largest_free_bytes > sum.largest_free_bytes {
                sum.largest_free_bytes = found.largest_free_bytes;
            }
            slab += warp.threads();
        }
        sum
    }
}
