//! Where kernels run: on the CPU, on a GPU, or on what a test brings, behind one
//! interface.
//!
//! Every backend looks a kernel up in the table of `heapwood-device`, so that the same launch means
//! the same work on each. Code above a [`Backend`] does not ask which one it is.

mod bandwidth;
mod call_clock;
#[cfg(test)]
pub(crate) mod clocked;
mod cpu;
pub mod devices;
mod gpu;
mod launch;
mod memory;
mod memory_source;
mod quota;
mod recording;
mod select;
mod walk;

use std::time::Duration;

use heapwood_device::allocator::Heap;
use heapwood_device::host::HostAllocator;
use heapwood_device::launch::KernelId;
use thiserror::Error;

use crate::cuda::CudaError;
use crate::link::{LinkError, Linked, OwnHeap};
use crate::pool::HostOutOfMemory;

pub use call_clock::CallClock;
pub use cpu::{Cpu, tell_of_long_calls};
pub use gpu::Cuda;
pub use heapwood_device::launch::Grid;
pub use launch::{Launch, MAX_THREADS};
pub(crate) use memory::memory_of;
pub use memory::{Allocation, Memory};
pub use memory_source::{MemorySource, SourceVisitor, visit_sources};
pub use quota::Quota;
pub use recording::{
    AddressMap, FRAME_SIDE, MAP_ROWS, MapCell, MapColumn, RecordError, Recording, RingPlace,
    power_of,
};
pub use select::{Choice, Opened, Options, open};
pub use walk::walk;

/// Why a backend cannot do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BackendError {
    /// The GPU or its driver.
    #[error(transparent)]
    Cuda(CudaError),
    /// This program has no PTX.
    #[error("this build of heapwood has no GPU code: rebuild it where `cargo xtask ptx` works")]
    NoDeviceCode,
    /// The host does not give that much memory.
    #[error("out of memory: {} wanted", crate::size::display(*.bytes))]
    OutOfMemory {
        /// Bytes wanted.
        bytes: u64,
    },
    /// The workers of the CPU backend could not be started.
    #[error("cannot start {threads} worker threads")]
    Workers {
        /// How many.
        threads: usize,
    },
    /// A kernel that works over an allocator was to run without.
    #[error("the kernel {0} works over an allocator, and there is none in the launch")]
    NoHeap(&'static str),
    /// The heap of the system has another size, and cannot get this one any more.
    #[error(
        "CUDA's heap has {} in this process and cannot be resized to {} once kernels that use \
         it were loaded: there is one heap a process, so use one pool of a fixed size in each",
        crate::size::display(*.bytes), crate::size::display(*.wanted)
    )]
    SystemHeapFixed {
        /// Its size, in bytes.
        bytes: u64,
        /// The size that was asked for, in bytes.
        wanted: u64,
    },
    /// An allocator of the user's cannot be had.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// Calls of an allocator cannot be recorded.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// Threads of a launch are numbered by 32 bits, and kernels add their number.
    #[error("{threads} threads are more than a launch can have, 2147483648")]
    TooManyThreads {
        /// How many were wanted.
        threads: u64,
    },
}

impl From<CudaError> for BackendError {
    /// A fault of the user's files is the same error, whichever layer finds it.
    fn from(error: CudaError) -> Self {
        match error {
            CudaError::Link(error) => Self::Link(error),
            other => Self::Cuda(other),
        }
    }
}

impl From<HostOutOfMemory> for BackendError {
    fn from(error: HostOutOfMemory) -> Self {
        Self::OutOfMemory { bytes: error.bytes }
    }
}

impl BackendError {
    /// Whether memory did not suffice.
    pub fn is_out_of_memory(&self) -> bool {
        matches!(
            self,
            Self::OutOfMemory { .. }
                | Self::Cuda(CudaError::OutOfMemory { .. } | CudaError::DriverOutOfMemory { .. })
        )
    }

    /// Whether a launch was given up since it took longer than the backend's limit.
    pub fn is_timeout(&self) -> bool {
        matches!(self, Self::Cuda(CudaError::Timeout { .. }))
    }

    /// Whether a kernel did something forbidden, or the hardware failed under it.
    pub fn is_fault(&self) -> bool {
        matches!(self, Self::Cuda(CudaError::Faulted { .. }))
    }
}

/// The device of a backend, or the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// Its name in reports: `cpu`, `cuda`, or what a test calls its own.
    pub backend: &'static str,
    /// The product.
    pub device: String,
    /// Whether that is a GPU.
    pub is_gpu: bool,
    /// Multiprocessors, or worker threads.
    pub processors: u32,
    /// The GPU driver's release.
    pub driver: Option<String>,
    /// Ticks a second of the clock that kernels read: the peak rate of the multiprocessors.
    pub clock_hz: u64,
    /// The files that an allocator of the user's comes from, if there are any.
    pub linked: Option<Linked>,
}

/// A machine that runs kernels.
///
/// [`Cpu`] and [`Cuda`] are the program's; a test brings others.
pub trait Backend: Send + Sync {
    /// The device that it runs on.
    fn info(&self) -> DeviceInfo;

    /// Workers that run warps of one lane; none where warps have 32. Planners divide work
    /// among so many.
    fn solo_workers(&self) -> u32;

    /// Memory that is free, in bytes, as far as that is known.
    ///
    /// # Errors
    ///
    /// Faults of the GPU.
    fn free_memory(&self) -> Result<u64, BackendError>;

    /// Allocates memory, aligned to 256 bytes. Its content is unspecified.
    ///
    /// # Errors
    ///
    /// When there is not that much.
    fn allocate(&self, bytes: u64) -> Result<Memory, BackendError>;

    /// Allocates memory that is set to 0, aligned to 256 bytes.
    ///
    /// # Errors
    ///
    /// When there is not that much; faults of earlier work.
    fn allocate_zeroed(&self, bytes: u64) -> Result<Memory, BackendError> {
        let memory = self.allocate(bytes)?;
        memory.zero()?;
        Ok(memory)
    }

    /// Has the heap of the system
    /// ([`SYSTEM_HEAP`](heapwood_device::allocator::Allocator::SYSTEM_HEAP)) serve so many
    /// bytes; or more, if it is in use by now and need not be `exact`. Here that is nothing to
    /// do: the C library's has no size.
    ///
    /// # Errors
    ///
    /// [`BackendError::SystemHeapFixed`] if it has another size by now.
    fn size_system_heap(&self, _bytes: u64, _exact: bool) -> Result<(), BackendError> {
        Ok(())
    }

    /// The size of the heap of the system in bytes, once it cannot be changed any more.
    ///
    /// # Errors
    ///
    /// Faults of the backend.
    fn fixed_system_heap(&self) -> Result<Option<u64>, BackendError> {
        Ok(None)
    }

    /// The heap of an allocator, with what it needs of this backend: one in functions of the
    /// user's ([`EXTERNAL`](heapwood_device::allocator::Allocator::EXTERNAL)) has their
    /// addresses in its heap, where they are not linked. Backends that no file was given to
    /// refuse those.
    ///
    /// # Errors
    ///
    /// [`BackendError::Link`] if there are no such functions.
    fn bind(&self, allocator: &'static HostAllocator, heap: Heap) -> Result<Heap, BackendError> {
        match allocator.properties.external {
            true => Err(LinkError::Nothing.into()),
            false => Ok(heap),
        }
    }

    /// Memory for a heap of so many bytes, from the user's library: for allocators with memory
    /// of their own ([`OWN_MEMORY`](heapwood_device::allocator::Allocator::OWN_MEMORY)).
    ///
    /// # Errors
    ///
    /// [`BackendError::Link`] if there is no such library, or it fails; faults of the GPU.
    fn own_heap(&self, _bytes: u64) -> Result<OwnHeap, BackendError> {
        Err(LinkError::NoLibrary.into())
    }

    /// The ring for the calls of a heap of so many bytes that records them
    /// ([`Observe::records`](heapwood_device::allocator::Observe::records)); none if nothing is
    /// recorded.
    fn ring(&self, _pool_bytes: u64) -> Option<RingPlace> {
        None
    }

    /// Runs launches one after the other, without coming back to the host between
    /// them; returns the time of each part in milliseconds, by events around it on the GPU
    /// and by a monotonic clock on the CPU.
    ///
    /// # Errors
    ///
    /// A kernel over an allocator without one, more threads than [`MAX_THREADS`], a
    /// kernel that faults, and on the GPU parts that take longer than the backend's limit
    /// (a thread of the CPU cannot be ended; commands that must not wait run a process of
    /// their own).
    ///
    /// # Safety
    ///
    /// The arguments of each launch satisfy the contract of its kernel, when those before
    /// it have run, and refer to memory of this backend, as does the heap, initialised
    /// unless the kernel does that. No other thread copies to or from that memory meanwhile.
    unsafe fn launch_parts(&self, parts: &[&[Launch]]) -> Result<Vec<f64>, BackendError>;

    /// Runs a kernel to its end; returns its time as [`Backend::launch_parts`] does.
    ///
    /// # Errors
    ///
    /// As for [`Backend::launch_parts`].
    ///
    /// # Safety
    ///
    /// As for [`Backend::launch_parts`].
    unsafe fn launch(&self, launch: &Launch) -> Result<f64, BackendError> {
        // SAFETY: the caller's promise.
        let times = unsafe { self.launch_parts(&[&[*launch]])? };
        Ok(times.into_iter().sum())
    }

    /// Registers and bytes of local memory of a thread of this kernel over an
    /// allocator; nothing where threads have none.
    ///
    /// # Errors
    ///
    /// Faults of the GPU.
    fn registers(
        &self,
        kernel: KernelId,
        allocator: &'static HostAllocator,
    ) -> Result<Option<(u32, u32)>, BackendError>;
}

/// How long a launch may take unless told otherwise.
pub const LAUNCH_LIMIT: Duration = Duration::from_secs(120);
