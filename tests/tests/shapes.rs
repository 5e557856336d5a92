//! Trees of shapes as modelling programs write them have no holes: a sample of what `cargo xtask
//! shape-campaign` tries. And trees do not depend on the size of the scene.

use heapwood::tree::{Cores, Quality, Tree};
use heapwood_device::kdtree::bounds::Bounds;
use heapwood_device::kdtree::node::Node;
use heapwood_tests::random::Random;
use heapwood_tests::shapes::Family;
use heapwood_tests::shapes::campaign;
use heapwood_tests::shapes::variant::{Builder, Form, Variant};
use heapwood_tests::soups::Triangles;

#[test]
fn trees_of_shapes_have_no_holes() {
    let mut random = Random(3);
    let forms: Vec<Form> = (0..60).map(|_| Form::draw(&mut random)).collect();
    let report = campaign::run(&forms);
    assert!(report.is_right(), "{report}");
    assert!(report.seen > 10, "{report}");
}

/// Every edge of a closed shape belongs to two triangles, so that pictures from inside may be
/// asked to have no miss.
#[test]
fn closed_shapes_are_closed() {
    for family in Family::ALL {
        for segments in [3, 4, 5, 8, 31, 64] {
            let mesh = family.mesh(segments);
            let mut edges: Vec<[usize; 2]> = mesh
                .faces
                .iter()
                .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
                .collect();
            edges.sort_unstable();
            let has = |edge: [usize; 2]| edges.binary_search(&edge).is_ok();
            let is_closed = edges.windows(2).all(|pair| pair[0] != pair[1])
                && edges.iter().all(|&[a, b]| has([b, a]));
            assert_eq!(
                is_closed,
                family.inside().is_some(),
                "{family:?} {segments}"
            );
        }
    }
}

/// The tree of a scene that is 2^exponent times as large, made as small again.
fn tree_of_larger(
    cores: &Cores,
    variant: &Variant,
    triangles: &Triangles,
    exponent: i32,
) -> (Tree, Bounds) {
    let scale = |by: i32| move |x: f32| (f64::from(x) * 2_f64.powi(by)) as f32;
    let larger = triangles
        .iter()
        .map(|triangle| triangle.map(|corner| corner.map(scale(exponent))));
    let (mut tree, bounds) = variant.build(cores, &larger.collect());
    let smaller = scale(-exponent);
    for node in &mut tree.nodes {
        if !node.is_leaf() {
            *node = Node::interior(node.axis(), smaller(node.position()), node.right());
        }
    }
    let bounds = Bounds {
        min: bounds.min.map(smaller),
        max: bounds.max.map(smaller),
    };
    (tree, bounds)
}

#[test]
fn trees_do_not_depend_on_the_size_of_the_scene() {
    let cores = Cores::new(Some(1)).expect("a thread");
    let mut random = Random(4);
    for round in 0..12 {
        // Smaller offsets leave the range of normal numbers in the smallest scenes.
        let form = Form {
            offset: [None, Some(1e-6), Some(1e-7), Some(1e-9)][round % 4],
            ..Form::draw(&mut random)
        };
        let (triangles, _) = form.triangles();
        let corners = triangles.iter().flatten().flatten();
        let largest = corners.fold(0.0_f64, |largest, &x| largest.max(f64::from(x).abs()));
        for builder in [Builder::Cores, Builder::Kernels] {
            let quality = Quality::ALL[round % 3];
            let variant = Variant {
                form,
                quality,
                builder,
            };
            let expected = variant.build(&cores, &triangles);
            for exponent in [-69, -68, -43, -20, -1, 1, 2, 24, 41, 58, 59] {
                if largest * 2_f64.powi(exponent) > 1e18 {
                    continue;
                }
                let found = tree_of_larger(&cores, &variant, &triangles, exponent);
                let first = found.0.nodes.iter().zip(&expected.0.nodes);
                let differs = first.enumerate().find(|(_, (one, other))| one != other);
                assert_eq!(differs, None, "2^{exponent}: {variant}");
                assert!(found == expected, "2^{exponent}: {variant}");
            }
        }
    }
}
