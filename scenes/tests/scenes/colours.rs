//! Colours of vertices in OBJ and PLY, which are encoded as sRGB.

use glam::Vec3;
use heapwood_scenes::generate::{self, Displacement};
use heapwood_scenes::{CleanOptions, CornerColours, Loaded, decoded, read_obj, read_ply};

fn obj(text: &str) -> Loaded {
    let file = |_: &str| Ok(b"newmtl red\nKd 0.5 0 0\n".to_vec());
    read_obj("in.obj", text.into(), file, CleanOptions::default()).unwrap()
}

fn lines(loaded: &Loaded) -> Vec<String> {
    loaded.warnings.iter().map(ToString::to_string).collect()
}

fn linear(bytes: [u8; 3]) -> [f32; 4] {
    let [red, green, blue] = bytes.map(decoded);
    [red, green, blue, 1.0]
}

const WHITE: [f32; 4] = [1.0; 4];

#[test]
fn colours_of_obj_stay_with_their_vertices() {
    let faces = "f 1 2 3\nusemtl red\nf -2 -1 1\n";
    let text = format!(
        "mtllib m.mtl\nv 0 0 0 1 0 0\nv 1 0 0 1 0 1 1\nv 1 1 0\nv 0 1 0 1 0.2 0.4 0.6\n{faces}"
    );
    let loaded = obj(&text);
    assert_eq!(lines(&loaded), [""; 0]);
    let [a, b, d] = [[255, 0, 0], [0, 255, 255], [51, 102, 153]].map(linear);
    assert_eq!(loaded.scene.colours(), [[a, b, WHITE], [WHITE, d, a]]);
    // A triangle without a material is white; one with a material keeps its colour.
    let diffuse = |triangle: usize| {
        let scene = &loaded.scene;
        scene.materials()[scene.material_of()[triangle] as usize].diffuse
    };
    assert_eq!((diffuse(0), diffuse(1)), (Vec3::ONE, Vec3::X * 0.5));

    // Some programs write bytes.
    let bytes = "v 0 0 0 255 0 0\nv 1 0 0 0 51 102\nv 1 1 0 1 1 1\nf 1 2 3\n";
    let expected = [[255, 0, 0], [0, 51, 102], [1, 1, 1]].map(linear);
    assert_eq!(obj(bytes).scene.colours(), [expected]);
}

#[test]
fn white_and_no_colours_are_none() {
    for colour in ["", " 1 1 1"] {
        let corners = ["0 0 0", "1 0 0", "0 1 0"].map(|at| format!("v {at}{colour}\n"));
        let loaded = obj(&(corners.concat() + "f 1 2 3\n"));
        assert_eq!((loaded.scene.colours(), lines(&loaded).len()), (&[][..], 0));
    }
    let odd = "v 0 0 0 -1 0 0\nv 1 0 0 nan 0 0\nv 1 1 0 0 0 0\nf 1 2 3\n";
    let loaded = obj(odd);
    let expected = "in.obj:1: 2 colours of vertices have numbers that are not from 0 to 1; they become \
                    the nearest, and NaN becomes 1";
    assert_eq!(lines(&loaded), [expected]);
    let [black, red] = [[0, 0, 0], [255, 0, 0]].map(linear);
    assert_eq!(loaded.scene.colours(), [[black, red, black]]);

    // A little above 1 is not a byte, nor is infinity.
    let odd = "v 0 0 0 1.0001 0 0\nv 1 0 0 inf 0 0\nv 1 1 0 0.2 0 0\nf 1 2 3\n";
    let loaded = obj(odd);
    assert_eq!(lines(&loaded), [expected]);
    let darker = linear([51, 0, 0]);
    assert_eq!(loaded.scene.colours(), [[red, red, darker]]);
}

/// A PLY file of a triangle whose vertices have these properties, and the colours of its corners.
fn ply(properties: &str, rows: [&str; 3]) -> (Vec<CornerColours>, Vec<String>) {
    let text = format!(
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\n{properties}property float y\n\
         property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n\
         0 {} 0 0\n1 {} 0 0\n0 {} 1 0\n3 0 1 2\n",
        rows[0], rows[1], rows[2]
    );
    let loaded = read_ply("in.ply", text.into(), CleanOptions::default()).unwrap();
    assert_eq!(loaded.scene.triangle(0), [Vec3::ZERO, Vec3::X, Vec3::Y]);
    let diffuse = if loaded.scene.colours().is_empty() {
        0.8
    } else {
        1.0
    };
    assert_eq!(loaded.scene.materials()[0].diffuse, Vec3::splat(diffuse));
    (loaded.scene.colours().to_vec(), lines(&loaded))
}

#[test]
fn colours_of_ply_have_every_type_and_name() {
    let expected = [[255, 0, 51], [0, 102, 255], [255, 255, 255]].map(linear);
    let bytes = ["255 0 51", "0 102 255", "255 255 255"];
    let words = ["65535 0 13107", "0 26214 65535", "65535 65535 65535"];
    let floats = ["1 0 0.2", "0 0.4 1", "1 1 1"];
    for (kind, rows) in [
        ("uchar", bytes),
        ("uint", bytes),
        ("ushort", words),
        ("float", floats),
    ] {
        for names in [
            ["red", "green", "blue"],
            ["diffuse_red", "diffuse_green", "diffuse_blue"],
            ["r", "g", "b"],
        ] {
            let properties = names
                .map(|name| format!("property {kind} {name}\n"))
                .concat();
            let (found, warnings) = ply(&properties, rows);
            assert_eq!(warnings, [""; 0]);
            for (found, expected) in found[0].iter().zip(expected) {
                let near = |at: usize| (found[at] - expected[at]).abs() < 1e-6;
                assert!((0..4).all(near), "{kind}: {found:?} {expected:?}");
                assert!(kind == "float" || *found == expected);
            }
        }
    }
    // In any order; alpha is not read.
    let mixed =
        "property uchar blue\nproperty uchar alpha\nproperty uchar red\nproperty uchar green\n";
    let (found, warnings) = ply(mixed, ["51 9 255 0", "255 9 0 102", "255 9 255 255"]);
    assert_eq!(
        (found, warnings),
        (
            vec![expected],
            vec!["in.ply: not read: vertex.alpha".into()]
        )
    );
    // Two of three are no colour.
    let two = "property uchar red\nproperty uchar green\n";
    let (found, warnings) = ply(two, ["1 2", "3 4", "5 6"]);
    assert!(found.is_empty());
    assert_eq!(warnings, ["in.ply: not read: vertex.red, vertex.green"]);
}

#[test]
fn colours_stay_with_triangles() {
    let text = "v 0 0 0 1 0 0\nv 1 0 0 0 1 0\nv 1 1 0 0 0 1\nv 0 1 0\nf 1 1 2\nf 1 2 3\nf 1 3 4\n";
    let scene = obj(text).scene;
    let [red, green, blue] = [[255, 0, 0], [0, 255, 0], [0, 0, 255]].map(linear);
    assert_eq!(scene.colours(), [[red, green, blue], [red, blue, WHITE]]);
    let fine = generate::subdivide(&scene, 1, Displacement::NONE).unwrap();
    assert_eq!(fine.colours().len(), 8);
    assert_eq!(
        fine.colours()[0],
        [red, [0.5, 0.5, 0.0, 1.0], [0.5, 0.0, 0.5, 1.0]]
    );
    let grid = generate::grid(&scene, 2, 0.5).unwrap();
    assert_eq!(grid.colours(), scene.colours().repeat(4));
    let error = scene.with_colours(vec![[[2.0; 4]; 3]; 2]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "in.obj: a colour with a number that is not from 0 to 1"
    );
}
