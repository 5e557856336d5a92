//! Recorded calls that are replayed over other allocators, under other schedules.

use std::collections::HashMap;

use heapwood_device::allocator::{Allocator, Observe};
use heapwood_device::allocators::{
    CfMalloc, FlatterScatter, Gallatin, LlvmLibc, Operation, OuroborosPS, OuroborosPVl,
    RecordedCall,
};
use heapwood_device::kernel::{Kernel, PlainKernel};
use heapwood_device::workload::replay::{
    NOT_YET, PlannedCall, ReplayArguments, ReplayCalls, ReplayPlan, ReplayReset,
    ReplayResetArguments,
};
use heapwood_device::workload::{Counts, TALLY_WORDS};
use heapwood_tests::conformance::{Coroutines, Machine, OsThreads, Pool};

use super::recorded::record;

/// The calls with blocks numbered in the order of their grants.
fn numbered(events: &[RecordedCall]) -> (Vec<PlannedCall>, u32) {
    let mut live = HashMap::new();
    let mut blocks = 0;
    let calls = events.iter().map(|event| {
        let (mut block, mut bytes) = (0, event.bytes);
        match event.operation {
            Operation::Granted => {
                live.insert(event.address, (blocks, event.bytes));
                block = blocks;
                blocks += 1;
            }
            Operation::Freed => (block, bytes) = live.remove(&event.address).expect("a live block"),
            Operation::Refused => {}
        }
        PlannedCall {
            warp: event.warp,
            lane: event.lane,
            operation: event.operation,
            bytes,
            block,
            begin: event.begin(1_000_000_000),
            took: event.cycles,
        }
    });
    (calls.collect(), blocks)
}

struct Shared<T>(T);

// SAFETY: threads use what it points to by the contract of the kernels.
unsafe impl<T> Sync for Shared<T> {}

impl<T: Copy> Shared<T> {
    /// The arguments; a method, so that closures capture the whole.
    fn get(&self) -> T {
        self.0
    }
}

/// Replays launches over an allocator; they free all of their blocks.
fn replay<A: Allocator, M: Machine>(machine: &M, launches: &[ReplayPlan], blocks: u32) -> Counts {
    let pool = Pool::<A>::observed(1 << 20, M::PROCESSORS, &[], Observe::NOTHING).expect("a pool");
    machine.launch(&|warp| {
        // SAFETY: a launch of all threads over a heap without blocks.
        unsafe { pool.allocator().init(warp) };
    });
    let mut handles = vec![NOT_YET; blocks as usize];
    let mut counters = vec![0_u64; TALLY_WORDS];
    let handles = handles.as_mut_ptr();
    let words = counters.as_mut_ptr();
    let (mut done, mut damaged, mut made) = (0_u64, 0_u64, 0);
    for (number, plan) in launches.iter().enumerate() {
        let mut turns = vec![0_u32; plan.warps as usize];
        let mut ends = vec![0_u64; plan.warps as usize];
        let mut ticket = 0_u32;
        let arguments = ReplayArguments {
            steps: plan.steps.as_ptr().cast_mut(),
            calls: plan.calls.as_ptr().cast_mut(),
            blocks: handles,
            turns: turns.as_mut_ptr(),
            ends: ends.as_mut_ptr(),
            ticket: &raw mut ticket,
            done: &raw mut done,
            damaged: &raw mut damaged,
            counters: words,
            steps_count: plan.steps.len() as u32,
            pause_scale: 0,
            touches: true,
            is_clocked: number == 0,
        };
        let shared = Shared(arguments);
        machine.launch(&|warp| {
            // SAFETY: all memory is there, and written before the launch.
            unsafe { ReplayCalls::run(warp, pool.allocator(), shared.get()) };
        });
        let steps: u64 = turns.iter().map(|&turns| u64::from(turns)).sum();
        assert_eq!(steps, plan.steps.len() as u64);
        made += plan.calls.len() as u64;
        assert_eq!((done, damaged), (made, 0));
        let reset = Shared(ReplayResetArguments {
            blocks: handles,
            turns: turns.as_mut_ptr(),
            tickets: &raw mut ticket,
            blocks_count: if number + 1 == launches.len() {
                blocks
            } else {
                0
            },
            turns_count: plan.warps,
            launches: 1,
        });
        machine.launch(&|warp| {
            // SAFETY: as above.
            unsafe { ReplayReset::run(warp, reset.get()) };
        });
        assert_eq!((ticket, turns.iter().sum()), (0, 0));
    }
    // SAFETY: a word of each block.
    let rest = unsafe { std::slice::from_raw_parts(handles, blocks as usize) };
    assert!(rest.iter().all(|&bits| bits == NOT_YET));
    if A::WALKABLE {
        machine.launch(&|warp| assert_eq!(pool.allocator().walk(warp).used_bytes, 0));
    }
    Counts::from_words(&counters)
}

fn every_call_is_made<M: Machine>(machine: &M) {
    let events = record::<CfMalloc, M>(machine, 1 << 13);
    let (calls, blocks) = numbered(&events);
    let of = |operation| {
        calls
            .iter()
            .filter(|call| call.operation == operation)
            .count() as u64
    };
    let (granted, refused) = (of(Operation::Granted), of(Operation::Refused));
    assert!(granted > 0 && refused > 0);
    // In two launches. The first one leaves blocks.
    let middle = calls.len() / 2;
    let launches = [&calls[..middle], &calls[middle..]];
    let launches = launches.map(|calls| ReplayPlan::new(calls.iter().copied()));
    for counts in [
        replay::<Gallatin, M>(machine, &launches, blocks),
        replay::<OuroborosPS, M>(machine, &launches, blocks),
        replay::<OuroborosPVl, M>(machine, &launches, blocks),
        replay::<FlatterScatter, M>(machine, &launches, blocks),
        replay::<LlvmLibc, M>(machine, &launches, blocks),
    ] {
        // The pool is large enough for requests that were refused.
        assert_eq!((counts.granted, counts.refused), (granted + refused, 0));
        assert_eq!(counts.freed, granted + refused);
        assert_eq!(counts.live_bytes, 0);
    }
}

#[test]
fn every_call_is_made_on_os_threads() {
    every_call_is_made(&OsThreads);
}

#[test]
fn every_call_is_made_in_lockstep() {
    for seed in 0..4 {
        every_call_is_made(&Coroutines::new(seed));
    }
}
