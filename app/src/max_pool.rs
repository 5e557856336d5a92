//! The largest pool that an allocator can have on a backend, where the program chooses its size.

use heapwood_device::allocator::{SYSTEM_HEAP_STATE, SetupError};

use crate::allocators::Spec;
use crate::backend::{Backend, BackendError};
use crate::size::display;

/// The largest pool that can be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaxPool {
    /// Its size, in bytes.
    pub bytes: u64,
    /// The reason why it is not larger.
    pub limit: PoolLimit,
}

/// The resource that bounds a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolLimit {
    /// The allocator numbers no more bytes.
    Allocator,
    /// The memory that is free.
    Memory,
    /// The heap of the system, whose size is fixed by now: no pool is smaller either.
    SystemHeap,
}

impl MaxPool {
    /// The largest pool that `spec` can use and the backend has memory for beside
    /// `others` bytes, an eighth of the rest being left for what comes and goes.
    ///
    /// # Errors
    ///
    /// Faults of the backend.
    pub fn beside(backend: &dyn Backend, spec: &Spec, others: u64) -> Result<Self, BackendError> {
        let processors = backend.info().processors;
        let nowhere = std::ptr::null_mut();
        if let Some(bytes) = backend.fixed_system_heap()?
            && spec.allocator.properties.system_heap
            && let Ok(planned) = spec.setup(nowhere, bytes, processors)
            && is_whole(bytes, (spec.allocator.elsewhere)(&planned))
        {
            let limit = PoolLimit::SystemHeap;
            return Ok(Self { bytes, limit });
        }
        let free = backend.free_memory()?.saturating_sub(others);
        let free = free - free / 8;
        // No allocator can use so much, and one that is asked says what it can.
        let everything = 1 << 60;
        let usable = match spec.setup(nowhere, everything, processors) {
            Err(SetupError::PoolTooLarge { limit }) => limit,
            _ => everything,
        };
        Ok(Self {
            bytes: usable.min(free),
            limit: match usable <= free {
                true => PoolLimit::Allocator,
                false => PoolLimit::Memory,
            },
        })
    }

    /// The first pool to try where `wanted` bytes are an estimate.
    pub fn first(&self, wanted: u64) -> u64 {
        match self.limit {
            PoolLimit::SystemHeap => self.bytes,
            PoolLimit::Allocator | PoolLimit::Memory => wanted.min(self.bytes),
        }
    }
}

impl std::fmt::Display for MaxPool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let why = match self.limit {
            PoolLimit::Allocator => "the most that the allocator can use",
            PoolLimit::Memory => "the most that there is memory for",
            PoolLimit::SystemHeap => {
                "the size of CUDA's heap, which a process sets once, before kernels use it"
            }
        };
        write!(f, "{}, {why}", display(self.bytes))
    }
}

/// Whether a pool of so many bytes is the heap of the system and nothing else: all but the state,
/// which checked blocks make larger, lies `elsewhere`.
pub(crate) fn is_whole(pool_bytes: u64, elsewhere: u64) -> bool {
    pool_bytes - elsewhere <= SYSTEM_HEAP_STATE
}
