//! The steps of a launch.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use cuda_std::atomic::{AtomicU32, AtomicU64};
use cuda_std::clock::nanoseconds;

use super::{NOT_YET, REFUSED, ReplayArguments, ReplayedCall, Step, touch};
use crate::allocator::Handle;
use crate::device_heap::DeviceHeap;
use crate::kernel::Kernel;
use crate::simt::{Backoff, Warp};
use crate::workload::tally::Tally;

/// Nanoseconds at the end of a pause that a warp waits awake.
const EXACT_NS: u64 = 256;

/// Makes the calls of all steps of a launch.
pub struct ReplayCalls;

impl ReplayArguments {
    /// The next step, for all lanes of the warp together.
    #[inline(always)]
    fn take<W: Warp>(&self, warp: W) -> u32 {
        let mut number = 0;
        if warp.lane() == 0 {
            // SAFETY: the kernel's contract: a word that is accessed by atomic operations only.
            // Relaxed: the steps were written before the launch.
            number = unsafe { &*self.ticket.cast::<AtomicU32>() }.fetch_add(1, Relaxed);
        }
        warp.shuffle(W::FULL, number, 0)
    }

    /// Waits until the recorded warp has done the steps before this one, and until so many nanoseconds
    /// have passed since: also those before this warp took the step, as the recorded warp did not
    /// wait for it.
    ///
    /// # Safety
    ///
    /// The kernel's contract.
    #[inline(always)]
    unsafe fn wait<W: Warp>(&self, warp: W, step: &Step, pause: u32) {
        if warp.lane() == 0 {
            let mut backoff = Backoff::new();
            // SAFETY: the caller's promise.
            // Acquire: what the calls of the step before did happens before this step.
            while unsafe { self.turns(step.warp) }.load(Acquire) != step.turn {
                backoff.pause(warp);
            }
            let wanted = u64::from(pause) * u64::from(self.pause_scale) / 256;
            if wanted != 0 {
                // SAFETY: the caller's promise. A step with a pause is not the first of its warp, and
                // the one before it has written there.
                let ended = unsafe { self.ends.add(step.warp as usize).read() };
                // Saturating: another multiprocessor may read the clock a step behind.
                let mut paused = nanoseconds().saturating_sub(ended);
                while paused < wanted {
                    // The last part without sleeping, whose length is up to the hardware.
                    if wanted - paused > EXACT_NS {
                        warp.back_off();
                    }
                    paused = nanoseconds().saturating_sub(ended);
                }
            }
        }
        warp.sync(W::FULL);
    }

    /// The handle of a block, once it was requested.
    ///
    /// # Safety
    ///
    /// As for [`Self::block`].
    #[inline(always)]
    unsafe fn requested<W: Warp, H: Handle>(&self, warp: W, block: u32) -> H {
        let mut backoff = Backoff::new();
        loop {
            // SAFETY: the caller's promise.
            // Acquire: the request happens before the free.
            let bits = unsafe { self.block(block) }.load(Acquire);
            if bits != NOT_YET {
                return H::from_bits(bits);
            }
            backoff.pause(warp);
        }
    }
}

impl Kernel for ReplayCalls {
    type Arguments = ReplayArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, replay: ReplayArguments) {
        let mut tally = Tally::new(replay.is_clocked);
        let (mut done, mut damaged) = (0, 0);
        loop {
            let number = replay.take(warp);
            if number >= replay.steps_count {
                break;
            }
            // SAFETY: the kernel's contract: a step below their number, and its calls.
            let (step, first) = unsafe {
                let step: Step = replay.steps.add(number as usize).read();
                (step, replay.calls.add(step.first as usize))
            };
            let count = step.count & !Step::FREES;
            // SAFETY: a step has a call. The kernel's contract.
            unsafe { replay.wait(warp, &step, (*first).pause) };
            let mut item = warp.lane();
            while warp.ballot(W::FULL, item < count) & W::FULL != 0 {
                let mut call = ReplayedCall {
                    bytes: 0,
                    block: REFUSED,
                    pause: 0,
                };
                if item < count {
                    // SAFETY: a call of the step.
                    call = unsafe { first.add(item as usize).read() };
                }
                let mut freed = A::Handle::NULL;
                if step.count & Step::FREES == 0 {
                    let block = tally.request(warp, heap, call.bytes);
                    if call.block != REFUSED {
                        if replay.touches {
                            // SAFETY: the lane's own block of so many bytes, or null.
                            unsafe { touch::write(heap, block, call.bytes, call.block) };
                        }
                        // SAFETY: a block of the trace, which is requested once.
                        // Release: the request, and what was written, happens before the free.
                        unsafe { replay.block(call.block) }.store(block.to_bits(), Release);
                    } else {
                        freed = block;
                    }
                } else if item < count {
                    // SAFETY: a block of the trace, which is requested by an earlier step.
                    unsafe {
                        freed = replay.requested(warp, call.block);
                        // Relaxed: a block is freed once, and the rest by another launch.
                        let null = A::Handle::NULL.to_bits();
                        replay.block(call.block).store(null, Relaxed);
                        if replay.touches {
                            damaged += touch::damaged(heap, freed, call.bytes, call.block);
                        }
                    }
                }
                // SAFETY: the block was requested with so many bytes and is freed once, here.
                unsafe { tally.free(warp, heap, freed, call.bytes) };
                item += W::LANES;
            }
            done += u64::from(count);
            // The lanes have made their calls before the next step of the recorded warp.
            warp.sync(W::FULL);
            if warp.lane() == 0 {
                // SAFETY: the kernel's contract. This warp alone has a step of the recorded one.
                unsafe {
                    replay.ends.add(step.warp as usize).write(nanoseconds());
                    replay.turns(step.warp).store(step.turn + 1, Release);
                }
            }
        }
        // SAFETY: the kernel's contract. Relaxed: the host reads the sums after the launch.
        unsafe {
            if warp.lane() == 0 && done > 0 {
                (*replay.done.cast::<AtomicU64>()).fetch_add(done, Relaxed);
            }
            if damaged > 0 {
                (*replay.damaged.cast::<AtomicU64>()).fetch_add(damaged.into(), Relaxed);
            }
            tally.publish(warp, replay.counters);
        }
    }
}
