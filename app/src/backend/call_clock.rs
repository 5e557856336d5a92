//! A backend that adds up the times of an allocator's calls.

use heapwood_device::allocator::Heap;
use heapwood_device::allocators::{CallTimes, RING_HEAD_WORDS};
use heapwood_device::host::HostAllocator;
use heapwood_device::launch::KernelId;

use super::{Backend, BackendError, DeviceInfo, Launch, Memory, RingPlace};
use crate::link::OwnHeap;

/// A backend for runs over an allocator that adds the times of its calls up
/// ([`Observe::clocks`](heapwood_device::allocator::Observe::clocks)).
pub struct CallClock<'b> {
    backend: &'b dyn Backend,
    /// The head of a ring that has room for no event.
    head: Memory,
}

impl<'b> CallClock<'b> {
    /// All times 0.
    ///
    /// # Errors
    ///
    /// Faults of the backend.
    pub fn new(backend: &'b dyn Backend) -> Result<Self, BackendError> {
        let head = backend.allocate_zeroed(size_of::<[u64; RING_HEAD_WORDS]>() as u64)?;
        Ok(Self { backend, head })
    }

    /// The times of all calls so far.
    ///
    /// # Errors
    ///
    /// Faults of the backend.
    pub fn times(&self) -> Result<CallTimes, BackendError> {
        Ok(CallTimes::from_words(self.head.download_array(0)?))
    }
}

impl Backend for CallClock<'_> {
    fn info(&self) -> DeviceInfo {
        self.backend.info()
    }

    fn solo_workers(&self) -> u32 {
        self.backend.solo_workers()
    }

    fn free_memory(&self) -> Result<u64, BackendError> {
        self.backend.free_memory()
    }

    fn allocate(&self, bytes: u64) -> Result<Memory, BackendError> {
        self.backend.allocate(bytes)
    }

    fn size_system_heap(&self, bytes: u64, exact: bool) -> Result<(), BackendError> {
        self.backend.size_system_heap(bytes, exact)
    }

    fn fixed_system_heap(&self) -> Result<Option<u64>, BackendError> {
        self.backend.fixed_system_heap()
    }

    fn bind(&self, allocator: &'static HostAllocator, heap: Heap) -> Result<Heap, BackendError> {
        self.backend.bind(allocator, heap)
    }

    fn own_heap(&self, bytes: u64) -> Result<OwnHeap, BackendError> {
        self.backend.own_heap(bytes)
    }

    fn ring(&self, _pool_bytes: u64) -> Option<RingPlace> {
        Some(RingPlace {
            address: self.head.address().expose_provenance() as u64,
            events: 0,
        })
    }

    unsafe fn launch_parts(&self, parts: &[&[Launch]]) -> Result<Vec<f64>, BackendError> {
        // SAFETY: the caller's promise.
        unsafe { self.backend.launch_parts(parts) }
    }

    fn registers(
        &self,
        kernel: KernelId,
        allocator: &'static HostAllocator,
    ) -> Result<Option<(u32, u32)>, BackendError> {
        self.backend.registers(kernel, allocator)
    }
}
