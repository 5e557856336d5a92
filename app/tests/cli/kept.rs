//! `heapwood kdtree --save` and `heapwood render --tree`: a tree is built once, and a file that is
//! none is one line and an exit code.

use std::fs;

use crate::program::{Folder, assert_keys, text};

const PICTURE: &str = "--size 64x48 --backend cpu";

#[test]
fn a_saved_tree_gives_the_picture_of_a_built_one() {
    let folder = Folder::new();
    folder.scene("knot");
    let save = "kdtree @knot.obj --backend cpu --runs 1 --quality best --save";
    let saved = folder.json(format!("{save} @cores.tree --format json"));
    let kernels = format!("{save} @kernels.tree --builder kernels");
    let outcome = folder.run(&kernels);
    assert!(outcome.stdout.contains("kernels.tree, "), "{outcome:?}");
    let file = fs::read(folder.path("cores.tree")).unwrap();
    assert_eq!(file, fs::read(folder.path("kernels.tree")).unwrap());
    assert_eq!(saved["saved"]["bytes"], file.len());
    assert!(text(&saved["saved"], "file").ends_with("cores.tree"));

    let built = format!("render @knot.obj -o @built.png {PICTURE} --quality best");
    let built = folder.json(format!("{built} --format json"));
    assert!(
        built["tree"].is_null() && built["builder"] == "cores",
        "{built}"
    );
    let kept = format!("render @knot.obj -o @kept.png {PICTURE} --tree @cores.tree");
    let kept = folder.json(format!("{kept} --format json"));
    let picture = |name: &str| fs::read(folder.path(name)).unwrap();
    assert_eq!(picture("built.png"), picture("kept.png"));

    assert_keys(&kept, "builder allocator build_ms tree");
    for null in ["builder", "allocator", "build_ms"] {
        assert!(kept[null].is_null(), "{kept}");
    }
    let tree = &kept["tree"];
    assert!(text(tree, "file").ends_with("cores.tree"), "{tree}");
    assert!(tree["load_ms"].as_f64().unwrap() > 0.0);
    assert_eq!(tree["options"]["intersection_cost"], 3.0);
    for key in ["tree_hash", "nodes", "leaves", "references", "max_depth"] {
        assert_eq!(tree[key], saved[key], "{key}");
    }
}

#[test]
fn what_concerns_a_build_is_refused_beside_a_tree() {
    let folder = Folder::new();
    folder.scene("knot");
    let save = "kdtree @knot.obj --backend cpu --runs 1 --save @knot.tree";
    folder.run(save).succeeds();
    for option in [
        "--pool 200x",
        "--alloc-per-split",
        "--quality balanced",
        "--traversal-cost 1",
        "--intersection-cost 2",
        "--empty-bonus 0.2",
        "--max-depth 96",
        "--no-clip",
        "--builder cores",
        "--allocator cfmalloc",
        "--check-heap",
        "--link @knot.obj",
        "--merge",
    ] {
        let render = format!("render @knot.obj -o @x.png {PICTURE} --tree @knot.tree {option}");
        let outcome = folder.run(&render);
        let name = option.split(' ').next().unwrap();
        let message = outcome.error(2);
        assert!(
            message.contains("--tree") && message.contains(name),
            "{message}"
        );
    }
    for command in [
        "kdtree --frames @knot.obj --backend cpu --save @x.tree".to_owned(),
        format!("render @knot.obj -o @knot.tree {PICTURE} --tree @knot.tree"),
        "kdtree @knot.obj --backend cpu --save @knot.obj".to_owned(),
        "kdtree @knot.obj --backend cpu --save @x.txt -o @x.txt".to_owned(),
    ] {
        let outcome = folder.run(&command);
        outcome.error(2);
    }
    assert_eq!(folder.names(), "knot.mtl knot.obj knot.tree");
}

#[test]
fn a_file_that_has_no_tree_of_the_scene_is_named() {
    let folder = Folder::new();
    folder.scene("knot");
    folder.scene("terrain");
    let save = "kdtree @knot.obj --backend cpu --runs 1 --save @knot.tree";
    folder.run(save).succeeds();
    let file = fs::read(folder.path("knot.tree")).unwrap();
    let mut flipped = file.clone();
    *flipped.last_mut().unwrap() ^= 1;
    folder.put("flipped.tree", flipped);
    folder.put("short.tree", &file[..file.len() - 1]);
    folder.put("empty.tree", "");
    let before = folder.names();
    for (tree, what) in [
        ("@absent.tree", "cannot read"),
        ("@.", "not a file"),
        ("@knot.obj", "not a tree"),
        ("@empty.tree", "not a tree"),
        ("@short.tree", "there should be"),
        ("@short.tree", "; build the tree anew by"),
        ("@flipped.tree", "checksum"),
    ] {
        let render = format!("render @knot.obj -o @x.png {PICTURE} --tree {tree}");
        folder.run(&render).fails(3, what);
    }
    let render = format!("render @terrain.obj -o @x.png {PICTURE} --tree @knot.tree");
    folder
        .run(&render)
        .fails(3, "knot.tree was built from another scene");
    assert_eq!(folder.names(), before);
}

#[test]
fn duplicates_that_are_kept_make_another_scene() {
    let folder = Folder::new();
    folder.put(
        "twice.obj",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 3\nf 1 2 4\n",
    );
    let save = "kdtree @twice.obj --backend cpu --runs 1 --keep-duplicates --save @twice.tree";
    folder.run(save).succeeds();
    let render = format!("render @twice.obj -o @x.png {PICTURE} --tree @twice.tree");
    let outcome = folder.run(&render);
    assert_eq!(outcome.code, 3, "{outcome:?}");
    folder.run(format!("{render} --keep-duplicates")).succeeds();
}
