//! Results as text: aligned tables, Markdown, CSV, JSON.

mod bench;
pub mod graph;
mod table;
mod tree;

pub use bench::bench_table;
pub use table::{Column, Table};
pub use tree::{BuildOptions, RenderReport, TreeReport};

use serde::Serialize;

use crate::Error;

/// How results are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// An aligned table.
    #[default]
    Table,
    /// JSON with stable keys.
    Json,
    /// Comma-separated values.
    Csv,
    /// A Markdown table.
    Markdown,
}

/// A value as indented JSON with a line break at the end.
///
/// # Errors
///
/// For a value that JSON does not have.
pub fn json(value: &impl Serialize) -> Result<String, Error> {
    let text = serde_json::to_string_pretty(value);
    Ok(text.map_err(|error| Error::Failed(error.to_string()))? + "\n")
}

/// A time in milliseconds with four significant digits.
pub fn milliseconds(time: f64) -> String {
    let digits = match time.abs() {
        t if t >= 1000.0 => 0,
        t if t >= 100.0 => 1,
        t if t >= 10.0 => 2,
        t if t >= 1.0 => 3,
        _ => 4,
    };
    format!("{time:.digits$}")
}

/// A number of triangles for people.
pub fn triangles(count: u64) -> String {
    match count {
        1 => "1 triangle".to_owned(),
        _ => format!("{count} triangles"),
    }
}

#[cfg(test)]
mod tests {
    use super::milliseconds;

    #[test]
    fn times_have_four_digits() {
        let shown = [1234.5, 123.45, 12.345, 1.2345, 0.00567].map(milliseconds);
        assert_eq!(
            shown,
            ["1234", "123.5", "12.35", "1.234", "0.0057"]
                .map(String::from)
                .map(|s| s)
        );
    }
}
