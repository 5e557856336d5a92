//! The file of a shortest path: its vertices in order, with their coordinates if there are some.

use std::io::{self, Write};
use std::path::Path;

use heapwood_files::unpacked;
use heapwood_graphs::Ids;

use crate::graph::Way;

/// Writes a vertex a line: its id, and x and y. For a name in `.csv`, commas separate them, and titles
/// stand before.
pub(super) fn write(
    path: &Path,
    way: &Way,
    ids: &Ids,
    coordinates: Option<&[[i64; 2]]>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (plain, _) = unpacked(path);
    let suffix = plain.extension();
    let is_csv = suffix.is_some_and(|suffix| suffix.eq_ignore_ascii_case("csv"));
    if is_csv {
        let titles = match coordinates {
            Some(_) => "vertex,x,y",
            None => "vertex",
        };
        writeln!(out, "{titles}")?;
    }
    let separator = if is_csv { ',' } else { ' ' };
    for &vertex in &way.vertices {
        write!(out, "{}", ids.of(vertex))?;
        if let Some(coordinates) = coordinates {
            let [x, y] = coordinates[vertex as usize];
            write!(out, "{separator}{x}{separator}{y}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}
