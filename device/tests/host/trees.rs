//! Small trees, right and wrong: the check tells which, and the cost is known.

use heapwood_device::kdtree::bounds::{Bounds, Triangle};
use heapwood_device::kdtree::check::{Fault, check};
use heapwood_device::kdtree::metrics::sah_cost;
use heapwood_device::kdtree::node::Node;
use heapwood_device::kdtree::sah::Costs;

const BOUNDS: Bounds = Bounds {
    min: [0.0; 3],
    max: [4.0, 1.0, 1.0],
};

/// A triangle from one x to another.
fn along(from: f32, to: f32) -> Triangle {
    [[from, 0.0, 0.0], [to, 0.5, 0.0], [from, 0.0, 1.0]]
}

/// Leaves 1, 3 and 4, split at 1 and at 3, with these references each.
fn nodes(counts: [u32; 3]) -> [Node; 5] {
    let [first, second, third] = counts;
    [
        Node::interior(0, 1.0, 2),
        Node::leaf(0, first),
        Node::interior(0, 3.0, 4),
        Node::leaf(first, second),
        Node::leaf(first + second, third),
    ]
}

/// Checks the tree over one triangle in each leaf, and one in all.
fn fault(leaves: [&[u32]; 3]) -> Option<Fault> {
    let triangles = [
        along(0.0, 0.5),
        along(1.5, 2.5),
        along(3.5, 4.0),
        along(0.5, 3.5),
    ];
    let nodes = nodes(leaves.map(|leaf| leaf.len() as u32));
    check(&nodes, &leaves.concat(), &triangles, BOUNDS).err()
}

#[test]
fn a_leaf_has_each_triangle_that_reaches_into_it() {
    assert_eq!(fault([&[0, 3], &[1, 3], &[2, 3]]), None);
    // More than is needed.
    assert_eq!(fault([&[0, 1, 3], &[1, 3], &[2, 3]]), None);
    let missing = |node, triangle| Some(Fault::Missing { node, triangle });
    assert_eq!(fault([&[3], &[1, 3], &[2, 3]]), missing(1, 0));
    assert_eq!(fault([&[0, 3], &[3], &[2, 3]]), missing(3, 1));
    assert_eq!(fault([&[0, 3], &[1, 3], &[3]]), missing(4, 2));
    for (leaf, node) in [(0, 1), (1, 3), (2, 4)] {
        let mut leaves: [&[u32]; 3] = [&[0, 3], &[1, 3], &[2, 3]];
        leaves[leaf] = &leaves[leaf][..1];
        assert_eq!(fault(leaves), missing(node, 3));
    }
}

#[test]
fn a_triangle_in_a_plane_is_on_one_of_its_sides() {
    let missing = |node| Some(Fault::Missing { node, triangle: 0 });
    let fault = |x, counts| {
        let references = [0_u32, 0];
        let references = &references[..counts_sum(counts)];
        check(&nodes(counts), references, &[along(x, x)], BOUNDS).err()
    };
    assert_eq!(fault(1.0, [1, 0, 0]), None);
    assert_eq!(fault(1.0, [0, 1, 0]), None);
    assert_eq!(fault(1.0, [0, 0, 0]), missing(0));
    assert_eq!(fault(3.0, [0, 1, 0]), None);
    assert_eq!(fault(3.0, [0, 0, 1]), None);
    assert_eq!(fault(3.0, [1, 0, 0]), missing(2));
}

fn counts_sum(counts: [u32; 3]) -> usize {
    counts.iter().sum::<u32>() as usize
}

#[test]
fn nodes_and_references_are_in_order_and_splits_inside() {
    let malformed = |node| Err(Fault::Malformed { node });
    let bad = |node| Err(Fault::BadReferences { node });
    let triangles = [along(0.0, 4.0); 3];
    let check = |nodes: &[Node], references: &[u32]| check(nodes, references, &triangles, BOUNDS);
    let all = [0, 1, 2];
    let tree = |split: f32, right, first, count| {
        [
            Node::interior(0, split, right),
            Node::leaf(0, 3),
            Node::leaf(first, count),
        ]
    };
    let six = [all, all].concat();
    assert_eq!(check(&tree(1.0, 2, 3, 3), &six), Ok(()));
    // Splits in the faces of the box, and beyond.
    for split in [0.0, 4.0, -1.0, 5.0, f32::NAN] {
        assert_eq!(check(&tree(split, 2, 3, 3), &six), malformed(0), "{split}");
    }
    // Another right child, other references, too many, and some that no leaf has.
    assert_eq!(check(&tree(1.0, 1, 3, 3), &six), malformed(1));
    assert_eq!(check(&tree(1.0, 2, 0, 3), &six), malformed(2));
    assert_eq!(check(&tree(1.0, 2, 3, 4), &six), malformed(2));
    assert_eq!(check(&tree(1.0, 2, 3, 2), &six), malformed(3));
    assert_eq!(
        check(&[Node::leaf(0, 3), Node::leaf(3, 0)], &all),
        malformed(1)
    );
    // Not ascending, twice, and no triangle.
    for references in [[0, 2, 1], [0, 1, 1], [0, 1, 3]] {
        assert_eq!(check(&[Node::leaf(0, 3)], &references), bad(0));
    }
}

#[test]
fn the_cost_is_weighted_by_areas() {
    let costs = Costs {
        traversal: 1.0,
        intersection: 5.0,
        empty_bonus: 0.5,
    };
    // Half the surface of a box of length x is 2 x + 1: 9 of the root, 7 of its right
    // child, 3, 5 and 3 of the leaves.
    let cost = sah_cost(&nodes([1, 2, 0]), BOUNDS, costs);
    let expected = (9.0 + 7.0 + 5.0 * (3.0 + 2.0 * 5.0)) / 9.0;
    assert!((cost - expected).abs() < 1e-12, "{cost}");
}
