//! The k-d tree's queue of tasks: small trees built by two warps, and compared
//! with the one that a single warp builds in a memory without surprises.

use heapwood_device::allocator::{Allocator, Heap, Observe, Request};
use heapwood_device::allocators::AtomicMalloc;
use heapwood_device::heap::{Init, Nothing};
use heapwood_device::kdtree::build::{BuildLargeNodes, BuildSubtrees};
use heapwood_device::kdtree::metrics::tree_hash;
use heapwood_device::kdtree::plan::{Limits, Options, Plan, RESULT_BYTES, outcome};
use heapwood_device::kdtree::thresholds::LARGE_NODE;
use heapwood_device::launch::Call;

use super::Workload;
use crate::buffer::Buffer;
use crate::lockstep::{self, Model, Policy, run_call};
use crate::soups;

const POOL: usize = 1 << 20;

fn launch(heap: Heap, call: Call, plan: lockstep::Plan) {
    // SAFETY: the caller passes a heap of this allocator and the kernel's
    // arguments.
    let run = unsafe {
        let allocator = AtomicMalloc::new(heap);
        run_call(plan, Some(&allocator), call)
    };
    if let Err(error) = run {
        panic!("{error}");
    }
}

/// Builds a tree over `count` triangles and hashes it. Only the build itself has
/// the memory of the plan.
fn build(count: usize, plan: lockstep::Plan) -> u64 {
    let triangles = soups::soup(count, 0.02, 13);
    let options = Options {
        max_depth: Some(3),
        ..Options::default()
    };
    let pool = Buffer::new(POOL);
    let heap = AtomicMalloc::setup(&Request {
        base: pool.address(),
        pool_bytes: POOL as u64,
        processors: 4,
        parameters: &[],
        observe: Observe::GUARDS,
    });
    let heap = heap.expect("a heap");
    let quiet = lockstep::Plan {
        memory: Model::Sequential,
        policy: Policy::Random { period: 64 },
        ..plan
    };
    launch(heap, Call::of::<Init>(Nothing), quiet);
    let count = triangles.len() as u32;
    let tree = Plan::new(count, options, Limits::for_triangles(count, &options));
    let tree = tree.expect("a plan");
    let workspace = Buffer::new(tree.bytes());
    let vertices = triangles.as_ptr().cast::<f32>().cast_mut();
    for planned in tree.launches(workspace.address(), vertices) {
        let call = planned.call;
        let is_build = call.runs::<BuildLargeNodes>() || call.runs::<BuildSubtrees>();
        launch(heap, planned.call, if is_build { plan } else { quiet });
    }
    let header: Vec<u8> = workspace.read(0, RESULT_BYTES);
    let header = header.try_into().expect("the header's bytes");
    let result = outcome(&header).expect("a tree");
    tree_hash(
        &workspace.read(tree.nodes_offset(), result.nodes as usize),
        &workspace.read(tree.references_offset(), result.references as usize),
    )
}

fn tree(count: usize, seed: u64) {
    let plan = lockstep::Plan::varied(2, 32, 2_000, seed);
    let policy = plan.policy;
    let calm = lockstep::Plan::new(1, Policy::Random { period: 64 }, 1);
    let weak = lockstep::Plan { policy, ..plan }.weak();
    assert_eq!(build(count, weak), build(count, calm), "another tree");
}

pub(super) fn workloads() -> Vec<Workload> {
    vec![
        Workload {
            name: "tree",
            run: |seed| tree(200, seed),
        },
        Workload {
            name: "large-node",
            run: |seed| tree(LARGE_NODE as usize + 1, seed),
        },
    ]
}
