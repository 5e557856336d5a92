//! A picture from its launches.

use heapwood_device::launch::Call;
use heapwood_scenes::{Camera, RayBasis};

use super::super::placed::TreeView;
use super::canvas::{Canvas, LitMemory, RayKinds, memory_of};
use super::colours;
use super::features::Features;
use super::shading::{Crop, Shade, Shading};
use super::{RayCounts, RayTimes, RenderedImage};
use crate::backend::BackendError;
use crate::samples::Samples;

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

/// What the sums of a picture are divided by.
fn divisor(shading: &Shading) -> u64 {
    let samples = u64::from(shading.samples);
    match shading.shade {
        Shade::Surface(_) | Shade::Cost { .. } | Shade::Path { .. } => samples,
        Shade::Ambient { samples: rays, .. } => samples * u64::from(rays),
    }
}

/// The rays of a picture's launches.
fn ray_counts(
    canvas: &Canvas,
    shading: &Shading,
    launches: usize,
) -> Result<RayCounts, BackendError> {
    let pixels = canvas.pixel_count();
    let mut rays = RayCounts {
        primary: launches as u64 * pixels,
        ..RayCounts::default()
    };
    match shading.shade {
        Shade::Surface(_) | Shade::Cost { .. } => {}
        Shade::Ambient { .. } => {
            let counts: Vec<u32> = canvas.rays.download(0, pixels as usize)?;
            rays.shadow = counts.into_iter().map(u64::from).sum();
        }
        Shade::Path { .. } => {
            rays.primary = u64::from(shading.samples) * pixels;
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
        let calls = canvas.calls(shading, kinds);
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
fn cameras(camera: &Camera, shading: &Shading) -> Vec<[[f32; 3]; 4]> {
    let basis = camera.rays();
    let passes = match shading.shade {
        // Paths find their point of the pixel by themselves.
        Shade::Path { .. } => 1,
        Shade::Surface(_) | Shade::Cost { .. } | Shade::Ambient { .. } => shading.samples,
    };
    let pass = |sample| vectors(&basis, within_pixel(sample, passes));
    (0..passes).map(pass).collect()
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
    let (counts, lighting) = match shading.shade {
        Shade::Surface(_) | Shade::Cost { .. } => (0, None),
        Shade::Ambient { .. } => (1, None),
        Shade::Path { lighting, .. } => (2, Some(lighting)),
    };
    let lit = lighting.map(|lighting| LitMemory::new(backend, lighting));
    let canvas = Canvas {
        tree,
        window,
        rows: camera.height(),
        cameras: memory_of(backend, &cameras(camera, shading))?,
        bounds: memory_of(backend, &[tree.bounds.min, tree.bounds.max])?,
        pixels: backend.memory(pixel_count as u64 * 12, false)?,
        rays: backend.memory((pixel_count as u64 * 4 * counts).max(4), false)?,
        lit: lit.transpose()?,
    };

    let calls = canvas.calls(shading, RayKinds::All);
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
    let samples = (0..runs.max(1)).map(once);
    let samples = samples.collect::<Result<_, BackendError>>()?;
    let Some(render_ms) = Samples::new(samples) else {
        unreachable!("there was at least one run");
    };

    let mut raw: Vec<[f32; 3]> = canvas.pixels.download(0, pixel_count)?;
    let divisor = divisor(shading);
    if divisor > 1 {
        let divisor = divisor as f32;
        raw.as_flattened_mut()
            .iter_mut()
            .for_each(|value| *value /= divisor);
    }
    let rays = ray_counts(&canvas, shading, calls.len())?;
    let features = match shading.shade {
        Shade::Path { lighting, .. } if shading.features => {
            Some(Features::of(tree, camera, window, lighting)?)
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
        features,
        rays,
        render_ms,
        ray_ms,
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
