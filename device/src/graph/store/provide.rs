//! Memory made ready ahead, where an allocator does that ([`Allocator::PROVIDES`]).
//!
//! A launch that knows all requests of a later one sums them up by class, and [`Provide`] passes
//! the sums on: [`LoadDemand`] for a graph that is loaded,
//! [`Demand`](super::contiguous::prepare::Demand) and [`LinkedDemand`](super::linked::LinkedDemand)
//! for a batch.
//!
//! [`Allocator::PROVIDES`]: crate::allocator::Allocator::PROVIDES

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::{AtomicU64, SharedU32};

use crate::arguments;
use crate::device_heap::DeviceHeap;
use crate::graph::store::linked::page::page_bytes;
use crate::graph::store::load::LoadArguments;
use crate::graph::store::update::{CLASSES, Class};
use crate::graph::store::{block_bytes, capacity_for};
use crate::kernel::{Kernel, PlainKernel, Valid};
use crate::simt::rows::Rows;
use crate::simt::{SCRATCH_BYTES, Warp, leader};

arguments! {
    /// Blocks that are about to be requested.
    pub struct ProvideArguments {
        pointers {
            /// A word for each class of sizes: how many.
            demand: u64,
        }
        integers {}
    }
}

impl Valid<ProvideArguments> {
    /// The word of a class.
    #[inline(always)]
    fn of(&self, class: Class) -> &AtomicU64 {
        // SAFETY: there is a word for each class, which kernels access by atomic operations only.
        unsafe { &*self.demand.add(class.index()).cast::<AtomicU64>() }
    }
}

/// Has the allocator make ready what is about to be requested.
pub struct Provide;

impl Kernel for Provide {
    type Arguments = ProvideArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, demand: ProvideArguments) {
        // SAFETY: the kernel's contract.
        let demand = unsafe { Valid::new(demand) };
        let wanted = |class: u32| {
            // Relaxed: written by an earlier launch.
            Class::new(class).map_or(0, |class| demand.of(class).load(Relaxed) as u32)
        };
        // A bit for each class that is wanted. All are read at once.
        let mut classes = 0;
        let mut first = 0;
        while first < CLASSES {
            classes |= warp.ballot(W::FULL, wanted(first + warp.lane()) > 0) << first;
            first += W::LANES;
        }
        // Each warp begins with another class, so that all are provided at once.
        let turn = warp.warp() % CLASSES;
        classes = classes.rotate_right(turn);
        while classes != 0 {
            let class = (leader(classes) + turn) % CLASSES;
            classes &= classes - 1;
            heap.provide(warp, 16 << class, wanted(class));
        }
    }
}

arguments! {
    /// A load, and the sums of what it is about to request.
    pub struct LoadDemandArguments {
        nested {
            /// The load.
            load: LoadArguments,
            /// The sums, 0 before the launch.
            sums: ProvideArguments,
        }
        pointers {}
        integers {
            /// Neighbours that a linked page has room for; 0 where a row is one block.
            page_entries: u32,
        }
    }
}

/// Sums up what a load is about to request. The directories of divided rows are left out: there
/// are few.
///
/// Reads the offsets once, and adds each warp's counts to the sums at its end.
pub struct LoadDemand;

const _: () = assert!(CLASSES as usize * size_of::<SharedU32>() <= SCRATCH_BYTES);

impl PlainKernel for LoadDemand {
    type Arguments = LoadDemandArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, arguments: LoadDemandArguments) {
        let LoadDemandArguments {
            load, page_entries, ..
        } = arguments;
        let counters = warp.scratch().cast::<u32>();
        // SAFETY: nothing else uses the warp's scratch memory, which has room for a counter a class.
        // Lanes may meet at a counter between the two `sync` only, and use atomic operations there.
        // The kernel's contract holds for the load and the sums.
        unsafe {
            let sums = Valid::new(arguments.sums);
            let mut class = warp.lane();
            while class < CLASSES {
                *counters.add(class as usize) = 0;
                class += W::LANES;
            }
            warp.sync(W::FULL);
            let rows = Rows::new(warp, load.vertices, W::LANES);
            let mut row = rows.first;
            while row < rows.end {
                let vertex = row + warp.lane();
                let mut range = None;
                if vertex < rows.end {
                    range = load.range(vertex);
                }
                let (start, end) = range.unwrap_or((0, 0));
                let degree = end - start;
                if degree > 0 && degree >= load.least && degree < load.below {
                    let is_weighted = load.is_weighted();
                    let (bytes, blocks) = match page_entries {
                        0 => (block_bytes(capacity_for(degree), is_weighted), 1),
                        room => (page_bytes(is_weighted), degree.div_ceil(room)),
                    };
                    let counter = counters.add(Class::of(bytes).index());
                    // Relaxed: the `sync` orders the counts.
                    (*counter.cast::<SharedU32>()).fetch_add(blocks, Relaxed);
                }
                row += rows.step;
            }
            warp.sync(W::FULL);
            let mut index = warp.lane();
            while let Some(class) = Class::new(index) {
                let count = *counters.add(class.index());
                if count > 0 {
                    // Relaxed: a sum that a later launch reads.
                    sums.of(class).fetch_add(u64::from(count), Relaxed);
                }
                index += W::LANES;
            }
        }
    }
}
