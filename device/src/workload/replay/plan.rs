//! The steps of a recorded launch.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::{REFUSED, ReplayedCall, Step};
use crate::allocators::Operation;

/// A call in the order of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedCall {
    /// The recorded warp.
    pub warp: u32,
    /// The lane.
    pub lane: u32,
    /// The kind of call.
    pub operation: Operation,
    /// Bytes that were requested; of a free those of its block.
    pub bytes: u64,
    /// The number of the block; ignored of a refusal.
    pub block: u32,
    /// When it began, in nanoseconds.
    pub begin: u64,
    /// Nanoseconds that it took.
    pub took: u64,
}

/// The steps of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplayPlan {
    /// The steps.
    pub steps: Vec<Step>,
    /// Their calls.
    pub calls: Vec<ReplayedCall>,
    /// Recorded warps that made calls.
    pub warps: u32,
}

/// A recorded warp, so far.
struct PlannedWarp {
    number: u32,
    turns: u32,
    /// When its last step ended.
    end: u64,
}

impl ReplayPlan {
    /// The steps of calls in their order. Calls that follow each other are a step if they are of one
    /// warp, all requests or all frees, and of lanes in ascending order: so a warp records what its
    /// lanes do together.
    pub fn new(calls: impl IntoIterator<Item = PlannedCall>) -> Self {
        let mut plan = Self::default();
        let mut warps: HashMap<u32, PlannedWarp> = HashMap::new();
        let mut last: Option<PlannedCall> = None;
        let frees = |call: &PlannedCall| call.operation == Operation::Freed;
        for call in calls {
            let number = warps.len() as u32;
            let warp = match warps.entry(call.warp) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(PlannedWarp {
                    number,
                    turns: 0,
                    end: call.begin,
                }),
            };
            let pause = call.begin.saturating_sub(warp.end);
            let joins = last.is_some_and(|last| {
                last.warp == call.warp && last.lane < call.lane && frees(&last) == frees(&call)
            });
            match plan.steps.last_mut() {
                Some(step) if joins => step.count += 1,
                _ => {
                    plan.steps.push(Step {
                        first: plan.calls.len() as u32,
                        count: 1 | if frees(&call) { Step::FREES } else { 0 },
                        warp: warp.number,
                        turn: warp.turns,
                    });
                    warp.turns += 1;
                }
            }
            warp.end = warp.end.max(call.begin.saturating_add(call.took));
            plan.calls.push(ReplayedCall {
                bytes: call.bytes.max(1),
                block: match call.operation {
                    Operation::Refused => REFUSED,
                    Operation::Granted | Operation::Freed => call.block,
                },
                pause: u32::try_from(pause).unwrap_or(u32::MAX),
            });
            last = Some(call);
        }
        plan.warps = warps.len() as u32;
        plan
    }

    /// Frees of these blocks and their bytes, by as many lanes of full warps.
    pub fn frees(blocks: &[(u32, u64)]) -> Self {
        let call = |(index, &(block, bytes)): (usize, &(u32, u64))| PlannedCall {
            warp: index as u32 / 32,
            lane: index as u32 % 32,
            operation: Operation::Freed,
            bytes,
            block,
            begin: 0,
            took: 0,
        };
        Self::new(blocks.iter().enumerate().map(call))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(warp: u32, lane: u32, operation: Operation, block: u32, begin: u64) -> PlannedCall {
        PlannedCall {
            warp,
            lane,
            operation,
            bytes: 8,
            block,
            begin,
            took: 5,
        }
    }

    #[test]
    fn lanes_that_call_together_are_a_step() {
        use Operation::{Freed, Granted, Refused};
        let plan = ReplayPlan::new([
            call(7, 0, Granted, 0, 100),
            call(7, 1, Refused, 0, 100),
            call(3, 0, Granted, 1, 90),
            call(7, 2, Granted, 2, 130),
            call(7, 3, Freed, 0, 140),
            call(7, 1, Freed, 2, 150),
        ]);
        let step = |first, count, warp, turn| Step {
            first,
            count,
            warp,
            turn,
        };
        let frees = 1 | Step::FREES;
        let steps = [
            step(0, 2, 0, 0),
            step(2, 1, 1, 0),
            step(3, 1, 0, 1),
            step(4, frees, 0, 2),
            step(5, frees, 0, 3),
        ];
        assert_eq!(plan.steps, steps);
        assert_eq!(plan.warps, 2);
        assert_eq!(plan.calls[1].block, REFUSED);
        // From the end of the call before, at 105, to its begin.
        assert_eq!(plan.calls[3].pause, 25);
    }
}
