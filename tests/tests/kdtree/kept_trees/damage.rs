//! Trees that are damaged, or forged with the right checksums.

use std::sync::OnceLock;

use glam::Vec3;
use heapwood::tree::{Damage, HostTree, Options, Quality};
use heapwood_device::kdtree::node::Node;
use heapwood_device::render::Bounds;
use heapwood_scenes::{Scene, generate};
use proptest::prelude::*;

use super::shelf::{HEADER, Shelf, follow, forge, picture};

/// A scene of one triangle, and a tree whose left leaf is so deep.
fn chain(depth: u32) -> Shelf {
    let scene = Scene::from_triangles("one", &[[Vec3::ZERO, Vec3::X, Vec3::Y]]);
    let plane = |above: u32| 0.5_f32.powi(above as i32 + 1);
    let interior = (0..depth).map(|above| Node::interior(0, plane(above), 2 * depth - above));
    let mut nodes: Vec<Node> = interior.collect();
    nodes.push(Node::leaf(0, 1));
    nodes.extend((0..depth).map(|_| Node::leaf(1, 0)));
    let tree = HostTree {
        nodes,
        references: vec![0],
        bounds: Bounds {
            min: [0.0; 3],
            max: [1.0, 1.0, 0.0],
        },
        leaves: depth + 1,
        // The header cannot say more.
        depth: depth.min(96),
        options: Options::default(),
    };
    Shelf::of(scene, tree)
}

#[test]
fn a_tree_may_be_as_deep_as_a_traversal() {
    let deepest = chain(96);
    let read = deepest.read(&deepest.bytes).expect("a tree");
    assert_eq!((read.depth, read.leaves), (96, 97));
    let too_deep = chain(97);
    let damage = too_deep.damage(&too_deep.bytes);
    let expected = Damage::Node {
        node: 97,
        what: "too deep",
    };
    assert_eq!(damage, expected);
}

#[test]
fn no_index_is_trusted() {
    let shelf = Shelf::cores(generate::knot(), Options::default());
    let tree = &shelf.tree;
    assert!(!tree.nodes[0].is_leaf() && !tree.nodes[1].is_leaf());
    let leaf = tree
        .nodes
        .iter()
        .position(|node| node.references() > 1 && node.is_leaf());
    let leaf = leaf.expect("a leaf of several triangles");
    let (first, count) = (
        tree.nodes[leaf].first_reference(),
        tree.nodes[leaf].references(),
    );
    let root = tree.nodes[0];
    let rooted = |axis, plane, right| {
        shelf.changed(|tree| tree.nodes[0] = Node::interior(axis, plane, right))
    };
    let leafed = |first, count| shelf.changed(|tree| tree.nodes[leaf] = Node::leaf(first, count));
    let (axis, plane, right) = (root.axis(), root.position(), root.right());
    let count_of_nodes = tree.nodes.len() as u32;
    let (least, most) = (shelf.tree.bounds.min, shelf.tree.bounds.max);
    let order = "not in depth-first order";
    let inside = "its plane is not within its box";
    let behind = "its references are not behind those of the leaf before";
    for (wrong, what) in [
        // A cycle, two ways to a node, a way past a node, and a way out.
        (rooted(axis, plane, 0), order),
        (rooted(axis, plane, 1), order),
        (rooted(axis, plane, right + 1), order),
        (rooted(axis, plane, count_of_nodes), order),
        (rooted(axis, plane, u32::MAX >> 2), order),
        (rooted(axis, f32::NAN, right), inside),
        (rooted(axis, f32::INFINITY, right), inside),
        (rooted(axis, least[axis as usize], right), inside),
        (rooted(axis, most[axis as usize], right), inside),
        (leafed(first + 1, count), behind),
        (leafed(first, count - 1), behind),
        (leafed(u32::MAX, count), behind),
        (
            leafed(first, u32::MAX >> 2),
            "its references are not in the tree",
        ),
        (
            shelf.changed(|tree| tree.references.swap(first as usize, first as usize + 1)),
            "its references do not ascend",
        ),
        (
            shelf.changed(|tree| {
                let last = (first + count - 1) as usize;
                tree.references[last] = shelf.scene.len() as u32;
            }),
            "it refers to no triangle",
        ),
        // The last right child is missing.
        (
            shelf.changed(|tree| tree.nodes.truncate(tree.nodes.len() - 1)),
            "not in the tree",
        ),
    ] {
        match shelf.damage_of(&wrong) {
            Damage::Node { what: found, .. } => assert_eq!(found, what),
            other => panic!("{other}, and not {what}"),
        }
    }
    let more = shelf.changed(|tree| tree.nodes.push(Node::leaf(0, 0)));
    assert!(matches!(shelf.damage_of(&more), Damage::Tree(_)));
    let more = shelf.changed(|tree| tree.references.push(0));
    assert!(matches!(shelf.damage_of(&more), Damage::Tree(_)));
}

/// A word that a forger would choose, or any.
fn word() -> impl Strategy<Value = u32> {
    prop_oneof![
        prop::sample::select(vec![
            0,
            1,
            2,
            3,
            4,
            7,
            u32::MAX,
            u32::MAX - 3,
            f32::NAN.to_bits(),
            f32::INFINITY.to_bits(),
            (-0.0_f32).to_bits(),
            1_f32.to_bits(),
        ]),
        0..5000_u32,
        any::<u32>(),
    ]
}

/// A small tree to be changed, in a folder of its own.
fn small() -> Shelf {
    static BUILT: OnceLock<(Scene, HostTree)> = OnceLock::new();
    let (scene, tree) = BUILT.get_or_init(|| {
        let shelf = Shelf::cores(generate::cornell(), Options::of(Quality::Best));
        assert!(shelf.tree.nodes.len() > 20);
        (shelf.scene, shelf.tree)
    });
    Shelf::of(scene.clone(), tree.clone())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_changed_byte_is_found(at in any::<prop::sample::Index>(), change in 1..=u8::MAX) {
        let shelf = small();
        let mut bytes = shelf.bytes.clone();
        let at = at.index(bytes.len());
        bytes[at] ^= change;
        let error = shelf.read(&bytes).map(drop).expect_err("damage");
        prop_assert!(!error.to_string().contains('\n'));
    }

    #[test]
    fn a_file_cut_off_or_longer_is_found(length in any::<prop::sample::Index>(), more in 1..64_usize) {
        let shelf = small();
        let length = length.index(shelf.bytes.len());
        prop_assert!(shelf.read(&shelf.bytes[..length]).is_err());
        let longer = [&shelf.bytes[..], &vec![0; more]].concat();
        prop_assert!(shelf.read(&longer).is_err());
    }

    #[test]
    fn forged_words_are_found_or_harmless(
        words in prop::collection::vec((any::<prop::sample::Index>(), word()), 1..4),
        is_header in any::<bool>(),
    ) {
        let shelf = small();
        let mut bytes = shelf.bytes.clone();
        let range = if is_header { 0..HEADER } else { HEADER..bytes.len() };
        for (at, word) in words {
            let at = range.start + 4 * at.index(range.len() / 4);
            bytes[at..at + 4].copy_from_slice(&word.to_ne_bytes());
        }
        forge(&mut bytes);
        match shelf.read(&bytes) {
            Err(error) => prop_assert!(!error.to_string().contains('\n')),
            Ok(kept) => {
                follow(&kept, shelf.scene.len());
                picture(&shelf.scene, &kept);
            }
        }
    }

    #[test]
    fn forged_planes_are_found_or_harmless(at in any::<prop::sample::Index>(), part in -0.5..1.5_f32) {
        let shelf = small();
        let interior: Vec<usize> = (0..shelf.tree.nodes.len())
            .filter(|node| !shelf.tree.nodes[*node].is_leaf())
            .collect();
        let node = interior[at.index(interior.len())];
        let Bounds { min, max } = shelf.tree.bounds;
        let forged = shelf.changed(|tree| {
            let was = tree.nodes[node];
            let side = was.axis() as usize;
            let plane = min[side] + part * (max[side] - min[side]);
            tree.nodes[node] = Node::interior(was.axis(), plane, was.right());
        });
        let mut bytes = Vec::new();
        forged.write(shelf.scene.input_hash(), shelf.scene.len() as u32, &mut bytes).unwrap();
        if let Ok(kept) = shelf.read(&bytes) {
            follow(&kept, shelf.scene.len());
            picture(&shelf.scene, &kept);
        }
    }
}
