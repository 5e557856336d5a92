//! Files that the reader refuses, with their messages, and limits on the memory that small files
//! can take.

use super::file::*;
use crate::table::rows;

/// Checks that a file is refused in one line with this part.
#[track_caller]
fn refused(file: impl Into<Vec<u8>>, part: &str) {
    let message = read(file).unwrap_err().to_string();
    assert!(message.starts_with("in.gltf"), "{message}");
    assert!(message.contains(part), "{part}: {message}");
    assert!(!message.contains('\n'), "{message}");
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
    for [nodes, others, expected] in rows(
        r#"{"mesh": 0, "children": [1]}, {"children": [0]} | , "scenes": [{"nodes": [0]}] | nodes[0] is reached twice: nodes must form trees
           {"children": [2]}, {"children": [2]}, {"mesh": 0} |  | nodes[2] is reached twice
           {"mesh": 0} | , "scenes": [{"nodes": [0, 0]}] | nodes[0] is reached twice
           {"children": [7]} |  | nodes[7] is used by nodes[0] and does not exist
           {"mesh": 7} |  | meshes[7] is used by nodes[0] and does not exist
           {"mesh": 0} | , "scene": 3 | scenes[3] is used by scene and does not exist
           {"mesh": 0} | , "scenes": [{"nodes": [3]}] | nodes[3] is used by the scene and does not
           {"mesh": 0} | , "extensionsRequired": ["KHR_draco_mesh_compression"] | it requires the extension KHR_draco_mesh_compression, which is not read
           {"mesh": 0, "scale": [1e39, 1, 1]} |  | number
           {"mesh": 0, "scale": [1e30, 1, 1]} |  | e30 of vertex 1 of nodes[0] is refused
           {"mesh": 0, "rotation": [0, 0, 0, 0]} |  | nodes[0] has a rotation of length 0
           {"mesh": 0} | , "materials": [{"emissiveFactor": [1e39, 0, 0]}] | number
            |  | in.gltf has no triangles"#,
    ) {
        refused(file(nodes, others), expected);
    }
    for [from, to, expected] in rows(
        r#""POSITION": 0 | "POSITION": 9 | accessors[9] is used by meshes[0].primitives[0] and does not exist
           "indices": 1 | "indices": 9 | accessors[9] is used by meshes[0].primitives[0]
           "indices": 1 | "material": 0 | materials[0] is used by meshes[0].primitives[0]
           "indices": 1 | "mode": 7 | meshes[0].primitives[0] has a mode that is not
           "indices": 1 | "mode": 4 | meshes[0].primitives[0] has corners that are left
           "POSITION": 0 | "NORMAL": 0 | meshes[0].primitives[0] has no POSITION
           "indices": 1 | "indices": 0 | accessors[0] is not of single numbers (SCALAR)
           "POSITION": 0 | "POSITION": 1 | accessors[1] is not of vectors of three
           5126 | 5125 | accessors[0] has positions of 32-bit integers
           5123 | 5122 | accessors[1] has indices that are not unsigned integers
           "count": 5 | "count": 4000000000000 | take more than 4294967296 bytes
           "count": 5 | "count": 2 | index 2 of meshes[0].primitives[0] is out of range: there are 2 vertices
           "count": 6 | "count": 15 | accessors[1] ends at byte 30 of bufferViews[1]
           "byteOffset": 60 | "byteOffset": 61 | bufferViews[1] ends at byte 89 of buffers[0]
           "byteOffset": 60 | "byteOffset": 18446744073709551615 | bufferViews[1] ends at
           "buffer": 0 | "buffer": 5 | buffers[5] is used by bufferViews[0]
           "bufferView": 0 | "bufferView": 5 | bufferViews[5] is used by accessors[0]
           "bufferView": 0, |  | accessors[0] has neither a bufferView nor sparse values
           "byteLength": 88 | "byteLength": 89 | buffers[0] cannot be read: 88 of its 89 bytes are there
           base64, | base64,* | buffers[0] cannot be read: its data URI is not base64
           2.0 | 1.0 | version 1.0 of glTF: only 2.0 is read"#,
    ) {
        refused(edited(from, to), expected);
    }
    for (text, expected) in [
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
        ("{\n\"asset\": 5}".to_owned(), "line 2 column 10: "),
        ("{}".to_owned(), "missing field `asset`"),
        ("{}".to_owned(), "not that of glTF; export the file again"),
        (plain[..300].to_owned(), "in.gltf: EOF"),
    ] {
        refused(text, expected);
    }
    let mut numbers = bytes();
    numbers[12..16].copy_from_slice(&f32::NAN.to_le_bytes());
    let container = glb(&document(None, node, LIST, ""), Some(&numbers));
    refused(container, "coordinate NaN of vertex 1 of accessors[0] is");
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
        refused(&whole[..cut], expected);
    }
    let mut lengths = whole.clone();
    lengths[8..12].fill(0);
    for (cut, expected) in [
        (14, "the header of a chunk ends early"),
        (30, "a chunk ends early"),
        (whole.len() - 1, "a chunk ends early"),
    ] {
        refused(&lengths[..cut], expected);
    }
    let mut other = whole.clone();
    other[16] = b'X';
    refused(other, "the first chunk is not JSON");
    let mut old = whole;
    old[4] = 1;
    refused(old, "version 1 of glTF");
}

#[test]
fn small_files_do_not_grow_without_bound() {
    // Positions that are all zero take no bytes of the file.
    let text = document(Some(&data_uri()), r#"{"mesh": 0}"#, LIST, "");
    let sparse = r#"{"componentType": 5126, "type": "VEC3", "count": 400000000, "sparse": {"count": 0,
        "indices": {"bufferView": 1, "componentType": 5123}, "values": {"bufferView": 0}}}"#;
    let first = r#"{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 5}"#;
    let expected = "take more than 4294967296 bytes: split it";
    refused(text.replace(first, sparse), expected);
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
