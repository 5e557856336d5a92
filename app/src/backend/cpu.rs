//! The CPU backend: every worker thread runs warps of one lane, one at a time.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use heapwood_device::allocator::Heap;
use heapwood_device::host::{HostKernel, PlainHostKernel};
use heapwood_device::kernel::Args;
use heapwood_device::warp::{SCRATCH_BYTES, Solo};
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::quota::Quota;
use super::{BackendError, Facts, Launch, Memory, Shape, heap_kernel, plain_kernel};

/// Warps that a worker takes at a time.
const CHUNK: u32 = 256;

/// Ranges of rows for each worker: little enough to begin, and the last to end
/// leaves the others idle for a hundredth of the time.
const RANGES: u32 = 64;

/// A pool of worker threads.
pub struct Cpu {
    pool: ThreadPool,
    quota: Option<Quota>,
}

/// A kernel with its arguments.
#[derive(Clone, Copy)]
enum Code {
    Heap(HostKernel, Heap, Args),
    Plain(PlainHostKernel, Args),
}

// SAFETY: the pointers among the arguments are for kernels, which share memory
// between threads by their own rules.
unsafe impl Send for Code {}
// SAFETY: as above.
unsafe impl Sync for Code {}

impl Code {
    /// # Safety
    ///
    /// As for the kernel.
    unsafe fn run(&self, warp: Solo) {
        // SAFETY: the caller's promise.
        unsafe {
            match *self {
                Self::Heap(run, heap, args) => run(warp, heap, args),
                Self::Plain(run, args) => run(warp, args),
            }
        }
    }
}

/// Scratch memory of the warp that a worker runs.
#[repr(C, align(16))]
struct Scratch([u8; SCRATCH_BYTES]);

impl Cpu {
    /// Starts `threads` workers, or one a core, which use no more than `quota`.
    pub(super) fn new(threads: Option<usize>, quota: Option<Quota>) -> Result<Self, BackendError> {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = threads.unwrap_or_else(cores);
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|index| format!("worker {index}"))
            .build()
            .map_err(|_| BackendError::Workers { threads })?;
        Ok(Self { pool, quota })
    }

    pub(super) fn workers(&self) -> u32 {
        self.pool.current_num_threads() as u32
    }

    pub(super) fn memory(&self, bytes: u64) -> Result<Memory, BackendError> {
        Memory::on_host(bytes, self.quota.as_ref())
    }

    /// Memory that is free, in bytes: without limit where the system does not tell.
    pub(super) fn free_memory(&self) -> u64 {
        match &self.quota {
            Some(quota) => quota.free_bytes(),
            None => available().unwrap_or(u64::MAX),
        }
    }

    pub(super) fn facts(&self) -> Facts {
        Facts {
            backend: "cpu",
            device: product(),
            processors: self.workers(),
            driver: None,
        }
    }

    /// # Safety
    ///
    /// As for [`super::Backend::launch_parts`].
    pub(super) unsafe fn launch_parts(
        &self,
        parts: &[&[Launch]],
    ) -> Result<Vec<f64>, BackendError> {
        self.quota
            .as_ref()
            .map_or(Ok(()), |quota| quota.operate(0))?;
        let part = |part: &&[Launch]| {
            // SAFETY: the caller's promise.
            let times = part.iter().map(|launch| unsafe { self.launch(launch) });
            times.sum()
        };
        parts.iter().map(part).collect()
    }

    /// # Safety
    ///
    /// As for [`super::Backend::launch_parts`].
    unsafe fn launch(&self, launch: &Launch) -> Result<f64, BackendError> {
        let code = match launch.heap {
            Some((allocator, heap)) => Code::Heap(
                heap_kernel(launch.kernel, allocator)?.run,
                heap,
                launch.args,
            ),
            None => Code::Plain(plain_kernel(launch.kernel)?.run, launch.args),
        };
        let workers = self.workers();
        let (warps, chunk) = match launch.shape {
            Shape::Threads(count) | Shape::Warps(count) => (count, CHUNK),
            Shape::Ranges(_) => (workers * RANGES, 1),
            Shape::Strided(_) | Shape::Persistent => (workers, 1),
        };
        // Of 64 bits: beyond the end each worker adds once more.
        let next = AtomicU64::new(0);
        let begun = Instant::now();
        self.pool.broadcast(|worker| {
            let processor = worker.index() as u32;
            let mut scratch = Scratch([0; SCRATCH_BYTES]);
            loop {
                let first = next.fetch_add(u64::from(chunk), Relaxed);
                if first >= u64::from(warps) {
                    break;
                }
                let first = first as u32;
                for warp in first..warps.min(first.saturating_add(chunk)) {
                    // SAFETY: the scratch is this worker's, which runs one warp
                    // at a time; the rest is the caller's promise.
                    unsafe { code.run(Solo::new(warp, warps, processor, scratch.0.as_mut_ptr())) };
                }
            }
        });
        Ok(begun.elapsed().as_secs_f64() * 1e3)
    }
}

/// Memory that can be had without swapping, where the system tells it.
fn available() -> Option<u64> {
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = info
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// The processor's name, where the system tells it.
fn product() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    info.lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map_or_else(
            || std::env::consts::ARCH.to_owned(),
            |(_, name)| name.trim().to_owned(),
        )
}
