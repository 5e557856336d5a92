//! The check of finished trees beside exact arithmetic: it misses no triangle that meets the
//! inside of a leaf's box, however small the part is, and asks for no other.

use heapwood::tree::{Cores, HostTree, Quality};
use heapwood_device::kdtree::bounds::{Bounds, Triangle};
use heapwood_device::kdtree::check::{Fault, check};
use heapwood_device::kdtree::node::Node;
use heapwood_tests::clipping::exact::{fraction_inside, meets_inside};
use heapwood_tests::clipping::pairs::{Pair, pair};
use heapwood_tests::random::Random;
use heapwood_tests::shapes::variant::{Builder, Form, Variant};

/// The leaf of the box in [`around`].
const INNER: usize = 9;

/// A tree of six splits, with a leaf for what is on the other side of each and one for the box
/// that they bound. The box's leaf has no reference, the others have one to triangle 0.
fn around(within: Bounds) -> (Vec<Node>, Vec<u32>) {
    // Splits alternate with leaves: node 2 n is a split. A split at the greatest coordinate has
    // the rest of the tree on its left side, before its own leaf.
    let mut nodes = Vec::new();
    for axis in 0..3 {
        let index = nodes.len() as u32;
        nodes.push(Node::interior(axis, within.min[axis as usize], index + 2));
        nodes.push(Node::leaf(index / 2, 1));
    }
    for axis in (0..3).rev() {
        nodes.push(Node::interior(axis, within.max[axis as usize], 10 + axis));
    }
    nodes.push(Node::leaf(3, 0));
    nodes.extend([3, 4, 5].map(|first| Node::leaf(first, 1)));
    (nodes, vec![0; 6])
}

/// The result of the check for a triangle that is in all leaves except that of the box.
fn check_without(pair: &Pair) -> Result<(), Fault> {
    let (nodes, references) = around(pair.within);
    let own = Bounds::of(&pair.triangle);
    // More than the box and the triangle.
    let [min, max] = [0, 1].map(|side| {
        [0, 1, 2].map(|k| {
            let least = own.min[k].min(pair.within.min[k]);
            let most = own.max[k].max(pair.within.max[k]);
            [least - 1.0 - least.abs(), most + 1.0 + most.abs()][side]
        })
    });
    check(&nodes, &references, &[pair.triangle], Bounds { min, max })
}

fn is_flat(bounds: Bounds) -> bool {
    (0..3).any(|k| bounds.min[k] >= bounds.max[k])
}

/// Whether the triangle is in the plane of a split, and so may be on either side.
fn is_in_a_face(pair: &Pair) -> bool {
    let Bounds { min, max } = Bounds::of(&pair.triangle);
    (0..3).any(|k| min[k] == max[k] && [pair.within.min[k], pair.within.max[k]].contains(&min[k]))
}

#[test]
fn triangles_are_missed_where_they_meet_the_inside_and_nowhere_else() {
    let mut random = Random(7);
    let (mut missing, mut touching) = (0, 0);
    for _ in 0..100_000 {
        let pair = pair(&mut random);
        if is_flat(pair.within) {
            continue;
        }
        let meets = meets_inside(&pair.triangle, pair.within);
        let expected = if meets {
            Err(Fault::Missing {
                node: INNER,
                triangle: 0,
            })
        } else {
            Ok(())
        };
        assert!(!(meets && is_in_a_face(&pair)), "{pair:?}");
        assert_eq!(check_without(&pair), expected, "{pair:?}");
        missing += u32::from(meets);
        touching += u32::from(!meets);
    }
    assert!(
        missing > 20_000 && touching > 20_000,
        "{missing} {touching}"
    );
}

/// The box has the middle of the triangle, a corner, or what is along an edge.
#[test]
fn parts_down_to_a_millionth_of_a_triangle_are_found() {
    let mut random = Random(8);
    let mut found = [0; 7];
    for _ in 0..60_000 {
        let pair = pair(&mut random);
        if is_flat(pair.within) || is_in_a_face(&pair) {
            continue;
        }
        let Some(fraction) = fraction_inside(&pair.triangle, pair.within) else {
            continue;
        };
        if fraction < 1e-6 {
            continue;
        }
        let class = (-fraction.log10()).floor().clamp(0.0, 6.0) as usize;
        found[class] += 1;
        assert!(check_without(&pair).is_err(), "{fraction}: {pair:?}");
    }
    assert!(found[..6].iter().all(|&count| count > 20), "{found:?}");
}

/// The leaves below a node with their boxes.
fn leaves(nodes: &[Node], index: usize, within: Bounds, found: &mut Vec<(usize, Bounds)>) {
    let node = nodes[index];
    if node.is_leaf() {
        found.push((index, within));
        return;
    }
    let side = |above| within.side(node.axis(), node.position(), above);
    leaves(nodes, index + 1, side(false), found);
    leaves(nodes, node.right() as usize, side(true), found);
}

/// The tree without one of its references.
fn without(tree: &HostTree, reference: usize) -> HostTree {
    let mut tree = tree.clone();
    tree.references.remove(reference);
    for node in tree.nodes.iter_mut().filter(|node| node.is_leaf()) {
        let (first, count) = (node.first_reference() as usize, node.references());
        if first > reference {
            *node = Node::leaf(first as u32 - 1, count);
        } else if first + count as usize > reference {
            *node = Node::leaf(first as u32, count - 1);
        }
    }
    tree
}

/// In trees of shapes, every reference to a triangle that reaches into its leaf is needed.
#[test]
fn references_that_trees_of_shapes_lack_are_missed() {
    let cores = Cores::new(Some(1)).expect("a thread");
    let mut random = Random(9);
    let mut planted = 0;
    for _ in 0..12 {
        let variant = Variant {
            form: Form::draw(&mut random),
            quality: Quality::Balanced,
            builder: Builder::Cores,
        };
        let (triangles, _) = variant.form.triangles();
        let tree = variant.build(&cores, &triangles);
        let bounds = tree.bounds;
        let mut all = Vec::new();
        leaves(&tree.nodes, 0, bounds, &mut all);
        for _ in 0..100 {
            let (leaf, within) = all[random.below(all.len())];
            let (first, count) = (
                tree.nodes[leaf].first_reference(),
                tree.nodes[leaf].references(),
            );
            if count == 0 || is_flat(within) {
                continue;
            }
            let reference = first as usize + random.below(count as usize);
            let triangle = tree.references[reference];
            let pair = Pair {
                triangle: triangles[triangle as usize],
                within,
            };
            let fraction = fraction_inside(&pair.triangle, within);
            if is_in_a_face(&pair) || fraction.is_none_or(|fraction| fraction < 1e-6) {
                continue;
            }
            planted += 1;
            let lacking = without(&tree, reference);
            let found = check(&lacking.nodes, &lacking.references, &triangles, bounds);
            let missing = Fault::Missing {
                node: leaf,
                triangle,
            };
            assert_eq!(found, Err(missing), "{variant}");
        }
    }
    assert!(planted > 200, "{planted}");
}

/// A triangle as large as the scene, and small ones far away from it in its extent.
#[test]
fn what_is_small_in_its_scene_is_found() {
    let small: Triangle = [[1.0, 0.0, 0.0], [1.0, 1e-9, 0.0], [1.0 + 2e-7, 0.0, 1e-9]];
    let large: Triangle = [[-1e18, -1e18, 0.0], [1e18, -1e18, 0.0], [0.0, 1e18, 1.0]];
    let bounds = Bounds::of(&small);
    let scene = Bounds::of(&large).with(bounds.min).with(bounds.max);
    let plane = 1.0_f32.next_up();
    let nodes = [
        Node::interior(0, plane, 2),
        Node::leaf(0, 2),
        Node::leaf(2, 1),
    ];
    let faults = [0, 1].map(|only| check(&nodes, &[0, 1, only], &[small, large], scene));
    let missing = |triangle| Err(Fault::Missing { node: 2, triangle });
    assert_eq!(faults, [missing(1), missing(0)]);
}
