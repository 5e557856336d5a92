//! The kernels that make images share the tree, the camera, and the loop over the pixels of a
//! window of the picture.

use glam::Vec3;

use super::pixels::{CameraRays, Pixels};
use super::ray::Ray;
use super::traverse::Tree;
use crate::arguments;
use crate::kdtree::bounds::{Bounds, Triangle};
use crate::kdtree::node::Node;
use crate::simt::Warp;

arguments! {
    /// A tree to trace rays through.
    pub struct SceneArguments {
        pointers {
            /// As in `Tree::new`.
            nodes: Node,
            /// As in `Tree::new`.
            references: u32,
            /// As in `Tree::new`.
            triangles: Triangle,
            /// A box around all triangles.
            bounds: Bounds,
        }
        integers {}
    }
}

impl SceneArguments {
    /// The tree, and the box around it.
    ///
    /// # Safety
    ///
    /// As for `Tree::new`, and `bounds` may be read.
    #[inline(always)]
    pub(super) unsafe fn read(self) -> (Tree, Bounds) {
        // SAFETY: the scene's pointers fulfil the contract of `Tree::new`; the bounds may be read.
        unsafe {
            let bounds = self.bounds.read();
            let tree = Tree::new(self.nodes, self.references, self.triangles, bounds);
            (tree, bounds)
        }
    }
}

arguments! {
    /// A tree and the image to make of it: a window of the picture that a camera takes.
    pub struct WindowArguments {
        nested {
            /// The scene.
            scene: SceneArguments,
        }
        pointers {
            /// The camera's rays, as four vectors: where they begin, the direction to the
            /// upper left corner of the picture, the steps to the pixel on the right and to
            /// the one below. A ray goes through the middle of its pixel; for another point
            /// the host moves the corner.
            camera: [f32; 3],
            /// The window: `width * height` values, row by row from the top. Each kernel defines
            /// the values.
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
        }
    }
}

/// The tree and the camera, read once by each lane.
pub(super) struct Window {
    /// The tree.
    pub tree: Tree,
    /// A box around it.
    pub bounds: Bounds,
    camera: CameraRays,
    arguments: WindowArguments,
}

/// A pixel of the window.
#[derive(Clone, Copy)]
pub(super) struct Pixel {
    /// Its column in the picture.
    pub column: u32,
    /// Its row in the picture.
    pub row: u32,
    /// Its index in the window's memory.
    pub index: usize,
}

/// The work of a kernel on a pixel.
pub(super) trait PixelShader {
    /// Writes the pixel.
    ///
    /// # Safety
    ///
    /// The pixel is within `window`, and this lane's. The shader's own arrays have an entry for it,
    /// which holds a value if the shader adds to it.
    unsafe fn shade(&self, window: &Window, pixel: Pixel);
}

impl Window {
    /// Reads the tree's bounds and the camera.
    ///
    /// # Safety
    ///
    /// The contract of the arguments: the tree is whole, and the window has memory for each pixel.
    #[inline(always)]
    pub unsafe fn read(arguments: WindowArguments) -> Self {
        // SAFETY: the caller's promise.
        unsafe {
            let (tree, bounds) = arguments.scene.read();
            Self {
                tree,
                bounds,
                camera: CameraRays::read(arguments.camera),
                arguments,
            }
        }
    }

    /// The direction, not normalised, through a point of a pixel: from `[0, 0]`, its upper left
    /// corner, to `[1, 1]`.
    #[inline(always)]
    pub fn direction(&self, pixel: Pixel, [x, y]: [f32; 2]) -> Vec3 {
        self.camera
            .direction(pixel.column as f32 + x, pixel.row as f32 + y)
    }

    /// The ray from the camera in a direction; none where [`Ray::new`] makes none.
    #[inline(always)]
    pub fn ray(&self, direction: Vec3) -> Option<Ray> {
        Ray::new(self.camera.origin, direction, &self.bounds)
    }

    /// Writes a pixel of the image, or adds to what is there: an image is a sum over launches.
    ///
    /// # Safety
    ///
    /// The pixel is within the window, this lane's, and holds a value if it is added to.
    #[inline(always)]
    pub unsafe fn put(&self, pixel: Pixel, value: Vec3, is_added: bool) {
        // SAFETY: the window has memory for the pixel, which is this lane's; a sum has a value.
        unsafe {
            let address = self.arguments.pixels.add(pixel.index);
            let sum = if is_added {
                Vec3::from_array(address.read()) + value
            } else {
                value
            };
            address.write(sum.to_array());
        }
    }

    /// Shades the pixels of this lane.
    ///
    /// # Safety
    ///
    /// The shader's own arrays have an entry for each pixel of the window, which holds a value if
    /// the shader adds to it.
    #[inline(always)]
    pub unsafe fn shade_pixels<W: Warp, S: PixelShader>(&self, warp: W, shader: &S) {
        let arguments = self.arguments;
        let mut pixels = Pixels::new(warp, arguments.width, arguments.height);
        while let Some((x, y)) = pixels.next() {
            let pixel = Pixel {
                column: x + arguments.left,
                row: y + arguments.top,
                index: y as usize * arguments.width as usize + x as usize,
            };
            // SAFETY: x and y are within the window, and `Pixels` gives each pixel to one lane. The
            // rest is the caller's promise.
            unsafe { shader.shade(self, pixel) };
        }
    }
}
