//! Builds trees on warps of 32 lanes, under a random schedule.

use heapwood_device::allocator::{Allocator, Heap, Request};
use heapwood_device::allocators::AtomicMalloc;
use heapwood_device::heap::{Init, Nothing};
use heapwood_device::kdtree::host::{BuildError, Limits, Options, Plan, RESULT_BYTES, outcome};
use heapwood_device::launch::Call;

use crate::cpu::{Buffer, Tree};
use crate::lockstep::{self, Policy, run_call};
use crate::soups::Triangles;

const POOL: usize = 32 << 20;

/// Builds a tree over `AtomicMalloc`, within limits.
///
/// # Errors
///
/// Whatever goes wrong in the build.
///
/// # Panics
///
/// If the build cannot be planned, or a schedule does not end.
pub fn build_within(
    triangles: &Triangles,
    options: Options,
    limits: Limits,
) -> Result<Tree, BuildError> {
    let pool = Buffer::new(POOL);
    let heap = AtomicMalloc::setup(&Request {
        base: pool.address(),
        pool_bytes: POOL as u64,
        processors: 4,
        parameters: &[],
    })
    .expect("a heap");
    run(heap, Call::of::<Init>(Nothing), 1);
    let plan = Plan::new(triangles.len() as u32, options, limits).expect("a plan");
    let workspace = Buffer::new(plan.bytes());
    let vertices = triangles.as_ptr().cast::<f32>().cast_mut();
    for (seed, step) in plan.steps(workspace.address(), vertices).iter().enumerate() {
        run(heap, step.call, seed as u64);
    }
    let header: Vec<u8> = workspace.read(0, RESULT_BYTES);
    let result = outcome(&header.try_into().expect("the header's size"))?;
    Ok(Tree {
        nodes: workspace.read(plan.nodes_offset(), result.nodes as usize),
        references: workspace.read(plan.references_offset(), result.references as usize),
        result,
    })
}

/// Runs a kernel on three warps of 32 lanes.
fn run(heap: Heap, call: Call, seed: u64) {
    let policy = Policy::Random { period: 64 };
    let schedule = lockstep::Plan {
        step_limit: u64::MAX,
        ..lockstep::Plan::new(3, policy, seed)
    };
    // SAFETY: the heap is one of this allocator; the callers pass the arguments that
    // the kernels ask for.
    let ended = unsafe { run_call::<AtomicMalloc>(schedule, heap, call) };
    ended.expect("the schedule ends");
}
