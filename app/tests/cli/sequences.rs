//! `heapwood render --orbit` and `--fly`: numbered pictures of one tree, each that of its camera.

use std::fs;

use crate::program::{Folder, assert_keys, has, png_size, text};

const SMALL: &str = "--size 40x30 --backend cpu";

const FROM: &str = "[camera]\neye = [0, 1, 9]\nlook_at = [0, 1, 0]\nfov = 60\n";
const TO: &str = "[camera]\neye = [9, 3, 0.5]\nlook_at = [0, 3, 0]\n";

fn picture(folder: &Folder, name: &str) -> Vec<u8> {
    fs::read(folder.path(name)).unwrap()
}

#[test]
fn a_circle_begins_with_the_camera_and_each_picture_is_another() {
    let folder = Folder::new();
    folder.scene("courtyard");
    let camera = "--eye=-5.6,1.7,6.0 --look-at=1.5,2.4,-4 --fov 62";
    let render = format!("render @courtyard.obj {SMALL} {camera} --shade normal --spp 2");
    let report = folder.json(format!("{render} -o @x.png --orbit 4 --format json"));
    assert_keys(&report, "builder build_ms rays render_ms rays_per_second");
    assert_eq!(report["rays"]["primary"], 4 * 2 * 40 * 30);
    let frames = report["frames"].as_array().unwrap();
    let mut pictures = Vec::new();
    for (number, frame) in (1..).zip(frames) {
        let name = format!("x-000{number}.png");
        assert!(text(frame, "output").ends_with(&name), "{frame}");
        assert_eq!(frame["samples"], 2);
        assert_eq!(png_size(&folder.path(&name)), (40, 30));
        pictures.push(picture(&folder, &name));
    }
    assert_eq!(pictures.len(), 4);
    folder.run(format!("{render} -o @one.png")).succeeds();
    assert_eq!(pictures[0], picture(&folder, "one.png"));
    pictures.sort();
    pictures.dedup();
    assert_eq!(pictures.len(), 4);

    // The third of four is on the other side: a single picture from there.
    let outcome = folder
        .run(format!("{render} -o @one.exr --orbit 1"))
        .succeeds();
    assert_eq!(outcome.stdout.lines().count(), 1);
    has(&outcome.stdout, ": 1 picture, 40x30 normal");
    assert!(folder.path("one-0001.exr").exists() && !folder.path("one.exr").exists());
}

#[test]
fn a_flight_ends_at_its_views() {
    let folder = Folder::new();
    folder.scene("knot");
    folder.put("a.toml", FROM);
    folder.put(
        "b.toml",
        format!("{TO}[[sun]]\ndirection = [1, 1, 1]\nirradiance = [3, 3, 3]\n"),
    );
    let render = format!("render @knot.obj {SMALL} --shade path --spp 2");
    let outcome = folder
        .run(format!(
            "{render} -o @x.png --fly @a.toml @b.toml --frames 3"
        ))
        .succeeds();
    assert_eq!(outcome.stdout.lines().count(), 1, "{outcome:?}");
    for what in [
        "x-0001.png to ",
        "x-0003.png: 3 pictures",
        " million rays/s",
    ] {
        assert!(outcome.stdout.contains(what), "{outcome:?}");
    }
    // Both ends have the sun of the second view.
    folder.put(
        "a-sun.toml",
        format!("{FROM}[[sun]]\ndirection = [1, 1, 1]\nirradiance = [3, 3, 3]\n"),
    );
    for (view, name) in [("a-sun", "x-0001.png"), ("b", "x-0003.png")] {
        folder
            .run(format!("{render} -o @end.png --view @{view}.toml"))
            .succeeds();
        assert!(
            picture(&folder, name) == picture(&folder, "end.png"),
            "{view}"
        );
    }
    assert_ne!(
        picture(&folder, "x-0002.png"),
        picture(&folder, "x-0001.png")
    );
}

#[test]
fn a_saved_tree_and_a_time_limit_serve_sequences_too() {
    let folder = Folder::new();
    folder.scene("knot");
    let save = "kdtree @knot.obj --backend cpu --runs 1 --save @knot.tree";
    folder.run(save).succeeds();
    let render = format!("render @knot.obj {SMALL} --tree @knot.tree --orbit 2 --format json");
    let limited = "--shade path --time-limit 0 --write-partial -o @x.png";
    let report = folder.json(format!("{render} {limited}"));
    assert!(report["builder"].is_null() && !report["tree"].is_null());
    for frame in report["frames"].as_array().unwrap() {
        assert_eq!(frame["samples"], 2);
    }
}

#[test]
fn sequences_that_make_no_sense_are_refused_before_any_work() {
    let folder = Folder::new();
    folder.scene("knot");
    folder.put("a.toml", FROM);
    folder.put("b.toml", TO);
    folder.put("small.toml", format!("{TO}size = [10, 20]\n"));
    folder.put("large.toml", format!("{FROM}size = [20, 20]\n"));
    folder.put(
        "sky.toml",
        format!("{FROM}[sky]\nzenith = [1, 1, 1]\nnadir = [1, 1, 1]\n"),
    );
    folder.put(
        "sky2.toml",
        format!("{TO}[sky]\nzenith = [0, 1, 1]\nnadir = [1, 1, 1]\n"),
    );
    folder.put(
        "down.toml",
        "[camera]\neye = [0, 0, 0]\nlook_at = [0, 1, -0.1]\n",
    );
    folder.put(
        "up.toml",
        "[camera]\neye = [0, 0, 0]\nlook_at = [0, 1, 0.1]\n",
    );
    fs::create_dir(folder.path("x-0003.png")).unwrap();
    let before = folder.names();
    for (options, code, what) in [
        ("--orbit 0", 2, "1..=9999"),
        ("--orbit 10000", 2, "1..=9999"),
        ("--orbit 2 --fly @a.toml @b.toml --frames 2", 2, "--fly"),
        ("--orbit 2 --frames 2", 2, "--frames"),
        ("--orbit 2 --runs 2", 2, "--runs"),
        ("--orbit 2 --eye 1,2,3 --look-at 1,2,3", 2, "same point"),
        ("--orbit 2 --eye 0,2,0 --look-at 0,0,0", 2, "another up"),
        ("--orbit 2 --eye 1e19,0,0", 2, "at most 1e18"),
        ("--fly @a.toml @b.toml", 2, "--frames"),
        ("--fly @a.toml --frames 3", 2, "--fly"),
        ("--fly @a.toml @b.toml --frames 1", 2, "2..=9999"),
        ("--frames 3", 2, "--fly"),
        ("--fly @a.toml @b.toml --frames 2 --eye 1,2,3", 2, "--eye"),
        (
            "--fly @a.toml @b.toml --frames 2 --view @a.toml",
            2,
            "--view",
        ),
        (
            "--fly @a.toml @b.toml --frames 2 --write-view @c.toml",
            2,
            "--write-view",
        ),
        ("--fly @a.toml @absent.toml --frames 2", 3, "absent.toml"),
        (
            "--fly @large.toml @small.toml --frames 2",
            2,
            "choose a --size",
        ),
        (
            "--fly @sky.toml @sky2.toml --frames 2",
            2,
            "different lights",
        ),
        (
            "--fly @down.toml @up.toml --frames 3 --backend cpu -o @y.png",
            2,
            "picture 2 between",
        ),
        // The name of the third picture is a directory's.
        ("--orbit 3", 3, "x-0003.png"),
        ("--fly @x-0001.png @b.toml --frames 2", 2, "named twice"),
    ] {
        let output = if options.contains("-o ") {
            ""
        } else {
            "-o @x.png --backend cpu"
        };
        if options.contains("@x-0001.png") {
            folder.put("x-0001.png", FROM);
        }
        folder
            .run(format!("render @knot.obj {output} {options}"))
            .fails(code, what);
    }
    fs::remove_file(folder.path("x-0001.png")).unwrap();
    assert_eq!(folder.names(), before);
    let sized = "--fly @large.toml @small.toml --frames 2 --size 8x8 -o @y.png --backend cpu";
    folder.run(format!("render @knot.obj {sized}")).succeeds();
    assert_eq!(png_size(&folder.path("y-0002.png")), (8, 8));
}
