//! Traces of device heaps: each request and free of a run's lanes, in one total order.
//!
//! [`Writer`] and [`Reader`] stream the file format `.hwt` of docs/traces.md, and hold one block of
//! it. Both validate every event. [`summarise`] has the figures of a trace, [`RmmLog`] and
//! [`UmpireLog`] read the logs of other tools, and [`export`] writes their formats.
//!
//! ```
//! use heapwood_traces::{TraceEntry, Event, Header, HeapOperation, Reader, Writer};
//!
//! let mut file = Vec::new();
//! let mut writer = Writer::new(&mut file, &Header::default())?;
//! let grant = HeapOperation::Grant { bytes: 64, block: 0 };
//! let event = Event { launch: 0, warp: 0, order: 0, lane: 0, clock: 0, operation: grant };
//! writer.event(&event)?;
//! assert_eq!(writer.finish(None)?.live_blocks, 1);
//!
//! let entries = Reader::new(&file[..])?.collect::<Result<Vec<_>, _>>()?;
//! assert_eq!(entries, [TraceEntry::Event(event)]);
//! # Ok::<(), heapwood_traces::TraceError>(())
//! ```

mod columns;
mod error;
mod event;
pub mod export;
mod header;
mod histogram;
mod log;
mod read;
mod section;
mod summary;
mod validation;
mod write;

pub use error::{EventProblem, LaunchProblem, LogProblem, TraceError};
pub use event::{Event, HeapOperation, Launch, TraceEntry};
pub use header::{Footer, Header};
pub use heapwood_results::trace::{RecordingCost, TraceReport};
pub use log::{RmmLog, UmpireLog};
pub use read::Reader;
pub use summary::summarise;
pub use write::Writer;
