//! The device's memory, its stream and events, as what a caching pool stands on.

use std::mem::ManuallyDrop;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::time::Duration;

use cust::event::{Event as CudaEvent, EventStatus};
use cust::memory::{DevicePointer, cuda_free, cuda_malloc};
use cust::sys;

use super::error::{CudaError, check, from_cust};
use super::shared::Shared;
use crate::pool::{Event, Provider, Stream};

/// Limit of the wait for work that uses needed memory. The thread that launched kernels ends those
/// that take longer.
pub(super) const PATIENCE: Duration = Duration::from_secs(120);

/// Memory by `cuMemAlloc`; clones are of the same device.
#[derive(Clone, Debug)]
pub struct DeviceMemory(Arc<Shared>);

/// The stream that everything asked of a [`Gpu`](super::Gpu) goes through.
#[derive(Clone, Debug)]
pub struct DeviceStream(Arc<Shared>);

/// A position in that stream.
#[derive(Debug)]
pub struct DeviceEvent {
    /// There until the drop.
    event: ManuallyDrop<CudaEvent>,
    gpu: Arc<Shared>,
}

impl DeviceMemory {
    /// That of a device.
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self(shared)
    }

    /// The stream of the device.
    pub fn stream(&self) -> DeviceStream {
        DeviceStream(Arc::clone(&self.0))
    }

    /// Memory by `cuMemAllocAsync` on the device's stream, from the driver's own pool.
    ///
    /// # Errors
    ///
    /// As for [`Provider::obtain`], and drivers before CUDA 11.2.
    pub fn obtain_async(&self, bytes: u64) -> Result<NonZeroU64, CudaError> {
        self.0.enter()?;
        let mut address = 0;
        // SAFETY: the address is written; the stream is that of the current context.
        let result = unsafe { sys::cuMemAllocAsync(&mut address, bytes as usize, self.0.stream()) };
        check("cuMemAllocAsync", result)?;
        self.granted(address, bytes)
    }

    /// Gives memory back by `cuMemFreeAsync` on the device's stream.
    ///
    /// # Safety
    ///
    /// The memory was obtained by [`DeviceMemory::obtain_async`], is given back once, and
    /// only work already queued on the stream uses it.
    pub unsafe fn release_async(&self, address: NonZeroU64) {
        if self.0.enter().is_ok() {
            // SAFETY: the caller's promise. A failure is one of earlier work.
            let _ = unsafe { sys::cuMemFreeAsync(address.get(), self.0.stream()) };
        }
    }

    /// Has the driver's own pool give the device back what it keeps: it does so whenever
    /// somebody waits for a stream.
    pub fn empty_driver_cache(&self) {
        if self.0.enter().is_ok() {
            // SAFETY: the stream is that of the current context. A failure is one of earlier
            // work.
            let _ = unsafe { sys::cuStreamSynchronize(self.0.stream()) };
        }
    }

    /// The driver never grants address 0.
    fn granted(&self, address: u64, bytes: u64) -> Result<NonZeroU64, CudaError> {
        NonZeroU64::new(address).ok_or_else(|| self.exhausted(bytes))
    }

    /// The error where there is no memory.
    fn exhausted(&self, wanted: u64) -> CudaError {
        match self.0.free_memory() {
            Ok(free) => CudaError::OutOfMemory { wanted, free },
            Err(fault) => fault,
        }
    }
}

impl Provider for DeviceMemory {
    type Error = CudaError;
    type Stream = DeviceStream;

    fn obtain(&self, bytes: u64) -> Result<NonZeroU64, CudaError> {
        self.0.enter()?;
        // SAFETY: the host never follows the address, and `release` frees the memory once.
        match unsafe { cuda_malloc::<u8>(bytes as usize) }.map_err(from_cust("cuMemAlloc")) {
            Ok(pointer) => self.granted(pointer.as_raw(), bytes),
            Err(CudaError::DriverOutOfMemory { .. }) => Err(self.exhausted(bytes)),
            Err(other) => Err(other),
        }
    }

    unsafe fn release(&self, address: NonZeroU64, _bytes: u64) {
        if self.0.enter().is_ok() {
            // SAFETY: the caller's promise: it came from `cuda_malloc` and is not used again.
            // A failure is one of earlier work, reported elsewhere.
            let _ = unsafe { cuda_free(DevicePointer::<u8>::from_raw(address.get())) };
        }
    }

    fn is_exhausted(error: &CudaError) -> bool {
        matches!(error, CudaError::OutOfMemory { .. })
    }
}

impl Stream for DeviceStream {
    type Event = DeviceEvent;

    fn id(&self) -> u64 {
        self.0.stream_id()
    }

    fn record(&self) -> Option<DeviceEvent> {
        let event = self.0.record().ok()?;
        Some(DeviceEvent {
            event: ManuallyDrop::new(event),
            gpu: Arc::clone(&self.0),
        })
    }
}

impl Event for DeviceEvent {
    fn is_complete(&self) -> bool {
        self.gpu.enter().is_ok() && self.query() == Ok(true)
    }

    fn wait(&self) -> bool {
        self.gpu.wait(|| self.query(), PATIENCE).is_ok()
    }
}

impl DeviceEvent {
    fn query(&self) -> Result<bool, CudaError> {
        let status = self.event.query().map_err(from_cust("cuEventQuery"))?;
        Ok(matches!(status, EventStatus::Ready))
    }
}

impl Drop for DeviceEvent {
    fn drop(&mut self) {
        // SAFETY: it is not used again.
        let event = unsafe { ManuallyDrop::take(&mut self.event) };
        self.gpu.recycle(event);
    }
}
