//! The workload `turns` (Lee 2014, Figures 3 to 5): every thread allocates a block, writes to it
//! and frees it, several times in one launch. So requests and frees of all threads mix, and a
//! block that was just freed may serve the next turn.

use crate::arguments;
use crate::device_heap::DeviceHeap;
use crate::kernel::Kernel;
use crate::registers::RegisterUse;
use crate::simt::Warp;

use super::threads::{for_each_thread, size_of_thread};
use super::warps::{WarpsArguments, release, request};

arguments! {
    /// The work of each thread.
    pub struct TurnsArguments {
        pointers {
            /// As in `WarpsArguments`.
            counters: u32,
        }
        integers {
            /// Threads that take part; the launch has at least as many.
            threads: u32,
            /// Turns of a thread, each with one block.
            turns: u32,
            /// Bytes of each block, or 0 for mixed sizes, of each turn its own.
            bytes: u64,
            /// As in `WarpsArguments`.
            counts_frees: bool,
        }
    }
}

/// The bytes that a thread requests in a turn: the same for all allocators and runs.
#[inline(always)]
fn size_of_turn(thread: u32, turn: u32, bytes: u64) -> u64 {
    // A multiple of the golden ratio leads the turns of a thread away from other threads.
    size_of_thread(thread.wrapping_add(turn.wrapping_mul(0x9e37_79b9)), bytes)
}

/// One `malloc` and one `free` a thread and turn.
pub struct Turns;

impl Kernel for Turns {
    type Arguments = TurnsArguments;
    const REGISTERS: RegisterUse = RegisterUse::Malloc;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(
        warp: W,
        heap: &A,
        arguments: TurnsArguments,
    ) {
        for_each_thread(warp, arguments.threads, |thread| {
            for turn in 0..arguments.turns {
                let requests = WarpsArguments {
                    counters: arguments.counters,
                    bytes: size_of_turn(thread, turn, arguments.bytes),
                    kept: 1,
                    counts_frees: arguments.counts_frees,
                };
                // SAFETY: the kernel's contract; the block is the thread's own.
                unsafe {
                    let block = request(warp, heap, &requests);
                    release(warp, heap, &requests, block);
                }
            }
        });
    }
}
