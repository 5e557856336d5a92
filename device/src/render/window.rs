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
    /// The image. A launch writes it, or adds to it: an image is a sum over launches.
    pub pixels: PixelValues<[f32; 3]>,
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
    /// Its index in the window's memory. Invariant: the pixel is in the launch's window, and this
    /// lane's.
    index: usize,
}

/// Values of the pixels of a launch's window.
#[derive(Clone, Copy)]
pub(super) struct PixelValues<T> {
    values: *mut T,
    is_added: bool,
}

impl<T: Copy> PixelValues<T> {
    /// The values at an address.
    ///
    /// # Safety
    ///
    /// There is memory for a value of each pixel of the launch's window, which the launch alone
    /// uses. It holds values if the launch adds to them.
    #[inline(always)]
    pub unsafe fn new(values: *mut T, is_added: bool) -> Self {
        Self { values, is_added }
    }

    /// The value before the launch that it adds to; `zero` if it adds to none.
    #[inline(always)]
    pub fn before(&self, pixel: Pixel, zero: T) -> T {
        if self.is_added {
            // SAFETY: the contract of `new`, and the pixel is this lane's.
            unsafe { self.values.add(pixel.index).read() }
        } else {
            zero
        }
    }

    /// Writes the value of a pixel.
    #[inline(always)]
    pub fn write(&self, pixel: Pixel, value: T) {
        // SAFETY: as above.
        unsafe { self.values.add(pixel.index).write(value) };
    }
}

/// The work of a kernel on a pixel.
pub(super) trait PixelShader {
    /// Writes the pixel.
    fn shade(&self, window: &Window, pixel: Pixel);
}

impl Window {
    /// Reads the tree's bounds and the camera.
    ///
    /// # Safety
    ///
    /// The contract of the arguments: the tree is whole, and the window has memory for each pixel,
    /// with values if the launch adds to them.
    #[inline(always)]
    pub unsafe fn read(arguments: WindowArguments, is_added: bool) -> Self {
        // SAFETY: the contract of the arguments is that of their parts.
        unsafe {
            let (tree, bounds) = arguments.scene.read();
            Self {
                tree,
                bounds,
                pixels: PixelValues::new(arguments.pixels, is_added),
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

    /// Writes a pixel of the image, or adds to what is there.
    #[inline(always)]
    pub fn put(&self, pixel: Pixel, value: Vec3) {
        // Not a sum with 0, which would make 0 of -0.
        let sum = if self.pixels.is_added {
            Vec3::from_array(self.pixels.before(pixel, [0.0; 3])) + value
        } else {
            value
        };
        self.pixels.write(pixel, sum.to_array());
    }

    /// Shades the pixels of this lane.
    #[inline(always)]
    pub fn shade_pixels<W: Warp, S: PixelShader>(&self, warp: W, shader: &S) {
        let arguments = self.arguments;
        let mut pixels = Pixels::new(warp, arguments.width, arguments.height);
        while let Some((x, y)) = pixels.next() {
            // x and y are within the window, and `Pixels` gives each pixel to one lane.
            let pixel = Pixel {
                column: x + arguments.left,
                row: y + arguments.top,
                index: y as usize * arguments.width as usize + x as usize,
            };
            shader.shade(self, pixel);
        }
    }
}
