//! A lane of a GPU warp in somebody else's kernel, whose launch may have any shape.

use super::{Simt, Warp};
use cuda_std::warp;

/// A lane of a GPU warp, whatever the shape of the launch. Where blocks are not one-dimensional,
/// or have warps with fewer lanes, threads share numbers: those are hints for spreading work.
#[derive(Clone, Copy)]
pub struct ForeignLaunch;

// SAFETY: the collectives are the hardware's, and so is a lane's place in its warp. Numbers of
// warps need not differ, and the scratch memory is not ours: allocators use both for hints, or
// not at all, in `malloc` and `free`, which are all that is called with this. A test looks for
// shared memory in the PTX.
unsafe impl Warp for ForeignLaunch {
    const LANES: u32 = Simt::LANES;

    #[inline(always)]
    fn lane(self) -> u32 {
        warp::lane_id()
    }

    #[inline(always)]
    fn warp(self) -> u32 {
        Simt.warp()
    }

    #[inline(always)]
    fn warps(self) -> u32 {
        Simt.warps()
    }

    #[inline(always)]
    fn processor(self) -> u32 {
        Simt.processor()
    }

    #[inline(always)]
    fn converge(self) -> u32 {
        // Not called: `WithActiveMask` has the mask.
        1 << self.lane()
    }

    #[inline(always)]
    fn ballot(self, mask: u32, predicate: bool) -> u32 {
        Simt.ballot(mask, predicate)
    }

    #[inline(always)]
    fn match_any(self, mask: u32, key: u32) -> u32 {
        Simt.match_any(mask, key)
    }

    #[inline(always)]
    fn sync(self, mask: u32) {
        Simt.sync(mask);
    }

    #[inline(always)]
    fn shuffle(self, mask: u32, value: u32, lane: u32) -> u32 {
        Simt.shuffle(mask, value, lane)
    }

    #[inline(always)]
    fn all_shuffle_up(self, value: u32, delta: u32) -> u32 {
        Simt.all_shuffle_up(value, delta)
    }

    #[inline(always)]
    fn all_shuffle_xor(self, value: u32, lanes: u32) -> u32 {
        Simt.all_shuffle_xor(value, lanes)
    }

    #[inline(always)]
    fn back_off(self) {
        Simt.back_off();
    }

    #[inline(always)]
    fn back_off_for(self, times: u32) {
        Simt.back_off_for(times);
    }

    #[inline(always)]
    fn scratch(self) -> *mut u8 {
        core::ptr::null_mut()
    }

    #[inline(always)]
    fn sync_block(self) {
        // Not called: the block is not ours.
    }

    #[inline(always)]
    fn shared(self) -> *mut u8 {
        core::ptr::null_mut()
    }

    #[inline(always)]
    fn thread(self) -> u32 {
        Simt.thread()
    }

    #[inline(always)]
    fn threads(self) -> u32 {
        Simt.threads()
    }
}
