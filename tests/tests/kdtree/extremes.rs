//! Scenes of any size that a float has. Every builder makes the trees of the scene at size one, and
//! writes no block of the heap past its end.

use heapwood::allocators::Spec;
use heapwood::tree::{Cores, HostTree, Options, Quality};
use heapwood_device::kdtree::bounds::Bounds;
use heapwood_device::kdtree::check::check;
use heapwood_device::kdtree::node::Node;
use heapwood_tests::soups::{self, Triangles};
use heapwood_tests::trees::{self, Finished};

/// Powers of two by which scenes of size 1 to 20 are multiplied: from 1e-21 to 1e18.
const EXPONENTS: [i32; 7] = [-70, -63, -44, -20, 23, 43, 55];

fn scaled(triangles: &Triangles, unit: f32) -> Triangles {
    let scaled = |corner: [f32; 3]| corner.map(|x| x * unit);
    triangles
        .iter()
        .map(|triangle| triangle.map(scaled))
        .collect()
}

/// The tree of the scene at size one.
fn unscaled(tree: &HostTree, unit: f32) -> HostTree {
    let nodes = tree.nodes.iter().map(|node| {
        if node.is_leaf() {
            *node
        } else {
            Node::interior(node.axis(), node.position() / unit, node.right())
        }
    });
    let corner = |corner: [f32; 3]| corner.map(|x| x / unit);
    HostTree {
        nodes: nodes.collect(),
        bounds: Bounds {
            min: corner(tree.bounds.min),
            max: corner(tree.bounds.max),
        },
        ..tree.clone()
    }
}

/// Over a heap that finds what is written past a block.
fn build(name: &str, triangles: &Triangles, options: Options) -> Finished {
    let spec = Spec::parse(name).expect("an allocator");
    let spec = spec.checked().expect("it can be checked");
    trees::build_served(&spec, 2, triangles, options)
}

fn scenes() -> [(&'static str, Triangles); 4] {
    [
        ("soup", soups::soup(1500, 0.1, 21)),
        ("hills", soups::hills(24)),
        ("rooms", soups::rooms(5)),
        ("flat", soups::flat(20)),
    ]
}

#[test]
fn trees_are_those_of_the_scene_at_size_one() {
    let names = ["cfmalloc", "ouroboros-p-s", "gallatin", "halloc"];
    for (scene, triangles) in scenes() {
        for quality in Quality::ALL {
            let options = Options::of(quality);
            let expected = build("cfmalloc", &triangles, options).tree;
            assert!(expected.nodes.len() > 1, "{scene}");
            for (exponent, name) in EXPONENTS.into_iter().zip(names.into_iter().cycle()) {
                let unit = 2f32.powi(exponent);
                let case = format!("{scene} times 2^{exponent} over {name}, {quality:?}");
                let triangles = scaled(&triangles, unit);
                let built = build(name, &triangles, options);
                assert!(unscaled(&built.tree, unit) == expected, "{case}");
                let cores = Cores::new(Some(2)).expect("threads");
                let cores = cores.build(&triangles, options).expect("a tree");
                assert!(cores.tree == built.tree, "{case}");
            }
        }
    }
}

#[test]
fn what_is_small_beside_the_largest_triangle_is_split_too() {
    for large in [1e6, 1e12, 1e18] {
        let mut triangles = soups::soup(2000, 0.1, 22);
        triangles.push([
            [-large, 0.0, -large],
            [large, 0.0, -large],
            [0.0, 0.0, large],
        ]);
        let built = build("cfmalloc", &triangles, Options::default());
        let (tree, bounds) = (&built.tree, built.result.bounds);
        assert!(built.result.leaves > 1000, "{large:e}: {:?}", built.result);
        let found = check(&tree.nodes, &tree.references, &triangles, bounds);
        assert_eq!(found, Ok(()), "{large:e}");
        let cores = Cores::new(Some(2)).expect("threads");
        let cores = cores.build(&triangles, Options::default()).expect("a tree");
        assert!(cores.tree == *tree, "{large:e}");
    }
}
