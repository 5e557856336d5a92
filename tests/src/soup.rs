//! Triangles and rays that are hard to traverse, the same on every run.

use heapwood_device::render::Triangle;

use crate::brute::RayFloats;
pub use crate::random::Random;

/// `count` triangles of all sizes within about the unit cube, some of them
/// needles, some without area, some twice.
pub fn soup(seed: u64, count: usize) -> Vec<Triangle> {
    let mut random = Random(seed);
    let mut triangles: Vec<Triangle> = Vec::with_capacity(count);
    while triangles.len() < count {
        let centre = random.point(1.0);
        let size = [0.01, 0.1, 0.1, 1.0][random.below(4)];
        let mut corner = || {
            let offset = random.point(size);
            [0, 1, 2].map(|i| centre[i] + offset[i])
        };
        let (a, b, mut c) = (corner(), corner(), corner());
        match random.below(16) {
            0 => c = [0, 1, 2].map(|i| a[i] + (b[i] - a[i]) * 0.999 + 1e-4 * c[i]),
            1 => c = b,
            2 => {
                if let Some(&last) = triangles.last() {
                    triangles.push(last);
                }
            }
            _ => {}
        }
        triangles.push([a, b, c]);
    }
    triangles.truncate(count);
    triangles
}

/// Walls of `side` by `side` squares perpendicular to each axis, at the
/// integers from 0 to `side`: every corner is shared and every triangle lies in
/// a plane where trees split.
pub fn grid(side: u32) -> Vec<Triangle> {
    let mut triangles = Vec::new();
    for axis in 0..3 {
        for layer in 0..=side {
            for i in 0..side {
                for j in 0..side {
                    let corner = |di: u32, dj: u32| {
                        let mut at = [0.0; 3];
                        at[axis] = layer as f32;
                        at[(axis + 1) % 3] = (i + di) as f32;
                        at[(axis + 2) % 3] = (j + dj) as f32;
                        at
                    };
                    triangles.push([corner(0, 0), corner(1, 0), corner(1, 1)]);
                    triangles.push([corner(0, 0), corner(1, 1), corner(0, 1)]);
                }
            }
        }
    }
    triangles
}

/// A closed sphere of radius 1 around 0, seen counterclockwise from outside:
/// each side of an octahedron in `parts * parts` triangles.
pub fn sphere(parts: u32) -> Vec<Triangle> {
    let mut triangles = Vec::new();
    for octant in 0..8 {
        let sign = [0, 1, 2].map(|i| if octant >> i & 1 == 0 { 1.0 } else { -1.0 });
        let corner = |i: u32, j: u32| {
            let at = [i as f32, j as f32, (parts - i - j) as f32];
            let length = at.iter().map(|x| x * x).sum::<f32>().sqrt();
            [0, 1, 2].map(|i| sign[i] * at[i] / length)
        };
        let mut push = |a, b, c| {
            let mirrored = sign[0] * sign[1] * sign[2] < 0.0;
            triangles.push(if mirrored { [a, c, b] } else { [a, b, c] });
        };
        for i in 0..parts {
            for j in 0..parts - i {
                push(corner(i, j), corner(i + 1, j), corner(i, j + 1));
                if i + j + 1 < parts {
                    push(corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1));
                }
            }
        }
    }
    triangles
}

/// The same triangles, scaled and moved.
pub fn moved(triangles: &[Triangle], scale: f32, by: [f32; 3]) -> Vec<Triangle> {
    let place = |corner: [f32; 3]| [0, 1, 2].map(|i| corner[i] * scale + by[i]);
    triangles.iter().map(|t| t.map(place)).collect()
}

/// `count` rays at the triangles, which are not empty: at corners, along edges, in the triangles'
/// planes, along axes, from on and off the scene, from near and far, with directions of every
/// length.
pub fn rays(seed: u64, count: usize, triangles: &[Triangle]) -> Vec<RayFloats> {
    let mut random = Random(seed);
    let mut rays = Vec::with_capacity(count);
    for _ in 0..count {
        let target = triangles[random.below(triangles.len())];
        let other = triangles[random.below(triangles.len())];
        let mix = |random: &mut Random, triangle: &Triangle| {
            let [a, b, c] = *triangle;
            let (u, v) = match random.below(4) {
                0 => (0.0, 0.0),
                1 => (0.5, 0.0),
                _ => (random.range(0.0, 0.5), random.range(0.0, 0.5)),
            };
            [0, 1, 2].map(|i| a[i] + u * (b[i] - a[i]) + v * (c[i] - a[i]))
        };
        let at = mix(&mut random, &target);
        let mut origin = match random.below(4) {
            0 => mix(&mut random, &other),
            1 => mix(&mut random, &target),
            2 => random.point(2.0),
            _ => random.point(100.0),
        };
        let axis = random.below(3);
        match random.below(6) {
            // Along an axis, through the target.
            0 => {
                let distance = origin[axis];
                origin = at;
                origin[axis] = distance;
            }
            // In a plane across an axis.
            1 => origin[axis] = at[axis],
            _ => {}
        }
        let mut direction = [0, 1, 2].map(|i| at[i] - origin[i]);
        match random.below(8) {
            // Almost along an axis, or a plane across it.
            0 => direction[axis] *= 1e-30,
            1 => direction[axis] = -0.0,
            2 => direction[axis] = 1e-42,
            3 => direction = random.point(1.0),
            _ => {}
        }
        let length = [1.0, 1.0, 1e-9, 1e9][random.below(4)];
        let [ox, oy, oz] = origin;
        let [dx, dy, dz] = direction.map(|d| d * length);
        rays.push([ox, oy, oz, dx, dy, dz]);
    }
    rays
}
