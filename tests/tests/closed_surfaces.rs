//! Rays from within closed surfaces as modelling programs write them never miss: spheres, cylinders,
//! capsules and tori whose sines are rounded, with corners 1e-17 beside the planes of symmetry.

use std::f64::consts::{PI, TAU};

use heapwood::tree::{Cores, Options};
use heapwood_device::render::Triangle;
use heapwood_tests::brute::{Built, RayFloats, Recipe, bounds_of, build, closest, trace};
use heapwood_tests::soup::Random;

/// A point of a profile: its distance from the axis, and its height.
type Profile = Vec<[f64; 2]>;

/// The surface of a profile that turns around the y axis. Triangles without extent are left out.
fn revolved(profile: &[[f64; 2]], segments: usize) -> Vec<Triangle> {
    let corner = |row: usize, column: usize| {
        let [radius, height] = profile[row];
        let (sine, cosine) = (TAU * (column % segments) as f64 / segments as f64).sin_cos();
        [radius * cosine, height, radius * sine].map(|x| x as f32)
    };
    let mut triangles = Vec::new();
    for row in 0..profile.len() - 1 {
        for column in 0..segments {
            let (a, b) = (corner(row, column), corner(row, column + 1));
            let (c, d) = (corner(row + 1, column), corner(row + 1, column + 1));
            triangles.extend([[a, c, d], [a, d, b]]);
        }
    }
    triangles.retain(|[a, b, c]| a != b && b != c && c != a);
    triangles
}

/// An arc of this radius from one angle above the horizon to another.
fn arc(centre: [f64; 2], radius: f64, [from, to]: [f64; 2], parts: usize) -> Profile {
    let point = |part: usize| {
        let angle = from + (to - from) * part as f64 / parts as f64;
        let (sine, cosine) = angle.sin_cos();
        [centre[0] + radius * cosine, centre[1] + radius * sine]
    };
    (0..=parts).map(point).collect()
}

/// A closed surface, and points within it.
struct Surface {
    name: &'static str,
    triangles: Vec<Triangle>,
    points: Vec<[f32; 3]>,
}

fn surfaces() -> Vec<Surface> {
    // A pole is one point, whatever the cosine of a right angle is.
    let closed = |mut profile: Profile| {
        profile.first_mut().expect("points")[0] = 0.0;
        profile.last_mut().expect("points")[0] = 0.0;
        profile
    };
    let quarter = 0.5 * PI;
    let sphere = closed(arc([0.0; 2], 1.0, [quarter, -quarter], 24));
    let capsule = [
        arc([0.0, 0.5], 0.5, [quarter, 0.0], 8),
        arc([0.0, -0.5], 0.5, [0.0, -quarter], 8),
    ];
    let capsule = closed(capsule.concat());
    let cylinder = vec![[0.0, 1.0], [1.0, 1.0], [1.0, -1.0], [0.0, -1.0]];
    // The last ring is the first one.
    let mut torus = arc([1.0, 0.0], 0.4, [0.0, -TAU], 24);
    let last = torus.len() - 1;
    torus[last] = torus[0];
    let middle = [[0.0; 3], [0.1, -0.2, 0.15], [0.0, 0.25, 0.0]];
    let within_tube = [[1.0, 0.0, 0.0], [0.0, 0.1, -1.0], [-0.8, 0.05, 0.6]];
    let surface = |name, profile: &[[f64; 2]], segments, points: &[[f32; 3]]| Surface {
        name,
        triangles: revolved(profile, segments),
        points: points.to_vec(),
    };
    vec![
        surface("sphere", &sphere, 48, &middle),
        surface("capsule", &capsule, 32, &middle),
        surface("cylinder", &cylinder, 128, &middle),
        surface("torus", &torus, 48, &within_tube),
    ]
}

/// Rays from a point to all corners, edges and middles, along axes and planes of symmetry, and
/// anywhere.
fn rays_from([x, y, z]: [f32; 3], triangles: &[Triangle], random: &mut Random) -> Vec<RayFloats> {
    let mut rays = Vec::new();
    let mut push = |[dx, dy, dz]: [f32; 3]| rays.push([x, y, z, dx, dy, dz]);
    for [a, b, c] in triangles {
        for (u, v) in [(0.0, 0.0), (0.5, 0.0), (0.25, 0.75), (0.3, 0.3)] {
            let at = [0, 1, 2].map(|i| a[i] + u * (b[i] - a[i]) + v * (c[i] - a[i]));
            push([at[0] - x, at[1] - y, at[2] - z]);
        }
    }
    let steps = [-1.0, -0.0, 0.0, 1e-17, 1e-4, 0.5, 1.0];
    for (dx, dy) in steps.iter().flat_map(|dx| steps.map(|dy| (*dx, dy))) {
        for dz in steps {
            push([dx, dy, dz]);
        }
    }
    (0..2000).for_each(|_| push(random.point(1.0)));
    rays.retain(|[.., dx, dy, dz]| dx.abs() + dy.abs() + dz.abs() > 1e-10);
    rays
}

#[test]
fn rays_from_within_never_miss() {
    let mut random = Random(9);
    let cores = Cores::new(Some(2)).expect("threads");
    for surface in surfaces() {
        let Surface {
            name,
            triangles,
            points,
        } = surface;
        let bounds = bounds_of(&triangles);
        let options = Options {
            clip: false,
            ..Options::default()
        };
        let tree = cores.build(&triangles, options).expect("a tree").tree;
        let program = Built {
            nodes: tree.nodes,
            references: tree.references,
        };
        let trees = [build(&triangles, Recipe::DEEP), program];
        for point in points {
            let rays = rays_from(point, &triangles, &mut random);
            for ray in &rays {
                let hit = closest(&triangles, &bounds, ray);
                assert!(hit.is_some(), "{name}: {ray:?}");
            }
            for tree in &trees {
                for (ray, hit) in rays.iter().zip(trace(&triangles, &bounds, tree, &rays, 1)) {
                    assert_eq!(hit, closest(&triangles, &bounds, ray), "{name}: {ray:?}");
                }
            }
        }
    }
}
