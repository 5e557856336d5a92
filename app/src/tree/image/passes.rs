//! The launches of a picture: a pass a sample, or so many samples a launch that it stays short.

use heapwood_device::launch::Call;
use heapwood_device::render::plan::render_threads;
use heapwood_device::render::{
    Ambient, AmbientArguments, Cost, CostArguments, Mode, Render, RenderArguments,
};
use heapwood_scenes::{Camera, RayBasis};

use super::super::placed::TreeView;
use super::colours;
use super::shading::{Crop, Shade, Shading};
use super::{RayCounts, RenderedImage};
use crate::backend::{BackendError, Grid, Launch, Memory};
use crate::samples::Samples;

/// Rays of a launch: some tens of milliseconds of a GPU, seconds of a CPU.
const RAYS: u64 = 1 << 25;

/// Where in a pixel sample `index` of `count` is, from 0 to 1: Hammersley's points, moved so
/// that a single one is in the middle.
fn within_pixel(index: u32, count: u32) -> [f32; 2] {
    let across = (f64::from(index) + 0.5) / f64::from(count);
    let rows = f64::from(count.next_power_of_two());
    let down = f64::from(index.reverse_bits()) / f64::from(1 << 16) / f64::from(1 << 16);
    [across as f32, (down + 0.5 / rows) as f32]
}

/// The camera's rays moved so that those through the middle of pixels go through this point
/// of them.
fn vectors(basis: &RayBasis, [x, y]: [f32; 2]) -> [[f32; 3]; 4] {
    let corner = basis.corner + basis.du * (x - 0.5) + basis.dv * (y - 0.5);
    [basis.origin, corner, basis.du, basis.dv].map(|vector| vector.to_array())
}

/// What the launches of a picture work on.
struct Canvas<'a> {
    tree: &'a TreeView<'a>,
    window: Crop,
    rows: u32,
    /// Cameras, one for each sample of a pixel.
    cameras: Memory,
    bounds: Memory,
    pixels: Memory,
    /// Rays beside those from the eye, counted for each pixel.
    rays: Memory,
}

impl Canvas<'_> {
    fn pixel_count(&self) -> u64 {
        u64::from(self.window.width) * u64::from(self.window.height)
    }

    /// The camera of a sample.
    fn camera(&self, sample: u32) -> *mut [f32; 3] {
        let vectors = self.cameras.address().cast::<[f32; 3]>();
        vectors.wrapping_add(4 * sample as usize)
    }

    /// Launches a kernel; its milliseconds.
    ///
    /// # Safety
    ///
    /// The arguments are for this canvas.
    unsafe fn launch(&self, call: Call) -> Result<f64, BackendError> {
        // A GPU thread a pixel; the kernel strides if there are more of them.
        let threads = render_threads(self.window.width, self.window.height);
        let launch = Launch {
            call,
            heap: None,
            grid: Grid::Threads(u32::try_from(threads).unwrap_or(u32::MAX)),
        };
        // SAFETY: the caller's promise. A view's tree is whole.
        unsafe { self.tree.backend.launch(&launch) }
    }

    /// One sample of a surface's colour for each pixel.
    fn surface(&self, mode: Mode, sample: u32) -> Call {
        Call::of::<Render>(RenderArguments {
            nodes: self.tree.nodes.cast(),
            references: self.tree.references.cast(),
            triangles: self.tree.triangles.address().cast(),
            bounds: self.bounds.address().cast(),
            camera: self.camera(sample),
            pixels: self.pixels.address().cast(),
            width: self.window.width,
            height: self.window.height,
            left: self.window.left,
            top: self.window.top,
            rows: self.rows,
            is_added: sample > 0,
            mode,
        })
    }

    /// One sample of the traversal's cost for each pixel.
    fn cost(&self, sample: u32) -> Call {
        Call::of::<Cost>(CostArguments {
            nodes: self.tree.nodes.cast(),
            references: self.tree.references.cast(),
            triangles: self.tree.triangles.address().cast(),
            bounds: self.bounds.address().cast(),
            camera: self.camera(sample),
            pixels: self.pixels.address().cast(),
            width: self.window.width,
            height: self.window.height,
            left: self.window.left,
            top: self.window.top,
            is_added: sample > 0,
        })
    }

    /// Some shadow rays of a sample of each pixel.
    fn ambient(&self, pass: AmbientPass) -> Call {
        Call::of::<Ambient>(AmbientArguments {
            nodes: self.tree.nodes.cast(),
            references: self.tree.references.cast(),
            triangles: self.tree.triangles.address().cast(),
            bounds: self.bounds.address().cast(),
            camera: self.camera(pass.sample),
            pixels: self.pixels.address().cast(),
            rays: self.rays.address().cast(),
            width: self.window.width,
            height: self.window.height,
            left: self.window.left,
            top: self.window.top,
            is_added: pass.first > 0,
            first: pass.first,
            samples: pass.rays,
            distance: pass.distance,
            seed: pass.seed,
        })
    }
}

/// What a launch of ambient occlusion does.
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

/// The launches of a picture, in order.
fn calls(canvas: &Canvas, shading: &Shading) -> Vec<Call> {
    let samples = 0..shading.samples;
    match shading.shade {
        Shade::Surface(mode) => samples.map(|s| canvas.surface(mode, s)).collect(),
        Shade::Cost { .. } => samples.map(|s| canvas.cost(s)).collect(),
        Shade::Ambient {
            samples: rays,
            distance,
        } => {
            let most = RAYS / canvas.pixel_count().max(1);
            let most = u32::try_from(most).unwrap_or(u32::MAX).clamp(1, rays);
            let parts = |sample: u32| (0..rays).step_by(most as usize).map(move |at| (sample, at));
            let pass = |(sample, at): (u32, u32)| AmbientPass {
                sample,
                first: sample * rays + at,
                rays: most.min(rays - at),
                distance,
                seed: shading.seed,
            };
            let passes = samples.flat_map(parts).map(pass);
            passes.map(|pass| canvas.ambient(pass)).collect()
        }
    }
}

/// What the sums of a picture are divided by.
fn divisor(shading: &Shading) -> u64 {
    let samples = u64::from(shading.samples);
    match shading.shade {
        Shade::Surface(_) | Shade::Cost { .. } => samples,
        Shade::Ambient { samples: rays, .. } => samples * u64::from(rays),
    }
}

/// Renders a picture: its first launch untimed, then all of them `runs` times.
pub(super) fn render(
    tree: &TreeView,
    camera: &Camera,
    shading: &Shading,
    runs: u32,
) -> Result<RenderedImage, BackendError> {
    let window = shading.crop.unwrap_or(Crop {
        left: 0,
        top: 0,
        width: camera.width(),
        height: camera.height(),
    });
    assert!(window.is_within(camera.width(), camera.height()));
    let backend = tree.backend;
    let pixel_count = window.width as usize * window.height as usize;
    let basis = camera.rays();
    let cameras: Vec<[[f32; 3]; 4]> = (0..shading.samples)
        .map(|sample| vectors(&basis, within_pixel(sample, shading.samples)))
        .collect();
    let bounds = [tree.bounds.min, tree.bounds.max];
    let counts_rays = matches!(shading.shade, Shade::Ambient { .. });
    let ray_bytes = if counts_rays {
        pixel_count as u64 * 4
    } else {
        4
    };
    let canvas = Canvas {
        tree,
        window,
        rows: camera.height(),
        cameras: backend.memory(size_of_val(cameras.as_slice()) as u64, false)?,
        bounds: backend.memory(size_of_val(&bounds) as u64, false)?,
        pixels: backend.memory(pixel_count as u64 * 12, false)?,
        rays: backend.memory(ray_bytes, false)?,
    };
    canvas.cameras.upload(0, &cameras)?;
    canvas.bounds.upload(0, &bounds)?;

    let calls = calls(&canvas, shading);
    // SAFETY: the calls are for this canvas, whose arrays have an entry for each pixel.
    let launch = |call: &Call| unsafe { canvas.launch(*call) };
    calls.first().map_or(Ok(0.0), launch)?;
    let once = |_| {
        let mut sum = 0.0;
        for (done, call) in (1..).zip(&calls) {
            sum += launch(call)?;
            (shading.progress)(done, calls.len() as u64);
        }
        Ok(sum)
    };
    let samples = (0..runs.max(1))
        .map(once)
        .collect::<Result<_, BackendError>>()?;
    let Some(render_ms) = Samples::new(samples) else {
        unreachable!("there was at least one run");
    };

    let mut rays = RayCounts {
        primary: calls.len() as u64 * canvas.pixel_count(),
        ..RayCounts::default()
    };
    if counts_rays {
        let counts: Vec<u32> = canvas.rays.download(0, pixel_count)?;
        rays.shadow = counts.into_iter().map(u64::from).sum();
    }
    let mut raw: Vec<[f32; 3]> = canvas.pixels.download(0, pixel_count)?;
    let divisor = divisor(shading);
    if divisor > 1 {
        let divisor = divisor as f32;
        raw.iter_mut().flatten().for_each(|value| *value /= divisor);
    }
    Ok(RenderedImage {
        width: window.width,
        height: window.height,
        rgba: colours::rgba(&shading.shade, &raw, window.width, window.height),
        raw,
        rays,
        render_ms,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_of_a_pixel_are_in_rows_and_columns_of_their_own() {
        assert_eq!(within_pixel(0, 1), [0.5, 0.5]);
        for count in [2, 3, 8, 64] {
            let points: Vec<[f32; 2]> = (0..count).map(|s| within_pixel(s, count)).collect();
            let cells = count.next_power_of_two() as f32;
            let mut columns: Vec<u32> = points
                .iter()
                .map(|p| (p[0] * count as f32) as u32)
                .collect();
            let mut rows: Vec<u32> = points.iter().map(|p| (p[1] * cells) as u32).collect();
            for list in [&mut columns, &mut rows] {
                list.sort_unstable();
                list.dedup();
                assert_eq!(list.len(), count as usize, "{points:?}");
            }
            let mean = points.iter().map(|p| p[0]).sum::<f32>() / count as f32;
            assert!((mean - 0.5).abs() < 1e-3);
        }
    }
}
