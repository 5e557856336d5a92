//! Trees in files: what is read is what was written, and nothing else is let through to a
//! traversal, whatever the bytes.

mod damage;
mod shelf;

use std::fs;

use glam::Vec3;
use heapwood::tree::{Damage, Options, Quality, TreeFile, TreeFileError};
use heapwood_scenes::{Scene, generate};
use shelf::{CHECKSUM, HEADER, Shelf, TREE_HASH, fnv1a, follow, forge, picture};

#[test]
fn trees_of_both_builders_come_back_from_one_file() {
    for (name, scene) in [
        ("knot", generate::knot()),
        ("courtyard", generate::courtyard()),
    ] {
        for options in [
            Options::default(),
            Options {
                max_depth: Some(7),
                clip: false,
                ..Options::of(Quality::Best)
            },
        ] {
            let shelf = Shelf::cores(scene.clone(), options);
            let by_kernels = Shelf::kernels(scene.clone(), options);
            assert_eq!(shelf.bytes, by_kernels.bytes, "{name}");
            assert_eq!(shelf.bytes.len() as u64, shelf.tree.file_bytes());
            let read = shelf.read(&shelf.bytes).expect("a tree");
            assert_eq!(read, shelf.tree);
            let costs = |options: &Options| {
                let costs = options.costs;
                [costs.traversal, costs.intersection, costs.empty_bonus]
            };
            assert_eq!(costs(&read.options), costs(&options));
            assert_eq!(read.options.max_depth, options.max_depth);
            assert_eq!(read.options.clip, options.clip);
            assert!(!read.options.bounded);
            assert_eq!(picture(&scene, &read), picture(&scene, &shelf.tree));
            follow(&read, scene.len());
        }
    }
}

#[test]
fn the_format_is_as_documented() {
    let shelf = Shelf::cores(generate::knot(), Options::default());
    let (bytes, tree) = (&shelf.bytes, &shelf.tree);
    let word = |at: usize| u32::from_ne_bytes(bytes[at..at + 4].try_into().expect("4 bytes"));
    let long = |at: usize| u64::from_ne_bytes(bytes[at..at + 8].try_into().expect("8 bytes"));
    assert_eq!(bytes[..8], *b"\x89hwtree\n");
    assert_eq!((word(8), word(12)), (0x0102_0304, 1));
    assert_eq!(
        (long(16), long(TREE_HASH)),
        (shelf.scene.input_hash(), tree.hash().0)
    );
    let counts = [32, 36, 40, 44, 92].map(word);
    let (nodes, references) = (tree.nodes.len(), tree.references.len());
    let expected = [shelf.scene.len(), nodes, references].map(|count| count as u32);
    assert_eq!(counts[..3], expected);
    assert_eq!(counts[3..], [shelf.tree.depth, shelf.tree.leaves]);
    let corners: Vec<f32> = (0..6).map(|at| f32::from_bits(word(48 + 4 * at))).collect();
    assert_eq!(corners[..3], shelf.tree.bounds.min);
    assert_eq!(corners[3..], shelf.tree.bounds.max);
    let costs = [72, 76, 80].map(|at| f32::from_bits(word(at)));
    assert_eq!(costs, [1.0, 2.0, 0.2]);
    assert_eq!((word(84), word(88)), (u32::MAX, 1));
    assert_eq!(long(CHECKSUM), fnv1a(&bytes[..CHECKSUM]));
    assert_eq!(word(HEADER), tree.nodes[0].first);
    assert_eq!(word(HEADER + 8 * nodes), tree.references[0]);
    let mut forged = bytes.clone();
    forge(&mut forged);
    assert_eq!(&forged, bytes);
}

#[test]
fn what_is_no_such_file_is_refused() {
    let shelf = Shelf::cores(generate::knot(), Options::default());
    let changed = |at: usize, with: &[u8]| {
        let mut bytes = shelf.bytes.clone();
        bytes[at..at + with.len()].copy_from_slice(with);
        forge(&mut bytes);
        bytes
    };
    assert_eq!(shelf.damage(b""), Damage::NoTree);
    assert_eq!(shelf.damage(b"v 0 0 0\n"), Damage::NoTree);
    assert_eq!(shelf.damage(&shelf.bytes[1..]), Damage::NoTree);
    let other_order = changed(8, &0x0403_0201_u32.to_ne_bytes());
    assert_eq!(shelf.damage(&other_order), Damage::ByteOrder);
    let later = changed(12, &2_u32.to_ne_bytes());
    let expected = Damage::Version {
        version: 2,
        known: 1,
    };
    assert_eq!(shelf.damage(&later), expected);
    for (at, value, what) in [
        (32, 0, "number of triangles"),
        (32, u32::MAX, "number of triangles"),
        (36, 0, "number of nodes"),
        (36, u32::MAX, "number of nodes"),
        (44, 97, "too deep"),
        (48, f32::NAN.to_bits(), "no box"),
        (60, f32::INFINITY.to_bits(), "no box"),
        (60, (-1e9_f32).to_bits(), "no box"),
        (76, f32::NAN.to_bits(), "cost"),
        (84, 97, "too deep"),
        (88, 4, "flags"),
        (92, 3, "leaves or depth"),
        (44, 3, "leaves or depth"),
        (32, 3, "triangles or bounds"),
        (60, 1e9_f32.to_bits(), "triangles or bounds"),
    ] {
        let damage = shelf.damage(&changed(at, &value.to_ne_bytes()));
        let is_header = matches!(damage, Damage::Header(_));
        assert!(is_header && damage.to_string().contains(what), "{damage}");
    }
    for (at, count) in [(36, 1), (36, (1 << 30) - 1), (40, 0), (40, u32::MAX)] {
        let damage = shelf.damage(&changed(at, &u32::to_ne_bytes(count)));
        assert!(matches!(damage, Damage::Length { .. }), "{damage}");
    }

    let folder = TreeFile::open(shelf.folder.path()).map(drop);
    assert!(matches!(folder, Err(TreeFileError::NoFile { .. })));
    let absent = TreeFile::open(&shelf.folder.path().join("absent")).map(drop);
    assert!(matches!(absent, Err(TreeFileError::Read { .. })));
}

#[test]
fn a_tree_is_of_its_scene_alone() {
    let shelf = Shelf::cores(generate::knot(), Options::default());
    fs::write(shelf.path(), &shelf.bytes).expect("a file");
    let mut moved: Vec<[Vec3; 3]> = (0..shelf.scene.len())
        .map(|triangle| shelf.scene.triangle(triangle))
        .collect();
    moved[7].swap(0, 1);
    for other in [
        generate::courtyard(),
        Scene::from_triangles("moved", &moved),
    ] {
        let file = TreeFile::open(&shelf.path()).expect("a tree");
        let error = file.tree(&other).map(drop).expect_err("another scene");
        let line = error.to_string();
        assert!(line.contains("was built from another scene"), "{line}");
    }
}
