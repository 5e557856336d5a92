//! Where kernels run: on the CPU or on a GPU, behind one interface.
//!
//! Both backends look a kernel up in the table of `heapwood-device`, so that the same
//! launch means the same work on either.

mod cpu;
mod gpu;
mod memory;
mod quota;
mod select;

use std::time::Duration;

use heapwood_device::allocator::Heap;
use heapwood_device::host::HostAllocator;
use heapwood_device::launch::{Call, KernelId};
use thiserror::Error;

use crate::cuda::CudaError;

pub use memory::Memory;
pub use quota::Quota;
pub use select::{Choice, Options};

/// Why a backend cannot do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BackendError {
    /// The GPU or its driver.
    #[error(transparent)]
    Cuda(#[from] CudaError),
    /// This program has no PTX.
    #[error(
        "this build of heapwood has no GPU code: rebuild it where `cargo xtask ptx` works, \
         or use --backend cpu"
    )]
    NoDeviceCode,
    /// The host does not give that much memory.
    #[error(
        "out of memory: {} wanted; use a smaller --pool, scene or picture",
        crate::size::display(*.bytes)
    )]
    OutOfMemory {
        /// Bytes wanted.
        bytes: u64,
    },
    /// The workers of the CPU backend could not be started.
    #[error("cannot start {threads} worker threads: use fewer --threads")]
    Workers {
        /// How many.
        threads: usize,
    },
    /// A kernel that works over an allocator was to run without.
    #[error("the kernel {0} works over an allocator, and there is none in the launch")]
    NoHeap(&'static str),
    /// Threads of a launch are numbered by 32 bits, and kernels add their number.
    #[error("{threads} threads are more than a launch can have, 2147483648")]
    TooManyThreads {
        /// How many were wanted.
        threads: u64,
    },
}

/// Threads of a launch, at the most: a thread that goes on to the item as many
/// further as there are threads stays below 2^32 if there are no more items either.
pub const MOST_THREADS: u32 = 1 << 31;

/// How many threads a launch has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// At least so many threads: full blocks on the GPU, a warp each on the CPU.
    Threads(u32),
    /// So many warps, whatever their lanes: rounded up to blocks on the GPU.
    Warps(u32),
    /// For kernels that stride over their work: about so many threads on the
    /// GPU, a warp for each worker on the CPU.
    Strided(u32),
    /// The same for kernels of which a lane alone takes a range: on the CPU some
    /// warps for each worker, so that one that is held up leaves ranges to others.
    Ranges(u32),
    /// As many warps as the machine runs at a time.
    Persistent,
}

impl Shape {
    /// A shape that a launch can have: where about so many threads are meant, no
    /// more than [`MOST_THREADS`].
    fn bounded(self) -> Result<Self, BackendError> {
        let most = MOST_THREADS;
        match self {
            Self::Threads(count) if count > most => Err(BackendError::TooManyThreads {
                threads: u64::from(count),
            }),
            Self::Warps(count) if count > most / 32 => Err(BackendError::TooManyThreads {
                threads: u64::from(count) * 32,
            }),
            Self::Strided(count) => Ok(Self::Strided(count.min(most))),
            Self::Ranges(count) => Ok(Self::Ranges(count.min(most))),
            other => Ok(other),
        }
    }
}

/// A kernel to run.
#[derive(Clone, Copy)]
pub struct Launch {
    /// The kernel and its arguments.
    pub call: Call,
    /// The allocator that it works over; a kernel that needs none does without.
    pub heap: Option<(&'static HostAllocator, Heap)>,
    /// Its threads.
    pub shape: Shape,
}

impl Launch {
    /// The allocator and its heap, if the kernel works over one.
    fn over(&self) -> Result<Option<(&'static HostAllocator, Heap)>, BackendError> {
        let kernel = self.call.kernel();
        match self.heap {
            _ if !kernel.is_over_heap() => Ok(None),
            None => Err(BackendError::NoHeap(kernel.name())),
            some => Ok(some),
        }
    }
}

/// What a backend runs on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// `cpu` or `cuda`.
    pub backend: &'static str,
    /// The product.
    pub device: String,
    /// Multiprocessors, or worker threads.
    pub processors: u32,
    /// The GPU driver's release.
    pub driver: Option<String>,
}

/// A machine that runs kernels.
pub enum Backend {
    /// Worker threads, each a warp of one lane.
    Cpu(cpu::Cpu),
    /// A GPU.
    Cuda(gpu::Cuda),
}

impl Backend {
    /// What it runs on.
    pub fn facts(&self) -> Facts {
        match self {
            Self::Cpu(cpu) => cpu.facts(),
            Self::Cuda(cuda) => cuda.facts(),
        }
    }

    /// Workers that run warps of one lane: those of the CPU; none of the GPU.
    pub fn lone_workers(&self) -> u32 {
        match self {
            Self::Cpu(cpu) => cpu.workers(),
            Self::Cuda(_) => 0,
        }
    }

    /// The CPU, as [`Options::open`] gives it, within a quota.
    ///
    /// # Errors
    ///
    /// When the workers cannot be started.
    pub fn cpu_within(threads: Option<usize>, quota: Quota) -> Result<Self, BackendError> {
        Ok(Self::Cpu(cpu::Cpu::new(threads, Some(quota))?))
    }

    /// Memory that is free, in bytes, as far as that is known.
    ///
    /// # Errors
    ///
    /// Faults of the GPU.
    pub fn free_memory(&self) -> Result<u64, BackendError> {
        match self {
            Self::Cpu(cpu) => Ok(cpu.free_memory()),
            Self::Cuda(cuda) => Ok(cuda.gpu().free_memory()?),
        }
    }

    /// Sets memory aside: zeroed on request, aligned to 256 bytes.
    ///
    /// # Errors
    ///
    /// When there is not that much.
    pub fn memory(&self, bytes: u64, zeroed: bool) -> Result<Memory, BackendError> {
        match self {
            Self::Cpu(cpu) => cpu.memory(bytes),
            Self::Cuda(cuda) => Memory::on_device(cuda.gpu(), bytes, zeroed),
        }
    }

    /// Runs a kernel to its end; returns its time in milliseconds, by events
    /// around it on the GPU and by a monotonic clock on the CPU.
    ///
    /// # Errors
    ///
    /// A kernel over an allocator without one, more threads than [`MOST_THREADS`], a
    /// kernel that faults, and on the GPU one that takes longer than the backend's limit
    /// (a thread of the CPU cannot be ended; commands that must not wait run a process of
    /// their own).
    ///
    /// # Safety
    ///
    /// The arguments satisfy the contract of the kernel and refer to memory of
    /// this backend, as does the heap, initialised unless `kernel` does that.
    pub unsafe fn launch(&self, launch: &Launch) -> Result<f64, BackendError> {
        // SAFETY: the caller's promise.
        let times = unsafe { self.launch_parts(&[&[*launch]])? };
        Ok(times.into_iter().sum())
    }

    /// Runs kernels one after the other, without coming back to the host between
    /// them; returns the time of each part in milliseconds, as [`Backend::launch`]
    /// does.
    ///
    /// # Errors
    ///
    /// As for [`Backend::launch`]; on the GPU the limit is one for all.
    ///
    /// # Safety
    ///
    /// As for [`Backend::launch`], for each of them, when those before it have run.
    pub unsafe fn launch_parts(&self, parts: &[&[Launch]]) -> Result<Vec<f64>, BackendError> {
        let bounded = |launch: &Launch| {
            Ok(Launch {
                shape: launch.shape.bounded()?,
                ..*launch
            })
        };
        let parts: Vec<Vec<Launch>> = parts
            .iter()
            .map(|part| part.iter().map(bounded).collect())
            .collect::<Result<_, BackendError>>()?;
        let parts: Vec<&[Launch]> = parts.iter().map(Vec::as_slice).collect();
        // SAFETY: the caller's promise is the one that both ask for.
        unsafe {
            match self {
                Self::Cpu(cpu) => cpu.launch_parts(&parts),
                Self::Cuda(cuda) => cuda.launch_parts(&parts),
            }
        }
    }

    /// Registers and bytes of local memory of a thread of this kernel over an
    /// allocator; nothing on the CPU.
    ///
    /// # Errors
    ///
    /// Faults of the GPU.
    pub fn registers(
        &self,
        kernel: KernelId,
        allocator: &'static HostAllocator,
    ) -> Result<Option<(u32, u32)>, BackendError> {
        match self {
            Self::Cpu(_) => Ok(None),
            Self::Cuda(cuda) => cuda.registers(kernel, allocator).map(Some),
        }
    }
}

/// How long a launch may take unless told otherwise.
pub const LAUNCH_LIMIT: Duration = Duration::from_secs(120);
