//! The bound on duplication: at most 64 n + 1,024 references for n triangles,
//! the same tree whatever runs the build, and none of it in usual scenes.

use heapwood_device::host::{ALLOCATORS, allocator};
use heapwood_device::kdtree::budget;
use heapwood_device::kdtree::host::{
    BuildError, Limits, Options, check, default_depth, sah_cost, tree_hash,
};
use heapwood_device::kdtree::tables::LARGE;
use heapwood_tests::cpu::{Machine, Tree};
use heapwood_tests::soups::{self, Numbers, Triangles};
use heapwood_tests::{lanes, oracle};

const POOL: usize = 64 << 20;

/// 64 n + 1,024, as the documentation promises.
fn bound(triangles: &Triangles) -> usize {
    64 * triangles.len() + 1024
}

fn build(name: &str, workers: u32, triangles: &Triangles, options: Options) -> Tree {
    let machine = Machine::new(allocator(name).unwrap(), POOL, workers).unwrap();
    machine.build(triangles, options).unwrap()
}

fn hash(tree: &Tree) -> u64 {
    tree_hash(&tree.nodes, &tree.references)
}

#[test]
fn overlapping_triangles_stay_within_the_bound() {
    for (name, triangles) in soups::overlapping() {
        for clip in [true, false] {
            let options = Options {
                clip,
                ..Options::default()
            };
            let tree = build("cfmalloc", 2, &triangles, options);
            let references = tree.references.len();
            assert!(references <= bound(&triangles), "{name}: {references}");
            let bounds = tree.result.bounds;
            let found = check(&tree.nodes, &tree.references, &triangles, bounds);
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
        let tree = build("cfmalloc", 2, &triangles, options);
        let references = tree.references.len();
        assert!(references <= bound(&triangles), "{round}: {references}");
    }
}

#[test]
fn a_bounded_tree_does_not_depend_on_what_builds_it() {
    let triangles = soups::fan(80, 41);
    let expected = build("atomicmalloc", 1, &triangles, Options::default());
    assert!(expected.result.limited_leaves > 0);
    for allocator in ALLOCATORS {
        for alloc_per_split in [true, false] {
            let options = Options {
                alloc_per_split,
                ..Options::default()
            };
            let tree = build(allocator.name, 3, &triangles, options);
            assert_eq!(hash(&tree), hash(&expected), "{}", allocator.name);
            let limited = tree.result.limited_leaves;
            assert_eq!(limited, expected.result.limited_leaves);
        }
    }
}

#[test]
fn a_bounded_tree_does_not_depend_on_how_it_is_divided() {
    // Enough references that several warps share nodes.
    let triangles = soups::layers(LARGE as usize + 1, 42);
    let options = Options {
        max_depth: Some(14),
        ..Options::default()
    };
    let expected = build("atomicmalloc", 1, &triangles, options);
    assert!(expected.result.limited_leaves > 0);
    for (workers, finish) in [(2, 0), (4, 8), (3, 64)] {
        let tree = build(
            "cfmalloc",
            workers,
            &triangles,
            Options { finish, ..options },
        );
        assert_eq!(hash(&tree), hash(&expected), "{workers} {finish}");
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
    let refused = lanes::build_within(&triangles, options, limits).err();
    assert_eq!(refused, Some(BuildError::Explodes { served: None }));
    options.bounded = true;
    let tree = lanes::build_within(&triangles, options, limits).unwrap();
    assert_eq!(hash(&tree), hash(&expected));
}

#[test]
fn bounded_trees_cost_as_little_as_an_exact_builders() {
    let mut bounded = 0;
    for (name, triangles) in soups::overlapping() {
        let options = Options::default();
        let tree = build("cfmalloc", 2, &triangles, options);
        if tree.result.limited_leaves == 0 {
            continue;
        }
        let depth = default_depth(triangles.len() as u32);
        let (nodes, references, bounds) = oracle::build(&triangles, options.costs, depth);
        assert!(references.len() <= bound(&triangles), "{name}");
        let exact = sah_cost(&nodes, bounds, options.costs);
        let ours = sah_cost(&tree.nodes, tree.result.bounds, options.costs);
        assert!(ours <= exact * 1.05, "{name}: {ours} against {exact}");
        bounded += 1;
    }
    assert!(bounded >= 3, "{bounded}");
}

#[test]
fn usual_scenes_have_no_budgets() {
    for (name, triangles) in soups::all() {
        let options = Options::default();
        let machine = Machine::new(allocator("cfmalloc").unwrap(), POOL, 2).unwrap();
        let mut limits = Limits::for_triangles(triangles.len() as u32, &options);
        let tree = loop {
            match machine.build_within(&triangles, options, limits) {
                Err(error) if error.is_limit() => limits = limits.doubled().unwrap(),
                result => break result.unwrap(),
            }
            machine.init();
        };
        assert_eq!(tree.result.limited_leaves, 0, "{name}");
    }
}

#[test]
fn shares_are_all_of_the_rest() {
    let mut numbers = Numbers(51);
    let sizes = [0, 1, 2, 3, 64, 1000, 1 << 24, (1 << 30) - 1];
    for rest in [0, 1, 2, 1000, (1 << 24) + 1, (1 << 30) - 1] {
        for below in sizes {
            let above = sizes[numbers.below(sizes.len())];
            let (first, second) = budget::shares(rest, below, above);
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
