//! The workload `probability` (P; Vinkler and Havran 2014, section 6, after Steinberger et
//! al. 2012): one lane of each warp requests a block with a probability if it has none, and
//! frees its block with another if it has one. The kernel is launched several times, so that
//! requests and frees mix.

use crate::allocator::Handle;
use crate::arguments;
use crate::device_heap::DeviceHeap;
use crate::kernel::Kernel;
use crate::registers::RegisterUse;
use crate::simt::Warp;

use super::stress::mix;
use super::warps::{WarpsArguments, release, request};

arguments! {
    /// The operations that each warp's first lane may do.
    pub struct ProbabilityArguments {
        pointers {
            /// A handle (of 4 or 8 bytes) for each warp of the launch: live, or null.
            blocks: u8,
            /// As in `WarpsArguments`.
            counters: u32,
        }
        integers {
            /// Bytes of each block.
            bytes: u64,
            /// Probability of a request, as `chance` makes it.
            allocates: u64,
            /// Probability of a free, as `chance` makes it.
            frees: u64,
            /// Number of the launch, so that each draws its own.
            launch: u32,
            /// As in `WarpsArguments`.
            counts_frees: bool,
        }
    }
}

/// A probability from 0 to 1 as kernels compare draws with it: in parts of 2^32.
pub fn chance(probability: f64) -> u64 {
    (probability * (1_u64 << 32) as f64) as u64
}

/// The draw of a warp in a launch: the same for all allocators and runs.
#[inline(always)]
fn draw(warp: u32, launch: u32) -> u64 {
    u64::from(mix(mix(warp.wrapping_add(1)).wrapping_add(launch)))
}

/// At most one `malloc` or one `free` a warp.
pub struct Probability;

impl Kernel for Probability {
    type Arguments = ProbabilityArguments;
    const REGISTERS: RegisterUse = RegisterUse::Malloc;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(
        warp: W,
        heap: &A,
        arguments: ProbabilityArguments,
    ) {
        if warp.lane() != 0 {
            return;
        }
        let requests = WarpsArguments {
            counters: arguments.counters,
            bytes: arguments.bytes,
            kept: 1,
            counts_frees: arguments.counts_frees,
        };
        let number = warp.warp();
        let place = arguments.blocks.cast::<A::Handle>();
        let place = place.wrapping_add(number as usize);
        let drawn = draw(number, arguments.launch);
        // SAFETY: the arguments' contract: the handle is the warp's own, and so is the
        // block that it names, which an earlier launch has stored there.
        unsafe {
            let block = place.read();
            if block.is_null() {
                if drawn < arguments.allocates {
                    place.write(request(warp, heap, &requests));
                }
            } else if drawn < arguments.frees {
                release(warp, heap, &requests, block);
                place.write(A::Handle::NULL);
            }
        }
    }
}
