//! Kernels for the heap itself: making it empty, and reading its state.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;

use crate::allocator::{Faults, Occupancy};
use crate::arguments;
use crate::device_heap::DeviceHeap;
use crate::kernel::{Args, Kernel};
use crate::simt::Warp;

/// No arguments.
#[derive(Clone, Copy, Debug)]
pub struct Nothing;

impl From<Args> for Nothing {
    fn from(_: Args) -> Self {
        Self
    }
}

impl From<Nothing> for Args {
    fn from(_: Nothing) -> Self {
        Self::NONE
    }
}

/// Makes a heap empty: initialisation and reset.
pub struct Init;

impl Kernel for Init {
    type Arguments = Nothing;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, _: Nothing) {
        // SAFETY: the caller launches this kernel while nothing uses the heap.
        unsafe { heap.init(warp) }
    }
}

/// The state of a heap at rest, as `Report` adds it up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// The result of `walk`, if the allocator is walkable.
    pub occupancy: Occupancy,
    /// Faults found since the last initialisation.
    pub faults: Faults,
}

/// Words that `Report` writes.
pub const STATE_WORDS: usize = 8;

impl State {
    /// The state from the words that `Report` wrote.
    pub fn from_words(words: &[u64; STATE_WORDS]) -> Self {
        Self {
            occupancy: Occupancy {
                used_bytes: words[0],
                free_bytes: words[1],
                largest_free_bytes: words[2],
            },
            faults: Faults {
                overwritten: words[3],
                invalid_frees: words[4],
                overruns: words[5],
                outside: words[6],
                misaligned: words[7],
            },
        }
    }
}

arguments! {
    /// Where `Report` writes.
    pub struct ReportArguments {
        pointers {
            /// `STATE_WORDS` words, 0 before the launch.
            words: u64,
        }
        integers {}
    }
}

/// Walks a heap at rest and adds its state up.
pub struct Report;

impl Kernel for Report {
    type Arguments = ReportArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(
        warp: W,
        heap: &A,
        arguments: ReportArguments,
    ) {
        // SAFETY: the arguments' contract: `STATE_WORDS` aligned words.
        let word = |index: usize| unsafe { &*arguments.words.add(index).cast::<AtomicU64>() };
        let part = heap.walk(warp);
        // Relaxed: the host reads the sums after the launch.
        if part.used_bytes > 0 {
            word(0).fetch_add(part.used_bytes, Relaxed);
        }
        if part.free_bytes > 0 {
            word(1).fetch_add(part.free_bytes, Relaxed);
            word(2).fetch_max(part.largest_free_bytes, Relaxed);
        }
        if warp.thread() == 0 {
            let faults = heap.faults();
            word(3).store(faults.overwritten, Relaxed);
            word(4).store(faults.invalid_frees, Relaxed);
            word(5).store(faults.overruns, Relaxed);
            word(6).store(faults.outside, Relaxed);
            word(7).store(faults.misaligned, Relaxed);
        }
    }
}
