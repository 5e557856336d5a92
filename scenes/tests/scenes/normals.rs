//! Normals of files: which corner has which, what becomes of those that are missing or cannot be
//! used, and that they change nothing else.

use glam::Vec3;
use heapwood_scenes::{CleanOptions, Loaded, generate, read_gltf, read_obj, read_ply};
use proptest::prelude::*;

fn read(text: &str) -> Loaded {
    let none = |_: &str| Err("no such file".to_owned());
    read_obj("in.obj", text.into(), none, CleanOptions::default()).unwrap()
}

fn lines(loaded: &Loaded) -> Vec<String> {
    loaded.warnings.iter().map(ToString::to_string).collect()
}

/// Positions and normals of corners, in order.
fn corners(loaded: &Loaded) -> Vec<(Vec3, Vec3)> {
    let (positions, normals) = (loaded.scene.positions(), loaded.scene.normals());
    assert_eq!(positions.len(), normals.len());
    let positions = positions.into_iter().flatten();
    positions
        .zip(normals.as_flattened().iter().copied())
        .collect()
}

/// An arrow with a notch, and normals that are its positions, moved and scaled to length 1.
const ARROW: &str = "v 0 0 0\nv 4 0 0\nv 1 1 0\nv 0 4 0\n\
                     vn 1 1 3\nvn 5 1 3\nvn 2 2 3\nvn 1 5 3\n";

fn is_of_position(&(position, normal): &(Vec3, Vec3)) -> bool {
    normal.distance((position + Vec3::new(1.0, 1.0, 3.0)).normalize()) < 1e-6
}

#[test]
fn normals_stay_with_their_corners() {
    for faces in [
        "f 3//3 4//4 1//1 2//2\n",
        "f 3//-2 4//-1 1//-4 2//-3\n",
        "f 3/9/3 4/-9/4 1//1 2/1/2\n",
        "g a\nf 3//3 4//4 1//1\nusemtl b\nf 1//1 1//1 2//2\nf 3//3 1//1 2//2\nf 2//1 1//1 3//1\n",
    ] {
        let loaded = read(&format!("{ARROW}{faces}"));
        let found = corners(&loaded);
        assert_eq!(found.len(), 6);
        assert!(found.iter().all(is_of_position), "{faces}: {found:?}");
    }
    // A face may use normals further down, in a text of several chunks.
    let (given, below) = ARROW.split_at(ARROW.find("vn").unwrap());
    let long = format!("# {}\n", "x".repeat(1000)).repeat(3000);
    let text = format!("{given}f 3//3 4//4 1//1 2//2\n{long}{below}{long}f 3//-2 4//-1 1//-4\n");
    let found = corners(&read(&text));
    assert!(
        found.iter().all(is_of_position) && found.len() == 6,
        "{found:?}"
    );
}

#[test]
fn corners_without_normals_have_that_of_the_triangle() {
    let slanted = Vec3::new(0.6, 0.0, 0.8);
    let start = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvn 3 0 4\nvn 3 0 -4\nvn 0 0 0\nvn nan 0 0\n";
    let faces = "f 1//1 2//3 3//1\nf 1//2 3//4 4\nf 4 2 3\nf 1//1 2//9 4//1\n";
    let loaded = read(&format!("{start}{faces}"));
    let [first, second, third, fourth] = loaded.scene.normals() else {
        panic!("{:?}", loaded.scene.normals());
    };
    assert_eq!(first, &[slanted, Vec3::Z, slanted]);
    assert_eq!(second, &[Vec3::new(0.6, 0.0, -0.8), Vec3::X, Vec3::X]);
    assert_eq!(third, &[Vec3::ZERO; 3], "a triangle without any");
    assert_eq!(fourth[1].abs(), Vec3::Y);
    assert_eq!(
        lines(&loaded),
        [
            "in.obj:8: normals that are no numbers, or are not there: the triangle's own stands in \
             for 2"
        ]
    );
}

#[test]
fn files_without_normals_have_none() {
    for text in [
        "f 1 2 3\n",
        "f 1//1 2//2 3//3\n",
        "vn 0 0 1\nf 1 2 3\n",
        "vn 0 0 0\nf 1//1 2//1 3//1\n",
    ] {
        let loaded = read(&format!("v 0 0 0\nv 1 0 0\nv 0 1 0\n{text}"));
        assert_eq!(
            (loaded.scene.normals().len(), lines(&loaded).len()),
            (0, 0),
            "{text}"
        );
    }
    assert!(generate::by_name("knot").unwrap().normals().is_empty());
}

#[test]
fn normals_of_a_divided_triangle_are_those_in_between() {
    let loaded = read(&format!("{ARROW}f 1//1 2//2 4//4\n"));
    let fine = generate::subdivide(&loaded.scene, 2, generate::Displacement::NONE).unwrap();
    assert_eq!((fine.len(), fine.normals().len()), (16, 16));
    let [a, b, _] = loaded.scene.normals()[0];
    let middle = (a + b).normalize();
    let found = fine.normals().as_flattened();
    assert!(found.iter().any(|normal| normal.distance(middle) < 1e-6));
    assert!(
        found
            .iter()
            .all(|normal| (normal.length() - 1.0).abs() < 1e-6)
    );
    let rough = generate::Displacement {
        amplitude: 0.1,
        ..generate::Displacement::NONE
    };
    let rough = generate::subdivide(&loaded.scene, 1, rough).unwrap();
    assert!(rough.normals().is_empty());
}

/// A PLY file of a triangle with these properties, and numbers of each vertex.
fn ply(properties: &[&str], vertices: [&str; 3]) -> Loaded {
    let properties: String = properties
        .iter()
        .map(|of| format!("property {of}\n"))
        .collect();
    let text = format!(
        "ply\nformat ascii 1.0\nelement vertex 3\n{properties}element face 1\n\
         property list uchar int vertex_indices\nend_header\n{}\n3 0 1 2\n",
        vertices.join("\n")
    );
    read_ply("in.ply", text.into(), CleanOptions::default()).unwrap()
}

#[test]
fn vertices_of_ply_have_normals_of_any_numbers() {
    let position = ["float x", "float y", "float z"];
    let all = [&position[..], &["char nx", "double ny", "int nz"]].concat();
    let loaded = ply(&all, ["0 0 0 3 0 4", "1 0 0 0 1e300 0", "0 1 0 0 0 -70000"]);
    let expected = [Vec3::new(0.6, 0.0, 0.8), Vec3::Y, Vec3::NEG_Z];
    assert_eq!(loaded.scene.normals(), [expected]);
    assert_eq!(lines(&loaded), [""; 0]);
    // Before positions, and of a corner that has none.
    let turned = [&["double nx", "float ny", "float nz"], &position[..]].concat();
    let loaded = ply(&turned, ["0 0 0 0 0 0", "1e999 0 1 1 0 0", "0 1 0 0 1 0"]);
    assert_eq!(loaded.scene.normals(), [[Vec3::Z, Vec3::Z, Vec3::Y]]);
    let told = "in.ply:14: normals that are no numbers, or are not there: the triangle's own stands \
                in for 1";
    assert_eq!(lines(&loaded), [told]);
    // Two of three are none.
    let two = [&position[..], &["float nx", "float nz"]].concat();
    let loaded = ply(&two, ["0 0 0 1 0", "1 0 0 1 0", "0 1 0 1 0"]);
    assert!(loaded.scene.normals().is_empty());
    assert_eq!(lines(&loaded), ["in.ply: not read: vertex.nx, vertex.nz"]);
}

/// A glTF file of a triangle whose vertices have normals by the given accessors, which are numbered
/// from 1. The buffer holds three normals of floats from byte 36 and of signed bytes with a stride
/// of 4 from byte 72. A sparse index of 16 bits begins at byte 84.
fn gltf(node: &str, accessors: &str) -> Loaded {
    use base64::Engine;
    let floats = [
        [0.0_f32, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 2.0],
        [0.6, 0.0, 0.8],
        [0.0, 0.6, 0.8],
    ];
    let mut bytes: Vec<u8> = floats
        .as_flattened()
        .iter()
        .flat_map(|x| x.to_le_bytes())
        .collect();
    bytes.extend([0, 0, 127, 0, 0x81, 0, 0, 0, 0, 127, 0, 0, 2, 0, 0, 0]);
    let data = base64::engine::general_purpose::STANDARD.encode(&bytes);
    let text = format!(
        r#"{{"asset": {{"version": "2.0"}}, "nodes": [{{"mesh": 0{node}}}],
        "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0, "NORMAL": 1}}}}]}}],
        "accessors": [{{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3}}, {accessors}],
        "bufferViews": [{{"buffer": 0, "byteLength": 36}}, {{"buffer": 0, "byteOffset": 36, "byteLength": 36}},
            {{"buffer": 0, "byteOffset": 72, "byteLength": 12, "byteStride": 4}},
            {{"buffer": 0, "byteOffset": 84, "byteLength": 4}}],
        "buffers": [{{"byteLength": 88, "uri": "data:;base64,{data}"}}]}}"#
    );
    let none = |_: &str, _| Err("no such file".to_owned());
    read_gltf("in.gltf", text.into(), none, CleanOptions::default()).unwrap()
}

const FLOATS: &str = r#"{"bufferView": 1, "componentType": 5126, "type": "VEC3", "count": 3}"#;

#[test]
fn nodes_turn_normals_with_their_meshes() {
    let [a, b, c] = [Vec3::Z, Vec3::new(0.6, 0.0, 0.8), Vec3::new(0.0, 0.6, 0.8)];
    assert_eq!(gltf("", FLOATS).scene.normals(), [[a, b, c]]);
    // Wider in x: normals lean less that way. Mirrored in z: they point down, at the side from
    // which corners run counterclockwise.
    let loaded = gltf(r#", "scale": [2, 1, -1]"#, FLOATS);
    let lean = Vec3::new(0.3, 0.0, -0.8).normalize();
    let expected = [Vec3::NEG_Z, Vec3::new(0.0, 0.6, -0.8), lean];
    let [found] = loaded.scene.normals() else {
        panic!("{:?}", loaded.scene.normals());
    };
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.distance(expected) < 1e-6, "{found} for {expected}");
    }
    let [a, b, c] = loaded.scene.triangle(0);
    assert!((b - a).cross(c - a).z < 0.0);
}

#[test]
fn normals_of_accessors_of_every_kind_are_read() {
    let bytes = r#"{"bufferView": 2, "componentType": 5120, "normalized": true, "type": "VEC3", "count": 3}"#;
    assert_eq!(
        gltf("", bytes).scene.normals(),
        [[Vec3::Z, Vec3::NEG_X, Vec3::Y]]
    );
    // The third normal is replaced by the first; the others are 0, and so the triangle's own.
    let sparse = r#"{"componentType": 5126, "type": "VEC3", "count": 3, "sparse": {"count": 1,
        "indices": {"bufferView": 3, "componentType": 5123}, "values": {"bufferView": 1, "byteOffset": 12}}}"#;
    let slanted = Vec3::new(0.6, 0.0, 0.8);
    assert_eq!(
        gltf("", sparse).scene.normals(),
        [[Vec3::Z, Vec3::Z, slanted]]
    );
    for (accessor, cause) in [
        (
            FLOATS.replace("\"count\": 3", "\"count\": 2"),
            "it has 2 elements for 3 vertices",
        ),
        (
            FLOATS.replace("VEC3", "VEC2"),
            "accessors[1] is not of vectors (VEC3) of floats or of signed integers of 8 or 16 bits",
        ),
        (
            FLOATS.replace("5126", "5121"),
            "accessors[1] is not of vectors (VEC3) of floats or of signed integers of 8 or 16 bits",
        ),
        (
            FLOATS.replace("5126", "5126, \"byteOffset\": 4"),
            "accessors[1] ends at byte 40 of bufferViews[1], which has 36: the file is damaged",
        ),
    ] {
        let loaded = gltf("", &accessor);
        assert!(loaded.scene.normals().is_empty());
        let expected = format!("in.gltf: accessors[1], of normals, is left out: {cause}");
        assert_eq!(lines(&loaded), [expected]);
    }
}

/// A number of a normal as a file may have it.
fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => (-3..4_i8).prop_map(|number| number.to_string()),
        1 => any::<f32>().prop_map(|number| number.to_string()),
        1 => prop::sample::select(vec!["nan", "-inf", "1e39", "1e-45", "x", "", "-0"]).prop_map(str::to_owned),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn normals_of_any_numbers_change_nothing_else(
        given in prop::collection::vec([number(), number(), number()], 0..6),
        named in prop::collection::vec(prop_oneof![4 => -8_i64..8, 1 => any::<i64>()], 8),
    ) {
        let given: String = given.iter().map(|of| format!("vn {}\n", of.join(" "))).collect();
        let faces = |corner: &dyn Fn(usize) -> String| -> String {
            let faces = [[0, 1, 2, 3], [4, 5, 6, 7]];
            faces.iter().map(|face| format!("f {}\n", face.map(corner).join(" "))).collect()
        };
        let start = "v 0 0 0\nv 4 0 0\nv 1 1 0\nv 0 4 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n";
        let smooth = read(&format!("{start}{given}{}", faces(&|at| format!("{}//{}", at + 1, named[at]))));
        let flat = read(&format!("{start}{}", faces(&|at| format!("{}", at + 1))));
        prop_assert_eq!(smooth.scene.input_hash(), flat.scene.input_hash());
        prop_assert_eq!(smooth.report, flat.report);
        prop_assert_eq!(&smooth.scene.clone().with_normals(Vec::new()).unwrap(), &flat.scene);
        // Where one corner of a triangle has a normal, all have.
        let is_sound = |corners: &[Vec3; 3]| {
            corners.iter().all(|normal| (normal.length() - 1.0).abs() < 1e-5) || *corners == [Vec3::ZERO; 3]
        };
        let normals = smooth.scene.normals();
        prop_assert!(normals.is_empty() || normals.len() == smooth.scene.len());
        prop_assert!(normals.iter().all(is_sound), "{normals:?}");
    }
}
