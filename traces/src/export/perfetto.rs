//! Chrome's JSON of trace events, which <https://ui.perfetto.dev> shows.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::addresses::AddressSpace;
use crate::{Header, HeapOperation, Launch, TraceEntry, TraceError};

/// Writes counters of live blocks and their bytes, refused requests as instants, and launches as
/// slices. Counters follow the clock of events and slices that of the host: both begin at 0.
///
/// # Errors
///
/// That of an entry, [`TraceError::Addresses`], and [`TraceError::Write`].
pub fn perfetto(
    header: &Header,
    entries: impl Iterator<Item = Result<TraceEntry, TraceError>>,
    out: &mut impl Write,
) -> Result<u64, TraceError> {
    let mut rows = Rows { out };
    rows.begin(header).map_err(TraceError::Write)?;
    let mut space = AddressSpace::default();
    let (mut first_ns, mut last_ns, mut first_launch_ns) = (None, 0, None);
    for entry in entries {
        let written = match entry? {
            TraceEntry::Launch(launch) => {
                let first = *first_launch_ns.get_or_insert(launch.begin_ns);
                rows.launch(&launch, launch.begin_ns.saturating_sub(first))
            }
            TraceEntry::Event(event) => {
                let ns = header
                    .ns(event.clock)
                    .unwrap_or(u128::from(space.events()) * 1000);
                // Clocks of multiprocessors differ, and counters are drawn in the order of times.
                last_ns = ns.saturating_sub(*first_ns.get_or_insert(ns)).max(last_ns);
                space.place(&event)?;
                match event.operation {
                    HeapOperation::Refusal { bytes } => rows.refusal(bytes, last_ns),
                    _ => rows.counters(&space, last_ns),
                }
            }
        };
        written.map_err(TraceError::Write)?;
    }
    rows.out.write_all(b"\n]}\n").map_err(TraceError::Write)?;
    Ok(space.events())
}

/// Rows of the list of trace events.
struct Rows<'a, W> {
    out: &'a mut W,
}

/// A time in microseconds, as the format has it.
fn us(ns: u128) -> f64 {
    ns as f64 / 1e3
}

impl<W: Write> Rows<'_, W> {
    fn begin(&mut self, header: &Header) -> io::Result<()> {
        let name = |process: u32, name: String| json!({"ph": "M", "pid": process, "name": "process_name", "args": {"name": name}});
        writeln!(self.out, "{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")?;
        let heap = name(1, format!("heap: {}", header.allocator));
        let launches = name(2, format!("launches: {}", header.workload));
        write!(self.out, "{heap},\n{launches}")
    }

    fn row(&mut self, row: &Value) -> io::Result<()> {
        write!(self.out, ",\n{row}")
    }

    fn counters(&mut self, space: &AddressSpace, ns: u128) -> io::Result<()> {
        for (name, unit, value) in [
            ("live bytes", "bytes", space.live_bytes),
            ("live blocks", "blocks", space.live.len() as u64),
        ] {
            self.row(
                &json!({"ph": "C", "pid": 1, "name": name, "ts": us(ns), "args": {unit: value}}),
            )?;
        }
        Ok(())
    }

    fn refusal(&mut self, bytes: u64, ns: u128) -> io::Result<()> {
        let args = json!({"bytes": bytes});
        self.row(&json!({
            "ph": "i", "s": "p", "pid": 1, "tid": 0, "name": "refused", "ts": us(ns), "args": args
        }))
    }

    fn launch(&mut self, launch: &Launch, begin_ns: u64) -> io::Result<()> {
        let duration_ns = launch.end_ns.saturating_sub(launch.begin_ns);
        self.row(&json!({
            "ph": "X", "pid": 2, "tid": 0, "name": launch.kernel,
            "ts": us(begin_ns.into()), "dur": us(duration_ns.into()),
            "args": {"number": launch.number}
        }))
    }
}
