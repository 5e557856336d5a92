//! Rays from within closed surfaces as modelling programs write them never miss: spheres,
//! cylinders, capsules and tori whose sines are rounded, with corners 1e-17 beside the planes of
//! symmetry.

use heapwood::tree::{Cores, Options};
use heapwood_device::render::Triangle;
use heapwood_tests::brute::{Built, RayFloats, Recipe, bounds_of, build, closest, trace};
use heapwood_tests::random::Random;
use heapwood_tests::shapes::Family;
use heapwood_tests::shapes::variant::Form;

/// A closed surface, and points within it.
struct Surface {
    name: String,
    triangles: Vec<Triangle>,
    points: Vec<[f32; 3]>,
}

fn surfaces() -> impl Iterator<Item = Surface> {
    let families = [
        (Family::Sphere, 48),
        (Family::Capsule, 32),
        (Family::Cylinder, 64),
        (Family::Torus, 48),
    ];
    families.into_iter().map(|(family, segments)| {
        let form = Form {
            family,
            segments,
            offset: Some(1e-17),
            axes: [0, 1, 2],
            is_clockwise: false,
        };
        let (triangles, inside) = form.triangles();
        let [x, y, z] = inside.expect("a closed surface");
        let offsets = [[0.0; 3], [0.1, -0.1, 0.05], [0.0, 0.12, 0.0]];
        Surface {
            name: format!("{family:?}"),
            triangles,
            points: offsets.map(|[u, v, w]| [x + u, y + v, z + w]).to_vec(),
        }
    })
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
        let program = |clip| {
            let options = Options {
                clip,
                ..Options::default()
            };
            let tree = cores.build(&triangles, options).expect("a tree").tree;
            Built {
                nodes: tree.nodes,
                references: tree.references,
            }
        };
        let trees = [
            build(&triangles, Recipe::DEEP),
            program(true),
            program(false),
        ];
        for point in points {
            let rays = rays_from(point, &triangles, &mut random);
            let nearest = |ray| closest(&triangles, &bounds, ray);
            let expected: Vec<_> = rays.iter().map(nearest).collect();
            for (ray, hit) in rays.iter().zip(&expected) {
                assert!(hit.is_some(), "{name}: {ray:?}");
            }
            for tree in &trees {
                let found = trace(&triangles, &bounds, tree, &rays, 1);
                assert!(found == expected, "{name} from {point:?}");
            }
        }
    }
}
