//! Messages about allocators of the user's that break the contract, and how often they appear. The
//! fault of a file is reported once, that of an allocator's blocks in each of its rows.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::external::{FAULTY, FREE_LISTS, compile};
use crate::program::{Folder, has, program, text};

/// Messages about impossible blocks: by a command over one allocator, and in the rows of those over
/// several.
#[test]
fn blocks_that_cannot_be_are_found() {
    let folder = Folder::new();
    let said = |fault: &str, blocks: u64| {
        let blocks = match blocks {
            1 => "1 block".to_owned(),
            _ => format!("{blocks} blocks"),
        };
        match fault {
            "MISALIGNED" => format!(
                "heapwood_malloc returned {blocks} not aligned to 16 bytes, which every block has \
                 to be"
            ),
            _ => format!(
                "heapwood_malloc returned {blocks} outside of the pool, or beyond its end: a block \
                 lies in the pool that heapwood_init was given"
            ),
        }
    };
    for fault in ["BEFORE", "BEYOND", "MISALIGNED"] {
        if !compile(&folder, FAULTY, &[fault], "bad") {
            return;
        }
        let linked = "--link @bad.so --backend cpu";
        let tree = format!("kdtree gen:soup,triangles=500 {linked} --allocator external:free=no");
        for tree in [&tree, &format!("{tree} --pool 1MiB")] {
            assert_eq!(folder.run(tree).error(5), said(fault, 1));
        }
        let graph = format!("graph gen:uniform,vertices=64 {linked} --allocator external:free=no");
        assert_eq!(folder.run(&graph).error(5), said(fault, 64));
        let case = |case: &str, code: i32| {
            let command = format!("{case} {linked} --format json");
            let outcome = folder.run(&command);
            assert_eq!(outcome.code, code, "{outcome:?}");
            let rows: Value = serde_json::from_str(&outcome.stdout).unwrap();
            let row = rows.as_array().unwrap().last().unwrap().clone();
            assert_eq!(text(&row, "status"), "fault", "{command}: {outcome:?}");
            text(&row, "error").to_owned()
        };
        let own = "--allocators external:free=no --threads 100 --bytes 40 --pool 1MiB";
        for heap in ["cold", "warm"] {
            let bench = format!("bench threads {own} --runs 1 --heap {heap}");
            assert_eq!(case(&bench, 1), said(fault, 100), "{heap}");
        }
        let fragmentation = format!("bench fragmentation {own}");
        assert_eq!(case(&fragmentation, 1), said(fault, 100));
        // Another allocator succeeds.
        let compare = "compare kdtree gen:soup,triangles=500 --runs 1 \
                       --allocators atomicmalloc,external:free=no";
        assert_eq!(case(compare, 5), said(fault, 1));
    }
}

#[test]
fn blocks_that_overlap_are_found_and_an_allocator_that_hangs_is_ended() {
    let folder = Folder::new();
    if !compile(&folder, FAULTY, &["SAME"], "same") {
        return;
    }
    assert!(compile(&folder, FAULTY, &["HANGS"], "hangs"));
    let row = |command: &str, rest: &str, code: i32| {
        let command = format!("{command} --backend cpu --format json {rest}");
        let outcome = folder.run(&command);
        assert_eq!(outcome.code, code, "{outcome:?}");
        let rows: Value = serde_json::from_str(&outcome.stdout).unwrap();
        let row = rows.as_array().unwrap().last().unwrap().clone();
        let (status, error) = (text(&row, "status"), text(&row, "error"));
        (format!("{status}: {error}"), outcome.stderr)
    };
    let own = "--allocators external:free=no --threads 100 --bytes 64 --pool 1MiB";
    let threads = format!("bench threads {own} --heap warm --runs 1");
    let fragmentation = format!("bench fragmentation {own}");
    let compare = "compare kdtree gen:soup,triangles=500 --runs 1 \
                   --allocators atomicmalloc,external:free=no";
    let (found, why) = row(&threads, "--link @same.so", 5);
    assert_eq!(found, "fault: 99 blocks lost their contents");
    has(&why, "in 1 of 1 cases blocks lost their contents");
    let (found, why) = row(&fragmentation, "--link @same.so", 5);
    assert!(why.contains("in 1 of 1 cases live blocks overlap"), "{why}");
    let overlap = "fault: 100 live blocks lie in 64 B, and take at least 6400 B: they overlap";
    assert_eq!(found, overlap);
    let graph = folder.run(
        "graph gen:uniform,vertices=64 --verify --backend cpu --allocator external:free=no \
         --link @same.so",
    );
    assert!(graph.error(5).starts_with("verification: "), "{graph:?}");
    // With one worker, so that it is always the same that comes of it: with more, a check of the
    // kernels' own may come first.
    let alone = "--backend cpu --cpu-threads 1 --link @same.so";
    let tree = "kdtree gen:soup,triangles=500 --verify --allocator external:free=no";
    let tree = folder.run(format!("{tree} {alone}"));
    assert!(tree.error(5).starts_with("the tree is wrong: "), "{tree:?}");
    let compared = folder.run(format!("{compare} {alone} --format json"));
    assert_eq!(compared.code, 5, "{compared:?}");
    assert!(
        compared
            .stderr
            .contains("atomicmalloc and external:free=no built different trees"),
        "{compared:?}"
    );

    // A result that its own case finds wrong is no less wrong than one that differs from another.
    let own = "compare graph gen:uniform,vertices=64 --verify --runs 1 --format json";
    let allocators = "--allocators cfmalloc,external:free=no";
    let checked = folder.run(format!("{own} {alone} {allocators}"));
    assert_eq!(checked.code, 5, "{checked:?}");
    assert!(
        checked
            .stderr
            .contains(": external:free=no, contiguous: verification: "),
        "{checked:?}"
    );
    let rows: Value = serde_json::from_str(&checked.stdout).unwrap();
    assert_eq!(
        [&rows[0], &rows[1]].map(|row| text(row, "status")),
        ["ok", "fault"]
    );

    for (command, code) in [(&*threads, 1), (&*fragmentation, 1), (compare, 6)] {
        let (found, _) = row(command, "--link @hangs.so --timeout 2", code);
        assert_eq!(found, "timeout: not done after 2 s", "{command}");
    }
}

/// A single command waits for as long as the functions do not return, but not in silence.
#[test]
fn a_command_that_waits_for_a_library_says_so() {
    let folder = Folder::new();
    if !compile(&folder, FAULTY, &["HANGS"], "calls") {
        return;
    }
    let first = "__attribute__((constructor)) void first(void) { for (;;) pause(); }";
    assert!(compile(
        &folder,
        &format!("{FAULTY}{first}\n"),
        &[],
        "loads"
    ));
    let waits = &|library: &str| {
        let mut child = Command::new(program())
            .args(["kdtree", "gen:soup,triangles=100", "--backend", "cpu"])
            .args(["--allocator", "external:free=no", "--link"])
            .arg(folder.path(library))
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stderr = child.stderr.take().unwrap();
        let (send, receive) = channel();
        thread::spawn(move || send.send(BufReader::new(stderr).lines().next()));
        let line = receive.recv_timeout(Duration::from_secs(60));
        child.kill().unwrap();
        child.wait().unwrap();
        line.expect("a line").unwrap().unwrap()
    };
    // Both wait at the same time.
    let said = thread::scope(|scope| {
        let both = ["calls.so", "loads.so"].map(|library| scope.spawn(move || waits(library)));
        both.map(|waiting| waiting.join().unwrap())
    });
    let expected = [("calls.so", "tree_"), ("loads.so", "loading it is ")];
    for ((library, what), said) in expected.into_iter().zip(said) {
        assert!(said.starts_with("heapwood: note: "), "{said}");
        assert!(said.contains(&format!("{library}: {what}")), "{said}");
        assert!(said.contains("is not done after 10 s"), "{said}");
    }
}

/// Commands with many cases, each over an allocator that is built in, too. Nothing is said of their
/// times: pools are small, and a run is enough.
const MANY_CASES: [&str; 5] = [
    "bench threads --threads 100 --bytes 64,128 --runs 1 --pool 1MiB",
    "bench mixed --threads 100 --runs 1 --pool 8MiB --in-process",
    "bench fragmentation --threads 100 --bytes 64,128 --pool 1MiB",
    "compare kdtree gen:soup,triangles=100 --runs 1",
    "compare graph gen:uniform,vertices=64",
];

#[test]
fn what_is_wrong_with_a_file_is_said_once_before_the_first_case() {
    let folder = Folder::new();
    if !compile(&folder, FAULTY, &[], "bump") {
        return;
    }
    assert!(compile(&folder, FAULTY, &["WITH_FREE"], "frees"));
    assert!(compile(&folder, FREE_LISTS, &[], "lists"));
    folder.put("other.so", of_another_machine());
    let cases = [
        (
            "cfmalloc,external",
            "--link @bump.so",
            "no file has heapwood_free: write",
        ),
        ("external:free=no", "--link @frees.so", "leave out free=no"),
        // One that would do does not help another.
        (
            "external,external:free=no",
            "--link @frees.so",
            "leave out free=no",
        ),
        (
            "external",
            "--link @lists.so --link @frees.so",
            "heapwood_malloc is in two of the files",
        ),
        (
            "cfmalloc,external",
            "--link @other.so",
            "other.so: cannot load it: it is for another processor",
        ),
    ];
    for command in MANY_CASES {
        for (allocators, link, what) in cases {
            let command =
                format!("{command} --allocators {allocators} {link} --backend cpu --timeout 20");
            folder.run(&command).fails(3, what);
        }
    }
    for command in [
        "kdtree gen:soup,triangles=100 --runs 1",
        "graph gen:uniform,vertices=64",
    ] {
        let command = format!("{command} --allocator external --backend cpu");
        for (_, link, what) in &cases[3..] {
            folder.run(format!("{command} {link}")).fails(3, what);
        }
    }
    // Twice the same file is one.
    folder
        .run(
            "kdtree gen:soup,triangles=100 --runs 1 --backend cpu --allocator external \
         --link @lists.so --link @lists.so",
        )
        .succeeds();
}

/// Initialisers of a library run when it is loaded.
#[test]
fn a_library_that_crashes_or_hangs_when_it_is_loaded_is_said_once() {
    let folder = Folder::new();
    let does = |what: &str| {
        format!(
            "#include <stdlib.h>\n#include <unistd.h>\n\
             __attribute__((constructor)) void first(void) {{ {what} }}\n{FREE_LISTS}"
        )
    };
    if !compile(&folder, &does("abort();"), &[], "crashes") {
        return;
    }
    let hangs = does("for (;;) sleep(60);");
    assert!(compile(&folder, &hangs, &[], "hangs"));
    for command in MANY_CASES {
        let command = format!("{command} --allocators cfmalloc,external --backend cpu");
        let crashes = folder.run(format!("{command} --link @crashes.so"));
        assert!(
            crashes
                .error(1)
                .starts_with("--link: a file of it has crashed"),
            "{crashes:?}"
        );
        let hangs = folder.run(format!("{command} --link @hangs.so --timeout 1"));
        assert_eq!(
            hangs.error(1),
            "--link: not linked after 1 s: use a larger --timeout"
        );
    }
}

/// The standard output is for results, whatever else prints there.
#[cfg(unix)]
#[test]
fn a_library_that_prints_leaves_results_alone() {
    let folder = Folder::new();
    let source = format!(
        "#include <stdio.h>\n__attribute__((constructor)) void first(void) {{ puts(\"hello\"); \
         fflush(stdout); printf(\"half a line\"); }}\n\
         __attribute__((destructor)) void last(void) {{ puts(\"bye\"); }}\n{FREE_LISTS}"
    );
    if !compile(&folder, &source, &[], "prints") {
        return;
    }
    let linked = "--backend cpu --link @prints.so --format json";
    for command in MANY_CASES {
        let command = format!("{command} --allocators external {linked}");
        let outcome = folder.run(&command);
        for row in outcome.json().as_array().unwrap() {
            assert_eq!(text(row, "status"), "ok", "{command}: {row}");
        }
    }
    let tree = format!("kdtree gen:soup,triangles=100 --allocator external {linked}");
    let outcome = folder.run(&tree);
    assert!(outcome.json()["tree_hash"].is_string(), "{outcome:?}");
    for printed in ["hello", "half a line", "bye"] {
        assert!(outcome.stderr.contains(printed), "{outcome:?}");
    }
    // Nor does it hide what is wrong.
    let command = format!("{} --allocators external:free=no {linked}", MANY_CASES[0]);
    let outcome = folder.run(&command);
    assert_eq!(outcome.code, 3, "{outcome:?}");
    assert!(outcome.stderr.contains("leave out free=no"), "{outcome:?}");
}

#[test]
fn a_library_that_ends_the_process_is_said_to() {
    let folder = Folder::new();
    let ends = |place: &str, code: i32| {
        let source = FREE_LISTS.replace(place, &format!("exit({code}); {place}"));
        assert_ne!(source, FREE_LISTS);
        format!("#include <stdlib.h>\n{source}")
    };
    let loaded = |code: i32| {
        format!(
            "#include <stdlib.h>\n__attribute__((constructor)) void first(void) {{ exit({code}); }}\n\
             {FREE_LISTS}"
        )
    };
    if !compile(&folder, &ends("if (thread == 0)", 0), &[], "init") {
        return;
    }
    assert!(compile(&folder, &loaded(0), &[], "well"));
    assert!(compile(&folder, &loaded(3), &[], "badly"));
    for command in MANY_CASES {
        let command = format!("{command} --allocators cfmalloc,external --backend cpu");
        let linked = |name: &str| folder.run(format!("{command} --link @{name}.so"));
        assert_eq!(
            linked("well").error(1),
            "--link: a file of it has ended the process"
        );
        assert_eq!(
            linked("badly").error(1),
            "--link: a file of it has crashed: the process ended with exit status: 3"
        );
    }
    // A case in this process ends with it.
    let others = MANY_CASES.map(|case| case.replace(" --in-process", ""));
    for command in others {
        let command = format!("{command} --allocators external --backend cpu --format json");
        let outcome = folder.run(format!("{command} --link @init.so"));
        let rows: Value = serde_json::from_str(&outcome.stdout).unwrap();
        let errors = rows.as_array().unwrap().iter();
        let errors: Vec<&str> = errors.map(|row| text(row, "error")).collect();
        assert!(!errors.is_empty(), "{outcome:?}");
        let ended = "the allocator, or what it calls, has ended the process";
        assert!(errors.iter().all(|error| *error == ended), "{outcome:?}");
    }
}

/// The head of a shared library of a machine that this is not.
fn of_another_machine() -> Vec<u8> {
    let mut file = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    // A shared library, of an S/390, in the version that there is.
    file.extend([3, 0, 22, 0, 1, 0, 0, 0]);
    file.resize(4096, 0);
    file
}
