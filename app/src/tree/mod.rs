//! k-d trees: built by a [`Builder`], traced and rendered on a backend.
//! [`workload::tree`](crate::workload::tree) measures them, run by run.
//!
//! A [`HostTree`] is in host memory, a [`DeviceTree`] where rays are traced. [`KernelBuild`] and
//! [`Cores`] are the two builders, [`TreeFile`] a file that keeps a tree, and a [`FrameBuilder`]
//! builds the trees of a moving scene.
//!
//! ```
//! use heapwood::backend::Cpu;
//! use heapwood::tree::{Builder, Options, Ray};
//! use heapwood_scenes::generate;
//!
//! let backend = Cpu::new()?;
//! let scene = generate::knot();
//! let tree = Builder::of(&backend).build(&backend, &scene, Options::default())?.tree;
//! let ray = Ray { origin: [0.0, 9.0, 0.0], direction: [0.0, -1.0, 0.0] };
//! println!("{:?}", tree.trace(&[ray])?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod build;
mod built;
mod cores;
mod device_tree;
mod error;
mod file;
mod frames;
mod host_tree;
mod image;
mod scale;
#[cfg(test)]
mod tests;
mod trace;

pub(crate) use build::first_pool;
pub use build::{BuildMemory, Builder, KernelBuild, PreparedBuild};
pub use built::{BuildStats, Built, KernelStats};
pub use cores::Cores;
pub use device_tree::DeviceTree;
pub use error::TreeError;
pub use file::{Damage, TreeFile, TreeFileError};
pub use frames::{BuiltFrame, FrameBuilder, FramePlan};
pub use heapwood_device::kdtree::plan::{Options, Quality};
pub use heapwood_device::render::{DeltaLight, Hit, Sky, Triangle};
pub use heapwood_results::build::BuilderKind;
pub use host_tree::{HostTree, TreeHash, TreeShape};
pub use image::{
    Aovs, Crop, Lighting, PlacedLighting, RayCounts, RayTimes, RenderedImage, Shade, Shading,
};
pub use trace::Ray;

use heapwood_scenes::Scene;
use rayon::prelude::*;

/// The corners of a scene's triangles, as kernels read them.
pub fn triangles(scene: &Scene) -> Vec<Triangle> {
    (0..scene.len())
        .into_par_iter()
        .map(|index| scene.triangle(index).map(|corner| corner.to_array()))
        .collect()
}
