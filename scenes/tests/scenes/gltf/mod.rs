//! glTF and GLB files: every form of a mesh, where nodes place it, what is refused and how, and no
//! bytes that make the reader panic.

mod bad_input;
mod cameras_and_lights;
mod colours;
mod file;
mod mutated;
mod textures;
mod written;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use glam::Vec3;
use heapwood_scenes::{CleanOptions, Material, SceneError, load, read_gltf};

use file::*;

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
        ..CleanOptions::default()
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
        ["baseColorTexture", "emissiveTexture", "metallicRoughnessTexture"].map(|what| format!(
            "in.gltf: materials[2].{what}: the texture is not used: textures[0] does not exist; the \
             plain colour stands in"
        ))
    );
}

#[test]
fn what_is_left_out_is_said_once() {
    let primitives = [0, 1, 2, 3].map(|mode| format!(r#"{{"attributes": {{}}, "mode": {mode}}}"#));
    let primitives = format!("{}, {LIST}", primitives.join(","));
    let others = r#", "animations": [{"channels": [], "samplers": []}],
        "skins": [{"joints": [0]}], "extensionsUsed": ["EXT_mesh_gpu_instancing", "X_other"]"#;
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
            "in.gltf: not read: GPU instances, animations, skins, X_other"
        ]
    );
    assert_eq!(loaded.scene.len(), 2);
}
