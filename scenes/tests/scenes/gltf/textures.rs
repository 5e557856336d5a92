//! Textures of glTF: images from everywhere, samplers, transforms, sets of coordinates.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use heapwood_scenes::{CleanOptions, Loaded, SceneError, Texturing, Wrap, read_gltf};
use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder};
use proptest::prelude::*;

/// A PNG file of one texel of this grey.
fn png(grey: u8) -> Vec<u8> {
    let mut file = Vec::new();
    let encoder = PngEncoder::new(&mut file);
    encoder
        .write_image(&[grey], 1, 1, ExtendedColorType::L8)
        .unwrap();
    file
}

/// A triangle with coordinates of floats in set 0 and normalized bytes in set 1, of the material
/// and with the lists that are given. Images: a view, a data URI and the file `a b.png`.
fn try_read(material: &str, lists: &str) -> Result<Loaded, SceneError> {
    try_read_with(material, lists, &png(9))
}

/// The same with these bytes in the file.
fn try_read_with(material: &str, lists: &str, beside: &[u8]) -> Result<Loaded, SceneError> {
    let mut bytes = Vec::new();
    for number in [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0] {
        bytes.extend(number.to_le_bytes());
    }
    for number in [0.25_f32, 0.5, f32::NAN, 2.0, 1e9, -1.0] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend([0, 255, 51, 102, 255, 0]);
    bytes.extend([0, 0]);
    let view = png(7);
    bytes.extend(&view);
    let data = STANDARD.encode(&bytes);
    let inline = STANDARD.encode(png(8));
    let (all, image) = (bytes.len(), view.len());
    let text = format!(
        r#"{{"asset": {{"version": "2.0"}}, "nodes": [{{"mesh": 0}}],
        "meshes": [{{"primitives": [{{"material": 0,
            "attributes": {{"POSITION": 0, "TEXCOORD_0": 1, "TEXCOORD_1": 2, "TEXCOORD_2": 0}}}}]}}],
        "accessors": [
            {{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3}},
            {{"bufferView": 1, "componentType": 5126, "type": "VEC2", "count": 3}},
            {{"bufferView": 2, "componentType": 5121, "normalized": true, "type": "VEC2", "count": 3}}],
        "bufferViews": [
            {{"buffer": 0, "byteLength": 36}}, {{"buffer": 0, "byteOffset": 36, "byteLength": 24}},
            {{"buffer": 0, "byteOffset": 60, "byteLength": 6}},
            {{"buffer": 0, "byteOffset": 68, "byteLength": {image}}}],
        "buffers": [{{"byteLength": {all}, "uri": "data:;base64,{data}"}}],
        "images": [{{"bufferView": 3, "mimeType": "image/png"}},
            {{"uri": "data:image/png;base64,{inline}"}}, {{"uri": "a%20b.png"}}, {{"uri": "no.png"}},
            {{"uri": "data:image/png;base64,AAAA"}}],
        "materials": [{{{material}}}]{lists}}}"#
    );
    let file = |name: &str, _| match name {
        "a b.png" => Ok(beside.to_vec()),
        _ => Err("no such file".to_owned()),
    };
    read_gltf("in.gltf", text.into(), file, CleanOptions::default())
}

fn read(material: &str, lists: &str) -> Loaded {
    try_read(material, lists).unwrap()
}

fn lines(loaded: &Loaded) -> Vec<String> {
    loaded.warnings.iter().map(ToString::to_string).collect()
}

const ALL: &str = r#", "textures": [{"source": 0, "sampler": 0}, {"source": 1}, {"source": 2},
        {"source": 3}, {"source": 4}, {"source": 0, "sampler": 9}, {"source": 77}, {}],
    "samplers": [{"wrapS": 33071, "wrapT": 33648, "magFilter": 9728}]"#;

#[test]
fn images_come_from_views_uris_and_files() {
    let loaded = read(
        r#""pbrMetallicRoughness": {"baseColorTexture": {"index": 0, "texCoord": 1},
            "metallicRoughnessTexture": {"index": 2, "texCoord": 1}, "metallicFactor": 0.5},
        "emissiveTexture": {"index": 1, "texCoord": 1}, "emissiveFactor": [1, 0.5, 0]"#,
        ALL,
    );
    assert_eq!(lines(&loaded), [""; 0]);
    let texturing = loaded.scene.texturing();
    let material = &loaded.scene.materials()[0];
    let textures = [
        material.textures.base,
        material.textures.emission,
        material.textures.surface,
    ]
    .map(|number| texturing.textures[number.unwrap() as usize]);
    let greys = textures.map(|texture| texturing.images[texture.image as usize].texels[0][0]);
    assert_eq!(greys, [7, 8, 9]);
    assert_eq!(textures[0].wrap, [Wrap::Clamp, Wrap::Mirror]);
    assert_eq!(textures[1].wrap, [Wrap::Repeat; 2]);
    assert_eq!(
        textures.map(|texture| texture.is_linear),
        [false, true, true]
    );
    // Their factors count beside them.
    assert_eq!((material.metallic, material.emission.y), (0.5, 0.5));
    let expected = [[0.0, 1.0], [51.0 / 255.0, 102.0 / 255.0], [1.0, 0.0]];
    assert_eq!(texturing.coordinates, [expected]);
}

#[test]
fn faults_of_coordinates_are_told() {
    let base = r#""pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}"#;
    let loaded = read(base, ALL);
    let expected = [[0.25, 0.5], [0.0, 0.0], [0.0, -1.0]];
    assert_eq!(loaded.scene.texturing().coordinates, [expected]);
    let told = "in.gltf: texture coordinates that are no numbers up to 1e6, or are not there: 0 \
                stands in for 2";
    assert_eq!(lines(&loaded), [told]);
    // Of positions, and none at all.
    let loaded = read(&base.replace("0}}", r#"0, "texCoord": 2}}"#), ALL);
    let plain = "in.gltf: 1 triangles with textures have no texture coordinates; plain colours \
                 are used";
    let lines_of = lines(&loaded);
    assert!(lines_of[0].starts_with("in.gltf: accessors[0]: the texture is not used: "));
    assert_eq!(lines_of[1..], [plain]);
    let material = loaded.scene.material_of()[0];
    assert!(!loaded.scene.materials()[material as usize].textures.any());
    let loaded = read(&base.replace("0}}", r#"0, "texCoord": 3}}"#), ALL);
    assert_eq!(lines(&loaded), [plain]);
}

#[test]
fn transforms_scale_turn_and_move() {
    let material = |transform: &str| {
        format!(
            r#""pbrMetallicRoughness": {{"baseColorTexture": {{"index": 0, "texCoord": 3,
            "extensions": {{"KHR_texture_transform": {{{transform}, "texCoord": 1}}}}}}}}"#
        )
    };
    let of = |transform: &str| read(&material(transform), ALL).scene.texturing().textures[0].map;
    let moved = of(r#""offset": [0.5, 0.25], "scale": [2, 4]"#);
    assert_eq!(moved, [2.0, 0.0, 0.5, 0.0, 4.0, 0.25]);
    // A quarter counterclockwise, in a picture whose rows go down: right becomes up.
    let turned = of(r#""rotation": 1.5707963267948966"#);
    let expected = [0.0, 1.0, 0.0, -1.0, 0.0, 0.0];
    for (found, expected) in turned.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-6, "{turned:?}");
    }
    // The parser or the scene refuses it, depending on the features of serde_json.
    match try_read(&material(r#""scale": [1e39, 1]"#), ALL) {
        Ok(loaded) => {
            assert!(lines(&loaded)[0].ends_with("too large; the plain colour stands in"));
        }
        Err(error) => assert!(error.to_string().contains("number"), "{error}"),
    }
}

#[test]
fn what_cannot_be_had_is_a_warning_and_the_factor() {
    for (texture, place, cause) in [
        (3, "images[3]", "no.png: no such file"),
        (4, "images[4]", "it is neither PNG, JPEG, BMP, TGA nor WebP"),
        (
            5,
            "materials[0].baseColorTexture",
            "its sampler does not exist",
        ),
        (6, "images[77]", "it does not exist"),
        (
            7,
            "materials[0].baseColorTexture",
            "textures[7] names no image of a kind that is read",
        ),
        (
            8,
            "materials[0].baseColorTexture",
            "textures[8] does not exist",
        ),
    ] {
        let material = format!(
            r#""pbrMetallicRoughness": {{"baseColorTexture": {{"index": {texture}}},
            "baseColorFactor": [0.5, 0.25, 0, 1]}}"#
        );
        let loaded = read(&material, ALL);
        let expected = format!(
            "in.gltf: {place}: the texture is not used: {cause}; the plain colour stands in"
        );
        assert_eq!(lines(&loaded), [expected]);
        assert_eq!(loaded.scene.texturing(), &Texturing::default());
        assert_eq!(
            loaded.scene.materials()[0].diffuse.to_array(),
            [0.5, 0.25, 0.0]
        );
    }
    // Without their textures an emission and a metal of 1 say nothing.
    let loaded = read(
        r#""pbrMetallicRoughness": {"metallicRoughnessTexture": {"index": 3}},
        "emissiveTexture": {"index": 0, "texCoord": 1}, "emissiveFactor": [1, 1, 1]"#,
        ALL,
    );
    let material = &loaded.scene.materials()[0];
    assert_eq!(material.metallic, 0.0);
    // The texture of another set than that of the first.
    let place = "in.gltf: materials[0].metallicRoughnessTexture: the texture is not used: it takes \
                 other coordinates than the material's first texture; the plain colour stands in";
    assert_eq!(lines(&loaded), [place]);
    assert!(material.textures.emission.is_some());
}

#[test]
fn alpha_is_that_of_the_base_colour_where_it_counts() {
    for (mode, opacity, cutoff) in [
        ("OPAQUE", false, None),
        ("BLEND", true, None),
        ("MASK", true, Some(0.25)),
    ] {
        let loaded = read(
            &format!(
                r#""alphaMode": "{mode}", "alphaCutoff": 0.25, "pbrMetallicRoughness":
                {{"baseColorTexture": {{"index": 2, "texCoord": 1}}, "baseColorFactor": [1, 1, 1, 0.125]}}"#
            ),
            ALL,
        );
        let material = &loaded.scene.materials()[0];
        assert_eq!(material.textures.opacity.is_some(), opacity, "{mode}");
        assert_eq!(material.textures.cutoff, cutoff, "{mode}");
        assert_eq!(
            material.opacity,
            if opacity { 0.125 } else { 1.0 },
            "{mode}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn images_of_any_bytes_are_refused_or_read(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
    ) {
        let mut image = png(9);
        for (at, byte) in edits {
            let at = at.index(image.len());
            image[at] = byte;
        }
        if is_cut {
            image.truncate(cut.index(image.len()));
        }
        let base = r#""pbrMetallicRoughness": {"baseColorTexture": {"index": 2, "texCoord": 1}}"#;
        let loaded = try_read_with(base, ALL, &image).unwrap();
        let texturing = loaded.scene.texturing();
        let lines = lines(&loaded);
        if texturing.images.is_empty() {
            let place = "in.gltf: images[2]: the texture is not used: ";
            prop_assert!(lines.len() == 1 && lines[0].starts_with(place), "{lines:?}");
            prop_assert!(!loaded.scene.materials()[0].textures.any());
        } else {
            prop_assert_eq!(lines, [""; 0]);
        }
    }
}
