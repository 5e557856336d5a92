//! CMalloc as published (Vinkler and Havran 2014, Algorithm 3), for its fault:
//! a thread that stalls between reading a link and following it uses a header
//! that has meanwhile become payload.
//!
//! Headers lie in front of the payload. Where the paper leaves a choice: free is 0, used is 1; a
//! header takes 16 bytes, so that payloads are aligned; the pool is one chunk at first, since the
//! split plays no part in the fault. Two additions keep the host alive. A request gives up after
//! `ROUNDS` chunks, and a link that leads outside the pool sets a flag instead of being followed.

use heapwood_device::allocator::{Allocator, Faults, Heap, Request, SetupError};
use heapwood_device::simt::Warp;

use cuda_std::atomic::Ordering::{AcqRel, Relaxed};
use cuda_std::atomic::{AtomicU32, fence};

const FREE: u32 = 0;
const USED: u32 = 1;
const HEADER: u32 = 16;
/// Chunks that a request looks at before it gives up.
const ROUNDS: u32 = 200;
/// Bytes of the pool for `memOffset` and the flag.
const WORDS: u64 = 256;

/// Algorithm 3.
#[derive(Clone, Copy, Debug)]
pub struct PublishedCMalloc {
    memory: *mut u8,
    words: *mut u8,
    /// Bytes of the pool; the last header, which closes the circle, is there.
    bytes: u32,
}

impl PublishedCMalloc {
    fn word(&self, offset: u32) -> &AtomicU32 {
        // SAFETY: `visit` has checked that a header lies there.
        unsafe { &*self.memory.add(offset as usize).cast() }
    }

    fn flag(&self, offset: u32) -> &AtomicU32 {
        self.word(offset)
    }

    fn next(&self, offset: u32) -> &AtomicU32 {
        self.word(offset + 4)
    }

    fn mem_offset(&self) -> &AtomicU32 {
        // SAFETY: `setup` placed two aligned words there.
        unsafe { &*self.words.cast() }
    }

    fn wild(&self) -> &AtomicU32 {
        // SAFETY: as above.
        unsafe { &*self.words.add(4).cast() }
    }

    /// Whether a header can lie at `offset`; notes it if not.
    fn visit(&self, offset: u32) -> bool {
        let sane = offset <= self.bytes && offset.is_multiple_of(HEADER);
        if !sane {
            self.wild().store(1, Relaxed);
        }
        sane
    }
}

impl Allocator for PublishedCMalloc {
    type Handle = u32;

    const FREES: bool = true;
    const REUSES_ACROSS_SIZES: bool = false;
    const WALKABLE: bool = false;
    const EXACT_NULL: bool = false;
    const BOUNDED_REFUSAL: bool = true;

    fn setup(request: &Request) -> Result<Heap, SetupError> {
        let needed = WORDS + 4 * u64::from(HEADER);
        if request.pool_bytes < needed {
            return Err(SetupError::PoolTooSmall { needed });
        }
        let bytes = (request.pool_bytes - WORDS - u64::from(HEADER)) & !u64::from(HEADER - 1);
        let mut heap = Heap {
            pointers: [std::ptr::null_mut(); 4],
            integers: Default::default(),
        };
        heap.pointers[0] = request.base.wrapping_add(WORDS as usize);
        heap.pointers[1] = request.base;
        heap.integers[0] = bytes;
        Ok(heap)
    }

    unsafe fn new(heap: Heap) -> Self {
        Self {
            memory: heap.pointers[0],
            words: heap.pointers[1],
            bytes: heap.integers[0] as u32,
        }
    }

    fn max_block(heap: &Heap) -> u64 {
        heap.integers[0] - u64::from(HEADER)
    }

    unsafe fn init<W: Warp>(self, warp: W) {
        if warp.thread() == 0 {
            self.mem_offset().store(0, Relaxed);
            self.wild().store(0, Relaxed);
            self.flag(0).store(FREE, Relaxed);
            self.next(0).store(self.bytes, Relaxed);
            self.flag(self.bytes).store(USED, Relaxed);
            self.next(self.bytes).store(0, Relaxed);
        }
    }

    fn malloc<W: Warp>(self, warp: W, bytes: u64) -> u32 {
        let mut offset = self.mem_offset().load(Relaxed);
        let size = (bytes.max(1) as u32).next_multiple_of(HEADER) + HEADER;
        let mut rounds = 0;
        let (next, chunk) = loop {
            if rounds == ROUNDS || !self.visit(offset) {
                return u32::MAX;
            }
            rounds += 1;
            let lock = self.flag(offset).compare_exchange(FREE, USED, AcqRel);
            let next = self.next(offset).load(Relaxed);
            let chunk = next.wrapping_sub(offset);
            if lock == FREE {
                if next > offset && size <= chunk {
                    break (next, chunk);
                }
                self.flag(offset).store(FREE, Relaxed);
            }
            offset = next;
            warp.back_off();
        };
        let mut new_next = next;
        if size + HEADER <= chunk {
            new_next = offset + size;
            if !self.visit(new_next) {
                return u32::MAX;
            }
            self.flag(new_next).store(FREE, Relaxed);
            self.next(new_next).store(next, Relaxed);
            fence(AcqRel);
            self.next(offset).store(new_next, Relaxed);
        }
        self.mem_offset().store(new_next, Relaxed);
        offset + HEADER
    }

    unsafe fn free<W: Warp>(self, _warp: W, block: u32) {
        if block == u32::MAX {
            return;
        }
        let offset = block - HEADER;
        let mut next = self.next(offset).load(Relaxed);
        if !self.visit(next) {
            return;
        }
        if self.flag(next).compare_exchange(FREE, USED, AcqRel) == FREE {
            next = self.next(next).load(Relaxed);
            self.mem_offset().store(next, Relaxed);
            self.next(offset).store(next, Relaxed);
            fence(AcqRel);
        }
        self.flag(offset).store(FREE, Relaxed);
    }

    fn address(self, block: u32) -> *mut u8 {
        self.memory.wrapping_add(block as usize)
    }

    fn contains(self, block: u32) -> bool {
        block < self.bytes
    }

    unsafe fn granted(self, _block: u32, requested: u64) -> u64 {
        requested.max(1).next_multiple_of(u64::from(HEADER))
    }

    /// A wild link counts as an overrun, which is what it came from.
    fn faults(self) -> Faults {
        Faults {
            overruns: u64::from(self.wild().load(Relaxed)),
            ..Faults::default()
        }
    }
}
