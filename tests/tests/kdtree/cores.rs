//! The builder for cores makes the trees of the kernels, bit for bit: node by node, reference
//! by reference, with the same counts, for all options and numbers of threads.

use heapwood::allocators::Spec;
use heapwood::generate::{SceneSpec, Source};
use heapwood::tree::{self, Built, Cores, HostTree, Options, Quality, TreeError, Triangle};
use heapwood_device::allocators::AtomicMalloc;
use heapwood_device::kdtree::bounds::Bounds;
use heapwood_device::kdtree::plan::{BuildError, Costs, Limits, PlanError};
use heapwood_device::kdtree::thresholds::{LARGE_NODE, REFINE, SMALL_NODE};
use heapwood_scenes::generate;
use heapwood_tests::lockstep::LockstepBackend;
use heapwood_tests::soups::{self, Numbers, Triangles};
use heapwood_tests::trees::{self, Finished};
use proptest::prelude::*;

fn kernels(triangles: &Triangles, options: Options) -> Finished {
    let spec = Spec::parse("cfmalloc").expect("an allocator");
    trees::build_served(&spec, 2, triangles, options)
}

fn on_cores(threads: usize, triangles: &[Triangle], options: Options) -> Built<HostTree> {
    let cores = Cores::new(Some(threads)).expect("threads");
    let built = cores.build(triangles, options);
    built.unwrap_or_else(|error| panic!("{error}"))
}

fn assert_same(built: &Built<HostTree>, expected: &Finished, name: &str) {
    let pairs = built.tree.nodes.iter().zip(&expected.tree.nodes);
    let differs = pairs.enumerate().find(|(_, (one, other))| one != other);
    assert_eq!(differs, None, "{name}");
    assert_eq!(built.tree, expected.tree, "{name}");
    assert_eq!(built.tree.hash(), expected.tree.hash(), "{name}");
    let result = &expected.result;
    let counts = [result.leaves, result.depth, result.limited_leaves];
    let own = [
        built.tree.leaves,
        built.tree.depth,
        built.stats.limited_leaves,
    ];
    assert_eq!(own, counts, "{name}");
    assert_eq!(built.stats.cut_leaves, result.cut_leaves, "{name}");
    let bits = |bounds: Bounds| [bounds.min, bounds.max].map(|corner| corner.map(f32::to_bits));
    assert_eq!(bits(built.tree.bounds), bits(result.bounds), "{name}");
}

/// Options that each change what decides a split.
fn variants() -> Vec<Options> {
    let mut variants: Vec<Options> = Quality::ALL.map(Options::of).to_vec();
    let usual = Options::default();
    let costs = |traversal, intersection, empty_bonus| Options {
        costs: Costs {
            traversal,
            intersection,
            empty_bonus,
        },
        ..usual
    };
    variants.extend([
        costs(15.0, 20.0, 0.2),
        costs(1.0, 80.0, 0.0),
        costs(0.3, 7.0, 1.0),
    ]);
    variants.push(Options {
        clip: false,
        ..usual
    });
    for max_depth in [0, 1, 2, 7, 20] {
        for clip in [true, false] {
            variants.push(Options {
                max_depth: Some(max_depth),
                clip,
                ..usual
            });
        }
    }
    variants
}

#[test]
fn trees_are_those_of_the_kernels() {
    for (name, triangles) in soups::all() {
        for options in variants() {
            let expected = kernels(&triangles, options);
            for threads in [1, 2, 7] {
                let built = on_cores(threads, &triangles, options);
                assert_same(&built, &expected, &format!("{name}, {threads} {options:?}"));
            }
        }
    }
}

#[test]
fn trees_of_scenes_are_those_of_the_kernels() {
    let mut scenes: Vec<(String, Triangles)> = Vec::new();
    for name in generate::NAMES {
        let scene = generate::by_name(name).expect("a scene");
        scenes.push((name.to_owned(), tree::triangles(&scene)));
    }
    for text in ["gen:scan,triangles=40000", "gen:building,triangles=40000"] {
        scenes.push((text.to_owned(), generated(text)));
    }
    for (name, triangles) in scenes {
        for quality in Quality::ALL {
            for clip in [true, false] {
                let options = Options {
                    clip,
                    ..Options::of(quality)
                };
                let expected = kernels(&triangles, options);
                for threads in [1, 2, 7] {
                    let built = on_cores(threads, &triangles, options);
                    assert_same(&built, &expected, &format!("{name}, {quality:?} {clip}"));
                }
            }
        }
    }
}

/// Threads partition large nodes in chunks. A chunk may have few references, or one, on a side:
/// here neighbours in the list are neighbours in space.
#[test]
fn chunks_with_few_references_on_a_side_make_the_same_trees() {
    let mut sorted = soups::soup(20_000, 0.02, 21);
    sorted.sort_by(|one, other| one[0][0].total_cmp(&other[0][0]));
    for (name, triangles) in [
        ("sorted", sorted),
        ("scan", generated("gen:scan,triangles=150000")),
    ] {
        let expected = kernels(&triangles, Options::default());
        let built = on_cores(2, &triangles, Options::default());
        assert_same(&built, &expected, name);
    }
}

/// The triangles of a scene that is made.
fn generated(text: &str) -> Triangles {
    let Ok(Source::<SceneSpec>::Generated { spec, .. }) = Source::parse(text.into()) else {
        panic!("{text}");
    };
    let made = spec.make(&mut |_| unreachable!("it needs no file"));
    tree::triangles(&made.expect("a scene"))
}

#[test]
fn bounded_trees_are_those_of_the_kernels() {
    let mut bounded = 0;
    for (name, triangles) in soups::overlapping() {
        for clip in [true, false] {
            let options = Options {
                clip,
                ..Options::default()
            };
            let expected = kernels(&triangles, options);
            for threads in [1, 2, 7] {
                let built = on_cores(threads, &triangles, options);
                assert_same(&built, &expected, &format!("{name}, {clip} {threads}"));
                bounded += usize::from(built.tree.options.bounded);
            }
        }
    }
    assert!(bounded >= 9, "{bounded}");
}

#[test]
fn sizes_around_each_threshold_make_the_same_trees() {
    for threshold in [SMALL_NODE, 1024, LARGE_NODE, 4096, REFINE] {
        for count in threshold - 1..=threshold + 1 {
            let triangles = soups::soup(count as usize, 0.03, u64::from(count));
            let expected = kernels(&triangles, Options::default());
            let built = on_cores(2, &triangles, Options::default());
            assert_same(&built, &expected, &format!("{count}"));
        }
    }
}

#[test]
fn trees_are_those_of_warps_with_32_lanes() {
    let triangles = soups::soup(2500, 0.05, 13);
    let options = Options {
        max_depth: Some(9),
        ..Options::default()
    };
    let limits = Limits::for_triangles(triangles.len() as u32, &options);
    let lanes = LockstepBackend::new::<AtomicMalloc>(3, 64, 0);
    let spec = Spec::parse("atomicmalloc").expect("an allocator");
    let expected = trees::build_within(&lanes, &spec, &triangles, options, limits);
    let built = on_cores(2, &triangles, options);
    assert_same(&built, &expected.expect("a tree"), "lanes");
}

#[test]
fn what_kernels_refuse_cores_refuse() {
    let cores = Cores::new(Some(2)).expect("threads");
    let refused = |triangles: &[Triangle], options| match cores.build(triangles, options) {
        Err(error) => error,
        Ok(_) => panic!("a tree"),
    };
    let none = refused(&[], Options::default());
    assert!(matches!(none, TreeError::Plan(PlanError::NoTriangles)));
    let deep = Options {
        max_depth: Some(97),
        ..Options::default()
    };
    let deep = refused(&soups::identical(1), deep);
    assert!(matches!(
        deep,
        TreeError::Plan(PlanError::TooDeep { limit: 96 })
    ));
    for bad in [f32::NAN, f32::INFINITY, -2e18] {
        let mut triangles = soups::soup(100, 0.1, 12);
        triangles[50][1][2] = bad;
        let error = refused(&triangles, Options::default());
        assert!(
            matches!(error, TreeError::Build(BuildError::BadCoordinate)),
            "{error}"
        );
    }
}

/// Triangles of a kind: small or large ones, on a coarse grid or not, with extents of 0.
fn triangles_of(kind: usize, count: usize, seed: u64) -> Triangles {
    let size = [0.02, 0.3, 3.0][kind % 3];
    let mut triangles = soups::soup(count, size, seed);
    let mut numbers = Numbers(seed ^ 77);
    for triangle in &mut triangles {
        for corner in triangle.iter_mut() {
            for x in corner.iter_mut() {
                if kind / 3 % 2 == 1 {
                    *x = (*x * 8.0).round() / 8.0;
                }
                if kind / 6 % 3 == 1 && numbers.below(9) == 0 {
                    *x = -*x;
                }
                if kind / 6 % 3 == 2 {
                    *x = *x * 1e-3 + 1e4;
                }
            }
        }
        if kind / 18 % 2 == 1 && numbers.below(3) == 0 {
            let axis = numbers.below(3);
            triangle[1][axis] = triangle[0][axis];
            triangle[2][axis] = triangle[0][axis];
        }
    }
    triangles
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn random_triangles_make_the_same_trees(
        kind in 0usize..36,
        count in 1usize..700,
        seed: u64,
        intersection in 0.5f32..20.0,
        empty_bonus in 0.0f32..1.0,
        clip: bool,
        depth in prop::option::of(0u32..40),
    ) {
        let triangles = triangles_of(kind, count, seed);
        let mut options = Options { clip, max_depth: depth, ..Options::default() };
        options.costs.intersection = intersection;
        options.costs.empty_bonus = empty_bonus;
        let expected = kernels(&triangles, options);
        let built = on_cores(1 + count % 3, &triangles, options);
        assert_same(&built, &expected, &format!("{kind} {count} {seed} {options:?}"));
    }
}
