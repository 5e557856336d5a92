//! The k-d tree builder on the CPU: the same tree whatever runs it, right, and
//! as good as an exact builder's.

mod refusals;

use heapwood::allocators::Spec;
use heapwood::tree;
use heapwood_device::allocators::AtomicMalloc;
use heapwood_device::kdtree::check::check;
use heapwood_device::kdtree::metrics::{COMPARABLE, sah_cost};
use heapwood_device::kdtree::node::Node;
use heapwood_device::kdtree::plan::{Limits, Options, Quality};
use heapwood_device::kdtree::thresholds::{MAX_DEPTH, REFINE};
use heapwood_scenes::generate;
use heapwood_tests::gpu::specs;
use heapwood_tests::lockstep::LockstepBackend;
use heapwood_tests::oracle::{self, Ray};
use heapwood_tests::soups::{self, Numbers, Triangles};
use heapwood_tests::trees::{self, Finished};

fn spec(name: &str) -> Spec {
    Spec::parse(name).expect("an allocator")
}

fn build_over(spec: &Spec, workers: usize, triangles: &Triangles, options: Options) -> Finished {
    trees::build_served(spec, workers, triangles, options)
}

fn build(name: &str, workers: usize, triangles: &Triangles, options: Options) -> Finished {
    build_over(&spec(name), workers, triangles, options)
}

/// A tree of three warps of 64 lanes in lockstep.
fn build_in_lockstep(seed: u64, triangles: &Triangles, options: Options) -> Finished {
    let lanes = LockstepBackend::new::<AtomicMalloc>(3, 64, seed);
    let limits = Limits::for_triangles(triangles.len() as u32, &options);
    let spec = spec("atomicmalloc");
    let built = trees::build_within(&lanes, &spec, triangles, options, limits);
    built.expect("a tree")
}

/// Options with a block for each split, or fewer.
fn blocks(alloc_per_split: bool) -> Options {
    Options {
        alloc_per_split,
        ..Options::default()
    }
}

/// The same with statistics.
fn counted(alloc_per_split: bool) -> Options {
    Options {
        collect: true,
        ..blocks(alloc_per_split)
    }
}

fn within_depth(limit: u32) -> Options {
    Options {
        max_depth: Some(limit),
        ..Options::default()
    }
}

/// The scenes that the program generates.
fn generated() -> impl Iterator<Item = (&'static str, Triangles)> {
    let scene = |name| generate::by_name(name).expect("a scene");
    generate::NAMES
        .map(|name| (name, tree::triangles(&scene(name))))
        .into_iter()
}

fn assert_right(built: &Finished, triangles: &Triangles, name: &str) {
    let (tree, bounds) = (&built.tree, built.result.bounds);
    let found = check(&tree.nodes, &tree.references, triangles, bounds);
    assert_eq!(found, Ok(()), "{name}");
}

#[test]
fn every_tree_is_right() {
    for (name, triangles) in soups::all() {
        for (clip, alloc_per_split) in [(true, false), (false, false), (true, true)] {
            let options = Options {
                clip,
                ..counted(alloc_per_split)
            };
            let built = build("cfmalloc", 2, &triangles, options);
            assert_right(&built, &triangles, name);
            let leaves = built.tree.nodes.iter().filter(|node| node.is_leaf());
            assert_eq!(built.result.leaves as usize, leaves.count(), "{name}");
            assert!(built.result.depth <= MAX_DEPTH);
        }
    }
}

#[test]
fn every_allocation_is_freed() {
    let triangles = soups::rooms(8);
    for spec in specs() {
        for alloc_per_split in [false, true] {
            let built = build_over(&spec, 4, &triangles, counted(alloc_per_split));
            let statistics = built.result.statistics;
            assert!(statistics.allocations > 100, "{spec}");
            assert_eq!(statistics.allocations, statistics.frees);
            assert_eq!(statistics.live_bytes, 0, "{spec}");
            assert!(statistics.peak_bytes >= triangles.len() as u64 * 4);
            if spec.allocator.properties.frees && spec.allocator.properties.walkable {
                assert_eq!(built.heap.occupancy.used_bytes, 0, "{spec}");
            }
            assert_eq!(built.heap.faults, Default::default(), "{spec}");
        }
    }
}

#[test]
fn the_tree_does_not_depend_on_the_workers() {
    for (name, triangles) in soups::all() {
        let expected = build("cfmalloc", 1, &triangles, Options::default());
        for workers in [2, 8] {
            for alloc_per_split in [false, true] {
                let built = build("cfmalloc", workers, &triangles, blocks(alloc_per_split));
                let (found, expected) = (built.tree.hash(), expected.tree.hash());
                assert_eq!(found, expected, "{name}: {workers} workers");
            }
        }
    }
}

#[test]
fn the_tree_does_not_depend_on_the_lanes() {
    // Enough triangles for bins of bins, and few enough levels to be quick.
    let triangles = soups::soup(REFINE as usize + 1, 0.02, 13);
    let options = within_depth(5);
    let expected = build("atomicmalloc", 2, &triangles, options);
    let built = build_in_lockstep(0, &triangles, options);
    assert_eq!(built.tree.hash(), expected.tree.hash());
}

#[test]
fn small_subtrees_do_not_depend_on_the_lanes() {
    // Few triangles, so that all nodes are small; needles so long that a subtree has too
    // many nodes for one warp.
    for (name, triangles, is_shared) in [
        ("needles", soups::needles(64, 5), true),
        ("soup", soups::soup(300, 0.3, 6), false),
        ("planes", soups::rooms(2), false),
    ] {
        for alloc_per_split in [true, false] {
            let options = counted(alloc_per_split);
            let expected = build("atomicmalloc", 2, &triangles, options);
            let built = build_in_lockstep(u64::from(alloc_per_split), &triangles, options);
            let (found, wanted) = (built.tree.hash(), expected.tree.hash());
            assert_eq!(found, wanted, "{name}, {alloc_per_split}");
            assert_eq!(built.result.leaves, expected.result.leaves);
            assert_eq!(built.result.depth, expected.result.depth);
            let allocations = built.result.statistics.allocations;
            if !alloc_per_split && is_shared {
                assert!(allocations > 1, "{name} stays with one warp");
            }
        }
    }
}

#[test]
fn the_tree_does_not_depend_on_the_allocator() {
    for triangles in [soups::soup(6000, 0.05, 2), soups::rooms(6)] {
        let expected = build("atomicmalloc", 1, &triangles, Options::default());
        for spec in specs() {
            for alloc_per_split in [false, true] {
                let built = build_over(&spec, 2, &triangles, blocks(alloc_per_split));
                assert_eq!(built.tree.hash(), expected.tree.hash(), "{spec}");
            }
        }
    }
}

/// The documented bound of a quality's costs, as a multiple of an exact builder's. Bins miss planes
/// between triangles that cross the whole scene.
fn promised(quality: Quality, name: &str) -> f64 {
    match (quality, name) {
        (Quality::Fast, "needles") => 1.4,
        (Quality::Balanced, "needles") => 1.15,
        (Quality::Best, "needles") => 1.1,
        (Quality::Fast, _) => 1.25,
        (Quality::Balanced, _) => 1.1,
        (Quality::Best, _) => 1.05,
    }
}

#[test]
fn trees_cost_as_little_as_an_exact_builders() {
    for (name, triangles) in soups::all().into_iter().chain(generated()) {
        let (nodes, references, bounds) = oracle::build(&triangles, oracle::REFERENCE);
        assert!(!references.is_empty());
        let exact = sah_cost(&nodes, bounds, COMPARABLE);
        for quality in Quality::ALL {
            let built = build("cfmalloc", 2, &triangles, Options::of(quality));
            assert_eq!(bounds, built.result.bounds, "{name}");
            let ours = sah_cost(&built.tree.nodes, bounds, COMPARABLE);
            assert!(
                ours <= exact * promised(quality, name),
                "{name}, {quality:?}: {ours} against {exact}"
            );
        }
    }
}

#[test]
fn the_limit_of_depth_does_not_decide_quality() {
    for (name, triangles) in generated() {
        let cost = |depth| {
            let options = Options {
                max_depth: Some(depth),
                ..Options::of(Quality::Best)
            };
            let built = build("cfmalloc", 2, &triangles, options);
            sah_cost(&built.tree.nodes, built.result.bounds, COMPARABLE)
        };
        let (own, half) = (cost(MAX_DEPTH), cost(MAX_DEPTH / 2));
        assert!(half <= own * 1.001, "{name}: {half} against {own}");
    }
}

#[test]
fn clipping_makes_better_trees_where_triangles_are_large() {
    let triangles = soups::soup(1000, 0.5, 4);
    let cost = |clip| {
        let options = Options {
            clip,
            ..Options::default()
        };
        let built = build("cfmalloc", 2, &triangles, options);
        sah_cost(&built.tree.nodes, built.result.bounds, options.costs)
    };
    assert!(cost(true) < cost(false));
}

#[test]
fn rays_hit_what_brute_force_says() {
    for (name, triangles) in soups::all() {
        let built = build("cfmalloc", 2, &triangles, Options::default());
        let (nodes, references) = (built.tree.nodes, built.tree.references);
        let bounds = built.result.bounds;
        let mut numbers = Numbers(7);
        let mut hits = 0;
        for number in 0..300 {
            let inside = |numbers: &mut Numbers| {
                [0, 1, 2].map(|k| {
                    let part = f64::from(numbers.unit()) * 1.2 - 0.1;
                    let (lo, hi) = (f64::from(bounds.min[k]), f64::from(bounds.max[k]));
                    lo + part * (hi - lo)
                })
            };
            let origin = inside(&mut numbers);
            let target = inside(&mut numbers);
            let mut direction = [0, 1, 2].map(|k| target[k] - origin[k]);
            if number % 4 == 0 {
                // Along an axis, through a vertex's coordinates now and then.
                direction = [0.0; 3];
                direction[number / 4 % 3] = if number % 8 == 0 { 1.0 } else { -1.0 };
            }
            if direction == [0.0; 3] {
                continue;
            }
            let ray = Ray { origin, direction };
            let expected = oracle::brute_force(&triangles, &ray);
            let found = oracle::closest_hit(&nodes, &references, &triangles, bounds, &ray);
            assert_eq!(found, expected, "{name}: {ray:?}");
            hits += usize::from(expected.is_some());
        }
        let thin = ["one", "two", "degenerate", "needles", "identical", "flat"];
        assert!(hits > 20 || thin.contains(&name), "{name}: {hits} hits");
    }
}

#[test]
fn depth_is_limited() {
    let triangles = soups::soup(2000, 0.1, 11);
    for depth in [0, 1, 5] {
        let built = build("cfmalloc", 2, &triangles, within_depth(depth));
        assert_eq!(built.result.depth, depth);
        assert_right(&built, &triangles, "soup");
    }
}

/// The leaves of a tree that another tree has split. The first tree is a part of the other.
fn leaves_split_in(deeper: &[Node], tree: &[Node]) -> u32 {
    let mut split = 0;
    let mut waiting = vec![(0, 0)];
    while let Some((a, b)) = waiting.pop() {
        let (node, other): (Node, Node) = (tree[a], deeper[b]);
        if node.is_leaf() {
            split += u32::from(!other.is_leaf());
        } else {
            assert_eq!(node.position(), other.position());
            waiting.push((a + 1, b + 1));
            waiting.push((node.right() as usize, other.right() as usize));
        }
    }
    split
}

#[test]
fn leaves_that_the_limit_of_depth_cut_off_are_counted() {
    for (name, triangles) in soups::all() {
        let within = |depth| build("cfmalloc", 2, &triangles, within_depth(depth));
        for depth in [0, 3, 9] {
            let (tree, deeper) = (within(depth), within(depth + 1));
            let split = leaves_split_in(&deeper.tree.nodes, &tree.tree.nodes);
            assert_eq!(tree.result.cut_leaves, split, "{name}: {depth}");
        }
    }
}

#[test]
fn subtrees_may_be_deeper_than_the_stack_in_scratch_memory() {
    // Each triangle is a little nearer to a corner than the one before, so that many splits
    // cut off one of them.
    let triangles: Triangles = (0..64)
        .map(|number| {
            let at = 0.55f32.powi(number);
            [[at, at, at], [0.9 * at, at, at], [at, 0.9 * at, 0.95 * at]]
        })
        .collect();
    let with = |alloc_per_split| Options {
        max_depth: Some(MAX_DEPTH),
        ..counted(alloc_per_split)
    };
    let expected = build("cfmalloc", 1, &triangles, with(true));
    for workers in [1, 3] {
        let built = build("cfmalloc", workers, &triangles, with(false));
        assert_eq!(built.tree.hash(), expected.tree.hash());
        assert_right(&built, &triangles, "nested");
        // Blocks beside the root's: nodes for which the stack had no room.
        let statistics = built.result.statistics;
        assert!(statistics.allocations > 1, "{statistics:?}");
        assert_eq!(statistics.allocations, statistics.frees);
    }
}
