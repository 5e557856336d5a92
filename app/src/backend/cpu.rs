//! The CPU backend: every worker runs warps of one lane, one at a time. The thread that
//! launches is a worker, too ([`work`]).

mod memory;
mod watch;
mod work;

use std::sync::Arc;
use std::time::Instant;

use heapwood_device::allocator::Heap;
use heapwood_device::host::HostAllocator;
use heapwood_device::launch::KernelId;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::quota::Quota;
use super::{Backend, BackendError, DeviceInfo, Grid, Launch, Memory};
use crate::link::{CREATE, Libraries, Link, LinkError, Linked, OwnHeap};
use watch::Watch;
use work::{Code, Work};

pub use watch::tell_of_long_calls;

/// Warps that a worker takes at a time.
const CHUNK: u32 = 256;

/// Ranges of rows for each worker: little enough to begin, and the last to end
/// leaves the others idle for a hundredth of the time.
const RANGES: u32 = 64;

/// Worker threads, each a warp of one lane.
pub struct Cpu {
    /// All but the thread that launches; none if that is the only one.
    others: Option<ThreadPool>,
    quota: Option<Quota>,
    /// Functions of the user's, and where they come from.
    linked: Option<(Arc<Libraries>, Linked)>,
    /// Says if these do not return.
    watch: Option<Watch>,
}

impl Cpu {
    /// One worker per core.
    ///
    /// # Errors
    ///
    /// When they cannot be started.
    pub fn new() -> Result<Self, BackendError> {
        Self::with_threads(std::thread::available_parallelism().map_or(1, usize::from))
    }

    /// So many workers, and at least one.
    ///
    /// # Errors
    ///
    /// When they cannot be started.
    pub fn with_threads(threads: usize) -> Result<Self, BackendError> {
        let others = (threads > 1).then(|| {
            ThreadPoolBuilder::new()
                .num_threads(threads - 1)
                .thread_name(|index| format!("worker {index}"))
                .build()
                .map_err(|_| BackendError::Workers { threads })
        });
        let others = others.transpose()?;
        Ok(Self {
            others,
            quota: None,
            linked: None,
            watch: None,
        })
    }

    /// The same with bounds on its memory and operations.
    pub fn with_quota(self, quota: Quota) -> Self {
        let quota = Some(quota);
        Self { quota, ..self }
    }

    /// The same with the allocator of the user's in these shared libraries.
    ///
    /// # Errors
    ///
    /// When they cannot be loaded, or lack a function.
    pub fn linked(mut self, link: Option<Link>) -> Result<Self, BackendError> {
        if let Some(link) = link {
            let about = link.about();
            let watch = Watch::new(&about.files);
            let load = || Libraries::load(&link, false);
            let libraries = Watch::over(watch.as_ref(), "loading it", load)?;
            self.linked = Some((Arc::new(libraries), about));
            self.watch = watch;
        }
        Ok(self)
    }

    /// # Safety
    ///
    /// As for [`Backend::launch_parts`].
    unsafe fn run(&self, launch: &Launch) -> Result<f64, BackendError> {
        let code = Code::of(launch)?;
        let workers = self.solo_workers();
        let (warps, chunk) = match launch.bounded_grid()? {
            Grid::Threads(count) | Grid::Rays(count) | Grid::Warps(count) => (count, CHUNK),
            Grid::Ranges(_) => (workers * RANGES, 1),
            Grid::Blocks(blocks) => (blocks, 1),
            Grid::Strided(_) | Grid::Persistent => (workers, 1),
        };
        let begun = Instant::now();
        // SAFETY: the caller's promise; it is finished below.
        let work = Arc::new(unsafe { Work::new(code, warps, chunk) });
        if let Some(others) = self.others.as_ref().filter(|_| warps > chunk) {
            let work = Arc::clone(&work);
            // SAFETY: threads of a pool have numbers of their own.
            others.spawn_broadcast(move |worker| unsafe { work.help(worker.index() as u32) });
        }
        let external = launch
            .heap
            .is_some_and(|(over, _)| over.properties.external);
        let watch = self.watch.as_ref().filter(|_| external);
        let kernel = launch.call.kernel().name();
        // SAFETY: the other workers have smaller numbers.
        Watch::over(watch, kernel, || unsafe { work.finish(workers - 1) });
        Ok(begun.elapsed().as_secs_f64() * 1e3)
    }
}

impl Backend for Cpu {
    fn info(&self) -> DeviceInfo {
        DeviceInfo {
            backend: "cpu",
            device: product(),
            is_gpu: false,
            processors: self.solo_workers(),
            driver: None,
            // Nanoseconds.
            clock_hz: 1_000_000_000,
            linked: self.linked.as_ref().map(|(_, about)| about.clone()),
        }
    }

    fn solo_workers(&self) -> u32 {
        let others = self.others.as_ref();
        others.map_or(1, |pool| pool.current_num_threads() as u32 + 1)
    }

    /// Without limit where the system does not tell.
    fn free_memory(&self) -> Result<u64, BackendError> {
        Ok(match &self.quota {
            Some(quota) => quota.free_bytes(),
            None => available().unwrap_or(u64::MAX),
        })
    }

    fn allocate(&self, bytes: u64) -> Result<Memory, BackendError> {
        memory::allocate_zeroed(bytes, self.quota.as_ref())
    }

    /// The system's pages are zeroed, and committed when they are touched.
    fn allocate_zeroed(&self, bytes: u64) -> Result<Memory, BackendError> {
        self.allocate(bytes)
    }

    fn bind(&self, allocator: &'static HostAllocator, heap: Heap) -> Result<Heap, BackendError> {
        if !allocator.properties.external {
            return Ok(heap);
        }
        let (libraries, _) = self.linked.as_ref().ok_or(LinkError::Nothing)?;
        Ok(libraries.bind(heap, allocator)?)
    }

    fn own_heap(&self, bytes: u64) -> Result<OwnHeap, BackendError> {
        let (libraries, _) = self.linked.as_ref().ok_or(LinkError::Nothing)?;
        // Launches have ended when they return.
        let create = || OwnHeap::new(libraries, bytes, || true);
        Ok(Watch::over(self.watch.as_ref(), CREATE, create)?)
    }

    unsafe fn launch_parts(&self, parts: &[&[Launch]]) -> Result<Vec<f64>, BackendError> {
        self.quota
            .as_ref()
            .map_or(Ok(()), |quota| quota.operate(0))?;
        let part = |part: &&[Launch]| {
            // SAFETY: the caller's promise.
            let times = part.iter().map(|launch| unsafe { self.run(launch) });
            times.sum()
        };
        parts.iter().map(part).collect()
    }

    fn registers(
        &self,
        _kernel: KernelId,
        _allocator: &'static HostAllocator,
    ) -> Result<Option<(u32, u32)>, BackendError> {
        Ok(None)
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
