//! Which lane runs next: the lanes that can run, and the choice among them.
//!
//! Lanes are numbered over all warps, 32 to a warp. Everything random comes
//! from one stream, in an order that depends on nothing but the kernel, so that
//! a plan always gives the same interleaving.

use super::plan::{Plan, Policy};
use super::random::Random;

/// A stall to come: `lane` stands still in front of its atomic `operation`.
#[derive(Clone, Copy)]
struct Stall {
    lane: u32,
    operation: u64,
}

/// The set of lanes that can run, and the policy.
pub struct Scheduler {
    policy: Policy,
    random: Random,
    /// Lanes that can run, in no order, and where each is in that list.
    runnable: Vec<u32>,
    position: Vec<u32>,
    /// Lanes that stand still, with the step at which they go on.
    stalled: Vec<(u64, u32)>,
    stalls: Vec<Stall>,
    /// `Policy::Priority`: by lane, the greatest first.
    priority: Vec<i64>,
    lowest: i64,
    /// Steps at which priorities change, the next one last.
    changes: Vec<u64>,
    /// Atomic operations of each lane.
    operations: Vec<u64>,
    /// Lanes that spin and should let others go first.
    spins: Vec<bool>,
    /// Steps so far.
    pub steps: u64,
}

const ABSENT: u32 = u32::MAX;

impl Scheduler {
    /// The scheduler of a plan; all lanes can run.
    pub fn new(plan: &Plan) -> Self {
        let lanes = plan.warps * 32;
        let mut random = Random::new(plan.seed);
        let mut priority: Vec<i64> = (1..=i64::from(lanes)).collect();
        random.shuffle(&mut priority);
        let (mut changes, mut stalls) = (Vec::new(), Vec::new());
        match plan.policy {
            Policy::Random { .. } => {}
            Policy::Priority {
                changes: count,
                horizon,
            } => {
                changes = (0..count).map(|_| random.below(horizon)).collect();
                changes.sort_unstable_by(|a, b| b.cmp(a));
            }
            Policy::Stall {
                lanes: count,
                among,
                horizon,
                ..
            } => {
                for _ in 0..count {
                    let warp = random.below(u64::from(plan.warps)) as u32;
                    stalls.push(Stall {
                        lane: warp * 32 + random.below(u64::from(among)) as u32,
                        operation: 1 + random.below(horizon),
                    });
                }
            }
        }
        Self {
            policy: plan.policy,
            random,
            runnable: (0..lanes).collect(),
            position: (0..lanes).collect(),
            stalled: Vec::new(),
            stalls,
            priority,
            lowest: 0,
            changes,
            operations: vec![0; lanes as usize],
            spins: vec![false; lanes as usize],
            steps: 0,
        }
    }

    /// The stream of random numbers.
    pub fn random(&mut self) -> &mut Random {
        &mut self.random
    }

    /// Takes a lane out of those that can run.
    pub fn block(&mut self, lane: u32) {
        let at = self.position[lane as usize];
        if at == ABSENT {
            return;
        }
        self.position[lane as usize] = ABSENT;
        self.runnable.swap_remove(at as usize);
        if let Some(&moved) = self.runnable.get(at as usize) {
            self.position[moved as usize] = at;
        }
    }

    /// Lets a lane run again.
    pub fn unblock(&mut self, lane: u32) {
        if self.position[lane as usize] == ABSENT {
            self.position[lane as usize] = self.runnable.len() as u32;
            self.runnable.push(lane);
        }
    }

    /// Notes an atomic operation of the lane that runs. True if another lane
    /// should run in front of it.
    pub fn at_atomic(&mut self, lane: u32) -> bool {
        self.operations[lane as usize] += 1;
        match self.policy {
            Policy::Random { period } => self.random.one_in(period),
            Policy::Priority { .. } => self.change_priority(lane),
            Policy::Stall {
                period,
                horizon,
                length,
                ..
            } => {
                let operation = self.operations[lane as usize];
                let due = |stall: &Stall| stall.lane == lane && stall.operation <= operation;
                let Some(index) = self.stalls.iter().position(due) else {
                    return self.random.one_in(period);
                };
                self.stalls[index].operation = operation + 1 + self.random.below(horizon);
                self.block(lane);
                self.stalled.push((self.steps + length, lane));
                true
            }
        }
    }

    /// Notes a turn of a spin of the lane that runs: it falls behind.
    pub fn at_back_off(&mut self, lane: u32) {
        self.spins[lane as usize] = true;
        self.fall_behind(lane);
    }

    fn fall_behind(&mut self, lane: u32) {
        self.lowest -= 1;
        self.priority[lane as usize] = self.lowest;
    }

    fn change_priority(&mut self, lane: u32) -> bool {
        let due = self.changes.last().is_some_and(|&at| self.steps >= at);
        if due {
            self.changes.pop();
            self.fall_behind(lane);
        }
        due
    }

    fn wake_stalled(&mut self) {
        if self.stalled.is_empty() {
            return;
        }
        if self.runnable.is_empty() {
            // No other lane can run, so the clock advances to the end of the shortest stall.
            let earliest = self.stalled.iter().map(|stall| stall.0).min();
            self.steps = self.steps.max(earliest.unwrap_or(0));
        }
        let now = self.steps;
        for index in (0..self.stalled.len()).rev() {
            if self.stalled[index].0 <= now {
                let (_, lane) = self.stalled.swap_remove(index);
                self.unblock(lane);
            }
        }
    }

    /// A lane that can run, as the policy wants it; nothing if there is none.
    pub fn choose(&mut self) -> Option<u32> {
        self.wake_stalled();
        if let Policy::Priority { .. } = self.policy {
            let priority = &self.priority;
            return self
                .runnable
                .iter()
                .copied()
                .max_by_key(|&lane| priority[lane as usize]);
        }
        // A lane that spins is passed over, once in a while, for others.
        for _ in 0..4 {
            let lane = self.any_of(|_| true)?;
            if !std::mem::take(&mut self.spins[lane as usize]) {
                return Some(lane);
            }
        }
        self.any_of(|_| true)
    }

    /// Some lane that can run and is `wanted`.
    pub fn any_of(&mut self, wanted: impl Fn(u32) -> bool) -> Option<u32> {
        let count = self.runnable.len();
        if count == 0 {
            return None;
        }
        let start = self.random.below(count as u64) as usize;
        (start..count)
            .chain(0..start)
            .map(|index| self.runnable[index])
            .find(|&lane| wanted(lane))
    }
}
