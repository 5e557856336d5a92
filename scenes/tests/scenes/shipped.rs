//! The files in `data/` and the generators that made them.

use heapwood_scenes::{
    Camera, CleanOptions, Material, generate, load, read_view, write_mtl, write_obj,
};
use std::path::{Path, PathBuf};

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data")
}

const ADVICE: &str = "run `cargo run -p heapwood-scenes --example make_scenes`";

#[test]
fn files_are_what_the_generators_make() {
    for name in generate::NAMES {
        let scene = generate::by_name(name).unwrap();
        let mut obj = Vec::new();
        let mut mtl = Vec::new();
        write_obj(&scene, Some(&format!("{name}.mtl")), &mut obj).unwrap();
        write_mtl(&scene, &mut mtl).unwrap();
        let read = |suffix: &str| std::fs::read(data().join(format!("{name}.{suffix}"))).unwrap();
        assert!(read("obj") == obj, "{name}.obj is stale: {ADVICE}");
        assert!(read("mtl") == mtl, "{name}.mtl is stale: {ADVICE}");
        assert!(obj.len() < 400_000, "{name}.obj has {} bytes", obj.len());
    }
}

#[test]
fn files_load_as_the_same_scene() {
    for (name, least, most) in [
        ("courtyard", 5_000, 10_000),
        ("knot", 5_000, 8_000),
        ("terrain", 1_500, 2_500),
    ] {
        let made = generate::by_name(name).unwrap();
        let path = data().join(format!("{name}.obj"));
        let loaded = load(path, CleanOptions::default()).unwrap();
        assert_eq!(loaded.warnings, []);
        assert_eq!(loaded.report.kept, loaded.report.read, "{name} is clean");
        assert_eq!(loaded.scene.name(), name);
        assert_eq!(loaded.scene.input_hash(), made.input_hash());
        assert_eq!(loaded.scene.materials(), made.materials());
        assert_eq!(loaded.scene.material_of(), made.material_of());
        assert!((least..=most).contains(&made.len()), "{}", made.len());
    }
}

#[test]
fn every_material_of_the_courtyard_is_used() {
    let scene = generate::courtyard();
    for (i, Material { name, .. }) in scene.materials().iter().enumerate() {
        assert!(
            scene.material_of().contains(&(i as u32)),
            "{name} is unused"
        );
    }
}

#[test]
fn the_camera_of_the_cornell_box_sees_it_from_the_front() {
    let view = read_view(data().join("cornell.toml")).unwrap();
    let bounds = generate::cornell().bounds();
    let camera = view.camera.camera(bounds, glam::DVec3::ZERO).unwrap();
    let rays = camera.rays();
    // Rays of corners meet the open side beside the box, that of the middle its middle.
    let at_front = |x: f32, y: f32| {
        let direction = rays.corner + rays.du * x + rays.dv * y;
        rays.origin + direction * (800.0 / direction.z)
    };
    let (corner, middle) = (at_front(0.0, 0.0), at_front(256.0, 256.0));
    assert!(
        corner.x > bounds.max.x && corner.x < bounds.max.x + 20.0,
        "{corner}"
    );
    assert!(
        corner.y > bounds.max.y && corner.y < bounds.max.y + 20.0,
        "{corner}"
    );
    assert!(
        (middle - bounds.centre()).abs().max_element() < 281.0,
        "{middle}"
    );
    assert!((middle.x - bounds.centre().x).abs() < 5.0, "{middle}");
}

#[test]
fn shipped_scenes_can_be_framed() {
    for name in generate::NAMES {
        let bounds = generate::by_name(name).unwrap().bounds();
        let camera = Camera::frame(bounds, 640, 480, 45.0).unwrap();
        assert!(!bounds.contains(camera.eye()), "{name}");
    }
    assert!(generate::by_name("nonsense").is_none());
}
