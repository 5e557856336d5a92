//! Building, tracing and rendering k-d trees on a backend. What is measured of them, run
//! by run, is [`workload::tree`](crate::workload::tree).
//!
//! ```
//! use heapwood::allocators::Spec;
//! use heapwood::backend::Cpu;
//! use heapwood::size::Pool;
//! use heapwood::tree::{self, Options, Ray, TreeBuilder};
//!
//! let backend = Cpu::new(None, None)?;
//! let triangles = [[[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]];
//! let builder = TreeBuilder::new(&backend, &triangles)?;
//! let prepared = builder.prepare(&Spec::parse("cfmalloc")?, Pool::Auto, Options::default())?;
//! let built = prepared.build(false)?;
//! let ray = Ray { origin: [0.2, 0.2, 0.0], direction: [0.0, 0.0, 2.0] };
//! let hits = tree::trace(&prepared, &built, &[ray])?;
//! assert_eq!((hits[0].triangle, hits[0].t), (0, 0.5));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod build;
mod builder;
mod cores;
mod error;
mod finished;
mod frames;
mod image;
mod kept;
mod placed;
mod scale;
#[cfg(test)]
mod tests;
mod trace;

pub(crate) use build::first_pool;
pub use build::{BuiltTree, PreparedBuild, TreeBuilder};
pub use builder::Builder;
pub use cores::{Cores, CoresTree};
pub use error::TreeError;
pub use finished::{Tree, TreeHash};
pub use frames::{BuiltFrame, FrameBuilder, FramePlan};
pub use heapwood_device::kdtree::plan::{Options, Quality};
pub use heapwood_device::render::{DeltaLight, Hit, Sky, Triangle};
pub use image::{
    Aovs, Crop, Lighting, PlacedLighting, RayCounts, RayTimes, RenderedImage, Shade, Shading,
    render, render_placed,
};
pub use kept::{Damage, KeptError, KeptFile, KeptTree};
pub use placed::PlacedTree;
pub use trace::{Ray, trace};

use heapwood_scenes::Scene;
use rayon::prelude::*;

/// The corners of a scene's triangles, as kernels read them.
pub fn triangles(scene: &Scene) -> Vec<Triangle> {
    (0..scene.len())
        .into_par_iter()
        .map(|index| scene.triangle(index).map(|corner| corner.to_array()))
        .collect()
}
