//! The kernel `Ambient`: how open the surroundings of each pixel's surface are.
//!
//! Ambient occlusion is the part of a surface's hemisphere, weighted by the cosine with its
//! normal, in which nothing is nearer than a distance (Zhukov and others, 1998).

use glam::Vec3;

use super::direction::{Frame, cosine_direction};
use super::pixels::{CameraRays, Pixels, put};
use super::random::Sampler;
use super::ray::Ray;
use super::surface::SurfacePoint;
use super::traverse::Tree;
use crate::arguments;
use crate::kdtree::bounds::{Bounds, Triangle};
use crate::kdtree::node::Node;
use crate::kernel::PlainKernel;
use crate::simt::Warp;

arguments! {
    /// A tree and the window to make of it.
    pub struct AmbientArguments {
        pointers {
            /// As in `Tree::new`.
            nodes: Node,
            /// As in `Tree::new`.
            references: u32,
            /// As in `Tree::new`.
            triangles: Triangle,
            /// As in `RenderArguments`.
            bounds: Bounds,
            /// As in `RenderArguments`.
            camera: [f32; 3],
            /// For each pixel of the window how many of the launch's samples are open; all of
            /// them where the pixel shows no surface.
            pixels: [f32; 3],
            /// For each pixel of the window the shadow rays.
            rays: u32,
        }
        integers {
            /// As in `RenderArguments`.
            width: u32,
            /// As in `RenderArguments`.
            height: u32,
            /// As in `RenderArguments`.
            left: u32,
            /// As in `RenderArguments`.
            top: u32,
            /// Whether to add to what is in `pixels` and `rays`.
            is_added: bool,
            /// Number of the first sample.
            first: u32,
            /// Samples of the launch.
            samples: u32,
            /// How far away a surface occludes, above 0.
            distance: f32,
            /// The seed of the directions.
            seed: u32,
        }
    }
}

/// Counts open directions.
pub struct Ambient;

impl PlainKernel for Ambient {
    type Arguments = AmbientArguments;

    // As for paths: with 40 the traversal spills, and pictures take 9 to 32 % longer.
    const REGISTERS: u32 = 64;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, arguments: AmbientArguments) {
        // SAFETY: the arguments' contract.
        let (camera, bounds, tree) = unsafe {
            let bounds = arguments.bounds.read();
            let tree = Tree::new(
                arguments.nodes,
                arguments.references,
                arguments.triangles,
                bounds,
            );
            (CameraRays::read(arguments.camera), bounds, tree)
        };
        let mut pixels = Pixels::new(warp, arguments.width, arguments.height);
        while let Some((x, y)) = pixels.next() {
            let (column, row) = (x + arguments.left, y + arguments.top);
            let direction = camera.direction(column as f32 + 0.5, row as f32 + 0.5);
            let (mut open, mut rays) = (arguments.samples, 0);
            if let Some(ray) = Ray::new(camera.origin, direction, &bounds) {
                let hit = tree.closest_hit(&ray);
                if hit.is_some() {
                    // SAFETY: what a ray hits is in a leaf.
                    let surface = unsafe { SurfacePoint::hit(&ray, tree.address(hit.triangle)) };
                    let (origin, frame) =
                        (surface.offset_origin(&bounds), Frame::new(surface.normal));
                    for sample in 0..arguments.samples {
                        let index = arguments.first + sample;
                        let pair = Sampler::new(column, row, index, arguments.seed).get_2d();
                        let direction = frame.to_scene(cosine_direction(pair));
                        // A closure here is not always inlined, and is then compiled for a
                        // lesser machine than its kernel.
                        let is_occluded = match Ray::spawn(origin, direction, &bounds) {
                            Some(ray) => {
                                let ray = ray.excluding_triangle(hit.triangle);
                                tree.any_hit(&ray, arguments.distance)
                            }
                            None => false,
                        };
                        open -= u32::from(is_occluded);
                    }
                    rays = arguments.samples;
                }
            }
            let pixel = y as usize * arguments.width as usize + x as usize;
            // SAFETY: x and y are within the window, and pixels are one lane's each.
            unsafe {
                let counted = arguments.rays.add(pixel);
                let before = if arguments.is_added {
                    counted.read()
                } else {
                    0
                };
                counted.write(before + rays);
                let open = Vec3::splat(open as f32);
                put(arguments.pixels.add(pixel), open, arguments.is_added);
            }
        }
    }
}
