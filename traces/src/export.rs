//! Traces in the formats of other tools. Each function reads entries to their end, writes them as
//! they come, and returns the number of events.

mod addresses;
mod perfetto;
mod pickle;
mod pytorch;
mod rmm;

use std::io::Write;

pub use perfetto::perfetto;
pub use pytorch::pytorch;
pub use rmm::rmm;

use crate::{Header, TraceEntry, TraceError, Writer};

/// Writes a trace file.
///
/// # Errors
///
/// That of an entry, and [`TraceError::Write`].
pub fn hwt(
    header: &Header,
    entries: impl Iterator<Item = Result<TraceEntry, TraceError>>,
    out: &mut impl Write,
) -> Result<u64, TraceError> {
    let mut writer = Writer::new(out, header)?;
    for entry in entries {
        writer.entry(entry?)?;
    }
    writer.finish(None).map(|footer| footer.events)
}
