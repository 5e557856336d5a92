//! The kernel `Ambient`: how open the surroundings of each pixel's surface are.
//!
//! Ambient occlusion is the part of a surface's hemisphere, weighted by the cosine with its
//! normal, in which nothing is nearer than a distance (Zhukov and others, 1998).

use glam::Vec3;

use super::direction::{Frame, cosine_direction};
use super::random::Sampler;
use super::ray::Ray;
use super::surface::SurfacePoint;
use super::traverse::SceneTriangle;
use super::window::{Pixel, PixelShader, PixelValues, Window, WindowArguments};
use crate::arguments;
use crate::kernel::PlainKernel;
use crate::simt::Warp;

arguments! {
    /// The image to make: for each pixel how many of the launch's samples are open; all of them
    /// where the pixel shows no surface.
    pub struct AmbientArguments {
        nested {
            /// The tree and the window.
            window: WindowArguments,
        }
        pointers {
            /// For each pixel of the window the shadow rays.
            rays: u32,
        }
        integers {
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
        let (window, rays) = unsafe {
            (
                Window::read(arguments.window, arguments.is_added),
                PixelValues::new(arguments.rays, arguments.is_added),
            )
        };
        window.shade_pixels(warp, &AmbientShader { arguments, rays });
    }
}

/// Counts the open directions of a pixel.
struct AmbientShader {
    arguments: AmbientArguments,
    rays: PixelValues<u32>,
}

impl PixelShader for AmbientShader {
    #[inline(always)]
    fn shade(&self, window: &Window, pixel: Pixel) {
        let (tree, bounds) = (window.tree, &window.bounds);
        let arguments = self.arguments;
        let (mut open, mut rays) = (arguments.samples, 0);
        if let Some(ray) = window.ray(window.direction(pixel, [0.5, 0.5])) {
            let hit = tree.closest_hit(&ray);
            if hit.is_some() {
                // SAFETY: what a ray hits is in a leaf.
                let triangle = unsafe { SceneTriangle::new(hit.triangle) };
                let surface = SurfacePoint::hit(&ray, tree.triangle(triangle));
                let (origin, frame) = (surface.offset_origin(bounds), Frame::new(surface.normal));
                for sample in 0..arguments.samples {
                    let index = arguments.first + sample;
                    let pair =
                        Sampler::new(pixel.column, pixel.row, index, arguments.seed).get_2d();
                    let direction = frame.to_scene(cosine_direction(pair));
                    // A closure here is not always inlined, and is then compiled for a
                    // lesser machine than its kernel.
                    let is_occluded = match Ray::spawn(origin, direction, bounds) {
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
        self.rays.write(pixel, self.rays.before(pixel, 0) + rays);
        window.put(pixel, Vec3::splat(open as f32));
    }
}
