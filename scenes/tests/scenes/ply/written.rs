//! PLY files as programs write them, and the warnings about what they leave in them.

use super::{CORNERS, FACES, binary, header, text};
use heapwood_scenes::{CleanOptions, read_ply};

/// The triangles of the file after an edit, and the warnings.
fn edited(from: &str, to: &str) -> (usize, usize, Vec<String>) {
    let file = String::from_utf8(text()).unwrap();
    assert!(file.contains(from), "{from}");
    let file = file.replacen(from, to, 1);
    let loaded = read_ply("in.ply", file.into(), CleanOptions::default()).unwrap();
    let warnings = loaded.warnings.iter().map(ToString::to_string);
    let warnings = warnings.filter(|line| line != "in.ply: not read: vertex.red");
    (
        loaded.report.kept,
        loaded.report.non_finite,
        warnings.collect(),
    )
}

#[test]
fn headers_and_lines_are_read_as_programs_write_them() {
    let none = Vec::<String>::new();
    for (from, to) in [
        ("ply\n", "ply \n"),
        ("ply\n", "ply\t\r\n"),
        ("comment of a test", ""),
        ("comment of a test", "obj_info num_cols 512\ncomment"),
        ("element vertex", "  element\tvertex"),
        ("property float x", "property float32 x"),
        ("end_header\n", "end_header\n\n"),
        ("0 1 0.25 255\n", "0 1 0.25 255 \n\n \n"),
        ("0 1 0.25 255\n", "0 1\n0.25 255\n"),
        ("0 1 0.25 255\n", "\t0 1. .25 +255\n"),
        ("1 1 0 255", "0x1p0 1e0 -0 255.0"),
    ] {
        assert_eq!(edited(from, to), (3, 0, none.clone()), "{to:?}");
    }
    // Latin-1, and lines of old Macs.
    let latin = String::from_utf8(text())
        .unwrap()
        .replace("of a test", "gr\u{fc}n");
    let latin: Vec<u8> = latin.chars().map(|letter| letter as u8).collect();
    assert_eq!(
        read_ply("s", latin, CleanOptions::default())
            .unwrap()
            .scene
            .len(),
        3
    );
    let mac = String::from_utf8(text()).unwrap().replace('\n', "\r");
    assert_eq!(
        read_ply("s", mac.into(), CleanOptions::default())
            .unwrap()
            .scene
            .len(),
        3
    );
    // A binary file's header is followed by a number, whatever byte that begins with.
    let mut bytes = binary(true);
    let header = header("binary_big_endian", CORNERS.len(), FACES.len());
    bytes[header.len()..header.len() + 4]
        .copy_from_slice(&f32::from_bits(0x0a0d_0a0d).to_be_bytes());
    assert_eq!(
        read_ply("s", bytes, CleanOptions::default())
            .unwrap()
            .scene
            .len(),
        3
    );
}

#[test]
fn triangles_with_vertices_that_are_not_finite_are_left_out_and_counted() {
    for word in [
        "nan",
        "-nan(ind)",
        "inf",
        "-Infinity",
        "1.#QNAN",
        "1.#INF",
        "2e300",
        "1.1e18",
    ] {
        let (kept, non_finite, warnings) = edited("2 2 2 255", &format!("2 {word} 2 255"));
        assert_eq!((kept, non_finite), (2, 1), "{word}");
        let expected = "in.ply:16: coordinates that are not finite or beyond 1e18, of 1 vertices; \
                        triangles with them are left out";
        assert_eq!(warnings, [expected], "{word}");
    }
    // A vertex that no face uses, and one of a polygon.
    let file = String::from_utf8(text())
        .unwrap()
        .replace("vertex 5", "vertex 6");
    let file = file.replace("2 2 2 255\n", "2 2 2 255\nnan nan nan 255\n");
    let loaded = read_ply("in.ply", file.into(), CleanOptions::default()).unwrap();
    assert_eq!((loaded.report.kept, loaded.report.non_finite), (3, 0));
    let (kept, non_finite, warnings) = edited("0 1 0.25 255", "0 nan 0.25 255");
    assert_eq!(
        (kept, non_finite, warnings.len()),
        (2, 1, 1),
        "{warnings:?}"
    );
    // In binary the bits are the number.
    let mut bytes = binary(false);
    let at = header("binary_little_endian", CORNERS.len(), FACES.len()).len() + 4 * 17;
    bytes[at..at + 4].copy_from_slice(&f32::NAN.to_le_bytes());
    let loaded = read_ply("s", bytes, CleanOptions::default()).unwrap();
    assert_eq!((loaded.report.kept, loaded.report.non_finite), (2, 1));
}

#[test]
fn faces_of_fewer_than_three_corners_are_skipped_with_a_warning() {
    let faces = "element face 5";
    let file = String::from_utf8(text())
        .unwrap()
        .replace("element face 2", faces);
    let file = file.replace("3 2 1 4\n", "0\n1 0\n2 0 1\n3 2 1 4\n");
    let loaded = read_ply("in.ply", file.into(), CleanOptions::default()).unwrap();
    assert_eq!(loaded.scene.len(), 3);
    assert_eq!(
        loaded.warnings[1].to_string(),
        "in.ply:18: faces of fewer than 3 corners; 3 skipped"
    );
}

#[test]
fn what_is_left_over_is_a_warning() {
    let file = [text(), b"3 0 1 2\n".to_vec()].concat();
    let loaded = read_ply("in.ply", file, CleanOptions::default()).unwrap();
    let lines: Vec<_> = loaded.warnings.iter().map(ToString::to_string).collect();
    let expected = "in.ply: not read: vertex.red, 7 bytes after the last element";
    assert_eq!(lines, [expected]);
}
