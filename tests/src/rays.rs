//! Rays of an image and random ones, and what they hit in a tree that a backend
//! has built: by the kernel `Trace`, on that backend.

use glam::Vec3;
use heapwood::allocators::Spec;
use heapwood::backend::Backend;
use heapwood::size::Pool;
use heapwood::tree::{Builder, Ray};
use heapwood_device::kdtree::plan::Options;
use heapwood_device::render::{Bounds, Hit, Triangle};
use heapwood_scenes::{Camera, Scene};

use crate::brute::RayFloats;
use crate::soup::Random;

/// Pixels of an image's side.
const SIDE: u32 = 512;
/// Random rays of a scene.
const RANDOM_RAYS: usize = 100_000;

/// The rays that a scene is tried with: of a 512x512 image of all of it, as
/// `render` makes them, and 100,000 random ones.
///
/// # Panics
///
/// If there is no camera that sees the scene.
pub fn rays_of(scene: &Scene, triangles: &[Triangle], bounds: &Bounds) -> Vec<RayFloats> {
    let camera = Camera::frame(scene.bounds(), SIDE, SIDE, 45.0).expect("a camera");
    let basis = camera.rays();
    let pixels = (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y)));
    let image = pixels.map(|(x, y)| floats(basis.origin, basis.direction(x, y)));
    image
        .chain(random(1, RANDOM_RAYS, triangles, bounds))
        .collect()
}

/// Random rays that begin in the scene's box or near it, and go to other such
/// points, to points of triangles, and to corners.
fn random(
    seed: u64,
    count: usize,
    triangles: &[Triangle],
    bounds: &Bounds,
) -> impl Iterator<Item = RayFloats> {
    let mut random = Random(seed);
    (0..count).map(move |_| {
        let origin = somewhere(&mut random, bounds);
        let target = match random.below(4) {
            0 => somewhere(&mut random, bounds),
            1 => Vec3::from_array(triangles[random.below(triangles.len())][0]),
            _ => {
                let triangle = &triangles[random.below(triangles.len())];
                on_triangle(&mut random, triangle)
            }
        };
        floats(origin, target - origin)
    })
}

/// A point in the box made a fifth larger.
fn somewhere(random: &mut Random, bounds: &Bounds) -> Vec3 {
    let part = Vec3::from_array([0; 3].map(|_| random.range(-0.1, 1.1)));
    let [min, max] = [bounds.min, bounds.max].map(Vec3::from_array);
    min + part * (max - min)
}

fn on_triangle(random: &mut Random, triangle: &Triangle) -> Vec3 {
    let [a, b, c] = triangle.map(Vec3::from_array);
    let (u, v) = (random.range(0.0, 1.0), random.range(0.0, 1.0));
    let (u, v) = if u + v > 1.0 {
        (1.0 - u, 1.0 - v)
    } else {
        (u, v)
    };
    a + (b - a) * u + (c - a) * v
}

fn floats(origin: Vec3, direction: Vec3) -> RayFloats {
    let (o, d) = (origin, direction);
    [o.x, o.y, o.z, d.x, d.y, d.z]
}

/// Builds the scene's tree on the backend with the defaults of the program and
/// follows the rays through it there.
///
/// # Panics
///
/// If the backend fails.
pub fn trace(
    backend: &dyn Backend,
    scene: &Scene,
    bounds: &Bounds,
    rays: &[RayFloats],
) -> Vec<Hit> {
    let spec = Spec::parse("cfmmalloc").expect("an allocator");
    let pool = Pool::Auto;
    let built = Builder::Kernels { spec, pool }.build(backend, scene, Options::default());
    let tree = built.expect("a tree").tree;
    assert_eq!(tree.shape().bounds, *bounds);

    let rays: Vec<Ray> = rays.iter().map(ray).collect();
    tree.trace(&rays).expect("the rays end")
}

fn ray(&[x, y, z, dx, dy, dz]: &RayFloats) -> Ray {
    Ray {
        origin: [x, y, z],
        direction: [dx, dy, dz],
    }
}
