//! What a backend runs: a kernel with its arguments, over a heap, on a grid.

use heapwood_device::allocator::Heap;
use heapwood_device::host::HostAllocator;
use heapwood_device::launch::Call;

use super::BackendError;

/// Threads of a launch, at the most: a thread that goes on to the item as many
/// further as there are threads stays below 2^32 if there are no more items either.
pub const MOST_THREADS: u32 = 1 << 31;

/// How many threads a launch has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grid {
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

impl Grid {
    /// A grid that a launch can have: where about so many threads are meant, no
    /// more than [`MOST_THREADS`].
    ///
    /// # Errors
    ///
    /// [`BackendError::TooManyThreads`] where exactly so many are meant.
    pub fn bounded(self) -> Result<Self, BackendError> {
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
    pub grid: Grid,
}

impl Launch {
    /// The allocator and its heap, if the kernel works over one.
    ///
    /// # Errors
    ///
    /// [`BackendError::NoHeap`] if it does and the launch has none.
    pub fn over(&self) -> Result<Option<(&'static HostAllocator, Heap)>, BackendError> {
        let kernel = self.call.kernel();
        match self.heap {
            _ if !kernel.is_over_heap() => Ok(None),
            None => Err(BackendError::NoHeap(kernel.name())),
            some => Ok(some),
        }
    }
}
