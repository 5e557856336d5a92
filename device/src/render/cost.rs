//! The kernel `Cost`: how much work the traversal of each pixel's ray is.

use glam::Vec3;

use super::search::Visits;
use super::window::{Pixel, PixelShader, Window, WindowArguments};
use crate::arguments;
use crate::kernel::PlainKernel;
use crate::simt::Warp;

arguments! {
    /// The image to make: for each pixel the nodes that its ray visits, the triangles that it is
    /// tested with, and 0.
    pub struct CostArguments {
        nested {
            /// The tree and the window.
            window: WindowArguments,
        }
        pointers {}
        integers {
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
        let window = unsafe { Window::read(arguments.window, arguments.is_added) };
        window.shade_pixels(warp, &arguments);
    }
}

impl PixelShader for CostArguments {
    #[inline(always)]
    fn shade(&self, window: &Window, pixel: Pixel) {
        let mut visits = Visits::default();
        if let Some(ray) = window.ray(window.direction(pixel, [0.5, 0.5])) {
            window.tree.closest_hit_counted(&ray, &mut visits);
        }
        let counts = Vec3::new(visits.nodes as f32, visits.triangles as f32, 0.0);
        window.put(pixel, counts);
    }
}
