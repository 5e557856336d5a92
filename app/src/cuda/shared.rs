//! The state that all objects of an opened device share: its context and its stream.
//!
//! Invariant: every use of the driver begins with [`Shared::enter`], which makes
//! the context current on the calling thread and refuses to go on once a kernel
//! hangs: the driver would wait for it, in releasing memory too, and for ever.

use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use cust::context::{Context, CurrentContext};
use cust::event::{Event, EventFlags};
use cust::stream::{Stream, StreamFlags};
use cust::sys;

use super::error::{CudaError, from_cust};
use super::properties::{self, DeviceProperties};

/// How long to wait at full attention, before sleeping between looks.
const SPIN: Duration = Duration::from_millis(1);
/// Sleep between two looks at the stream.
const PAUSE: Duration = Duration::from_micros(100);

/// The state that the clones of a [`Gpu`](super::Gpu), its modules and its buffers share.
#[derive(Debug)]
pub(super) struct Shared {
    properties: DeviceProperties,
    context: ManuallyDrop<Context>,
    stream: ManuallyDrop<Stream>,
    /// The number of the stream, which no other has.
    stream_id: u64,
    /// Spare events without a time: to make one takes as long as to record it.
    spare_events: Mutex<Vec<Event>>,
    /// Set once a wait was in vain, to how long it was.
    hung: OnceLock<Duration>,
}

impl Shared {
    /// Opens the device with this number through its primary context.
    ///
    /// # Errors
    ///
    /// As for [`Gpu::open`](super::Gpu::open).
    pub(super) fn open(ordinal: u32) -> Result<Self, CudaError> {
        static STREAMS: AtomicU64 = AtomicU64::new(0);
        let (device, properties) = properties::find(ordinal)?;
        let context = Context::new(device).map_err(from_cust("cuDevicePrimaryCtxRetain"))?;
        CurrentContext::set_current(&context).map_err(from_cust("cuCtxSetCurrent"))?;
        let stream = Stream::new(StreamFlags::DEFAULT, None);
        let stream = stream.map_err(from_cust("cuStreamCreateWithPriority"))?;
        Ok(Self {
            properties,
            context: ManuallyDrop::new(context),
            stream: ManuallyDrop::new(stream),
            // Numbers need only differ.
            stream_id: STREAMS.fetch_add(1, Relaxed),
            spare_events: Mutex::default(),
            hung: OnceLock::new(),
        })
    }

    /// The properties of the device.
    pub(super) fn properties(&self) -> &DeviceProperties {
        &self.properties
    }

    /// Records an event on the stream.
    pub(super) fn record_on(&self, event: &Event) -> Result<(), CudaError> {
        let recorded = event.record(&self.stream);
        recorded.map_err(from_cust("cuEventRecord"))
    }

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

    /// Waits until work is done, but no longer than `limit`.
    ///
    /// # Errors
    ///
    /// Those of `is_done`, and [`CudaError::Timeout`], after which the device answers
    /// every request with that error.
    pub(super) fn wait(
        &self,
        is_done: impl Fn() -> Result<bool, CudaError>,
        limit: Duration,
    ) -> Result<(), CudaError> {
        self.enter()?;
        let begun = Instant::now();
        while !is_done()? {
            let waited = begun.elapsed();
            if waited >= limit {
                return Err(CudaError::Timeout {
                    limit: *self.hung.get_or_init(|| limit),
                });
            }
            if waited < SPIN {
                std::hint::spin_loop();
            } else {
                sleep(PAUSE.min(limit - waited));
            }
        }
        Ok(())
    }

    /// Free memory of the device, in bytes.
    pub(super) fn free_memory(&self) -> Result<u64, CudaError> {
        self.enter()?;
        let info = cust::memory::mem_get_info();
        let (free, _total) = info.map_err(from_cust("cuMemGetInfo"))?;
        Ok(free as u64)
    }

    /// An event behind all that the stream has been asked so far.
    pub(super) fn record(&self) -> Result<Event, CudaError> {
        self.enter()?;
        let spare = self.spare_events().pop();
        let event = match spare {
            Some(event) => event,
            None => Event::new(EventFlags::DISABLE_TIMING).map_err(from_cust("cuEventCreate"))?,
        };
        self.record_on(&event)?;
        Ok(event)
    }

    /// Keeps an event for another record.
    pub(super) fn recycle(&self, event: Event) {
        self.spare_events().push(event);
    }

    fn spare_events(&self) -> MutexGuard<'_, Vec<Event>> {
        let spare = self.spare_events.lock();
        spare.unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of the stream, which no other of this process has had or will have.
    pub(super) fn stream_id(&self) -> u64 {
        self.stream_id
    }

    /// The stream that all kernels go through.
    pub(super) fn stream(&self) -> sys::CUstream {
        self.stream.as_inner()
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let events = std::mem::take(&mut *self.spare_events());
        if self.enter().is_ok() {
            drop(events);
            // SAFETY: neither is used again, and the stream goes before its context.
            unsafe {
                ManuallyDrop::drop(&mut self.stream);
                ManuallyDrop::drop(&mut self.context);
            }
        } else {
            // To destroy them is a request, too.
            std::mem::forget(events);
        }
    }
}
