//! The heap of the system: CUDA's device heap on the GPU, the C library's on the host.
//!
//! There is one for the whole process, and it cannot be made empty. CUDA's has the size that
//! the host set before the first kernel that uses it was loaded, and refuses what does not
//! fit. The C library's has no size, so that blocks are counted here.

#[cfg(not(target_arch = "nvptx64"))]
use crate::atomic::{AtomicU64, Ordering};

/// Bytes in front of a block on the host, for its size. A multiple of the alignment.
const HEADER: u64 = 16;
/// The alignment of blocks in both heaps.
const ALIGNMENT: u64 = 16;

unsafe extern "C" {
    /// As in C. On the GPU the driver links it when it loads a module.
    fn malloc(bytes: u64) -> *mut u8;
    /// As in C.
    fn free(block: *mut u8);
}

/// The part of the system's heap that an allocator may use.
#[derive(Clone, Copy)]
pub struct SystemHeap {
    /// A word: the bytes in blocks. Not used on the GPU.
    granted: *mut u8,
    /// The maximum number of bytes in blocks, a multiple of the alignment.
    limit: u64,
}

impl SystemHeap {
    /// The least limit under which a block can be had.
    pub const MIN_LIMIT: u64 = HEADER + ALIGNMENT;

    /// The largest block under a limit, of at least [`Self::MIN_LIMIT`], in bytes.
    #[inline(always)]
    pub const fn max_block(limit: u64) -> u64 {
        limit / ALIGNMENT * ALIGNMENT - HEADER
    }

    /// The heap with this limit, which is at least [`Self::MIN_LIMIT`]; on the GPU the
    /// host has set it before.
    ///
    /// # Safety
    ///
    /// `granted` is an aligned word of 8 bytes, which lives as long as the value is used and
    /// is accessed through values with the same limit only.
    #[inline(always)]
    pub unsafe fn new(granted: *mut u8, limit: u64) -> Self {
        Self { granted, limit }
    }

    /// A block of at least `bytes`, and of at least one, or null.
    #[inline(always)]
    pub fn malloc(self, bytes: u64) -> *mut u8 {
        // CUDA does not say what it does about sizes that wrap around when rounded up.
        if bytes > Self::max_block(self.limit) {
            return core::ptr::null_mut();
        }
        self.obtain(if bytes == 0 { 1 } else { bytes })
    }
}

#[cfg(target_arch = "nvptx64")]
impl SystemHeap {
    /// Nothing is counted.
    #[inline(always)]
    pub fn clear(self) {}

    #[inline(always)]
    fn obtain(self, bytes: u64) -> *mut u8 {
        let same;
        // SAFETY: any size is fine, and a copy is the block as well. The compiler knows the two
        // functions, and takes away pairs of them that it can follow.
        unsafe {
            let block = malloc(bytes);
            core::arch::asm!("mov.b64 {}, {};", out(reg64) same, in(reg64) block, options(nostack));
        }
        same
    }

    /// Gives a block back.
    ///
    /// # Safety
    ///
    /// It came from [`Self::malloc`], is not null, and no thread uses it afterwards.
    #[inline(always)]
    pub unsafe fn free(self, block: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { free(block) }
    }
}

#[cfg(not(target_arch = "nvptx64"))]
impl SystemHeap {
    #[inline(always)]
    fn granted(&self) -> &AtomicU64 {
        // SAFETY: the promise of `new`.
        unsafe { &*self.granted.cast() }
    }

    /// Counts from 0. Blocks that live are not counted any more.
    #[inline(always)]
    pub fn clear(self) {
        // Relaxed: the end of the launch orders it.
        self.granted().store(0, Ordering::Relaxed);
    }

    #[inline(always)]
    fn obtain(self, bytes: u64) -> *mut u8 {
        let whole = HEADER + bytes.next_multiple_of(ALIGNMENT);
        // Acquire: pairs with the release in `free`. The C library orders a `free` before the
        // `malloc` that grants the same memory, too, but out of sight of the tests' memory model.
        // Each free changes this word first, by a read-modify-write like those of other threads,
        // which pass the release on.
        let before = self.granted().fetch_add(whole, Ordering::Acquire);
        let mut block = core::ptr::null_mut();
        if before + whole <= self.limit {
            // SAFETY: any size is fine. 64-bit systems align to 16 bytes.
            block = unsafe { malloc(whole) };
            // The compiler knows the two functions, and takes pairs of them away.
            block = core::hint::black_box(block);
        }
        if block.is_null() {
            // Relaxed: nothing was done to memory.
            self.granted()
                .fetch_add(whole.wrapping_neg(), Ordering::Relaxed);
            return block;
        }
        // SAFETY: the block is ours and has a header.
        unsafe {
            block.cast::<u64>().write(whole);
            block.add(HEADER as usize)
        }
    }

    /// Gives a block back.
    ///
    /// # Safety
    ///
    /// It came from [`Self::malloc`], is not null, and no thread uses it afterwards.
    #[inline(always)]
    pub unsafe fn free(self, block: *mut u8) {
        // SAFETY: the caller's promise: in front of the block is its header.
        unsafe {
            let start = block.sub(HEADER as usize);
            let whole = start.cast::<u64>().read();
            // Release: accesses to the block come before those of its next owner. The word changes
            // before the memory is returned, so that the next owner reads it later.
            self.granted()
                .fetch_add(whole.wrapping_neg(), Ordering::Release);
            free(start);
        }
    }
}

#[cfg(all(test, not(target_arch = "nvptx64")))]
mod tests {
    use super::*;

    #[test]
    fn blocks_count_until_they_are_freed() {
        let mut word = 7_u64;
        let granted = (&raw mut word).cast();
        // SAFETY: the word lives to the end.
        let heap = unsafe { SystemHeap::new(granted, 100) };
        heap.clear();
        assert_eq!(SystemHeap::max_block(100), 80);
        assert!(heap.malloc(81).is_null() && heap.malloc(u64::MAX).is_null());
        let all = heap.malloc(80);
        assert!(!all.is_null() && all.addr() % 16 == 0);
        assert!(heap.malloc(0).is_null());
        // SAFETY: it was just granted, and is freed once.
        unsafe {
            all.write_bytes(1, 80);
            heap.free(all);
        }
        let small = [0, 1, 16].map(|bytes| heap.malloc(bytes));
        assert!(small.iter().all(|block| !block.is_null()));
        assert!(heap.malloc(1).is_null());
        for block in small {
            // SAFETY: as above.
            unsafe { heap.free(block) };
        }
        assert_eq!(word, 0);
    }
}
