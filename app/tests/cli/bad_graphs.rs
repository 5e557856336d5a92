//! Unusable input, flags and pools of `graph`.

use crate::program::{Folder, allocators, has_gpu};

const PATH: &str = "3 2\n2\n1 3\n2\n";

/// The message with which `graph` refuses a file of this content.
fn refusal(name: &str, content: impl AsRef<[u8]>) -> String {
    let folder = Folder::new();
    folder.put(name, content);
    let command = format!("graph @{name} --pagerank --backend cpu -o @out.txt --save @out.el");
    let outcome = folder.run(&command);
    let message = outcome.error(3).to_owned();
    assert!(message.contains(name), "{message}");
    assert_eq!(folder.names(), name);
    message
}

#[test]
fn files_that_are_no_graphs() {
    assert!(refusal("empty.graph", "").contains("empty"));
    assert!(refusal("binary.gr", [0x7f, b'E', 0, 1, 2]).contains("not text"));
    assert!(refusal("cut.el.gz", [0x1f, 0x8b, 8, 0, 1, 2]).contains("gzip"));
    assert!(refusal("zero.gr", "p sp 2 1\na 0 1 1\n").contains("zero.gr:2"));
    assert!(refusal("far.graph", "2 1\n3\n1\n").contains("far.graph:2"));
    let noise: Vec<u8> = (0..4096_u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8 | 1)
        .collect();
    refusal("noise.mtx", noise);
}

#[test]
fn files_that_are_not_there() {
    let folder = Folder::new();
    folder.put("path.graph", PATH);
    for command in [
        "graph @absent.graph",
        "graph @.",
        "graph @path.graph --insert @absent.el",
        "graph @path.graph --delete @.",
    ] {
        let outcome = folder.run(format!("{command} --backend cpu"));
        outcome.error(3);
    }
}

#[test]
fn flags_that_make_no_sense() {
    let folder = Folder::new();
    folder.put("path.graph", PATH);
    folder.put("arcs.el", "0 1\n1 2\n");
    folder.put("none.graph", "0 0\n");
    for (command, why) in [
        ("", "required"),
        ("@path.graph --allocator nomalloc", "cfmmalloc"),
        ("@path.graph --allocator cmalloc:coalesce", "coalesce"),
        ("@path.graph --layout round", "contiguous or linked"),
        ("@path.graph --file-format obj", "metis, gr, col"),
        ("@path.graph --pool lots", "auto"),
        ("@path.graph --directed --undirected", "cannot be used with"),
        ("@path.graph --bfs 0", "numbered from 1 to 3"),
        ("@path.graph --bfs 4", "numbered from 1 to 3"),
        ("@arcs.el --bfs 3", "numbered from 0 to 2"),
        ("@none.graph --bfs 1", "no vertices"),
        ("@arcs.el --triangles", "--undirected"),
        ("@path.graph --triangles --directed", "--undirected"),
        ("@path.graph --insert 0", "from 1"),
        ("@path.graph --delete 2^32", "from 1"),
        ("@path.graph --insert 2000000000", "--batch"),
        ("@path.graph --insert 5 --batch 2^31", "2^30"),
        ("@path.graph --insert 5 --batch 0", "2^30"),
        ("@path.graph --insert 5 --rounds 0", "--rounds"),
        ("@none.graph --insert 5", "no vertices"),
        ("@path.graph --batch 5", "--insert"),
        ("@path.graph --pattern pressure", "--insert"),
        (
            "@path.graph --insert @arcs.el --pattern pressure",
            "--pattern",
        ),
        ("@path.graph --insert 5 --pattern strange", "uniform"),
        ("@path.graph --damping 0.5", "--pagerank"),
        ("@path.graph --pagerank --damping 1", "from 0 up to 1"),
        (
            "@path.graph --pagerank --method fast",
            "power or accelerated",
        ),
        ("@path.graph --method power", "--pagerank"),
        ("@path.graph --pagerank --damping nan", "from 0 up to 1"),
        ("@path.graph --pagerank --tolerance=-1", "--tolerance"),
        ("@path.graph --pagerank --iterations 0", "--iterations"),
        ("@path.graph --incremental --pagerank", "--insert"),
        ("@path.graph --incremental --insert 5", "--components"),
        ("@path.graph --runs 0", "--runs"),
        ("@path.graph --save @out.obj", "suffix"),
        ("@arcs.el --save @out.col", "undirected"),
        ("@path.graph --save @path.graph", "named twice"),
        ("@path.graph -o @new.el --save @./new.el", "named twice"),
        ("@path.graph --insert @arcs.el -o @arcs.el", "named twice"),
    ] {
        folder
            .run(format!("graph {command} --backend cpu"))
            .fails(2, why);
    }
    for (command, why) in [
        ("@path.graph --allocators cmalloc,nomalloc", "atomicmalloc"),
        ("@path.graph --layouts contiguous,chained", "linked"),
        ("@path.graph --insert 5,", "from 1"),
        ("@path.graph --incremental", "--insert"),
        ("@path.graph --triangles --directed", "--undirected"),
        ("@path.graph -o @path.graph", "named twice"),
    ] {
        folder
            .run(format!("compare graph {command} --backend cpu"))
            .fails(2, why);
    }
    assert_eq!(folder.names(), "arcs.el none.graph path.graph");
}

#[test]
fn an_unwritable_output_is_found_before_the_work() {
    let folder = Folder::new();
    // A graph that cannot be read: the outputs are looked at first.
    for command in [
        "graph @absent.graph -o @none/out.json",
        "graph @absent.graph --save @none/out.el",
        "graph @absent.graph -o @.",
        "compare graph @absent.graph -o @none/out.csv",
    ] {
        folder.run(command).fails(3, "cannot write");
    }
    assert_eq!(folder.names(), "");
}

#[test]
fn a_pool_that_is_too_small() {
    let folder = Folder::new();
    folder.put("path.graph", PATH);
    for allocator in allocators() {
        for pool in ["1KiB", "0", "1000000GiB"] {
            // Those without tables can do with the smallest.
            let small = ["atomicmalloc", "awmalloc", "cudamalloc"];
            if pool == "1KiB" && small.contains(&allocator) {
                continue;
            }
            let command =
                format!("graph @path.graph --backend cpu --allocator {allocator} --pool {pool}");
            folder.run(&command).fails(4, "--pool");
        }
    }
}

/// Where a larger pool may not help, the message says so.
#[test]
fn an_allocator_that_refuses_what_is_free() {
    let folder = Folder::new();
    let generate = "generate graph uniform --vertices 500 --edges 1000 -o @some.el";
    folder.run(generate).succeeds();
    for (allocator, hasty) in [("cmalloc", false), ("cmalloc:walk=paper", true)] {
        let command = format!(
            "graph @some.el --backend cpu --allocator {allocator} --pool 256KiB \
             --insert 100000 --batch 20000"
        );
        let outcome = folder.run(&command);
        let message = outcome.error(4);
        assert_eq!(message.contains("memory is free"), hasty, "{message}");
    }
}

#[test]
fn an_allocator_that_would_overwrite_the_graph() {
    let folder = Folder::new();
    folder
        .run("generate graph uniform --vertices 3000 --edges 9000 -o @some.el")
        .succeeds();
    for checked in ["", "--check-heap"] {
        let command = format!(
            "graph @some.el --backend cpu --allocator awmalloc --pool 1MiB --insert 20000 \
             --delete 20000 --pattern pressure --rounds 40 --runs 1 {checked}"
        );
        folder
            .run(&command)
            .fails(4, "awmalloc")
            .fails(4, "begin again");
    }
}

#[test]
fn a_pool_that_is_exhausted_by_a_batch() {
    let folder = Folder::new();
    folder
        .run("generate graph uniform --vertices 500 --edges 1000 -o @some.el")
        .succeeds();
    for layout in ["contiguous", "linked"] {
        // The verification looks at the graph that the batch leaves.
        let command = format!(
            "graph @some.el --backend cpu --pool 256KiB --insert 100000 --batch 20000 --verify \
             --layout {layout} -o @out.txt --save @out.el"
        );
        let outcome = folder.run(&command);
        let message = outcome.error(4);
        for part in [
            "insert of round 1, batch ",
            " of 5",
            "--pool",
            "as before this batch",
        ] {
            assert!(message.contains(part), "{message}");
        }
        assert_eq!(folder.names(), "some.el");
        folder.run(command.replace("256KiB", "auto")).succeeds();
        for name in ["out.txt", "out.el"] {
            std::fs::remove_file(folder.path(name)).unwrap();
        }
    }
}

/// Whatever the size of the pool, the graph is the same or the allocator is named.
#[test]
fn an_allocator_that_overwrites_never_changes_a_graph() {
    let folder = Folder::new();
    folder
        .run("generate graph uniform --vertices 20000 --edges 80000 -o @some.el")
        .succeeds();
    let command = |pool: &str| {
        folder.run(format!(
            "graph @some.el --undirected --backend cpu --allocator awmalloc \
                 --layout linked --runs 1 --format json --pool {pool}"
        ))
    };
    let hash = |outcome: &crate::program::Outcome| outcome.json()["graph_hash"].clone();
    let expected = hash(&command("auto"));
    let mut refused = 0;
    for pool in ["1900000", "1400000", "1280000", "1250000", "1200000"] {
        let outcome = command(pool);
        if outcome.code == 0 {
            assert_eq!(hash(&outcome), expected, "{pool}");
        } else {
            assert!(outcome.error(4).contains("awmalloc"));
            refused += 1;
        }
    }
    assert!((1..5).contains(&refused), "{refused}");
}

#[test]
fn cuda_without_a_gpu() {
    let folder = Folder::new();
    if has_gpu(&folder) {
        return println!("skipped: there is a GPU");
    }
    folder.put("path.graph", PATH);
    folder
        .run("graph @path.graph --backend cuda")
        .fails(4, "--backend cpu");
}
