//! Where a thread is: indices within the block and the grid, and the
//! multiprocessor that runs it. GPU only.

use core::arch::{asm, nvptx};

/// Index of the thread within its block.
#[inline(always)]
pub fn thread_idx_x() -> u32 {
    // SAFETY: reads a special register.
    unsafe { nvptx::_thread_idx_x() as u32 }
}

/// Index of the block within the grid.
#[inline(always)]
pub fn block_idx_x() -> u32 {
    // SAFETY: reads a special register.
    unsafe { nvptx::_block_idx_x() as u32 }
}

/// Threads in a block.
#[inline(always)]
pub fn block_dim_x() -> u32 {
    // SAFETY: reads a special register.
    unsafe { nvptx::_block_dim_x() as u32 }
}

/// Blocks in the grid.
#[inline(always)]
pub fn grid_dim_x() -> u32 {
    // SAFETY: reads a special register.
    unsafe { nvptx::_grid_dim_x() as u32 }
}

/// The multiprocessor that runs this thread now; a hint, since a preempted
/// block may go on elsewhere.
#[inline(always)]
pub fn multiprocessor() -> u32 {
    let id;
    // SAFETY: reads a special register.
    unsafe { asm!("mov.u32 {}, %smid;", out(reg32) id, options(nomem, nostack, preserves_flags)) };
    id
}

/// Lets other threads run for some `nanoseconds`.
#[inline(always)]
pub fn nanosleep(nanoseconds: u32) {
    // SAFETY: touches no memory.
    unsafe { asm!("nanosleep.u32 {};", in(reg32) nanoseconds, options(nostack)) };
}
