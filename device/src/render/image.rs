//! The kernel `Render`: an image of a tree, one ray a pixel.

use glam::Vec3;

use super::ray::Ray;
use super::shade::{self, Mode};
use super::traverse::Tree;
use crate::arguments;
use crate::kdtree::bounds::{Bounds, Triangle};
use crate::kdtree::node::Node;
use crate::kernel::PlainKernel;
use crate::simt::Warp;

/// A tile is 8 pixels wide and 4 high, so that the rays of a GPU warp are near
/// one another and take similar ways through the tree.
pub(super) const TILE_WIDTH: u32 = 8;
pub(super) const TILE_HEIGHT: u32 = 4;
pub(super) const TILE: u64 = 32;

arguments! {
    /// A tree and the image to make of it.
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
            /// upper left corner of the image, the steps to the pixel on the right and to
            /// the one below.
            camera: [f32; 3],
            /// The image: linear RGB of `width * height` pixels, row by row
            /// from the top.
            pixels: [f32; 3],
        }
        integers {
            /// Pixels of a row, at most 65536.
            width: u32,
            /// Rows, at most 65536.
            height: u32,
            /// What the image shows.
            mode: Mode,
        }
    }
}

/// Makes an image, one ray a pixel.
pub struct Render;

impl PlainKernel for Render {
    type Arguments = RenderArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, arguments: RenderArguments) {
        // SAFETY: the arguments' contract.
        let (bounds, [origin, corner, right, down]) = unsafe {
            let vector = |index: usize| Vec3::from_array(arguments.camera.add(index).read());
            (
                arguments.bounds.read(),
                [vector(0), vector(1), vector(2), vector(3)],
            )
        };
        // SAFETY: the arguments' contract.
        let tree = unsafe {
            Tree::new(
                arguments.nodes,
                arguments.references,
                arguments.triangles,
                bounds,
            )
        };
        let (width, height) = (arguments.width, arguments.height);
        let tiles_across = width.div_ceil(TILE_WIDTH);
        let tiles_down = height.div_ceil(TILE_HEIGHT);
        let slots = u64::from(tiles_across) * u64::from(tiles_down) * TILE;

        let mut slot = u64::from(warp.thread());
        while slot < slots {
            // Below 2^27 tiles, by the limits of the sides.
            let tile = (slot / TILE) as u32;
            let within = (slot % TILE) as u32;
            let row = tile.checked_div(tiles_across).unwrap_or(0);
            let column = tile - row * tiles_across;
            let x = column * TILE_WIDTH + within % TILE_WIDTH;
            let y = row * TILE_HEIGHT + within / TILE_WIDTH;
            slot += u64::from(warp.threads());
            if x >= width || y >= height {
                continue;
            }
            let direction = corner + right * (x as f32 + 0.5) + down * (y as f32 + 0.5);
            let mut colour = shade::background(arguments.mode, y, height);
            if let Some(ray) = Ray::new(origin, direction, &bounds) {
                let hit = tree.closest_hit(&ray);
                if hit.is_some() {
                    // SAFETY: what a ray hits is in a leaf.
                    let triangle = unsafe { tree.triangle(hit.triangle) };
                    colour = shade::surface(arguments.mode, &triangle, ray.direction());
                }
            }
            let pixel = y as usize * width as usize + x as usize;
            // SAFETY: x and y are within the image.
            unsafe { arguments.pixels.add(pixel).write(colour.to_array()) };
        }
    }
}
