//! Exponential backoff: who looks in vain looks less and less often.
//!
//! A lane that spins takes its warp's turns from the lanes that it waits for, and all
//! that spin on one word keep it from those who would change it. With a pause of one
//! length two such loops took 28 and 58 % of the samples of a kernel that allocates on a
//! full heap (docs/results).

use super::Warp;

/// The longest pause, as a multiple of the shortest: about 4 microseconds on a GPU.
const LONGEST: u32 = 64;

/// How long a spin pauses next: twice as long each time, up to a limit.
pub(crate) struct Backoff {
    times: u32,
}

impl Backoff {
    /// The first pause is the shortest.
    #[inline(always)]
    pub const fn new() -> Self {
        Self { times: 1 }
    }

    /// Gives way to other warps.
    #[inline(always)]
    pub fn pause<W: Warp>(&mut self, warp: W) {
        warp.back_off_for(self.times);
        if self.times < LONGEST {
            self.times *= 2;
        }
    }
}
