//! One scene, one tree: the same bytes from the GPU as from the CPU, over every
//! allocator. Without a GPU the CPU backend is held to that with different
//! numbers of workers. Scenes of a million triangles join in if
//! `HEAPWOOD_LARGE` is set.

use glam::Vec3;
use heapwood::allocators::Spec;
use heapwood::backend::Backend;
use heapwood::size::Pool;
use heapwood::tree::{Builder, TreeError, TreeHash};
use heapwood_device::kdtree::plan::Options;
use heapwood_scenes::generate::{self, Displacement};
use heapwood_scenes::{CleanOptions, Scene};
use heapwood_tests::gpu::{cpu, gpu, specs_with_pools, turn};
use heapwood_tests::shapes::Family;
use heapwood_tests::shapes::variant::Form;

const ROUGH: Displacement = Displacement {
    amplitude: 0.3,
    feature: 0.1,
    seed: 5,
};

/// A generated scene with at least so many triangles.
fn subdivided(name: &str, triangles: u64) -> Scene {
    let scene = generate::by_name(name).expect("a shipped scene");
    let scene = generate::subdivide_to(&scene, triangles, ROUGH).expect("not too many triangles");
    let (scene, _) = scene
        .clean(CleanOptions::default())
        .expect("triangles are left");
    scene
}

/// The shipped scenes, and larger ones made of them.
fn scenes() -> Vec<Scene> {
    let shipped = generate::NAMES.map(|name| generate::by_name(name).expect("a shipped scene"));
    let mut scenes = shipped.to_vec();
    scenes.push(subdivided("terrain", 100_000));
    scenes.extend(shapes());
    if std::env::var_os("HEAPWOOD_LARGE").is_some() {
        scenes.push(subdivided("terrain", 1_000_000));
        scenes.push(subdivided("courtyard", 1_000_000));
    }
    scenes
}

/// Shapes whose corners are off the planes of splits by a little, at all sizes that scenes have.
fn shapes() -> Vec<Scene> {
    let mut shapes = Vec::new();
    for (family, segments, offset) in [
        (Family::Sphere, 48, 1e-17),
        (Family::Torus, 32, 1e-9),
        (Family::MirroredGear, 64, 1e-6),
    ] {
        let form = Form {
            family,
            segments,
            offset: Some(offset),
            axes: [0, 1, 2],
            is_clockwise: false,
        };
        let (triangles, _) = form.triangles();
        for exponent in [0, -69, 43, 59] {
            let unit = 2f32.powi(exponent);
            let corner = |corner: [f32; 3]| Vec3::from_array(corner) * unit;
            let scaled: Vec<_> = triangles.iter().map(|one| one.map(corner)).collect();
            let name = format!("{family:?} times 2^{exponent}");
            shapes.push(Scene::from_triangles(name, &scaled));
        }
    }
    shapes
}

/// The fingerprint of the tree of a scene; nothing if the allocator, whose null is no
/// evidence, has refused a request.
fn hash(
    backend: &dyn Backend,
    scene: &Scene,
    spec: &Spec,
    alloc_per_split: bool,
) -> Option<TreeHash> {
    let options = Options {
        alloc_per_split,
        ..Options::default()
    };
    let builder = Builder::Kernels {
        spec: spec.clone(),
        pool: Pool::Auto,
    };
    let built = builder.build(backend, scene, options);
    let built = built.and_then(|built| Ok(built.tree.into_host()?.hash()));
    let (scene, name) = (scene.name(), spec.allocator.name);
    match built {
        Err(TreeError::Pool { allocator, .. } | TreeError::Full { allocator, .. })
            if !allocator.exact_null =>
        {
            println!("{scene} over {name}: refused while memory is free");
            None
        }
        built => Some(built.unwrap_or_else(|error| panic!("{scene} over {name}: {error}"))),
    }
}

/// The fingerprint by one worker of the CPU.
fn expected(scene: &Scene) -> TreeHash {
    let spec = Spec::parse("cfmmalloc").expect("an allocator");
    hash(&*cpu(1), scene, &spec, false).expect("its null is evidence")
}

/// Every allocator gives the tree that was expected.
fn same_over_all(backend: &dyn Backend, scene: &Scene, expected: TreeHash) {
    for spec in specs_with_pools() {
        for alloc_per_split in [false, true] {
            let Some(found) = hash(backend, scene, &spec, alloc_per_split) else {
                continue;
            };
            let (scene, name) = (scene.name(), spec.allocator.name);
            assert_eq!(
                found, expected,
                "{scene} over {name}, alloc_per_split {alloc_per_split}"
            );
        }
    }
}

#[test]
fn the_gpu_builds_the_trees_of_the_cpu() {
    let _turn = turn();
    let Some(backend) = gpu() else { return };
    for scene in scenes() {
        same_over_all(&*backend, &scene, expected(&scene));
        println!("{}: {} triangles", scene.name(), scene.len());
    }
}

#[test]
fn workers_of_the_cpu_build_the_same_trees() {
    let _turn = turn();
    let scene = generate::by_name("terrain").expect("a shipped scene");
    same_over_all(&*cpu(4), &scene, expected(&scene));
}
