//! The kernel `Cost`: how much work the traversal of each pixel's ray is.

use glam::Vec3;

use super::pixels::{CameraRays, Pixels, put};
use super::ray::Ray;
use super::search::Visits;
use super::traverse::Tree;
use crate::arguments;
use crate::kdtree::bounds::{Bounds, Triangle};
use crate::kdtree::node::Node;
use crate::kernel::PlainKernel;
use crate::simt::Warp;

arguments! {
    /// A tree and the window to count in.
    pub struct CostArguments {
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
            /// For each pixel of the window the nodes that its ray visits, the triangles that
            /// it is tested with, and 0.
            pixels: [f32; 3],
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
            /// As in `RenderArguments`.
            is_added: bool,
        }
    }
}

/// Counts the nodes and triangles of each pixel's ray.
pub struct Cost;

impl PlainKernel for Cost {
    type Arguments = CostArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, arguments: CostArguments) {
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
            let mut visits = Visits::default();
            if let Some(ray) = Ray::new(camera.origin, direction, &bounds) {
                tree.closest_hit_counted(&ray, &mut visits);
            }
            let counts = Vec3::new(visits.nodes as f32, visits.triangles as f32, 0.0);
            let pixel = y as usize * arguments.width as usize + x as usize;
            // SAFETY: x and y are within the window, and pixels are one lane's each.
            unsafe { put(arguments.pixels.add(pixel), counts, arguments.is_added) };
        }
    }
}
