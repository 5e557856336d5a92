//! The files in `data/` and the generators that made them.

use heapwood_scenes::{Camera, CleanOptions, Material, generate, load, write_mtl, write_obj};
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
fn shipped_scenes_can_be_framed() {
    for name in generate::NAMES {
        let bounds = generate::by_name(name).unwrap().bounds();
        let camera = Camera::frame(bounds, 640, 480, 45.0).unwrap();
        assert!(!bounds.contains(camera.eye()), "{name}");
    }
    assert!(generate::by_name("nonsense").is_none());
}
