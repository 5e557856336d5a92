//! A lane in a function that somebody else's kernel calls.

use super::Warp;

/// A lane of `W` in a function that is not inlined into its kernel: its active mask is the one
/// that the caller has read and passed, see [`Warp::converge`].
#[derive(Clone, Copy)]
pub struct WithActiveMask<W> {
    warp: W,
    mask: u32,
}

impl<W: Warp> WithActiveMask<W> {
    /// The lane, and the lanes that it does everything together with.
    ///
    /// # Safety
    ///
    /// The lanes of `mask`, this one among them, made the call together with the same mask, and
    /// whatever they call with the value they all call, up to each [`Warp::converge`] in it.
    #[inline(always)]
    pub unsafe fn new(warp: W, mask: u32) -> Self {
        Self { warp, mask }
    }
}

// SAFETY: all is that of the lane, but for the active mask, whose lanes come together by the
// promise of `new`. Tests name the line of a collective that lanes do not reach: the caller's.
unsafe impl<W: Warp> Warp for WithActiveMask<W> {
    const LANES: u32 = W::LANES;

    #[inline(always)]
    fn lane(self) -> u32 {
        self.warp.lane()
    }

    #[inline(always)]
    fn warp(self) -> u32 {
        self.warp.warp()
    }

    #[inline(always)]
    fn warps(self) -> u32 {
        self.warp.warps()
    }

    #[inline(always)]
    fn processor(self) -> u32 {
        self.warp.processor()
    }

    #[inline(always)]
    fn converge(self) -> u32 {
        self.mask
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn ballot(self, mask: u32, predicate: bool) -> u32 {
        self.warp.ballot(mask, predicate)
    }

    #[inline(always)]
    fn match_any(self, mask: u32, key: u32) -> u32 {
        self.warp.match_any(mask, key)
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn sync(self, mask: u32) {
        self.warp.sync(mask);
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn shuffle(self, mask: u32, value: u32, lane: u32) -> u32 {
        self.warp.shuffle(mask, value, lane)
    }

    #[inline(always)]
    fn all_shuffle_up(self, value: u32, delta: u32) -> u32 {
        self.warp.all_shuffle_up(value, delta)
    }

    #[inline(always)]
    fn all_shuffle_xor(self, value: u32, lanes: u32) -> u32 {
        self.warp.all_shuffle_xor(value, lanes)
    }

    #[inline(always)]
    fn back_off(self) {
        self.warp.back_off();
    }

    #[inline(always)]
    fn back_off_for(self, times: u32) {
        self.warp.back_off_for(times);
    }

    #[inline(always)]
    fn scratch(self) -> *mut u8 {
        self.warp.scratch()
    }

    #[inline(always)]
    fn warps_in_block(self) -> u32 {
        self.warp.warps_in_block()
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn sync_block(self) {
        self.warp.sync_block();
    }

    #[inline(always)]
    fn shared(self) -> *mut u8 {
        self.warp.shared()
    }

    #[inline(always)]
    fn thread(self) -> u32 {
        self.warp.thread()
    }

    #[inline(always)]
    fn threads(self) -> u32 {
        self.warp.threads()
    }
}
