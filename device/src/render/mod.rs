//! Rendering a finished tree: the kernels `Render`, which makes an image, and
//! `Trace`, which answers rays from memory.
//!
//! Every lane follows rays of its own and no lane talks to another. Images are
//! linear RGB; [`host`] turns them into bytes, because the conversion needs a
//! power function, which has not the same bits everywhere.

mod camera;
mod ray;
mod shade;
mod traverse;

#[cfg(not(target_arch = "nvptx64"))]
pub mod plan;

pub use camera::{CAMERA_FLOATS, Camera, read_vector};
pub use ray::{Bounds, Ray, Triangle};
pub use shade::{Mode, normal};
pub use traverse::{Hit, MAX_DEPTH, Tree};

use crate::arguments;
use crate::kdtree::node::Node;
use crate::kernel::PlainKernel;
use crate::simt::Warp;

/// Numbers of a scene's bounds in memory: the least coordinates, the greatest.
pub const BOUNDS_FLOATS: usize = 6;
/// Numbers of a ray in memory: its origin, its direction (of any length).
pub const RAY_FLOATS: usize = 6;

/// A tile is 8 pixels wide and 4 high, so that the rays of a GPU warp are near
/// one another and take similar ways through the tree.
const TILE_WIDTH: u32 = 8;
const TILE_HEIGHT: u32 = 4;
const TILE: u64 = 32;

arguments! {
    /// A tree and the image to make of it.
    pub struct RenderArguments {
        pointers {
            /// As in `Tree`.
            nodes: Node,
            /// As in `Tree`.
            references: u32,
            /// As in `Tree`.
            triangles: Triangle,
            /// `BOUNDS_FLOATS` numbers: a box around all triangles.
            bounds: f32,
            /// `CAMERA_FLOATS` numbers, as `Camera::read` reads them.
            camera: f32,
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

arguments! {
    /// A tree and the rays to follow through it.
    pub struct TraceArguments {
        pointers {
            /// As in `Tree`.
            nodes: Node,
            /// As in `Tree`.
            references: u32,
            /// As in `Tree`.
            triangles: Triangle,
            /// As in `RenderArguments`.
            bounds: f32,
            /// The rays.
            rays: [f32; RAY_FLOATS],
            /// For each ray the triangle that it hits first, or `u32::MAX`.
            hits: u32,
            /// For each ray the parameter of that hit, or infinity.
            parameters: f32,
        }
        integers {
            /// Number of rays.
            count: u32,
        }
    }
}

/// Reads the bounds of a scene.
///
/// # Safety
///
/// `floats` points to `BOUNDS_FLOATS` numbers that may be read.
#[inline(always)]
unsafe fn read_bounds(floats: *const f32) -> Bounds {
    // SAFETY: the caller's promise.
    unsafe {
        Bounds {
            lower: read_vector(floats),
            upper: read_vector(floats.add(3)),
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
        let (bounds, camera) = unsafe {
            (
                read_bounds(arguments.bounds),
                Camera::read(arguments.camera),
            )
        };
        let tree = Tree {
            nodes: arguments.nodes,
            references: arguments.references,
            triangles: arguments.triangles,
            bounds,
        };
        let (width, height) = (arguments.width, arguments.height);
        let tiles_across = width.div_ceil(TILE_WIDTH);
        let tiles_down = height.div_ceil(TILE_HEIGHT);
        let places = u64::from(tiles_across) * u64::from(tiles_down) * TILE;

        let mut place = u64::from(warp.thread());
        while place < places {
            // Below 2^27 tiles, by the limits of the sides.
            let tile = (place / TILE) as u32;
            let within = (place % TILE) as u32;
            let row = tile.checked_div(tiles_across).unwrap_or(0);
            let column = tile - row * tiles_across;
            let x = column * TILE_WIDTH + within % TILE_WIDTH;
            let y = row * TILE_HEIGHT + within / TILE_WIDTH;
            place += u64::from(warp.threads());
            if x >= width || y >= height {
                continue;
            }
            let direction = camera.direction(x, y);
            let mut colour = shade::background(arguments.mode, y, height);
            if let Some(ray) = Ray::new(camera.origin, direction, &bounds) {
                // SAFETY: the arguments' contract: a whole tree, whose hits
                // are triangles of the scene.
                unsafe {
                    let hit = tree.closest(&ray);
                    if hit.is_some() {
                        let triangle = tree.triangles.add(hit.triangle as usize).read();
                        colour = shade::surface(arguments.mode, &triangle, ray.direction());
                    }
                }
            }
            let at = y as usize * width as usize + x as usize;
            // SAFETY: x and y are within the image.
            unsafe { arguments.pixels.add(at).write(colour.to_array()) };
        }
    }
}

/// Finds the closest hit of every ray of an array.
pub struct Trace;

impl PlainKernel for Trace {
    type Arguments = TraceArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, arguments: TraceArguments) {
        // SAFETY: the arguments' contract.
        let bounds = unsafe { read_bounds(arguments.bounds) };
        let tree = Tree {
            nodes: arguments.nodes,
            references: arguments.references,
            triangles: arguments.triangles,
            bounds,
        };
        let mut at = u64::from(warp.thread());
        while at < u64::from(arguments.count) {
            let ray = arguments.rays.wrapping_add(at as usize).cast::<f32>();
            // SAFETY: `at` is a ray's number, and the tree is whole.
            unsafe {
                let ray = Ray::new(read_vector(ray), read_vector(ray.add(3)), &bounds);
                let hit = match ray {
                    Some(ray) => tree.closest(&ray),
                    None => Hit::NONE,
                };
                arguments.hits.add(at as usize).write(hit.triangle);
                arguments.parameters.add(at as usize).write(hit.t);
            }
            at += u64::from(warp.threads());
        }
    }
}
