//! The CSV of RMM's logging resource adaptor, which RMM's replay benchmark reads.

use std::io::Write;

use super::addresses::AddressSpace;
use crate::{Header, HeapOperation, TraceEntry, TraceError};

const DAY_NS: u128 = 24 * 3600 * 1_000_000_000;

/// Writes a line an event, on the default stream, which is the only one that the replay benchmark
/// takes. Warps are threads, whichever launch they are of.
///
/// # Errors
///
/// That of an entry, [`TraceError::Addresses`], and [`TraceError::Write`].
pub fn rmm(
    header: &Header,
    entries: impl Iterator<Item = Result<TraceEntry, TraceError>>,
    out: &mut impl Write,
) -> Result<u64, TraceError> {
    let mut space = AddressSpace::default();
    writeln!(out, "Thread,Time,Action,Pointer,Size,Stream").map_err(TraceError::Write)?;
    for entry in entries {
        let TraceEntry::Event(event) = entry? else {
            continue;
        };
        let placed = space.place(&event)?;
        let (address, mut bytes) = placed.map_or((0, 0), |placed| (placed.address, placed.bytes));
        let action = match event.operation {
            HeapOperation::Grant { .. } => "allocate",
            HeapOperation::Free { .. } => "free",
            HeapOperation::Refusal { bytes: refused } => {
                bytes = refused;
                "allocate failure"
            }
        };
        let ns = header
            .ns(event.clock)
            .unwrap_or(u128::from(space.events()) * 1000)
            % DAY_NS;
        let (seconds, micros) = (ns / 1_000_000_000, ns / 1000 % 1_000_000);
        let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        writeln!(
            out,
            "{},{hours:02}:{minutes:02}:{seconds:02}.{micros:06},{action},{address:#x},{bytes},0",
            event.warp
        )
        .map_err(TraceError::Write)?;
    }
    Ok(space.events())
}
