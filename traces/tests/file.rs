//! Trace files: round trips and damage.

use heapwood_traces::{
    Event, Header, HeapOperation, Launch, Reader, RecordingCost, TraceEntry, TraceError, Writer,
    summarise,
};
use proptest::prelude::*;

/// Entries of a valid trace, made of numbers: each is a step, which picks the warp and the call.
fn entries(steps: &[u64]) -> Vec<TraceEntry> {
    let (mut live, mut granted, mut launch) = (Vec::new(), 0, 0);
    let mut entries = Vec::new();
    for (index, &step) in steps.iter().enumerate() {
        if step % 7 == 0 && index > 0 {
            launch += 1 + (step >> 60) as u32;
        }
        let bytes = step >> (step % 61 + 3);
        let operation = match step % 4 {
            0 if !live.is_empty() => HeapOperation::Free {
                block: live.swap_remove(step as usize % live.len()),
            },
            1 => HeapOperation::Refusal { bytes },
            _ => {
                live.push(granted);
                granted += 1;
                HeapOperation::Grant {
                    bytes: bytes % (1 << 40),
                    block: granted - 1,
                }
            }
        };
        entries.push(TraceEntry::Event(Event {
            launch,
            warp: (step >> 8) as u32 % 5,
            order: index as u32,
            lane: (step >> 16) as u8 % 64,
            clock: step.rotate_left(17),
            operation,
        }));
    }
    // Where launches are listed, all are.
    let listed = if launch < 1000 { launch + 1 } else { 0 };
    entries.extend((0..listed).map(|number| {
        TraceEntry::Launch(Launch {
            number,
            kernel: "k".repeat(number as usize % 3),
            begin_ns: u64::from(number) * 1000,
            end_ns: u64::from(number) * 1001,
        })
    }));
    entries
}

fn header() -> Header {
    Header {
        device: Some("a device".to_owned()),
        workload: "agents --width 64".to_owned(),
        allocator: "gallatin".to_owned(),
        parameters: [("coalesce".to_owned(), "true".to_owned())].into(),
        pool_bytes: Some(1 << 30),
        backend: "cpu".to_owned(),
        clock_hz: Some(1_000_000_000),
        ..Header::default()
    }
}

fn written(entries: &[TraceEntry]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut writer = Writer::new(&mut file, &header()).unwrap();
    for entry in entries {
        writer.entry(entry.clone()).unwrap();
    }
    let cost = RecordingCost {
        recorded_ms: 2.5,
        unrecorded_ms: 2.25,
    };
    writer.finish(Some(cost)).unwrap();
    file
}

fn read(file: &[u8]) -> Result<Vec<TraceEntry>, TraceError> {
    Reader::new(file)?.collect()
}

/// The sections of a file, without its first line and end mark: kind, count, and content.
fn section(kind: u8, count: u32, content: &[u8], deflate: bool) -> Vec<u8> {
    use std::io::Write;
    let mut packed = content.to_vec();
    if deflate {
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), Default::default());
        encoder.write_all(content).unwrap();
        packed = encoder.finish().unwrap();
    }
    let mut section = vec![kind];
    for number in [count, content.len() as u32, packed.len() as u32] {
        section.extend(number.to_le_bytes());
    }
    let mut crc = flate2::Crc::new();
    crc.update(&section);
    crc.update(&packed);
    section.extend(crc.sum().to_le_bytes());
    section.extend(packed);
    section
}

/// A file of these sections behind a header, each with a true CRC.
fn crafted(sections: &[Vec<u8>]) -> Vec<u8> {
    let head = [&b"heapwood trace 1\n"[..], &section(b'H', 1, b"{}", false)].concat();
    [head, sections.concat()].concat()
}

proptest! {
    #[test]
    fn entries_come_back(steps in prop::collection::vec(any::<u64>(), 0..400)) {
        let entries = entries(&steps);
        let file = written(&entries);
        let mut reader = Reader::new(&file[..]).unwrap();
        prop_assert_eq!(reader.header(), &header());
        let found: Vec<TraceEntry> = reader.by_ref().collect::<Result<_, _>>().unwrap();
        // Launches may be written before events that precede them.
        let of = |is_event: bool| {
            let is = move |entry: &&TraceEntry| matches!(entry, TraceEntry::Event(_)) == is_event;
            let [found, entries] = [&found, &entries].map(|all| all.iter().filter(is).cloned());
            (found.collect::<Vec<_>>(), entries.collect::<Vec<_>>())
        };
        for (found, entries) in [of(true), of(false)] {
            prop_assert_eq!(found, entries);
        }
        let footer = reader.footer().unwrap();
        prop_assert_eq!(footer.events, steps.len() as u64);
        prop_assert_eq!(footer.cost.unwrap().unrecorded_ms, 2.25);
        let report = summarise("file".to_owned(), Reader::new(&file[..]).unwrap()).unwrap();
        prop_assert_eq!(report.events, report.granted + report.refused + report.frees);
        prop_assert_eq!(report.granted, report.frees + report.live_blocks);
        prop_assert_eq!(report.live_blocks, footer.live_blocks);
        let counted: u64 = report.sizes.iter().map(|size| size.granted + size.refused).sum();
        prop_assert_eq!(counted, report.granted + report.refused);
    }

    #[test]
    fn a_changed_byte_and_a_cut_are_errors(
        steps in prop::collection::vec(any::<u64>(), 0..40), place: prop::sample::Index, change in 1..=255_u8
    ) {
        let file = written(&entries(&steps));
        let place = place.index(file.len());
        let mut changed = file.clone();
        changed[place] ^= change;
        let error = read(&changed).unwrap_err().to_string();
        prop_assert!(!error.contains('\n'));
        let cut = read(&file[..place]).unwrap_err();
        let is_cut_there = matches!(cut, TraceError::Truncated { byte } if byte == place as u64);
        prop_assert!(is_cut_there || place == 0);
        let longer = [&file[..], &[change]].concat();
        prop_assert!(read(&longer).is_err());
    }

    #[test]
    fn no_bytes_under_a_true_crc_panic(
        kind in prop::sample::select(b"EL".to_vec()), count in 0..70_u32, bytes: Vec<u8>, small in prop::collection::vec(0..6_u8, 0..200)
    ) {
        for content in [bytes, small] {
            let file = crafted(&[section(kind, count, &content, true)]);
            prop_assert!(read(&file).is_err());
        }
    }
}

#[test]
fn many_blocks_are_streamed() {
    let steps: Vec<u64> = (0..150_000_u64)
        .map(|step| step.wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .collect();
    let entries = entries(&steps);
    assert!(
        !entries
            .iter()
            .any(|entry| matches!(entry, TraceEntry::Launch(_)))
    );
    let file = written(&entries);
    assert_eq!(read(&file).unwrap(), entries);
    let launches: Vec<TraceEntry> = (0..5000)
        .map(|number| {
            TraceEntry::Launch(Launch {
                number,
                kernel: "a".repeat(1024),
                begin_ns: 5,
                end_ns: u64::MAX,
            })
        })
        .collect();
    assert_eq!(read(&written(&launches)).unwrap(), launches);
}

#[test]
fn other_files_are_told_apart() {
    let error = |file: &[u8]| read(file).unwrap_err();
    assert!(matches!(error(b""), TraceError::Empty));
    assert!(matches!(error(b"Thread,Time"), TraceError::NotTrace));
    assert!(matches!(error(&[0xff; 100]), TraceError::NotTrace));
    let of_version = error(b"heapwood trace 27\nfuture");
    assert!(
        of_version.to_string().contains("of version 27,"),
        "{of_version}"
    );
    assert!(matches!(
        error(b"heapwood trace"),
        TraceError::Truncated { byte: 14 }
    ));
    for (sections, cause) in [
        (vec![section(b'H', 1, b"{}", false)], "second header"),
        (vec![section(b'F', 1, b"{}", false)], "JSON"),
        (vec![section(b'E', 0, b"", true)], "count"),
        (vec![section(b'E', 65_537, &[1; 65_537], true)], "count"),
        (vec![section(b'E', 2, &[3, 3], true)], "operation"),
        (vec![section(b'L', 1, &[2, 2, 1, 1, 0xff], true)], "UTF-8"),
        (vec![b"X".to_vec(), vec![0; 16]], "no section"),
    ] {
        let error = error(&crafted(&sections)).to_string();
        assert!(
            error.starts_with("byte 36: ") && error.contains(cause),
            "{error}"
        );
    }
    // A length that the file does not have asks for no memory.
    let mut long = section(b'E', 1, b"", false);
    long[5..13].copy_from_slice(&[0xff; 8]);
    let said = error(&crafted(&[long])).to_string();
    assert!(said.contains("larger than any"), "{said}");
    // A section that inflates to more than it says.
    let mut bomb = section(b'E', 1, &[0; 1 << 20], true);
    bomb[5..9].copy_from_slice(&10_u32.to_le_bytes());
    let mut crc = flate2::Crc::new();
    crc.update(&bomb[..13]);
    crc.update(&bomb[17..]);
    bomb[13..17].copy_from_slice(&crc.sum().to_le_bytes());
    let said = error(&crafted(&[bomb])).to_string();
    assert!(said.contains("another length"), "{said}");
}

#[test]
fn a_footer_counts_what_is_there() {
    let footer = br#"{"events": 1, "launches": 0, "live_blocks": 0, "cost": null}"#;
    let file = [
        crafted(&[section(b'F', 1, footer, false)]),
        b"end\n".to_vec(),
    ]
    .concat();
    let error = read(&file).unwrap_err();
    let said = "the footer counts 1 events, and there are 0: record the trace anew";
    assert_eq!(error.to_string(), said);
}

#[test]
fn the_reader_checks_rules_under_a_true_crc() {
    // A block of two grants and three frees, with columns in their order.
    let columns = |frees: [u8; 3]| {
        let mut content = vec![0, 0, 2, 2, 2];
        content.extend([[0; 5], [0; 5], [2; 5], [0; 5]].concat());
        content.extend([8, 8]);
        content.extend(frees);
        content.extend([0; 5]);
        crafted(&[section(b'E', 5, &content, true)])
    };
    let twice = read(&columns([2, 1, 1])).unwrap_err().to_string();
    assert!(
        twice.starts_with("event 4: it frees block 1, which is freed already"),
        "{twice}"
    );
    let early = read(&columns([2, 0, 1])).unwrap_err().to_string();
    assert!(
        early.starts_with("event 3: it frees block 2, which is not granted"),
        "{early}"
    );
}
