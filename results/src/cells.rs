//! Formats that several reports share: lines of a name and a value, and cells of tables.

use std::collections::BTreeMap;

use crate::{Samples, Status, Table, display};

/// A name, empty where the line before goes on, and a value.
pub type Line = (&'static str, String);

/// Lines as text, with the values one below the other; names have `width` characters.
pub(crate) fn text(lines: &[Line], width: usize) -> String {
    let line = |(name, value): &Line| format!("{name:<width$}  {value}\n");
    lines.iter().map(line).collect()
}

/// Lines as a table.
pub(crate) fn table(lines: Vec<Line>) -> Table {
    let mut table = Table::new(&["figure", "value"]);
    for (name, value) in lines {
        table.push(vec![name.to_owned(), value]);
    }
    table
}

/// A cell for programs; empty where there is nothing.
pub(crate) fn option(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// A cell for people; a dash where there is nothing.
pub(crate) fn or_dash(value: Option<String>) -> String {
    value.unwrap_or_else(|| "-".to_owned())
}

/// Parameters in a cell: `key=value` with blanks between.
pub(crate) fn parameters(of: &BTreeMap<String, String>) -> String {
    let parameters = of.iter().map(|(key, value)| format!("{key}={value}"));
    parameters.collect::<Vec<_>>().join(" ")
}

/// The median of samples for programs, if there are any.
pub(crate) fn median(samples: Option<&Samples>) -> String {
    option(samples.and_then(Samples::measured))
}

/// How a case ended, for people.
pub(crate) fn status(status: Status, error: Option<&str>) -> String {
    match error {
        Some(why) => format!("{}: {why}", status.name()),
        None => status.name().to_owned(),
    }
}

/// The allocator of a row, marked if its requests are coalesced.
pub(crate) fn allocator(name: &str, parameters: &BTreeMap<String, String>) -> String {
    match parameters.get("coalesce").map(String::as_str) {
        Some("true") => format!("{name}:coalesce"),
        _ => name.to_owned(),
    }
}

/// How much of a pool was used at most, for people.
pub(crate) fn used_part(bytes: Option<u64>) -> String {
    bytes.map_or("an unknown part".to_owned(), display)
}

/// A part of a whole, in per cent.
pub(crate) fn percent(part: Option<f64>) -> String {
    part.map_or("unknown".to_owned(), |part| {
        format!("{:.1} %", 100.0 * part)
    })
}

/// The same as a fraction.
pub(crate) fn fraction(part: Option<f64>) -> String {
    part.map_or("unknown".to_owned(), |part| format!("{part:.4}"))
}

/// A number of triangles for people.
pub fn triangles(count: u64) -> String {
    match count {
        1 => "1 triangle".to_owned(),
        _ => format!("{count} triangles"),
    }
}
