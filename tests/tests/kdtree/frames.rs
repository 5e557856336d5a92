//! Trees of a moving scene, built by warps of several lanes: what moves a tree into the pool
//! and frees it there does not depend on the lanes.

use heapwood::allocators::Spec;
use heapwood::size::Pool;
use heapwood::tree::{FrameBuilder, FramePlan, KernelBuild};
use heapwood_device::allocators::CfMalloc;
use heapwood_device::kdtree::plan::Options;
use heapwood_tests::gpu::cpu;
use heapwood_tests::lockstep::LockstepBackend;
use heapwood_tests::soups;

const POOL: u64 = 4 << 20;

#[test]
fn frames_do_not_depend_on_the_lanes() {
    let spec = Spec::parse("cfmalloc").unwrap();
    let lanes = LockstepBackend::new::<CfMalloc>(3, 64, 0);
    let solo = cpu(2);
    let mut builder = FrameBuilder::new(&lanes, &spec, POOL).unwrap();
    for (count, seed) in [(200, 1), (900, 2), (1, 3), (200, 4)] {
        let triangles = soups::soup(count, 0.1, seed);
        let (pool, options) = (Pool::Bytes(POOL), Options::default());
        let single = KernelBuild::prepare(&*solo, &triangles, &spec, pool, options);
        let expected = single.unwrap().into_built().unwrap();
        let plan = FramePlan {
            options: Options {
                collect: true,
                ..expected.tree.shape().options
            },
            limits: expected.stats.result.used,
        };
        let built = builder.next(&triangles, &plan).unwrap();
        assert_eq!(built.result.used, expected.stats.result.used);
        let tree = builder.tree().unwrap().unwrap().into_host().unwrap();
        assert_eq!(tree, expected.tree.into_host().unwrap());
        let kept_bytes = built.kept_bytes.expect("CFMalloc tells");
        assert!(built.state.occupancy.used_bytes >= kept_bytes);
    }
    builder.finish().unwrap();
}
