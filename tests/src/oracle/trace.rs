//! Rays in doubles: through a tree, and against all triangles.

use heapwood_device::kdtree::bounds::Bounds;
use heapwood_device::kdtree::node::Node;

/// A ray.
#[derive(Clone, Copy, Debug)]
pub struct Ray {
    /// Where it starts.
    pub origin: [f64; 3],
    /// Where it goes; of any length but 0.
    pub direction: [f64; 3],
}

/// How far past a plane a box counts as met, relative to the distance.
const SLACK: f64 = 1e-9;

/// The least distance, in lengths of the direction, at which a ray meets a
/// triangle (Möller and Trumbore).
fn hit(ray: &Ray, triangle: &[[f32; 3]; 3]) -> Option<f64> {
    let [a, b, c] = triangle.map(|v| v.map(f64::from));
    let minus = |a: [f64; 3], b: [f64; 3]| [0, 1, 2].map(|k| a[k] - b[k]);
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [
            a[1] * b[2] - a[2] * b[1],
            a[2] * b[0] - a[0] * b[2],
            a[0] * b[1] - a[1] * b[0],
        ]
    };
    let (ab, ac, from) = (minus(b, a), minus(c, a), minus(ray.origin, a));
    let normal = cross(ray.direction, ac);
    let scale = dot(ab, normal);
    if scale == 0.0 {
        return None;
    }
    let u = dot(from, normal) / scale;
    let side = cross(from, ab);
    let v = dot(ray.direction, side) / scale;
    let t = dot(ac, side) / scale;
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t >= 0.0).then_some(t)
}

/// The nearest hit among all triangles.
pub fn brute_force(triangles: &[[[f32; 3]; 3]], ray: &Ray) -> Option<f64> {
    let hits = triangles.iter().filter_map(|triangle| hit(ray, triangle));
    hits.min_by(f64::total_cmp)
}

/// The nearest hit by way of a tree. Hits of a leaf's triangles count wherever
/// they lie on the ray; the search ends when no box before the nearest is left.
pub fn closest_hit(
    nodes: &[Node],
    references: &[u32],
    triangles: &[[[f32; 3]; 3]],
    bounds: Bounds,
    ray: &Ray,
) -> Option<f64> {
    let (mut enter, mut leave) = (0.0, f64::INFINITY);
    for axis in 0..3 {
        let (origin, along) = (ray.origin[axis], ray.direction[axis]);
        let (lo, hi) = (f64::from(bounds.min[axis]), f64::from(bounds.max[axis]));
        if along == 0.0 {
            if origin < lo || origin > hi {
                return None;
            }
        } else {
            let (first, second) = ((lo - origin) / along, (hi - origin) / along);
            enter = f64::max(enter, first.min(second) - SLACK);
            leave = f64::min(leave, first.max(second) + SLACK);
        }
    }
    if enter > leave {
        return None;
    }
    let mut nearest: Option<f64> = None;
    let mut waiting = vec![(0, enter, leave)];
    while let Some((index, enter, leave)) = waiting.pop() {
        if nearest.is_some_and(|t| t < enter) {
            continue;
        }
        let node = nodes[index];
        if node.is_leaf() {
            let first = node.first_reference() as usize;
            for &id in &references[first..first + node.references() as usize] {
                if let Some(t) = hit(ray, &triangles[id as usize]) {
                    nearest = Some(nearest.map_or(t, |nearest| nearest.min(t)));
                }
            }
            continue;
        }
        let axis = node.axis() as usize;
        let distance = f64::from(node.position()) - ray.origin[axis];
        let along = ray.direction[axis];
        let (below, above) = (index + 1, node.right() as usize);
        if along == 0.0 {
            // In the plane itself both sides may have what the ray meets.
            if distance <= 0.0 {
                waiting.push((above, enter, leave));
            }
            if distance >= 0.0 {
                waiting.push((below, enter, leave));
            }
            continue;
        }
        let (near, far) = if along > 0.0 {
            (below, above)
        } else {
            (above, below)
        };
        let t = distance / along;
        if t <= leave + SLACK {
            waiting.push((far, enter.max(t - SLACK), leave));
        }
        if t >= enter - SLACK {
            waiting.push((near, enter, leave.min(t + SLACK)));
        }
    }
    nearest
}
