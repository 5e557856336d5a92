//! Colours of vertices, which are linear, and alpha, which some materials have.

use super::file::*;
use heapwood_scenes::{CornerColours, Loaded};

/// A file of a square, whose material is as `material` says, with the colours of its five vertices
/// in these bytes.
fn coloured(about: &str, material: &str, colours: &[u8]) -> Loaded {
    let primitive = r#"{"attributes": {"POSITION": 0, "COLOR_0": 4}, "indices": 1, "material": 0}"#;
    let others = format!(r#", "materials": [{{{material}}}]"#);
    let bytes = [bytes(), colours.to_vec()].concat();
    let text = document(None, r#"{"mesh": 0}"#, primitive, &others);
    let view = format!(
        r#"{{"buffer": 0, "byteOffset": 88, "byteLength": {}}}"#,
        colours.len()
    );
    let text = text.replacen(
        r#""byteLength": 28}]"#,
        &format!(r#""byteLength": 28}}, {view}]"#),
        1,
    );
    let accessor = format!(r#", {{"bufferView": 2, "count": 5, {about}}}]"#);
    let text = text.replacen("\n    ]", &accessor, 1);
    let length = format!(r#""byteLength": {}}}"#, bytes.len());
    let text = text.replacen(r#""byteLength": 88}"#, &length, 1);
    read(glb(&text, Some(&bytes))).unwrap()
}

fn lines(loaded: &Loaded) -> Vec<String> {
    loaded.warnings.iter().map(ToString::to_string).collect()
}

/// The colours of the corners 0, 1, 2 and 0, 2, 3.
fn corners(of: [[f32; 4]; 4]) -> Vec<CornerColours> {
    vec![[of[0], of[1], of[2]], [of[0], of[2], of[3]]]
}

const FLOATS: &str = r#""componentType": 5126, "type": "VEC3""#;
const BYTES: &str = r#""componentType": 5121, "normalized": true, "type": "VEC4""#;

fn floats(values: &[f32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

#[test]
fn colours_of_every_type_are_linear() {
    let rows = [
        [0.0, 0.5, 1.0],
        [1.0, 0.25, 0.0],
        [1.0; 3],
        [0.125; 3],
        [0.0; 3],
    ];
    let loaded = coloured(FLOATS, "", &floats(rows.as_flattened()));
    assert_eq!(lines(&loaded), [""; 0]);
    let of = |at: usize| [rows[at][0], rows[at][1], rows[at][2], 1.0];
    assert_eq!(
        loaded.scene.colours(),
        corners([of(0), of(1), of(2), of(3)])
    );

    let wide = r#""componentType": 5123, "normalized": true, "type": "VEC4""#;
    let shorts: Vec<u8> = (0..20_u16)
        .flat_map(|at| (at * 3000).to_le_bytes())
        .collect();
    let loaded = coloured(wide, r#""alphaMode": "BLEND""#, &shorts);
    let of = |at: u16| [0, 1, 2, 3].map(|of| f32::from((4 * at + of) * 3000) / 65535.0);
    assert_eq!(
        loaded.scene.colours(),
        corners([of(0), of(1), of(2), of(3)])
    );
}

#[test]
fn alpha_counts_where_the_material_has_some() {
    let bytes: Vec<u8> = (0..20)
        .map(|at| if at % 4 == 3 { 51 } else { 255 })
        .collect();
    let loaded = coloured(BYTES, "", &bytes);
    assert_eq!((loaded.scene.colours(), loaded.warnings), (&[][..], vec![]));
    let loaded = coloured(BYTES, r#""alphaMode": "BLEND""#, &bytes);
    assert_eq!(loaded.scene.colours(), corners([[1.0, 1.0, 1.0, 0.2]; 4]));
    // Where colours scale it, the opacity is masked at each point.
    let mask = r#""alphaMode": "MASK", "alphaCutoff": 0.25,
        "pbrMetallicRoughness": {"baseColorFactor": [1, 1, 1, 0.75]}"#;
    let masked = &coloured(BYTES, mask, &bytes).scene.materials()[0].clone();
    assert_eq!((masked.opacity, masked.textures.cutoff), (0.75, Some(0.25)));
    let white = coloured(BYTES, mask, &[255; 20]).scene.materials()[0].clone();
    assert_eq!((white.opacity, white.textures.cutoff), (1.0, None));
}

#[test]
fn unsound_colours_are_warnings() {
    let mut values = [0.5; 15];
    (values[0], values[4]) = (f32::NAN, -1.0);
    let loaded = coloured(FLOATS, "", &floats(&values));
    let expected = "in.gltf: 2 colours of vertices have numbers that are not from 0 to 1; they become \
                    the nearest, and NaN becomes 1";
    assert_eq!(lines(&loaded), [expected]);
    assert_eq!(loaded.scene.colours()[0][0], [1.0, 0.5, 0.5, 1.0]);
    assert_eq!(loaded.scene.colours()[0][1], [0.5, 0.0, 0.5, 1.0]);
    let plain = BYTES.replace(r#""normalized": true, "#, "");
    let loaded = coloured(&plain, "", &[9; 20]);
    let expected = "in.gltf: accessors[4], of colours, is left out: accessors[4] is not of vectors \
                    (VEC3 or VEC4) of floats or of normalized unsigned integers of 8 or 16 bits";
    assert_eq!(lines(&loaded), [expected]);
    let short = coloured(
        FLOATS.replace("VEC3", "VEC2").as_str(),
        "",
        &floats(&values),
    );
    assert_eq!(lines(&short).len(), 1);
    // Sparse ones without a view are black.
    let sparse = r#""componentType": 5126, "type": "VEC4", "sparse": {"count": 1,
        "indices": {"bufferView": 1, "componentType": 5123}, "values": {"bufferView": 2}}"#;
    let text_of = coloured(sparse, "", &floats(&[1.0; 20]));
    assert_eq!(text_of.warnings, []);
}
