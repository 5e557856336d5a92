//! The kernel `Render`: an image of what the rays of pixels hit, one ray a pixel.

use super::pixels::{CameraRays, Pixels, put};
use super::ray::Ray;
use super::shade::{self, Mode};
use super::traverse::Tree;
use crate::arguments;
use crate::kdtree::bounds::{Bounds, Triangle};
use crate::kdtree::node::Node;
use crate::kernel::PlainKernel;
use crate::simt::Warp;

arguments! {
    /// A tree and the image to make of it: a window of the picture that a camera takes.
    pub struct RenderArguments {
        pointers {
            /// As in `Tree::new`.
            nodes: Node,
            /// As in `Tree::new`.
            references: u32,
            /// As in `Tree::new`.
            triangles: Triangle,
            /// A box around all triangles.
            bounds: Bounds,
            /// The camera's rays, as four vectors: where they begin, the direction to the
            /// upper left corner of the picture, the steps to the pixel on the right and to
            /// the one below. A ray goes through the middle of its pixel; for another point
            /// the host moves the corner.
            camera: [f32; 3],
            /// The window: linear RGB, or what else the mode says, of `width * height` pixels,
            /// row by row from the top.
            pixels: [f32; 3],
        }
        integers {
            /// Pixels of a row of the window, at most 65536.
            width: u32,
            /// Rows of the window, at most 65536.
            height: u32,
            /// The picture's column that is the window's first.
            left: u32,
            /// The picture's row that is the window's first.
            top: u32,
            /// Rows of the picture.
            rows: u32,
            /// Whether to add to what is in `pixels`.
            is_added: bool,
            /// The quantity that the image shows.
            mode: Mode,
        }
    }
}

/// Makes an image, one ray a pixel.
pub struct Render;

impl PlainKernel for Render {
    type Arguments = RenderArguments;

    // As for paths: with 40 the traversal spills, and pictures take 6 to 21 % longer.
    const REGISTERS: u32 = 56;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, arguments: RenderArguments) {
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
            let mut colour = shade::background(arguments.mode, row, arguments.rows);
            if let Some(ray) = Ray::new(camera.origin, direction, &bounds) {
                let hit = tree.closest_hit(&ray);
                if hit.is_some() {
                    // SAFETY: what a ray hits is in a leaf.
                    let triangle = unsafe { tree.triangle(hit.triangle) };
                    colour = shade::surface(arguments.mode, &triangle, hit, ray.direction());
                }
            }
            let pixel = y as usize * arguments.width as usize + x as usize;
            // SAFETY: x and y are within the window, and pixels are one lane's each.
            unsafe { put(arguments.pixels.add(pixel), colour, arguments.is_added) };
        }
    }
}
