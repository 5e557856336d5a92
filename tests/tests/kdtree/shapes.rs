//! Trees of shapes as modelling programs write them have no holes: a sample of what `cargo xtask
//! shape-campaign` tries. And trees do not depend on the size of the scene.

use heapwood::tree::{Cores, HostTree, Quality};
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
) -> HostTree {
    let scale = |by: i32| move |x: f32| (f64::from(x) * 2_f64.powi(by)) as f32;
    let larger = triangles
        .iter()
        .map(|triangle| triangle.map(|corner| corner.map(scale(exponent))));
    let mut tree = variant.build(cores, &larger.collect());
    let smaller = scale(-exponent);
    for node in &mut tree.nodes {
        if !node.is_leaf() {
            *node = Node::interior(node.axis(), smaller(node.position()), node.right());
        }
    }
    tree.bounds = Bounds {
        min: tree.bounds.min.map(smaller),
        max: tree.bounds.max.map(smaller),
    };
    tree
}

/// The least and the greatest magnitude of coordinates, but for 0.
fn magnitudes(triangles: &Triangles) -> (f64, f64) {
    let coordinates = triangles.iter().flatten().flatten();
    let sizes = coordinates.map(|&x| f64::from(x).abs());
    let sizes = sizes.filter(|&x| x > 0.0);
    sizes.fold((f64::INFINITY, 0.0), |(least, most), x| {
        (least.min(x), most.max(x))
    })
}

/// Scenes of all sizes that are accepted, as long as a digit of the smallest coordinate is a
/// normal number.
#[test]
fn trees_do_not_depend_on_the_size_of_the_scene() {
    let cores = Cores::new(Some(1)).expect("a thread");
    let mut random = Random(4);
    let mut tried = [0; 2];
    for round in 0..12 {
        let form = Form::draw(&mut random);
        let (mut triangles, _) = form.triangles();
        // Without what is almost 0, scenes may be as small as any.
        if round % 2 == 0 {
            for x in triangles.as_flattened_mut().as_flattened_mut() {
                *x = if x.abs() < 1e-9 { 0.0 } else { *x };
            }
        }
        let (least, most) = magnitudes(&triangles);
        for builder in [Builder::Cores, Builder::Kernels] {
            let variant = Variant {
                form,
                quality: Quality::ALL[round % 3],
                builder,
            };
            let expected = variant.build(&cores, &triangles);
            for exponent in [-69, -68, -43, -20, -1, 1, 2, 24, 41, 58, 59] {
                let size = 2_f64.powi(exponent);
                let digit = least * size * f64::from(f32::EPSILON) / 2.0;
                if most * size > 1e18 || digit < f64::from(f32::MIN_POSITIVE) {
                    continue;
                }
                let found = tree_of_larger(&cores, &variant, &triangles, exponent);
                let pairs = found.nodes.iter().zip(&expected.nodes);
                let differs = pairs.enumerate().find(|(_, (one, other))| one != other);
                assert_eq!(differs, None, "2^{exponent}: {variant}");
                assert!(found == expected, "2^{exponent}: {variant}");
                tried[usize::from(exponent > 0)] += 1;
            }
        }
    }
    assert!(tried.iter().all(|&count| count > 60), "{tried:?}");
}
