//! Files as programs write them, beyond what the parser of the JSON takes.

use super::file::*;
use crate::table::rows;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use glam::DVec3;
use heapwood_scenes::{Bounds, GltfProblem};

fn with(from: &str, to: &str) -> String {
    let text = document(Some(&data_uri()), r#"{"mesh": 0}"#, LIST, "");
    assert!(text.contains(from), "{from}");
    text.replacen(from, to, 1)
}

fn warnings(text: impl Into<Vec<u8>>) -> Vec<String> {
    let loaded = read(text).unwrap();
    assert_eq!(loaded.scene.positions(), triangles([[0, 1, 2], [0, 2, 3]]));
    loaded.warnings.iter().map(ToString::to_string).collect()
}

fn refusal(text: impl Into<Vec<u8>>) -> String {
    let message = read(text).unwrap_err().to_string();
    assert!(!message.contains('\n'), "{message}");
    message
}

#[test]
fn extras_of_any_type_and_whole_numbers_of_any_form_are_read() {
    for [from, to] in rows(
        r#""asset": { | "asset": {"extras": ["x"],
           "mesh": 0 | "mesh": 0, "extras": "author"
           "mesh": 0 | "mesh": 0.0, "extras": 3
           "mesh": 0 | "mesh": 0, "extras": null, "children": null
           "mesh": 0 | "mesh": 0, "extras": {"a": 1}, "translation": [0, 0.0, 0e0]
           5126 | 5126.0
           5123 | 5.123e3
           "count": 5 | "count": 5.0
           "byteLength": 60 | "byteLength": 60.0, "extras": [1.5]
           "version": "2.0" | "version": 2.0
           "version": "2.0" | "version": 2
           "version": "2.0" | "version": "2.0", "minVersion": "2.0"
           "version": "2.0" | "version": "2.1", "minVersion": 2.0
           "version": "2.0" | "version": "2"
           "buffers": | "scenes": [{"nodes": [0]}, {"name": "none"}], "buffers":
           "buffers": | "materials": [{"extras": "s"}], "extras": true, "buffers":"#,
    ) {
        assert_eq!(warnings(with(from, to)), [""; 0], "{to}");
    }
    // As in text, a byte order mark in GLB; and zeros for blanks behind it.
    let json = document(None, r#"{"mesh": 0}"#, LIST, "");
    let marked = glb(&format!("\u{feff}{json}\0\0\0"), Some(&bytes()));
    assert_eq!(warnings(marked), [""; 0]);
}

#[test]
fn versions_that_are_not_read_are_named() {
    for [from, to, version] in rows(
        r#""version": "2.0" | "version": "1.0" | 1.0
           "version": "2.0" | "version": 1.1 | 1.1
           "version": "2.0" | "version": "3.0" | 3.0
           "version": "2.0" | "version": "2.0", "minVersion": "2.1" | 2.1
           "version": "2.0" | "version": "3.1", "minVersion": "3.0" | 3.0"#,
    ) {
        let expected = format!("in.gltf: version {version} of glTF: only 2.0 is read");
        let message = refusal(with(from, to));
        assert!(message.starts_with(&expected), "{to}: {message}");
    }
    // Objects have names in glTF 1.0, and the asset may be left out.
    for asset in [r#""asset": {"version": "1.0"}, "#, ""] {
        let text = format!(
            r#"{{{asset}"nodes": {{"n": {{"meshes": ["m"]}}}}, "meshes": {{"m": {{"primitives": []}}}}}}"#
        );
        let message = refusal(text);
        assert!(
            message.starts_with("in.gltf: version 1.0 of glTF"),
            "{message}"
        );
    }
}

#[test]
fn what_is_missing_is_named_with_its_place() {
    for [from, to, expected] in rows(
        r#", "count": 6 |  | accessors[1]: missing field `count`
           {"buffer": 0, "byteLength": 60} | {"buffer": 0} | bufferViews[0]: missing field `byteLength`
           "attributes": {"POSITION": 0}, |  | meshes[0].primitives[0]: missing field
           "mesh": 0 | "mesh": "a" | nodes[0].mesh: invalid type: string
           "mesh": 0 | "mesh": 0.5 | nodes[0].mesh: invalid type: floating point
           "mesh": 0 | "mesh": -1.0 | nodes[0].mesh: invalid type: integer `-1`"#,
    ) {
        let text = with(from, to);
        let message = refusal(text);
        assert!(
            message.starts_with(&format!("in.gltf: {expected}")),
            "{to}: {message}"
        );
    }
    let points = with(r#""indices": 1"#, r#""mode": 0"#);
    let problem = GltfProblem::PointsAndLines(1);
    assert_eq!(refusal(points), format!("in.gltf: {problem}"));
}

#[test]
fn extensions_that_are_not_read_are_warnings() {
    let used = r#""extensionsUsed": ["KHR_materials_clearcoat", "KHR_materials_ior", "KHR_xmp"], "#;
    let text = with(r#""buffers": "#, &format!(r#"{used}"buffers": "#));
    assert_eq!(
        warnings(text),
        ["in.gltf: not read: KHR_materials_clearcoat"]
    );
}

#[test]
fn diffuse_colour_and_gloss_stand_for_metal_and_roughness() {
    let gloss = r#""materials": [{"extensions": {"KHR_materials_pbrSpecularGlossiness":
        {"diffuseFactor": [1, 0.5, 0, 1], "glossinessFactor": 0.75}}}], "buffers": "#;
    let text = with(r#""buffers": "#, gloss).replacen(
        r#""indices": 1"#,
        r#""indices": 1, "material": 0"#,
        1,
    );
    let loaded = read(text).unwrap();
    let material = &loaded.scene.materials()[0];
    assert_eq!(material.diffuse.to_array(), [1.0, 0.5, 0.0]);
    assert_eq!((material.metallic, material.roughness), (0.0, Some(0.25)));
    let lines: Vec<String> = loaded.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(lines, ["in.gltf: not read: specular colours"]);
}

#[test]
fn vertices_that_no_triangle_uses_need_not_be_finite() {
    // The fifth position is beside the square.
    let mut numbers = bytes();
    numbers[48..52].copy_from_slice(&f32::NAN.to_le_bytes());
    let text = document(None, r#"{"mesh": 0}"#, LIST, "");
    let expected = "in.gltf: coordinates that are not finite or beyond 1e18, of 1 vertices; triangles \
                    with them are left out";
    assert_eq!(warnings(glb(&text, Some(&numbers))), [expected]);
}

#[test]
fn nodes_that_move_meshes_far_have_an_offset() {
    let far = r#"{"mesh": 0, "translation": [4000000, 5000000, 0], "scale": [0.25, 0.25, 0.25]}"#;
    let text = document(Some(&data_uri()), far, LIST, "");
    let shifted = text.replacen("4000000", "4000000.1", 1);
    // Numbers of glTF are 32-bit floats, and this square fits their steps.
    let unmoved = read(shifted.replacen("0.25, 0.25, 0.25", "1, 1, 1", 1)).unwrap();
    assert_eq!(unmoved.scene.offset(), DVec3::ZERO);
    for (side, translation) in [("0.9", "4000000"), ("0.25", "4000000.1")] {
        let text = text.replacen("0.25, 0.25, 0.25", &[side; 3].join(", "), 1);
        let loaded = read(text.replacen("4000000", translation, 1)).unwrap();
        assert_eq!(loaded.warnings, []);
        let scene = loaded.scene;
        assert_eq!(scene.offset().to_array(), [4e6, 5e6, 0.0]);
        // The transform has the digits of doubles.
        let (side, x): (f64, f64) = (side.parse().unwrap(), translation.parse().unwrap());
        let Bounds { min, max } = scene.bounds();
        assert_eq!(min.to_array(), [(x - 4e6) as f32, 0.0, 0.0]);
        assert_eq!(max.to_array(), [(x + side - 4e6) as f32, side as f32, 0.0]);
    }
}

#[test]
fn images_of_webp_are_those_of_their_extension() {
    let texel = image::RgbImage::from_pixel(1, 1, image::Rgb([255, 0, 0]));
    let mut file = std::io::Cursor::new(Vec::new());
    texel.write_to(&mut file, image::ImageFormat::WebP).unwrap();
    let image = STANDARD.encode(file.into_inner());
    let others = format!(
        r#""extensionsRequired": ["EXT_texture_webp"], "extensionsUsed": ["EXT_texture_webp"],
        "materials": [{{"pbrMetallicRoughness": {{"baseColorTexture": {{"index": 0}}}}}}],
        "textures": [{{"extensions": {{"EXT_texture_webp": {{"source": 0.0}}}}}}],
        "images": [{{"uri": "data:image/webp;base64,{image}"}}], "buffers": "#
    );
    let text = with(r#""buffers": "#, &others);
    let textured = r#""POSITION": 0, "TEXCOORD_0": 4}, "material": 0"#;
    let text = text.replacen(r#""POSITION": 0}"#, textured, 1);
    let pairs = r#", {"bufferView": 0, "componentType": 5126, "type": "VEC2", "count": 5}]"#;
    let text = text.replacen("\n    ]", pairs, 1);
    let loaded = read(text).unwrap();
    let lines: Vec<String> = loaded.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(lines, [""; 0]);
    assert_eq!(
        loaded.scene.texturing().images[0].texels,
        [[255, 0, 0, 255]]
    );
}
