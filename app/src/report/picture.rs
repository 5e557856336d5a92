//! The result of rendering a scene.

use heapwood_scenes::Scene;
use serde::{Deserialize, Serialize};

use super::kept::KeptReport;
use super::milliseconds;
use crate::allocators::Spec;
use crate::backend::DeviceInfo;
use crate::meta::Meta;
use crate::samples::Samples;
use crate::tree::{BuilderKind, RayCounts, RayTimes, RenderedImage, Shade, Shading};

/// A picture and what it took.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PictureReport {
    /// The file.
    pub output: String,
    /// What it shows.
    pub shade: String,
    /// Pixels of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Samples of a pixel, as `--spp` takes them.
    #[serde(default = "one")]
    pub samples: u32,
    /// The rest of what it shows.
    #[serde(flatten)]
    pub options: ShadeOptions,
    /// Rays of a run, by what they are for.
    #[serde(default)]
    pub rays: RayCounts,
    /// Milliseconds for all rays.
    pub render_ms: Samples,
    /// Rays per second of the median run.
    pub rays_per_second: f64,
    /// Milliseconds for rays of each kind, if they were timed apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ray_ms: Option<RayTimes>,
}

/// Values of the options of the same names, given or not, that a picture of its kind depends on: with
/// the seed, the view and these it can be repeated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ShadeOptions {
    /// The most surfaces of a path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounces: Option<u32>,
    /// True if the scene's normals were left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flat: Option<bool>,
    /// Shadow rays of a hit, of ambient occlusion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ao_samples: Option<u32>,
    /// How far away a surface occludes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ao_distance: Option<f32>,
    /// The factor on the lights of the scene's file, if it was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub light_scale: Option<f32>,
    /// Nodes and triangles of the brightest colour of a heat map, if they were given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_max: Option<u32>,
    /// Left, top, width and height of the part that was rendered, if it is not all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crop: Option<[u32; 4]>,
}

impl ShadeOptions {
    /// Those of a shading.
    fn of(shading: &Shading) -> Self {
        let crop = shading.crop;
        let mut options = Self {
            crop: crop.map(|crop| [crop.left, crop.top, crop.width, crop.height]),
            ..Self::default()
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
}

/// Rays of each kind, unless all of them are from the eye.
pub(super) fn rays_text(rays: &RayCounts) -> String {
    let RayCounts {
        primary,
        shadow,
        secondary,
    } = rays;
    match shadow + secondary {
        0 => String::new(),
        _ => format!(" ({primary} primary, {shadow} shadow, {secondary} secondary)"),
    }
}

/// The samples of pictures whose results do not say how many there are.
fn one() -> u32 {
    1
}

impl PictureReport {
    /// For a picture of this shading that goes to the file `output`.
    pub fn new(picture: &RenderedImage, shading: &Shading, output: &str) -> Self {
        Self {
            output: output.to_owned(),
            shade: shading.shade.name().to_owned(),
            width: picture.width,
            height: picture.height,
            samples: picture.samples,
            options: ShadeOptions::of(shading),
            rays: picture.rays,
            render_ms: picture.render_ms.clone(),
            rays_per_second: picture.rays_per_second(),
            ray_ms: picture.ray_ms,
        }
    }

    /// For people, in a line, and another for each kind of rays that was timed.
    pub fn text(&self) -> String {
        let RayCounts {
            primary,
            shadow,
            secondary,
        } = self.rays;
        let kinds = rays_text(&self.rays);
        let samples = match self.samples {
            1 => String::new(),
            count => format!("{count} samples a pixel, "),
        };
        let mut text = format!(
            "{}: {}x{} {}, {samples}{} ms, {:.1} million rays/s{kinds}\n",
            self.output,
            self.width,
            self.height,
            self.shade,
            milliseconds(self.render_ms.median),
            self.rays_per_second * 1e-6
        );
        if let Some(times) = &self.ray_ms {
            for (kind, rays, ms) in [
                ("primary", primary, times.primary),
                ("shadow", shadow, times.shadow),
                ("secondary", secondary, times.secondary),
            ] {
                if rays > 0 {
                    let rate = rays as f64 / (ms.max(1e-6) * 1e3);
                    let ms = milliseconds(ms);
                    text += &format!("  {kind:<9}  {ms} ms, {rate:.1} million rays/s\n");
                }
            }
        }
        text
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

/// The result of `heapwood render`, of a [`PictureReport`] or a
/// [`SequenceReport`](super::SequenceReport); the keys are stable.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RenderReport<P> {
    /// The scene's name.
    pub scene: String,
    /// Triangles after cleaning.
    pub triangles: u64,
    /// `cpu` or `cuda`.
    pub backend: String,
    /// The product.
    pub device: String,
    /// What built the tree; null if it came from a file.
    pub builder: Option<BuilderKind>,
    /// The allocator, if there was one.
    pub allocator: Option<String>,
    /// The build, in milliseconds; null if the tree came from a file.
    pub build_ms: Option<f64>,
    /// The file of the tree; null if it was built.
    #[serde(default)]
    pub tree: Option<KeptReport>,
    /// The picture, or pictures.
    #[serde(flatten)]
    pub pictures: P,
    /// Machine, program and input.
    pub meta: Meta,
}

impl<P> RenderReport<P> {
    /// For pictures of a scene with a tree of this origin.
    pub fn new(scene: &Scene, info: &DeviceInfo, origin: TreeOrigin, pictures: P) -> Self {
        let (builder, spec, build_ms, tree) = match origin {
            TreeOrigin::Cores { build_ms } => {
                (Some(BuilderKind::Cores), None, Some(build_ms), None)
            }
            TreeOrigin::Kernels { spec, build_ms } => {
                (Some(BuilderKind::Kernels), Some(spec), Some(build_ms), None)
            }
            TreeOrigin::File(kept) => (None, None, None, Some(kept)),
        };
        Self {
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
                Some(spec) => Meta::of_scene(info, scene).over(spec, info),
                None => Meta::of_scene(info, scene),
            },
        }
    }
}
