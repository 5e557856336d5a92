//! The memory that the launches of a picture work on, and the launches: one or more per sample, or
//! as many samples per launch as keep it short.

use std::ops::Range;

use heapwood_device::launch::Call;
use heapwood_device::render::plan::render_threads;
use heapwood_device::render::{
    Ambient, AmbientArguments, Cost, CostArguments, DetailedPath, Mode, Path, PathArguments,
    Render, RenderArguments, SceneArguments, WindowArguments,
};

use super::super::device_tree::TreeView;
use super::placed_lighting::PlacedLighting;
use super::shading::{Crop, Shade, Shading};
use crate::backend::{BackendError, Grid, Launch, Memory};

/// Shadow rays of a launch: some tens of milliseconds of a GPU, seconds of a CPU.
const RAYS: u64 = 1 << 25;
/// Paths of a launch, each of ten rays or so.
const PATHS: u64 = 1 << 22;

/// Which rays a run traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RayKinds {
    /// Rays from the eye.
    Primary,
    /// All but shadow rays.
    Unshadowed,
    All,
}

/// The memory that the launches of a picture work on.
pub(super) struct Canvas<'a> {
    pub tree: &'a TreeView<'a>,
    pub window: Crop,
    /// Rows of the whole picture.
    pub rows: u32,
    /// Cameras, one for each pass over the pixels.
    pub cameras: Memory,
    pub bounds: Memory,
    pub pixels: Memory,
    /// Rays beside those from the eye, counted for each pixel.
    pub rays: Memory,
    /// Delta lights that are scaled as the tree is; none where those of `lit` are.
    pub delta_lights: Option<Memory>,
    /// The lighting of paths, if there are any.
    pub lit: Option<&'a PlacedLighting<'a>>,
}

impl Canvas<'_> {
    pub fn pixel_count(&self) -> u64 {
        u64::from(self.window.width) * u64::from(self.window.height)
    }

    /// The tree and the window, with the camera of a sample.
    fn arguments(&self, sample: u32) -> WindowArguments {
        let cameras = self.cameras.address().cast::<[f32; 3]>();
        WindowArguments {
            scene: SceneArguments {
                nodes: self.tree.nodes.cast(),
                references: self.tree.references.cast(),
                triangles: self.tree.triangles.address().cast(),
                bounds: self.bounds.address().cast(),
            },
            camera: cameras.wrapping_add(4 * sample as usize),
            pixels: self.pixels.address().cast(),
            width: self.window.width,
            height: self.window.height,
            left: self.window.left,
            top: self.window.top,
        }
    }

    /// Launches a kernel; its milliseconds.
    ///
    /// # Safety
    ///
    /// The arguments are for this canvas.
    pub unsafe fn launch(&self, call: Call) -> Result<f64, BackendError> {
        // A GPU thread a pixel; the kernel strides if there are more of them.
        let threads = render_threads(self.window.width, self.window.height);
        let launch = Launch {
            call,
            heap: None,
            grid: Grid::Rays(u32::try_from(threads).unwrap_or(u32::MAX)),
        };
        // SAFETY: the caller's promise. A view's tree is whole.
        unsafe { self.tree.backend.launch(&launch) }
    }

    /// One sample of a surface's colour for each pixel.
    fn surface(&self, mode: Mode, sample: u32) -> Call {
        Call::of::<Render>(RenderArguments {
            window: self.arguments(sample),
            rows: self.rows,
            is_added: sample > 0,
            mode,
        })
    }

    /// One sample of the traversal's cost for each pixel.
    fn cost(&self, sample: u32) -> Call {
        Call::of::<Cost>(CostArguments {
            window: self.arguments(sample),
            is_added: sample > 0,
        })
    }

    /// Some shadow rays of a sample of each pixel.
    fn ambient(&self, pass: AmbientPass) -> Call {
        Call::of::<Ambient>(AmbientArguments {
            window: self.arguments(pass.sample),
            rays: self.rays.address().cast(),
            is_added: pass.first > 0,
            first: pass.first,
            samples: pass.rays,
            distance: self.tree.scale.length(pass.distance),
            seed: pass.seed,
        })
    }

    /// Some samples of each pixel's light.
    fn path(&self, lit: &PlacedLighting, shading: &Shading, pass: PathPass) -> Call {
        let arguments = PathArguments {
            window: self.arguments(0),
            rays: self.rays.address().cast(),
            materials: lit.materials.address().cast(),
            material_of: lit.material_of.address().cast(),
            lights: lit.lights.address().cast(),
            sky: lit.sky.address().cast(),
            delta_lights: self
                .delta_lights
                .as_ref()
                .unwrap_or(&lit.delta_lights)
                .address()
                .cast(),
            first: pass.first,
            samples: pass.samples,
            is_spread: shading.samples > 1,
            bounces: pass.bounces,
            seed: shading.seed,
            light_count: match pass.looks_for_lights {
                true => lit.lighting.lights() as u32,
                false => 0,
            },
            light_area: self.tree.scale.square(lit.lighting.light_area),
            delta_light_count: match pass.looks_for_lights {
                true => lit.lighting.delta_light_count() as u32,
                false => 0,
            },
        };
        match &lit.details {
            Some(details) => Call::of::<DetailedPath>(details.arguments(arguments)),
            None => Call::of::<Path>(arguments),
        }
    }

    /// The launches for some samples of a picture, with rays of some kinds, in order. Those of a
    /// picture's first samples begin it anew, the others add to it.
    ///
    /// # Panics
    ///
    /// If there are paths and nothing that they run through.
    pub fn calls(&self, shading: &Shading, kinds: RayKinds, samples: Range<u32>) -> Vec<Call> {
        match shading.shade {
            Shade::Surface(mode) => samples.map(|s| self.surface(mode, s)).collect(),
            Shade::Cost { .. } => samples.map(|s| self.cost(s)).collect(),
            Shade::Ambient {
                samples: rays,
                distance,
            } => {
                let most = RAYS / self.pixel_count().max(1);
                let most = u32::try_from(most).unwrap_or(u32::MAX).clamp(1, rays);
                let parts =
                    |sample: u32| (0..rays).step_by(most as usize).map(move |at| (sample, at));
                let pass = |(sample, at): (u32, u32)| AmbientPass {
                    sample,
                    first: sample * rays + at,
                    rays: match kinds {
                        RayKinds::All => most.min(rays - at),
                        RayKinds::Primary | RayKinds::Unshadowed => 0,
                    },
                    distance,
                    seed: shading.seed,
                };
                let passes = samples.flat_map(parts).map(pass);
                passes.map(|pass| self.ambient(pass)).collect()
            }
            Shade::Path { bounces, .. } => {
                let lit = self.lit.expect("paths have materials");
                let most = PATHS / self.pixel_count().max(1);
                let most = u32::try_from(most).unwrap_or(u32::MAX);
                let most = most.clamp(1, shading.samples);
                let end = samples.end;
                let pass = |first| PathPass {
                    first,
                    samples: most.min(end - first),
                    bounces: match kinds {
                        RayKinds::All | RayKinds::Unshadowed => bounces,
                        RayKinds::Primary => 0,
                    },
                    looks_for_lights: kinds == RayKinds::All,
                };
                let firsts = samples.step_by(most as usize);
                firsts
                    .map(|first| self.path(lit, shading, pass(first)))
                    .collect()
            }
        }
    }
}

/// A launch of path tracing.
#[derive(Clone, Copy)]
struct PathPass {
    /// Number of its first sample.
    first: u32,
    samples: u32,
    bounces: u32,
    /// Whether there are shadow rays.
    looks_for_lights: bool,
}

/// A launch of ambient occlusion.
#[derive(Clone, Copy)]
struct AmbientPass {
    /// The sample of a pixel.
    sample: u32,
    /// Number of its first shadow ray among all of the pixel.
    first: u32,
    /// Shadow rays of a hit.
    rays: u32,
    distance: f32,
    seed: u32,
}
