//! The costs of trees: the SAH cost as a multiple of the exact builder's, and the steps and
//! intersections per ray. The data of `docs/quality.md` is its output.
//!
//! `cargo run --release -p heapwood-tests --example tree_quality -- SCENES SETS`: scenes of the
//! program by name or OBJ files, and parameters such as `i=2,e=0.2,d=96,noclip`, where `i` is
//! the intersection cost, `e` the empty bonus and `d` the limit of depth; a quality's name
//! stands for its own. `noexact` leaves out the exact builder.

use std::error::Error;
use std::path::Path;

use glam::Vec3;
use heapwood::allocators::Spec;
use heapwood::size::Pool;
use heapwood::tree::{self, HostTree, KernelBuild, Options, Quality};
use heapwood_device::kdtree::metrics::{COMPARABLE, sah_cost};
use heapwood_device::render::{Bounds, Ray, Triangle};
use heapwood_scenes::{Camera, CleanOptions, Scene, generate};
use heapwood_tests::gpu::cpu;
use heapwood_tests::oracle;
use heapwood_tests::soups::Numbers;

/// Rays of the camera, across and down.
const PICTURE: (u32, u32) = (160, 120);
/// Rays from points inside the scene.
const INSIDE: usize = 20_000;

/// The traversal work of all rays of a tree.
#[derive(Default)]
struct Work {
    steps: u64,
    leaves: u64,
    empty: u64,
    tests: u64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (sets, scenes): (Vec<&String>, Vec<&String>) =
        arguments.iter().partition(|text| parse(text).is_some());
    let exact = !scenes.iter().any(|name| *name == "noexact");
    for name in scenes.into_iter().filter(|name| *name != "noexact") {
        let scene = match generate::by_name(name) {
            Some(scene) => scene,
            None => heapwood_scenes::load(Path::new(name), CleanOptions::default())?.scene,
        };
        measure(&scene, &sets, exact)?;
    }
    Ok(())
}

/// The options of a set; none if the text is no set.
fn parse(text: &str) -> Option<Options> {
    if let Some(&quality) = Quality::ALL.iter().find(|quality| quality.name() == text) {
        return Some(Options::of(quality));
    }
    let mut options = Options::default();
    for part in text.split(',') {
        match part.split_once('=') {
            Some(("i", cost)) => options.costs.intersection = cost.parse().ok()?,
            Some(("e", bonus)) => options.costs.empty_bonus = bonus.parse().ok()?,
            Some(("d", depth)) => options.max_depth = Some(depth.parse().ok()?),
            None if part == "noclip" => options.clip = false,
            _ => return None,
        }
    }
    Some(options)
}

/// Prints a line for each set.
fn measure(scene: &Scene, sets: &[&String], exact: bool) -> Result<(), Box<dyn Error>> {
    let triangles = tree::triangles(scene);
    println!("{}: {} triangles", scene.name(), triangles.len());
    let least = exact.then(|| {
        let (nodes, references, bounds) = oracle::build(&triangles, oracle::REFERENCE);
        let cost = sah_cost(&nodes, bounds, COMPARABLE);
        let (nodes, depth) = (nodes.len(), oracle::depth(&nodes));
        let references = references.len();
        println!("  exact  {cost:.2}, {nodes} nodes, {references} references, depth {depth}");
        cost
    });
    println!(
        "  {:<20} {:>8} {:>6} {:>8} {:>8} {:>5} {:>4} {:>8} {:>6} {:>6} {:>6} {:>6} {:>7}",
        "set",
        "SAH",
        "ratio",
        "nodes",
        "refs",
        "depth",
        "cut",
        "build ms",
        "steps",
        "leaves",
        "empty",
        "tests",
        "ns/ray"
    );
    let backend = cpu(2);
    let mut rays = None;
    for set in sets {
        let options = parse(set).ok_or("no set of parameters")?;
        let spec = Spec::parse("cfmalloc")?;
        let mut build = KernelBuild::prepare(&*backend, &triangles, &spec, Pool::Auto, options)?;
        let built = build.build()?.stats;
        let again = build.into_built()?;
        let tree = again.tree.download()?;
        let bounds = tree.bounds;
        let cost = sah_cost(&tree.nodes, bounds, COMPARABLE);
        let rays = rays.get_or_insert_with(|| make_rays(scene, &tree, &triangles, bounds));
        let mut work = Work::default();
        for (origin, direction) in rays.iter() {
            trace(&tree, &triangles, bounds, *origin, *direction, &mut work);
        }
        let traced: Vec<tree::Ray> = rays
            .iter()
            .map(|(origin, direction)| tree::Ray {
                origin: origin.to_array(),
                direction: direction.to_array(),
            })
            .collect();
        let mut times = [0; 9].map(|_| {
            let start = std::time::Instant::now();
            let hits = again.tree.trace(&traced).map(|hits| hits.len());
            hits.map(|_| start.elapsed().as_nanos() as f64 / traced.len() as f64)
                .unwrap_or(f64::INFINITY)
        });
        times.sort_by(f64::total_cmp);
        let a_ray = |number: u64| number as f64 / rays.len() as f64;
        println!(
            "  {set:<20} {cost:>8.2} {:>6.3} {:>8} {:>8} {:>5} {:>4} {:>8.0} {:>6.2} {:>6.2} {:>6.2} {:>6.2} {:>7.0}",
            least.map_or(f64::NAN, |least| cost / least),
            again.stats.result.nodes,
            again.stats.result.references,
            again.stats.result.depth,
            again.stats.result.cut_leaves,
            built.build_ms.min(again.stats.build_ms),
            a_ray(work.steps),
            a_ray(work.leaves),
            a_ray(work.empty),
            a_ray(work.tests),
            times[0]
        );
    }
    Ok(())
}

/// Rays of three kinds that meet the scene's box: those of a camera that sees the whole
/// scene, those from random points inside in random directions, and those from what these
/// hit in random directions.
fn make_rays(
    scene: &Scene,
    tree: &HostTree,
    triangles: &[Triangle],
    bounds: Bounds,
) -> Vec<(Vec3, Vec3)> {
    let mut numbers = Numbers(7);
    let mut direction = move || loop {
        let [x, y, z] = [0; 3].map(|_| 2.0 * numbers.unit() - 1.0);
        let direction = Vec3::new(x, y, z);
        if (0.01..1.0).contains(&direction.length()) {
            return direction.normalize();
        }
    };
    let (width, height) = PICTURE;
    let camera = Camera::frame(scene.bounds(), width, height, 45.0).expect("a camera");
    let camera = camera.rays();
    let pixels = (0..width * height).map(|pixel| (pixel % width, pixel / width));
    let mut rays: Vec<(Vec3, Vec3)> = pixels
        .map(|(x, y)| (camera.origin, camera.direction(x, y)))
        .collect();
    let (low, high) = (Vec3::from(bounds.min), Vec3::from(bounds.max));
    let mut places = Numbers(8);
    for _ in 0..INSIDE {
        let place = Vec3::from([0; 3].map(|_| places.unit()));
        let (origin, along) = (low + (high - low) * place, direction());
        rays.push((origin, along));
        let t = trace(tree, triangles, bounds, origin, along, &mut Work::default());
        if t.is_finite() {
            rays.push((origin + along * t * 0.9999, direction()));
        }
    }
    rays.retain(|&(origin, along)| {
        let span = Ray::new(origin, along, &bounds).map(|ray| ray.span(&bounds));
        span.is_some_and(|(enter, leave)| enter <= leave)
    });
    rays
}

/// The parameter of the closest hit, infinite if there is none, by the way of the
/// device's traversal.
fn trace(
    tree: &HostTree,
    triangles: &[Triangle],
    bounds: Bounds,
    origin: Vec3,
    direction: Vec3,
    work: &mut Work,
) -> f32 {
    let mut best = f32::INFINITY;
    let Some(ray) = Ray::new(origin, direction, &bounds) else {
        return best;
    };
    let (enter, leave) = ray.span(&bounds);
    let mut waiting = vec![(0, enter, leave)];
    while let Some((mut index, mut enter, mut leave)) = waiting.pop() {
        if enter > leave || enter > best {
            continue;
        }
        while !tree.nodes[index].is_leaf() {
            let node = tree.nodes[index];
            work.steps += 1;
            let (lower, upper, upwards) = ray.crossing(node.axis(), node.position());
            let (below, above) = (index + 1, node.right() as usize);
            let (near, far, near_leave, far_enter) = if upwards {
                (below, above, upper, lower)
            } else {
                (above, below, lower, upper)
            };
            if near_leave < enter {
                (index, enter) = (far, far_enter.max(enter));
                continue;
            }
            if far_enter <= leave {
                waiting.push((far, far_enter.max(enter), leave));
            }
            (index, leave) = (near, near_leave.min(leave));
        }
        let leaf = tree.nodes[index];
        work.leaves += 1;
        work.empty += u64::from(leaf.references() == 0);
        let first = leaf.first_reference() as usize;
        for &id in &tree.references[first..first + leaf.references() as usize] {
            work.tests += 1;
            if let Some(t) = ray.hit(&triangles[id as usize]) {
                best = best.min(t);
            }
        }
    }
    best
}
