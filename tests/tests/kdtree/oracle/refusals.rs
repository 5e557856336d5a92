//! Builds that do not succeed: pools and limits that are too small, and input that no tree has.

use heapwood::allocators::Spec;
use heapwood::heap::HeapError;
use heapwood::tree::TreeError;
use heapwood_device::kdtree::plan::{BuildError, Limits, Options, Plan, PlanError};
use heapwood_tests::gpu::{cpu, specs};
use heapwood_tests::soups;
use heapwood_tests::trees;

use super::{assert_right, blocks, build, spec, within_depth};

type Tighten = fn(&mut Limits);

/// Builds in pools of many sizes. A tree that fits is right; the other builds end in an error that
/// names the pool.
fn squeeze(spec: &Spec, alloc_per_split: bool) -> (usize, usize) {
    let triangles = soups::soup(3000, 0.1, 9);
    let options = blocks(alloc_per_split);
    let expected = build("atomicmalloc", 1, &triangles, options).tree.hash();
    let root = triangles.len() as u64 * 4;
    let (mut trees, mut errors) = (0, 0);
    for tenths in [5, 9, 11, 13, 16, 20, 25, 30, 40, 60, 100, 400, 4000] {
        let pool = root * tenths / 10;
        match trees::build(&*cpu(3), spec, pool, &triangles, options) {
            Ok(built) => {
                assert_eq!(built.tree.hash(), expected, "{spec} {tenths}");
                trees += 1;
            }
            Err(TreeError::Pool { wanted, .. }) => {
                assert!(
                    wanted.is_some() || spec.allocator.properties.may_overwrite,
                    "{spec}"
                );
                let wanted = wanted.unwrap_or(root);
                assert!(wanted > 0 && wanted <= root, "{spec}");
                errors += 1;
            }
            Err(TreeError::Heap(HeapError::TooSmall { .. })) => errors += 1,
            Err(error) => panic!("{spec} in {tenths}: {error}"),
        }
    }
    (trees, errors)
}

#[test]
fn a_pool_that_is_too_small_is_a_clean_error() {
    for spec in specs() {
        for alloc_per_split in [false, true] {
            let (trees, errors) = squeeze(&spec, alloc_per_split);
            assert!(trees > 0 && errors > 0, "{spec}");
        }
    }
}

#[test]
fn limits_are_clean_errors_and_doubling_them_helps() {
    let triangles = soups::soup(5000, 0.1, 10);
    let options = Options::default();
    let backend = cpu(2);
    let within = |limits| {
        let spec = spec("cfmalloc");
        trees::build_within(&*backend, &spec, &triangles, options, limits)
    };
    let usual = Limits::for_triangles(5000, &options);
    let tight: [(Tighten, BuildError); 5] = [
        (|limits| limits.nodes = 100, BuildError::NodeLimit),
        (|limits| limits.references = 100, BuildError::ReferenceLimit),
        (|limits| limits.tasks = 10, BuildError::TaskLimit),
        (|limits| limits.large_nodes = 0, BuildError::TaskLimit),
        (|limits| limits.chunks = 3, BuildError::TaskLimit),
    ];
    for (tighten, expected) in tight {
        let mut limits = usual;
        tighten(&mut limits);
        match within(limits) {
            Err(TreeError::Build(error)) => assert_eq!(error, expected),
            other => panic!("{other:?}"),
        }
    }
    let mut limits = Limits {
        nodes: 100,
        references: 100,
        tasks: 10,
        ..usual
    };
    let built = loop {
        match within(limits) {
            Ok(tree) => break tree,
            Err(TreeError::Build(error)) => assert!(error.is_limit(), "{error}"),
            Err(error) => panic!("{error}"),
        }
        limits = limits.doubled().unwrap();
    };
    assert_right(&built, &triangles, "soup");
}

#[test]
fn what_cannot_be_built_is_refused() {
    let options = Options::default();
    let limits = Limits::for_triangles(1, &options);
    let none = Plan::new(0, options, limits);
    assert_eq!(none.err(), Some(PlanError::NoTriangles));
    let deep = Plan::new(1, within_depth(97), limits);
    assert_eq!(deep.err(), Some(PlanError::TooDeep { limit: 96 }));
    for bad in [f32::NAN, f32::INFINITY, -2e18] {
        let mut triangles = soups::soup(100, 0.1, 12);
        triangles[50][1][2] = bad;
        let built = trees::build(&*cpu(2), &spec("cfmalloc"), 4 << 20, &triangles, options);
        let refused = matches!(built, Err(TreeError::Build(BuildError::BadCoordinate)));
        assert!(refused, "{bad}");
    }
}
