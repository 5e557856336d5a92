//! No bytes make the reader panic.

use heapwood_scenes::{CleanOptions, MAX_COORDINATE, read_gltf};
use proptest::prelude::*;

use super::file::*;
use crate::sound::{assert_sound, mutated, mutations};

fn survives(bytes: Vec<u8>) {
    let file = |_: &str, _| Ok(b"0123456789".to_vec());
    let read = read_gltf("any", bytes, file, CleanOptions::default());
    let Some(scene) = assert_sound(read) else {
        return;
    };
    for camera in scene.cameras() {
        // Far away from what they see, they have no direction in floats.
        let view = camera.view(scene.bounds(), scene.offset());
        let is_near = camera.eye.abs().max_element() < 1e5;
        let camera = view.camera(scene.bounds(), scene.offset());
        assert!(!is_near || camera.is_ok(), "{view:?}: {camera:?}");
    }
    let lights = scene.lights();
    for point in &lights.points {
        assert!(point.position.abs().max_element() <= MAX_COORDINATE.into());
        assert!(point.intensity.is_finite() && point.intensity.min_element() >= 0.0);
    }
    for sun in &lights.suns {
        assert!((sun.direction.length() - 1.0).abs() < 1e-5);
        assert!(sun.irradiance.is_finite() && sun.irradiance.min_element() >= 0.0);
    }
    for spot in &lights.spots {
        assert!(spot.position.abs().max_element() <= MAX_COORDINATE.into());
        assert!((spot.direction.length() - 1.0).abs() < 1e-5);
        assert!(spot.intensity.is_finite() && spot.intensity.min_element() >= 0.0);
        assert!(spot.angle_degrees > 0.0 && spot.angle_degrees <= 180.0);
        assert!((0.0..=spot.angle_degrees).contains(&spot.inner_degrees));
    }
}

/// A file with most of what is read.
fn rich(uri: Option<&str>) -> String {
    let primitives = r#"{"attributes": {"POSITION": 0, "TEXCOORD_4": 0, "NORMAL": 0}, "indices": 1, "material": 0},
        {"attributes": {"POSITION": 0}, "indices": 2, "mode": 5}, {"attributes": {}, "mode": 1},
        {"attributes": {"POSITION": 0}, "indices": 3, "mode": 6}"#;
    let nodes = r#"{"mesh": 0, "children": [1, 2]}, {"mesh": 0, "scale": [2, 2, -2]},
        {"rotation": [0, 0, 1, 0], "translation": [1, 2, 3], "camera": 0, "name": "eye",
            "extensions": {"KHR_lights_punctual": {"light": 1}}, "children": [3]},
        {"camera": 1, "extensions": {"KHR_lights_punctual": {"light": 0}}, "children": [4]},
        {"extensions": {"KHR_lights_punctual": {"light": 2}}}"#;
    let others = r#", "materials": [{"emissiveFactor": [1, 1, 1], "pbrMetallicRoughness":
            {"baseColorTexture": {"index": 0, "texCoord": 4}}}],
        "textures": [{"source": 0, "sampler": 0}], "samplers": [{}],
        "cameras": [{"type": "perspective", "perspective": {"yfov": 0.5, "znear": 1, "aspectRatio": 2}},
            {"type": "orthographic", "orthographic": {"xmag": 1, "ymag": 1, "zfar": 9, "znear": 0}}],
        "extensions": {"KHR_lights_punctual": {"lights": [{"type": "point", "intensity": 1000},
            {"type": "directional", "color": [1, 0.5, 0]}, {"type": "spot", "spot": {"innerConeAngle": 0.25}}]}},
        "images": [{"bufferView": 1}, {"uri": "a.png"}], "scenes": [{"nodes": [0]}]"#;
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
        mutations in mutations(),
    ) {
        let bytes = match is_binary {
            true => glb(&rich(None), Some(&bytes())),
            false => rich(Some(&data_uri())).into_bytes(),
        };
        mutated(bytes, mutations).into_iter().for_each(survives);
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
        let (cameras, lights) = (loaded.scene.cameras(), loaded.scene.lights());
        assert_eq!(
            (cameras.len(), lights.points.len(), lights.suns.len()),
            (1, 1, 1)
        );
        assert_eq!(lights.spots.len(), 1);
    }
}
