//! Surveys, whose coordinates are far from the origin: trees, pictures and views of them are those
//! of the same scene near it.

use std::fs;

use crate::program::{Folder, Outcome};

const PICTURE: &str = "--size 48x32 --backend cpu --shade path --spp 2";

/// Squares of a quarter of a metre with a step between them, at a place whose coordinates are
/// multiples of 256.
fn survey([x, y, z]: [f64; 3]) -> String {
    let mut text = String::new();
    for row in 0..5_u32 {
        for column in 0..5_u32 {
            let [u, v] = [column, row].map(|at| 0.25 * f64::from(at));
            let height = f64::from((row * 3 + column * 2) % 5) / 32.0;
            text += &format!("v {} {} {}\n", x + u, y + height, z + v);
        }
    }
    for row in 1..5_u32 {
        for column in 1..5_u32 {
            let at = row * 5 + column + 1;
            text += &format!("f {} {} {} {}\n", at - 6, at - 1, at, at - 5);
        }
    }
    text
}

const FAR: [f64; 3] = [500_224.0, 128.0, -5_800_192.0];

/// The scene at the place of `far.obj` as `far.obj`, and as `near.obj` without the offset by which
/// it is read.
fn folder() -> (Folder, [f64; 3]) {
    let folder = Folder::new();
    folder.put("far.obj", survey(FAR));
    let command = format!("render @far.obj -o @far.png {PICTURE} --format json");
    let outcome = folder.run(&command);
    let offset: [f64; 3] =
        serde_json::from_value(outcome.json()["meta"]["offset"].clone()).unwrap();
    let [x, y, z] = offset;
    let note = format!("far.obj: far from the origin, the tree is built relative to {x},{y},{z};");
    assert!(outcome.stderr.contains(&note), "{outcome:?}");
    let near = [0, 1, 2].map(|axis| FAR[axis] - offset[axis]);
    assert!(near.iter().all(|value| value.abs() < 4.0), "{offset:?}");
    folder.put("near.obj", survey(near));
    (folder, offset)
}

fn render(folder: &Folder, scene: &str, options: &str) -> (Outcome, Vec<u8>) {
    let command = format!("render @{scene} -o @out.png {PICTURE} {options}");
    let outcome = folder.run(&command).succeeds();
    (outcome, fs::read(folder.path("out.png")).unwrap())
}

#[test]
fn pictures_are_those_of_the_scene_near_the_origin() {
    let (folder, [x, y, z]) = folder();
    let (outcome, near) = render(&folder, "near.obj", "--format json");
    assert_eq!(outcome.stderr, "");
    assert!(outcome.json()["meta"].get("offset").is_none());
    assert_eq!(fs::read(folder.path("far.png")).unwrap(), near);

    let eye =
        |[dx, dy, dz]: [f64; 3], [x, y, z]: [f64; 3]| format!("{},{},{}", x + dx, y + dy, z + dz);
    let camera = |offset: [f64; 3]| {
        let (from, to) = (eye([1.5, 2.0, 2.25], offset), eye([0.5, 0.0, 0.5], offset));
        format!("--eye={from} --look-at={to}")
    };
    let (_, near) = render(&folder, "near.obj", &camera([0.0; 3]));
    let options = format!("{} --write-view @far.toml", camera([x, y, z]));
    assert_eq!(render(&folder, "far.obj", &options).1, near);
    let view = fs::read_to_string(folder.path("far.toml")).unwrap();
    let expected = format!("eye = [{:?}, {:?}, {:?}]", x + 1.5, y + 2.0, z + 2.25);
    assert!(view.contains(&expected), "{view}");
    assert_eq!(render(&folder, "far.obj", "--view @far.toml").1, near);

    // Lights are where their file says.
    let light = |[x, y, z]: [f64; 3]| {
        format!(
            "[sky]\ncolour = [0, 0, 0]\n[[point]]\nposition = [{:?}, {:?}, {:?}]\n\
             intensity = [3, 2, 1]\n",
            x + 0.5,
            y + 1.0,
            z + 0.25
        )
    };
    folder.put("near.toml", light([0.0; 3]));
    folder.put("far.toml", light([x, y, z]));
    let (_, near) = render(&folder, "near.obj", "--view @near.toml");
    assert_eq!(render(&folder, "far.obj", "--view @far.toml").1, near);
}

#[test]
fn trees_and_files_keep_the_coordinates() {
    let (folder, offset) = folder();
    let save = |scene: &str, tree: &str| {
        let command =
            format!("kdtree @{scene} --save @{tree} --backend cpu --runs 1 --format json");
        folder.json(&command)
    };
    let (far, near) = (save("far.obj", "far.tree"), save("near.obj", "near.tree"));
    assert_eq!(far["tree_hash"], near["tree_hash"]);
    assert_eq!(far["meta"]["offset"], serde_json::json!(offset));
    assert_ne!(far["meta"]["input_hash"], near["meta"]["input_hash"]);
    let (_, built) = render(&folder, "far.obj", "");
    assert_eq!(render(&folder, "far.obj", "--tree @far.tree").1, built);
    let other = format!("render @far.obj -o @out.png {PICTURE} --tree @near.tree");
    let outcome = folder.run(&other);
    assert_eq!(outcome.code, 3, "{outcome:?}");
    assert!(outcome.stderr.contains("near.tree"), "{outcome:?}");

    let command = "generate scene @far.obj -o @again.obj";
    folder.run(command).succeeds();
    let text = fs::read_to_string(folder.path("again.obj")).unwrap();
    let first = format!("v {} {} {}\n", FAR[0], FAR[1], FAR[2]);
    assert!(text.contains(&first), "{text}");
    assert_eq!(
        save("again.obj", "again.tree")["meta"]["input_hash"],
        far["meta"]["input_hash"]
    );
}

#[test]
fn frames_have_one_offset() {
    let (folder, [x, y, z]) = folder();
    folder.put("next.obj", survey([FAR[0] + 100.25, FAR[1], FAR[2]]));
    let frames = |files: &str| {
        let command = format!("kdtree --frames {files} --backend cpu --runs 1 --format json");
        folder.run(&command)
    };
    let both = frames("@far.obj @next.obj");
    let result = both.json();
    assert_eq!(result["meta"]["offset"], serde_json::json!([x, y, z]));
    let note = format!("next.obj: far from the origin, the tree is built relative to {x},{y},{z};");
    assert!(both.stderr.contains(&note), "{both:?}");
    folder.put(
        "later.obj",
        survey([FAR[0] + 100.25 - x, FAR[1] - y, FAR[2] - z]),
    );
    let near = frames("@near.obj @later.obj").json();
    assert_eq!(result["trees_hash"], near["trees_hash"]);
    assert!(near["meta"].get("offset").is_none());
}

#[test]
fn frames_before_the_offset_are_read_again_in_silence() {
    let (folder, offset) = folder();
    // It is as far away, but loses nothing there; one of its triangles has no area.
    let [x, y, z] = FAR;
    let large = format!(
        "v {x} {y} {z}\nv {} {y} {z}\nv {x} {y} {}\nf 1 2 3\nf 1 1 2\n",
        x + 512.0,
        z - 512.0
    );
    folder.put("large.obj", large);
    let frames = |files: &str| {
        let command = format!("kdtree --frames {files} --backend cpu --runs 1 --format json");
        folder.run(&command)
    };
    let outcome = frames("@large.obj @far.obj");
    assert_eq!(outcome.json()["meta"]["offset"], serde_json::json!(offset));
    let lines = outcome.stderr.lines();
    let of_large = lines.filter(|line| line.contains("large.obj"));
    assert_eq!(of_large.count(), 1, "{outcome:?}");

    // A scene near the origin cannot join a survey's frames; a scene generated from a survey can.
    let outcome = frames("@far.obj gen:knot");
    assert_eq!(outcome.code, 2, "{outcome:?}");
    let why = "frame 2 (gen:knot): another frame is far from the origin";
    assert!(outcome.stderr.contains(why), "{outcome:?}");
    folder.put("next.obj", survey([x + 100.25, y, z]));
    let far = folder.path("far.obj");
    let outcome = frames(&format!("@next.obj gen:{},copies=1", far.display()));
    assert_eq!(outcome.code, 0, "{outcome:?}");
}
