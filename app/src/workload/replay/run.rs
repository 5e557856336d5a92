//! A trace in device memory.

use heapwood_device::allocator::Heap;
use heapwood_device::graph::store::provide::{Provide, ProvideArguments};
use heapwood_device::host::HostAllocator;
use heapwood_device::launch::Call;
use heapwood_device::workload::replay::{
    ReplayArguments, ReplayCalls, ReplayReset, ReplayResetArguments, ReplayedCall, Step,
};
use heapwood_results::steps::ReplayResult;

use super::trace::{RequestCounts, requests};
use super::{Replay, ReplayedTrace};
use crate::Error;
use crate::backend::{Backend, BackendError, Grid, Launch, Memory};
use crate::heap::DeviceHeap;
use crate::workload::steps::{Baseline, Picture, Reached, Run, StepPart};

/// Columns and rows of the picture.
const COLUMNS: u32 = 64;
const ROWS: u32 = 128;

/// A launch whose calls are in device memory.
struct PlacedLaunch {
    /// Requests for which the allocator makes memory ready first.
    provide: Option<ProvideArguments>,
    calls: ReplayArguments,
}

/// A trace in device memory.
pub struct ReplayRun<'b> {
    result: ReplayResult,
    /// The fingerprint of the trace.
    hash: u64,
    /// Calls of a replay.
    calls: u64,
    heap: (&'static HostAllocator, Heap),
    /// The launches of each segment. The last one of each frees what the others leave.
    segments: Vec<Vec<PlacedLaunch>>,
    reset: ReplayResetArguments,
    /// A word that counts calls, and one that counts damaged words.
    done: Memory,
    /// Requests of each power of two of sizes.
    sizes: [u64; COLUMNS as usize],
    /// They are held as long as kernels use them.
    _parts: [Memory; 7],
    /// The backend of the memory.
    _backend: &'b dyn Backend,
}

impl<'b> ReplayRun<'b> {
    pub(super) fn new(
        options: &Replay,
        trace: &ReplayedTrace,
        backend: &'b dyn Backend,
        heap: &DeviceHeap<'b>,
        tally: *mut u64,
    ) -> Result<Self, BackendError> {
        let plans = || trace.plans();
        let provides = heap.parts().0.properties.provides;
        let demands = || trace.demands().map(|demand| demand.filter(|_| provides));
        let counts: Vec<RequestCounts> = demands().flatten().copied().collect();
        let steps: Vec<[u32; 4]> = plans()
            .flat_map(|plan| &plan.steps)
            .map(step_words)
            .collect();
        let calls: Vec<[u32; 4]> = plans()
            .flat_map(|plan| &plan.calls)
            .map(call_words)
            .collect();
        let all_turns: u64 = plans().map(|plan| u64::from(plan.warps)).sum();
        let word = size_of::<u32>() as u64;
        let bytes_of = |rows: &[[u32; 4]]| (rows.len().max(1) * size_of::<[u32; 4]>()) as u64;
        let step_memory = backend.allocate(bytes_of(&steps))?;
        let call_memory = backend.allocate(bytes_of(&calls))?;
        let blocks = backend.allocate(u64::from(trace.blocks.max(1)) * size_of::<u64>() as u64)?;
        let turns = backend.allocate(all_turns.max(1) * word)?;
        let ends = backend.allocate(all_turns.max(1) * size_of::<u64>() as u64)?;
        let tickets = backend.allocate(plans().count() as u64 * word)?;
        let demand_memory =
            backend.allocate((counts.len().max(1) * size_of::<RequestCounts>()) as u64)?;
        let done = backend.allocate_zeroed(2 * size_of::<u64>() as u64)?;
        step_memory.upload(0, &steps)?;
        call_memory.upload(0, &calls)?;
        demand_memory.upload(0, &counts)?;
        let mut launches = Vec::with_capacity(plans().count());
        let (mut first_step, mut first_call, mut first_turn) = (0, 0, 0);
        let mut next_demand = demand_memory.address().cast::<RequestCounts>();
        for ((number, plan), demand) in plans().enumerate().zip(demands()) {
            let provide = demand.map(|_| {
                let demand = next_demand.cast();
                next_demand = next_demand.wrapping_add(1);
                ProvideArguments { demand }
            });
            let calls = ReplayArguments {
                steps: step_memory
                    .address()
                    .cast::<Step>()
                    .wrapping_add(first_step),
                calls: call_memory
                    .address()
                    .cast::<ReplayedCall>()
                    .wrapping_add(first_call),
                blocks: blocks.address().cast(),
                turns: turns.address().cast::<u32>().wrapping_add(first_turn),
                ends: ends.address().cast::<u64>().wrapping_add(first_turn),
                ticket: tickets.address().cast::<u32>().wrapping_add(number),
                done: done.address().cast(),
                damaged: done.address().cast::<u64>().wrapping_add(1),
                counters: tally,
                steps_count: plan.steps.len() as u32,
                pause_scale: (options.pauses * 256.0) as u32,
                touches: options.touch,
                is_clocked: false,
            };
            launches.push(PlacedLaunch { provide, calls });
            first_step += plan.steps.len();
            first_call += plan.calls.len();
            first_turn += plan.warps as usize;
        }
        let mut sizes = [0; COLUMNS as usize];
        for bytes in plans().flat_map(requests) {
            sizes[bytes.ilog2() as usize] += 1;
        }
        Ok(Self {
            result: ReplayResult {
                trace: options.trace.display().to_string(),
                trace_hash: format!("{:016x}", trace.hash),
                workload: trace.header.workload.clone(),
                recorded_allocator: trace.header.allocator.clone(),
                launches: trace.launches,
                calls: trace.calls,
                recorded_refused: trace.refused,
                pauses: options.pauses,
                touches: options.touch,
            },
            hash: trace.hash,
            calls: trace.all_calls(),
            heap: heap.parts(),
            reset: ReplayResetArguments {
                blocks: blocks.address().cast(),
                turns: turns.address().cast(),
                tickets: tickets.address().cast(),
                blocks_count: trace.blocks,
                turns_count: all_turns as u32,
                launches: launches.len() as u32,
            },
            segments: trace
                .segments
                .iter()
                .map(|segment| launches.drain(..segment.launches.len() + 1).collect())
                .collect(),
            done,
            sizes,
            _parts: [
                step_memory,
                call_memory,
                blocks,
                turns,
                ends,
                tickets,
                demand_memory,
            ],
            _backend: backend,
        })
    }

    /// The launch that makes ready for a replay.
    fn ready(&self) -> Launch {
        let reset = &self.reset;
        let most = reset
            .blocks_count
            .max(reset.turns_count)
            .max(reset.launches);
        Launch {
            call: Call::of::<ReplayReset>(self.reset),
            heap: None,
            grid: Grid::strided(most),
        }
    }
}

/// A step as words of device memory.
fn step_words(step: &Step) -> [u32; 4] {
    [step.first, step.count, step.warp, step.turn]
}

/// A call as words of device memory.
fn call_words(call: &ReplayedCall) -> [u32; 4] {
    [
        call.bytes as u32,
        (call.bytes >> 32) as u32,
        call.block,
        call.pause,
    ]
}

impl Run for ReplayRun<'_> {
    type Result = ReplayResult;

    fn first(&self) -> Vec<Launch> {
        vec![self.ready()]
    }

    fn step(&self, _step: u32, is_clocked: bool) -> Vec<StepPart> {
        let launch = |call| Launch {
            call,
            heap: Some(self.heap),
            grid: Grid::Persistent,
        };
        let launches = |placed: &PlacedLaunch| {
            let provide = placed.provide.map(Call::of::<Provide>);
            let calls = Call::of::<ReplayCalls>(ReplayArguments {
                is_clocked,
                ..placed.calls
            });
            provide.into_iter().chain([calls]).map(launch)
        };
        let part = |segment: &Vec<PlacedLaunch>| {
            let mut timed: Vec<Launch> = segment.iter().flat_map(launches).collect();
            let untimed = timed.pop().into_iter().collect();
            StepPart { timed, untimed }
        };
        let mut parts: Vec<StepPart> = self.segments.iter().map(part).collect();
        if let Some(last) = parts.last_mut() {
            last.untimed.push(self.ready());
        }
        parts
    }

    fn baseline(&self) -> Result<Option<Baseline>, BackendError> {
        Ok(None)
    }

    fn clear(&self) -> Vec<Launch> {
        Vec::new()
    }

    /// The fingerprint of the trace for each replay in which all calls were made.
    fn reached(&self) -> Result<Reached<ReplayResult>, Error> {
        let [done, damaged] = self.done.download_array::<u64, 2>(0)?;
        if damaged > 0 {
            return Err(Error::Verification(format!(
                "{damaged} words of blocks were overwritten while the blocks were live"
            )));
        }
        let replays = done.checked_div(self.calls).unwrap_or(0);
        if replays * self.calls != done {
            return Err(Error::Verification(format!(
                "{done} calls were made, which is no multiple of the trace's {}",
                self.calls
            )));
        }
        Ok(Reached {
            hash: self.hash.wrapping_mul(replays),
            granted_bytes: 0,
            result: self.result.clone(),
        })
    }

    /// A histogram of the requested sizes, by powers of two.
    fn picture(&self) -> Result<Picture, BackendError> {
        let most = self.sizes.iter().copied().max().unwrap_or(0).max(1);
        Ok(Picture::of(COLUMNS, ROWS, |column, row| {
            let height = self.sizes[column as usize] * u64::from(ROWS) / most;
            match u64::from(ROWS - row) <= height {
                true => [70, 110, 160],
                false => [245, 245, 245],
            }
        }))
    }
}
