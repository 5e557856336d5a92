//! The kernel `Render`: an image of what the rays of pixels hit, one ray a pixel.

use super::shade::{self, Mode};
use super::traverse::SceneTriangle;
use super::window::{Pixel, PixelShader, Window, WindowArguments};
use crate::arguments;
use crate::kernel::PlainKernel;
use crate::simt::Warp;

arguments! {
    /// The image to make: linear RGB, or what else the mode says.
    pub struct RenderArguments {
        nested {
            /// The tree and the window.
            window: WindowArguments,
        }
        pointers {}
        integers {
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
        let window = unsafe { Window::read(arguments.window, arguments.is_added) };
        window.shade_pixels(warp, &arguments);
    }
}

impl PixelShader for RenderArguments {
    #[inline(always)]
    fn shade(&self, window: &Window, pixel: Pixel) {
        let mut colour = shade::background(self.mode, pixel.row, self.rows);
        if let Some(ray) = window.ray(window.direction(pixel, [0.5, 0.5])) {
            let hit = window.tree.closest_hit(&ray);
            if hit.is_some() {
                // SAFETY: what a ray hits is in a leaf.
                let triangle = unsafe { SceneTriangle::new(hit.triangle) };
                let triangle = window.tree.triangle(triangle);
                colour = shade::surface(self.mode, triangle, hit, ray.direction());
            }
        }
        window.put(pixel, colour);
    }
}
