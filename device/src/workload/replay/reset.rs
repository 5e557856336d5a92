//! The reset between two replays.

use super::NOT_YET;
use crate::arguments;
use crate::kernel::PlainKernel;
use crate::simt::Warp;

arguments! {
    /// Memory of all launches of a trace.
    pub struct ReplayResetArguments {
        pointers {
            /// The bits of each block's handle.
            blocks: u64,
            /// The steps that recorded warps have done, of all launches.
            turns: u32,
            /// The tickets of all launches.
            tickets: u32,
        }
        integers {
            /// Blocks.
            blocks_count: u32,
            /// Words of `turns`.
            turns_count: u32,
            /// Launches.
            launches: u32,
        }
    }
}

/// Makes the memory of all launches ready for a replay, before which no block is requested.
pub struct ReplayReset;

impl PlainKernel for ReplayReset {
    type Arguments = ReplayResetArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, reset: ReplayResetArguments) {
        let mut index = warp.thread();
        while index < reset.blocks_count {
            // SAFETY: a word of each block, which this thread alone uses in this launch.
            unsafe { reset.blocks.add(index as usize).write(NOT_YET) };
            index += warp.threads();
        }
        let mut index = warp.thread();
        while index < reset.turns_count {
            // SAFETY: a word of each recorded warp, likewise.
            unsafe { reset.turns.add(index as usize).write(0) };
            index += warp.threads();
        }
        let mut index = warp.thread();
        while index < reset.launches {
            // SAFETY: a word of each launch, likewise.
            unsafe { reset.tickets.add(index as usize).write(0) };
            index += warp.threads();
        }
    }
}
