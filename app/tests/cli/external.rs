//! Allocators of the user's, in shared libraries, as the CPU takes them; and files and
//! functions that are not as they should be.

use std::process::Command;

use serde_json::Value;

use crate::program::{Folder, has, text};

/// An allocator that keeps the contract, in C.
pub const FREE_LISTS: &str = include_str!("../../../tests/data/external/freelist.c");
/// Others that do not, but for one: with no macro it is a bump allocator without `free`.
pub const FAULTY: &str = include_str!("../../../tests/data/external/faulty.c");
/// One with memory of its own.
const OWN: &str = include_str!("../../../tests/data/external/own.c");

/// Compiles a source with macros to a shared library in the folder; false, and a line, where
/// there is no C compiler.
pub fn compile(folder: &Folder, source: &str, macros: &[&str], name: &str) -> bool {
    let file = folder.put(&format!("{name}.c"), source);
    let command = Command::new("cc")
        .args(["-shared", "-fPIC", "-O2", "-w"])
        .args(macros.iter().map(|name| format!("-D{name}")))
        .arg(file)
        .arg("-o")
        .arg(folder.path(&format!("{name}.so")))
        .status();
    match command {
        Ok(status) => {
            assert!(status.success(), "{name} does not compile");
            true
        }
        Err(cause) => {
            println!("skipped: no C compiler: {cause}");
            false
        }
    }
}

/// The files with an allocator of the user's, as results describe them.
fn link(result: &Value) -> &Value {
    &result["meta"]["link"]
}

#[test]
fn the_users_allocator_runs_whatever_the_programs_do() {
    let folder = Folder::new();
    if !compile(&folder, FREE_LISTS, &[], "lists") {
        return;
    }
    let on_cpu = "--backend cpu --link @lists.so --format json";
    for workload in [
        "threads --threads 5000 --bytes 16,1000 --heap warm",
        "threads --threads 500 --bytes 4096 --heap full",
        "mixed --threads 3000 --heap cold --in-process",
        "alloc-cycle-dealloc --blocks 20 --bytes 64",
        "probability --blocks 20 --bytes 4",
        "turns --threads 500 --turns 20 --bytes 256",
    ] {
        let command = format!(
            "bench {workload} {on_cpu} --allocators external:name=lists,cfmalloc --pool 16MiB \
             --runs 1"
        );
        let rows = folder.json(&command);
        for row in rows.as_array().unwrap() {
            assert_eq!(text(row, "status"), "ok", "{row}");
            let own = text(row, "allocator") == "external:name=lists";
            assert!(own || text(row, "allocator") == "cfmalloc", "{row}");
            assert_eq!(link(row).is_null(), !own, "{row}");
            assert!(row["corrupt"].as_u64().is_none_or(|corrupt| corrupt == 0));
            let requests = link(row)["call"].as_array().map(|call| {
                let threads = call.iter().map(|cost| cost["threads"].as_u64());
                threads.collect::<Vec<_>>()
            });
            let measured = own.then(|| vec![Some(10_000), Some(1_000_000)]);
            assert_eq!(requests, measured, "{row}");
        }
    }
    let table = folder.run(
        "bench threads --threads 100 --bytes 64 --heap warm --runs 1 --pool 1MiB --backend cpu \
         --allocators external --link @lists.so",
    );
    let calls = table.stdout.matches("\na call  ");
    assert_eq!(calls.count(), 2, "{table:?}");
    let command = format!(
        "bench fragmentation --allocators external {on_cpu} --threads 500 --bytes 64 --pool 1MiB"
    );
    let rows = folder.json(&command);
    assert!(rows[0]["growth"].is_object(), "{rows}");

    let scene = "gen:soup,triangles=2000";
    let tree = |allocator: &str| folder.run(format!("kdtree {scene} --runs 2 {allocator}"));
    let own = tree(&format!("--allocator external --verify {on_cpu}")).json();
    let other = tree("--allocator cfmalloc --backend cpu --format json").json();
    assert_eq!(text(&own, "tree_hash"), text(&other, "tree_hash"));
    assert_eq!(own["frees"], own["allocations"]);
    let file = &link(&own)["files"][0];
    assert!(text(file, "file").ends_with("lists.so"));
    assert_eq!(text(file, "kind"), "shared-library");
    assert_eq!(text(file, "hash").len(), 16);
    assert!(link(&own)["ms"].is_null() && link(&other).is_null());
    let shown = tree("--allocator external --backend cpu --link @lists.so");
    assert!(shown.stdout.contains("\nlinked "), "{shown:?}");
    let command = format!("kdtree --frames {scene} {scene} --runs 1 --allocator external {on_cpu}");
    assert_eq!(folder.json(&command)["frames"][1]["frees"], Value::Null);
    let command = format!("render {scene} -o @picture.png --size 40x30 --allocator external");
    let picture = folder.json(format!("{command} {on_cpu}"));
    assert!(link(&picture).is_object());

    for layout in ["contiguous", "linked"] {
        let command = format!(
            "graph gen:uniform,vertices=256 --allocator external --layout {layout} --insert 500 \
             --delete 300 --rounds 2 --verify --pagerank {on_cpu}"
        );
        let report = folder.json(&command);
        assert!(link(&report).is_object(), "{report}");
    }
    // A case that needs no file gets none.
    for what in [
        format!("kdtree {scene} --runs 1"),
        "graph gen:uniform,vertices=64".to_owned(),
    ] {
        let command = format!(
            "compare {what} --allocators external:name=lists,cmalloc,external:name=again {on_cpu}"
        );
        let rows = folder.json(&command);
        let statuses: Vec<&str> = (0..3).map(|place| text(&rows[place], "status")).collect();
        assert_eq!(statuses, ["ok"; 3], "{rows}");
        assert_eq!(text(&rows[2], "allocator"), "external:name=again");
        assert!(link(&rows[1]["result"]).is_null());
    }
    let about = folder.run("allocators external --backend cpu");
    has(&about.stdout, "docs/external-allocators.md");
}

#[test]
fn an_allocator_gets_memory_of_its_own() {
    let folder = Folder::new();
    if !compile(&folder, OWN, &[], "own") {
        return;
    }
    for (name, with) in [
        ("fails", "FAILS"),
        ("lost", "WITHOUT_DESTROY"),
        ("odd", "MISALIGNED"),
    ] {
        assert!(compile(&folder, OWN, &[with], name));
    }
    let scene = "gen:soup,triangles=2000 --runs 3 --backend cpu --format json";
    let tree = |rest: &str| folder.run(format!("kdtree {scene} {rest}"));
    let own = "--allocator external:pool=own,name=arena --pool 8MiB";
    let built = tree(&format!("{own} --link @own.so")).json();
    assert_eq!(text(&built, "allocator"), "external:pool=own,name=arena");
    let other = tree("--allocator cfmalloc").json();
    assert_eq!(text(&built, "tree_hash"), text(&other, "tree_hash"));
    // Cold heaps are made anew for each sample.
    let command = "bench threads --allocators external:pool=own --link @own.so --threads 2000 \
                   --bytes 64,1000 --pool 16MiB --runs 2 --backend cpu --format json";
    for row in folder.json(command).as_array().unwrap() {
        assert_eq!(text(row, "status"), "ok", "{row}");
    }
    let graph = "graph gen:uniform,vertices=256 --allocator external:pool=own --link @own.so \
                 --pool 8MiB --insert 500 --verify --backend cpu --format json --layout";
    for layout in ["contiguous", "linked"] {
        let report = folder.json(format!("{graph} {layout}"));
        assert!(link(&report).is_object(), "{report}");
    }
    for (rest, code, what) in [
        (
            format!("{own} --link @fails.so"),
            1,
            "heapwood_create failed: no memory of this kind",
        ),
        (
            format!("{own} --link @lost.so"),
            3,
            "no file has heapwood_destroy: write void heapwood_destroy(void* heap), in C++",
        ),
        (
            format!("{own} --link @odd.so"),
            5,
            "not aligned to 16 bytes",
        ),
        (
            "--allocator external --link @own.so".to_owned(),
            3,
            "external:pool=own",
        ),
    ] {
        let outcome = tree(&rest);
        assert!(outcome.error(code).contains(what), "{outcome:?}");
    }
    if compile(&folder, FREE_LISTS, &[], "lists") {
        let outcome = tree(&format!("{own} --link @lists.so"));
        assert!(outcome.error(3).contains("heapwood_create"), "{outcome:?}");
    }
}

/// Results that were made with other files are not gone on from.
#[test]
fn a_comparison_is_resumed_with_the_same_file() {
    let folder = Folder::new();
    if !compile(&folder, FREE_LISTS, &[], "lists") {
        return;
    }
    let command = "compare kdtree gen:soup,triangles=500 --runs 1 --backend cpu \
                   --allocators external --link @lists.so -o @rows.json --resume @rows.json";
    folder.run(command).succeeds();
    folder.run(command).succeeds();
    assert!(compile(
        &folder,
        FREE_LISTS,
        &["OTHER", "unsigned=int"],
        "lists"
    ));
    folder.run(command).fails(3, "another linked file");
}

#[test]
fn what_does_not_free_is_said_not_to() {
    let folder = Folder::new();
    if !compile(&folder, FAULTY, &[], "bump") {
        return;
    }
    assert!(compile(&folder, FAULTY, &["WITH_FREE"], "frees"));
    let scene = "gen:soup,triangles=500 --runs 1 --backend cpu --format json";
    let tree = |rest: &str| folder.run(format!("kdtree {scene} {rest}"));
    let built = tree("--allocator external:free=no,name=bump --link @bump.so").json();
    assert_eq!(text(&built, "allocator"), "external:name=bump");
    assert_eq!(text(&built["parameters"], "free"), "no");
    let rows = folder.run(
        "bench threads --allocators external:free=no --link @bump.so --threads 2000 --bytes 64 \
         --pool 1MiB --runs 1 --backend cpu --format json",
    );
    for row in rows.json().as_array().unwrap() {
        assert_eq!(text(row, "status"), "ok", "{row}");
        assert!(row["free_ms"].is_null(), "{row}");
    }
    let missing = tree("--allocator external --link @bump.so");
    assert!(missing.error(3).contains("external:free=no"), "{missing:?}");
    let has_one = tree("--allocator external:free=no --link @frees.so");
    has(has_one.error(3), "leave out free=no");
    let frames = "kdtree --frames gen:soup gen:soup --backend cpu --link @bump.so --allocator";
    folder
        .run(format!("{frames} external:free=no"))
        .fails(2, "cannot free the tree of a frame");
    // `init` may be left out.
    assert!(compile(&folder, FAULTY, &["WITHOUT_INIT"], "lazy"));
    tree("--allocator external:free=no --link @lazy.so").json();
}

#[test]
fn files_that_cannot_be_linked_are_refused() {
    let folder = Folder::new();
    let bench = |rest: &str| folder.run(format!("bench threads --backend cpu {rest}"));
    let external = |rest: &str| bench(&format!("--allocators external {rest}"));
    let nothing = external("");
    assert!(nothing.error(2).contains("give it with --link FILE"));
    folder
        .run("compare kdtree gen:soup --backend cpu --allocators cmalloc,external")
        .fails(2, "give it with --link FILE");
    for command in [
        "kdtree gen:soup",
        "graph gen:uniform,vertices=16",
        "render gen:soup -o @x.png",
    ] {
        folder
            .run(format!("{command} --backend cpu --allocator external"))
            .fails(2, "give it with --link FILE");
    }
    folder.put("empty", "");
    for unused in [
        bench("--allocators cmalloc --link @empty"),
        bench("--link @empty"),
    ] {
        assert!(unused.error(2).contains("name that one, too"), "{unused:?}");
    }

    assert!(
        external("--link @absent.so")
            .error(3)
            .contains("absent.so: cannot read")
    );
    folder.put(
        "source.cu",
        "extern \"C\" __device__ void* heapwood_malloc(void*, int);\n",
    );
    for unknown in ["empty", "source.cu"] {
        let outcome = external(&format!("--link @{unknown}"));
        let error = outcome.error(3);
        assert!(error.contains("--link takes a cubin"), "{outcome:?}");
        assert!(
            error.ends_with("compile the source with cc -O2 -shared -fPIC"),
            "{outcome:?}"
        );
    }
    let elf = |kind: u8, machine: u8, rest: &[u8]| {
        let mut file = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
        file.extend([kind, 0, machine, 0]);
        file.extend(rest);
        file
    };
    let cases = [
        ("a.cubin", elf(1, 190, b""), "this is a cubin"),
        (
            "a.fatbin",
            b"\x50\xed\x55\xba\x01".to_vec(),
            "this is a fatbin",
        ),
        ("a.ptx", b".version 7.0\n".to_vec(), "this is PTX"),
        (
            "a.o",
            elf(1, 62, b"__nv_relfatbin"),
            "this is an object with device code",
        ),
        ("b.o", elf(1, 62, b".text"), "this is an object,"),
        (
            "b.cubin",
            elf(2, 190, b""),
            "this is device code that is linked already",
        ),
        ("a.so", elf(3, 62, b""), "cannot load it"),
    ];
    folder.put("b.so", elf(3, 62, b""));
    let merged = external("--link @b.so --merge");
    assert!(merged.error(3).contains("--merge takes PTX"), "{merged:?}");
    let alone = external("--merge");
    assert!(alone.error(2).contains("--link"), "{alone:?}");
    for (name, bytes, what) in cases {
        folder.put(name, bytes);
        let outcome = external(&format!("--link @{name}"));
        let error = outcome.error(3);
        assert!(error.contains(what) && error.contains(name), "{outcome:?}");
    }
    if compile(&folder, FAULTY, &["WITHOUT_MALLOC"], "none") {
        let outcome = external("--link @none.so");
        assert!(
            outcome.error(3).ends_with("in C++ as extern \"C\""),
            "{outcome:?}"
        );
    }
}
