//! glTF and GLB files: every form of a mesh, where nodes place it, what is refused and how, and no
//! bytes that make the reader panic.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use glam::Vec3;
use heapwood_scenes::{
    CleanOptions, Loaded, MAX_COORDINATE, Material, SceneError, load, read_gltf,
};
use proptest::prelude::*;

/// Positions of a square and a point beside it, then indices of 16 bits: a triangle list, a strip
/// and a fan of the square.
fn bytes() -> Vec<u8> {
    let corners: [[f32; 3]; 5] = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [1.0, 1.0, 0.0],
        [0.0, 1.0, 0.0],
        [5.0, 5.0, 5.0],
    ];
    let mut bytes: Vec<u8> = corners
        .as_flattened()
        .iter()
        .flat_map(|x| x.to_le_bytes())
        .collect();
    for index in [0_u16, 1, 2, 0, 2, 3, 1, 2, 0, 3, 0, 1, 2, 3] {
        bytes.extend(index.to_le_bytes());
    }
    bytes
}

/// Views of [`bytes`], and an accessor for each list of it.
const ACCESSORS: &str = r#"
    "bufferViews": [{"buffer": 0, "byteLength": 60}, {"buffer": 0, "byteOffset": 60, "byteLength": 28}],
    "accessors": [
        {"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 5},
        {"bufferView": 1, "componentType": 5123, "type": "SCALAR", "count": 6},
        {"bufferView": 1, "byteOffset": 12, "componentType": 5123, "type": "SCALAR", "count": 4},
        {"bufferView": 1, "byteOffset": 20, "componentType": 5123, "type": "SCALAR", "count": 4}
    ]"#;

/// A file whose buffer has a URI, or none, with these nodes, primitives and others.
fn document(uri: Option<&str>, nodes: &str, primitives: &str, others: &str) -> String {
    let uri = uri.map_or(String::new(), |uri| format!(r#", "uri": "{uri}""#));
    format!(
        r#"{{"asset": {{"version": "2.0"}}, "nodes": [{nodes}],
        "meshes": [{{"primitives": [{primitives}]}}], {ACCESSORS},
        "buffers": [{{"byteLength": 88{uri}}}]{others}}}"#
    )
}

fn data_uri() -> String {
    format!(
        "data:application/octet-stream;base64,{}",
        STANDARD.encode(bytes())
    )
}

const LIST: &str = r#"{"attributes": {"POSITION": 0}, "indices": 1}"#;

/// A GLB file of these chunks.
fn glb(json: &str, binary: Option<&[u8]>) -> Vec<u8> {
    let mut json = json.as_bytes().to_vec();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut chunks = vec![(*b"JSON", &json[..])];
    chunks.extend(binary.map(|binary| (*b"BIN\0", binary)));
    let mut body = Vec::new();
    for (kind, content) in chunks {
        body.extend((content.len() as u32).to_le_bytes());
        body.extend(kind);
        body.extend(content);
    }
    let length = 12 + body.len() as u32;
    [
        &b"glTF"[..],
        &2_u32.to_le_bytes(),
        &length.to_le_bytes(),
        &body,
    ]
    .concat()
}

fn read(bytes: impl Into<Vec<u8>>) -> Result<Loaded, SceneError> {
    let none = |_: &str, _| Err("no such file".to_owned());
    read_gltf("in.gltf", bytes.into(), none, CleanOptions::default())
}

/// Positions of the file with these nodes and primitives.
fn positions(nodes: &str, primitives: &str) -> Vec<[Vec3; 3]> {
    let loaded = read(document(Some(&data_uri()), nodes, primitives, "")).unwrap();
    assert_eq!(loaded.warnings, []);
    loaded.scene.positions()
}

fn corner(at: usize) -> Vec3 {
    [
        Vec3::ZERO,
        Vec3::X,
        Vec3::new(1.0, 1.0, 0.0),
        Vec3::Y,
        Vec3::splat(5.0),
    ][at]
}

fn triangles<const N: usize>(corners: [[usize; 3]; N]) -> Vec<[Vec3; 3]> {
    corners.map(|triangle| triangle.map(corner)).to_vec()
}

#[test]
fn lists_strips_and_fans_are_read() {
    let node = r#"{"mesh": 0}"#;
    assert_eq!(positions(node, LIST), triangles([[0, 1, 2], [0, 2, 3]]));
    let strip = r#"{"attributes": {"POSITION": 0}, "indices": 2, "mode": 5}"#;
    assert_eq!(positions(node, strip), triangles([[1, 2, 0], [2, 3, 0]]));
    let fan = r#"{"attributes": {"POSITION": 0}, "indices": 3, "mode": 6}"#;
    assert_eq!(positions(node, fan), triangles([[1, 2, 0], [2, 3, 0]]));
    // Without indices, corners follow each other.
    let plain = r#"{"attributes": {"POSITION": 0}, "mode": 6}"#;
    assert_eq!(
        positions(node, plain),
        triangles([[1, 2, 0], [2, 3, 0], [3, 4, 0]])
    );
    let plain = r#"{"attributes": {"POSITION": 0}, "mode": 5}"#;
    assert_eq!(
        positions(node, plain),
        triangles([[0, 1, 2], [1, 3, 2], [2, 3, 4]])
    );
}

#[test]
fn nodes_place_their_meshes() {
    // The second node is the child of the first and mirrors: its corners are turned around.
    let nodes = r#"{"mesh": 0, "translation": [10, 0, 0], "children": [1]},
        {"mesh": 0, "scale": [-2, 2, 2]}"#;
    let found = positions(nodes, LIST);
    let moved = |v: Vec3| v + Vec3::X * 10.0;
    let mirrored = |v: Vec3| Vec3::new(10.0 - 2.0 * v.x, 2.0 * v.y, 2.0 * v.z);
    let square = triangles([[0, 1, 2], [0, 2, 3]]);
    let mut expected: Vec<_> = square.iter().map(|t| t.map(moved)).collect();
    expected.extend(square.iter().map(|&[a, b, c]| [a, c, b].map(mirrored)));
    assert_eq!(found, expected);
    let normal = |[a, b, c]: [Vec3; 3]| (b - a).cross(c - a);
    assert!(found.iter().all(|&triangle| normal(triangle).z > 0.0));
}

#[test]
fn the_default_scene_is_chosen() {
    let nodes = r#"{"mesh": 0}, {"mesh": 0, "translation": [1, 0, 0]}, {"children": [1]}"#;
    let scenes = r#", "scenes": [{"nodes": [0]}, {"nodes": [2]}]"#;
    for (others, first) in [
        (format!("{scenes}, \"scene\": 1"), 1.0),
        (format!("{scenes}, \"scene\": 0"), 0.0),
        (scenes.to_owned(), 0.0),
    ] {
        let text = document(Some(&data_uri()), nodes, LIST, &others);
        let found = read(text).unwrap().scene.positions();
        assert_eq!((found.len(), found[0][0].x), (2, first), "{others}");
    }
    // Without scenes, all nodes.
    assert_eq!(positions(nodes, LIST).len(), 4);
}

#[test]
fn sparse_and_quantized_accessors_are_read() {
    // Values of the sparse accessor: its first position becomes the fifth.
    let node = r#"{"mesh": 0}"#;
    let others = r#", "extensionsRequired": ["KHR_mesh_quantization"]"#;
    let sparse = r#"{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 4, "sparse":
        {"count": 1, "indices": {"bufferView": 1, "componentType": 5123},
        "values": {"bufferView": 0, "byteOffset": 48}}}"#;
    let text = document(Some(&data_uri()), node, LIST, others);
    let first = r#"{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 5}"#;
    let found = read(text.replace(first, sparse)).unwrap().scene.positions();
    assert_eq!(found, triangles([[4, 1, 2], [4, 2, 3]]));
    let alone = sparse.replacen(r#""bufferView": 0, "#, "", 1);
    // Three of four corners are zero then.
    assert!(matches!(
        read(text.replace(first, &alone)),
        Err(SceneError::AllDegenerate { .. })
    ));

    for (kind, value, normalized, expected) in [
        (5120, vec![0x80], true, -1.0),
        (5120, vec![127], true, 1.0),
        (5120, vec![0xfe], false, -2.0),
        (5121, vec![255], true, 1.0),
        (5121, vec![200], false, 200.0),
        (5122, vec![0x00, 0x80], true, -1.0),
        (5122, vec![0x00, 0x80], false, -32768.0),
        (5123, vec![0xff, 0xff], true, 1.0),
        (5123, vec![0xff, 0xff], false, 65535.0),
    ] {
        let zero = vec![0; value.len()];
        let corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0]].as_flattened().iter();
        let data: Vec<u8> = corners
            .flat_map(|&is| if is == 1 { &value } else { &zero })
            .copied()
            .collect();
        let text = format!(
            r#"{{"asset": {{"version": "2.0"}}, "nodes": [{node}],
            "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}}}]}}],
            "accessors": [{{"bufferView": 0, "componentType": {kind}, "type": "VEC3", "count": 3,
            "normalized": {normalized}}}], "bufferViews": [{{"buffer": 0, "byteLength": {length}}}],
            "buffers": [{{"byteLength": {length}, "uri": "data:;base64,{}"}}]{others}}}"#,
            STANDARD.encode(&data),
            length = data.len(),
        );
        let found = read(text).unwrap().scene.positions();
        assert_eq!(
            found,
            [[Vec3::ZERO, Vec3::X * expected, Vec3::Y * expected]]
        );
    }
}

#[test]
fn strides_part_interleaved_vertices() {
    let text = document(
        Some(&data_uri()),
        r#"{"mesh": 0}"#,
        r#"{"attributes": {"POSITION": 0}}"#,
        "",
    );
    let text = text.replacen(
        r#""byteLength": 60"#,
        r#""byteLength": 60, "byteStride": 24"#,
        1,
    );
    let text = text.replacen(r#""count": 5"#, r#""count": 3"#, 1);
    assert_eq!(
        read(text.clone()).unwrap().scene.positions(),
        triangles([[0, 2, 4]])
    );
    let message = read(text.replacen(r#""count": 3"#, r#""count": 4"#, 1))
        .unwrap_err()
        .to_string();
    assert_eq!(
        message,
        "in.gltf: accessors[0] ends at byte 84 of bufferViews[0], which has 60: the file is damaged"
    );
}

#[test]
fn every_container_is_the_same_scene() {
    let folder = tempfile::tempdir().unwrap();
    let node = r#"{"mesh": 0}"#;
    let within = document(None, node, LIST, "");
    let beside = |name: &str| document(Some(name), node, LIST, "").into_bytes();
    let packed = |bytes: &[u8]| heapwood_files::compress(bytes).unwrap();
    std::fs::write(folder.path().join("my data.bin"), bytes()).unwrap();
    std::fs::write(folder.path().join("data.bin.gz"), packed(&bytes())).unwrap();
    let expected = triangles([[0, 1, 2], [0, 2, 3]]);
    let text = document(Some(&data_uri()), node, LIST, "").into_bytes();
    for (name, content) in [
        ("a.gltf", text.clone()),
        ("a.gltf.gz", packed(&text)),
        ("b.glb", glb(&within, Some(&bytes()))),
        ("b.glb.gz", packed(&glb(&within, Some(&bytes())))),
        // Chunks of extensions, and zeros that pad a chunk.
        (
            "c.glb",
            [
                glb(&within, Some(&[&bytes()[..], &[0; 4]].concat())),
                b"\x01\0\0\0abc\0x".to_vec(),
            ]
            .concat(),
        ),
        ("d.gltf", beside("my%20data.bin")),
        ("e.gltf", beside("data.bin.gz")),
        (
            "f.glb",
            glb(std::str::from_utf8(&beside("my data.bin")).unwrap(), None),
        ),
        ("g.gltf", [&b"\xef\xbb\xbf \n"[..], &text].concat()),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        let loaded = load(&path, CleanOptions::default()).unwrap();
        assert_eq!(loaded.scene.positions(), expected, "{name}");
        assert_eq!(loaded.scene.name(), &name[..1]);
    }
}

#[test]
fn bytes_that_look_like_gzip_are_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let mut numbers = bytes();
    numbers[..3].copy_from_slice(&[0x1f, 0x8b, 8]);
    std::fs::write(folder.path().join("data.bin"), &numbers).unwrap();
    let path = folder.path().join("s.gltf");
    std::fs::write(
        &path,
        document(Some("data.bin"), r#"{"mesh": 0}"#, LIST, ""),
    )
    .unwrap();
    let first = load(&path, CleanOptions::default())
        .unwrap()
        .scene
        .triangle(0)[0];
    assert_eq!(first.x.to_bits(), 0x0008_8b1f);
}

#[test]
fn materials_are_read() {
    let materials = r#", "materials": [
        {"name": "lamp", "emissiveFactor": [1, 0.5, 0], "extensions":
            {"KHR_materials_emissive_strength": {"emissiveStrength": 4}}},
        {"pbrMetallicRoughness": {"baseColorFactor": [0.1, 0.2, 0.3, 0.5], "metallicFactor": 0,
            "roughnessFactor": 0.25}, "alphaMode": "BLEND", "extensions": {
            "KHR_materials_transmission": {"transmissionFactor": 0.75},
            "KHR_materials_ior": {"ior": 1.33}}},
        {"pbrMetallicRoughness": {"baseColorFactor": [1, 1, 1, 0.25], "baseColorTexture":
            {"index": 0}, "metallicRoughnessTexture": {"index": 0}}, "alphaMode": "MASK",
            "emissiveFactor": [1, 1, 1], "emissiveTexture": {"index": 0}}]"#;
    let primitives: Vec<String> = [
        "\"material\": 2, ",
        "\"material\": 0, ",
        "",
        "\"material\": 1, ",
    ]
    .map(|material| format!(r#"{{{material}"attributes": {{"POSITION": 0}}, "indices": 1}}"#))
    .to_vec();
    let text = document(
        Some(&data_uri()),
        r#"{"mesh": 0}"#,
        &primitives.join(","),
        materials,
    );
    let none = |_: &str, _| Err(String::new());
    let options = CleanOptions {
        keep_duplicates: true,
    };
    let loaded = read_gltf("in.gltf", text.into(), none, options).unwrap();
    let metal = Material {
        metallic: 1.0,
        roughness: Some(1.0),
        ..Material::matt("lamp", Vec3::ONE)
    };
    let expected = [
        Material {
            emission: Vec3::new(4.0, 2.0, 0.0),
            ..metal.clone()
        },
        Material {
            opacity: 0.5,
            roughness: Some(0.25),
            transmission: 0.75,
            ior: 1.33,
            ..Material::matt("material 1", Vec3::new(0.1, 0.2, 0.3))
        },
        Material {
            name: "material 2".into(),
            opacity: 0.0,
            metallic: 0.0,
            ..metal.clone()
        },
        Material {
            name: "default".into(),
            ..metal
        },
    ];
    assert_eq!(loaded.scene.materials(), expected);
    assert_eq!(loaded.scene.material_of(), [2, 2, 0, 0, 3, 3, 1, 1]);
    let warnings: Vec<String> = loaded.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        ["in.gltf: 3 texture maps ignored; plain colours are used"]
    );
}

#[test]
fn what_is_left_out_is_said_once() {
    let primitives = [0, 1, 2, 3].map(|mode| format!(r#"{{"attributes": {{}}, "mode": {mode}}}"#));
    let primitives = format!("{}, {LIST}", primitives.join(","));
    let others = r#", "cameras": [{"type": "perspective", "perspective": {"yfov": 1, "znear": 1}}],
        "extensionsUsed": ["KHR_lights_punctual", "X_other"]"#;
    let loaded = read(document(
        Some(&data_uri()),
        r#"{"mesh": 0}"#,
        &primitives,
        others,
    ))
    .unwrap();
    let warnings: Vec<String> = loaded.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "in.gltf: points and lines have no area; 4 skipped",
            "in.gltf: not read: cameras, lights"
        ]
    );
    assert_eq!(loaded.scene.len(), 2);
}

#[test]
fn what_is_wrong_is_said_in_a_line_with_its_place() {
    let node = r#"{"mesh": 0}"#;
    let uri = data_uri();
    let file = |nodes: &str, others: &str| document(Some(&uri), nodes, LIST, others);
    let plain = file(node, "");
    let edited = |from: &str, to: &str| {
        assert!(plain.contains(from), "{from}");
        plain.replacen(from, to, 1)
    };
    for (text, expected) in [
        (
            file(
                r#"{"mesh": 0, "children": [1]}, {"children": [0]}"#,
                r#", "scenes": [{"nodes": [0]}]"#,
            ),
            "nodes[0] is reached twice: nodes must form trees",
        ),
        (
            file(r#"{"children": [2]}, {"children": [2]}, {"mesh": 0}"#, ""),
            "nodes[2] is reached twice",
        ),
        (
            file(r#"{"mesh": 0}"#, r#", "scenes": [{"nodes": [0, 0]}]"#),
            "nodes[0] is reached twice",
        ),
        (
            file(r#"{"children": [7]}"#, ""),
            "nodes[7] is used by nodes[0] and does not exist",
        ),
        (
            file(r#"{"mesh": 7}"#, ""),
            "meshes[7] is used by nodes[0] and does not exist",
        ),
        (
            file(node, r#", "scene": 3"#),
            "scenes[3] is used by scene and does not exist",
        ),
        (
            file(node, r#", "scenes": [{"nodes": [3]}]"#),
            "nodes[3] is used by the scene and does not",
        ),
        (
            edited(r#""POSITION": 0"#, r#""POSITION": 9"#),
            "accessors[9] is used by meshes[0].primitives[0] and does not exist",
        ),
        (
            edited(r#""indices": 1"#, r#""indices": 9"#),
            "accessors[9] is used by meshes[0].primitives[0]",
        ),
        (
            edited(r#""indices": 1"#, r#""material": 0"#),
            "materials[0] is used by meshes[0].primitives[0]",
        ),
        (
            edited(r#""indices": 1"#, r#""mode": 7"#),
            "meshes[0].primitives[0] has a mode that is not",
        ),
        (
            edited(r#""indices": 1"#, r#""mode": 4"#),
            "meshes[0].primitives[0] has corners that are left",
        ),
        (
            edited(r#""POSITION": 0"#, r#""NORMAL": 0"#),
            "meshes[0].primitives[0] has no POSITION",
        ),
        (
            edited(r#""indices": 1"#, r#""indices": 0"#),
            "accessors[0] is not of single numbers (SCALAR)",
        ),
        (
            edited(r#""POSITION": 0"#, r#""POSITION": 1"#),
            "accessors[1] is not of vectors of three",
        ),
        (
            edited("5126", "5125"),
            "accessors[0] has positions of 32-bit integers",
        ),
        (
            edited("5123", "5122"),
            "accessors[1] has indices that are not unsigned integers",
        ),
        (
            edited(r#""count": 5"#, r#""count": 4000000000000"#),
            "take more than 4294967296 bytes",
        ),
        (
            edited(r#""count": 5"#, r#""count": 2"#),
            "index 2 of meshes[0].primitives[0] is out of range: there are 2 vertices",
        ),
        (
            edited(r#""count": 6"#, r#""count": 15"#),
            "accessors[1] ends at byte 30 of bufferViews[1]",
        ),
        (
            edited(r#""byteOffset": 60"#, r#""byteOffset": 61"#),
            "bufferViews[1] ends at byte 89 of buffers[0]",
        ),
        (
            edited(
                r#""byteOffset": 60"#,
                r#""byteOffset": 18446744073709551615"#,
            ),
            "bufferViews[1] ends at",
        ),
        (
            edited(r#""buffer": 0"#, r#""buffer": 5"#),
            "buffers[5] is used by bufferViews[0]",
        ),
        (
            edited(r#""bufferView": 0"#, r#""bufferView": 5"#),
            "bufferViews[5] is used by accessors[0]",
        ),
        (
            edited(r#""bufferView": 0, "#, ""),
            "accessors[0] has neither a bufferView nor sparse values",
        ),
        (
            edited(r#""byteLength": 88"#, r#""byteLength": 89"#),
            "buffers[0] cannot be read: 88 of its 89 bytes are there",
        ),
        (
            edited("base64,", "base64,*"),
            "buffers[0] cannot be read: its data URI is not base64",
        ),
        (
            document(Some("no.bin"), node, LIST, ""),
            "buffers[0] cannot be read: no.bin: no such file",
        ),
        (
            document(Some("https://a/b.bin"), node, LIST, ""),
            "https://a/b.bin is not fetched",
        ),
        (
            document(None, node, LIST, ""),
            "buffers[0] cannot be read: it has no uri, and there is no",
        ),
        (
            edited("2.0", "1.0"),
            "version 1.0 of glTF: only 2.0 is read",
        ),
        (
            file(
                node,
                r#", "extensionsRequired": ["KHR_draco_mesh_compression"]"#,
            ),
            "it requires the extension KHR_draco_mesh_compression, which is not read",
        ),
        // Who says so, the parser or the scene, depends on the features of serde_json.
        (file(r#"{"mesh": 0, "scale": [1e39, 1, 1]}"#, ""), "number"),
        (
            file(r#"{"mesh": 0, "scale": [1e30, 1, 1]}"#, ""),
            "e30 of vertex 1 of nodes[0] is refused",
        ),
        (
            file(r#"{"mesh": 0, "rotation": [0, 0, 0, 0]}"#, ""),
            "nodes[0] has a rotation of length 0",
        ),
        (
            file(node, r#", "materials": [{"emissiveFactor": [1e39, 0, 0]}]"#),
            "number",
        ),
        (file("", ""), "in.gltf has no triangles"),
        ("{\n\"asset\": 5}".to_owned(), "line 2 column 10"),
        ("{}".to_owned(), "missing field `asset`"),
        (plain[..300].to_owned(), "in.gltf: EOF"),
    ] {
        let message = read(text.clone()).unwrap_err().to_string();
        assert!(
            message.starts_with("in.gltf") && message.contains(expected),
            "{expected}: {message}"
        );
        assert!(!message.contains('\n'), "{message}");
    }
    let mut numbers = bytes();
    numbers[12..16].copy_from_slice(&f32::NAN.to_le_bytes());
    let message = read(glb(&document(None, node, LIST, ""), Some(&numbers))).unwrap_err();
    assert!(
        message
            .to_string()
            .contains("coordinate NaN of vertex 1 of accessors[0] is"),
        "{message}"
    );
}

#[test]
fn damaged_containers_are_named() {
    let whole = glb(&document(None, r#"{"mesh": 0}"#, LIST, ""), Some(&bytes()));
    for (cut, expected) in [
        (6, "the header ends early"),
        (11, "the header ends early"),
        (12, "shorter than its header says"),
        (whole.len() - 1, "shorter than its header says"),
    ] {
        let message = read(&whole[..cut]).unwrap_err().to_string();
        assert!(message.contains(expected), "{cut}: {message}");
    }
    let mut lengths = whole.clone();
    lengths[8..12].fill(0);
    for (cut, expected) in [
        (14, "the header of a chunk ends early"),
        (30, "a chunk ends early"),
        (whole.len() - 1, "a chunk ends early"),
    ] {
        let message = read(&lengths[..cut]).unwrap_err().to_string();
        assert!(message.contains(expected), "{cut}: {message}");
    }
    let mut other = whole.clone();
    other[16] = b'X';
    assert!(
        read(other)
            .unwrap_err()
            .to_string()
            .contains("the first chunk is not JSON")
    );
    let mut old = whole;
    old[4] = 1;
    assert!(
        read(old)
            .unwrap_err()
            .to_string()
            .contains("version 1 of glTF")
    );
}

#[test]
fn small_files_do_not_grow_without_bound() {
    // Positions that are all zero take no bytes of the file.
    let text = document(Some(&data_uri()), r#"{"mesh": 0}"#, LIST, "");
    let sparse = r#"{"componentType": 5126, "type": "VEC3", "count": 400000000, "sparse": {"count": 0,
        "indices": {"bufferView": 1, "componentType": 5123}, "values": {"bufferView": 0}}}"#;
    let first = r#"{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 5}"#;
    let message = read(text.replace(first, sparse)).unwrap_err().to_string();
    assert!(
        message.contains("take more than 4294967296 bytes: split it"),
        "{message}"
    );
}

#[test]
fn deep_trees_and_deep_json_need_no_stack() {
    let depth = 200_000;
    let mut nodes: Vec<String> = (1..depth)
        .map(|child| format!(r#"{{"children": [{child}]}}"#))
        .collect();
    nodes.push(r#"{"mesh": 0}"#.to_owned());
    let text = document(Some(&data_uri()), &nodes.join(","), LIST, "");
    assert_eq!(read(text).unwrap().scene.len(), 2);
    let deep = format!(
        r#"{{"asset": {{"version": "2.0"}}, "extras": {}"#,
        "[".repeat(1_000_000)
    );
    assert!(read(deep).is_err());
}

fn survives(bytes: Vec<u8>) {
    let file = |_: &str, _| Ok(b"0123456789".to_vec());
    match read_gltf("any", bytes, file, CleanOptions::default()) {
        Err(error) => assert!(!error.to_string().contains(['\n', '\r']), "{error}"),
        Ok(loaded) => {
            let positions = loaded.scene.positions();
            let mut values = positions.iter().flatten().flat_map(|v| v.to_array());
            assert!(values.all(|value| value.abs() <= MAX_COORDINATE));
            for warning in loaded.warnings {
                assert!(!warning.to_string().contains('\n'));
            }
        }
    }
}

/// A file with most of what is read.
fn rich(uri: Option<&str>) -> String {
    let primitives = r#"{"attributes": {"POSITION": 0}, "indices": 1, "material": 0},
        {"attributes": {"POSITION": 0}, "indices": 2, "mode": 5}, {"attributes": {}, "mode": 1},
        {"attributes": {"POSITION": 0}, "indices": 3, "mode": 6}"#;
    let nodes = r#"{"mesh": 0, "children": [1, 2]}, {"mesh": 0, "scale": [2, 2, -2]},
        {"rotation": [0, 0, 1, 0], "translation": [1, 2, 3]}"#;
    let others = r#", "materials": [{"emissiveFactor": [1, 1, 1]}], "scenes": [{"nodes": [0]}]"#;
    document(uri, nodes, primitives, others)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..2000), start in 0..3) {
        let start: &[u8] = [&b""[..], b"{", b"glTF\x02\0\0\0"][start as usize];
        survives([start, &bytes].concat());
    }

    #[test]
    fn mutated_files(
        is_binary in any::<bool>(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = match is_binary {
            true => glb(&rich(None), Some(&bytes())),
            false => rich(Some(&data_uri())).into_bytes(),
        };
        for (at, byte) in edits {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        survives(bytes.clone());
        bytes.truncate(cut.index(bytes.len()));
        survives(bytes);
    }

    #[test]
    fn mutated_numbers(
        edits in prop::collection::vec((any::<prop::sample::Index>(), prop_oneof![
            0_i64..12, 0_i64..70_000, Just(-1), Just(1 << 40), Just(i64::MAX), 5120_i64..5127,
        ]), 1..4),
    ) {
        // Numbers alone change, so that the JSON stays sound.
        let text = rich(None);
        let mut parts: Vec<String> = Vec::new();
        for c in text.chars() {
            match parts.last_mut() {
                Some(last) if last.ends_with(|l: char| l.is_ascii_digit()) == c.is_ascii_digit() => {
                    last.push(c);
                }
                _ => parts.push(c.to_string()),
            }
        }
        let numbers: Vec<usize> = (0..parts.len())
            .filter(|&at| parts[at].starts_with(|c: char| c.is_ascii_digit()))
            .collect();
        for (at, value) in edits {
            parts[numbers[at.index(numbers.len())]] = value.to_string();
        }
        survives(glb(&parts.concat(), Some(&bytes())));
    }
}

#[test]
fn the_unmutated_files_are_accepted() {
    for bytes in [
        rich(Some(&data_uri())).into_bytes(),
        glb(&rich(None), Some(&bytes())),
    ] {
        let loaded = read(bytes).unwrap();
        assert_eq!(
            (loaded.report.read, loaded.scene.materials().len()),
            (12, 2)
        );
    }
}
