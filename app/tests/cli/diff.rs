//! `heapwood diff`: pictures beside each other.

use std::fs;
use std::process::{Command, Stdio};

use crate::program::{Folder, has, program};

/// Two pictures of one scene from two sides, and the first again.
fn pictures() -> Folder {
    let folder = Folder::new();
    folder.scene("knot");
    for (name, shade) in [("a", "normal"), ("again", "normal"), ("b", "eyelight")] {
        let command = format!(
            "render @knot.obj -o @{name}.png --shade {shade} --size 48x32 --backend cpu --format json"
        );
        folder.json(&command);
    }
    folder
}

#[test]
fn the_same_picture_twice_does_not_differ() {
    let folder = pictures();
    let report = folder.json("diff @a.png @again.png --format json");
    for (key, expected) in [("pixels", 48 * 32), ("differing", 0), ("largest", 0)] {
        assert_eq!(report[key], expected, "{report}");
    }
    assert_eq!(report["flip"], 0.0);
    assert!(report["psnr_db"].is_null());
    assert_eq!(report["is_over"], false);
    let text = folder.run("diff @a.png @again.png").succeeds_quietly();
    assert!(text.stdout.contains("PSNR infinite"), "{text:?}");
}

#[test]
fn what_differs_too_much_has_its_own_exit_code() {
    let folder = pictures();
    let found = folder.run("diff @a.png @b.png --output @map.png");
    assert_eq!(found.code, 5, "{found:?}");
    assert!(found.stdout.contains("FLIP"), "{found:?}");
    assert_eq!(found.stderr.lines().count(), 1);
    has(&found.stderr, "pixels differ by more than 0");
    // The map is white where the pictures differ most: it is not that of equal ones.
    let map = fs::read(folder.path("map.png")).unwrap();
    folder.run("diff @a.png @again.png --output @none.png");
    assert_ne!(map, fs::read(folder.path("none.png")).unwrap());

    let report = folder.json("diff @a.png @b.png --allow 100 --format json");
    let share = report["differing"].as_f64().unwrap() / report["pixels"].as_f64().unwrap();
    let (less, more) = (99.0 * share, (101.0 * share).min(100.0));
    assert_eq!(
        folder
            .run(format!("diff @a.png @b.png --allow {less}"))
            .code,
        5
    );
    assert_eq!(
        folder
            .run(format!("diff @a.png @b.png --allow {more}"))
            .code,
        0
    );
    folder.run("diff @a.png @b.png --tolerance 255").succeeds();
    let flip = report["flip"].as_f64().unwrap();
    assert!(flip > 0.01 && flip < 1.0, "{report}");
    let at_most = |most: f64| {
        folder
            .run(format!("diff @a.png @b.png --max-flip {most}"))
            .code
    };
    assert_eq!(
        (at_most(0.9 * flip), at_most(flip.mul_add(0.1, flip))),
        (5, 0)
    );
}

#[test]
fn a_verdict_outlives_the_reader_of_the_report() {
    let folder = pictures();
    for (test, code) in [("b.png", 5), ("again.png", 0)] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let status = Command::new(program())
            .arg("diff")
            .args(["a.png", test].map(|name| folder.path(name)))
            .stdout(writer)
            .stderr(Stdio::null())
            .status();
        assert_eq!(status.unwrap().code(), Some(code), "{test}");
    }
}

#[test]
fn bad_pictures_and_flags_are_one_line() {
    let folder = pictures();
    folder.json("render @knot.obj -o @small.png --size 24x32 --backend cpu --format json");
    folder.json("render @knot.obj -o @a.exr --size 48x32 --backend cpu --format json");
    fs::write(folder.path("text.png"), "no picture").unwrap();
    for (arguments, code, expected) in [
        ("@a.png @none.png", 3, "none.png: cannot read"),
        ("@a.png @text.png", 3, "text.png: not a PNG image"),
        ("@a.png @a.exr", 3, "a.exr: an EXR file: "),
        ("@a.png @small.png", 3, "48x32 and 24x32"),
        (
            "@a.png @b.png --allow 101",
            2,
            "`101` is not a number from 0 to 100",
        ),
        (
            "@a.png @b.png --max-flip nan",
            2,
            "`nan` is not a number from 0 to 1",
        ),
        (
            "@a.png @b.png --allow 1 --max-flip 1",
            2,
            "cannot be used with",
        ),
        ("@a.png @b.png --tolerance 256", 2, "256"),
        ("@a.png @b.png -o @a.png", 2, "a.png"),
        ("@a.png @b.png -o @map.jpg", 2, "map.jpg"),
    ] {
        folder
            .run(format!("diff {arguments}"))
            .fails(code, expected);
    }
    assert!(!folder.path("map.jpg").exists());
}
