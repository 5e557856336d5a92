//! `--record`, and `heapwood replay`.

use crate::program::{Folder, has, keys, number, text};

const KEYS: &str =
    "calls launches pauses recorded_allocator recorded_refused touches trace trace_hash workload";

/// A small sea on the CPU.
const SEA: &str = "agents --backend cpu --width 40 --height 30 --steps 6";

#[test]
fn a_sea_is_recorded_and_replayed_over_other_allocators() {
    let folder = Folder::new();
    let sea = folder.json(format!("{SEA} --record @sea.hwt --format json"));
    let summary = folder.json("trace summary @sea.hwt --format json");
    // The recording has the run's own requests, and what frees the rest.
    assert_eq!(summary["granted"], sea["requests"]);
    assert_eq!(summary["granted"], summary["frees"]);
    // The run looks behind each step, and the trace has all of its events.
    assert!(number(&summary["max_live_bytes"]["value"]) >= number(&sea["high_water_bytes"]));
    assert_eq!(summary["pool_bytes"], sea["pool_bytes"]);
    has(text(&summary, "workload"), "agents --backend=cpu");
    assert!(number(&summary["cost"]["recorded_ms"]) > 0.0);

    let replay = "replay @sea.hwt --steps 3 --verify --backend cpu --format json";
    let mut hashes = Vec::new();
    for allocator in ["cfmalloc", "gallatin", "atomicmalloc", "ouroboros-p-vl"] {
        let report = folder.json(format!("{replay} --allocator {allocator}"));
        assert_eq!(keys(&report["result"]).join(" "), KEYS);
        assert_eq!(
            number(&report["requests"]),
            3.0 * number(&summary["granted"])
        );
        assert_eq!(report["requests"], report["freed"]);
        hashes.push(text(&report, "hash").to_owned());
    }
    hashes.dedup();
    assert_eq!(hashes.len(), 1);
    assert_eq!(folder.names(), "sea.hwt");
}

#[test]
fn every_workload_is_recorded() {
    let folder = Folder::new();
    for command in [
        "kdtree gen:sphere,triangles=500 --builder kernels --runs 1",
        "graph gen:uniform,vertices=300,edges=900 --undirected --insert 200 --runs 1",
        "particles --width 3 --height 2 --depth 2 --particles 300 --steps 2 --check-heap",
        "workgen --threads 200 --steps 2 --allocator llvmlibc",
    ] {
        let run = format!("{command} --backend cpu --record @a.hwt");
        folder.run(run).succeeds_quietly();
        let summary = folder.json("trace summary @a.hwt --format json");
        assert!(number(&summary["granted"]) > 0.0, "{command}: {summary}");
        let compared = "compare replay @a.hwt --steps 2 --backend cpu --format json";
        let rows = folder.json(format!("{compared} --allocators atomicmalloc,scatteralloc"));
        assert_eq!(
            rows[0]["result"]["hash"], rows[1]["result"]["hash"],
            "{command}"
        );
    }
}

#[test]
fn pauses_are_those_of_the_recording() {
    let folder = Folder::new();
    folder
        .run(format!("{SEA} --record @sea.hwt"))
        .succeeds_quietly();
    let report = folder.json("replay @sea.hwt --steps 1 --pauses 0.5 --backend cpu --format json");
    assert_eq!(report["result"]["pauses"], 0.5);
}

#[test]
fn recordings_that_cannot_be_are_one_line_and_leave_no_file() {
    let folder = Folder::new();
    for (command, code, why) in [
        (
            "--allocator awmalloc --record @a.hwt",
            2,
            "awmalloc grants blocks again that live",
        ),
        (
            "--allocator cmalloc:walk=paper --record @a.hwt",
            2,
            "calls of cmalloc:walk=paper cannot be recorded",
        ),
        (
            "--record @a.hwt --record-ring 320",
            4,
            "and the ring of the recording has room for 10; use a larger --record-ring",
        ),
        ("--record @a.txt", 2, "name it .hwt"),
        ("--record-ring 1MiB", 2, "--record"),
    ] {
        let outcome = folder.run(format!("{SEA} {command}"));
        outcome.fails(code, why);
        assert_eq!(folder.names(), "", "{command}");
    }
    let cores = "kdtree gen:sphere,triangles=500 --builder cores --backend cpu --record @a.hwt";
    folder.run(cores).fails(
        2,
        "--builder cores has no allocator, and --record concerns one",
    );
}

#[test]
fn traces_that_cannot_be_replayed_are_one_line() {
    let folder = Folder::new();
    folder.put("a.hwt", "heapwood trace");
    folder.run("replay @a.hwt").fails(3, "a.hwt: ");
    folder.run("compare replay @b.hwt").fails(3, "b.hwt: ");
    folder
        .run("replay @a.hwt --pauses 2000")
        .fails(2, "--pauses: from 0 to 1000");
}
