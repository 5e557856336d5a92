//! `--delay` and `compare ... --sensitivity`.

use serde_json::Value;

use crate::program::{Folder, assert_keys, has, number, text};

const KEYS: &str = "allocator backend command device frees free_ns hash input malloc_ns meta parameters plain_ms \
                    requests share share_high share_low slope_ms stretched";

/// A small sea on the CPU.
const SEA: &str = "agents --backend cpu --width 40 --height 30 --steps 4";

#[test]
fn delayed_calls_take_longer_and_do_the_same() {
    let folder = Folder::new();
    for command in [
        SEA,
        "particles --backend cpu --width 3 --height 2 --depth 2 --particles 300 --steps 2",
        "workgen --backend cpu --threads 50 --steps 2",
        "kdtree gen:sphere,triangles=100 --backend cpu --builder kernels --runs 1",
        "graph gen:uniform,vertices=50,edges=90 --backend cpu --insert 20 --runs 1",
    ] {
        let plain = folder.json(format!("{command} --format json"));
        let delay = "--delay malloc=50000,free=1000";
        let delayed = folder.json(format!("{command} {delay} --format json"));
        for hash in ["hash", "tree_hash", "graph_hash"] {
            assert_eq!(plain[hash], delayed[hash], "{command}");
        }
        let parameters = &delayed["parameters"];
        assert_eq!(text(parameters, "delay"), "malloc=50000,free=1000");
        assert_eq!(plain["parameters"]["delay"], Value::Null, "{command}");
    }
}

/// Each request of a thread waits, and a thread has its requests one after the other.
#[test]
fn a_delay_is_waited_for() {
    let folder = Folder::new();
    let run = "workgen --backend cpu --cpu-threads 1 --threads 32 --steps 3 --format json";
    let delayed = folder.json(format!("{run} --delay malloc=1000000"));
    let steps = delayed["step_ms"]["samples"].as_array().unwrap();
    let requests = number(&delayed["requests"]) / 3.0;
    assert!(requests > 0.0);
    assert!(steps.iter().all(|ms| number(ms) >= requests), "{delayed}");
}

#[test]
fn shares_are_measured_over_each_allocator() {
    let folder = Folder::new();
    let runs = [
        "compare agents --width 40 --height 30 --steps 4",
        "compare kdtree gen:sphere,triangles=200 --runs 1",
        "compare graph gen:uniform,vertices=100,edges=300 --insert 50 --runs 1",
    ];
    for run in runs {
        let run = format!("{run} --backend cpu --sensitivity --allocators atomicmalloc,gallatin");
        let rows = folder.json(format!("{run} --format json"));
        for (row, allocator) in rows
            .as_array()
            .unwrap()
            .iter()
            .zip(["atomicmalloc", "gallatin"])
        {
            assert_eq!(text(row, "status"), "ok", "{row}");
            assert_eq!(text(row, "allocator"), allocator);
            let result = &row["result"];
            assert_keys(result, KEYS);
            assert!(number(&result["malloc_ns"]) > 0.0 && number(&result["requests"]) > 0.0);
            let share = number(&result["share"]);
            assert!(number(&result["share_low"]) <= share, "{result}");
            assert!(share <= number(&result["share_high"]), "{result}");
            let stretched = result["stretched"].as_array().unwrap();
            assert_eq!(stretched[4]["stretch"], 2.0);
            assert_eq!(stretched.len(), 5);
        }
        assert_eq!(rows[0]["result"]["hash"], rows[1]["result"]["hash"]);
        if run.contains("agents") {
            let table = folder.run(&run).succeeds();
            has(&table.stdout, "share");
        }
    }
}

#[test]
fn delays_that_cannot_be_are_one_line() {
    let folder = Folder::new();
    for (command, why) in [
        ("--delay 100", "write malloc=NS,free=NS"),
        ("--delay malloc=1,malloc=2", "write malloc=NS,free=NS"),
        (
            "--delay malloc=1 --allocator cmalloc:walk=paper",
            "calls of cmalloc:walk=paper cannot be delayed",
        ),
    ] {
        folder.run(format!("{SEA} {command}")).fails(2, why);
    }
    folder
        .run("kdtree gen:sphere --backend cpu --builder cores --delay malloc=1")
        .fails(
            2,
            "--builder cores has no allocator, and --delay concerns one",
        );
    folder
        .run(
            "compare graph gen:uniform,vertices=50 --backend cpu --sensitivity \
             --layouts contiguous,linked",
        )
        .fails(2, "--sensitivity is measured in one layout");
    folder
        .run("compare agents --backend cpu --sensitivity --allocators cmalloc:walk=paper")
        .fails(2, "calls of cmalloc:walk=paper cannot be timed");
}
