//! `heapwood trace`: summaries, and conversions from and to other tools.

use crate::program::{Folder, has, keys};

const KEYS: &str = "\
    allocator backend bytes cost device events file frees granted granted_bytes lanes launches \
    lifetime_events lifetime_ns live_blocks live_bytes max_live_blocks max_live_bytes parameters \
    pool_bytes refused refused_bytes requests_per_launch reuse_distance_bytes sizes warps workload";

const LOG: &str = "\
    Thread,Time,Action,Pointer,Size,Stream\n\
    11,10:00:00.000001,allocate,0x10,100,0\n\
    12,10:00:00.000003,allocate,0x20,20,0\n\
    11,10:00:00.000009,free,0x10,100,0\n\
    12,10:00:00.000010,allocate failure,(nil),4096,0\n\
    12,10:00:00.000011,allocate,0x10,70,0\n";

/// A folder with a log and its trace.
fn traced() -> Folder {
    let folder = Folder::new();
    folder.put("log.csv", LOG);
    let outcome = folder.run("trace convert @log.csv @a.hwt");
    has(&outcome.succeeds_quietly().stdout, "a.hwt: 5 events\n");
    folder
}

#[test]
fn a_summary_has_its_keys_in_every_format() {
    let folder = traced();
    let report = folder.json("trace summary @a.hwt --format json");
    assert_eq!(keys(&report).join(" "), KEYS);
    for (key, expected) in [
        ("events", 5),
        ("granted", 3),
        ("refused", 1),
        ("frees", 1),
        ("granted_bytes", 190),
        ("live_bytes", 90),
        ("warps", 2),
    ] {
        assert_eq!(report[key], expected, "{key}: {report}");
    }
    assert_eq!(report["max_live_bytes"]["value"], 120);
    assert_eq!(report["max_live_bytes"]["event"], 1);
    assert_eq!(report["lifetime_ns"]["p50"], 8000);
    assert_eq!(report["reuse_distance_bytes"]["count"], 1);
    let text = folder.run("trace summary @a.hwt").succeeds_quietly().stdout;
    has(&text, "3 requests granted, 1 refused, 1 frees");
    folder
        .run("trace summary @a.hwt -o @a.md")
        .succeeds_quietly();
    let csv = folder.run("trace summary @a.hwt --format csv").stdout;
    has(&csv, "\nmax_live_bytes_event,1\n");
    assert_eq!(folder.names(), "a.hwt a.md log.csv");
}

#[test]
fn traces_are_converted_by_suffix_or_flag() {
    let folder = traced();
    for (to, start) in [
        (
            "b.csv",
            "Thread,Time,Action,Pointer,Size,Stream\n0,10:00:00.",
        ),
        ("b.json", "{\"displayTimeUnit\":\"ns\","),
        ("b --to rmm", "Thread,"),
    ] {
        folder
            .run(format!("trace convert @a.hwt @{to}"))
            .succeeds_quietly();
        let name = to.split(' ').next().unwrap();
        let written = std::fs::read_to_string(folder.path(name)).unwrap();
        assert!(written.starts_with(start), "{to}: {written}");
    }
    folder
        .run("trace convert @a.hwt @b.pickle")
        .succeeds_quietly();
    let pickle = std::fs::read(folder.path("b.pickle")).unwrap();
    assert!(pickle.starts_with(&[0x80, 2]) && pickle.ends_with(b"."));
    // The log of a trace is that of the same trace.
    folder.run("trace convert @b.csv @c.hwt").succeeds_quietly();
    let [a, c] = ["a", "c"].map(|name| {
        let mut report = folder.json(format!("trace summary @{name}.hwt --format json"));
        for key in ["file", "workload"] {
            report.as_object_mut().unwrap().remove(key);
        }
        report
    });
    assert_eq!(a, c);
    folder.put(
        "u.log",
        "{\"kind\":\"replay\",\"event\":\"allocate\",\"timestamp\":1,\"payload\":{\"size\":7}}\n",
    );
    folder
        .run("trace convert @u.log @u.hwt --from umpire")
        .succeeds_quietly();
    let report = folder.json("trace summary @u.hwt --format json");
    assert_eq!(
        (&report["refused"], &report["allocator"]),
        (&1.into(), &"umpire".into())
    );
}

#[test]
fn bad_traces_and_logs_are_one_line() {
    let folder = traced();
    let trace = std::fs::read(folder.path("a.hwt")).unwrap();
    let mut damaged = trace.clone();
    damaged[100] ^= 1;
    folder.put("damaged.hwt", damaged);
    folder.put("cut.hwt", &trace[..trace.len() - 4]);
    folder.put("empty.hwt", "");
    folder.put("other.hwt", LOG);
    folder.put("future.hwt", "heapwood trace 2\n");
    folder.put("bad.csv", LOG.replace("free,0x10", "free,0x30"));
    folder.put("none.json", "{}\n");
    folder.put("kept.hwt", "as it was");
    let cut = format!(
        "cut.hwt: the file ends at byte {}, before its end",
        trace.len() - 4
    );
    for (arguments, code, expected) in [
        (
            "summary @damaged.hwt",
            3,
            "damaged.hwt: byte 17: the CRC of a section differs",
        ),
        ("summary @cut.hwt", 3, &cut),
        ("summary @empty.hwt", 3, "empty.hwt: the file is empty"),
        (
            "summary @other.hwt",
            3,
            "not a trace, which begins with `heapwood trace`; --from rmm",
        ),
        (
            "summary @future.hwt",
            3,
            "a trace of version 2, and this program reads version 1",
        ),
        ("summary @absent.hwt", 3, "absent.hwt: cannot read"),
        ("summary @a.hwt -o @a.hwt", 2, "a.hwt"),
        (
            "summary @a.hwt -o @a.png",
            2,
            "a.png: no such files are written",
        ),
        (
            "convert @bad.csv @kept.hwt",
            3,
            "bad.csv: line 4: frees 0x30, which no line before",
        ),
        ("convert @cut.hwt @kept.hwt --to rmm", 3, &cut),
        (
            "convert @none.json @kept.hwt",
            3,
            "none.json: there are no requests and frees",
        ),
        (
            "convert @a.hwt @kept.hwt",
            2,
            "a.hwt: this is a trace already",
        ),
        ("convert @a.hwt @a.hwt --to rmm", 2, "a.hwt is named twice"),
        (
            "convert @a.hwt @b.png",
            2,
            "b.png: the suffix says no format: name it .hwt or .csv",
        ),
        (
            "convert @a.txt @b.csv",
            2,
            "a.txt: the suffix says no format",
        ),
        ("convert @a.hwt @absent/b.csv", 3, "b.csv: cannot write"),
        ("convert @a.hwt @b.csv --from mps", 2, "mps"),
    ] {
        folder
            .run(format!("trace {arguments}"))
            .fails(code, expected);
    }
    let kept = std::fs::read_to_string(folder.path("kept.hwt")).unwrap();
    assert_eq!(kept, "as it was");
    assert!(!folder.path("b.csv").exists());
}
