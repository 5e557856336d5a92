//! Results as text: aligned tables, Markdown, CSV, JSON.

mod bench;
pub mod graph;
mod table;
mod tree;

pub use crate::samples::milliseconds;
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

/// A number of triangles for people.
pub fn triangles(count: u64) -> String {
    match count {
        1 => "1 triangle".to_owned(),
        _ => format!("{count} triangles"),
    }
}
