//! Builds trees on warps of 32 lanes, under a random schedule.

use heapwood_device::allocator::{Allocator, Heap, Request};
use heapwood_device::allocators::AtomicMalloc;
use heapwood_device::heap::Init;
use heapwood_device::kdtree::build::Build;
use heapwood_device::kdtree::host::{BuildError, Limits, Options, Plan, RESULT_BYTES, outcome};
use heapwood_device::kdtree::relayout::Relayout;
use heapwood_device::kdtree::setup::{Fill, Prepare};
use heapwood_device::kernel::{Args, Kernel};

use crate::cpu::{Buffer, Tree};
use crate::lockstep::{self, Policy};
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
    run::<Init>(heap, Args::NONE, 1);
    let plan = Plan::new(triangles.len() as u32, options, limits).expect("a plan");
    let workspace = Buffer::new(plan.bytes());
    let vertices = triangles.as_ptr().cast::<f32>().cast_mut();
    for (seed, step) in plan.steps(workspace.address(), vertices).iter().enumerate() {
        let run = match step.kernel {
            "tree_prepare" => run::<Prepare>,
            "tree_fill" => run::<Fill>,
            "tree_build" => run::<Build>,
            "tree_relayout" => run::<Relayout>,
            other => panic!("no kernel {other}"),
        };
        run(heap, step.args, seed as u64);
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
fn run<K: Kernel>(heap: Heap, args: Args, seed: u64) {
    let policy = Policy::Random { period: 64 };
    let schedule = lockstep::Plan {
        step_limit: u64::MAX,
        ..lockstep::Plan::new(3, policy, seed)
    };
    // SAFETY: the caller passes a heap of this allocator and the kernel's
    // arguments.
    let kernel = |warp| unsafe { K::run(warp, AtomicMalloc::new(heap), args.into()) };
    lockstep::run(schedule, kernel).expect("the schedule ends");
}
