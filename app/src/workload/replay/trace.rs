//! A trace as launches to replay.

use std::fs::File;
use std::path::Path;

use heapwood_device::allocators::Operation;
use heapwood_device::workload::mix64;
use heapwood_device::workload::replay::{PlannedCall, REFUSED, ReplayPlan};
use heapwood_traces::{Event, Header, HeapOperation, Reader, TraceEntry, TraceError};

use crate::Error;

/// A trace that was read.
#[derive(Clone, Debug)]
pub struct ReplayedTrace {
    /// Its header.
    pub header: Header,
    /// Launches that made calls, and at last the frees of blocks that the trace leaves.
    pub plans: Vec<ReplayPlan>,
    /// Launches without the last one.
    pub launches: u32,
    /// Calls of these.
    pub calls: u64,
    /// Requests that were refused.
    pub refused: u64,
    /// Blocks.
    pub blocks: u32,
    /// The most bytes of live blocks.
    pub most_bytes: u64,
    /// A fingerprint of all calls.
    pub hash: u64,
}

/// A trace, so far.
#[derive(Default)]
struct Reading {
    plans: Vec<ReplayPlan>,
    launch: u32,
    pending: Vec<PlannedCall>,
    /// The bytes of each block, and none of one that was freed.
    blocks: Vec<Option<u64>>,
    live_bytes: u64,
    most_bytes: u64,
    calls: u64,
    refused: u64,
    hash: u64,
}

impl Reading {
    /// An event that began at this time in nanoseconds.
    fn event(&mut self, event: &Event, ns: u64) {
        if event.launch != self.launch {
            self.end_launch();
            self.launch = event.launch;
        }
        let (operation, block, bytes) = match event.operation {
            HeapOperation::Grant { bytes, block } => {
                // Ids count from 0 in the order of grants.
                self.blocks.push(Some(bytes));
                self.live_bytes += bytes;
                self.most_bytes = self.most_bytes.max(self.live_bytes);
                (Operation::Granted, block, bytes)
            }
            HeapOperation::Refusal { bytes } => {
                self.refused += 1;
                (Operation::Refused, 0, bytes)
            }
            HeapOperation::Free { block } => {
                let live = self.blocks.get_mut(block as usize);
                let bytes = live.and_then(Option::take).unwrap_or_default();
                self.live_bytes -= bytes;
                (Operation::Freed, block, bytes)
            }
        };
        self.calls += 1;
        self.hash = mix64(self.hash ^ mix64(block ^ bytes << 32 ^ operation as u64));
        self.pending.push(PlannedCall {
            warp: event.warp,
            lane: u32::from(event.lane),
            operation,
            bytes,
            block: block as u32,
            begin: ns,
            // A trace has no times of calls: they are part of the pauses.
            took: 0,
        });
    }

    fn end_launch(&mut self) {
        if !self.pending.is_empty() {
            self.plans.push(ReplayPlan::new(self.pending.drain(..)));
        }
    }
}

impl ReplayedTrace {
    /// Reads the trace in a file.
    ///
    /// # Errors
    ///
    /// [`Error::Trace`], and [`Error::Failed`] for one with more blocks or calls than can be numbered.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let about = |error| Error::Trace {
            path: path.to_owned(),
            error,
        };
        let file = File::open(path).map_err(|error| about(TraceError::Read(error)))?;
        let reader = Reader::new(file).map_err(about)?;
        let header = reader.header().clone();
        let mut reading = Reading::default();
        for entry in reader {
            if let TraceEntry::Event(event) = entry.map_err(about)? {
                // Without a clock there are no pauses.
                reading.event(&event, header.ns(event.clock).unwrap_or_default() as u64);
            }
        }
        reading.end_launch();
        if reading.blocks.len() >= REFUSED as usize || reading.calls > u64::from(u32::MAX) {
            return Err(Error::Failed(format!(
                "{}: a trace of more than 2^32 calls cannot be replayed",
                path.display()
            )));
        }
        let launches = reading.plans.len() as u32;
        let rest = (0..).zip(&reading.blocks);
        let rest: Vec<(u32, u64)> = rest
            .filter_map(|(block, &live)| Some((block, live?.max(1))))
            .collect();
        if !rest.is_empty() {
            reading.plans.push(ReplayPlan::frees(&rest));
        }
        Ok(Self {
            header,
            plans: reading.plans,
            launches,
            calls: reading.calls,
            refused: reading.refused,
            blocks: reading.blocks.len() as u32,
            most_bytes: reading.most_bytes,
            hash: reading.hash,
        })
    }

    /// Calls of all plans.
    pub fn all_calls(&self) -> u64 {
        self.plans.iter().map(|plan| plan.calls.len() as u64).sum()
    }
}
