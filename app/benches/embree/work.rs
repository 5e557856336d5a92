//! Measurements of one scene: builds and pictures by both libraries.

use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

use glam::Vec3;
use heapwood::Error;
use heapwood::backend::{Backend, Cpu};
use heapwood::generate::{SceneSpec, Source};
use heapwood::samples::Samples;
use heapwood::tree::{self, Builder, Options, Shading};
use heapwood_device::render::Mode;
use heapwood_scenes::{Camera, CleanOptions, Scene, load};

use super::library::{self, Embree, RayHit};
use heapwood_results::benches::EmbreeRow as Row;

/// A scene, and from where it is seen.
#[derive(Clone, Debug)]
pub struct View {
    scene: String,
    /// The eye and what it looks at; none frames the scene.
    look: Option<(Vec3, Vec3)>,
}

impl View {
    /// A scene that the program makes, all of it in the picture.
    pub fn framed(name: &str) -> Self {
        Self {
            scene: format!("gen:{name}"),
            look: None,
        }
    }
}

impl FromStr for View {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (scene, look) = match text.rsplit_once('@') {
            None => (text, None),
            Some((scene, numbers)) => {
                let numbers: Result<Vec<f32>, _> = numbers.split(',').map(str::parse).collect();
                match numbers.as_deref() {
                    Ok(&[x, y, z, u, v, w]) => {
                        (scene, Some((Vec3::new(x, y, z), Vec3::new(u, v, w))))
                    }
                    _ => return Err("a view is six numbers, x,y,z,x,y,z".to_owned()),
                }
            }
        };
        let scene = scene.to_owned();
        Ok(Self { scene, look })
    }
}

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.scene)
    }
}

/// How to measure.
pub struct Settings {
    pub runs: u32,
    pub threads: usize,
    /// Pixels of a side of the picture.
    pub side: u32,
    /// Whether Embree looks for all hits.
    pub is_robust: bool,
}

fn read(path: &Path) -> Result<Scene, Error> {
    Ok(load(path, CleanOptions::default())?.scene)
}

fn scene(name: &str) -> Result<Scene, Error> {
    match Source::<SceneSpec>::parse(name.into())
        .map_err(|error| Error::Usage(error.to_string()))?
    {
        Source::File(path) => read(&path),
        Source::Generated { text, spec } => {
            let made = spec.make(&mut read)?.renamed(text);
            Ok(made.clean(CleanOptions::default())?.0)
        }
    }
}

/// Pixels of a side of the tiles that Embree's threads take: as large a piece of work as those of
/// our workers.
const TILE: u32 = 16;

/// Embree's picture: the light of each pixel, 0 where nothing is hit.
fn render(scene: &library::Scene, camera: &Camera, threads: usize, picture: &mut [f32]) {
    /// The picture; each thread writes the pixels of its own tiles.
    struct Pixels(*mut f32);
    // SAFETY: no pixel is in two tiles, and none is read before all threads have ended.
    unsafe impl Sync for Pixels {}
    let (width, height) = (camera.width(), camera.height());
    let basis = camera.rays();
    let across = width.div_ceil(TILE);
    let tiles = (across * height.div_ceil(TILE)) as usize;
    let next = AtomicUsize::new(0);
    let pixels = Pixels(picture.as_mut_ptr());
    let take = || {
        let pixels = &pixels;
        loop {
            let tile = next.fetch_add(1, Relaxed);
            if tile >= tiles {
                return;
            }
            let (left, top) = (tile as u32 % across * TILE, tile as u32 / across * TILE);
            for y in top..(top + TILE).min(height) {
                for x in left..(left + TILE).min(width) {
                    let direction = basis.direction(x, y);
                    let mut ray = RayHit::new(basis.origin, direction);
                    scene.intersect(&mut ray);
                    let light = ray.normal().map_or(0.0, |normal| {
                        let both = normal.length_squared() * direction.length_squared();
                        normal.dot(direction).abs() / both.sqrt()
                    });
                    // SAFETY: it is within the picture, and in this thread's tile.
                    unsafe { pixels.0.add((y * width + x) as usize).write(light) };
                }
            }
        }
    };
    std::thread::scope(|scope| {
        (1..threads).for_each(|_| drop(scope.spawn(take)));
        take();
    });
}

/// Measures both sides on a scene.
///
/// # Errors
///
/// A scene that cannot be read or seen, and too little memory.
pub fn measure(embree: &Embree, view: &View, settings: &Settings) -> Result<Row, Error> {
    let scene = scene(&view.scene)?;
    let side = settings.side;
    let camera = match view.look {
        Some((eye, look_at)) => Camera::new(eye, look_at, Vec3::Y, 60.0, side, side),
        None => Camera::frame(scene.bounds(), side, side, 45.0),
    };
    let camera = camera.map_err(|error| Error::Usage(error.to_string()))?;
    let triangles = tree::triangles(&scene);
    let theirs = embree.build(&triangles, settings.threads, settings.is_robust)?;
    let backend = Cpu::with_threads(settings.threads)?;
    let threads = Some(settings.threads);
    let built = Builder::Cores { threads }.build(&backend, &scene, Options::default())?;
    let shading = Shading::from(Mode::Eyelight);
    let depths = Shading::from(Mode::Depth);
    let (mut our_ms, mut their_ms) = (Vec::new(), Vec::new());
    let mut picture = vec![0.0_f32; side as usize * side as usize];
    render(&theirs, &camera, settings.threads, &mut picture);
    for _ in 0..settings.runs {
        let ours = built.tree.render(&camera, &shading, 1)?;
        our_ms.extend(ours.render_ms.samples);
        let begun = Instant::now();
        render(&theirs, &camera, settings.threads, &mut picture);
        their_ms.push(begun.elapsed().as_secs_f64() * 1e3);
    }
    let depth = built.tree.render(&camera, &depths, 1)?.raw;
    let is_hit = depth.iter().map(|[depth, ..]| depth.is_finite());
    let other_hits = picture.iter().map(|light| *light > 0.0);
    let hits = is_hit.clone().filter(|is_hit| *is_hit).count();
    let differing = is_hit.zip(other_hits).filter(|(a, b)| a != b).count();
    let samples = |times| Samples::new(times).unwrap_or_else(|| unreachable!("a run at least"));
    let info = backend.info();
    Ok(Row {
        scene: scene.name().to_owned(),
        triangles: triangles.len() as u64,
        rays: picture.len() as u64,
        hits: hits as u64,
        differing: differing as u64,
        ours_ms: samples(our_ms),
        theirs_ms: samples(their_ms),
        is_robust: settings.is_robust,
        cpu: info.device.clone(),
        threads: settings.threads as u64,
        meta: heapwood::meta::of_scene(&info, &scene),
    })
}
