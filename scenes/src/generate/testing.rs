//! Measures of surfaces for the tests of generators.

use std::collections::HashMap;

use crate::{CleanOptions, Scene};

/// How often each edge occurs, by the positions of its ends.
pub(super) fn edges_by_position(scene: &Scene) -> HashMap<[[u32; 3]; 2], u32> {
    let mut counts = HashMap::new();
    for [a, b, c] in scene.positions() {
        for (a, b) in [(a, b), (b, c), (c, a)] {
            let mut ends = [a, b].map(|v| v.to_array().map(f32::to_bits));
            ends.sort_unstable();
            *counts.entry(ends).or_insert(0) += 1;
        }
    }
    counts
}

/// How often each edge occurs in its direction, by the indices of its ends.
pub(super) fn edges_by_index(scene: &Scene) -> HashMap<[u32; 2], u32> {
    let mut counts = HashMap::new();
    for &[a, b, c] in scene.triangles() {
        for edge in [[a, b], [b, c], [c, a]] {
            *counts.entry(edge).or_insert(0) += 1;
        }
    }
    counts
}

/// The volume within closed surfaces; positive if they look outwards.
pub(super) fn volume(scene: &Scene) -> f64 {
    let part = |[a, b, c]: &[glam::Vec3; 3]| f64::from(a.dot(b.cross(*c))) / 6.0;
    scene.positions().iter().map(part).sum()
}

/// Makes sure that cleaning leaves a scene as it is.
pub(super) fn sound(scene: &Scene) {
    let (cleaned, report) = scene.clone().clean(CleanOptions::default()).unwrap();
    assert_eq!(cleaned.len(), scene.len(), "{report}");
    assert_eq!(cleaned.vertices().len(), scene.vertices().len());
    assert_eq!(cleaned.input_hash(), scene.input_hash());
}
