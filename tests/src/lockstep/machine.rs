//! The state of a run that its lanes share: what each one does and waits for,
//! and which goes on.
//!
//! A collective completes when every lane of its mask stands at the same call with the same mask;
//! its results are computed at that moment. A collective that can never complete is a fault,
//! reported as early as it is certain.

use std::cell::{Cell, RefCell, UnsafeCell};
use std::ops::Range;
use std::panic::Location;

use cuda_std::schedule::Access;
use heapwood_device::simt::{MAX_SHARED_BYTES, SCRATCH_BYTES};

use super::failure::{Fault, LaneId, Place};
use super::gather::Gathering;
use super::memory::{Memory, Moment};
use super::plan::{Model, Plan};
use super::scheduler::Scheduler;

/// The status of a lane.
#[derive(Clone, Copy)]
pub(super) enum Status {
    /// Runs, or could.
    Ready,
    /// Stands at `converge` and can go on alone or with others.
    Converging {
        location: &'static Location<'static>,
        /// Times that it has been held back to let others come.
        held: u32,
    },
    /// Waits in a collective.
    Waiting(Place),
    Ended,
}

#[derive(Clone, Copy)]
pub(super) struct Lane {
    pub(super) status: Status,
    /// Its operands of a collective: its value, and the source lane, the distance or the lanes'
    /// bits, as the operation requires.
    pub(super) value: u32,
    pub(super) operand: u32,
    /// Its result of the collective.
    pub(super) result: u32,
}

/// How a run holds lanes that stand at `converge`.
#[derive(Clone, Copy)]
enum Company {
    /// Each goes on with some of those that happen to be there.
    Some,
    /// They wait until no other lane of the warp is on its way, or for long.
    All,
    /// Now and then the one, then the other.
    Mixed,
}

/// Times that a converging lane is held back at most.
const MAX_HELD: u32 = 200;

/// The state that the scheduler and the collectives change.
pub(super) struct State {
    pub(super) scheduler: Scheduler,
    pub(super) lanes: Vec<Lane>,
    pub(super) gatherings: Vec<Gathering>,
    /// Lanes that have come to a barrier, by block.
    pub(super) barriers: Vec<Vec<u32>>,
    pub(super) block_lanes: u32,
    /// Nothing if memory is sequentially consistent, which real memory is.
    pub(super) memory: Option<Memory>,
    company: Company,
    /// Lanes that have ended, by warp.
    pub(super) ended: Vec<u32>,
    step_limit: u64,
    fault: Option<Fault>,
    fingerprint: u64,
    switches: u64,
}

/// Memory of a warp or a block. It is not cleared between kernels: it starts dirty.
#[repr(C, align(16))]
struct Scratch<const BYTES: usize>(UnsafeCell<[u8; BYTES]>);

impl<const BYTES: usize> Scratch<BYTES> {
    fn dirty() -> Box<Self> {
        Box::new(Self(UnsafeCell::new([0xd7; BYTES])))
    }
}

/// A run's shared state.
pub struct Machine {
    state: RefCell<State>,
    current: Cell<u32>,
    /// Whether a single lane is present: it need not give way.
    is_alone: bool,
    scratch: Vec<Box<Scratch<SCRATCH_BYTES>>>,
    shared: Vec<Box<Scratch<MAX_SHARED_BYTES>>>,
}

/// A lane of the whole run, counted by warps.
pub(super) fn id(lane: u32) -> LaneId {
    LaneId {
        warp: lane / 32,
        lane: lane % 32,
    }
}

impl Machine {
    /// The state before the first step, in which the lanes of the plan that are not `present` have
    /// ended.
    pub fn new(plan: &Plan, present: &Range<u32>) -> Self {
        let mut scheduler = Scheduler::new(plan);
        let company = scheduler
            .random()
            .choose(&[Company::Some, Company::All, Company::Mixed]);
        let idle = Lane {
            status: Status::Ready,
            value: 0,
            operand: 0,
            result: 0,
        };
        let mut lanes = vec![idle; plan.warps as usize * 32];
        let mut ended = vec![0; plan.warps as usize];
        for lane in (0..plan.warps * 32).filter(|lane| !present.contains(lane)) {
            lanes[lane as usize].status = Status::Ended;
            ended[lane as usize / 32] |= 1 << (lane % 32);
            scheduler.block(lane);
        }
        let is_alone = present.len() == 1;
        Self {
            state: RefCell::new(State {
                scheduler,
                lanes,
                gatherings: Vec::new(),
                barriers: vec![Vec::new(); (plan.warps / plan.block_warps) as usize],
                block_lanes: plan.block_warps * 32,
                memory: match plan.memory {
                    Model::Sequential => None,
                    Model::Weak => Some(Memory::new(plan.warps * 32, present, plan.seed)),
                },
                company,
                ended,
                step_limit: plan.step_limit,
                fault: None,
                fingerprint: 0xcbf2_9ce4_8422_2325,
                switches: 0,
            }),
            current: Cell::new(0),
            is_alone,
            scratch: (0..plan.warps).map(|_| Scratch::dirty()).collect(),
            shared: (0..plan.warps / plan.block_warps)
                .map(|_| Scratch::dirty())
                .collect(),
        }
    }

    /// The lane that runs.
    pub fn current(&self) -> u32 {
        self.current.get()
    }

    /// Scratch memory of a warp.
    pub fn scratch(&self, warp: u32) -> *mut u8 {
        self.scratch[warp as usize].0.get().cast()
    }

    /// Memory that the warps of a block share.
    pub fn shared(&self, block: u32) -> *mut u8 {
        self.shared[block as usize].0.get().cast()
    }

    /// The lane to run next; nothing if the run has ended, well or not.
    pub fn next(&self) -> Option<u32> {
        let lane = self.state.borrow_mut().next()?;
        self.current.set(lane);
        Some(lane)
    }

    /// The current lane comes to an atomic operation. True if it must give way.
    pub fn at_atomic(&self) -> bool {
        let state = &mut *self.state.borrow_mut();
        let lane = self.current();
        let gives_way = !self.is_alone && state.scheduler.at_atomic(lane);
        state.step(lane) || gives_way
    }

    /// The current lane accesses memory: what an atomic access returns, if this
    /// performs it, and whether the run must end.
    pub fn access(&self, access: &Access) -> (Option<u64>, bool) {
        let state = &mut *self.state.borrow_mut();
        let Some(memory) = &mut state.memory else {
            return (None, false);
        };
        match memory.access(self.current(), access) {
            Ok(value) => (value, false),
            Err(fault) => {
                state.fail(fault);
                (None, true)
            }
        }
    }

    /// Where the current lane is; nothing over sequential memory.
    pub fn moment(&self) -> Option<Moment> {
        let state = &mut *self.state.borrow_mut();
        let memory = state.memory.as_mut()?;
        Some(memory.moment(self.current()))
    }

    /// The current lane makes a turn of a spin, and then gives way.
    pub fn at_back_off(&self) {
        let state = &mut *self.state.borrow_mut();
        state.scheduler.at_back_off(self.current());
        state.step(self.current());
    }

    /// The current lane comes to a collective. True if it must give way.
    pub fn arrive(&self, place: Place, value: u32, operand: u32) -> bool {
        let state = &mut *self.state.borrow_mut();
        let lane = self.current();
        state.lanes[lane as usize].value = value;
        state.lanes[lane as usize].operand = operand;
        state.arrive(lane, place);
        state.step(lane);
        // The lane that came last does not always go first.
        !matches!(state.lanes[lane as usize].status, Status::Ready)
            || state.fault.is_some()
            || state.scheduler.random().one_in(2)
    }

    /// The current lane comes to `converge`, and then gives way.
    pub fn converge(&self, location: &'static Location<'static>) {
        let state = &mut *self.state.borrow_mut();
        let lane = self.current();
        state.lanes[lane as usize].status = Status::Converging { location, held: 0 };
        state.step(lane);
    }

    /// The current lane's result of its collective or `converge`.
    pub fn result(&self) -> u32 {
        self.state.borrow().lanes[self.current() as usize].result
    }

    /// The current lane has ended, with the message of its panic if it did so.
    pub fn end(&self, panic: Option<String>) {
        let state = &mut *self.state.borrow_mut();
        let lane = self.current();
        state.end(lane);
        if let Some(message) = panic {
            state.fault = Some(Fault::Panicked {
                lane: id(lane),
                message,
            });
        }
    }

    /// The fault, the steps, the switches and the fingerprint of the run.
    pub fn finish(self) -> (Option<Fault>, u64, u64, u64) {
        let state = self.state.into_inner();
        (
            state.fault,
            state.scheduler.steps,
            state.switches,
            state.fingerprint,
        )
    }
}

impl State {
    pub(super) fn fail(&mut self, fault: Fault) {
        // The first fault is the cause of the others.
        self.fault.get_or_insert(fault);
    }

    /// Counts a step; true if the run must end.
    fn step(&mut self, lane: u32) -> bool {
        self.scheduler.steps += 1;
        if self.scheduler.steps > self.step_limit {
            let waiting = self
                .lanes
                .iter()
                .filter(|lane| matches!(lane.status, Status::Waiting(_)))
                .count();
            self.fail(Fault::StepLimit {
                steps: self.step_limit,
                lane: id(lane),
                waiting,
            });
        }
        self.fault.is_some()
    }

    fn next(&mut self) -> Option<u32> {
        if self.fault.is_some() {
            return None;
        }
        let Some(mut lane) = self.scheduler.choose() else {
            self.check_deadlock();
            return None;
        };
        if let Status::Converging { location, held } = self.lanes[lane as usize].status {
            let others = held < MAX_HELD && self.holds();
            let lanes = &self.lanes;
            let on_its_way = |other: u32| {
                other / 32 == lane / 32 && matches!(lanes[other as usize].status, Status::Ready)
            };
            match others.then(|| self.scheduler.any_of(on_its_way)).flatten() {
                Some(other) => {
                    let held = held + 1;
                    self.lanes[lane as usize].status = Status::Converging { location, held };
                    lane = other;
                }
                None => self.form_group(lane, location),
            }
        }
        self.fingerprint = (self.fingerprint ^ u64::from(lane)).wrapping_mul(0x100_0000_01b3);
        self.switches += 1;
        Some(lane)
    }

    fn holds(&mut self) -> bool {
        match self.company {
            Company::Some => false,
            Company::All => true,
            Company::Mixed => !self.scheduler.random().one_in(16),
        }
    }

    /// Sends `lane` on with some of those that stand at the same `converge`.
    fn form_group(&mut self, lane: u32, location: &'static Location<'static>) {
        let kind = self.scheduler.random().below(4);
        let first = lane / 32 * 32;
        let mut mask = 1 << (lane % 32);
        for other in first..first + 32 {
            let here = matches!(self.lanes[other as usize].status,
                Status::Converging { location: at, .. } if at == location);
            // All lanes that are here, each with probability one half, or no other lane.
            let comes = match kind {
                0 | 1 => true,
                2 => self.scheduler.random().one_in(2),
                _ => false,
            };
            if here && comes {
                mask |= 1 << (other % 32);
            }
        }
        for other in (first..first + 32).filter(|other| mask >> (other % 32) & 1 == 1) {
            self.lanes[other as usize].status = Status::Ready;
            self.lanes[other as usize].result = mask;
        }
    }

    fn end(&mut self, lane: u32) {
        self.lanes[lane as usize].status = Status::Ended;
        self.scheduler.block(lane);
        let (warp, bit) = (lane / 32, 1 << (lane % 32));
        self.ended[warp as usize] |= bit;
        self.end_at_barrier(lane);
        let left = self
            .gatherings
            .iter()
            .find(|other| other.warp == warp && other.place.mask & bit != 0);
        if let Some(left) = left {
            let fault = Fault::Ended {
                waiting: id(warp * 32 + left.arrived.trailing_zeros()),
                place: left.place,
                ended: lane % 32,
            };
            self.fail(fault);
        }
    }

    fn check_deadlock(&mut self) {
        let waiting: Vec<_> = (0..)
            .zip(&self.lanes)
            .filter_map(|(lane, state)| match state.status {
                Status::Waiting(place) => Some((id(lane), place)),
                _ => None,
            })
            .collect();
        if !waiting.is_empty() {
            self.fail(Fault::Deadlock { waiting });
        }
    }
}
