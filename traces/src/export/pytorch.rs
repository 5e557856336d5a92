//! A memory snapshot as `torch.cuda.memory._snapshot()` returns it, pickled, for the viewer of
//! <https://pytorch.org/memory_viz>.

use std::io::{self, Write};

use super::addresses::{AddressSpace, FIRST_ADDRESS, Placed};
use super::pickle::{Pickle, Value::Number, Value::Text};
use crate::{Header, HeapOperation, TraceEntry, TraceError};

/// Writes a device with one segment, which holds all addresses. A refused request is an `oom`.
///
/// # Errors
///
/// That of an entry, [`TraceError::Addresses`], and [`TraceError::Write`].
pub fn pytorch(
    header: &Header,
    entries: impl Iterator<Item = Result<TraceEntry, TraceError>>,
    out: &mut impl Write,
) -> Result<u64, TraceError> {
    let mut space = AddressSpace::default();
    let mut pickle = begin(out).map_err(TraceError::Write)?;
    for entry in entries {
        let TraceEntry::Event(event) = entry? else {
            continue;
        };
        let placed = space.place(&event)?;
        let ns = header.ns(event.clock).unwrap_or_default();
        let time_us = u64::try_from(ns / 1000).unwrap_or(u64::MAX);
        let mut action = |action, address, bytes| {
            pickle.element(&[
                ("action", Text(action)),
                ("addr", Number(address)),
                ("size", Number(bytes)),
                ("stream", Number(0)),
                ("time_us", Number(time_us)),
                ("device_free", Number(free_bytes(header, &space))),
            ])
        };
        let written = match (event.operation, placed) {
            (HeapOperation::Refusal { bytes }, _) => action("oom", 0, bytes),
            (HeapOperation::Grant { .. }, Some(of)) => action("alloc", of.address, of.bytes),
            // The viewer joins both to one event.
            (HeapOperation::Free { .. }, Some(of)) => {
                action("free_requested", of.address, of.bytes)
                    .and_then(|()| action("free_completed", of.address, of.bytes))
            }
            (_, None) => Ok(()),
        };
        written.map_err(TraceError::Write)?;
    }
    end(pickle, &space).map_err(TraceError::Write)?;
    Ok(space.events())
}

/// Bytes of the pool beside live blocks; 0 if its size is unknown.
fn free_bytes(header: &Header, space: &AddressSpace) -> u64 {
    header
        .pool_bytes
        .unwrap_or_default()
        .saturating_sub(space.live_bytes)
}

fn begin<W: Write>(out: W) -> io::Result<Pickle<W>> {
    let mut pickle = Pickle::new(out)?;
    pickle.begin_dictionary()?;
    pickle.key("device_traces")?;
    pickle.begin_list()?;
    pickle.begin_list()?;
    Ok(pickle)
}

/// Writes the segment as it is after the last event: blocks in the order of addresses, without gaps.
fn end<W: Write>(mut pickle: Pickle<W>, space: &AddressSpace) -> io::Result<()> {
    pickle.end_list()?;
    pickle.end_list()?;
    pickle.key("segments")?;
    pickle.begin_list()?;
    if space.place_bytes > 0 {
        segment(&mut pickle, space)?;
    }
    pickle.end_list()?;
    pickle.end_dictionary()?;
    pickle.finish()
}

fn segment<W: Write>(pickle: &mut Pickle<W>, space: &AddressSpace) -> io::Result<()> {
    let mut live: Vec<&Placed> = space.live.values().collect();
    live.sort_unstable_by_key(|of| of.address);
    pickle.begin_dictionary()?;
    pickle.fields(&[
        ("device", Number(0)),
        ("address", Number(FIRST_ADDRESS)),
        ("total_size", Number(space.place_bytes)),
        ("allocated_size", Number(space.live_bytes)),
        ("active_size", Number(space.live_bytes)),
        ("requested_size", Number(space.live_bytes)),
        ("stream", Number(0)),
        ("segment_type", Text("large")),
    ])?;
    pickle.key("blocks")?;
    pickle.begin_list()?;
    let mut block = |address, bytes, requested, state| {
        pickle.element(&[
            ("address", Number(address)),
            ("size", Number(bytes)),
            ("requested_size", Number(requested)),
            ("state", Text(state)),
        ])
    };
    let mut next = FIRST_ADDRESS;
    for of in live {
        if of.address > next {
            block(next, of.address - next, 0, "inactive")?;
        }
        let bytes = of.place_bytes().unwrap_or(of.bytes);
        block(of.address, bytes, of.bytes, "active_allocated")?;
        next = of.address + bytes;
    }
    let end = FIRST_ADDRESS + space.place_bytes;
    if end > next {
        block(next, end - next, 0, "inactive")?;
    }
    pickle.end_list()?;
    pickle.end_dictionary()
}
