//! One opened device: its context, one stream, times and waits.
//!
//! Everything that a [`Gpu`] does goes through one stream, in order. Copies of a
//! [`Buffer`](super::Buffer) go through the default stream, which CUDA orders
//! against that one. So a kernel sees what was uploaded before its launch, and a
//! download sees what the kernel left.
//!
//! So memory of a buffer that is dropped may be another's at once, behind the work
//! that uses it: buffers come from a caching pool ([`crate::pool`]).

use std::sync::Arc;
use std::time::Duration;

use cust::context::{CurrentContext, ResourceLimit};
use cust::event::{Event, EventFlags};
use cust::sys::{self, CUresult};

use super::device_memory::DeviceMemory;
use super::error::{CudaError, check, from_cust};
use super::properties::DeviceProperties;
use super::shared::Shared;
use crate::pool::size_class::largest_request;
use crate::pool::{Limits, Pool};

/// The pool of buffers keeps this part of the device's memory at most.
const KEPT_PART: u64 = 16;

/// An opened device. Clones share it, and it stays open as long as one of them or
/// a module or buffer of it lives.
#[derive(Debug, Clone)]
pub struct Gpu {
    shared: Arc<Shared>,
    pool: Arc<Pool<DeviceMemory>>,
}

impl Gpu {
    /// Opens the device with this number through its primary context.
    ///
    /// # Errors
    ///
    /// [`CudaError::NoDriver`], [`CudaError::NoDevice`], [`CudaError::NoSuchDevice`],
    /// or what the driver reports when it cannot make a context.
    pub fn open(ordinal: u32) -> Result<Self, CudaError> {
        let shared = Arc::new(Shared::open(ordinal)?);
        let limits = Limits {
            cached_bytes: shared.properties().total_memory / KEPT_PART,
        };
        let memory = DeviceMemory::new(Arc::clone(&shared));
        let pool = Arc::new(Pool::new(memory, limits));
        Ok(Self { shared, pool })
    }

    /// The properties of the device.
    pub fn properties(&self) -> &DeviceProperties {
        self.shared.properties()
    }

    /// The largest buffer that the free memory of the device has room for, in bytes. The pool
    /// gives back what it keeps before, after the work that is pending on it.
    ///
    /// # Errors
    ///
    /// Errors of the driver, and faults of earlier work.
    pub fn free_memory(&self) -> Result<u64, CudaError> {
        self.pool.empty_cache();
        Ok(largest_request(self.shared.free_memory()?))
    }

    /// The size of the heap that device code allocates from by CUDA's `malloc`, in bytes.
    ///
    /// # Errors
    ///
    /// Faults of earlier work.
    pub fn heap_bytes(&self) -> Result<u64, CudaError> {
        self.shared.enter()?;
        let limit = CurrentContext::get_resource_limit(ResourceLimit::MallocHeapSize);
        limit
            .map(|bytes| bytes as u64)
            .map_err(from_cust("cuCtxGetLimit"))
    }

    /// Sets the size of that heap, before a kernel that uses it is loaded. The driver
    /// rounds it.
    ///
    /// # Errors
    ///
    /// [`CudaError::Call`] if such a kernel was launched, and faults of earlier work.
    pub fn set_heap_bytes(&self, bytes: u64) -> Result<(), CudaError> {
        self.shared.enter()?;
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        let set = CurrentContext::set_resource_limit(ResourceLimit::MallocHeapSize, bytes);
        set.map_err(from_cust("cuCtxSetLimit"))
    }

    /// Makes a call for which the driver may need memory of its own, and makes it again if
    /// there was none and the pool has given some back.
    pub(super) fn with_memory<T>(
        &self,
        call: impl Fn() -> Result<T, CudaError>,
    ) -> Result<T, CudaError> {
        match call() {
            Err(CudaError::DriverOutOfMemory { .. }) if self.pool.empty_cache() > 0 => call(),
            result => result,
        }
    }

    /// Memory and the stream of the device, without a pool.
    pub fn memory(&self) -> DeviceMemory {
        self.pool.provider().clone()
    }

    /// The pool of all buffers.
    pub fn pool(&self) -> &Arc<Pool<DeviceMemory>> {
        &self.pool
    }

    /// Runs `work` and returns how long the GPU was busy with what it launched, in
    /// milliseconds, from events directly before and after it.
    ///
    /// # Errors
    ///
    /// Those of `work`, and those of [`Gpu::synchronize_within`] with `limit`.
    pub fn time(
        &self,
        limit: Duration,
        work: impl FnOnce() -> Result<(), CudaError>,
    ) -> Result<f64, CudaError> {
        Ok(self.time_parts(limit, [work])?.into_iter().sum())
    }

    /// Runs the parts of some work, one directly after the other, and returns how
    /// long the GPU was busy with each, in milliseconds, from events between them.
    ///
    /// # Errors
    ///
    /// As for [`Gpu::time`].
    pub fn time_parts<Part: FnOnce() -> Result<(), CudaError>>(
        &self,
        limit: Duration,
        parts: impl IntoIterator<Item = Part>,
    ) -> Result<Vec<f64>, CudaError> {
        self.shared.enter()?;
        let parts: Vec<Part> = parts.into_iter().collect();
        // Made before the first is recorded: what the host does between a part and
        // its event is counted as the part's.
        let event = |_| Event::new(EventFlags::DEFAULT).map_err(from_cust("cuEventCreate"));
        let events: Vec<Event> = (0..=parts.len()).map(event).collect::<Result<_, _>>()?;
        let record = |event: &Event| self.shared.record_on(event);
        record(&events[0])?;
        for (part, event) in parts.into_iter().zip(&events[1..]) {
            part()?;
            record(event)?;
        }
        self.synchronize_within(limit)?;
        let elapsed = |pair: &[Event]| {
            let elapsed = pair[1].elapsed_time_f32(&pair[0]);
            elapsed
                .map(f64::from)
                .map_err(from_cust("cuEventElapsedTime"))
        };
        events.windows(2).map(elapsed).collect()
    }

    /// Waits until everything asked of this `Gpu` is done, but no longer than `limit`.
    ///
    /// # Errors
    ///
    /// The faults of the work, and [`CudaError::Timeout`] if it goes on after `limit`.
    /// CUDA cannot cancel a kernel: from then on this `Gpu`, its modules and buffers
    /// answer every request with that error and release nothing, so that the process
    /// can clean up and exit, which it has to.
    pub fn synchronize_within(&self, limit: Duration) -> Result<(), CudaError> {
        // SAFETY: the stream lives as long as `self.shared`.
        let is_done = || match unsafe { sys::cuStreamQuery(self.shared.stream()) } {
            CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            result => check("cuStreamQuery", result).map(|()| true),
        };
        self.shared.wait(is_done, limit)
    }

    /// Makes the device current on this thread, and waits until everything asked of this `Gpu` is
    /// done: for libraries that use the device beside it.
    ///
    /// # Errors
    ///
    /// Faults of earlier work, and [`CudaError::Timeout`] if a kernel was given up.
    pub fn wait(&self) -> Result<(), CudaError> {
        self.shared.enter()?;
        // SAFETY: the stream lives as long as `self.shared`.
        check("cuStreamSynchronize", unsafe {
            sys::cuStreamSynchronize(self.shared.stream())
        })
    }

    pub(super) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }
}
