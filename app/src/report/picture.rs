//! The result of rendering a scene.

use heapwood_scenes::Scene;

pub use heapwood_results::picture::{PictureReport, Pictures, RenderReport, ShadeOptions};
pub use heapwood_results::sequence::SequenceReport;

use super::KeptReport;
use crate::allocators::Spec;
use crate::backend::DeviceInfo;
use crate::meta;
use crate::tree::{BuilderKind, RenderedImage, Shade, Shading};

/// The options of a shading.
fn shade_options(shading: &Shading) -> ShadeOptions {
    let crop = shading.crop;
    let mut options = ShadeOptions {
        crop: crop.map(|crop| [crop.left, crop.top, crop.width, crop.height]),
        ..ShadeOptions::default()
    };
    match shading.shade {
        Shade::Surface(_) => {}
        Shade::Cost { most } => options.cost_max = most.map(|most| most as u32),
        Shade::Ambient { samples, distance } => {
            options.ao_samples = Some(samples);
            options.ao_distance = Some(distance);
        }
        Shade::Path { lighting, bounces } => {
            options.bounces = Some(bounces);
            options.flat = lighting.is_flat().then_some(true);
        }
    }
    options
}

/// The result of a picture of this shading that goes to the file `output`.
pub fn picture_report(picture: &RenderedImage, shading: &Shading, output: &str) -> PictureReport {
    PictureReport {
        output: output.to_owned(),
        shade: shading.shade.name().to_owned(),
        width: picture.width,
        height: picture.height,
        samples: picture.samples,
        options: shade_options(shading),
        rays: picture.rays,
        render_ms: picture.render_ms.clone(),
        rays_per_second: picture.rays_per_second(),
        ray_ms: picture.ray_ms,
    }
}

/// Where the tree of a picture comes from.
pub enum TreeOrigin {
    /// Built on cores.
    Cores {
        /// The build, in milliseconds.
        build_ms: f64,
    },
    /// Built over an allocator.
    Kernels {
        /// The allocator.
        spec: Spec,
        /// The build, in milliseconds.
        build_ms: f64,
    },
    /// Read from a file.
    File(KeptReport),
}

/// The result of pictures of a scene with a tree of this origin.
pub fn render_report<P>(
    scene: &Scene,
    info: &DeviceInfo,
    origin: TreeOrigin,
    pictures: P,
) -> RenderReport<P> {
    let (builder, spec, build_ms, tree) = match origin {
        TreeOrigin::Cores { build_ms } => (Some(BuilderKind::Cores), None, Some(build_ms), None),
        TreeOrigin::Kernels { spec, build_ms } => {
            (Some(BuilderKind::Kernels), Some(spec), Some(build_ms), None)
        }
        TreeOrigin::File(kept) => (None, None, None, Some(kept)),
    };
    RenderReport {
        scene: scene.name().to_owned(),
        triangles: scene.len() as u64,
        backend: info.backend.to_owned(),
        device: info.device.clone(),
        builder,
        allocator: spec.as_ref().map(Spec::label),
        build_ms,
        tree,
        pictures,
        meta: match &spec {
            Some(spec) => meta::over(meta::of_scene(info, scene), spec, info),
            None => meta::of_scene(info, scene),
        },
    }
}
