//! `heapwood kdtree --frames` and `compare kdtree --frames`: moving scenes.

use serde_json::Value;

use heapwood::allocators::all;

use crate::program::{Folder, assert_keys, keys, number, text};

/// The keys that scripts rely on.
const KEYS: &str = "\
    allocator backend build_ms_max build_ms_median device device_bytes frames init_ms \
    left_bytes meta options parameters pool_bytes pool_high_water_bytes trees_hash \
    workspace_bytes";
const FRAME_KEYS: &str = "\
    build_ms comparable_sah_cost free_bytes nodes references scene tree_bytes tree_hash \
    triangles used_bytes";

/// Scenes; the first two have one topology.
const FRAMES: &str = "gen:terrain gen:terrain,seed=8 @knot.obj gen:terrain";

fn frames(report: &Value) -> &Vec<Value> {
    report["frames"].as_array().unwrap()
}

#[test]
fn frames_have_the_trees_of_single_builds_and_leave_nothing() {
    let folder = Folder::new();
    folder.scene("knot");
    let command = "--backend cpu --runs 2 --verify --format json";
    let report = folder.json(format!("kdtree --frames {FRAMES} {command}"));
    assert_keys(&report, KEYS);
    assert_eq!(report["left_bytes"], 0);
    let mut most = 0.0_f64;
    for (frame, scene) in frames(&report).iter().zip(FRAMES.split(' ')) {
        assert_eq!(keys(frame).join(" "), FRAME_KEYS);
        let single = folder.json(format!("kdtree {scene} {command}"));
        for key in [
            "scene",
            "triangles",
            "nodes",
            "references",
            "comparable_sah_cost",
            "tree_hash",
        ] {
            assert_eq!(frame[key], single[key], "{scene}: {key}");
        }
        assert_eq!(frame["build_ms"]["samples"].as_array().unwrap().len(), 2);
        let tree = 8.0 * number(&frame["nodes"]) + 4.0 * number(&frame["references"]);
        assert!(number(&frame["tree_bytes"]) >= tree);
        assert!(number(&frame["used_bytes"]) >= tree);
        let pool = number(&report["pool_bytes"]);
        assert!(number(&frame["used_bytes"]) + number(&frame["free_bytes"]) <= pool);
        for sample in frame["build_ms"]["samples"].as_array().unwrap() {
            most = most.max(number(sample));
        }
    }
    assert_eq!(number(&report["build_ms_max"]), most);
    // The same scene twice has the same tree, and the pool has held two of them.
    let (first, last) = (&frames(&report)[0], &frames(&report)[3]);
    assert_eq!(first["tree_hash"], last["tree_hash"]);
    let two = number(&frames(&report)[2]["tree_bytes"]) + number(&last["tree_bytes"]);
    assert!(number(&report["pool_high_water_bytes"]) >= two);
    assert!(number(&report["device_bytes"]) > number(&report["workspace_bytes"]));
}

#[test]
fn frames_are_reported_as_a_table() {
    let folder = Folder::new();
    let shown = folder
        .run("kdtree --frames gen:terrain gen:knot --backend cpu --runs 1")
        .succeeds();
    let lines: Vec<&str> = shown.stdout.lines().collect();
    assert!(lines[0].starts_with("frame  scene "), "{shown:?}");
    assert!(lines[1].contains("gen:terrain") && lines[2].contains("gen:knot"));
    assert!(
        shown
            .stdout
            .contains("0 B in use after the last tree was freed")
    );
    assert!(shown.stdout.contains("2, 1 runs; "), "{shown:?}");
}

#[test]
fn allocators_that_free_are_compared() {
    let folder = Folder::new();
    // A larger frame among others, which is quicker to build than the knot.
    let frames_of_all = FRAMES.replace("@knot.obj", "gen:soup,triangles=2500");
    let command = format!(
        "compare kdtree --frames {frames_of_all} --backend cpu --runs 1 --reference cmalloc \
         --format json"
    );
    let outcome = folder.run(&command);
    let note = "left out, since they cannot free a frame's tree: atomicmalloc, spread, awmalloc, \
                fdgmalloc";
    assert!(outcome.stderr.contains(note), "{outcome:?}");
    let rows = outcome.json();
    let rows = rows.as_array().unwrap();
    let freeing = all().filter(|one| one.properties.frees && !one.properties.may_overwrite);
    assert_eq!(rows.len(), freeing.count());
    for row in rows {
        assert_eq!(text(row, "status"), "ok", "{row}");
        assert_keys(&row["result"], KEYS);
        assert_eq!(row["result"]["trees_hash"], rows[0]["result"]["trees_hash"]);
        for (frame, first) in frames(&row["result"])
            .iter()
            .zip(frames(&rows[0]["result"]))
        {
            assert_eq!(frame["tree_hash"], first["tree_hash"]);
        }
        let left = &row["result"]["left_bytes"];
        assert!(left.is_null() || *left == 0, "{row}");
        assert!(number(&row["ratio"]) > 0.0);
    }
    let all = |row: &Value| -> f64 {
        let frames = frames(&row["result"]).iter();
        frames
            .map(|frame| number(&frame["build_ms"]["median"]))
            .sum()
    };
    let least = rows.iter().map(all).fold(f64::MAX, f64::min);
    for row in rows {
        assert_eq!(row["fastest"], all(row) == least);
    }
    // Earlier rows are taken over if they are of the same frames.
    folder.put("a.json", outcome.stdout.clone());
    let again = folder.run(format!("{command} --resume @a.json"));
    assert_eq!(
        again.json(),
        serde_json::from_str::<Value>(&outcome.stdout).unwrap()
    );
    let other = command.replace("gen:terrain,seed=8", "gen:terrain,seed=9");
    let refused = folder.run(format!("{other} --resume @a.json"));
    assert_eq!(refused.code, 3, "{refused:?}");
}

#[test]
fn errors_name_the_frame() {
    let folder = Folder::new();
    folder.put("empty.obj", "v 0 0 0\n");
    for (command, code, expected) in [
        (
            "kdtree --frames gen:terrain @none.obj",
            3,
            vec!["frame 2 (", "none.obj"],
        ),
        (
            "kdtree --frames gen:terrain gen:knot @empty.obj",
            3,
            vec!["frame 3 (", "empty.obj"],
        ),
        (
            "kdtree --frames gen:terrain gen:terrain gen:knot --pool 150KiB",
            4,
            vec!["frame 3 (gen:knot): the pool of 150 KiB is too small"],
        ),
        (
            "compare kdtree --frames gen:terrain @none.obj",
            3,
            vec!["frame 2 (", "none.obj"],
        ),
        (
            "kdtree --frames gen:terrain --allocator atomicmalloc",
            2,
            vec![
                "atomicmalloc cannot free",
                "use an allocator that frees",
                "without --frames",
            ],
        ),
        (
            "compare kdtree --frames gen:terrain --allocators atomicmalloc,awmalloc",
            2,
            vec!["atomicmalloc, awmalloc cannot free"],
        ),
        ("kdtree --frames gen:teapot", 2, vec!["no scene `teapot`"]),
        ("kdtree --frames", 2, vec!["--frames"]),
        (
            "kdtree gen:knot --frames gen:knot",
            2,
            vec!["cannot be used with"],
        ),
        (
            "kdtree --frames gen:knot --render @a.png",
            2,
            vec!["cannot be used with"],
        ),
        ("kdtree", 2, vec!["SCENE"]),
    ] {
        let outcome = folder.run(format!("{command} --backend cpu --runs 1"));
        let message = outcome.error(code);
        for part in expected {
            assert!(message.contains(part), "{command}: {message}");
        }
    }
    let output = folder.run("kdtree --frames gen:knot @empty.obj --backend cpu -o @empty.obj");
    assert_eq!(output.code, 2, "{output:?}");
}
