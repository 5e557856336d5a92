//! A trace as launches to replay.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;

use heapwood_device::allocators::Operation;
use heapwood_device::graph::store::update::{CLASSES, Class};
use heapwood_device::launch::KernelId;
use heapwood_device::workload::mix64;
use heapwood_device::workload::replay::{PlannedCall, REFUSED, ReplayPlan, Step};
use heapwood_traces::{Event, Header, HeapOperation, Reader, TraceEntry, TraceError};

use crate::Error;

/// Kernels for whose requests an application has the allocator make memory ready, if it does that
/// ([`heapwood_device::graph::store::provide`]).
const PROVIDED_KERNELS: [KernelId; 4] = [
    KernelId::Load,
    KernelId::LinkedLoad,
    KernelId::GraphPrepare,
    KernelId::LinkedPrepare,
];

/// Requests of each class of sizes.
pub type RequestCounts = [u64; CLASSES as usize];

/// A launch that made calls.
#[derive(Clone, Debug)]
pub struct ReplayedLaunch {
    /// Its calls.
    pub plan: ReplayPlan,
    /// Its requests, if memory is made ready for them.
    pub demand: Option<RequestCounts>,
}

impl ReplayedLaunch {
    fn new(plan: ReplayPlan, is_provided: bool) -> Self {
        let demand = is_provided.then(|| {
            let mut demand = [0; CLASSES as usize];
            // A damaged trace may have larger ones than any class.
            for bytes in requests(&plan).filter(|&bytes| bytes <= 16 << (CLASSES - 1)) {
                demand[Class::of(bytes).index()] += 1;
            }
            demand
        });
        Self { plan, demand }
    }
}

/// The bytes of each request of a plan.
pub fn requests(plan: &ReplayPlan) -> impl Iterator<Item = u64> {
    let steps = plan.steps.iter();
    steps
        .filter(|step| step.count & Step::FREES == 0)
        .flat_map(|step| &plan.calls[step.first as usize..][..step.count as usize])
        .map(|call| call.bytes)
}

/// Launches that begin with an empty heap.
#[derive(Clone, Debug)]
pub struct Segment {
    /// Launches that made calls.
    pub launches: Vec<ReplayedLaunch>,
    /// Frees of the blocks that these leave. The recorded run made its heap empty there, or ended.
    pub rest: ReplayPlan,
}

/// A trace that was read.
#[derive(Clone, Debug)]
pub struct ReplayedTrace {
    /// Its header.
    pub header: Header,
    /// Its segments: a trace is divided where its run made the heap empty.
    pub segments: Vec<Segment>,
    /// Launches that made calls, those that made the heap empty among them.
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
    /// Launches that made calls, with their numbers.
    plans: Vec<(u32, ReplayPlan)>,
    /// The numbers of launches that make the heap empty.
    empties: BTreeSet<u32>,
    /// The numbers of launches for which memory is made ready.
    provided: BTreeSet<u32>,
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
            let plan = ReplayPlan::new(self.pending.drain(..));
            self.plans.push((self.launch, plan));
        }
    }

    /// The segments. Launches that make the heap empty are each the end of one.
    fn segments(&mut self) -> Vec<Segment> {
        let provided = &self.provided;
        let launch = |(number, plan)| ReplayedLaunch::new(plan, provided.contains(&number));
        let mut plans = self.plans.drain(..).peekable();
        let mut segments = Vec::new();
        for &empties in &self.empties {
            let before = std::iter::from_fn(|| plans.next_if(|plan| plan.0 < empties));
            let before: Vec<ReplayedLaunch> = before.map(launch).collect();
            let rest = plans.next_if(|plan| plan.0 == empties);
            let rest = rest.map(|plan| plan.1.calls).unwrap_or_default();
            if !before.is_empty() {
                let rest: Vec<(u32, u64)> = rest.iter().map(|c| (c.block, c.bytes)).collect();
                segments.push(Segment {
                    launches: before,
                    rest: ReplayPlan::frees(&rest),
                });
            }
        }
        let rest = (0..).zip(&self.blocks);
        let rest: Vec<(u32, u64)> = rest
            .filter_map(|(block, &live)| Some((block, live?.max(1))))
            .collect();
        segments.push(Segment {
            launches: plans.map(launch).collect(),
            rest: ReplayPlan::frees(&rest),
        });
        segments
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
            match entry.map_err(about)? {
                // Without a clock there are no pauses.
                TraceEntry::Event(event) => {
                    reading.event(&event, header.ns(event.clock).unwrap_or_default() as u64);
                }
                TraceEntry::Launch(launch) => {
                    if launch.kernel == KernelId::Init.name() {
                        reading.empties.insert(launch.number);
                    }
                    if PROVIDED_KERNELS
                        .iter()
                        .any(|kernel| kernel.name() == launch.kernel)
                    {
                        reading.provided.insert(launch.number);
                    }
                }
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
        Ok(Self {
            header,
            segments: reading.segments(),
            launches,
            calls: reading.calls,
            refused: reading.refused,
            blocks: reading.blocks.len() as u32,
            most_bytes: reading.most_bytes,
            hash: reading.hash,
        })
    }

    /// All plans, in their order.
    pub fn plans(&self) -> impl Iterator<Item = &ReplayPlan> {
        let segments = self.segments.iter();
        segments.flat_map(|segment| {
            let launches = segment.launches.iter().map(|launch| &launch.plan);
            launches.chain([&segment.rest])
        })
    }

    /// The requests of each plan, if memory is made ready for them.
    pub fn demands(&self) -> impl Iterator<Item = Option<&RequestCounts>> {
        self.segments.iter().flat_map(|segment| {
            let launches = segment.launches.iter();
            launches.map(|launch| launch.demand.as_ref()).chain([None])
        })
    }

    /// Calls of all plans.
    pub fn all_calls(&self) -> u64 {
        self.plans().map(|plan| plan.calls.len() as u64).sum()
    }
}

#[cfg(test)]
mod tests {
    use heapwood_traces::{Launch, Writer};

    use super::*;

    fn grant(block: u64) -> HeapOperation {
        HeapOperation::Grant {
            bytes: 8 << block,
            block,
        }
    }

    /// Two heaps: the first one leaves a block of two, and the second one both of two.
    #[test]
    fn a_trace_is_divided_where_its_heap_was_made_empty() {
        let mut file = Vec::new();
        let mut writer = Writer::new(&mut file, &Header::default()).unwrap();
        let init = KernelId::Init.name();
        let load = KernelId::Load.name();
        let free = |block| HeapOperation::Free { block };
        let launches: [(&str, &[HeapOperation]); 6] = [
            (init, &[]),
            ("work", &[grant(0), grant(1)]),
            ("work", &[free(0)]),
            (init, &[free(1)]),
            (load, &[grant(2), grant(3)]),
            ("other", &[]),
        ];
        for (number, (kernel, operations)) in (0..).zip(launches) {
            writer
                .launch(Launch {
                    number,
                    kernel: kernel.to_owned(),
                    begin_ns: 0,
                    end_ns: 0,
                })
                .unwrap();
            for (order, &operation) in (0..).zip(operations) {
                writer
                    .event(&Event {
                        launch: number,
                        warp: 0,
                        order,
                        lane: 0,
                        clock: 0,
                        operation,
                    })
                    .unwrap();
            }
        }
        writer.finish(None).unwrap();
        let path = std::env::temp_dir().join(format!("segments-{}.hwt", std::process::id()));
        std::fs::write(&path, &file).unwrap();
        let trace = ReplayedTrace::read(&path);
        std::fs::remove_file(&path).unwrap();
        let trace = trace.unwrap();
        let blocks = |plan: &ReplayPlan| -> Vec<(u32, u64)> {
            let calls = plan.calls.iter();
            calls.map(|call| (call.block, call.bytes)).collect()
        };
        let segments: Vec<(usize, Vec<(u32, u64)>)> = trace
            .segments
            .iter()
            .map(|segment| (segment.launches.len(), blocks(&segment.rest)))
            .collect();
        let launches = trace.segments.iter().flat_map(|segment| &segment.launches);
        let demands: Vec<_> = launches.map(|launch| launch.demand.is_some()).collect();
        assert_eq!(demands, [false, false, true]);
        let mut huge = trace.segments[1].launches[0].plan.clone();
        huge.calls[0].bytes = u64::MAX;
        let huge = ReplayedLaunch::new(huge, true).demand.unwrap();
        assert_eq!(huge.iter().sum::<u64>(), 1);
        let demand = trace.segments[1].launches[0].demand.unwrap();
        // 32 and 64 bytes.
        assert_eq!(demand[..4], [0, 1, 1, 0]);
        assert_eq!(segments, [(2, vec![(1, 16)]), (1, vec![(2, 32), (3, 64)])]);
        // Four grants and two frees in the trace, and the two frees behind it.
        assert_eq!((trace.launches, trace.calls, trace.all_calls()), (4, 6, 8));
    }
}
