//! Warps in lockstep as a backend of the program.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use heapwood::backend::{Backend, BackendError, Cpu, DeviceInfo, Grid, Launch, Memory};
use heapwood_device::allocator::{Allocator, Heap};
use heapwood_device::device_heap::AnyHeap;
use heapwood_device::host::{HostAllocator, Named};
use heapwood_device::launch::KernelId;

use super::{Lockstep, Plan, Policy, run_call};

/// Makes the allocator of a heap; as for [`Allocator::new`].
type MakeAllocator = unsafe fn(Heap) -> Box<AnyHeap<'static, Lockstep, u32>>;

/// Warps of 32 lanes in lockstep, under another schedule for each launch, over heaps of
/// one allocator.
pub struct LockstepBackend {
    /// Has the memory.
    host: Cpu,
    /// Warps of a launch, where that is the machine's to choose.
    warps: u32,
    /// Operations between two switches, about.
    period: u64,
    /// Of the next launch's schedule.
    seed: AtomicU64,
    /// The allocator, by its name in the table.
    allocator: &'static str,
    make_allocator: MakeAllocator,
}

impl LockstepBackend {
    /// So many warps over heaps of the allocator `A`, whose first launch has the schedule of
    /// `seed`; lanes switch after `period` operations, about.
    ///
    /// # Panics
    ///
    /// Not by itself: the backend of its memory has one worker, the thread that launches.
    pub fn new<A>(warps: u32, period: u64, seed: u64) -> Self
    where
        A: Allocator<Handle = u32> + Named,
    {
        Self {
            host: Cpu::with_threads(1).expect("no thread is started"),
            warps,
            period,
            seed: AtomicU64::new(seed),
            allocator: A::NAME,
            // SAFETY: the caller's promise.
            make_allocator: |heap| Box::new(unsafe { A::new(heap) }),
        }
    }

    /// # Safety
    ///
    /// As for [`Backend::launch_parts`].
    unsafe fn run(&self, launch: &Launch) -> Result<(), BackendError> {
        let heap = launch.over()?.map(|(allocator, heap)| {
            assert_eq!(
                allocator.name, self.allocator,
                "a heap of another allocator"
            );
            // SAFETY: the caller's promise; the heap is one of this allocator.
            unsafe { (self.make_allocator)(heap) }
        });
        let warps = match launch.bounded_grid()? {
            Grid::Threads(threads) | Grid::Rays(threads) => threads.div_ceil(32),
            Grid::Warps(warps) => warps,
            // Any number of blocks is right; of one shape, which the plan of memory rests on.
            Grid::Blocks(blocks) => blocks.min(2) * launch.call.kernel().block().warps,
            Grid::Strided(_) | Grid::Ranges(_) | Grid::Persistent => self.warps,
        };
        let seed = self.seed.fetch_add(1, Relaxed);
        let policy = Policy::Random {
            period: self.period,
        };
        let plan = Plan {
            step_limit: u64::MAX,
            block_warps: match launch.grid {
                Grid::Blocks(_) => launch.call.kernel().block().warps,
                _ => 1,
            },
            ..Plan::new(warps, policy, seed)
        };
        // SAFETY: the caller's promise.
        if let Err(error) = unsafe { run_call(plan, heap.as_deref(), launch.call) } {
            panic!("{error}");
        }
        Ok(())
    }
}

impl Backend for LockstepBackend {
    fn info(&self) -> DeviceInfo {
        DeviceInfo {
            backend: "lockstep",
            device: format!("{} warps of 32 lanes", self.warps),
            is_gpu: false,
            processors: 4,
            driver: None,
            clock_hz: 1_000_000_000,
            linked: None,
        }
    }

    fn solo_workers(&self) -> u32 {
        0
    }

    fn free_memory(&self) -> Result<u64, BackendError> {
        self.host.free_memory()
    }

    fn allocate(&self, bytes: u64) -> Result<Memory, BackendError> {
        self.host.allocate(bytes)
    }

    fn allocate_zeroed(&self, bytes: u64) -> Result<Memory, BackendError> {
        self.host.allocate_zeroed(bytes)
    }

    /// # Panics
    ///
    /// If a schedule finds a fault: the message has what replays it.
    unsafe fn launch_parts(&self, parts: &[&[Launch]]) -> Result<Vec<f64>, BackendError> {
        let part = |part: &&[Launch]| {
            let begun = Instant::now();
            for launch in *part {
                // SAFETY: the caller's promise.
                unsafe { self.run(launch)? };
            }
            Ok(begun.elapsed().as_secs_f64() * 1e3)
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
