//! Rays through a scene, and what a tree of ours holds along them.

use heapwood::tree::HostTree;
use heapwood_device::render::{Bounds, Ray};

use glam::Vec3;

/// Random rays through a box: from a point of it in the direction to another one.
pub fn random(bounds: &Bounds, count: u32) -> Vec<(Vec3, Vec3)> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    // xorshift64, Marsaglia 2003.
    let mut unit = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1 << 24) as f32
    };
    let (low, high) = (Vec3::from(bounds.min), Vec3::from(bounds.max));
    let mut point = move || low + (high - low) * Vec3::new(unit(), unit(), unit());
    (0..count)
        .map(|_| {
            let (from, to) = (point(), point());
            let direction = (to - from).normalize_or(Vec3::X);
            // From outside, so that the whole line is inside the ray.
            (from - direction * 2.0 * (high - low).length(), direction)
        })
        .collect()
}

/// The different triangles in the leaves that a ray meets on its whole way.
pub fn candidates(tree: &HostTree, origin: Vec3, direction: Vec3) -> usize {
    let Some(ray) = Ray::new(origin, direction, &tree.bounds) else {
        return 0;
    };
    let (enter, leave) = ray.span(&tree.bounds);
    let mut found: Vec<u32> = Vec::new();
    let mut waiting = vec![(0, enter, leave)];
    while let Some((index, enter, leave)) = waiting.pop() {
        if enter > leave {
            continue;
        }
        let node = tree.nodes[index];
        if node.is_leaf() {
            let first = node.first_reference() as usize;
            found.extend(&tree.references[first..first + node.references() as usize]);
            continue;
        }
        let (lower, upper, upwards) = ray.crossing(node.axis(), node.position());
        let (below, above) = (index + 1, node.right() as usize);
        let (near, far, near_leave, far_enter) = if upwards {
            (below, above, upper, lower)
        } else {
            (above, below, lower, upper)
        };
        if near_leave >= enter {
            waiting.push((near, enter, near_leave.min(leave)));
        }
        if far_enter <= leave {
            waiting.push((far, far_enter.max(enter), leave));
        }
    }
    found.sort_unstable();
    found.dedup();
    found.len()
}
