//! The replay of a trace: recorded calls of an allocator, made again.
//!
//! A trace is a sequence of *steps* in the order in which calls were recorded. A step has calls that
//! lanes of one warp made together: requests, or frees. Warps take steps by a ticket, and a step waits
//!
//! - for the step before it of the same recorded warp, whose order is kept;
//! - if it frees blocks, for the requests of these.
//!
//! Both are steps before it in the sequence. So of all steps that were taken the first one waits for
//! nothing, and as every warp with a ticket runs, all steps end. No warp has to start for that.
//!
//! A request that is refused here and was granted then is counted, and its block is not freed. A
//! request that was refused then is made too, and a block that it is granted is freed at once.
//!
//! On request, a lane writes the block that it is granted, and a lane that frees it reads it: so the
//! replay waits for memory where an allocator's blocks lie, and notices blocks that overlap.

mod calls;
#[cfg(not(target_arch = "nvptx64"))]
mod plan;
mod reset;
mod touch;

pub use calls::ReplayCalls;
#[cfg(not(target_arch = "nvptx64"))]
pub use plan::{PlannedCall, ReplayPlan};
pub use reset::{ReplayReset, ReplayResetArguments};

use cuda_std::atomic::{AtomicU32, AtomicU64};

use crate::arguments;

/// The bits of the handle of a block that was not requested yet. No handle has them: those of null
/// are all ones, also as a handle of 32 bits.
pub const NOT_YET: u64 = u64::MAX - 1;
/// The number of the block of a request that was refused when it was recorded.
pub const REFUSED: u32 = u32::MAX;

/// A step of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(16))]
pub struct Step {
    /// The first of its calls.
    pub first: u32,
    /// How many calls it has, and in bit 31 whether they free blocks.
    pub count: u32,
    /// The recorded warp, by a number of its own in each launch.
    pub warp: u32,
    /// The number of the step among those of that warp.
    pub turn: u32,
}

impl Step {
    /// The bit of `count` of a step that frees.
    pub const FREES: u32 = 1 << 31;
}

/// A recorded call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(16))]
pub struct ReplayedCall {
    /// Bytes that were requested, 1 at least; of a free those of its block.
    pub bytes: u64,
    /// The block, by number, or [`REFUSED`].
    pub block: u32,
    /// Nanoseconds between the end of the warp's step before and this one's begin.
    pub pause: u32,
}

arguments! {
    /// The steps of a launch of a trace.
    pub struct ReplayArguments {
        pointers {
            /// The steps.
            steps: Step,
            /// The calls of all steps.
            calls: ReplayedCall,
            /// The bits of each block's handle: [`NOT_YET`] before the first launch.
            blocks: u64,
            /// For each recorded warp the steps that it has done: 0 before the launch.
            turns: u32,
            /// For each recorded warp when its last step so far ended, in nanoseconds.
            ends: u64,
            /// The next step: 0 before the launch.
            ticket: u32,
            /// A word that counts calls that were made.
            done: u64,
            /// A word that counts words of blocks that something else has written.
            damaged: u64,
            /// The words of a tally.
            counters: u64,
        }
        integers {
            /// Steps of the launch.
            steps_count: u32,
            /// By how many 256ths of a recorded pause a step waits before it begins.
            pause_scale: u32,
            /// Whether blocks are written when they are granted, and read before they are freed.
            touches: bool,
            /// Whether the time in the allocator is taken.
            is_clocked: bool,
        }
    }
}

impl ReplayArguments {
    /// The word of a block.
    ///
    /// # Safety
    ///
    /// `block` is one of a call, and the kernel's contract holds.
    #[inline(always)]
    unsafe fn block(&self, block: u32) -> &AtomicU64 {
        // SAFETY: there is a word for each block, which kernels access by atomic operations only.
        unsafe { &*self.blocks.cast::<AtomicU64>().add(block as usize) }
    }

    /// The steps that a recorded warp has done.
    ///
    /// # Safety
    ///
    /// `warp` is one of a step, and the kernel's contract holds.
    #[inline(always)]
    unsafe fn turns(&self, warp: u32) -> &AtomicU32 {
        // SAFETY: as above.
        unsafe { &*self.turns.cast::<AtomicU32>().add(warp as usize) }
    }
}
