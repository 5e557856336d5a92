//! The two machines that the suite runs on: OS threads, each a warp of one
//! lane, and warps of 32 lanes in lockstep under random schedules.

use std::any::Any;
use std::cell::Cell;
use std::fmt;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;

use cuda_std::schedule::{Access, Operation};
use heapwood_device::simt::{SCRATCH_BYTES, Solo, Warp};

use crate::fences;
use crate::lockstep::{self, Fault, Lockstep, LockstepError, Plan, Policy};

/// The function of each thread of a launch. It is a reference, so that the code of launches is
/// compiled once.
pub type Kernel<'a, W> = &'a (dyn Fn(W) + Sync);

/// Why a launch failed.
#[derive(Clone, Debug)]
pub struct Failure {
    /// One line.
    pub message: String,
    /// The address of the accesses that nothing orders, if these are the reason.
    pub race: Option<usize>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<LockstepError> for Failure {
    fn from(error: LockstepError) -> Self {
        Self {
            race: match error.fault {
                Fault::Race { address, .. } => Some(address),
                _ => None,
            },
            message: error.to_string(),
        }
    }
}

impl Failure {
    /// The failure of a thread that panicked.
    fn of_panic(panic: &(dyn Any + Send)) -> Self {
        Self {
            message: lockstep::message(panic),
            race: None,
        }
    }
}

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

    /// Runs `kernel` on every thread.
    ///
    /// # Errors
    ///
    /// The first failure: a thread that panicked or, in lockstep, a fault of the kernel.
    fn try_launch(&self, kernel: Kernel<'_, Self::Warp>) -> Result<(), Failure>;

    /// Runs `kernel` on one thread of a launch in which the others do nothing.
    ///
    /// # Errors
    ///
    /// As for [`Machine::try_launch`].
    fn try_launch_alone(&self, thread: u32, kernel: Kernel<'_, Self::Warp>) -> Result<(), Failure> {
        self.try_launch(&|warp| {
            if warp.thread() == thread {
                kernel(warp);
            }
        })
    }

    /// Runs `kernel` on every thread.
    ///
    /// # Panics
    ///
    /// Where [`Machine::try_launch`] fails, with its message.
    fn launch(&self, kernel: Kernel<'_, Self::Warp>) {
        if let Err(failure) = self.try_launch(kernel) {
            panic!("{failure}");
        }
    }

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

impl OsThreads {
    /// Runs `kernel` on some threads of a launch.
    fn start(warps: Range<u32>, kernel: Kernel<'_, Solo>) -> Result<(), Failure> {
        // The first in time: what goes wrong later may come of it.
        let first = Mutex::new(None);
        thread::scope(|scope| {
            for warp in warps {
                let first = &first;
                scope.spawn(move || {
                    fences::show();
                    let mut scratch = Scratch([0xd7; SCRATCH_BYTES]);
                    let run = || kernel(solo(warp, Self::THREADS, &mut scratch));
                    if let Err(panic) = catch_unwind(AssertUnwindSafe(run)) {
                        let mut first = first.lock().expect("no panic in here");
                        first.get_or_insert_with(|| Failure::of_panic(&*panic));
                    }
                });
            }
        });
        let first = first.into_inner().expect("no panic in here");
        first.map_or(Ok(()), Err)
    }
}

impl Machine for OsThreads {
    type Warp = Solo;
    const THREADS: u32 = 4;
    const PROCESSORS: u32 = 4;
    // Under Miri an access takes some ten thousand times as long.
    const TURNS: u32 = if cfg!(miri) { 20 } else { 2000 };
    const REPEATS: u32 = if cfg!(miri) { 1 } else { 2 };

    fn try_launch(&self, kernel: Kernel<'_, Solo>) -> Result<(), Failure> {
        Self::start(0..Self::THREADS, kernel)
    }

    fn try_launch_alone(&self, thread: u32, kernel: Kernel<'_, Solo>) -> Result<(), Failure> {
        Self::start(thread..thread + 1, kernel)
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

    /// The plan of the next launch.
    fn plan(&self) -> Plan {
        let seed = self.seed.fetch_add(1, Relaxed);
        Plan::varied(Self::WARPS, 32, 200, seed).weak()
    }

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
    const REPEATS: u32 = 6;

    fn try_launch(&self, kernel: Kernel<'_, Lockstep>) -> Result<(), Failure> {
        lockstep::run(self.plan(), kernel)?;
        Ok(())
    }

    fn try_launch_alone(&self, thread: u32, kernel: Kernel<'_, Lockstep>) -> Result<(), Failure> {
        lockstep::run_alone(self.plan(), thread, kernel)?;
        Ok(())
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
