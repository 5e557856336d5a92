//! The result of rendering a scene.

use serde::{Deserialize, Serialize};

use crate::build::{BuilderKind, KeptReport};
use crate::cells::{Line, option};
use crate::{Meta, Report, Samples, Table, milliseconds};

/// Rays of a picture, by what they are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RayCounts {
    /// From the eye.
    pub primary: u64,
    /// Rays that test for occluders between a surface and a light, or near a surface.
    pub shadow: u64,
    /// On from a surface.
    pub secondary: u64,
}

impl RayCounts {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.primary + self.shadow + self.secondary
    }
}

/// Milliseconds for the rays of a picture, by what they are for: what a run of primary rays
/// alone takes, and how much longer one takes with the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RayTimes {
    /// As in [`RayCounts`].
    pub primary: f64,
    /// As in [`RayCounts`].
    pub shadow: f64,
    /// As in [`RayCounts`].
    pub secondary: f64,
}

/// A picture and what it took.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PictureReport {
    /// The file.
    pub output: String,
    /// The shading mode.
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

/// Values of the options of the same names, given or not, that a picture of its kind depends on:
/// with the seed, the view and these it can be repeated.
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

/// Rays of each kind, unless all of them are from the eye.
pub(crate) fn rays_text(rays: &RayCounts) -> String {
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
    /// For people, in a line: the file, and what it took.
    pub(crate) fn line(&self) -> Line {
        ("picture", self.summary())
    }

    fn summary(&self) -> String {
        let samples = match self.samples {
            1 => String::new(),
            count => format!("{count} samples a pixel, "),
        };
        format!(
            "{}: {}x{} {}, {samples}{} ms, {:.1} million rays/s{}",
            self.output,
            self.width,
            self.height,
            self.shade,
            milliseconds(self.render_ms.median),
            self.rays_per_second * 1e-6,
            rays_text(&self.rays)
        )
    }

    /// For people, in a line, and another for each kind of rays that was timed.
    pub fn text(&self) -> String {
        let RayCounts {
            primary,
            shadow,
            secondary,
        } = self.rays;
        let mut text = self.summary() + "\n";
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

/// The result of `heapwood render`, of a [`PictureReport`] or a
/// [`SequenceReport`](crate::sequence::SequenceReport); the keys are stable.
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
    /// The builder of the tree; null if the tree came from a file.
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

/// Pictures of a render, which are one or a sequence.
pub trait Pictures: Serialize {
    /// Each of them.
    fn all(&self) -> &[PictureReport];

    /// For people: what they are, and what they took.
    fn text(&self) -> String;
}

impl Pictures for PictureReport {
    fn all(&self) -> &[PictureReport] {
        std::slice::from_ref(self)
    }

    fn text(&self) -> String {
        Self::text(self)
    }
}

impl<P: Pictures> Report for RenderReport<P> {
    fn table(&self) -> Table {
        let mut table = Table::new(&[
            "picture",
            "shade",
            "#width",
            "#height",
            "#samples",
            "#ms",
            "#million rays/s",
        ]);
        for picture in self.pictures.all() {
            table.push(vec![
                picture.output.clone(),
                picture.shade.clone(),
                picture.width.to_string(),
                picture.height.to_string(),
                picture.samples.to_string(),
                milliseconds(picture.render_ms.median),
                format!("{:.1}", picture.rays_per_second * 1e-6),
            ]);
        }
        table
    }

    fn records(&self) -> Table {
        let mut table = Table::new(&[
            "scene",
            "#triangles",
            "backend",
            "device",
            "builder",
            "allocator",
            "#build_ms",
            "tree",
            "output",
            "shade",
            "#width",
            "#height",
            "#samples",
            "#primary_rays",
            "#shadow_rays",
            "#secondary_rays",
            "#render_ms",
            "#primary_ms",
            "#shadow_ms",
            "#secondary_ms",
            "#rays_per_second",
            "#seed",
            "commit",
        ]);
        for picture in self.pictures.all() {
            table.push(vec![
                self.scene.clone(),
                self.triangles.to_string(),
                self.backend.clone(),
                self.device.clone(),
                option(self.builder),
                option(self.allocator.as_ref()),
                option(self.build_ms),
                option(self.tree.as_ref().map(|tree| &tree.file)),
                picture.output.clone(),
                picture.shade.clone(),
                picture.width.to_string(),
                picture.height.to_string(),
                picture.samples.to_string(),
                picture.rays.primary.to_string(),
                picture.rays.shadow.to_string(),
                picture.rays.secondary.to_string(),
                picture.render_ms.median.to_string(),
                option(picture.ray_ms.map(|times| times.primary)),
                option(picture.ray_ms.map(|times| times.shadow)),
                option(picture.ray_ms.map(|times| times.secondary)),
                picture.rays_per_second.to_string(),
                option(self.meta.seed),
                option(self.meta.commit.as_ref()),
            ]);
        }
        table
    }

    fn text(&self) -> String {
        self.pictures.text()
    }
}
