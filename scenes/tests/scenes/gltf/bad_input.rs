//! Files that the reader refuses, with their messages, and limits on the memory that small files
//! can take.

use super::file::*;

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
        // The parser or the scene refuses it, depending on the features of serde_json.
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
        ("{\n\"asset\": 5}".to_owned(), "line 2 column 10: "),
        ("{}".to_owned(), "missing field `asset`"),
        ("{}".to_owned(), "not that of glTF; export the file again"),
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
