//! Results as text: aligned tables, Markdown, CSV, JSON.

pub mod allocators;
mod bench;
mod build_options;
pub mod compare;
pub mod devices;
mod fragmentation;
pub mod frames;
pub mod graph;
mod host_pool;
mod kept;
mod picture;
mod sequence;
mod table;
mod tree;

pub use crate::samples::milliseconds;
pub use bench::bench_table;
pub use build_options::BuildOptions;
pub use fragmentation::fragmentation_table;
pub use frames::{FrameReport, FramesReport};
pub use host_pool::host_pool_table;
pub use kept::{KeptReport, SavedReport};
pub use picture::{PictureReport, RenderReport, ShadeOptions, TreeOrigin};
pub use sequence::SequenceReport;
pub use table::{Column, Table};
pub use tree::TreeReport;

use serde::Serialize;

use crate::Error;
use crate::meta::Meta;
use crate::size::display;

/// How one result is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ResultFormat {
    /// For people
    #[default]
    Text,
    /// JSON with stable keys
    Json,
}

/// How rows of results are written.
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

impl Format {
    /// Rows in this format: whole in JSON, and else by the cells of their table.
    ///
    /// # Errors
    ///
    /// For rows that JSON does not have.
    pub fn write<Row: Serialize>(
        self,
        rows: &[Row],
        table: impl FnOnce(&[Row]) -> Table,
    ) -> Result<String, Error> {
        Ok(match self {
            Self::Json => json(&rows)?,
            Self::Table => table(rows).text(),
            Self::Csv => table(rows).csv(),
            Self::Markdown => table(rows).markdown(),
        })
    }
}

/// What the rows of a table were linked with, in a line below it, and what a call costs in more of
/// them; nothing if none were.
pub fn linked_below<'a>(mut rows: impl Iterator<Item = &'a Meta>) -> String {
    let Some(link) = rows.find_map(|meta| meta.link.as_ref()) else {
        return String::new();
    };
    let calls = link.call_lines();
    let calls = calls.iter().map(|line| format!("a call  {line}\n"));
    let linked = format!("linked  {}\n", link.text());
    std::iter::once(linked).chain(calls).collect()
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

/// How much of a pool was used at most, for people.
fn used_part(bytes: Option<u64>) -> String {
    bytes.map_or("an unknown part".to_owned(), display)
}

/// A number of triangles for people.
pub fn triangles(count: u64) -> String {
    match count {
        1 => "1 triangle".to_owned(),
        _ => format!("{count} triangles"),
    }
}
