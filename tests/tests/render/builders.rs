//! Trees of every builder, traced and rendered through the library: hits and pictures are those of
//! the kernels' tree, bit for bit.

use glam::Vec3;
use heapwood::backend::Backend;
use heapwood::prelude::*;
use heapwood::tree::{
    FrameBuilder, FramePlan, KernelBuild, Lighting, Options, Shade, Shading, Sky, TreeFile,
    triangles,
};
use heapwood_device::render::Mode;
use heapwood_scenes::Camera;
use heapwood_tests::gpu::cpu;

const POOL: u64 = 32 << 20;
const SKY: Sky = Sky {
    zenith: Vec3::new(0.5, 0.7, 1.0),
    nadir: Vec3::ONE,
};

fn spec() -> Spec {
    Spec::parse("cfmalloc").expect("an allocator")
}

/// The hits and pictures of a tree, as bits.
#[derive(PartialEq)]
struct Seen {
    /// The triangle and the distance that each ray of a picture hits.
    hits: Vec<(u32, u32)>,
    /// The picture by several kernels.
    values: Vec<u32>,
}

fn seen(tree: &DeviceTree, scene: &Scene) -> Seen {
    let camera = Camera::frame(scene.bounds(), 40, 30, 45.0).expect("a camera");
    let basis = camera.rays();
    let pixels = (0..30).flat_map(|y| (0..40).map(move |x| (x, y)));
    let rays = pixels.map(|(x, y)| Ray {
        origin: basis.origin.to_array(),
        direction: basis.direction(x, y).to_array(),
    });
    let hits = tree.trace(&rays.collect::<Vec<_>>()).expect("hits");
    let lighting = Lighting::of(scene, SKY);
    let path = Shade::Path {
        lighting: &lighting,
        bounces: 3,
    };
    let shades = [
        Shade::Surface(Mode::Normal),
        path,
        Shade::Cost { most: None },
    ];
    let picture = |shade| {
        let shading = Shading {
            shade,
            ..Shading::from(Mode::default())
        };
        let picture = tree.render(&camera, &shading, 1).expect("a picture");
        picture.raw.into_flattened().into_iter().map(f32::to_bits)
    };
    let hits = hits.iter().map(|hit| (hit.triangle, hit.t.to_bits()));
    Seen {
        hits: hits.collect(),
        values: shades.into_iter().flat_map(picture).collect(),
    }
}

/// Scenes at their size, and at one that is scaled for rays.
fn scenes() -> Vec<Scene> {
    let courtyard = generate::by_name("courtyard").expect("a scene");
    let large: Vec<[Vec3; 3]> = courtyard
        .positions()
        .iter()
        .map(|corners| corners.map(|corner| corner * 2.0_f32.powi(50)))
        .collect();
    vec![courtyard, Scene::from_triangles("large", &large)]
}

#[test]
fn every_builder_s_tree_is_traced_and_rendered() {
    let backend = cpu(2);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("some.tree");
    for scene in scenes() {
        let build = |builder: Builder| {
            let built = builder.build(&*backend, &scene, Options::default());
            built.expect("a tree").tree
        };
        let pool = Pool::Bytes(POOL);
        let kernels = build(Builder::Kernels { spec: spec(), pool });
        let expected = seen(&kernels, &scene);
        let hits = expected
            .hits
            .iter()
            .filter(|(triangle, _)| *triangle != u32::MAX);
        assert!(hits.count() > 300, "{}", scene.name());
        let downloaded = kernels.into_host().expect("a download");

        let cores = build(Builder::Cores { threads: Some(2) });
        assert!(seen(&cores, &scene) == expected, "cores, {}", scene.name());
        let tree = cores.into_host().expect("it is there");
        assert!(tree == downloaded, "{}", scene.name());

        let mut bytes = Vec::new();
        let written = tree.write(scene.input_hash(), scene.len() as u32, &mut bytes);
        written.expect("a vector grows");
        std::fs::write(&path, bytes).expect("a file");
        let file = build(Builder::File(TreeFile::open(&path).expect("a tree")));
        assert!(seen(&file, &scene) == expected, "file, {}", scene.name());

        let again =
            DeviceTree::from_host(&*backend, downloaded, triangles(&scene)).expect("a whole tree");
        let again = again.upload().expect("memory");
        assert!(seen(&again, &scene) == expected, "{}", scene.name());
        let back = again.into_host().expect("a download");
        assert!(back == tree, "{}", scene.name());
    }
}

/// How a frame is built, and what is seen in its tree by itself.
fn alone(backend: &dyn Backend, scene: &Scene) -> (FramePlan, Seen) {
    let (pool, options) = (Pool::Bytes(POOL), Options::default());
    let build = KernelBuild::prepare(backend, &triangles(scene), &spec(), pool, options);
    let built = build.expect("a pool").into_built().expect("a tree");
    let plan = FramePlan {
        options: built.tree.shape().options,
        limits: built.stats.result.used,
    };
    (plan, seen(&built.tree, scene))
}

#[test]
fn trees_of_frames_are_traced_and_rendered() {
    let backend = cpu(2);
    let mut frames = FrameBuilder::new(&*backend, &spec(), POOL).expect("a pool");
    assert!(frames.tree().expect("nothing is copied").is_none());
    // The last scene has fewer triangles than memory is there for.
    for scene in scenes().into_iter().chain([generate::knot()]) {
        let (plan, expected) = alone(&*backend, &scene);
        frames.next(&triangles(&scene), &plan).expect("a frame");
        let tree = frames.tree().expect("memory").expect("a tree");
        assert!(seen(&tree, &scene) == expected, "{}", scene.name());
    }
    let (plan, _) = alone(&*backend, &generate::knot());
    assert!(frames.next(&[], &plan).is_err());
    assert!(frames.tree().expect("nothing is copied").is_none());
    frames.finish().expect("nothing is left");
}
