//! Rendering a tree on its backend.

mod alias;
mod aovs;
mod canvas;
mod colours;
mod delta_lights;
mod details;
mod environment;
mod exr;
mod lighting;
mod parameters;
mod passes;
mod placed_lighting;
mod sampling;
mod shading;
mod smooth;
mod textured;

use heapwood_scenes::Camera;
use image::ExtendedColorType;

use super::device_tree::DeviceTree;
use crate::backend::BackendError;
use crate::encode::{self, EncodeError};
use crate::samples::Samples;

pub use aovs::Aovs;
pub use heapwood_results::picture::{RayCounts, RayTimes};
pub use lighting::Lighting;
pub use placed_lighting::PlacedLighting;
pub use shading::{Crop, Shade, Shading};

/// An image, and how long it took.
#[derive(Clone, Debug)]
pub struct RenderedImage {
    /// Pixels of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// The rendered values, row by row from the top: linear RGB, or for
    /// [`Mode::Depth`](heapwood_device::render::Mode::Depth) the distance in each channel, and for
    /// [`Shade::Cost`] nodes and triangles per ray.
    pub raw: Vec<[f32; 3]>,
    /// sRGB with alpha, 4 bytes a pixel, row by row from the top.
    pub rgba: Vec<u8>,
    /// Names of the values of `raw`; a value without a name is none.
    pub channels: [&'static str; 3],
    /// Albedo, normal and depth, if they were asked for.
    pub aovs: Option<Aovs>,
    /// Samples of a pixel: those asked for, or those that were enough.
    pub samples: u32,
    /// Rays of a run.
    pub rays: RayCounts,
    /// Milliseconds for all of its rays.
    pub render_ms: Samples,
    /// Milliseconds for rays of each kind, if they were timed apart.
    pub ray_ms: Option<RayTimes>,
}

impl RenderedImage {
    /// Rays per second, of all kinds, of the median run.
    pub fn rays_per_second(&self) -> f64 {
        self.rays.total() as f64 / (self.render_ms.median.max(1e-6) * 1e-3)
    }

    /// The image as a PNG file.
    ///
    /// # Errors
    ///
    /// When it cannot be encoded.
    pub fn png(&self) -> Result<Vec<u8>, EncodeError> {
        encode::png(
            &self.rgba,
            (self.width, self.height),
            ExtendedColorType::Rgba8,
        )
    }

    /// The rendered values as an OpenEXR file of 32-bit floats: the values of `raw` under the names
    /// of `channels`, and the AOVs as the layers `albedo`, `normal` and `depth`.
    ///
    /// # Errors
    ///
    /// When it cannot be encoded.
    pub fn exr(&self) -> Result<Vec<u8>, EncodeError> {
        exr::encode(self)
    }
}

impl DeviceTree<'_> {
    /// Renders the tree: one launch untimed, which loads the kernel, then the picture `runs` times
    /// and at least once; or once, in passes, where [`Shading::enough`] ends it.
    ///
    /// ```
    /// use heapwood::backend::Cpu;
    /// use heapwood::tree::{Builder, Options, Shading};
    /// use heapwood_device::render::Mode;
    /// use heapwood_scenes::{Camera, generate};
    ///
    /// let scene = generate::courtyard();
    /// let camera = Camera::frame(scene.bounds(), 64, 48, 45.0)?;
    /// let backend = Cpu::new()?;
    /// let built = Builder::of(&backend).build(&backend, &scene, Options::default())?;
    /// let picture = built.tree.render(&camera, &Shading::from(Mode::default()), 3)?;
    /// assert_eq!(picture.rgba.len(), 4 * 64 * 48);
    /// assert_eq!(picture.render_ms.samples.len(), 3);
    /// assert!(picture.png()?.starts_with(b"\x89PNG"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Faults of the backend, and too little memory.
    ///
    /// # Panics
    ///
    /// For a crop beyond the picture, and for a [`Shading::placed`] of other light.
    pub fn render(
        &self,
        camera: &Camera,
        shading: &Shading,
        runs: u32,
    ) -> Result<RenderedImage, BackendError> {
        passes::render(&self.view()?, camera, shading, runs)
    }
}
