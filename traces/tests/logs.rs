//! Logs of other tools, with their oddities.

use heapwood_traces::{Event, HeapOperation, RmmLog, TraceEntry, TraceError, UmpireLog};
use proptest::prelude::*;

const TITLES: &str = "Thread,Time,Action,Pointer,Size,Stream\n";

fn rmm(log: &str) -> Result<Vec<Event>, TraceError> {
    events(RmmLog::new(log.as_bytes())?)
}

fn umpire(log: &str) -> Result<Vec<Event>, TraceError> {
    events(UmpireLog::new(log.as_bytes()))
}

fn events(
    log: impl Iterator<Item = Result<TraceEntry, TraceError>>,
) -> Result<Vec<Event>, TraceError> {
    let event = |entry: Result<TraceEntry, TraceError>| match entry? {
        TraceEntry::Event(event) => Ok(event),
        TraceEntry::Launch(_) => panic!("logs have no launches"),
    };
    log.map(event).collect()
}

fn operations(events: &[Event]) -> Vec<HeapOperation> {
    events.iter().map(|event| event.operation).collect()
}

const fn grant(bytes: u64, block: u64) -> HeapOperation {
    HeapOperation::Grant { bytes, block }
}

const fn free(block: u64) -> HeapOperation {
    HeapOperation::Free { block }
}

#[test]
fn lines_of_rmm_are_events() {
    let log = "\
        7,23:59:59.999999,allocate,0x10,8,0x0\r\n\
        9,00:00:00.000001,allocate,0x20,16,0x0\r\n\
        \r\n\
        7,23:59:59.999998,free,0x10,8,0x0\r\n\
        7,00:00:00:000003,allocate failure,(nil),99,0x0\r\n\
        9,00:00:01,allocate,10,4,0x0\r\n\
        9,00:00:01,free,(nil),0,0x0\r\n\
        9,00:00:01,deallocate,20,16,0x0";
    let expected = [
        grant(8, 0),
        grant(16, 1),
        free(0),
        HeapOperation::Refusal { bytes: 99 },
        grant(4, 2),
        free(1),
    ];
    // The first line may be absent, or name columns in another order among unknown ones.
    for titles in ["", TITLES, &format!("\u{feff}{}", TITLES.to_lowercase())] {
        let events = rmm(&format!("{titles}{log}")).unwrap();
        assert_eq!(operations(&events), expected);
        let calls: Vec<_> = events
            .iter()
            .map(|event| (event.warp, event.order))
            .collect();
        assert_eq!(calls, [(0, 0), (1, 0), (0, 1), (0, 2), (1, 1), (1, 2)]);
        let since = |at: usize| events[at].clock as i64 - events[0].clock as i64;
        assert_eq!(
            [since(1), since(2), since(3), since(4)],
            [2000, -1000, 4000, 1_000_001_000]
        );
    }
    let other = "size,action,epoch,pointer\n8,allocate,1,0x1\n8,free,2,0x1\n";
    let log = RmmLog::new(other.as_bytes()).unwrap();
    assert_eq!(log.header("a.csv".to_owned()).clock_hz, None);
    assert_eq!(operations(&events(log).unwrap()), [grant(8, 0), free(0)]);
    let epoch = rmm("1,1634567890.25,allocate,0x1,8,0\n1,1634567891,free,0x1,8,0\n").unwrap();
    assert_eq!(epoch[1].clock - epoch[0].clock, 750_000_000);
}

#[test]
fn blocks_of_no_bytes_may_share_an_address() {
    let lines = "1,0,allocate,(nil),0,0\n1,0,allocate,0x1,0,0\n1,0,allocate,0x1,8,0\n\
                 1,0,free,0x1,8,0\n1,0,free,0x1,0,0\n1,0,free,(nil),0,0\n";
    let expected = [
        grant(0, 0),
        grant(0, 1),
        grant(8, 2),
        free(2),
        free(1),
        free(0),
    ];
    assert_eq!(operations(&rmm(lines).unwrap()), expected);
}

#[test]
fn bad_lines_of_rmm_are_named() {
    for (log, line, cause) in [
        (
            "1,0,allocate,0x1,8,0\n\n1,0,allocate,0x1,8,0",
            3,
            "grants 0x1, which is granted",
        ),
        (
            "1,0,allocate,0x1,8,0\n1,0,free,0x1,8,0\n1,0,free,0x1,8,0",
            3,
            "frees 0x1, which no",
        ),
        (
            "1,0,free,0x2,8,0",
            1,
            "frees 0x2, which no line before it grants",
        ),
        (
            "1,0,allocate,0x0,8,0",
            1,
            "a request of 8 bytes got a null pointer",
        ),
        ("1,0,allocate,0x1", 1, "there is no Size"),
        ("1,0,allocate,0xz,8,0", 1, "`0xz` is not a pointer"),
        ("1,0,allocate,0x1,-8,0", 1, "`-8` is not a number"),
        (
            "1,0,realloc\u{1b},0x1,8,0",
            1,
            "`realloc\\u{1b}` is not a known action",
        ),
        ("1,25:00:00.0,free,0x1,8,0", 1, "`25:00:00.0` is not a time"),
        ("1,1:2:3.4:5,free,0x1,8,0", 1, "is not a time"),
        ("Thread,Time,Action,Size\n", 1, "there is no column Pointer"),
        (&"1".repeat(70_000), 1, "more than 65536 bytes"),
    ] {
        let error = rmm(log).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("line {line}: ")) && error.contains(cause),
            "{error}"
        );
    }
    assert!(matches!(rmm(" \n\n"), Err(TraceError::NoEvents)));
}

/// A line of a call as Umpire logged it until 2022.
fn call(process: u32, event: &str, payload: &str, result: &str) -> String {
    let result = match result {
        "" => String::new(),
        pointer => format!(r#", "result": {{ "memory_ptr": "{pointer}" }}"#),
    };
    format!(
        r#"{{ "kind":"replay", "uid":{process}, "timestamp":1558388052211435757, "event": "{event}", "payload": {{ "allocator_ref": "0xa", {payload} }}{result} }}
"#
    )
}

#[test]
fn lines_of_umpire_are_events() {
    let request = |process, bytes: u32, result| {
        let size = format!(r#""size": {bytes}"#);
        call(process, "allocate", &size, result)
    };
    let freed = |process, pointer: &str| {
        call(
            process,
            "deallocate",
            &format!(r#""memory_ptr": "{pointer}""#),
            "",
        )
    };
    let log = [
        "# a comment\nother output {\n".to_owned(),
        r#"{ "kind":"replay", "uid":1, "timestamp":1, "event": "makeMemoryResource", "payload": { "name": "HOST" }, "result": "0x1" }"#.to_owned() + "\n",
        request(1, 8, ""),
        request(1, 8, "0x10"),
        request(1, 9, ""),
        request(2, 8, ""),
        request(2, 8, "0x10"),
        request(1, 7, ""),
        request(1, 7, "0x20"),
        freed(1, "0x10"),
        freed(2, "0x10"),
        request(2, 5, ""),
    ]
    .concat();
    let refusal = |bytes| HeapOperation::Refusal { bytes };
    let events = umpire(&log).unwrap();
    let expected = [
        grant(8, 0),
        grant(8, 1),
        refusal(9),
        grant(7, 2),
        free(0),
        free(1),
        refusal(5),
    ];
    assert_eq!(operations(&events), expected);
    let warps: Vec<_> = events.iter().map(|event| event.warp).collect();
    assert_eq!(warps, [0, 1, 0, 0, 0, 1, 1]);
    assert_eq!(events[0].clock, 1_558_388_052_211_435_757);

    let late = r#"{"category":"operation","name":"allocate","numeric_args":{"size":10},"string_args":{"allocator_ref":"0xa","pointer":"0x1"},"tags":{"replay":"true"},"timestamp":5}
{"category":"operation","name":"deallocate","string_args":{"allocator_ref":"0xa","pointer":"0x1"},"tags":{"replay":"true"},"timestamp":6}
"#;
    assert_eq!(operations(&umpire(late).unwrap()), [grant(10, 0), free(0)]);

    for (log, line, cause) in [
        (request(1, 8, "0x1"), 1, "an outcome without its request"),
        (
            request(1, 8, "") + &request(1, 9, "0x1"),
            2,
            "an outcome without its request",
        ),
        (
            request(1, 8, "") + &request(1, 8, "0x0"),
            2,
            "got a null pointer",
        ),
        (freed(1, "0x1"), 1, "frees 0x1, which no line"),
        (freed(1, "one"), 1, "`one` is not a pointer"),
        (
            call(1, "allocate", r#""size": -1"#, ""),
            1,
            "there is no size",
        ),
        (
            "\n{ \"kind\":\"replay\", \"uid\":1, ".to_owned(),
            2,
            "not JSON",
        ),
        (
            r#"{"kind":"replay","event":"allocate","payload":{"size":1}}"#.to_owned(),
            1,
            "no timestamp",
        ),
    ] {
        let error = umpire(&log).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("line {line}: ")) && error.contains(cause),
            "{error}"
        );
    }
}

proptest! {
    #[test]
    fn no_log_panics(text in "([0-9a-z:.,(){}\"\n-]|allocate|free|\"replay\"|\"event\"|0x1){0,60}", bytes: Vec<u8>) {
        for text in [text.as_bytes(), &bytes] {
            let _ = RmmLog::new(text).map(|log| log.take(100).count());
            let _ = UmpireLog::new(text).take(100).count();
        }
    }
}
