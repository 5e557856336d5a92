//! Recorded calls as events of a trace: blocks and calls get numbers.

use std::io::Write;
use std::ops::Range;

use ahash::HashMap;
use heapwood_device::allocators::{Operation, RecordedCall};
use heapwood_device::heap::{Init, Nothing};
use heapwood_device::launch::{Call, KernelId};
use heapwood_traces::{Event, HeapOperation, Launch as TracedLaunch, Writer};

use super::RecordError;
use crate::backend::Launch;

/// The state of a trace that is recorded.
#[derive(Default)]
pub struct TracedCalls {
    /// Ticks a second of the clock that has measured how long calls took.
    clock_hz: u64,
    launches: u32,
    blocks: u64,
    /// The numbers of live blocks, by address.
    live: HashMap<u64, u64>,
}

/// The last call of a warp.
struct LastCall {
    order: u32,
    lane: u32,
    frees: bool,
}

/// Whether a launch makes a heap empty.
pub fn empties(launch: &Launch) -> bool {
    launch.call.kernel() == Call::of::<Init>(Nothing).kernel()
}

impl TracedCalls {
    /// A trace without launches. A clock of so many ticks a second measures how long calls take.
    pub fn new(clock_hz: u64) -> Self {
        Self {
            clock_hz,
            ..Self::default()
        }
    }

    /// Writes a launch and its calls. A launch that makes a heap empty frees all blocks.
    pub fn launch(
        &mut self,
        writer: &mut Writer<impl Write>,
        launch: &Launch,
        calls: Vec<RecordedCall>,
        ns: Range<u64>,
    ) -> Result<(), RecordError> {
        let kernel = launch.call.kernel();
        let number = self.launches;
        self.launches += 1;
        writer.launch(TracedLaunch {
            number,
            kernel: kernel.name().to_owned(),
            begin_ns: ns.start,
            end_ns: ns.end,
        })?;
        if empties(launch) {
            self.free_all(writer, number)?;
        }
        let mut warps: HashMap<u32, LastCall> = HashMap::default();
        for call in calls {
            let frees = call.operation == Operation::Freed;
            let next = match warps.get(&call.warp) {
                None => 0,
                Some(last) if last.frees == frees && last.lane < call.lane => last.order,
                Some(last) => last.order + 1,
            };
            let last = LastCall {
                order: next,
                lane: call.lane,
                frees,
            };
            warps.insert(call.warp, last);
            writer.event(&Event {
                launch: number,
                warp: call.warp,
                order: next,
                lane: call.lane as u8,
                clock: call.begin(self.clock_hz),
                operation: self.operation(kernel, &call)?,
            })?;
        }
        Ok(())
    }

    fn operation(
        &mut self,
        kernel: KernelId,
        call: &RecordedCall,
    ) -> Result<HeapOperation, RecordError> {
        Ok(match call.operation {
            Operation::Granted => {
                let block = self.blocks;
                self.blocks += 1;
                self.live.insert(call.address, block);
                HeapOperation::Grant {
                    bytes: call.bytes,
                    block,
                }
            }
            Operation::Refused => HeapOperation::Refusal { bytes: call.bytes },
            Operation::Freed => {
                let block = self.live.remove(&call.address);
                let kernel = kernel.name();
                HeapOperation::Free {
                    block: block.ok_or(RecordError::UnknownBlock { kernel })?,
                }
            }
        })
    }

    /// Frees what lives, in the order of grants, as calls of one lane.
    fn free_all(
        &mut self,
        writer: &mut Writer<impl Write>,
        launch: u32,
    ) -> Result<(), RecordError> {
        let mut blocks: Vec<u64> = self.live.drain().map(|(_, block)| block).collect();
        blocks.sort_unstable();
        for (order, block) in blocks.into_iter().enumerate() {
            writer.event(&Event {
                launch,
                warp: 0,
                order: order as u32,
                lane: 0,
                clock: 0,
                operation: HeapOperation::Free { block },
            })?;
        }
        Ok(())
    }
}
