//! One opened device: its context, one stream, times and waits.
//!
//! Everything that a [`Gpu`] does goes through one stream, in order. Copies of a
//! [`Buffer`](super::Buffer) go through the default stream, which CUDA orders
//! against that one. So a kernel sees what was uploaded before its launch, and a
//! download sees what the kernel left.

use std::sync::Arc;
use std::time::Duration;

use cust::event::{Event, EventFlags};
use cust::sys::{self, CUresult};

use super::device_memory::DeviceMemory;
use super::error::{CudaError, check, from_cust};
use super::properties::DeviceProperties;
use super::shared::Shared;

/// An opened device. Clones share it, and it stays open as long as one of them or
/// a module or buffer of it lives.
#[derive(Debug, Clone)]
pub struct Gpu {
    shared: Arc<Shared>,
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
        Ok(Self { shared })
    }

    /// What is known of the device.
    pub fn properties(&self) -> &DeviceProperties {
        self.shared.properties()
    }

    /// Free memory of the device, in bytes.
    ///
    /// # Errors
    ///
    /// What the driver reports, and faults of earlier work.
    pub fn free_memory(&self) -> Result<u64, CudaError> {
        self.shared.free_memory()
    }

    /// Memory and the stream of the device, for a pool.
    pub fn memory(&self) -> DeviceMemory {
        DeviceMemory::new(Arc::clone(&self.shared))
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

    pub(super) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }
}
