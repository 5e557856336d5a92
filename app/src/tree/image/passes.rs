//! A picture from its launches: in runs, all of them time and again, or in passes, until there are
//! enough samples.

use std::time::{Duration, Instant};

use heapwood_device::launch::Call;
use heapwood_device::render::Mode;
use heapwood_scenes::{Camera, RayBasis};

use super::super::device_tree::TreeView;
use super::super::scale::Scale;
use super::aovs::Aovs;
use super::canvas::{Canvas, RayKinds};
use super::colours;
use super::lighting::Lighting;
use super::placed_lighting::PlacedLighting;
use super::sampling::within_pixel;
use super::shading::{Crop, Shade, Shading};
use super::{RayCounts, RayTimes, RenderedImage};
use crate::backend::{BackendError, Memory, memory_of};
use crate::samples::Samples;

/// How long a pass is to take: it is the time by which a picture may take longer than it should.
const PASS: Duration = Duration::from_millis(100);

/// The camera's rays moved so that those through the middle of pixels go through this point
/// of them.
fn vectors(basis: &RayBasis, [x, y]: [f32; 2]) -> [[f32; 3]; 4] {
    let corner = basis.corner + basis.du * (x - 0.5) + basis.dv * (y - 0.5);
    [basis.origin, corner, basis.du, basis.dv].map(|vector| vector.to_array())
}

/// The divisor of the sums of a picture of so many samples.
fn divisor(shading: &Shading, samples: u32) -> u64 {
    let samples = u64::from(samples);
    match shading.shade {
        Shade::Surface(_) | Shade::Cost { .. } | Shade::Path { .. } => samples,
        Shade::Ambient { samples: rays, .. } => samples * u64::from(rays),
    }
}

/// The rays of a picture.
fn ray_counts(
    canvas: &Canvas,
    shading: &Shading,
    rendered: &Rendered,
) -> Result<RayCounts, BackendError> {
    let pixels = canvas.pixel_count();
    let mut rays = RayCounts {
        primary: rendered.launches * pixels,
        ..RayCounts::default()
    };
    match shading.shade {
        Shade::Surface(_) | Shade::Cost { .. } => {}
        Shade::Ambient { .. } => {
            let counts: Vec<u32> = canvas.rays.download(0, pixels as usize)?;
            rays.shadow = counts.into_iter().map(u64::from).sum();
        }
        Shade::Path { .. } => {
            rays.primary = u64::from(rendered.samples) * pixels;
            let counts: Vec<[u32; 2]> = canvas.rays.download(0, pixels as usize)?;
            for [shadow, secondary] in counts {
                rays.shadow += u64::from(shadow);
                rays.secondary += u64::from(secondary);
            }
        }
    }
    Ok(rays)
}

/// Milliseconds of rays of each kind, of a picture that takes `all` of them.
fn ray_times(canvas: &Canvas, shading: &Shading, all: f64) -> Result<RayTimes, BackendError> {
    let run = |kinds| {
        let calls = canvas.calls(shading, kinds, 0..shading.samples);
        // SAFETY: the calls are for this canvas.
        let times = calls.iter().map(|call| unsafe { canvas.launch(*call) });
        times.sum::<Result<f64, _>>()
    };
    // A short run may be held up for longer than the difference.
    let difference = |more: f64, less: f64| (more - less).max(0.0);
    Ok(match shading.shade {
        Shade::Surface(_) | Shade::Cost { .. } => RayTimes {
            primary: all,
            ..RayTimes::default()
        },
        Shade::Ambient { .. } => {
            let primary = run(RayKinds::Primary)?;
            RayTimes {
                primary,
                shadow: difference(all, primary),
                secondary: 0.0,
            }
        }
        Shade::Path { .. } => {
            let (primary, unshadowed) = (run(RayKinds::Primary)?, run(RayKinds::Unshadowed)?);
            RayTimes {
                primary,
                shadow: difference(all, unshadowed),
                secondary: difference(unshadowed, primary),
            }
        }
    })
}

/// Where the rays of a picture's passes go.
fn cameras(camera: &Camera, shading: &Shading, scale: Scale) -> Vec<[[f32; 3]; 4]> {
    let basis = camera.rays();
    let basis = RayBasis {
        origin: scale.point(basis.origin.to_array()).into(),
        ..basis
    };
    let passes = match shading.shade {
        // Paths find their point of the pixel by themselves.
        Shade::Path { .. } => 1,
        Shade::Surface(_) | Shade::Cost { .. } | Shade::Ambient { .. } => shading.samples,
    };
    let pass = |sample| vectors(&basis, within_pixel(sample));
    (0..passes).map(pass).collect()
}

/// The delta lights of a scene that is scaled.
fn scaled_delta_lights(
    tree: &TreeView,
    lighting: Option<&Lighting>,
) -> Result<Option<Memory>, BackendError> {
    let Some(lighting) = lighting.filter(|_| !tree.scale.is_one()) else {
        return Ok(None);
    };
    let delta_lights = lighting
        .delta_lights
        .iter()
        .map(|delta_light| tree.scale.delta_light(*delta_light));
    memory_of(tree.backend, &delta_lights.collect::<Vec<_>>()).map(Some)
}

/// The result of the passes.
struct Rendered {
    /// Samples of a pixel.
    samples: u32,
    /// Launches of a run.
    launches: u64,
    /// Milliseconds of each run.
    runs: Vec<f64>,
}

/// All launches of a picture `runs` times, after the first of them untimed.
fn in_runs(canvas: &Canvas, shading: &Shading, runs: u32) -> Result<Rendered, BackendError> {
    let calls = canvas.calls(shading, RayKinds::All, 0..shading.samples);
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
    let runs = (0..runs.max(1)).map(once);
    Ok(Rendered {
        samples: shading.samples,
        launches: calls.len() as u64,
        runs: runs.collect::<Result<_, BackendError>>()?,
    })
}

/// The launches of a picture in passes, until there are all samples or these are enough.
fn in_passes(
    canvas: &Canvas,
    shading: &Shading,
    enough: &dyn Fn() -> bool,
) -> Result<Rendered, BackendError> {
    let mut rendered = Rendered {
        samples: 0,
        launches: 0,
        runs: Vec::new(),
    };
    let (begun, mut sum) = (Instant::now(), 0.0);
    let mut pass = match shading.shade {
        // A picture of a single sample has it in the middle of pixels, and those of several have
        // none there: two are the least that is the beginning of more.
        Shade::Path { .. } => 2,
        Shade::Surface(_) | Shade::Cost { .. } | Shade::Ambient { .. } => 1,
    };
    while rendered.samples < shading.samples {
        let end = shading.samples.min(rendered.samples.saturating_add(pass));
        for call in canvas.calls(shading, RayKinds::All, rendered.samples..end) {
            // SAFETY: the call is for this canvas, whose arrays have an entry for each pixel.
            sum += unsafe { canvas.launch(call)? };
            rendered.launches += 1;
        }
        rendered.samples = end;
        (shading.progress)(u64::from(end), u64::from(shading.samples));
        if enough() {
            break;
        }
        let sample = begun.elapsed().div_f64(f64::from(end));
        pass = pass_of(sample);
    }
    rendered.runs.push(sum);
    Ok(rendered)
}

/// Samples of a pass, if one takes so long: passes are short enough to end in time, and long
/// enough that to ask in between takes none.
fn pass_of(sample: Duration) -> u32 {
    let samples = PASS.as_nanos() / sample.as_nanos().max(1);
    u32::try_from(samples).unwrap_or(u32::MAX).max(1)
}

/// Renders a picture.
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
    let (counts, lighting) = match shading.shade {
        Shade::Surface(_) | Shade::Cost { .. } => (0, None),
        Shade::Ambient { .. } => (1, None),
        Shade::Path { lighting, .. } => (2, Some(lighting)),
    };
    let is_there =
        |placed: &PlacedLighting| lighting.is_some_and(|lighting| placed.is_of(lighting, backend));
    assert!(
        lighting.is_none_or(|lighting| lighting.material_of.len() == tree.triangle_count),
        "the light is that of the tree's triangles"
    );
    assert!(
        shading.placed.is_none_or(is_there),
        "the light that was copied is that of the picture, on its backend"
    );
    let copied = match (lighting, shading.placed) {
        (Some(lighting), None) => Some(PlacedLighting::new(backend, lighting)?),
        _ => None,
    };
    let canvas = Canvas {
        tree,
        window,
        rows: camera.height(),
        cameras: memory_of(backend, &cameras(camera, shading, tree.scale))?,
        bounds: memory_of(backend, &[tree.bounds.min, tree.bounds.max])?,
        pixels: backend.allocate(pixel_count as u64 * 12)?,
        rays: backend.allocate((pixel_count as u64 * 4 * counts).max(4))?,
        delta_lights: scaled_delta_lights(tree, lighting)?,
        lit: shading.placed.or(copied.as_ref()),
    };

    let mut rendered = match shading.enough {
        None => in_runs(&canvas, shading, runs)?,
        Some(enough) => in_passes(&canvas, shading, enough)?,
    };
    let Some(render_ms) = Samples::new(std::mem::take(&mut rendered.runs)) else {
        unreachable!("there was at least one run");
    };

    let mut raw: Vec<[f32; 3]> = canvas.pixels.download(0, pixel_count)?;
    let divisor = divisor(shading, rendered.samples);
    if divisor > 1 {
        let divisor = divisor as f32;
        raw.as_flattened_mut()
            .iter_mut()
            .for_each(|value| *value /= divisor);
    }
    if shading.shade == Shade::Surface(Mode::Depth) {
        let distances = raw.as_flattened_mut().iter_mut();
        distances.for_each(|distance| *distance = tree.scale.unscaled(*distance));
    }
    let rays = ray_counts(&canvas, shading, &rendered)?;
    let aovs = match shading.shade {
        Shade::Path { lighting, .. } if shading.aovs => {
            Some(Aovs::of(tree, camera, window, lighting)?)
        }
        _ => None,
    };
    // Behind everything else: these launches write over the picture.
    let ray_ms = match shading.ray_times {
        true => Some(ray_times(&canvas, shading, render_ms.median)?),
        false => None,
    };
    Ok(RenderedImage {
        width: window.width,
        height: window.height,
        rgba: colours::rgba(&shading.shade, &raw, window.width, window.height),
        raw,
        channels: shading.shade.channels(),
        aovs,
        samples: rendered.samples,
        rays,
        render_ms,
        ray_ms,
    })
}
