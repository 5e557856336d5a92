//! A lane of a GPU warp.

use super::{SCRATCH_BYTES, Warp};
use cuda_std::{shared, thread, warp};

/// A lane of a GPU warp. Blocks are one-dimensional and a multiple of 32 wide.
#[derive(Clone, Copy)]
pub struct Simt;

// SAFETY: the special registers number blocks and threads of the launch, each once; the
// collectives are the hardware's; a warp's scratch is its part of the block's shared memory.
unsafe impl Warp for Simt {
    const LANES: u32 = 32;

    #[inline(always)]
    fn lane(self) -> u32 {
        thread::thread_idx_x() & 31
    }

    #[inline(always)]
    fn warp(self) -> u32 {
        self.thread() / 32
    }

    #[inline(always)]
    fn warps(self) -> u32 {
        self.threads() / 32
    }

    #[inline(always)]
    fn processor(self) -> u32 {
        thread::multiprocessor()
    }

    #[inline(always)]
    fn converge(self) -> u32 {
        warp::active_mask()
    }

    #[inline(always)]
    fn ballot(self, mask: u32, predicate: bool) -> u32 {
        warp::ballot(mask, predicate)
    }

    #[inline(always)]
    fn match_any(self, mask: u32, key: u32) -> u32 {
        warp::match_any(mask, key)
    }

    #[inline(always)]
    fn sync(self, mask: u32) {
        warp::sync(mask);
    }

    #[inline(always)]
    fn shuffle(self, mask: u32, value: u32, lane: u32) -> u32 {
        warp::shuffle(mask, value, lane)
    }

    #[inline(always)]
    fn all_shuffle_up(self, value: u32, delta: u32) -> u32 {
        warp::shuffle_up(u32::MAX, value, delta)
    }

    #[inline(always)]
    fn all_shuffle_xor(self, value: u32, lanes: u32) -> u32 {
        warp::shuffle_xor(u32::MAX, value, lanes)
    }

    #[inline(always)]
    fn back_off(self) {
        self.back_off_for(1);
    }

    #[inline(always)]
    fn back_off_for(self, times: u32) {
        thread::nanosleep(64 * times);
    }

    #[inline(always)]
    fn scratch(self) -> *mut u8 {
        let warp_in_block = thread::thread_idx_x() / 32;
        // SAFETY: a block has at most `WARPS_PER_BLOCK` warps, whose scratch
        // memory together is the block's shared memory.
        unsafe { shared::base().add(warp_in_block as usize * SCRATCH_BYTES) }
    }

    #[inline(always)]
    fn warps_in_block(self) -> u32 {
        thread::block_dim_x() / 32
    }

    #[inline(always)]
    fn warp_in_block(self) -> u32 {
        thread::thread_idx_x() / 32
    }

    #[inline(always)]
    fn block(self) -> u32 {
        thread::block_idx_x()
    }

    #[inline(always)]
    fn sync_block(self) {
        warp::sync_block();
    }

    #[inline(always)]
    fn shared(self) -> *mut u8 {
        shared::of_block()
    }

    #[inline(always)]
    fn thread(self) -> u32 {
        thread::block_idx_x() * thread::block_dim_x() + thread::thread_idx_x()
    }

    #[inline(always)]
    fn threads(self) -> u32 {
        thread::grid_dim_x() * thread::block_dim_x()
    }
}
