//! Rules that the entries of a trace keep, and figures of its summary.

use heapwood_traces::{
    Event, EventProblem, Header, HeapOperation, Launch, LaunchProblem, Reader, TraceError, Writer,
    summarise,
};

fn event(launch: u32, warp: u32, order: u32, lane: u8, operation: HeapOperation) -> Event {
    Event {
        launch,
        warp,
        order,
        lane,
        clock: 0,
        operation,
    }
}

#[test]
fn events_that_break_a_rule_are_named() {
    let grant = |block| HeapOperation::Grant { bytes: 1, block };
    let huge = |block| HeapOperation::Grant {
        bytes: u64::MAX,
        block,
    };
    let free = |block| HeapOperation::Free { block };
    let refusal = HeapOperation::Refusal { bytes: u64::MAX };
    for (first, second, problem) in [
        (
            event(1, 0, 0, 0, refusal),
            event(0, 0, 1, 0, refusal),
            EventProblem::LaunchOrder {
                launch: 0,
                before: 1,
            },
        ),
        (
            event(0, 2, 3, 4, refusal),
            event(0, 2, 3, 4, refusal),
            EventProblem::WarpOrder {
                warp: 2,
                order: 3,
                lane: 4,
                last: 3,
                last_lane: 4,
            },
        ),
        (
            event(0, 0, 0, 63, refusal),
            event(0, 0, 1, 64, refusal),
            EventProblem::Lane(64),
        ),
        (
            event(0, 0, 0, 0, grant(0)),
            event(0, 0, 1, 0, grant(2)),
            EventProblem::Grant { block: 2, next: 1 },
        ),
        (
            event(0, 0, 0, 0, grant(0)),
            event(0, 0, 1, 0, free(1)),
            EventProblem::NotGranted(1),
        ),
        (
            event(0, 0, 0, 0, grant(0)),
            event(0, 0, 1, 0, huge(1)),
            EventProblem::TooLarge,
        ),
    ] {
        let mut writer = Writer::new(Vec::new(), &Header::default()).unwrap();
        writer.event(&first).unwrap();
        let error = writer.event(&second).unwrap_err();
        let TraceError::Event {
            number: 1,
            problem: found,
        } = error
        else {
            panic!("{error}");
        };
        assert_eq!(found, problem);
    }
    let mut writer = Writer::new(Vec::new(), &Header::default()).unwrap();
    for valid in [
        event(0, 0, 0, 0, grant(0)),
        event(0, 0, 0, 1, free(0)),
        event(1, 0, 0, 0, refusal),
    ] {
        writer.event(&valid).unwrap();
    }
    let twice = writer.event(&event(1, 0, 1, 0, free(0))).unwrap_err();
    let said = "event 3: it frees block 0, which is freed already: record the trace anew";
    assert_eq!(twice.to_string(), said);
}

#[test]
fn launches_that_break_a_rule_are_named() {
    let launch = |number, begin_ns, kernel: &str| Launch {
        number,
        kernel: kernel.to_owned(),
        begin_ns,
        end_ns: 10,
    };
    let long = "a".repeat(1025);
    for (second, problem) in [
        (launch(1, 5, "b"), LaunchProblem::Order(1)),
        (launch(2, 11, "b"), LaunchProblem::Times),
        (launch(2, 5, &long), LaunchProblem::Name),
    ] {
        let mut writer = Writer::new(Vec::new(), &Header::default()).unwrap();
        writer.launch(launch(1, 5, "a")).unwrap();
        let error = writer.launch(second).unwrap_err();
        assert!(
            matches!(&error, TraceError::Launch { problem: found, .. } if *found == problem),
            "{error}"
        );
    }
    let mut writer = Writer::new(Vec::new(), &Header::default()).unwrap();
    writer.launch(launch(1, 5, "a")).unwrap();
    writer
        .event(&event(2, 0, 0, 0, HeapOperation::Refusal { bytes: 1 }))
        .unwrap();
    let error = writer.finish(None).unwrap_err();
    let said = "launch 2: it has events, and is not among the launches: record the trace anew";
    assert_eq!(error.to_string(), said);
}

#[test]
fn a_summary_has_the_figures_of_its_definitions() {
    let clocked = Header {
        clock_hz: Some(1_000_000_000),
        ..Header::default()
    };
    let mut file = Vec::new();
    let mut writer = Writer::new(&mut file, &clocked).unwrap();
    let calls = [
        (
            0,
            0,
            HeapOperation::Grant {
                bytes: 16,
                block: 0,
            },
            100,
        ),
        (
            0,
            1,
            HeapOperation::Grant {
                bytes: 100,
                block: 1,
            },
            150,
        ),
        (0, 0, HeapOperation::Refusal { bytes: 1 << 40 }, 160),
        (0, 0, HeapOperation::Free { block: 0 }, 400),
        (
            1,
            0,
            HeapOperation::Grant {
                bytes: 1000,
                block: 2,
            },
            500,
        ),
        (1, 0, HeapOperation::Grant { bytes: 9, block: 3 }, 600),
        (1, 0, HeapOperation::Free { block: 1 }, 140),
        (
            1,
            0,
            HeapOperation::Grant {
                bytes: 128,
                block: 4,
            },
            700,
        ),
    ];
    for (index, (launch, warp, operation, clock)) in calls.into_iter().enumerate() {
        let order = index as u32;
        let event = Event {
            clock,
            ..event(launch, warp, order, order as u8 % 2, operation)
        };
        writer.event(&event).unwrap();
    }
    writer.finish(None).unwrap();
    let report = summarise("a.hwt".to_owned(), Reader::new(&file[..]).unwrap()).unwrap();
    assert_eq!((report.granted, report.refused, report.frees), (5, 1, 2));
    assert_eq!(
        (report.granted_bytes, report.refused_bytes),
        (1253, 1 << 40)
    );
    assert_eq!((report.live_blocks, report.live_bytes), (3, 1137));
    assert_eq!(
        (report.max_live_blocks.value, report.max_live_blocks.event),
        (3, 5)
    );
    assert_eq!(
        (report.max_live_bytes.value, report.max_live_bytes.event),
        (1137, 7)
    );
    assert_eq!((report.warps, report.lanes), (3, 5));
    let sizes: Vec<_> = report
        .sizes
        .iter()
        .map(|size| (size.max_bytes, size.granted))
        .collect();
    assert_eq!(sizes, [(16, 2), (128, 2), (1024, 1), (1 << 40, 0)]);
    let lifetime = report.lifetime_events.unwrap();
    assert_eq!((lifetime.min, lifetime.max), (3, 5));
    // The clock of the second free is before that of its grant.
    let lifetime = report.lifetime_ns.unwrap();
    assert_eq!((lifetime.count, lifetime.max), (1, 300));
    let requests = report.requests_per_launch.unwrap();
    assert_eq!((requests.count, requests.min, requests.max), (2, 3, 3));
    // Block 3 follows the free of block 0 after 1,000 bytes, block 4 that of block 1 after none.
    let reuse = report.reuse_distance_bytes.unwrap();
    assert_eq!((reuse.count, reuse.min, reuse.max), (2, 0, 1000));
}
