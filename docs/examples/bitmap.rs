//! BitmapMalloc: blocks of one size and a bit for each, set while the block has
//! an owner. A request that does not fit a block is refused.
//!
//! The invariant: whoever changes a bit from 0 to 1 owns the block until it
//! clears the bit. Both are single atomic operations on the bit itself, so no
//! thread can act on an outdated view: what is read before is a hint.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use cuda_std::atomic::AtomicU32;
use heapwood_device::allocator::{Allocator, Handle, Heap, Occupancy, Request, SetupError};
use heapwood_device::description::{Described, Description, Parameter};
use heapwood_device::simt::Warp;

/// Bytes of a block unless `block=BYTES` says otherwise.
const BLOCK_BYTES: u64 = 1024;
/// Blocks that one word of the bitmap stands for.
const WORD_BLOCKS: u64 = 32;
/// The most bytes of a block: more than any device has, and few enough to calculate
/// with.
const MAX_BLOCK_BYTES: u64 = 1 << 48;
const PARAMETERS: &str = "block=BYTES, a multiple of 16 up to 2^48";

/// Blocks of one size under a bitmap.
#[derive(Clone, Copy)]
pub struct BitmapMalloc {
    blocks: *mut u8,
    bitmap: *mut u8,
    block_bytes: u64,
    words: u32,
}

impl BitmapMalloc {
    /// A word of the bitmap.
    ///
    /// # Safety
    ///
    /// `index` is below `words`.
    #[inline(always)]
    unsafe fn word(&self, index: u32) -> &AtomicU32 {
        // SAFETY: `setup` placed `words` aligned words there, and the caller's
        // promise.
        unsafe { &*self.bitmap.cast::<AtomicU32>().add(index as usize) }
    }

    /// Takes a clear bit of a word.
    ///
    /// # Safety
    ///
    /// `index` is below `words`.
    #[inline(always)]
    unsafe fn take<W: Warp>(&self, warp: W, index: u32) -> Option<u32> {
        // SAFETY: the caller's promise.
        let word = unsafe { self.word(index) };
        // Relaxed: a hint; `fetch_or` decides.
        let mut seen = word.load(Relaxed);
        // Each turn that fails was another thread's success. Those who lose 32
        // times look elsewhere, so that the time is bounded.
        for _ in 0..32 {
            if seen == u32::MAX {
                return None;
            }
            let bit = (!seen).trailing_zeros();
            // Acquire: what the former owner did before it cleared the bit
            // comes before what we do. Others may have changed other bits
            // since; their operations also read and write the word in one, and
            // so pass the release in `free` on.
            seen = word.fetch_or(1 << bit, Acquire);
            if seen & (1 << bit) == 0 {
                return Some(index * 32 + bit);
            }
            warp.back_off();
        }
        None
    }
}

impl Allocator for BitmapMalloc {
    type Handle = u32;

    const FREES: bool = true;
    const REUSES_ACROSS_SIZES: bool = true;
    const WALKABLE: bool = true;
    // A request looks elsewhere after it has lost 32 times, and at all words.
    const EXACT_NULL: bool = false;
    const BOUNDED_REFUSAL: bool = false;

    fn setup(request: &Request) -> Result<Heap, SetupError> {
        let bad = SetupError::BadParameter {
            expected: PARAMETERS,
        };
        let block_bytes = match request.parameters {
            [] => BLOCK_BYTES,
            [("block", text)] => match text.parse() {
                Ok(bytes @ 1..=MAX_BLOCK_BYTES) if bytes % 16 == 0 => bytes,
                _ => return Err(bad),
            },
            _ => return Err(bad),
        };
        // Whole words of bits, so that every bit has a block.
        let word_bytes = WORD_BLOCKS * block_bytes + 4;
        let words = request.pool_bytes / word_bytes;
        if words == 0 {
            return Err(SetupError::PoolTooSmall { needed: word_bytes });
        }
        // One handle is null.
        let most_words = u64::from(u32::MAX) / WORD_BLOCKS;
        if words > most_words {
            return Err(SetupError::PoolTooLarge {
                limit: most_words * word_bytes,
            });
        }
        let bitmap = words * WORD_BLOCKS * block_bytes;
        Ok(Heap {
            pointers: [
                request.base,
                request.base.wrapping_add(bitmap as usize),
                core::ptr::null_mut(),
                core::ptr::null_mut(),
            ],
            integers: [block_bytes, words, 0, 0, 0, 0, 0],
        })
    }

    #[inline(always)]
    unsafe fn new(heap: Heap) -> Self {
        Self {
            blocks: heap.pointers[0],
            bitmap: heap.pointers[1],
            block_bytes: heap.integers[0],
            words: heap.integers[1] as u32,
        }
    }

    fn max_block(heap: &Heap) -> u64 {
        heap.integers[0]
    }

    unsafe fn init<W: Warp>(self, warp: W) {
        let mut index = warp.thread();
        while index < self.words {
            // SAFETY: the index is below `words`.
            let word = unsafe { self.word(index) };
            // Relaxed: the heap is used by later launches only.
            word.store(0, Relaxed);
            index += warp.threads();
        }
    }

    #[inline(always)]
    fn malloc<W: Warp>(self, warp: W, bytes: u64) -> u32 {
        if bytes > self.block_bytes {
            return u32::NULL;
        }
        // Threads start at places spread over the bitmap.
        let spread = warp.thread().wrapping_mul(0x9e37_79b9);
        let mut index = ((u64::from(spread) * u64::from(self.words)) >> 32) as u32;
        for _ in 0..self.words {
            // SAFETY: the upper half of a product with `words` is below it, and
            // so is each index after that.
            if let Some(block) = unsafe { self.take(warp, index) } {
                return block;
            }
            index += 1;
            if index == self.words {
                index = 0;
            }
        }
        u32::NULL
    }

    #[inline(always)]
    unsafe fn free<W: Warp>(self, _warp: W, block: u32) {
        if block.is_null() {
            return;
        }
        // SAFETY: the caller's promise: a block of this heap has a bit.
        let word = unsafe { self.word(block / 32) };
        // Release: all that we did to the block comes before what its next
        // owner does, who acquires in `take`.
        word.fetch_and(!(1 << (block % 32)), Release);
    }

    #[inline(always)]
    fn address(self, block: u32) -> *mut u8 {
        let offset = u64::from(block) * self.block_bytes;
        self.blocks.wrapping_add(offset as usize)
    }

    fn contains(self, block: u32) -> bool {
        block / 32 < self.words
    }

    unsafe fn granted(self, _block: u32, _requested: u64) -> u64 {
        self.block_bytes
    }

    fn walk<W: Warp>(self, warp: W) -> Occupancy {
        let (mut used, mut free) = (0, 0);
        let mut index = warp.thread();
        while index < self.words {
            // SAFETY: the index is below `words`.
            let word = unsafe { self.word(index) };
            let taken = u64::from(word.load(Relaxed).count_ones());
            used += taken;
            free += WORD_BLOCKS - taken;
            index += warp.threads();
        }
        Occupancy {
            used_bytes: used * self.block_bytes,
            free_bytes: free * self.block_bytes,
            // Neighbours never merge.
            largest_free_bytes: if free > 0 { self.block_bytes } else { 0 },
        }
    }
}

/// The description of the allocator for people.
impl Described for BitmapMalloc {
    const DESCRIPTION: Description = Description {
        name: "bitmap",
        what: "blocks of one size and a bit for each",
        paper: "docs/adding-an-allocator.md",
        parameters: &[Parameter {
            name: "block",
            values: "bytes, a multiple of 16 up to 2^48",
            default: "1024",
            what: "size of every block",
        }],
    };
}
