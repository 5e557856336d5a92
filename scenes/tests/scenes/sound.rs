//! Promises that hold for any bytes: a scene is sound, or refused in a line.

use glam::Vec3;
use heapwood_scenes::{Loaded, MAX_COORDINATE, Scene, SceneError};
use proptest::prelude::*;
use proptest::sample::Index;

/// Checks what was read; returns the scene if there is one.
pub fn assert_sound(read: Result<Loaded, SceneError>) -> Option<Scene> {
    let loaded = match read {
        Ok(loaded) => loaded,
        Err(error) => {
            assert!(!error.to_string().contains(['\n', '\r']), "{error}");
            return None;
        }
    };
    let positions = loaded.scene.positions();
    let mut values = positions.iter().flatten().flat_map(|v| v.to_array());
    assert!(values.all(|value| value.abs() <= MAX_COORDINATE));
    let normals = loaded.scene.normals();
    assert!(normals.is_empty() || normals.len() == loaded.scene.len());
    let is_sound = |v: &Vec3| *v == Vec3::ZERO || (v.length() - 1.0).abs() < 1e-5;
    assert!(normals.as_flattened().iter().all(is_sound));
    for warning in loaded.warnings {
        assert!(!warning.to_string().contains(['\n', '\r']));
    }
    Some(loaded.scene)
}

/// A few bytes that change, and a place to cut at.
pub fn mutations() -> impl Strategy<Value = (Vec<(Index, u8)>, Index)> {
    let edit = (any::<Index>(), any::<u8>());
    (prop::collection::vec(edit, 1..6), any::<Index>())
}

/// The bytes so changed, whole and cut.
pub fn mutated(mut bytes: Vec<u8>, (edits, cut): (Vec<(Index, u8)>, Index)) -> [Vec<u8>; 2] {
    for (at, byte) in edits {
        let at = at.index(bytes.len());
        bytes[at] = byte;
    }
    let cut = bytes[..cut.index(bytes.len())].to_vec();
    [bytes, cut]
}
