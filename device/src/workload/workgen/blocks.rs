//! A block for each thread's words.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;

use super::WorkArguments;
use crate::allocator::Handle;
use crate::arguments;
use crate::device_heap::DeviceHeap;
use crate::kernel::Kernel;
use crate::simt::Warp;
use crate::simt::rows::Rows;
use crate::workload::tally::{Tally, all_sum64};

arguments! {
    /// Work in blocks.
    pub struct BlocksArguments {
        nested {
            /// The work.
            work: WorkArguments,
        }
        pointers {
            /// The bits of a handle for each thread.
            blocks: u64,
            /// The words of a tally.
            counters: u64,
        }
        integers {
            /// Whether the time in the allocator is taken.
            is_clocked: bool,
        }
    }
}

/// Every thread requests a block, and produces its words there.
pub struct WorkProduce;

/// Every thread consumes the words of another one, and frees their block. Of a block that was refused
/// nothing is consumed.
pub struct WorkConsume;

impl Kernel for WorkProduce {
    type Arguments = BlocksArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(
        warp: W,
        heap: &A,
        arguments: BlocksArguments,
    ) {
        let work = arguments.work;
        let mut tally = Tally::new(arguments.is_clocked);
        let rows = Rows::new(warp, work.threads, W::LANES);
        let mut row = rows.first;
        while row < rows.end {
            let thread = row + warp.lane();
            let mut bytes = 0;
            if thread < rows.end {
                bytes = 4 * u64::from(work.words(thread));
            }
            let block = tally.request(warp, heap, bytes);
            if thread < rows.end {
                // SAFETY: a handle of each thread, and the thread's own block.
                unsafe {
                    arguments.blocks.add(thread as usize).write(block.to_bits());
                    if !block.is_null() {
                        work.write(thread, heap.address(block).cast());
                    }
                }
            }
            row += rows.step;
        }
        // SAFETY: the kernel's contract.
        unsafe { tally.publish(warp, arguments.counters) };
    }
}

impl Kernel for WorkConsume {
    type Arguments = BlocksArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(
        warp: W,
        heap: &A,
        arguments: BlocksArguments,
    ) {
        let work = arguments.work;
        let mut tally = Tally::new(arguments.is_clocked);
        let mut hash = 0_u64;
        let rows = Rows::new(warp, work.threads, W::LANES);
        let mut row = rows.first;
        while row < rows.end {
            let consumer = row + warp.lane();
            let (mut block, mut bytes) = (A::Handle::NULL, 0);
            // SAFETY: each thread has one producer, whose block a launch before has written, and no
            // other thread has the same.
            unsafe {
                if consumer < rows.end {
                    let producer = work.producer(consumer);
                    block = A::Handle::from_bits(arguments.blocks.add(producer as usize).read());
                    bytes = 4 * u64::from(work.words(producer));
                    if !block.is_null() {
                        let words = heap.address(block).cast();
                        hash = hash.wrapping_add(work.hash_of(producer, words));
                    }
                }
                tally.free(warp, heap, block, bytes);
            }
            row += rows.step;
        }
        let hash = all_sum64(warp, hash);
        // SAFETY: the kernel's contract. Relaxed: the host reads it after the launch.
        unsafe {
            if warp.lane() == 0 {
                (*work.hash.cast::<AtomicU64>()).fetch_add(hash, Relaxed);
            }
            tally.publish(warp, arguments.counters);
        }
    }
}
