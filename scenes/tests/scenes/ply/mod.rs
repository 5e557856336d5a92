//! PLY files: text and both byte orders, what is refused and how, and no bytes that make the
//! reader panic.

mod written;

use crate::sound::{assert_sound, mutated, mutations};
use heapwood_scenes::{CleanOptions, generate, load, read_ply, write_obj};
use proptest::prelude::*;

/// The start of a file with so many vertices and faces, of the first property of a position's
/// type.
fn header(format: &str, vertices: usize, faces: usize) -> String {
    format!(
        "ply\nformat {format} 1.0\ncomment of a test\nelement vertex {vertices}\n\
         property float x\nproperty double y\nproperty float z\nproperty uchar red\n\
         element face {faces}\nproperty list uchar int vertex_indices\nend_header\n"
    )
}

/// A square of two faces, one of them a quadrilateral.
const CORNERS: [[f32; 3]; 5] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.5],
    [1.0, 1.0, 0.0],
    [0.0, 1.0, 0.25],
    [2.0, 2.0, 2.0],
];
const FACES: [&[i32]; 2] = [&[0, 1, 2, 3], &[2, 1, 4]];

fn text() -> Vec<u8> {
    let mut text = header("ascii", CORNERS.len(), FACES.len());
    for [x, y, z] in CORNERS {
        text += &format!("{x} {y} {z} 255\n");
    }
    for face in FACES {
        let words: Vec<String> = face.iter().map(i32::to_string).collect();
        text += &format!("{} {}\n", face.len(), words.join(" "));
    }
    text.into_bytes()
}

/// The text with normals in place of a colour.
fn smooth_text() -> Vec<u8> {
    let text = String::from_utf8(text()).unwrap();
    let text = text.replace(
        "property uchar red\n",
        "property float nx\nproperty short ny\nproperty double nz\n",
    );
    text.replace(" 255\n", " 0.5 -1 2\n").into_bytes()
}

fn binary(is_big: bool) -> Vec<u8> {
    let format = if is_big {
        "binary_big_endian"
    } else {
        "binary_little_endian"
    };
    let mut bytes = header(format, CORNERS.len(), FACES.len()).into_bytes();
    let mut put = |mut little: Vec<u8>| {
        if is_big {
            little.reverse();
        }
        bytes.extend(little);
    };
    for [x, y, z] in CORNERS {
        put(x.to_le_bytes().to_vec());
        put(f64::from(y).to_le_bytes().to_vec());
        put(z.to_le_bytes().to_vec());
        put(vec![255]);
    }
    for face in FACES {
        put(vec![face.len() as u8]);
        face.iter()
            .for_each(|corner| put(corner.to_le_bytes().to_vec()));
    }
    bytes
}

fn refusal(bytes: impl Into<Vec<u8>>) -> String {
    let error = read_ply("in.ply", bytes.into(), CleanOptions::default()).unwrap_err();
    let message = error.to_string();
    assert!(!message.contains('\n'), "{message}");
    message
}

#[test]
fn all_encodings_give_the_same_triangles() {
    let expected = read_ply("s", text(), CleanOptions::default()).unwrap();
    assert_eq!(expected.scene.len(), 3);
    let corner = |at: usize| glam::Vec3::from_array(CORNERS[at]);
    assert_eq!(expected.scene.triangle(0), [0, 1, 2].map(corner));
    assert_eq!(expected.scene.triangle(1), [0, 2, 3].map(corner));
    let warnings: Vec<String> = expected.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(warnings, ["s: not read: vertex.red"]);
    for bytes in [binary(false), binary(true)] {
        let loaded = read_ply("s", bytes, CleanOptions::default()).unwrap();
        assert_eq!(loaded.scene.positions(), expected.scene.positions());
    }
}

#[test]
fn files_are_told_apart_by_their_start() {
    let folder = tempfile::tempdir().unwrap();
    // A name does not decide, nor does compression.
    let path = folder.path().join("scan.obj.gz");
    std::fs::write(&path, heapwood_files::compress(&binary(true)).unwrap()).unwrap();
    let loaded = load(&path, CleanOptions::default()).unwrap();
    assert_eq!((loaded.scene.name(), loaded.scene.len()), ("scan", 3));
    // An OBJ file whose text begins with the letters.
    let path = folder.path().join("x.ply");
    std::fs::write(&path, "plywood\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    assert_eq!(load(&path, CleanOptions::default()).unwrap().scene.len(), 1);
}

#[test]
fn strips_turn_every_second_triangle() {
    let mut file = String::from(
        "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\n\
         property float z\nelement tristrips 1\nproperty list int int vertex_indices\nend_header\n",
    );
    for [x, y, z] in CORNERS {
        file += &format!("{x} {y} {z}\n");
    }
    file += "8 0 1 3 2 -1 2 1 4\n";
    let loaded = read_ply("s", file.into(), CleanOptions::default()).unwrap();
    let corner = |at: usize| glam::Vec3::from_array(CORNERS[at]);
    let expected = [[0, 1, 3], [3, 1, 2], [2, 1, 4]].map(|corners| corners.map(corner));
    assert_eq!(loaded.scene.positions(), expected);
}

#[test]
fn what_is_wrong_is_said_in_a_line() {
    let file = String::from_utf8(text()).unwrap();
    let cut = file.len() - 8;
    for (bytes, expected) in [
        (
            file.replace("0 1 2 3", "0 1 2 9"),
            "in.ply:17: vertex index 9 of face 0 is out of range",
        ),
        (
            file.replace("0 1 2 3", "0 1 2 -1"),
            "vertex index -1 of face 0",
        ),
        (
            file.replace("0 1 2 3", "0 1 2 3.5"),
            "in.ply:17: `3.5` is not a whole number",
        ),
        (
            file.replace("2 2 2 255", "2 two 2 255"),
            "in.ply:16: `two` is not a number",
        ),
        (
            file.replace("2 2 2 255", "2 0,5 2 255"),
            "in.ply:16: `0,5` is not a number",
        ),
        (
            file.replace("2 2 2 255", "2 2 2 255 7"),
            "in.ply:16: the line has more numbers than the header gives an element `vertex`",
        ),
        (
            file.replace("3 2 1 4", "-3 2 1 4"),
            "in.ply:18: a list of -3 numbers in element `face`",
        ),
        (
            file[..cut].to_owned(),
            "in.ply:18: the file ends before the elements that its header promises",
        ),
        (
            file.replace("float z", "float w"),
            "no element `vertex` with numbers x, y and z",
        ),
        (
            file.replace("face 2", "face 4000000000"),
            "4000000000 elements `face` in ",
        ),
        (
            file.replace("uchar int vertex", "uchar float vertex"),
            "vertex_indices",
        ),
        (
            file.replace("format ascii", "format utf8"),
            "in.ply:2: `format utf8 1.0` is not understood; export the file again",
        ),
        (
            file.replace("property float x", "property half x"),
            "in.ply:5: `property half x` is not understood",
        ),
        (
            file.replace("format ascii 1.0\n", ""),
            "the header has no line `format`",
        ),
        (header("ascii", 0, 0), "no triangles"),
        (
            header("ascii", 1, 0) + "0 0 0 255\n",
            "no triangles: 1 vertices without faces are a point cloud; only meshes are read",
        ),
        (
            header("ascii", 1, 0).replace("uchar red", "float f_dc_0") + "0 0 0 1\n",
            "1 vertices without faces are Gaussian splats",
        ),
        ("ply\n".to_owned(), "in.ply:2: "),
    ] {
        let message = refusal(bytes.clone());
        assert!(message.contains(expected), "{expected}: {message}");
    }
    let mut short = binary(false);
    short.truncate(short.len() - 3);
    let message = refusal(short);
    assert!(message.starts_with("in.ply: "), "{message}");
}

#[test]
fn the_first_face_that_crosses_itself_is_named() {
    let text = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n\
        property float z\nelement face 3\nproperty list uchar int vertex_indices\nend_header\n\
        0 0 0\n4 0 0\n0 4 0\n4 4 0\n3 0 1 2\n4 0 1 2 3\n4 0 3 1 2\n";
    let loaded = read_ply("in.ply", text.into(), CleanOptions::default()).unwrap();
    let warnings: Vec<_> = loaded.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    let expected = "in.ply: from face 1 on, 2 polygons cross themselves";
    assert!(warnings[0].starts_with(expected), "{warnings:?}");
}

#[test]
fn a_scene_is_the_same_from_both_formats() {
    let knot = generate::by_name("knot").unwrap();
    let mut obj = Vec::new();
    write_obj(&knot, None, &mut obj).unwrap();
    let text = String::from_utf8(obj).unwrap();
    let lines = |start: &str| -> Vec<&str> {
        text.lines()
            .filter_map(|line| line.strip_prefix(start))
            .collect()
    };
    let (vertices, faces) = (lines("v "), lines("f "));
    let mut ply = format!(
        "ply\r\nformat ascii 1.0\r\nelement vertex {}\r\nproperty float x\r\nproperty float y\r\n\
         property float z\r\nelement face {}\r\nproperty list uint uint vertex_index\r\n\
         end_header\r\n",
        vertices.len(),
        faces.len()
    );
    vertices
        .iter()
        .for_each(|vertex| ply += &format!("{vertex}\r\n"));
    for face in faces {
        let corners = face.split(' ').map(|corner| {
            let index = corner.split('/').next().unwrap_or_default();
            (index.parse::<u32>().unwrap() - 1).to_string()
        });
        let corners: Vec<String> = corners.collect();
        ply += &format!("{} {}\r\n", corners.len(), corners.join(" "));
    }
    let loaded = read_ply("knot", ply.into(), CleanOptions::default()).unwrap();
    let (expected, _) = knot.clean(CleanOptions::default()).unwrap();
    assert_eq!(loaded.scene.input_hash(), expected.input_hash());
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
}

fn survives(bytes: Vec<u8>) {
    assert_sound(read_ply("any", bytes, CleanOptions::default()));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_files(
        kind in 0..4,
        mutations in mutations(),
    ) {
        let bytes = match kind {
            0 => text(),
            1 => smooth_text(),
            2 => binary(false),
            _ => binary(true),
        };
        mutated(bytes, mutations).into_iter().for_each(survives);
    }

    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..500), kind in 0..3_usize) {
        let start = [&text()[..], &binary(false), &binary(true)][kind].to_vec();
        let header = b"end_header\n";
        let end = start.windows(header.len()).position(|part| part == header);
        let end = end.map_or(4, |end| end + header.len());
        survives([&start[..end], &bytes].concat());
        survives([b"ply\n", &bytes[..]].concat());
    }

    #[test]
    fn random_words(words in prop::collection::vec(prop::sample::select(vec![
        "ply\n", "format ascii 1.0\n", "format binary_little_endian 1.0\n", "element vertex 2\n",
        "element face 1\n", "element face 4294967295\n", "element tristrips 1\n",
        "property float x\n", "property double y\n", "property int z\n", "property float nx\n",
        "property float ny\n",        "property char nz\n",
        "property list uchar int vertex_index\n", "property list uint uint vertex_indices\n",
        "end_header\n", "0 0 0\n", "1 0 0\n", "3 0 1 1\n", "nan", "-1", "\n", "comment\n",
    ]), 0..40)) {
        survives(format!("ply\n{}", words.concat()).into_bytes());
    }
}
