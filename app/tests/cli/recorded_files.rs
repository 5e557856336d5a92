//! Recordings that end early, and places that a trace cannot go to; recordings of benchmarks and of
//! the user's allocators.

use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::external::{FREE_LISTS, compile};
use crate::program::{Folder, number, png_size, program, text};

/// A small sea on the CPU.
const SEA: &str = "agents --backend cpu --width 40 --height 30 --steps 4";

#[cfg(unix)]
#[test]
fn a_full_disk_is_one_line() {
    let folder = Folder::new();
    std::os::unix::fs::symlink("/dev/full", folder.path("full.hwt")).unwrap();
    folder
        .run(format!("{SEA} --record @full.hwt"))
        .fails(3, "full.hwt: cannot write: No space left on device");
    std::os::unix::fs::symlink("/dev/full", folder.path("full.png")).unwrap();
    for (files, full) in [
        ("--heap-map @full.png --record @a.hwt", "full.png"),
        ("--heap-map @a.png --record @full.hwt", "full.hwt"),
    ] {
        folder
            .run(format!("{SEA} {files} --heap-frames"))
            .fails(3, &format!("{full}: cannot write: No space left on device"));
        assert_eq!(folder.names(), "full.hwt full.png", "{files}");
    }
}

#[cfg(unix)]
#[test]
fn a_trace_goes_through_a_pipe() {
    let folder = Folder::new();
    let pipe = folder.path("pipe.hwt");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.is_ok_and(|status| status.success()));
    let reader = thread::spawn(move || std::fs::read(pipe).unwrap());
    folder
        .run(format!("{SEA} --record @pipe.hwt"))
        .succeeds_quietly();
    folder.put("read.hwt", reader.join().unwrap());
    let summary = folder.json("trace summary @read.hwt --format json");
    assert!(number(&summary["granted"]) > 0.0);
}

#[cfg(unix)]
#[test]
fn a_pipe_without_a_reader_any_more_is_one_line() {
    let folder = Folder::new();
    let pipe = folder.path("pipe.hwt");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.is_ok_and(|status| status.success()));
    let reader = thread::spawn(move || drop(std::fs::File::open(pipe).unwrap()));
    folder
        .run(format!("{SEA} --record @pipe.hwt"))
        .fails(3, "pipe.hwt: cannot write: Broken pipe");
    reader.join().unwrap();
}

#[test]
fn a_killed_recording_leaves_nothing() {
    let folder = Folder::new();
    let words = "agents --backend cpu --width 40 --height 30 --steps 1000000 --record";
    let mut child = Command::new(program())
        .args(words.split(' '))
        .arg(folder.path("sea.hwt"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Whatever it has come to by then.
    thread::sleep(Duration::from_millis(300));
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(folder.names(), "");
}

#[test]
fn heaps_and_traces_are_drawn() {
    let folder = Folder::new();
    folder
        .run(format!("{SEA} --heap-map @a.png --record @a.hwt"))
        .succeeds_quietly();
    folder.run("trace map @a.hwt @b.png").succeeds_quietly();
    let (columns, rows) = png_size(&folder.path("a.png"));
    // Below are the bytes of the pool: the allocator can be walked.
    assert!(columns >= 512 && rows == 512 + 132, "{columns} x {rows}");
    assert_eq!(png_size(&folder.path("b.png")).0 % 1024, 0);
    folder
        .run(format!("{SEA} --heap-map @c.png --allocator cudamalloc"))
        .fails(2, "--heap-map: cudamalloc has its blocks elsewhere");
    folder
        .run(format!("{SEA} --heap-map @c.jpg"))
        .fails(2, "name it .png");
    folder
        .run("render gen:soup --backend cpu -o @c.png --heap-map @d.png")
        .fails(2, "--heap-map is for the build of a tree alone");
    folder
        .run("trace map @absent.hwt @c.png")
        .fails(3, "absent");
    assert_eq!(folder.names(), "a.hwt a.png b.png");
}

#[test]
fn a_frame_is_drawn_behind_each_launch() {
    let folder = Folder::new();
    folder
        .run(format!("{SEA} --heap-map @a.png --heap-frames"))
        .succeeds_quietly();
    let frames = folder.names().split(' ').count() - 1;
    assert!(frames > 6, "{frames}");
    let (columns, _) = png_size(&folder.path("a.png"));
    assert_eq!(columns as usize % frames, 0);
    assert_eq!(png_size(&folder.path("a-0001.png")), (512, 512));
    folder
        .run(format!("{SEA} --heap-frames"))
        .fails(2, "--heap-map");
}

/// Those of docs/examples/traces, which its page says how to make.
#[test]
fn shipped_traces_are_replayed() {
    let folder = Folder::new();
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/examples/traces");
    let mut all_bytes = 0;
    for name in ["agents", "particles", "kdtree"] {
        let trace = format!("{shipped}/{name}.hwt");
        all_bytes += std::fs::metadata(&trace).unwrap().len();
        let replay = format!("replay {trace} --backend cpu --steps 1 --verify --format json");
        let report = folder.json(replay);
        assert!(number(&report["requests"]) > 0.0, "{name}");
    }
    assert!(all_bytes <= 200_000, "{all_bytes} bytes");
}

#[test]
fn a_case_of_a_benchmark_is_recorded() {
    let folder = Folder::new();
    let bench = "bench threads --threads 100 --bytes 64 --backend cpu --runs 2 --pool 1MiB";
    let one = format!("{bench} --allocators cfmalloc --heap warm --record @a.hwt");
    let rows = folder.json(format!("{one} --format json"));
    assert_eq!(text(&rows[0], "status"), "ok");
    let summary = folder.json("trace summary @a.hwt --format json");
    assert_eq!(summary["granted"], summary["frees"]);
    assert_eq!(number(&summary["granted"]) % 100.0, 0.0);
    assert_eq!(text(&summary, "allocator"), "cfmalloc");
    assert!(
        text(&summary, "workload").starts_with("micro "),
        "{summary}"
    );
    folder
        .run(format!("{bench} --heap warm --record @b.hwt"))
        .fails(2, "--record is for one case, not ");
    assert_eq!(folder.names(), "a.hwt");
}

#[test]
fn the_users_allocator_is_recorded_checked_and_delayed() {
    let folder = Folder::new();
    if !compile(&folder, FREE_LISTS, &[], "lists") {
        return;
    }
    let own = "--allocator external:name=lists --link @lists.so";
    folder
        .run(format!("{SEA} {own} --check-heap --record @a.hwt"))
        .succeeds_quietly();
    let summary = folder.json("trace summary @a.hwt --format json");
    assert!(number(&summary["granted"]) > 0.0);
    assert_eq!(summary["granted"], summary["frees"]);
    let delayed = folder.json(format!("{SEA} {own} --delay malloc=100 --format json"));
    assert_eq!(text(&delayed["parameters"], "delay"), "malloc=100,free=0");
    let replayed = format!("replay @a.hwt --backend cpu --steps 1 --verify {own}");
    folder.run(replayed).succeeds_quietly();
}
