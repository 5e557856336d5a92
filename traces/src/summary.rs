//! The figures of a trace, in one pass. docs/traces.md defines them.

use std::io::Read;

use ahash::HashMap;
use heapwood_results::trace::{HighWater, SizeClass, TraceReport};

use crate::histogram::LogHistogram;
use crate::{Event, Header, HeapOperation, Reader, TraceEntry, TraceError};

/// Classes of sizes: class `k` has those above `2^(k-1)` and up to `2^k`, class 0 also size 0.
const CLASSES: usize = 65;

/// A block that is not freed yet.
struct LiveBlock {
    bytes: u64,
    event: u64,
    clock: u64,
}

/// Reads a trace to its end, and returns its figures. Memory grows with live blocks and the warps of
/// a launch, and not with events.
///
/// # Errors
///
/// That of an entry.
pub fn summarise<R: Read>(file: String, mut reader: Reader<R>) -> Result<TraceReport, TraceError> {
    let header = reader.header().clone();
    let mut tally = Tally::default();
    for entry in reader.by_ref() {
        match entry? {
            TraceEntry::Event(event) => tally.event(&event, &header),
            TraceEntry::Launch(_) => tally.launches += 1,
        }
    }
    let cost = reader.footer().and_then(|footer| footer.cost);
    let report = tally.report(file, &header);
    Ok(TraceReport { cost, ..report })
}

#[derive(Default)]
struct Tally {
    events: u64,
    launches: u64,
    frees: u64,
    refused_bytes: u64,
    sizes: LogHistogram,
    granted: Classes,
    refused: Classes,
    live: HashMap<u64, LiveBlock>,
    live_bytes: u64,
    max_blocks: HighWater,
    max_bytes: HighWater,
    lifetime_events: LogHistogram,
    lifetime_ns: LogHistogram,
    current: Option<CurrentLaunch>,
    requests_per_launch: LogHistogram,
    warps: u64,
    lanes: u64,
    /// Bytes granted before the last free of each class.
    granted_at_free: Vec<Option<u64>>,
    reuse_distance: LogHistogram,
}

/// Counts of classes.
struct Classes([u64; CLASSES]);

impl Default for Classes {
    fn default() -> Self {
        Self([0; CLASSES])
    }
}

/// The launch whose events are read.
#[derive(Default)]
struct CurrentLaunch {
    number: u32,
    requests: u64,
    /// Lanes of each warp, a bit each.
    warps: HashMap<u32, u64>,
}

/// The class of a size.
fn class(bytes: u64) -> usize {
    (u64::BITS - bytes.saturating_sub(1).leading_zeros()) as usize
}

impl Tally {
    fn event(&mut self, event: &Event, header: &Header) {
        if self
            .current
            .as_ref()
            .is_none_or(|current| current.number != event.launch)
        {
            self.end_launch();
            self.current = Some(CurrentLaunch {
                number: event.launch,
                ..CurrentLaunch::default()
            });
        }
        if let Some(current) = &mut self.current {
            current.requests += u64::from(!matches!(event.operation, HeapOperation::Free { .. }));
            *current.warps.entry(event.warp).or_default() |= 1 << (event.lane % 64);
        }
        match event.operation {
            HeapOperation::Grant { bytes, block } => self.grant(event, bytes, block),
            HeapOperation::Refusal { bytes } => {
                self.refused.0[class(bytes)] += 1;
                self.refused_bytes = self.refused_bytes.saturating_add(bytes);
            }
            HeapOperation::Free { block } => self.free(event, block, header),
        }
        self.events += 1;
    }

    fn grant(&mut self, event: &Event, bytes: u64, block: u64) {
        let class = class(bytes);
        if let Some(&Some(before)) = self.granted_at_free.get(class) {
            self.reuse_distance.add(self.sizes.sum() - before);
        }
        self.granted.0[class] += 1;
        self.sizes.add(bytes);
        let live = LiveBlock {
            bytes,
            event: self.events,
            clock: event.clock,
        };
        self.live.insert(block, live);
        self.live_bytes += bytes;
        self.max_blocks.raise(self.live.len() as u64, self.events);
        self.max_bytes.raise(self.live_bytes, self.events);
    }

    fn free(&mut self, event: &Event, block: u64, header: &Header) {
        self.frees += 1;
        let Some(freed) = self.live.remove(&block) else {
            return;
        };
        self.live_bytes -= freed.bytes;
        self.lifetime_events.add(self.events - freed.event);
        // Clocks of multiprocessors differ, so that a block may seem freed before its grant.
        let ticks = event.clock.checked_sub(freed.clock);
        if let Some(ns) = ticks.and_then(|ticks| header.ns(ticks)) {
            self.lifetime_ns.add(u64::try_from(ns).unwrap_or(u64::MAX));
        }
        self.granted_at_free.resize(CLASSES, None);
        self.granted_at_free[class(freed.bytes)] = Some(self.sizes.sum());
    }

    fn end_launch(&mut self) {
        if let Some(launch) = self.current.take() {
            self.requests_per_launch.add(launch.requests);
            self.warps += launch.warps.len() as u64;
            let lanes = launch
                .warps
                .values()
                .map(|lanes| u64::from(lanes.count_ones()));
            self.lanes += lanes.sum::<u64>();
        }
    }

    fn report(mut self, file: String, header: &Header) -> TraceReport {
        self.end_launch();
        let sizes = (0..CLASSES).map(|class| SizeClass {
            max_bytes: 1_u64.checked_shl(class as u32).unwrap_or(u64::MAX),
            granted: self.granted.0[class],
            refused: self.refused.0[class],
        });
        TraceReport {
            file,
            workload: header.workload.clone(),
            allocator: header.allocator.clone(),
            parameters: header.parameters.clone(),
            backend: header.backend.clone(),
            device: header.device.clone(),
            pool_bytes: header.pool_bytes,
            events: self.events,
            launches: self.launches,
            granted: self.granted.0.iter().sum(),
            refused: self.refused.0.iter().sum(),
            frees: self.frees,
            granted_bytes: self.sizes.sum(),
            refused_bytes: self.refused_bytes,
            live_blocks: self.live.len() as u64,
            live_bytes: self.live_bytes,
            max_live_blocks: self.max_blocks,
            max_live_bytes: self.max_bytes,
            warps: self.warps,
            lanes: self.lanes,
            bytes: self.sizes.distribution(),
            lifetime_events: self.lifetime_events.distribution(),
            lifetime_ns: self.lifetime_ns.distribution(),
            requests_per_launch: self.requests_per_launch.distribution(),
            reuse_distance_bytes: self.reuse_distance.distribution(),
            sizes: sizes
                .filter(|size| size.granted + size.refused > 0)
                .collect(),
            cost: None,
        }
    }
}
