//! The two machines that the suite runs on: OS threads, each a warp of one
//! lane, and warps of 32 lanes in lockstep under random schedules.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;

use cuda_std::schedule::{Access, Operation};
use heapwood_device::simt::{SCRATCH_BYTES, Solo, Warp};

use crate::fences;
use crate::lockstep::{self, Lockstep, Plan, Policy};

/// What each thread of a launch does. As a reference, so that the machinery of launches
/// is compiled once.
pub type Kernel<'a, W> = &'a (dyn Fn(W) + Sync);

/// Something that launches kernels.
pub trait Machine: Sync {
    /// Its warps.
    type Warp: Warp;
    /// Threads of a launch.
    const THREADS: u32;
    /// Multiprocessors.
    const PROCESSORS: u32;
    /// Turns that a thread of a long test makes.
    const TURNS: u32;
    /// Times that a test is repeated, under different schedules.
    const REPEATS: u32;

    /// Runs `kernel` on every thread; panics if one of them does.
    fn launch(&self, kernel: Kernel<'_, Self::Warp>);

    /// The number of atomic operations that `kernel` makes on one thread while
    /// no other runs.
    fn count_atomics(&self, kernel: Kernel<'_, Self::Warp>) -> u64;
}

/// OS threads.
#[derive(Debug, Default)]
pub struct OsThreads;

#[repr(C, align(16))]
struct Scratch([u8; SCRATCH_BYTES]);

thread_local! {
    static ATOMICS: Cell<u64> = const { Cell::new(0) };
}

fn count(access: &Access) -> Option<u64> {
    let is_plain = matches!(
        access.operation,
        Operation::PlainRead | Operation::PlainWrite
    );
    if access.leads && !is_plain {
        ATOMICS.set(ATOMICS.get() + 1);
    }
    None
}

fn solo(warp: u32, warps: u32, scratch: &mut Scratch) -> Solo {
    // SAFETY: the scratch memory is the caller's own and outlives its warp.
    unsafe { Solo::new(warp, warps, warp, scratch.0.as_mut_ptr()) }
}

impl Machine for OsThreads {
    type Warp = Solo;
    const THREADS: u32 = 4;
    const PROCESSORS: u32 = 4;
    // Under Miri an access takes some ten thousand times as long.
    const TURNS: u32 = if cfg!(miri) { 20 } else { 2000 };
    const REPEATS: u32 = if cfg!(miri) { 1 } else { 2 };

    fn launch(&self, kernel: Kernel<'_, Solo>) {
        thread::scope(|scope| {
            for warp in 0..Self::THREADS {
                scope.spawn(move || {
                    fences::show();
                    kernel(solo(
                        warp,
                        Self::THREADS,
                        &mut Scratch([0xd7; SCRATCH_BYTES]),
                    ))
                });
            }
        });
    }

    fn count_atomics(&self, kernel: Kernel<'_, Solo>) -> u64 {
        let before = ATOMICS.get();
        cuda_std::schedule::set_hook(Some(count));
        kernel(solo(0, 1, &mut Scratch([0xd7; SCRATCH_BYTES])));
        cuda_std::schedule::set_hook(None);
        ATOMICS.get() - before
    }
}

/// Coroutines in lockstep over weak memory; each launch runs under another
/// schedule.
#[derive(Debug)]
pub struct Coroutines {
    seed: AtomicU64,
}

impl Coroutines {
    const WARPS: u32 = 2;

    /// The machine whose first launch has the schedule of `seed`.
    pub fn new(seed: u64) -> Self {
        Self {
            seed: AtomicU64::new(seed),
        }
    }
}

impl Machine for Coroutines {
    type Warp = Lockstep;
    const THREADS: u32 = Self::WARPS * 32;
    const PROCESSORS: u32 = 4;
    const TURNS: u32 = 20;
    const REPEATS: u32 = 12;

    fn launch(&self, kernel: Kernel<'_, Lockstep>) {
        let seed = self.seed.fetch_add(1, Relaxed);
        let plan = Plan::varied(Self::WARPS, 32, 200, seed).weak();
        if let Err(error) = lockstep::run(plan, kernel) {
            panic!("{error}");
        }
    }

    fn count_atomics(&self, kernel: Kernel<'_, Lockstep>) -> u64 {
        let plan = Plan::new(1, Policy::Random { period: 1 }, self.seed.load(Relaxed));
        let alone = |warp: Lockstep| {
            if warp.lane() == 0 {
                kernel(warp);
            }
        };
        match lockstep::run(plan, alone) {
            Ok(outcome) => outcome.steps,
            Err(error) => panic!("{error}"),
        }
    }
}
