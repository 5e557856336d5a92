//! LLVM libc's GPU malloc as an [`Allocator`].

use core::sync::atomic::Ordering::Relaxed;

use super::LlvmLibc;
use super::layout::{self, Layout, MAX_CLASS, chunk_units, class_of};
use super::search::{FoundChunks, SlabRequest};
use super::slabs::{FREE, HELD, SlabUse};
use super::slots::count_of;
use crate::allocator::{Allocator, Handle, Heap, Occupancy, Request, SetupError};
use crate::simt::{Backoff, Warp, leader, rank};

/// Pauses of a request in all, in which another thread is to put a slab into a slot that it has
/// claimed: up to 0.25 milliseconds on a GPU, where it takes some microseconds.
const MAX_PAUSES: u32 = 64;

impl LlvmLibc {
    /// Chunks for the lanes that call this together, of the same or other classes.
    ///
    /// # Safety
    ///
    /// `class` is that of a request which the heap serves by chunks.
    #[inline(always)]
    unsafe fn chunk<W: Warp>(&self, warp: W, class: u32) -> u32 {
        let lane = warp.lane();
        let mask = warp.converge();
        let group = warp.match_any(mask, class);
        let size = chunk_units(class);
        let capacity = self.layout.capacity(size);
        let mut rest = group;
        let mut block = u32::NULL;
        let mut pauses = 0;
        let mut pause = Backoff::new();
        loop {
            let first = if rest == 0 { lane } else { leader(rest) };
            let mut found = FoundChunks::NONE.to_bits();
            if rest != 0 && lane == first {
                let request = SlabRequest {
                    class,
                    wanted: rest.count_ones(),
                    capacity,
                    may_wait: pauses < MAX_PAUSES,
                };
                // SAFETY: the caller's promise.
                found = unsafe { self.find(warp, request).to_bits() };
            }
            // All lanes take part until the last is done, whatever their groups: see
            // `Warp::converge`.
            let found = FoundChunks::from_bits(warp.shuffle64(mask, found, first));
            let (place, is_in) = (rank(rest, lane), rest >> lane & 1 == 1);
            let new = warp.ballot(mask, found.is_new()) & mask;
            if new != 0 {
                // The leader has acquired the slab for the lanes that clear its bits.
                warp.sync(mask);
                if found.is_new() & is_in & !found.is_clear {
                    let parts = rest.count_ones();
                    // SAFETY: the leader holds the slab for its group.
                    unsafe { self.clear_field(found.slab, capacity, place, parts) };
                }
                // The lanes have cleared the bits before their leader puts the slab in.
                warp.sync(mask);
                // After a collective its result decides, and not what was tested before.
                if new >> lane & 1 == 1 && lane == first {
                    // SAFETY: the leader has claimed the slot, and holds the slab.
                    unsafe {
                        self.set_first(found.slab, found.chunks);
                        self.put_slab(found.slot, found.slab, found.chunks);
                    }
                }
            }
            // The leader has entered the slot, and acquired the slab, for all of its lanes.
            warp.sync(mask);
            let served = (place < found.chunks) & is_in;
            if served {
                let mut chunk = found.before + place;
                if new >> first & 1 == 0 {
                    // SAFETY: the leader has entered the slab for each of these lanes.
                    chunk = unsafe { self.take_chunk(warp, found.slab, capacity, chunk) };
                }
                let unit = self.layout.field_units(size) + chunk * size;
                block = (found.slab << self.layout.unit_bits()) + unit;
            }
            let done = warp.ballot(mask, served) & group;
            rest = if done == 0 && !found.waits() {
                0
            } else {
                rest & !done
            };
            if warp.ballot(mask, rest != 0) & mask == 0 {
                return block;
            }
            if warp.ballot(mask, found.waits()) & mask != 0 {
                // All lanes pause, so that none holds up another that is at work.
                pauses += 1;
                pause.pause(warp);
            }
        }
    }

    /// The slab of a block, and the unit within it where the block begins.
    #[inline(always)]
    fn split(&self, block: u32) -> (u32, u32) {
        let bits = self.layout.unit_bits();
        (block >> bits, block & ((1 << bits) - 1))
    }

    /// Bytes of a chunk of `class`.
    #[inline(always)]
    fn chunk_bytes(&self, class: u32) -> u64 {
        u64::from(chunk_units(class)) << self.layout.unit_shift()
    }

    /// Free slabs in a row from `slab` on.
    ///
    /// # Safety
    ///
    /// `slab` is at most `layout.slabs`.
    unsafe fn run_from(&self, slab: u32) -> u32 {
        let mut end = slab;
        // SAFETY: slabs of the heap.
        while end < self.layout.slabs && matches!(unsafe { self.slab_use(end) }, SlabUse::Free) {
            end += 1;
        }
        end - slab
    }

    /// The used and the free bytes of a slab.
    ///
    /// # Safety
    ///
    /// `slab` is below `layout.slabs`.
    unsafe fn occupancy_of(&self, slab: u32) -> Occupancy {
        let slab_shift = self.layout.slab_shift;
        // SAFETY: the caller's promise; a slab of chunks is in a slot.
        unsafe {
            match self.slab_use(slab) {
                SlabUse::Held => Occupancy::default(),
                SlabUse::Run(length) => Occupancy {
                    used_bytes: u64::from(length) << slab_shift,
                    ..Occupancy::default()
                },
                SlabUse::Chunks { class, slot } => {
                    let used = count_of(self.slot(slot).load(Relaxed));
                    let free = self.layout.capacity(chunk_units(class)) - used;
                    let bytes = self.chunk_bytes(class);
                    Occupancy {
                        used_bytes: u64::from(used) * bytes,
                        free_bytes: u64::from(free) * bytes,
                        largest_free_bytes: if free > 0 { bytes } else { 0 },
                    }
                }
                SlabUse::Free => {
                    let mut sum = Occupancy {
                        free_bytes: 1 << slab_shift,
                        ..Occupancy::default()
                    };
                    if slab == 0 || !matches!(self.slab_use(slab - 1), SlabUse::Free) {
                        sum.largest_free_bytes = u64::from(self.run_from(slab)) << slab_shift;
                    }
                    sum
                }
            }
        }
    }
}

impl Allocator for LlvmLibc {
    type Handle = u32;

    const FREES: bool = true;
    const REUSES_ACROSS_SIZES: bool = true;
    const WALKABLE: bool = true;
    // A slab is hidden for a moment while a thread puts it into a slot, is inside it in vain, has
    // not retired it yet, or holds it for a run in vain.
    const EXACT_NULL: bool = false;
    // A pass over all slots, and one over the owner words.
    const BOUNDED_REFUSAL: bool = true;

    fn setup(request: &Request) -> Result<Heap, SetupError> {
        layout::plan(request)
    }

    #[inline(always)]
    unsafe fn new(heap: Heap) -> Self {
        Self {
            blocks: heap.pointers[0],
            tables: heap.pointers[1],
            layout: Layout::unpack(&heap.integers),
        }
    }

    fn max_block(heap: &Heap) -> u64 {
        let layout = Layout::unpack(&heap.integers);
        u64::from(layout.slabs) << layout.slab_shift
    }

    unsafe fn init<W: Warp>(self, warp: W) {
        // SAFETY: slabs, slots and classes of the heap.
        // Relaxed, all: the heap is used by later launches only.
        unsafe {
            let mut slab = warp.thread();
            while slab < self.layout.owner_words() {
                let is_slab = slab < self.layout.slabs;
                self.owner(slab)
                    .store(if is_slab { FREE } else { HELD }, Relaxed);
                if is_slab {
                    self.slot(slab).store(0, Relaxed);
                }
                slab += warp.threads();
            }
            let mut class = warp.thread();
            while class <= MAX_CLASS {
                self.hint(class).store(self.layout.start(class), Relaxed);
                class += warp.threads();
            }
        }
    }

    /// Lanes that request chunks of one class together get them from the same slabs.
    #[inline(always)]
    fn malloc<W: Warp>(self, warp: W, bytes: u64) -> u32 {
        let last = bytes.saturating_sub(1);
        let units = last >> self.layout.unit_shift();
        if units < u64::from(self.layout.max_chunk_units()) {
            // SAFETY: of so many units a slab has two chunks at least.
            return unsafe { self.chunk(warp, class_of(units as u32 + 1)) };
        }
        let slabs = last >> self.layout.slab_shift;
        if slabs >= u64::from(self.layout.slabs) {
            return u32::NULL;
        }
        // SAFETY: the pool has so many slabs.
        let first = unsafe { self.take_run(warp, slabs as u32 + 1) };
        if first == u32::NULL {
            return u32::NULL;
        }
        first << self.layout.unit_bits()
    }

    /// Lanes that free chunks of one slab together leave it by one subtraction.
    #[inline(always)]
    unsafe fn free<W: Warp>(self, warp: W, block: u32) {
        if block.is_null() {
            return;
        }
        let (slab, unit) = self.split(block);
        // SAFETY: the caller's promise: a live block is a run, or a chunk of its slab, that
        // its owner gives up.
        unsafe {
            let (class, slot) = match self.slab_use(slab) {
                SlabUse::Chunks { class, slot } => (class, slot),
                SlabUse::Run(length) => return self.free_run(slab, length),
                SlabUse::Free | SlabUse::Held => return,
            };
            let size = chunk_units(class);
            let chunk = (unit - self.layout.field_units(size)).checked_div(size);
            self.clear_bit(slab, chunk.unwrap_or(0));
            let mask = warp.converge();
            let group = warp.match_any(mask, slot);
            // All lanes' bits are clear, and their accesses done, before one leaves for them.
            warp.sync(mask);
            if warp.lane() == leader(group) {
                self.leave(slot, group.count_ones());
            }
        }
    }

    #[inline(always)]
    fn address(self, block: u32) -> *mut u8 {
        self.blocks
            .wrapping_add((block as usize) << self.layout.unit_shift())
    }

    fn contains(self, block: u32) -> bool {
        block >> self.layout.unit_bits() < self.layout.slabs
    }

    unsafe fn granted(self, block: u32, _requested: u64) -> u64 {
        let (slab, _) = self.split(block);
        // SAFETY: the caller's promise: a live block is of the heap.
        match unsafe { self.slab_use(slab) } {
            SlabUse::Run(length) => u64::from(length) << self.layout.slab_shift,
            SlabUse::Chunks { class, .. } => self.chunk_bytes(class),
            SlabUse::Free | SlabUse::Held => 0,
        }
    }

    fn walk<W: Warp>(self, warp: W) -> Occupancy {
        let mut sum = Occupancy::default();
        let mut slab = warp.thread();
        while slab < self.layout.slabs {
            // SAFETY: a slab of the heap.
            let found = unsafe { self.occupancy_of(slab) };
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
