//! Rendering a tree on the backend that built it.

use heapwood_device::launch::Call;
use heapwood_device::render::plan::{render_threads, to_rgba8};
use heapwood_device::render::{Mode, Render, RenderArguments};
use heapwood_scenes::Camera;
use image::{ExtendedColorType, ImageEncoder, codecs::png::PngEncoder};

use super::build::{BuiltTree, PreparedBuild};
use super::placed::{PlacedTree, TreeView};
use crate::Error;
use crate::backend::{BackendError, Grid, Launch};
use crate::samples::Samples;

/// An image, and how long it took.
#[derive(Clone, Debug)]
pub struct RenderedImage {
    /// Pixels of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// sRGB with alpha, 4 bytes a pixel, row by row from the top.
    pub rgba: Vec<u8>,
    /// Milliseconds for all of its rays.
    pub render_ms: Samples,
}

impl RenderedImage {
    /// Rays per second, one a pixel, of the median run.
    pub fn rays_per_second(&self) -> f64 {
        let rays = f64::from(self.width) * f64::from(self.height);
        rays / (self.render_ms.median.max(1e-6) * 1e-3)
    }

    /// The image as a PNG file.
    ///
    /// # Errors
    ///
    /// When it cannot be encoded.
    pub fn png(&self) -> Result<Vec<u8>, Error> {
        let mut file = Vec::new();
        PngEncoder::new(&mut file)
            .write_image(
                &self.rgba,
                self.width,
                self.height,
                ExtendedColorType::Rgba8,
            )
            .map_err(|error| Error::Failed(format!("cannot encode the image: {error}")))?;
        Ok(file)
    }
}

/// Renders the tree built last in `prepared`: once untimed, which loads the kernel,
/// then `runs` times and at least once.
///
/// ```
/// use heapwood::allocators::Spec;
/// use heapwood::backend::Cpu;
/// use heapwood::size::Pool;
/// use heapwood::tree::{Options, TreeBuilder, render, triangles};
/// use heapwood_device::render::Mode;
/// use heapwood_scenes::{Camera, generate};
///
/// let scene = generate::courtyard();
/// let camera = Camera::frame(scene.bounds(), 64, 48, 45.0)?;
/// let backend = Cpu::new(None, None)?;
/// let builder = TreeBuilder::new(&backend, &triangles(&scene))?;
/// let ready = builder.prepare(&Spec::parse("cfmalloc")?, Pool::Auto, Options::default())?;
/// let built = ready.build(false)?;
/// let picture = render(&ready, &built, &camera, Mode::default(), 3)?;
/// assert_eq!(picture.rgba.len(), 4 * 64 * 48);
/// assert_eq!(picture.render_ms.samples.len(), 3);
/// assert!(picture.png()?.starts_with(b"\x89PNG"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Faults of the backend.
///
/// # Panics
///
/// If the latest build in `prepared` has not succeeded.
pub fn render(
    prepared: &PreparedBuild,
    built: &BuiltTree,
    camera: &Camera,
    mode: Mode,
    runs: u32,
) -> Result<RenderedImage, BackendError> {
    let (nodes, references) = prepared.addresses();
    let view = TreeView {
        backend: prepared.backend(),
        nodes,
        references,
        triangles: prepared.triangles(),
        bounds: built.result.bounds,
    };
    render_view(&view, camera, mode, runs)
}

/// Renders a tree that was copied to a backend, as [`render`] does.
///
/// # Errors
///
/// Faults of the backend.
pub fn render_placed(
    placed: &PlacedTree,
    camera: &Camera,
    mode: Mode,
    runs: u32,
) -> Result<RenderedImage, BackendError> {
    render_view(&placed.view(), camera, mode, runs)
}

fn render_view(
    tree: &TreeView,
    camera: &Camera,
    mode: Mode,
    runs: u32,
) -> Result<RenderedImage, BackendError> {
    let backend = tree.backend;
    let (width, height) = (camera.width(), camera.height());
    let pixel_count = width as usize * height as usize;
    let pixels = backend.memory(pixel_count as u64 * 12, false)?;
    let bounds = [tree.bounds.min, tree.bounds.max];
    let basis = camera.rays();
    let rays = [basis.origin, basis.corner, basis.du, basis.dv].map(|vector| vector.to_array());
    let numbers = backend.memory(256 + size_of_val(&rays) as u64, false)?;
    numbers.upload(0, &bounds)?;
    numbers.upload(256, &rays)?;
    let arguments = RenderArguments {
        nodes: tree.nodes.cast(),
        references: tree.references.cast(),
        triangles: tree.triangles.address().cast(),
        bounds: numbers.address().cast(),
        camera: numbers.address().wrapping_add(256).cast(),
        pixels: pixels.address().cast(),
        width,
        height,
        mode,
    };
    // A GPU thread a pixel; the kernel strides if there are more of them.
    let threads = u32::try_from(render_threads(width, height)).unwrap_or(u32::MAX);
    let launch = Launch {
        call: Call::of::<Render>(arguments),
        heap: None,
        grid: Grid::Threads(threads),
    };
    // SAFETY: a view's tree is whole, and the arrays have the sizes that the arguments ask for.
    let once = || unsafe { backend.launch(&launch) };
    once()?;
    let samples = (0..runs.max(1)).map(|_| once()).collect::<Result<_, _>>()?;
    let image: Vec<[f32; 3]> = pixels.download(0, pixel_count)?;
    let Some(render_ms) = Samples::new(samples) else {
        unreachable!("there was at least one run");
    };
    Ok(RenderedImage {
        width,
        height,
        rgba: to_rgba8(&image),
        render_ms,
    })
}
