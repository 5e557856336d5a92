//! The recording of a run: a backend that writes the calls of an allocator into a trace.
//!
//! Kernels over an allocator that records ([`Observe::records`]) leave the events of their calls in a
//! ring of device memory. [`Recording`] empties the ring behind each launch, so that a ring has to
//! hold the events of one launch. It numbers blocks, and drops the addresses.
//!
//! [`Observe::records`]: heapwood_device::allocator::Observe::records

mod address_map;
mod ring;
mod traced_calls;

use std::io::{BufWriter, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use heapwood_device::allocator::Heap;
use heapwood_device::allocators::observed_pool;
use heapwood_device::host::HostAllocator;
use heapwood_device::launch::KernelId;
use heapwood_traces::{Footer, Header, RecordingCost, TraceError, Writer};
use thiserror::Error;

use crate::backend::{Backend, BackendError, DeviceInfo, Launch, Memory, walk};
use crate::link::OwnHeap;

pub use address_map::{AddressMap, FRAME_SIDE, MAP_ROWS, MapCell, MapColumn, power_of};
use ring::Ring;
pub use ring::RingPlace;
use traced_calls::TracedCalls;

/// Why calls cannot be recorded.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RecordError {
    /// A launch made more calls than the ring has room for.
    #[error(
        "the launch of {kernel} made {calls} calls, and the ring of the recording has room for {room}"
    )]
    RingOverflow {
        /// The kernel.
        kernel: &'static str,
        /// Calls that it made.
        calls: u64,
        /// Events of the ring.
        room: u64,
    },
    /// A kernel freed a block that it had not, or the ring was written over.
    #[error("the launch of {kernel} freed a block that no request was granted")]
    UnknownBlock {
        /// The kernel.
        kernel: &'static str,
    },
    /// The trace cannot be written.
    #[error("{0}")]
    Trace(String),
    /// Nothing was to be recorded.
    #[error("no trace was begun")]
    Nothing,
}

impl From<TraceError> for RecordError {
    fn from(error: TraceError) -> Self {
        Self::Trace(error.to_string())
    }
}

/// The place that a trace goes to.
type Sink = BufWriter<Box<dyn Write + Send>>;

/// The trace so far.
struct Trace {
    /// Where it goes, and its header, until the first heap is there.
    begin: Option<(Sink, Header)>,
    writer: Option<Writer<Sink>>,
    calls: TracedCalls,
    /// Milliseconds of all launches.
    launches_ms: f64,
    /// A map of addresses, if one is asked for.
    map: Option<AddressMap>,
    /// The first error, behind which the trace has gaps.
    failed: Option<BackendError>,
}

impl Trace {
    /// The writer, which writes the header at first.
    fn writer(&mut self) -> Result<Option<&mut Writer<Sink>>, RecordError> {
        if let Some((sink, header)) = self.begin.take() {
            self.writer = Some(Writer::new(sink, &header)?);
        }
        Ok(self.writer.as_mut())
    }
}

/// A backend that adds up the times of launches, and records them if it has a ring.
///
/// Whatever runs on a backend is recorded so, over an allocator that records:
///
/// ```
/// use heapwood::meta::trace_header;
/// use heapwood::prelude::*;
///
/// let backend = backend::open()?;
/// let spec = Spec::parse("gallatin")?.recorded()?;
/// let header = trace_header(&*backend, &spec, "a build of terrain");
/// let trace = tempfile::tempfile()?;
/// let sink = Box::new(trace.try_clone()?);
/// let recording = backend::Recording::new(&*backend, 64 << 20, sink, header)?;
///
/// let scene = generate::by_name("terrain").expect("a scene of the generator");
/// let builder = Builder::Kernels { spec, pool: Pool::Bytes(64 << 20) };
/// drop(builder.build(&recording, &scene, tree::Options::default())?);
/// assert!(recording.finish(None)?.events > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Recording<'b> {
    backend: &'b dyn Backend,
    ring: Option<Ring>,
    begun: Instant,
    trace: Mutex<Trace>,
}

impl<'b> Recording<'b> {
    /// Times alone: those of a run that is not recorded.
    pub fn of_times(backend: &'b dyn Backend) -> Self {
        Self::with(backend, None, None)
    }

    /// Begins a trace that is written to `sink`, with a ring of so many bytes. The header needs no
    /// pool.
    ///
    /// # Errors
    ///
    /// A ring for which there is no memory.
    pub fn new(
        backend: &'b dyn Backend,
        ring_bytes: u64,
        sink: Box<dyn Write + Send>,
        header: Header,
    ) -> Result<Self, BackendError> {
        let ring = Ring::new(backend, ring_bytes)?;
        let begin = (BufWriter::new(sink), header);
        Ok(Self::with(backend, Some(ring), Some(begin)))
    }

    fn with(backend: &'b dyn Backend, ring: Option<Ring>, begin: Option<(Sink, Header)>) -> Self {
        Self {
            backend,
            ring,
            begun: Instant::now(),
            trace: Mutex::new(Trace {
                begin,
                writer: None,
                calls: TracedCalls::new(backend.info().clock_hz),
                launches_ms: 0.0,
                map: None,
                failed: None,
            }),
        }
    }

    /// The same recording with a map of addresses, beside the trace; with frames, if it has any.
    #[must_use]
    pub fn with_map(self, has_frames: bool) -> Self {
        self.trace().map = Some(AddressMap::new(has_frames));
        self
    }

    /// The map of addresses.
    pub fn take_map(&self) -> Option<AddressMap> {
        self.trace().map.take()
    }

    /// Milliseconds of all launches so far.
    pub fn launches_ms(&self) -> f64 {
        self.trace().launches_ms
    }

    /// Ends the trace.
    ///
    /// # Errors
    ///
    /// The first error of recording, [`RecordError::Trace`], and [`RecordError::Nothing`] without a
    /// trace.
    pub fn finish(self, cost: Option<RecordingCost>) -> Result<Footer, BackendError> {
        let mut trace = self.trace();
        if let Some(error) = trace.failed.take() {
            return Err(error);
        }
        trace.writer()?;
        let writer = trace.writer.take().ok_or(RecordError::Nothing)?;
        let footer = writer.finish(cost).map_err(RecordError::from)?;
        Ok(footer)
    }

    fn trace(&self) -> MutexGuard<'_, Trace> {
        self.trace.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a launch and records it.
    ///
    /// # Safety
    ///
    /// As for [`Backend::launch`].
    unsafe fn record(&self, launch: &Launch) -> Result<f64, BackendError> {
        let begin_ns = self.now();
        // SAFETY: the caller's promise.
        let ms = unsafe { self.backend.launch(launch)? };
        let mut trace = self.trace();
        trace.launches_ms += ms;
        let records = launch.heap.is_some_and(|(allocator, _)| allocator.observed);
        if let Some(ring) = self.ring.as_ref().filter(|_| records) {
            let ended = self.take(&mut trace, ring, launch, begin_ns);
            if let Err(error) = ended {
                trace.failed.get_or_insert(error.clone());
                return Err(error);
            }
        }
        Ok(ms)
    }

    /// Empties the ring behind a launch that began then.
    fn take(
        &self,
        trace: &mut Trace,
        ring: &Ring,
        launch: &Launch,
        begin_ns: u64,
    ) -> Result<(), BackendError> {
        let recorded = ring.empty(launch.call.kernel())?;
        let end_ns = self.now();
        if let (Some(map), Some(parts)) = (&mut trace.map, launch.heap) {
            if traced_calls::empties(launch) {
                map.clear();
            }
            if map.launch(observed_pool(&parts.1).addr() as u64, &recorded) {
                let is_walkable = parts.0.properties.walkable;
                let state = is_walkable.then(|| walk(self.backend, parts)).transpose()?;
                map.add_column(state.map(|state| state.occupancy));
            }
        }
        let mut calls = std::mem::take(&mut trace.calls);
        if let Some(writer) = trace.writer()? {
            calls.launch(writer, launch, recorded, begin_ns..end_ns)?;
        }
        trace.calls = calls;
        Ok(())
    }

    /// Nanoseconds since the recording began.
    fn now(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

impl Backend for Recording<'_> {
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

    fn ring(&self, pool_bytes: u64) -> Option<RingPlace> {
        let mut trace = self.trace();
        if let Some((_, header)) = &mut trace.begin {
            header.pool_bytes = Some(pool_bytes);
        }
        if let Some(map) = &mut trace.map {
            map.pool_bytes = pool_bytes;
        }
        drop(trace);
        self.ring.as_ref().map(Ring::place)
    }

    unsafe fn launch_parts(&self, parts: &[&[Launch]]) -> Result<Vec<f64>, BackendError> {
        let part = |launches: &&[Launch]| {
            // SAFETY: the caller's promise, one launch after the other.
            let times = launches.iter().map(|launch| unsafe { self.record(launch) });
            times.sum()
        };
        parts.iter().map(part).collect()
    }

    fn registers(
        &self,
        kernel: KernelId,
        allocator: &'static HostAllocator,
    ) -> Result<Option<(u32, u32)>, BackendError> {
        self.backend.registers(kernel, allocator)
    }
}
