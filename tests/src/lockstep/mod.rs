//! Warps of 32 lanes in one host thread, under a scheduler that decides every
//! interleaving: the way to run the GPU's lane logic without a GPU, and a model
//! checker for what lanes and warps do to shared memory.
//!
//! Each lane is a coroutine. It gives way in every collective, in `back_off`,
//! and, through the hook of `cuda_std::schedule`, in front of atomic
//! operations; who goes on is drawn from a seed. So is what a load returns
//! where memory is weak ([`Model::Weak`]): a missing order between threads shows
//! as a value that is out of date, or as a race of plain accesses. A collective
//! that some lane never reaches is reported with the lane and the line; a run is
//! replayed from its [`Plan`].

mod backend;
mod call;
mod failure;
mod gather;
mod lane;
mod machine;
mod memory;
pub mod orders;
mod plan;
mod random;
mod scheduler;
mod stacks;

use std::cell::Cell;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::ptr;
use std::sync::atomic::Ordering;

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use cuda_std::schedule::{Access, Operation};

pub use backend::LockstepBackend;
pub use call::run_call;
pub use failure::{Collective, Fault, LaneId, LockstepError, Place};
pub use lane::Lockstep;
pub use memory::Moment;
pub use plan::{Model, Plan, Policy};
pub use random::Random;

use machine::Machine;

/// A lane: resumed and suspended without values.
type Lane = Coroutine<(), (), (), DefaultStack>;

thread_local! {
    static MACHINE: Cell<*const Machine> = const { Cell::new(ptr::null()) };
    /// The yielder of the coroutine that runs.
    static YIELDER: Cell<*const Yielder<(), ()>> = const { Cell::new(ptr::null()) };
}

/// Runs `body` on the machine of the run on this thread.
fn with_machine<T>(body: impl FnOnce(&Machine) -> T) -> T {
    let machine = MACHINE.get();
    assert!(!machine.is_null(), "a lane was used outside its run");
    // SAFETY: the pointer is set while `resume` runs a coroutine only, and the
    // machine lives in the frame of `run` below that.
    body(unsafe { &*machine })
}

/// Gives way: the current coroutine goes on when it is chosen again.
fn suspend() {
    let yielder = YIELDER.get();
    // SAFETY: `resume` runs the coroutine whose yielder this is, which lies on
    // that coroutine's stack and lives as long as it.
    unsafe { (*yielder).suspend(()) };
    // Others ran meanwhile.
    YIELDER.set(yielder);
}

/// The hook in front of every access to shared memory.
fn at_access(access: &Access) -> Option<u64> {
    // The tests' own atomics, outside a run, are not scheduled.
    if MACHINE.get().is_null() {
        return None;
    }
    // The order of plain accesses matters only in a race, which is found in either order.
    let is_plain = matches!(
        access.operation,
        Operation::PlainRead | Operation::PlainWrite
    );
    if !is_plain && access.leads && with_machine(Machine::at_atomic) {
        suspend();
    }
    let (value, ends) = with_machine(|machine| machine.access(access));
    if ends {
        suspend();
    }
    value
}

/// Tells the run on this thread, if there is one, of a plain read by the lane
/// that runs: of 4 bytes in each 16, which is what allocators' blocks begin at.
#[track_caller]
pub fn reads(address: usize, bytes: usize) {
    plain(address, bytes, Operation::PlainRead, Location::caller());
}

/// The same for a plain write.
#[track_caller]
pub fn writes(address: usize, bytes: usize) {
    plain(address, bytes, Operation::PlainWrite, Location::caller());
}

fn plain(address: usize, bytes: usize, operation: Operation, site: &'static Location<'static>) {
    for address in (address..address + bytes).step_by(16) {
        at_access(&Access {
            address,
            bytes: 4,
            operation,
            order: Ordering::Relaxed,
            leads: true,
            site,
        });
    }
}

/// Where the lane that runs is in its course.
///
/// # Panics
///
/// Outside a run over weak memory: elsewhere the order of events is that of their
/// steps.
pub fn moment() -> Moment {
    with_machine(Machine::moment).expect("a run over weak memory")
}

/// The statistics of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Atomic operations, collectives and turns of spins.
    pub steps: u64,
    /// Times that a lane was resumed.
    pub switches: u64,
    /// A hash of the order in which lanes were resumed.
    pub fingerprint: u64,
}

/// The kernel of all lanes of all warps of `plan`.
///
/// # Errors
///
/// The fault, with the plan for a replay: a collective that cannot complete, a deadlock, a
/// livelock, a panic in a lane.
pub fn run(plan: Plan, kernel: impl Fn(Lockstep)) -> Result<Outcome, LockstepError> {
    run_lanes(plan, 0..plan.warps * 32, &kernel)
}

/// The kernel of one lane, counted by warps; all others of `plan` have ended at the beginning.
///
/// No schedule changes its results: a lane reads what it wrote last, or what was there before.
///
/// # Errors
///
/// As for [`run`].
pub fn run_alone(
    plan: Plan,
    lane: u32,
    kernel: impl Fn(Lockstep),
) -> Result<Outcome, LockstepError> {
    run_lanes(plan, lane..lane + 1, &kernel)
}

/// Compiled once, not once a kernel.
fn run_lanes(
    plan: Plan,
    present: Range<u32>,
    kernel: &dyn Fn(Lockstep),
) -> Result<Outcome, LockstepError> {
    assert!(MACHINE.get().is_null(), "a run inside a run");
    let machine = Machine::new(&plan, &present);
    let mut lanes: Vec<Lane> = present
        .clone()
        .map(|index| {
            let lane = Lockstep::new(index, &plan);
            let body = move |yielder: &Yielder<(), ()>, ()| {
                YIELDER.set(yielder);
                kernel(lane);
            };
            // SAFETY: what the body borrows is `kernel`, which outlives the
            // coroutine: all are dropped, and so unwound, before `run` returns.
            unsafe { Coroutine::with_stack_unchecked(stacks::take(), body) }
        })
        .collect();
    cuda_std::schedule::set_hook(Some(at_access));
    while let Some(next) = machine.next() {
        let lane = &mut lanes[(next - present.start) as usize];
        MACHINE.set(&machine);
        let result = catch_unwind(AssertUnwindSafe(|| lane.resume(())));
        MACHINE.set(ptr::null());
        match result {
            Ok(CoroutineResult::Yield(())) => {}
            Ok(CoroutineResult::Return(())) => machine.end(None),
            Err(panic) => machine.end(Some(message(&*panic))),
        }
    }
    cuda_std::schedule::set_hook(None);
    for mut lane in lanes {
        // After a fault, lanes are left in the middle of the kernel.
        lane.force_unwind();
        stacks::give(lane.into_stack());
    }
    let (fault, steps, switches, fingerprint) = machine.finish();
    match fault {
        Some(fault) => Err(LockstepError {
            fault,
            plan: Box::new(plan),
        }),
        None => Ok(Outcome {
            steps,
            switches,
            fingerprint,
        }),
    }
}

/// The text of a panic.
pub(crate) fn message(panic: &(dyn std::any::Any + Send)) -> String {
    if let Some(text) = panic.downcast_ref::<&str>() {
        (*text).to_string()
    } else if let Some(text) = panic.downcast_ref::<String>() {
        text.clone()
    } else {
        "a value that is no text".to_string()
    }
}
