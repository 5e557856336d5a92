//! OBJ files as users have them: forms that must load, faults that must be
//! named, and files that come back as they were written.

use crate::table::{lines, rows};
use glam::Vec3;
use heapwood_scenes::{
    CleanOptions, Loaded, Material, ReadError, Scene, SceneError, generate, load, read_obj, save,
};
use std::fs;

const CORNERS: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

fn read(text: &str) -> Result<Loaded, SceneError> {
    read_with(text, |_| Err("no such file".to_owned()))
}

fn read_with(
    text: &str,
    library: impl Fn(&str) -> Result<Vec<u8>, String>,
) -> Result<Loaded, SceneError> {
    let options = CleanOptions::default();
    read_obj("in.obj", text.as_bytes().to_vec(), library, options)
}

fn message(text: &str) -> String {
    read(text).unwrap_err().to_string()
}

#[test]
fn every_form_of_face_gives_the_same_square() {
    let square = read(&format!("{CORNERS}f 1 2 3 4\n")).unwrap();
    assert_eq!(square.report.kept, 2);
    for faces in [
        "f 1 2 3\nf 1 3 4\n",
        "f -4 -3 -2 -1\n",
        "vn 0 0 1\nf 1//1 2//1 3//1 4//1\n",
        "vt 0 0\nf 1/1 2/1 3/1 4/1\n",
        "vt 0 0\nvn 0 0 1\nf 1/1/1 2/1/1 3/1/1 4/1/1\n",
        "o a\nf 1 2 3\ng b c\ns off\nf 1 3 4\n",
        "f 1 2 \\\r\n 3 4 # the end\r\n",
    ] {
        let other = read(&format!("{CORNERS}{faces}")).unwrap();
        assert_eq!(other.scene.positions(), square.scene.positions(), "{faces}");
        assert_eq!(other.scene.input_hash(), square.scene.input_hash());
        assert_eq!(other.warnings, []);
    }
}

#[test]
fn polygons_become_fans() {
    let loaded = read(&format!("{CORNERS}v -1 .5 0\nf 1 2 3 4 5\n")).unwrap();
    assert_eq!(loaded.scene.len(), 3);
    let first = Vec3::ZERO;
    assert!(loaded.scene.positions().iter().all(|t| t[0] == first));
}

#[test]
fn faces_may_come_before_their_vertices() {
    let before = read(&format!("f 1 2 3 4\n{CORNERS}")).unwrap();
    let after = read(&format!("{CORNERS}f 1 2 3 4\n")).unwrap();
    assert_eq!(before.scene, after.scene);
}

#[test]
fn lines_and_points_are_not_triangles() {
    let loaded = read(&format!("{CORNERS}l 1 2 3\np 4\nf 1 2 3\n")).unwrap();
    assert_eq!(loaded.report.read, 1);
    assert_eq!(
        loaded.warnings[0].to_string(),
        "in.obj:5: points and lines have no area; 2 skipped"
    );
}

#[test]
fn faults_are_named_with_file_line_value_and_rule() {
    for [text, expected] in rows(
        "v 0 0 0; f 1 1 9 | in.obj:2: vertex index 9 is out of range: there are 1 vertices
         v 0 NaN 0 | in.obj:1: coordinate `NaN` is refused: it must be finite and at most 1e18 in magnitude
         v 0 0 0; ; v 1e30 0 0 | in.obj:3: coordinate `1e30` is refused: it must be finite and at most 1e18 in magnitude
         v 0 zero 0 | in.obj:1: `zero` is not a number
         v 0 0 0; f 1 1 | in.obj:2: a face of 2 corners: `f` takes at least 3
         v 0 0 0; f 1 1 0 | in.obj:2: vertex index 0: indices start at 1, or at -1 from the end
         ; | in.obj is empty: an OBJ file with `v` and `f` lines, or a PLY or glTF file, is needed
         \u{7f}ELF\0 | in.obj is not text: byte 4 is 0; only OBJ, PLY and glTF files, plain or compressed, are read
         ply; format ascii 1.0 | in.obj has no triangles: no face was found; only Wavefront OBJ, PLY and glTF files are read
         v 0 0 0; v 1 0 0; f 1 2 2; f 1 1 1 | in.obj: all 2 triangles are degenerate (no area or no finite position)",
    ) {
        assert_eq!(message(&lines(text)), expected);
    }
    let long = message(&format!("v 0 0 {}\n", "x\u{1b}".repeat(500)));
    assert!(long.len() < 300 && !long.contains('\u{1b}'), "{long}");
}

#[test]
fn paths_that_hold_no_scene_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let error = |path: &std::path::Path| load(path, CleanOptions::default()).unwrap_err();
    let unread = |path| match error(path) {
        SceneError::Read { source, .. } => source,
        other => panic!("{other}"),
    };
    assert!(matches!(unread(folder.path()), ReadError::Directory));
    let path = folder.path().join("x.obj");
    assert!(matches!(unread(&path), ReadError::Failed(_)));
    fs::write(&path, "").unwrap();
    assert!(matches!(error(&path), SceneError::Empty { .. }));
    fs::write(&path, [0x1f, 0x8b, 8, 0, 1, 2, 3]).unwrap();
    let text = error(&path).to_string();
    assert!(text.contains("x.obj is damaged gzip: "), "{text}");
}

#[test]
fn materials_come_from_libraries_and_missing_ones_are_warnings() {
    let text = format!(
        "{CORNERS}usemtl red\nf 1 2 3\nusemtl blue\nf 1 3 4\nf 2 3 4\nmtllib my colours.mtl\n"
    );
    let library = |name: &str| {
        assert_eq!(name, "my colours.mtl");
        Ok(b"newmtl red\nKd 1 0 0\n".to_vec())
    };
    let loaded = read_with(&text, library).unwrap();
    let red = Material::matt("red", Vec3::X);
    assert_eq!(loaded.scene.materials(), [red, Material::default()]);
    assert_eq!(loaded.scene.material_of(), [0, 1, 1]);
    let lines: Vec<_> = loaded.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        ["in.obj:7: material `blue` is not defined; the default stands in"]
    );

    let loaded = read(&text).unwrap();
    assert_eq!(loaded.scene.materials(), [Material::default()]);
    let lines: Vec<_> = loaded.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        [
            "in.obj:10: material library my colours.mtl is not used: no such file; the default \
             material stands in"
        ]
    );
}

#[test]
fn a_library_on_disk_is_found_beside_its_scene() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.obj");
    fs::write(&path, format!("mtllib s.mtl\n{CORNERS}usemtl a\nf 1 2 3\n")).unwrap();
    let missing = load(&path, CleanOptions::default()).unwrap();
    assert_eq!(missing.warnings.len(), 1);
    fs::write(folder.path().join("s.mtl"), "newmtl a\nKd 0 1 0\n").unwrap();
    let found = load(&path, CleanOptions::default()).unwrap();
    assert_eq!(found.warnings, []);
    assert_eq!(found.scene.materials(), [Material::matt("a", Vec3::Y)]);
}

#[test]
fn warnings_about_a_library_have_its_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.obj");
    let text = format!("mtllib sub/s.mtl\n{CORNERS}usemtl a\nf 1 2 3\n");
    fs::write(&path, text).unwrap();
    fs::create_dir(folder.path().join("sub")).unwrap();
    let library = folder.path().join("sub/s.mtl");
    let text = "newmtl a\nKd red\nPx 1\nmap_Kd -bm 1 no.png\nmap_Ks b.png\n";
    fs::write(&library, text).unwrap();
    let loaded = load(&path, CleanOptions::default()).unwrap();
    let lines: Vec<_> = loaded.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(lines.len(), 5, "{lines:?}");
    for (line, place) in
        lines
            .iter()
            .zip([":2: `Kd", ":3: keyword", ":4: options", ": 1", ":4: the"])
    {
        let start = format!("{}{place}", library.display());
        assert!(line.starts_with(&start), "{line}");
    }
}

#[test]
fn what_is_saved_loads_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let rough = generate::Displacement {
        amplitude: 0.3,
        feature: 0.2,
        seed: 11,
    };
    let scene = generate::subdivide(&generate::courtyard(), 1, rough).unwrap();
    let (scene, _) = scene.clean(CleanOptions::default()).unwrap();
    for name in ["s.obj", "s.obj.gz"] {
        let path = folder.path().join(name);
        save(&scene, &path).unwrap();
        let loaded = load(&path, CleanOptions::default()).unwrap();
        assert_eq!(loaded.scene.name(), "s");
        assert_eq!(loaded.scene.positions(), scene.positions());
        assert_eq!(loaded.scene.material_of(), scene.material_of());
        assert_eq!(loaded.scene.materials(), scene.materials());
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
    let nowhere = save(&scene, folder.path().join("no/s.obj")).unwrap_err();
    assert!(
        nowhere.to_string().starts_with("cannot write "),
        "{nowhere}"
    );
}

#[test]
fn every_part_of_a_material_survives_the_file() {
    let glass = Material {
        transmission: 0.7,
        ior: 1.33,
        opacity: 0.25,
        illum: Some(6),
        ..Material::matt("glass", Vec3::ONE)
    };
    let metal = Material {
        metallic: 0.9,
        roughness: Some(0.3),
        shininess: 7.0,
        illum: Some(3),
        ..Material::matt("metal", Vec3::X)
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.obj");
    let saved = |glass: &Material| {
        let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        let materials = vec![glass.clone(), metal.clone()];
        let faces = vec![[0, 1, 2], [0, 1, 3]];
        let scene = Scene::new("s", corners, faces, materials, vec![0, 1]).unwrap();
        save(&scene, &path).unwrap();
        load(&path, CleanOptions::default()).unwrap()
    };
    let loaded = saved(&glass);
    assert_eq!(loaded.scene.materials(), [glass.clone(), metal.clone()]);
    assert_eq!(loaded.warnings, []);
    // Another model would hide that light is refracted.
    for illum in [None, Some(2)] {
        let other = Material {
            illum,
            ..glass.clone()
        };
        let saved = saved(&other);
        let found = &saved.scene.materials()[0];
        assert_eq!((found.transmission, found.illum), (0.7, Some(7)));
    }
}

#[cfg(unix)]
#[test]
fn an_endless_device_is_not_read_to_its_end() {
    let endless = load("/dev/zero", CleanOptions::default()).unwrap_err();
    assert_eq!(
        endless.to_string(),
        "/dev/zero is not text: byte 0 is 0; only OBJ, PLY and glTF files, plain or compressed, are read"
    );
}

#[test]
fn a_library_that_is_no_text_is_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.obj");
    fs::write(&path, format!("mtllib s.mtl\n{CORNERS}f 1 2 3\n")).unwrap();
    fs::write(folder.path().join("s.mtl"), b"newmtl a\0\n").unwrap();
    let loaded = load(&path, CleanOptions::default()).unwrap();
    let lines: Vec<_> = loaded.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        [format!(
            "{}:1: material library s.mtl is not used: it is not text; the default material \
             stands in",
            path.display()
        )]
    );
}

#[cfg(unix)]
#[test]
fn links_stay_and_what_they_lead_to_is_replaced() {
    use std::os::unix::fs::symlink;

    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("kept")).unwrap();
    for name in ["s.obj", "s.mtl"] {
        fs::write(at("kept").join(name), "old").unwrap();
        symlink(at("kept").join(name), at(name)).unwrap();
    }
    let (scene, _) = generate::courtyard()
        .clean(CleanOptions::default())
        .unwrap();
    save(&scene, at("s.obj")).unwrap();
    for name in ["s.obj", "s.mtl"] {
        assert!(at(name).is_symlink(), "{name}");
        assert_ne!(fs::read(at("kept").join(name)).unwrap(), b"old", "{name}");
    }
    let loaded = load(at("s.obj"), CleanOptions::default()).unwrap();
    assert_eq!(loaded.scene.materials(), scene.materials());
}

#[cfg(unix)]
#[test]
fn a_device_is_written_directly() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("n.obj");
    std::os::unix::fs::symlink("/dev/null", &path).unwrap();
    let scene = Scene::from_triangles("n", &[[Vec3::ZERO, Vec3::X, Vec3::Y]]);
    save(&scene, &path).unwrap();
    assert!(path.is_symlink());
    assert!(!path.is_file());
}

#[test]
fn a_scene_that_cannot_be_written_leaves_its_library() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.obj");
    fs::create_dir(&path).unwrap();
    fs::write(folder.path().join("s.mtl"), "old").unwrap();
    save(&generate::courtyard(), &path).unwrap_err();
    assert_eq!(fs::read(folder.path().join("s.mtl")).unwrap(), b"old");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn extreme_and_tiny_numbers_survive_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("n.obj");
    let corners = [
        Vec3::new(1e18, -1e18, 0.1),
        Vec3::new(1.234_567_9e-7, 3.0, f32::MIN_POSITIVE),
        Vec3::new(16_777_217.0, 1.0 / 3.0, -5.5),
    ];
    let scene = Scene::from_triangles("n", &[corners]);
    save(&scene, &path).unwrap();
    let loaded = load(&path, CleanOptions::default()).unwrap();
    assert_eq!(loaded.scene.positions(), [corners]);
}

#[test]
fn polygons_with_notches_are_divided_inside() {
    // The second group has a triangle, an arrow whose notch is its third corner, and a face that
    // crosses itself.
    let loaded = read(
        "v 9 9 9\nv 8 9 9\nv 9 8 9\nf 1 2 3\ng b\nv 0 0 0\nv 4 0 0\nv 1 1 0\nv 0 4 0\n\
         v 4 4 0\nf 5 8 7\nf 4 5 6 7\nf 4 5 \\\n7 8\n",
    )
    .unwrap();
    let points = [[0.0, 0.0], [4.0, 0.0], [1.0, 1.0], [0.0, 4.0], [4.0, 4.0]];
    let corner = |at: usize| Vec3::new(points[at][0], points[at][1], 0.0);
    let expected = [[1, 4, 3], [3, 0, 2], [0, 1, 2], [0, 1, 3], [0, 3, 4]];
    let expected = expected.map(|corners| corners.map(corner));
    let found = loaded.scene.positions();
    assert_eq!(found.len(), 1 + expected.len(), "{found:?}");
    for triangle in expected {
        let is_it = |found: &[Vec3; 3]| triangle.iter().all(|corner| found.contains(corner));
        assert!(found.iter().any(is_it), "{triangle:?} in {found:?}");
    }
    let warnings: Vec<String> = loaded.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    let expected = "in.obj:13: 1 polygons cross themselves";
    assert!(warnings[0].starts_with(expected), "{warnings:?}");
}

#[test]
fn the_first_polygon_that_crosses_itself_is_named() {
    // Faces of either kind, groups and materials part the text; the first that crosses itself is
    // the fourth face.
    let corners = "v 0 0 0\nv 4 0 0\nv 0 4 0\nv 4 4 0\n# faces\n";
    let text = format!(
        "{corners}f 1 2 3\ng a\nf 1 2 4 3\nusemtl m\nf 1 2 4\n\nf -4 -3 -2 -1\nf 1 2 4 3\nf 1 4 2 3\n"
    );
    let warnings: Vec<_> = read(&text)
        .unwrap()
        .warnings
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    let expected = "in.obj:12: 2 polygons cross themselves";
    assert!(warnings[0].starts_with(expected), "{warnings:?}");
}
