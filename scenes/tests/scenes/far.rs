//! Surveys, whose coordinates are far from the origin: they have the shapes that their files say.

use glam::{DVec3, Vec3};
use heapwood_scenes::{
    CleanOptions, Loaded, Scene, SceneError, load, load_relative_to, read_obj, read_ply, write_obj,
};

/// Where it is, in metres: UTM, and the centre of the earth as the origin.
const FAR: [[f64; 3]; 2] = [
    [500_000.0, 5_800_000.0, 128.0],
    [-1_234_944.0, -4_765_696.0, 3_987_456.0],
];

fn obj(text: String) -> Result<Loaded, SceneError> {
    let none = |_: &str| Err("none".to_owned());
    read_obj("in.obj", text.into(), none, CleanOptions::default())
}

fn ply(vertices: &[[f64; 3]], faces: &[&[u32]]) -> Result<Loaded, SceneError> {
    let mut text = format!(
        "ply\nformat ascii 1.0\nelement vertex {}\nproperty double x\nproperty double y\n\
         property double z\nelement face {}\nproperty list uchar int vertex_indices\nend_header\n",
        vertices.len(),
        faces.len()
    );
    for [x, y, z] in vertices {
        text += &format!("{x} {y} {z}\n");
    }
    for face in faces {
        let corners: Vec<String> = face.iter().map(u32::to_string).collect();
        text += &format!("{} {}\n", face.len(), corners.join(" "));
    }
    read_ply("in.ply", text.into(), CleanOptions::default())
}

fn obj_text(vertices: &[[f64; 3]], faces: &[&[u32]]) -> String {
    let mut text = String::new();
    for [x, y, z] in vertices {
        text += &format!("v {x} {y} {z}\n");
    }
    for face in faces {
        let corners: Vec<String> = face.iter().map(|at| (at + 1).to_string()).collect();
        text += &format!("f {}\n", corners.join(" "));
    }
    text
}

fn area(scene: &Scene) -> f64 {
    let of = |[a, b, c]: [Vec3; 3]| 0.5 * (b - a).cross(c - a).as_dvec3().length();
    scene.positions().into_iter().map(of).sum()
}

/// A terrain of squares of a quarter of a metre and, of five corners with a notch, a roof; at
/// `far`.
fn survey(far: [f64; 3]) -> (Vec<[f64; 3]>, Vec<Vec<u32>>) {
    let (mut vertices, mut faces) = (Vec::new(), Vec::new());
    for row in 0..9_u32 {
        for column in 0..9_u32 {
            let [x, y] = [column, row].map(|at| 0.25 * f64::from(at));
            let z = f64::from((row * 7 + column * 5) % 11) / 64.0;
            vertices.push([far[0] + x, far[1] + y, far[2] + z]);
            if row > 0 && column > 0 {
                let at = vertices.len() as u32 - 1;
                faces.push(vec![at - 10, at - 9, at, at - 1]);
            }
        }
    }
    let roof = [
        [0.0, 0.0],
        [0.5, 0.0],
        [0.5, 0.375],
        [0.25, 0.125],
        [0.0, 0.375],
    ];
    let first = vertices.len() as u32;
    vertices.extend(roof.map(|[x, y]| [far[0] + x, far[1] + y, far[2] + 2.0]));
    faces.push((first..first + 5).collect());
    (vertices, faces)
}

#[test]
fn far_scenes_are_those_near_the_origin_and_their_offset() {
    let read = |far: [f64; 3]| {
        let (vertices, faces) = survey(far);
        let faces: Vec<&[u32]> = faces.iter().map(Vec::as_slice).collect();
        [
            obj(obj_text(&vertices, &faces)).unwrap(),
            ply(&vertices, &faces).unwrap(),
        ]
    };
    let near = read([0.0; 3]);
    for far in FAR {
        for (far_away, near) in read(far).iter().zip(&near) {
            assert_eq!(far_away.warnings, [], "{far:?}");
            let (scene, near) = (&far_away.scene, &near.scene);
            assert_eq!(near.offset(), DVec3::ZERO);
            // Both are multiples of what 64 bits hold, so that nothing is rounded.
            let shift = (DVec3::from_array(far) - scene.offset()).as_vec3();
            let expected: Vec<[Vec3; 3]> = near
                .positions()
                .iter()
                .map(|corners| corners.map(|corner| corner + shift))
                .collect();
            assert_eq!(scene.positions(), expected);
            assert_eq!(area(scene), area(near));
            assert_ne!(scene.input_hash(), near.input_hash());
        }
    }
}

/// Squares of a quarter of a metre at each of these, as both formats, and how many triangles one
/// has.
fn surveys(at: &[[f64; 3]], more: &[[f64; 3]; 3]) -> (Vec<Loaded>, usize) {
    let (mut vertices, mut faces) = (Vec::new(), Vec::new());
    for &at in at {
        let first = vertices.len() as u32;
        let (corners, squares) = survey(at);
        vertices.extend(corners);
        let numbered = |face: Vec<u32>| -> Vec<u32> { face.iter().map(|at| at + first).collect() };
        faces.extend(squares.into_iter().map(numbered));
    }
    let first = vertices.len() as u32;
    vertices.extend(more);
    faces.push(vec![first, first + 1, first + 2]);
    let faces: Vec<&[u32]> = faces.iter().map(Vec::as_slice).collect();
    let read = [obj(obj_text(&vertices, &faces)), ply(&vertices, &faces)];
    (read.map(Result::unwrap).into(), 2 * 64 + 3)
}

#[test]
fn a_stray_triangle_hides_no_loss() {
    let stray = [[0.1, 0.2, 0.3], [0.4, 0.2, 0.3], [0.1, 0.5, 0.3]];
    let (near, _) = surveys(&[[0.0; 3]], &stray);
    let warned = |loaded: &Loaded, count: usize, triangles: usize| {
        let line = loaded.warnings.last().map(ToString::to_string);
        let line = line.unwrap_or_default();
        let expected = format!("{count} of {triangles} triangles vanish");
        assert!(line.contains(&expected), "{line}");
        assert!(line.contains("remove triangles that are far"), "{line}");
    };
    for far in FAR {
        // The offset keeps the survey, and the stray triangle is what is lost.
        let (loaded, count) = surveys(&[far], &stray);
        for (loaded, near) in loaded.iter().zip(&near) {
            assert_ne!(loaded.scene.offset(), DVec3::ZERO);
            let lost = area(&near.scene) - area(&loaded.scene);
            assert!(lost.abs() < 0.1, "{lost}");
            warned(loaded, 1, count + 1);
        }
        // No offset keeps two surveys.
        let (loaded, count) = surveys(&[far, far.map(|at| -at)], &stray);
        for loaded in &loaded {
            assert_eq!(loaded.scene.offset(), DVec3::ZERO);
            let line = loaded.warnings.last().map(ToString::to_string).unwrap();
            let changed: usize = line
                .split([' ', ':'])
                .find_map(|word| word.parse().ok())
                .unwrap();
            assert!(changed > count, "{line}");
        }
    }
}

#[test]
fn a_few_small_triangles_move_no_scene() {
    let mut vertices: Vec<[f64; 3]> = Vec::new();
    for at in 0..200 {
        let x = f64::from(at) / 10.0;
        vertices.extend([[x, 0.0, 0.0], [x + 0.1, 0.0, 0.0], [x, 0.1, 0.0]]);
    }
    let side = 1e-6;
    vertices.extend([
        [20.1, 1.1, 1.1],
        [20.1 + side, 1.1, 1.1],
        [20.1, 1.1 + side, 1.1],
    ]);
    let faces: Vec<[u32; 3]> = (0..201)
        .map(|at| [3 * at, 3 * at + 1, 3 * at + 2])
        .collect();
    let faces: Vec<&[u32]> = faces.iter().map(|face| face.as_slice()).collect();
    for loaded in [obj(obj_text(&vertices, &faces)), ply(&vertices, &faces)] {
        let loaded = loaded.unwrap();
        assert_eq!(loaded.scene.offset(), DVec3::ZERO);
        let line = loaded.warnings.last().map(ToString::to_string);
        let line = line.unwrap_or_default();
        assert!(line.contains("1 of 201 triangles vanish"), "{line}");
    }
}

#[test]
fn every_coordinate_is_rounded_once() {
    let [x, y] = [4_765_432.345, -4_000_000.1];
    let square = [
        [x, y, 7.1],
        [x + 0.5, y, 7.1],
        [x + 0.5, y + 0.35, 7.1],
        [x, y + 0.35, 7.1],
    ];
    let loaded = obj(obj_text(&square, &[&[0, 1, 2, 3]])).unwrap();
    let offset = loaded.scene.offset();
    assert_eq!(offset, DVec3::new(4_765_433.0, -4_000_000.0, 7.0));
    for (vertex, exact) in loaded.scene.vertices().iter().zip(square) {
        assert_eq!(*vertex, (DVec3::from_array(exact) - offset).as_vec3());
    }
    // Vertices that no face uses have no say.
    let stray = [&square[..], &[[0.0; 3]]].concat();
    let loaded = obj(obj_text(&stray, &[&[0, 1, 2, 3]])).unwrap();
    assert_eq!(loaded.scene.offset(), offset);
}

#[test]
fn what_is_written_reads_back_as_the_same_scene() {
    for far in FAR {
        let (vertices, faces) = survey(far.map(|at| at + 0.1));
        let faces: Vec<&[u32]> = faces.iter().map(Vec::as_slice).collect();
        let scene = obj(obj_text(&vertices, &faces)).unwrap().scene;
        let mut text = Vec::new();
        write_obj(&scene, None, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let longest = text
            .lines()
            .filter(|line| line.starts_with("v "))
            .map(str::len)
            .max();
        assert!(longest < Some(45), "{longest:?}");
        let again = obj(text).unwrap().scene;
        assert_eq!(again.offset(), scene.offset());
        assert_eq!(again.positions(), scene.positions());
        assert_eq!(again.input_hash(), scene.input_hash());
    }
}

#[test]
fn files_are_read_relative_to_what_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let (vertices, faces) = survey(FAR[0]);
    let faces: Vec<&[u32]> = faces.iter().map(Vec::as_slice).collect();
    let path = folder.path().join("in.obj");
    std::fs::write(&path, obj_text(&vertices, &faces)).unwrap();
    let options = CleanOptions::default();
    let own = load(&path, options).unwrap().scene;
    let given = own.offset() + DVec3::new(1.0, -2.0, 0.0);
    let moved = load_relative_to(&path, options, given).unwrap().scene;
    assert_eq!(moved.offset(), given);
    let shift = (own.offset() - given).as_vec3();
    assert_eq!(
        moved.triangle(5),
        own.triangle(5).map(|corner| corner + shift)
    );
    // An offset that keeps too little is a warning.
    let loaded = load_relative_to(&path, options, DVec3::ZERO).unwrap();
    let line = loaded.warnings.last().map(ToString::to_string).unwrap();
    let expected =
        "triangles vanish or change their area by more than 1 %: 32-bit floats have steps";
    assert!(line.contains(expected), "{line}");
}

#[test]
fn where_nothing_is_left_that_is_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in.obj");
    let x = 4e9 + 0.5;
    let square = [[x, x, 7.0], [x + 0.5, x, 7.0], [x + 0.5, x + 0.35, 7.0]];
    std::fs::write(&path, obj_text(&square, &[&[0, 1, 2]])).unwrap();
    let options = CleanOptions::default();
    let message = load_relative_to(&path, options, DVec3::ZERO)
        .unwrap_err()
        .to_string();
    let expected = "in.obj: all 1 triangles vanish: 32-bit floats have steps of 256 this far from \
                    its middle; divide the scene";
    assert!(message.ends_with(expected), "{message}");
    assert_eq!(load(&path, options).unwrap().report.kept, 1);
}

/// Strips of fields and roads, 60 metres long and 0.4 wide, as polygons of 3 to 5 corners among
/// `wide` squares of a kilometre; and how many triangles of the strips change their area by more
/// than 1 %.
fn strips(wide: u32, count: u32) -> (Vec<[f64; 3]>, Vec<Vec<u32>>, usize) {
    let (mut vertices, mut faces) = (Vec::new(), Vec::new());
    let mut add = |corners: &[[f64; 2]]| {
        let first = vertices.len() as u32;
        vertices.extend(corners.iter().map(|&[x, y]| [x, y, 128.1]));
        faces.push((first..vertices.len() as u32).collect());
    };
    for number in 0..wide {
        let [x, y] = [400_000.0 + 2000.0 * f64::from(number), 5_800_000.0];
        add(&[
            [x, y],
            [x + 1000.0, y],
            [x + 1000.0, y + 1000.0],
            [x, y + 1000.0],
        ]);
    }
    let mut changed = 0;
    for number in 0..count {
        let [x, y] = [
            500_000.1 + 3.7 * f64::from(number),
            5_800_000.2 + 1.3 * f64::from(number),
        ];
        let corners = [
            [0.0, 0.0],
            [60.3, 0.1],
            [60.2, 0.5],
            [30.0, 0.45],
            [0.1, 0.4],
        ];
        let corners = corners.map(|[u, v]| [x + u, y + v]);
        let corners = &corners[..3 + number as usize % 3];
        add(corners);
        for pair in corners[1..].windows(2) {
            let doubled = |[a, b, c]: [[f64; 2]; 3]| {
                ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])).abs()
            };
            let exact = [corners[0], pair[0], pair[1]];
            let rounded = exact.map(|corner| corner.map(|value| f64::from(value as f32)));
            let (before, after) = (doubled(exact), doubled(rounded));
            changed += usize::from((after - before).abs() > 0.01 * before);
        }
    }
    (vertices, faces, changed)
}

/// Long narrow triangles change where their sides are long enough for floats: few of them are
/// counted, many of them ask for an offset.
#[test]
fn narrow_triangles_are_found_in_either_format() {
    for (wide, count, is_moved) in [(4000, 30, false), (100, 30, true)] {
        let (vertices, faces, changed) = strips(wide, count);
        assert!(changed > 20, "{changed}");
        let faces: Vec<&[u32]> = faces.iter().map(Vec::as_slice).collect();
        let read = [obj(obj_text(&vertices, &faces)), ply(&vertices, &faces)];
        let [obj, ply] = read.map(Result::unwrap);
        assert_eq!(obj.scene.offset() != DVec3::ZERO, is_moved);
        assert_eq!(obj.scene.offset(), ply.scene.offset());
        assert_eq!(obj.scene.positions(), ply.scene.positions());
        // Of polygons, an OBJ file counts fans, and a PLY file the triangles that they are divided
        // into.
        let found = format!("in.obj: {changed} of ");
        for (loaded, found) in [(&obj, &found[..]), (&ply, " triangles vanish or change")] {
            let mut lines = loaded.warnings.iter().map(ToString::to_string);
            assert_eq!(lines.any(|line| line.contains(found)), !is_moved, "{found}");
        }
    }
}
