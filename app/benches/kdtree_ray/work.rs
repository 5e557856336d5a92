//! Measurements of one scene: builds and traversals by both libraries.

use std::path::Path;
use std::time::Instant;

use glam::Vec3;
use heapwood::Error;
use heapwood::backend::{Backend, Cpu};
use heapwood::samples::Samples;
use heapwood::tree::{self, Cores, Options, Triangle};
use heapwood_device::kdtree::bounds::Bounds;
use heapwood_device::kdtree::plan::Costs;
use heapwood_scenes::{CleanOptions, Scene, generate};
use kdtree_ray::{AABB, Bounded, BuilderConfig, KDTree};

use super::rays;
use heapwood_results::benches::KdtreeRayRow as Row;

/// The constants of both, which are the defaults of `kdtree-ray`.
const COSTS: Costs = Costs {
    traversal: 15.0,
    intersection: 20.0,
    empty_bonus: 0.2,
};

/// A triangle as `kdtree-ray` sees it: its box.
struct Shape(Bounds);

impl Bounded for Shape {
    fn bound(&self) -> AABB {
        AABB::new(self.0.min.into(), self.0.max.into())
    }
}

fn scene(name: &str) -> Result<Scene, Error> {
    match generate::by_name(name) {
        Some(scene) => Ok(scene),
        None => Ok(heapwood_scenes::load(Path::new(name), CleanOptions::default())?.scene),
    }
}

/// Measures both sides on a scene.
///
/// # Errors
///
/// A scene that cannot be read, and trees that differ from run to run.
pub fn measure(name: &str, runs: u32, rays: u32) -> Result<Row, Error> {
    let scene = scene(name)?;
    let triangles: Vec<Triangle> = tree::triangles(&scene);
    let shapes: Vec<Shape> = triangles.iter().map(|one| Shape(Bounds::of(one))).collect();
    let options = Options {
        costs: COSTS,
        ..Options::default()
    };
    let config = BuilderConfig::new(COSTS.traversal, COSTS.intersection, COSTS.empty_bonus);
    let cores = Cores::new(None)?;
    let built = cores.build(&triangles, options)?;
    let theirs = KDTree::build_config(&shapes, &config);
    let (mut our_ms, mut their_ms) = (Vec::new(), Vec::new());
    for _ in 0..runs {
        let (again, ms) = timed(|| cores.build(&triangles, options));
        our_ms.push(ms);
        if again?.tree != built.tree {
            let differ = format!("{name}: two builds gave different trees");
            return Err(Error::Verification(differ));
        }
        their_ms.push(timed(|| KDTree::build_config(&shapes, &config)).1);
    }
    let (mut ours, mut others) = (0, 0);
    let rays = rays::random(&built.tree.bounds, rays);
    for &(origin, direction) in &rays {
        ours += rays::candidates(&built.tree, origin, direction);
        let [origin, direction] = [origin, direction].map(|at: Vec3| at.to_array());
        others += theirs.intersect(&origin.into(), &direction.into()).len();
    }
    let a_ray = |sum: usize| sum as f64 / rays.len() as f64;
    let samples = |times| Samples::new(times).unwrap_or_else(|| unreachable!("a run at least"));
    let info = Cpu::with_threads(1)?.info();
    Ok(Row {
        scene: scene.name().to_owned(),
        triangles: triangles.len() as u64,
        nodes: built.tree.nodes.len() as u64,
        ours_ms: samples(our_ms),
        theirs_ms: samples(their_ms),
        triangles_a_ray: [a_ray(ours), a_ray(others)],
        cpu: info.device.clone(),
        threads: std::thread::available_parallelism().map_or(1, usize::from) as u64,
        meta: heapwood::meta::of_scene(&info, &scene),
    })
}

/// Does something; returns the time on the wall too, in milliseconds.
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let begun = Instant::now();
    let result = work();
    (result, begun.elapsed().as_secs_f64() * 1e3)
}
