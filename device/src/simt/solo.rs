//! A warp of one lane, run by one OS thread: the CPU backend.

use super::{SCRATCH_BYTES, Warp};

/// A warp of one lane.
#[derive(Clone, Copy)]
pub struct Solo {
    warp: u32,
    warps: u32,
    processor: u32,
    scratch: *mut u8,
    shared: *mut u8,
}

impl Solo {
    /// Warp `warp` of `warps`, run by worker `processor`.
    ///
    /// # Safety
    ///
    /// - `warp` is below `warps`, and no other warp of the launch has that number.
    /// - A worker runs one warp at a time, and workers of a launch have different numbers.
    /// - `scratch` points to [`SCRATCH_BYTES`] bytes, 16-byte aligned, that no
    ///   other warp uses while this one runs.
    pub unsafe fn new(warp: u32, warps: u32, processor: u32, scratch: *mut u8) -> Self {
        debug_assert!(warp < warps);
        debug_assert!((scratch as usize).is_multiple_of(16) && SCRATCH_BYTES > 0);
        Self {
            warp,
            warps,
            processor,
            scratch,
            shared: std::ptr::null_mut(),
        }
    }

    /// The same warp as a block, for a kernel that works in blocks.
    ///
    /// # Safety
    ///
    /// `shared` points to as many bytes as the kernel's shape has, 16-byte aligned, that no
    /// other warp uses while this one runs.
    pub unsafe fn with_shared(self, shared: *mut u8) -> Self {
        Self { shared, ..self }
    }
}

// SAFETY: `Solo::new` has the caller promise what concerns several warps; with one lane,
// collectives return that lane's own values.
unsafe impl Warp for Solo {
    const LANES: u32 = 1;

    #[inline(always)]
    fn lane(self) -> u32 {
        0
    }

    #[inline(always)]
    fn warp(self) -> u32 {
        self.warp
    }

    #[inline(always)]
    fn warps(self) -> u32 {
        self.warps
    }

    #[inline(always)]
    fn processor(self) -> u32 {
        self.processor
    }

    #[inline(always)]
    fn converge(self) -> u32 {
        1
    }

    #[inline(always)]
    fn ballot(self, _mask: u32, predicate: bool) -> u32 {
        u32::from(predicate)
    }

    #[inline(always)]
    fn sync(self, _mask: u32) {}

    #[inline(always)]
    fn shuffle(self, _mask: u32, value: u32, _lane: u32) -> u32 {
        value
    }

    #[inline(always)]
    fn all_shuffle_up(self, value: u32, _delta: u32) -> u32 {
        value
    }

    #[inline(always)]
    fn all_shuffle_xor(self, value: u32, _lanes: u32) -> u32 {
        value
    }

    fn back_off(self) {
        // More warps than cores may wait for one that is not running.
        std::thread::yield_now();
    }

    #[inline(always)]
    fn sync_block(self) {}

    #[inline(always)]
    fn shared(self) -> *mut u8 {
        self.shared
    }

    #[inline(always)]
    fn scratch(self) -> *mut u8 {
        self.scratch
    }
}
