//! A launch, as the workers share it.
//!
//! The thread that launches takes warps like any other worker, and at the end waits for the workers
//! that have taken some. It does not wait for workers to wake up: on a busy machine that takes
//! longer than most launches. A worker that wakes up late finds no warps left.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{
    AtomicU64,
    Ordering::{AcqRel, Relaxed},
};
use std::sync::{Condvar, Mutex, PoisonError};

use heapwood_device::allocator::Heap;
use heapwood_device::host::{self, HostAllocator, PlainHostKernel};
use heapwood_device::kernel::Args;
use heapwood_device::launch::KernelId;
use heapwood_device::simt::{BlockShape, SCRATCH_BYTES, Solo};

use crate::backend::{BackendError, Launch};

/// A kernel with its arguments.
#[derive(Clone, Copy)]
pub enum Code {
    Heap(&'static HostAllocator, KernelId, Heap, Args),
    Plain(PlainHostKernel, Args, BlockShape),
}

// SAFETY: the pointers among the arguments are for kernels, which share memory
// between threads by their own rules.
unsafe impl Send for Code {}
// SAFETY: as above.
unsafe impl Sync for Code {}

impl Code {
    /// The kernel of a launch.
    pub fn of(launch: &Launch) -> Result<Self, BackendError> {
        let (kernel, args) = (launch.call.kernel(), launch.call.args());
        Ok(match launch.over()? {
            Some((allocator, heap)) => Self::Heap(allocator, kernel, heap, args),
            None => {
                let run = host::plain_kernel(kernel);
                let run = run.expect("`over` found that it needs no heap");
                Self::Plain(run, args, kernel.block())
            }
        })
    }

    /// Bytes that a warp shares as a block by itself.
    fn shared_bytes(&self) -> usize {
        match self {
            Self::Heap(..) => 0,
            Self::Plain(_, _, shape) => shape.shared_bytes,
        }
    }

    /// # Safety
    ///
    /// As for the kernel.
    unsafe fn run(&self, warp: Solo) {
        // SAFETY: the caller's promise.
        unsafe {
            match self {
                Self::Heap(allocator, kernel, heap, args) => {
                    allocator.run(*kernel, warp, heap, args);
                }
                Self::Plain(run, args, _) => run(warp, *args),
            }
        }
    }
}

/// Scratch memory of the warp that a worker runs.
#[repr(C, align(16))]
struct Scratch([u8; SCRATCH_BYTES]);

/// A kernel and the warps of it that are left.
pub struct Work {
    code: Code,
    warps: u32,
    /// Warps that a worker takes at a time.
    chunk: u32,
    /// The next warp. Of 64 bits: beyond the end each worker adds once more.
    next: AtomicU64,
    helpers: Mutex<Helpers>,
    /// Says that the last helper has left.
    left: Condvar,
}

/// The workers that take warps, but for the thread that launches.
#[derive(Default)]
struct Helpers {
    count: u32,
    /// The first panic of a kernel.
    panic: Option<Box<dyn Any + Send>>,
}

impl Work {
    /// A launch of so many warps; a worker takes `chunk` at a time.
    ///
    /// # Safety
    ///
    /// As for the kernel, until [`Self::finish`] has returned, which is called if a worker
    /// calls [`Self::help`].
    pub unsafe fn new(code: Code, warps: u32, chunk: u32) -> Self {
        Self {
            code,
            warps,
            chunk,
            next: AtomicU64::new(0),
            helpers: Mutex::default(),
            left: Condvar::new(),
        }
    }

    /// Takes warps until none are left.
    ///
    /// # Safety
    ///
    /// That of [`Self::new`] still holds; no other worker of the launch has this number.
    unsafe fn take(&self, processor: u32) {
        let mut scratch = Scratch([0; SCRATCH_BYTES]);
        let mut shared = vec![0_u128; self.code.shared_bytes() / size_of::<u128>()];
        loop {
            // Release and acquire: who finds no warps left sees that all who got some
            // had been counted as helpers before.
            let first = self.next.fetch_add(u64::from(self.chunk), AcqRel);
            if first >= u64::from(self.warps) {
                return;
            }
            let first = first as u32;
            for warp in first..self.warps.min(first.saturating_add(self.chunk)) {
                let scratch = scratch.0.as_mut_ptr();
                // SAFETY: `next` gives each warp of the launch to one worker. The scratch is
                // this worker's, which runs one warp at a time; the rest is the caller's
                // promise.
                unsafe {
                    let warp = Solo::new(warp, self.warps, processor, scratch);
                    self.code.run(warp.with_shared(shared.as_mut_ptr().cast()));
                }
            }
        }
    }

    /// Takes warps in a worker that is not the thread that launches, if any are left.
    ///
    /// # Safety
    ///
    /// No other worker of the launch has this number.
    pub unsafe fn help(&self, processor: u32) {
        // Relaxed: a hint, to leave the lock alone.
        if self.next.load(Relaxed) >= u64::from(self.warps) {
            return;
        }
        let lock = || self.helpers.lock().unwrap_or_else(PoisonError::into_inner);
        lock().count += 1;
        // SAFETY: the caller's promise; `finish` does not return before a helper that got
        // a warp, and one that comes later gets none.
        let taken = panic::catch_unwind(AssertUnwindSafe(|| unsafe { self.take(processor) }));
        let mut helpers = lock();
        helpers.count -= 1;
        if let Err(panic) = taken {
            helpers.panic.get_or_insert(panic);
        }
        if helpers.count == 0 {
            self.left.notify_one();
        }
    }

    /// Takes warps in the thread that launches, and returns when all of them have run.
    ///
    /// # Safety
    ///
    /// No other worker of the launch has this number.
    ///
    /// # Panics
    ///
    /// If the kernel does.
    pub unsafe fn finish(&self, processor: u32) {
        // SAFETY: the caller's promise, and that of who made this.
        let taken = panic::catch_unwind(AssertUnwindSafe(|| unsafe { self.take(processor) }));
        if taken.is_err() {
            // No worker begins another warp. Release and acquire: as in `take`.
            self.next.swap(u64::from(self.warps), AcqRel);
        }
        let helpers = self.helpers.lock().unwrap_or_else(PoisonError::into_inner);
        // The lock orders the helpers' work before this returns. A worker that becomes a helper
        // after this finds no warps left: all have been taken.
        let waited = self.left.wait_while(helpers, |helpers| helpers.count > 0);
        let mut helpers = waited.unwrap_or_else(PoisonError::into_inner);
        if let Some(panic) = taken.err().or_else(|| helpers.panic.take()) {
            panic::resume_unwind(panic);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use heapwood_device::simt::Warp;

    use super::*;

    /// Counts the runs of each warp; the last warp panics if it is asked to.
    ///
    /// # Safety
    ///
    /// The first pointer is to a count for each warp, which lives longer than the launch.
    unsafe fn count(warp: Solo, args: Args) {
        // SAFETY: the caller's promise.
        let runs = unsafe {
            &*args.pointers[0]
                .cast::<AtomicU32>()
                .add(warp.warp() as usize)
        };
        runs.fetch_add(1, Relaxed);
        assert!(
            warp.warp() + 1 < warp.warps() || args.integers[0] == 0,
            "asked to"
        );
    }

    /// Launches so many warps with helpers; the runs of each, and the panic.
    fn run(warps: u32, helpers: u32, panics: bool) -> (Vec<u32>, Option<String>) {
        let runs: Vec<AtomicU32> = (0..warps).map(|_| AtomicU32::new(0)).collect();
        let mut args = Args::NONE;
        args.pointers[0] = runs.as_ptr().cast_mut().cast();
        args.integers[0] = u64::from(panics);
        // SAFETY: the counts are there until the end of this function.
        let work = unsafe { Work::new(Code::Plain(count, args, BlockShape::OF_WARPS), warps, 3) };
        let panic = std::thread::scope(|scope| {
            for helper in 0..helpers {
                let work = &work;
                // SAFETY: each has its own number.
                scope.spawn(move || unsafe { work.help(helper) });
            }
            // SAFETY: the helpers have smaller numbers.
            panic::catch_unwind(AssertUnwindSafe(|| unsafe { work.finish(helpers) })).err()
        });
        let panic = panic.map(|panic| panic.downcast_ref::<&str>().map_or("", |why| why).into());
        // A late helper finds nothing.
        // SAFETY: no other worker is left.
        unsafe { work.help(0) };
        let runs = runs.into_iter().map(AtomicU32::into_inner).collect();
        (runs, panic)
    }

    #[test]
    fn every_warp_runs_once() {
        for warps in [0, 1, 2, 3, 4, 100, 1000] {
            for helpers in [0, 1, 5] {
                assert_eq!(run(warps, helpers, false), (vec![1; warps as usize], None));
            }
        }
    }

    #[test]
    fn a_panic_is_that_of_the_launch() {
        for helpers in [0, 1, 5] {
            let (runs, panic) = run(100, helpers, true);
            assert_eq!(panic.as_deref(), Some("asked to"));
            assert!(runs.iter().all(|&runs| runs <= 1));
        }
    }
}
