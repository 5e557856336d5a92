//! Pictures from inside a closed shape, where every pixel must hit it.

use glam::Vec3;
use heapwood::tree::HostTree;
use heapwood_scenes::Camera;

use crate::brute::{self, Built, RayFloats};
use crate::soups::Triangles;

/// Pixels of a picture's side.
pub const SIDE: u32 = 256;

/// A pixel that shows nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Miss {
    /// The ray.
    pub ray: RayFloats,
    /// The triangle that a search through all of them finds, if any: then the tree is wrong or
    /// its traversal, else the intersection of rays and triangles.
    pub triangle: Option<u32>,
}

/// The pixels that miss in pictures from a point, one in each of six directions.
///
/// # Panics
///
/// If there is no such camera.
pub fn misses(triangles: &Triangles, tree: &HostTree, eye: [f32; 3]) -> Vec<Miss> {
    let built = Built {
        nodes: tree.nodes.clone(),
        references: tree.references.clone(),
    };
    let rays: Vec<RayFloats> = rays(eye);
    let hits = brute::trace(triangles, &tree.bounds, &built, &rays, 1);
    let missed = rays.iter().zip(hits).filter(|(_, hit)| !hit.is_some());
    missed
        .map(|(&ray, _)| {
            let hit = brute::closest(triangles, &tree.bounds, &ray);
            Miss {
                ray,
                triangle: hit.is_some().then_some(hit.triangle),
            }
        })
        .collect()
}

/// The rays of the six pictures.
fn rays(eye: [f32; 3]) -> Vec<RayFloats> {
    let eye = Vec3::from_array(eye);
    let mut rays = Vec::new();
    for (forward, up) in [
        (Vec3::X, Vec3::Y),
        (Vec3::NEG_X, Vec3::Y),
        (Vec3::Y, Vec3::Z),
        (Vec3::NEG_Y, Vec3::Z),
        (Vec3::Z, Vec3::Y),
        (Vec3::NEG_Z, Vec3::Y),
    ] {
        let camera = Camera::new(eye, eye + forward, up, 90.0, SIDE, SIDE).expect("a camera");
        let basis = camera.rays();
        for y in 0..SIDE {
            for x in 0..SIDE {
                let ([x0, y0, z0], [dx, dy, dz]) =
                    (basis.origin.to_array(), basis.direction(x, y).to_array());
                rays.push([x0, y0, z0, dx, dy, dz]);
            }
        }
    }
    rays
}
