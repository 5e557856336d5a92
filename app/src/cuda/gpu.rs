//! One opened device: its context, one stream, times and waits.
//!
//! Everything that a [`Gpu`] does goes through one stream, in order. Copies of a
//! [`Buffer`](super::Buffer) go through the default stream, which CUDA orders
//! against that one. So a kernel sees what was uploaded before its launch, and a
//! download sees what the kernel left.
//!
//! Invariant: every use of the driver begins with [`Shared::enter`], which makes
//! the context current on the calling thread and refuses to go on once a kernel
//! hangs: the driver would wait for it, in releasing memory too, and for ever.

use std::mem::ManuallyDrop;
use std::sync::{Arc, OnceLock};
use std::thread::sleep;
use std::time::{Duration, Instant};

use cust::context::{Context, CurrentContext};
use cust::event::{Event, EventFlags};
use cust::stream::{Stream, StreamFlags};
use cust::sys::{self, CUresult};

use super::error::{CudaError, check, from_cust};
use super::properties::{self, DeviceProperties};

/// How long to wait at full attention, before sleeping between looks.
const SPIN: Duration = Duration::from_millis(1);
/// Sleep between two looks at the stream.
const PAUSE: Duration = Duration::from_micros(100);

/// An opened device. Clones share it, and it stays open as long as one of them or
/// a module or buffer of it lives.
#[derive(Debug, Clone)]
pub struct Gpu {
    shared: Arc<Shared>,
}

/// What the clones of a [`Gpu`], its modules and its buffers share.
#[derive(Debug)]
pub(super) struct Shared {
    properties: DeviceProperties,
    context: ManuallyDrop<Context>,
    stream: ManuallyDrop<Stream>,
    /// Set once a wait was in vain, to how long it was.
    hung: OnceLock<Duration>,
}

impl Gpu {
    /// Opens the device with this number through its primary context.
    ///
    /// # Errors
    ///
    /// [`CudaError::NoDriver`], [`CudaError::NoDevice`], [`CudaError::NoSuchDevice`],
    /// or what the driver reports when it cannot make a context.
    pub fn open(ordinal: u32) -> Result<Self, CudaError> {
        let (device, properties) = properties::find(ordinal)?;
        let context = Context::new(device).map_err(from_cust("cuDevicePrimaryCtxRetain"))?;
        CurrentContext::set_current(&context).map_err(from_cust("cuCtxSetCurrent"))?;
        let stream = Stream::new(StreamFlags::DEFAULT, None);
        let stream = stream.map_err(from_cust("cuStreamCreateWithPriority"))?;
        let shared = Arc::new(Shared {
            properties,
            context: ManuallyDrop::new(context),
            stream: ManuallyDrop::new(stream),
            hung: OnceLock::new(),
        });
        Ok(Self { shared })
    }

    /// What is known of the device.
    pub fn properties(&self) -> &DeviceProperties {
        &self.shared.properties
    }

    /// Free memory of the device, in bytes.
    ///
    /// # Errors
    ///
    /// What the driver reports, and faults of earlier work.
    pub fn free_memory(&self) -> Result<u64, CudaError> {
        self.shared.enter()?;
        let info = cust::memory::mem_get_info();
        let (free, _total) = info.map_err(from_cust("cuMemGetInfo"))?;
        Ok(free as u64)
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
        let record = |event: &Event| {
            let recorded = event.record(&self.shared.stream);
            recorded.map_err(from_cust("cuEventRecord"))
        };
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
        self.shared.enter()?;
        let begun = Instant::now();
        loop {
            // SAFETY: the stream lives as long as `self.shared`.
            match unsafe { sys::cuStreamQuery(self.shared.stream.as_inner()) } {
                CUresult::CUDA_ERROR_NOT_READY => {}
                result => return check("cuStreamQuery", result),
            }
            let waited = begun.elapsed();
            if waited >= limit {
                return Err(CudaError::Timeout {
                    limit: *self.shared.hung.get_or_init(|| limit),
                });
            }
            if waited < SPIN {
                std::hint::spin_loop();
            } else {
                sleep(PAUSE.min(limit - waited));
            }
        }
    }

    pub(super) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }
}

impl Shared {
    /// Makes the context current on this thread.
    ///
    /// # Errors
    ///
    /// [`CudaError::Timeout`] if a kernel hangs.
    pub(super) fn enter(&self) -> Result<(), CudaError> {
        if let Some(&limit) = self.hung.get() {
            return Err(CudaError::Timeout { limit });
        }
        CurrentContext::set_current(&*self.context).map_err(from_cust("cuCtxSetCurrent"))
    }

    /// The stream that all kernels go through.
    pub(super) fn stream(&self) -> sys::CUstream {
        self.stream.as_inner()
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if self.enter().is_ok() {
            // SAFETY: neither is used again, and the stream goes before its context.
            unsafe {
                ManuallyDrop::drop(&mut self.stream);
                ManuallyDrop::drop(&mut self.context);
            }
        }
    }
}
