//! The CPU backend: every worker runs warps of one lane, one at a time. The thread that
//! launches is a worker, too ([`work`]).

mod work;

use std::sync::Arc;
use std::time::Instant;

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::quota::Quota;
use super::{BackendError, Facts, Launch, Memory, Shape};
use work::{Code, Work};

/// Warps that a worker takes at a time.
const CHUNK: u32 = 256;

/// Ranges of rows for each worker: little enough to begin, and the last to end
/// leaves the others idle for a hundredth of the time.
const RANGES: u32 = 64;

/// The workers.
pub struct Cpu {
    /// All but the thread that launches; none if that is the only one.
    others: Option<ThreadPool>,
    quota: Option<Quota>,
}

impl Cpu {
    /// For `threads` workers, or one a core, which use no more than `quota`.
    pub(super) fn new(threads: Option<usize>, quota: Option<Quota>) -> Result<Self, BackendError> {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = threads.unwrap_or_else(cores);
        let others = (threads > 1).then(|| {
            ThreadPoolBuilder::new()
                .num_threads(threads - 1)
                .thread_name(|index| format!("worker {index}"))
                .build()
                .map_err(|_| BackendError::Workers { threads })
        });
        let others = others.transpose()?;
        Ok(Self { others, quota })
    }

    pub(super) fn workers(&self) -> u32 {
        let others = self.others.as_ref();
        others.map_or(1, |pool| pool.current_num_threads() as u32 + 1)
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
        let code = Code::of(launch)?;
        let workers = self.workers();
        let (warps, chunk) = match launch.shape {
            Shape::Threads(count) | Shape::Warps(count) => (count, CHUNK),
            Shape::Ranges(_) => (workers * RANGES, 1),
            Shape::Strided(_) | Shape::Persistent => (workers, 1),
        };
        let begun = Instant::now();
        // SAFETY: the caller's promise; it is finished below.
        let work = Arc::new(unsafe { Work::new(code, warps, chunk) });
        if let Some(others) = self.others.as_ref().filter(|_| warps > chunk) {
            let work = Arc::clone(&work);
            // SAFETY: threads of a pool have numbers of their own.
            others.spawn_broadcast(move |worker| unsafe { work.help(worker.index() as u32) });
        }
        // SAFETY: the other workers have smaller numbers.
        unsafe { work.finish(workers - 1) };
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
