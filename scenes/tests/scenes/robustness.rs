//! No bytes make the reader panic, and what it accepts keeps its promises.

use crate::sound::{assert_sound, mutated, mutations};
use heapwood_scenes::{CleanOptions, SceneError, generate, read_obj, write_obj};
use proptest::prelude::*;

/// Reads the bytes with a library of the same bytes; checks what is accepted.
fn survives(bytes: Vec<u8>) {
    let library = bytes.clone();
    let options = CleanOptions::default();
    let read = read_obj("any", bytes, |_| Ok(library.clone()), options);
    let parser = matches!(read, Err(SceneError::Parser { .. }));
    assert!(!parser, "the scan lets nothing through");
    if let Some(scene) = assert_sound(read) {
        assert!(!scene.is_empty());
        let positions = scene.positions();
        let mut coordinates = positions.iter().flatten().flat_map(|v| v.to_array());
        assert!(coordinates.all(|c| c.to_bits() != (-0.0f32).to_bits()));
    }
}

/// Words that reach deep into the reader.
fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(vec![
            "v", "f", "vt", "vn", "l", "p", "o", "g", "s", "usemtl", "mtllib", "newmtl", "Kd",
            "Ks", "Ke", "Ka", "Ns", "d", "map_Kd", "illum", "#", "\\", "\n", "\n", "\n", "\r",
            "\t", "a.mtl", "1//1", "1/2/3", "-1/-1", "/", "1/", "nan", "inf", "-0", "1e38",
            "1e-45", "é", "\u{a0}", "\u{85}", "\u{2028}", "0", "1", "2", "3", "-1", "-2",
            "9223372036854775807", "-9223372036854775808", "4294967297", "18446744073709551616",
        ]).prop_map(str::to_owned),
        1 => any::<i64>().prop_map(|n| n.to_string()),
        1 => any::<f32>().prop_map(|x| x.to_string()),
    ]
}

fn small_scene() -> Vec<u8> {
    let mut text = b"mtllib a.mtl\nnewmtl a\nKd 1 0.5 0\nusemtl a\n".to_vec();
    let mut knot = Vec::new();
    write_obj(&generate::terrain(1), None, &mut knot).unwrap();
    let faces = String::from_utf8(knot).unwrap();
    let lines = faces.lines().filter(|l| l.starts_with('v')).take(40);
    text.extend(lines.flat_map(|l| format!("{l}\n").into_bytes()));
    text.extend(b"vn 0 1 0\nvn 0.6 0.8 0\nvn 0 1 1\nvn 1 1 -1\n");
    text.extend(b"f 1 2 35\nf 3//3 4//4 36//2 5//-1\ng x\nf -1 -2 -40\n");
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        survives(bytes);
    }

    #[test]
    fn random_bytes_after_the_gzip_magic(bytes in prop::collection::vec(any::<u8>(), 0..500)) {
        survives([&[0x1f, 0x8b, 8][..], &bytes].concat());
    }

    #[test]
    fn random_words(words in prop::collection::vec(word(), 0..300)) {
        survives(words.join(" ").into_bytes());
    }

    #[test]
    fn faces_over_few_vertices(
        corners in prop::collection::vec((-3i32..3, -3i32..3, -3i32..3), 1..8),
        faces in prop::collection::vec(prop::collection::vec(-9i32..9, 0..6), 0..20),
    ) {
        let mut text = String::new();
        for (x, y, z) in corners {
            text += &format!("v {x} {y} {z}\n");
        }
        for face in faces {
            let words: Vec<String> = face.iter().map(i32::to_string).collect();
            text += &format!("f {}\n", words.join(" "));
        }
        survives(text.into_bytes());
    }

    #[test]
    fn mutated_files(mutations in mutations()) {
        mutated(small_scene(), mutations).into_iter().for_each(survives);
    }
}

#[test]
fn the_unmutated_file_is_accepted() {
    let options = CleanOptions::default();
    let loaded = read_obj("small", small_scene(), |_| Ok(small_scene()), options).unwrap();
    assert_eq!(loaded.report.read, 4);
    assert_eq!(loaded.scene.materials()[0].name, "a");
}

#[test]
fn long_repetitions_are_read_in_linear_time() {
    // Quadratic work would take minutes here.
    for (start, part) in [
        ("", "\\\n"),
        ("mtllib ", "a.mtl "),
        ("f", " 1"),
        ("g", " a"),
        ("", "g a\n"),
    ] {
        let text = start.to_owned() + &part.repeat(500_000);
        survives(text.into_bytes());
    }
}
