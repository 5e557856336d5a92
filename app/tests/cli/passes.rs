//! `heapwood render --time-limit` and `--write-partial`: a picture that ends early is one of fewer
//! samples, and an interrupt leaves a whole picture or none.

use std::fs;

use crate::program::{Folder, has, number, rows};

const SMALL: &str = "--size 64x48 --backend cpu";

#[test]
fn a_time_limit_gives_the_picture_of_fewer_samples() {
    let folder = Folder::new();
    folder.scene("knot");
    for (shade, limit) in [
        ("eyelight", "0"),
        ("cost --cost-max 100", "1ns"),
        ("ao --ao-samples 2 --seed 3", "0s"),
        (
            "ao --ao-samples 65536 --ao-distance 0.01 --crop 30,20,2,2",
            "0",
        ),
        ("path --bounces 3", "20ms"),
        ("path --spp 1", "0"),
        ("path --spp 3", "1h"),
    ] {
        let common = format!("render @knot.obj {SMALL} --shade {shade} --format json");
        let limited = format!("{common} -o @limited.png --time-limit {limit}");
        let limited = folder.json(&limited);
        let samples = number(&limited["samples"]);
        match (shade, limit) {
            ("path --spp 1", _) => assert_eq!(samples, 1.0),
            (_, "1h") => assert_eq!(samples, 3.0),
            (_, "20ms") => assert!(samples >= 2.0),
            // The first pass is over when the time is.
            _ => assert_eq!(samples, 1.0, "{shade}"),
        }
        let shade = shade.replace("--spp 1", "").replace("--spp 3", "");
        let whole = format!("render @knot.obj {SMALL} --shade {shade} --format json");
        let whole = format!("{whole} -o @whole.png --spp {samples}");
        let whole = folder.json(&whole);
        for key in ["samples", "rays"] {
            assert_eq!(limited[key], whole[key], "{shade}");
        }
        let picture = |name: &str| fs::read(folder.path(name)).unwrap();
        assert!(picture("limited.png") == picture("whole.png"), "{shade}");
    }
    let text = "render @knot.obj -o @x.exr --shade path --time-limit 0";
    let outcome = folder.run(format!("{text} {SMALL}"));
    has(&outcome.stdout, ", 2 samples a pixel, ");
}

#[test]
fn a_whole_picture_is_the_same_whether_interrupts_are_caught_or_not() {
    let folder = Folder::new();
    folder.scene("knot");
    let render = format!("render @knot.obj {SMALL} --shade path --spp 6");
    folder.run(format!("{render} -o @a.png")).succeeds();
    folder
        .run(format!("{render} -o @b.png --write-partial"))
        .succeeds();
    let picture = |name: &str| fs::read(folder.path(name)).unwrap();
    assert_eq!(picture("a.png"), picture("b.png"));
}

#[test]
fn limits_that_are_none_or_have_no_effect_are_refused() {
    let folder = Folder::new();
    folder.scene("knot");
    for [options, what] in rows(
        "--time-limit=-1s | 500ms, 10s
         --time-limit soon | 500ms, 10s
         --time-limit 1m | 500ms, 10s
         --time-limit 1s --runs 2 | --runs
         --time-limit 1s --ray-times | --ray-times
         --write-partial --runs 2 | --runs
         --time-limit 1s --shade depth | --time-limit has no effect on --shade depth
         --write-partial --shade depth | --write-partial has no effect on --shade depth",
    ) {
        folder
            .run(format!("render @knot.obj -o @x.png {SMALL} {options}"))
            .fails(2, what);
    }
    assert_eq!(folder.names(), "knot.mtl knot.obj");
}

#[cfg(target_os = "linux")]
mod interrupts {
    use super::*;
    use crate::program::program;
    use std::process::{Child, Command, Stdio};
    use std::thread;
    use std::time::{Duration, Instant};

    /// Begins a picture that takes hours.
    fn begin(folder: &Folder, options: &[&str]) -> Child {
        let scene = folder.path("knot.obj");
        let picture = folder.path("x.png");
        Command::new(program())
            .arg("render")
            .arg(scene)
            .arg("-o")
            .arg(picture)
            .args(["--backend", "cpu", "--size", "200x150", "--shade", "path"])
            .args(["--spp", "65536", "--bounces", "20", "--format", "json"])
            .args(options)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    fn interrupt(child: &Child) {
        let id = child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &id]).status().unwrap();
        assert!(sent.success());
    }

    /// Waits until the program catches interrupts, by the set of signals that the system has.
    fn wait_for_handler(child: &Child) {
        let path = format!("/proc/{}/status", child.id());
        loop {
            let status = fs::read_to_string(&path).unwrap();
            let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
            let caught = u64::from_str_radix(caught.unwrap().trim(), 16).unwrap();
            // SIGINT is signal 2.
            if caught & 1 << 1 != 0 {
                return;
            }
            thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn an_interrupt_leaves_the_picture_so_far() {
        let folder = Folder::new();
        folder.scene("knot");
        let names = folder.names();
        // An interrupt before the first pass is right, too, and then a later one is tried.
        for delay in [0, 250, 1000, 4000, 16_000, 60_000] {
            let child = begin(&folder, &["--write-partial"]);
            wait_for_handler(&child);
            thread::sleep(Duration::from_millis(delay));
            interrupt(&child);
            let output = child.wait_with_output().unwrap();
            let stdout = String::from_utf8(output.stdout).unwrap();
            let stderr = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(130), "{stderr}");
            assert!(
                stderr.starts_with("heapwood: error: interrupted "),
                "{stderr}"
            );
            assert_eq!(stderr.lines().count(), 1, "{stderr}");
            if stderr.contains("before there was a picture") {
                assert_eq!((stdout.as_str(), folder.names()), ("", names.clone()));
                continue;
            }
            let report: serde_json::Value = serde_json::from_str(&stdout).unwrap();
            let samples = report["samples"].as_u64().unwrap();
            assert!((2..65_536).contains(&samples));
            has(&stderr, &format!("after {samples} of 65536 samples"));
            let whole = format!(
                "render @knot.obj -o @whole.png --backend cpu --size 200x150 --shade path \
                 --bounces 20 --spp {samples}"
            );
            folder.run(&whole).succeeds();
            let picture = |name: &str| fs::read(folder.path(name)).unwrap();
            assert!(picture("x.png") == picture("whole.png"));
            return;
        }
        panic!("no interrupt left a picture");
    }

    #[test]
    fn an_interrupt_before_pictures_ends_the_program_at_once() {
        let folder = Folder::new();
        // A scene that is never read to its end: no process closes the other end of the pipe.
        let scene = folder.path("scene.obj");
        assert!(
            Command::new("mkfifo")
                .arg(&scene)
                .status()
                .unwrap()
                .success()
        );
        let _held_open = fs::File::options()
            .read(true)
            .write(true)
            .open(&scene)
            .unwrap();
        let child = Command::new(program())
            .args(["render", scene.to_str().unwrap(), "--backend", "cpu"])
            .args(["--write-partial", "-o"])
            .arg(folder.path("x.png"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        wait_for_handler(&child);
        interrupt(&child);
        // Without an end by the interrupt there is none.
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{output:?}");
        let stderr = String::from_utf8(output.stderr).unwrap();
        let expected = "heapwood: error: interrupted before there was a picture\n";
        assert_eq!(stderr, expected);
        assert_eq!(output.stdout, b"");
        assert_eq!(folder.names(), "scene.obj");
    }

    #[test]
    fn an_interrupt_leaves_nothing_where_no_part_is_wanted() {
        let folder = Folder::new();
        folder.scene("knot");
        let names = folder.names();
        for delay in [0, 500] {
            let mut child = begin(&folder, &[]);
            thread::sleep(Duration::from_millis(delay));
            interrupt(&child);
            // The parent of the tests may have made processes ignore interrupts.
            let begun = Instant::now();
            while child.try_wait().unwrap().is_none() && begun.elapsed().as_secs() < 5 {
                thread::sleep(Duration::from_millis(5));
            }
            let _ = child.kill();
            assert!(!child.wait().unwrap().success());
            assert_eq!(folder.names(), names);
        }
    }
}
