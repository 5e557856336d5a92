//! The bound on duplication: at most 64 n + 1,024 references for n triangles,
//! the same tree whatever runs the build, and none of it in usual scenes.

use heapwood::allocators::Spec;
use heapwood::tree::TreeError;
use heapwood_device::allocators::AtomicMalloc;
use heapwood_device::kdtree::budget;
use heapwood_device::kdtree::check::check;
use heapwood_device::kdtree::metrics::{COMPARABLE, sah_cost};
use heapwood_device::kdtree::plan::{BuildError, Limits, Options};
use heapwood_device::kdtree::thresholds::{LARGE_NODE, MAX_DEPTH};
use heapwood_tests::gpu::{cpu, specs};
use heapwood_tests::lockstep::LockstepBackend;
use heapwood_tests::oracle;
use heapwood_tests::soups::{self, Numbers, Triangles};
use heapwood_tests::trees::{self, Finished};

fn spec(name: &str) -> Spec {
    Spec::parse(name).expect("an allocator")
}

/// 64 n + 1,024, as the documentation promises.
fn bound(triangles: &Triangles) -> usize {
    64 * triangles.len() + 1024
}

fn build_over(spec: &Spec, workers: usize, triangles: &Triangles, options: Options) -> Finished {
    trees::build_served(spec, workers, triangles, options)
}

fn build(name: &str, workers: usize, triangles: &Triangles, options: Options) -> Finished {
    build_over(&spec(name), workers, triangles, options)
}

#[test]
fn overlapping_triangles_stay_within_the_bound() {
    for (name, triangles) in soups::overlapping() {
        for clip in [true, false] {
            let options = Options {
                clip,
                ..Options::default()
            };
            let built = build("cfmalloc", 2, &triangles, options);
            let references = built.tree.references.len();
            assert!(references <= bound(&triangles), "{name}: {references}");
            let bounds = built.result.bounds;
            let found = check(
                &built.tree.nodes,
                &built.tree.references,
                &triangles,
                bounds,
            );
            assert_eq!(found, Ok(()), "{name}");
        }
    }
}

#[test]
fn random_overlapping_triangles_stay_within_the_bound() {
    let mut numbers = Numbers(31);
    for round in 0..24 {
        let count = 3 + numbers.below(150);
        let seed = numbers.bits();
        let triangles = match round % 4 {
            0 => soups::fan(count + 2, seed),
            1 => soups::layers(count, seed),
            2 => soups::star(count, seed),
            _ => soups::soup(count, 3.0, seed),
        };
        let mut options = Options::default();
        // Where intersections are dear, many more splits pay.
        options.costs.intersection = [5.0, 80.0][numbers.below(2)];
        options.max_depth = [None, Some(30)][numbers.below(2)];
        let built = build("cfmalloc", 2, &triangles, options);
        let references = built.tree.references.len();
        assert!(references <= bound(&triangles), "{round}: {references}");
    }
}

#[test]
fn a_bounded_tree_does_not_depend_on_what_builds_it() {
    let triangles = soups::fan(80, 41);
    let expected = build("atomicmalloc", 1, &triangles, Options::default());
    assert!(expected.result.limited_leaves > 0);
    for spec in specs() {
        for alloc_per_split in [true, false] {
            let options = Options {
                alloc_per_split,
                ..Options::default()
            };
            let built = build_over(&spec, 3, &triangles, options);
            assert_eq!(built.tree.hash(), expected.tree.hash(), "{spec}");
            let limited = built.result.limited_leaves;
            assert_eq!(limited, expected.result.limited_leaves);
        }
    }
}

#[test]
fn a_bounded_tree_does_not_depend_on_how_it_is_divided() {
    // Enough references that several warps share nodes.
    let triangles = soups::layers(LARGE_NODE as usize + 1, 42);
    let options = Options {
        max_depth: Some(14),
        ..Options::default()
    };
    let expected = build("atomicmalloc", 1, &triangles, options);
    assert!(expected.result.limited_leaves > 0);
    for (workers, alloc_per_split) in [(2, true), (4, false), (3, true)] {
        let built = build(
            "cfmalloc",
            workers,
            &triangles,
            Options {
                alloc_per_split,
                ..options
            },
        );
        assert_eq!(
            built.tree.hash(),
            expected.tree.hash(),
            "{workers} {alloc_per_split}"
        );
    }
}

#[test]
fn a_bounded_tree_does_not_depend_on_the_lanes() {
    let triangles = soups::fan(40, 43);
    let mut options = Options::default();
    options.costs.intersection = 80.0;
    options.max_depth = Some(20);
    let expected = build("atomicmalloc", 2, &triangles, options);
    assert!(expected.result.limited_leaves > 0);
    // Room for all that the bound allows.
    let limits = Limits::for_triangles(64 * triangles.len() as u32, &options);
    let lanes = LockstepBackend::new::<AtomicMalloc>(3, 64, 0);
    let within = |options| {
        let spec = spec("atomicmalloc");
        trees::build_within(&lanes, &spec, &triangles, options, limits)
    };
    let refused = within(options).expect_err("it explodes");
    assert!(
        matches!(
            refused,
            TreeError::Build(BuildError::Explodes { served: None })
        ),
        "{refused}"
    );
    options.bounded = true;
    let built = within(options).expect("a tree");
    assert_eq!(built.tree.hash(), expected.tree.hash());
}

#[test]
fn bounded_trees_cost_as_little_as_an_exact_builders() {
    let mut bounded = 0;
    for (name, triangles) in soups::overlapping() {
        let options = Options {
            costs: oracle::REFERENCE,
            max_depth: Some(MAX_DEPTH),
            ..Options::default()
        };
        let built = build("cfmalloc", 2, &triangles, options);
        if built.result.limited_leaves == 0 {
            continue;
        }
        let (nodes, references, bounds) = oracle::build(&triangles, oracle::REFERENCE);
        assert!(references.len() <= bound(&triangles), "{name}");
        let exact = sah_cost(&nodes, bounds, COMPARABLE);
        let ours = sah_cost(&built.tree.nodes, built.result.bounds, COMPARABLE);
        assert!(ours <= exact * 1.05, "{name}: {ours} against {exact}");
        bounded += 1;
    }
    assert!(bounded >= 3, "{bounded}");
}

#[test]
fn usual_scenes_have_no_budgets() {
    for (name, triangles) in soups::all() {
        let options = Options::default();
        let (backend, spec) = (cpu(2), spec("cfmalloc"));
        let mut limits = Limits::for_triangles(triangles.len() as u32, &options);
        let built = loop {
            match trees::build_within(&*backend, &spec, &triangles, options, limits) {
                Err(TreeError::Build(error)) if error.is_limit() => {
                    limits = limits.doubled().unwrap();
                }
                result => break result.unwrap(),
            }
        };
        assert_eq!(built.result.limited_leaves, 0, "{name}");
    }
}

#[test]
fn shares_are_all_of_the_rest() {
    let mut numbers = Numbers(51);
    let sizes = [0, 1, 2, 3, 64, 1000, 1 << 24, (1 << 30) - 1];
    for rest in [0, 1, 2, 1000, (1 << 24) + 1, (1 << 30) - 1] {
        for below in sizes {
            let above = sizes[numbers.below(sizes.len())];
            let (first, second) = budget::of_children(rest, below, above);
            assert_eq!(
                first.checked_add(second),
                Some(rest),
                "{rest} {below} {above}"
            );
        }
    }
    for count in [1, 2, 1000, 16_777_199, 16_777_200, 1 << 29, (1 << 30) - 1] {
        let most = u64::from(count) + u64::from(budget::of_root(count));
        assert!(most <= 64 * u64::from(count) + 1024, "{count}");
        assert!(most < 1 << 30, "{count}");
    }
}
