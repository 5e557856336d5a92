//! Triangles know the face of their file, if that is asked for.

use heapwood_scenes::{CleanOptions, Scene, read_obj, read_ply};

const KEEP: CleanOptions = CleanOptions {
    keep_duplicates: false,
    keep_faces: true,
};

fn faces(scene: &Scene) -> Vec<u32> {
    let triangles = 0..scene.len() as u32;
    triangles
        .map_while(|triangle| scene.face(triangle))
        .collect()
}

fn obj(text: &str, options: CleanOptions) -> Scene {
    let file = |_: &str| Ok(b"newmtl red\nKd 0.5 0 0\n".to_vec());
    let loaded = read_obj("in.obj", text.into(), file, options);
    loaded.expect("a scene").scene
}

#[test]
fn polygons_of_obj_keep_their_number() {
    let vertices = "mtllib m.mtl\nv 0 0 0\nv 2 0 0\nv 2 2 0\nv 1 0.5 0\nv 0 2 0\nv 0 0 3\n";
    // A triangle; a polygon with a notch; one that is degenerate and one that repeats; a group of
    // triangles and another of quadrangles.
    let text = format!(
        "{vertices}f 1 2 6\nf 1 2 3 4 5\nf 1 1 2\nf 6 1 2\ng triangles\nusemtl red\nf 2 3 6\n\
         f 3 4 6\np 1\ng quadrangles\nf 1 2 3 5\nf 1 2 3 5\nf 4 5 6\n"
    );
    let scene = obj(&text, KEEP);
    assert_eq!(faces(&scene), [0, 1, 1, 1, 4, 5, 6, 6, 8]);
    assert!(faces(&obj(&text, CleanOptions::default())).is_empty());
    let fan = obj(&format!("{vertices}f 1 2 3 5\n"), KEEP);
    assert_eq!(faces(&fan), [0, 0]);
}

#[test]
fn faces_of_ply_count_those_without_area_and_strips_follow() {
    let text = "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\n\
                property float z\nelement face 6\nproperty list int int vertex_indices\n\
                element tristrips 2\nproperty list int int vertex_indices\nend_header\n\
                0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 1\n\
                2 0 1\n1 0\n4 0 1 2 3\n2 0 1\n3 0 0 1\n3 0 1 4\n\
                7 0 2 4 -1 1 2 4\n4 0 3 4 1\n";
    let scene = |options| {
        let loaded = read_ply("in.ply", text.into(), options);
        loaded.expect("a scene").scene
    };
    // The last strip begins with a new triangle, and ends with one that repeats none.
    assert_eq!(faces(&scene(KEEP)), [2, 2, 5, 6, 6, 7, 7]);
    assert!(faces(&scene(CleanOptions::default())).is_empty());
}
