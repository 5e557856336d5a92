//! Traces in the formats of other tools.

use heapwood_traces::{
    Event, Header, HeapOperation, Launch, Reader, RmmLog, TraceEntry, TraceError, export,
};

const fn grant(bytes: u64, block: u64) -> HeapOperation {
    HeapOperation::Grant { bytes, block }
}

const fn free(block: u64) -> HeapOperation {
    HeapOperation::Free { block }
}

/// A call of the first lane, without a clock.
const fn call(order: u32, operation: HeapOperation) -> TraceEntry {
    TraceEntry::Event(Event {
        launch: 0,
        warp: 0,
        order,
        lane: 0,
        clock: 0,
        operation,
    })
}

fn operations(entries: impl Iterator<Item = Result<TraceEntry, TraceError>>) -> Vec<HeapOperation> {
    let of = |entry: Result<TraceEntry, TraceError>| match entry.unwrap() {
        TraceEntry::Event(event) => Some(event.operation),
        TraceEntry::Launch(_) => None,
    };
    entries.filter_map(of).collect()
}

fn header() -> Header {
    Header {
        workload: "agents".to_owned(),
        allocator: "gallatin".to_owned(),
        clock_hz: Some(1_000_000_000),
        pool_bytes: Some(4096),
        ..Header::default()
    }
}

fn entries() -> impl Iterator<Item = Result<TraceEntry, TraceError>> {
    let launch = Launch {
        number: 0,
        kernel: "a \"kernel\"".to_owned(),
        begin_ns: 5_000,
        end_ns: 7_500,
    };
    let operations = [
        grant(300, 0),
        grant(0, 1),
        free(0),
        HeapOperation::Refusal { bytes: 5000 },
        grant(512, 2),
        grant(400, 3),
    ];
    let events = (0..).zip(operations).map(|(order, operation)| Event {
        launch: 0,
        warp: order % 2,
        order,
        lane: 0,
        clock: 1_000_000 + 1_500 * u64::from(order),
        operation,
    });
    let launches = [TraceEntry::Launch(launch)].into_iter();
    launches.chain(events.map(TraceEntry::Event)).map(Ok)
}

#[test]
fn rmm_csv_has_its_columns_and_comes_back() {
    let mut csv = Vec::new();
    assert_eq!(export::rmm(&header(), entries(), &mut csv).unwrap(), 6);
    let csv = String::from_utf8(csv).unwrap();
    let expected = "Thread,Time,Action,Pointer,Size,Stream
0,00:00:00.001000,allocate,0x7f0000000000,300,0
1,00:00:00.001001,allocate,0x7f0000000200,0,0
0,00:00:00.001003,free,0x7f0000000000,300,0
1,00:00:00.001004,allocate failure,0x0,5000,0
0,00:00:00.001006,allocate,0x7f0000000000,512,0
1,00:00:00.001007,allocate,0x7f0000000300,400,0
";
    assert_eq!(csv, expected);
    let log = RmmLog::new(csv.as_bytes()).unwrap();
    assert_eq!(operations(log), operations(entries()));
    let mut file = Vec::new();
    let log = RmmLog::new(csv.as_bytes()).unwrap();
    export::hwt(&log.header("a.csv".to_owned()), log, &mut file).unwrap();
    assert_eq!(Reader::new(&file[..]).unwrap().count(), 6);
}

#[test]
fn perfetto_json_has_counters_and_slices() {
    let mut json = Vec::new();
    assert_eq!(
        export::perfetto(&header(), entries(), &mut json).unwrap(),
        6
    );
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    let rows = json["traceEvents"].as_array().unwrap();
    let of = |phase: &str| {
        rows.iter()
            .filter(|row| row["ph"] == phase)
            .collect::<Vec<_>>()
    };
    let bytes = of("C")
        .into_iter()
        .filter_map(|row| row["args"]["bytes"].as_u64());
    assert_eq!(bytes.collect::<Vec<_>>(), [300, 300, 0, 512, 912]);
    let blocks = of("C")
        .into_iter()
        .filter_map(|row| row["args"]["blocks"].as_u64());
    assert_eq!(blocks.collect::<Vec<_>>(), [1, 2, 1, 2, 3]);
    assert_eq!(of("C")[2]["ts"], 1.5);
    assert_eq!(
        (&of("i")[0]["args"]["bytes"], &of("i")[0]["ts"]),
        (&5000.into(), &4.5.into())
    );
    let slice = of("X")[0];
    assert_eq!(
        (&slice["name"], &slice["ts"], &slice["dur"]),
        (&"a \"kernel\"".into(), &0.0.into(), &2.5.into())
    );
}

/// A value of a pickle.
#[derive(Clone, Debug, PartialEq)]
enum Value {
    Number(u64),
    Text(String),
    List(Vec<Value>),
    Dictionary(Vec<(String, Value)>),
}

impl Value {
    fn get(&self, wanted: &str) -> &Value {
        let Self::Dictionary(fields) = self else {
            panic!("{self:?}");
        };
        &fields.iter().find(|(key, _)| key == wanted).unwrap().1
    }

    fn list(&self) -> &[Value] {
        match self {
            Self::List(values) => values,
            _ => panic!("{self:?}"),
        }
    }
}

/// Reads the opcodes that the viewer of PyTorch knows and that the export has.
fn unpickle(bytes: &[u8]) -> Value {
    let (mut stack, mut marks, mut memo) = (Vec::new(), Vec::new(), Vec::new());
    let mut at = 2;
    assert_eq!(&bytes[..2], [0x80, 2]);
    loop {
        let opcode = bytes[at];
        at += 1;
        match opcode {
            b'}' => stack.push(Value::Dictionary(Vec::new())),
            b']' => stack.push(Value::List(Vec::new())),
            b'(' => marks.push(stack.len()),
            b'K' => {
                stack.push(Value::Number(bytes[at].into()));
                at += 1;
            }
            0x8a => {
                assert_eq!(bytes[at], 8);
                let number = bytes[at + 1..at + 9].try_into().unwrap();
                stack.push(Value::Number(u64::from_le_bytes(number)));
                at += 9;
            }
            b'X' => {
                let length = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
                at += 4;
                let text = String::from_utf8(bytes[at..at + length].to_vec()).unwrap();
                stack.push(Value::Text(text));
                at += length;
            }
            b'q' => {
                assert_eq!(usize::from(bytes[at]), memo.len());
                memo.push(stack.last().unwrap().clone());
                at += 1;
            }
            b'h' => {
                stack.push(memo[usize::from(bytes[at])].clone());
                at += 1;
            }
            b'e' | b'u' => {
                let values = stack.split_off(marks.pop().unwrap());
                match stack.last_mut().unwrap() {
                    Value::List(list) => list.extend(values),
                    Value::Dictionary(fields) => fields.extend(values.chunks(2).map(|pair| {
                        let Value::Text(key) = &pair[0] else {
                            panic!("{pair:?}");
                        };
                        (key.clone(), pair[1].clone())
                    })),
                    other => panic!("{other:?}"),
                }
            }
            b'.' => {
                assert_eq!((stack.len(), marks.len(), at), (1, 0, bytes.len()));
                return stack.remove(0);
            }
            other => panic!("opcode {other:#x}"),
        }
    }
}

#[test]
fn a_snapshot_has_a_trace_and_the_blocks_at_its_end() {
    let mut pickle = Vec::new();
    assert_eq!(
        export::pytorch(&header(), entries(), &mut pickle).unwrap(),
        6
    );
    let snapshot = unpickle(&pickle);
    let trace = snapshot.get("device_traces").list()[0].list();
    let text = |text: &str| Value::Text(text.to_owned());
    let actions: Vec<_> = trace.iter().map(|row| row.get("action").clone()).collect();
    let expected = [
        "alloc",
        "alloc",
        "free_requested",
        "free_completed",
        "oom",
        "alloc",
        "alloc",
    ]
    .map(text);
    assert_eq!(actions, expected);
    assert_eq!(trace[4].get("size"), &Value::Number(5000));
    assert_eq!(trace[4].get("device_free"), &Value::Number(4096));
    assert_eq!(trace[5].get("time_us"), &Value::Number(1006));
    let segment = &snapshot.get("segments").list()[0];
    let blocks = segment.get("blocks").list();
    let states: Vec<_> = blocks
        .iter()
        .map(|block| block.get("state").clone())
        .collect();
    assert_eq!(states, ["active_allocated"; 3].map(text));
    let sizes = blocks.iter().map(|block| match block.get("size") {
        Value::Number(bytes) => *bytes,
        other => panic!("{other:?}"),
    });
    assert_eq!(segment.get("total_size"), &Value::Number(sizes.sum()));
    // Lists longer than a batch, and gaps between blocks.
    let many = (0..2500_u32).map(|order| {
        let operation = match order {
            0..1500 => grant(1 << 20, order.into()),
            _ => free((order - 1500).into()),
        };
        Ok(call(order, operation))
    });
    let mut pickle = Vec::new();
    export::pytorch(&header(), many, &mut pickle).unwrap();
    let snapshot = unpickle(&pickle);
    assert_eq!(
        snapshot.get("device_traces").list()[0].list().len(),
        1500 + 2 * 1000
    );
    assert_eq!(
        snapshot.get("segments").list()[0]
            .get("blocks")
            .list()
            .len(),
        501
    );
}

#[test]
fn blocks_that_no_address_space_holds_are_refused() {
    for bytes in [1 << 63, u64::MAX] {
        let calls = [grant(1, 0), grant(bytes, 1)];
        let events = (0..)
            .zip(calls)
            .map(|(order, operation)| Ok(call(order, operation)));
        let error = export::rmm(&header(), events, &mut Vec::new()).unwrap_err();
        assert!(
            matches!(error, TraceError::Addresses { number: 1 }),
            "{error}"
        );
    }
}
