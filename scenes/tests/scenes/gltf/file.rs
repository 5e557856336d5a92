//! Small glTF files for the tests: a square, as JSON and in containers.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use glam::Vec3;
use heapwood_scenes::{CleanOptions, Loaded, SceneError, read_gltf};

/// Positions of a square and a point beside it, then indices of 16 bits: a triangle list, a strip
/// and a fan of the square.
pub fn bytes() -> Vec<u8> {
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
pub const ACCESSORS: &str = r#"
    "bufferViews": [{"buffer": 0, "byteLength": 60}, {"buffer": 0, "byteOffset": 60, "byteLength": 28}],
    "accessors": [
        {"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 5},
        {"bufferView": 1, "componentType": 5123, "type": "SCALAR", "count": 6},
        {"bufferView": 1, "byteOffset": 12, "componentType": 5123, "type": "SCALAR", "count": 4},
        {"bufferView": 1, "byteOffset": 20, "componentType": 5123, "type": "SCALAR", "count": 4}
    ]"#;

/// A file whose buffer has a URI, or none, with these nodes, primitives and others.
pub fn document(uri: Option<&str>, nodes: &str, primitives: &str, others: &str) -> String {
    let uri = uri.map_or(String::new(), |uri| format!(r#", "uri": "{uri}""#));
    format!(
        r#"{{"asset": {{"version": "2.0"}}, "nodes": [{nodes}],
        "meshes": [{{"primitives": [{primitives}]}}], {ACCESSORS},
        "buffers": [{{"byteLength": 88{uri}}}]{others}}}"#
    )
}

pub fn data_uri() -> String {
    format!(
        "data:application/octet-stream;base64,{}",
        STANDARD.encode(bytes())
    )
}

pub const LIST: &str = r#"{"attributes": {"POSITION": 0}, "indices": 1}"#;

/// A GLB file of these chunks.
pub fn glb(json: &str, binary: Option<&[u8]>) -> Vec<u8> {
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

pub fn read(bytes: impl Into<Vec<u8>>) -> Result<Loaded, SceneError> {
    let none = |_: &str, _| Err("no such file".to_owned());
    read_gltf("in.gltf", bytes.into(), none, CleanOptions::default())
}

/// Positions of the file with these nodes and primitives.
pub fn positions(nodes: &str, primitives: &str) -> Vec<[Vec3; 3]> {
    let loaded = read(document(Some(&data_uri()), nodes, primitives, "")).unwrap();
    assert_eq!(loaded.warnings, []);
    loaded.scene.positions()
}

pub fn corner(at: usize) -> Vec3 {
    [
        Vec3::ZERO,
        Vec3::X,
        Vec3::new(1.0, 1.0, 0.0),
        Vec3::Y,
        Vec3::splat(5.0),
    ][at]
}

pub fn triangles<const N: usize>(corners: [[usize; 3]; N]) -> Vec<[Vec3; 3]> {
    corners.map(|triangle| triangle.map(corner)).to_vec()
}
