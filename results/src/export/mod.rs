//! The formats of results, and the trait that every report has for them: a file a format.

mod csv;
mod json;
mod markdown;
mod table;
mod text;

use serde::Serialize;

pub use csv::quoted;
use json::json;
pub use table::{Cells, Column, Table};

/// A report, or the rows of one, in every format.
///
/// JSON is what serde makes of it. The other formats are tables: a rounded one for people and a
/// whole one for programs.
pub trait Report: Serialize {
    /// The figures for people, rounded, in those columns that say something.
    fn table(&self) -> Table;

    /// The figures for programs, unrounded, under titles that do not depend on them.
    fn records(&self) -> Table {
        self.table()
    }

    /// The report on a terminal.
    fn text(&self) -> String {
        self.table().text()
    }
}

/// How results are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Format {
    /// For people: lines, or an aligned table
    #[default]
    #[cfg_attr(feature = "clap", value(alias = "table"))]
    Text,
    /// JSON with stable keys
    Json,
    /// Comma-separated values
    Csv,
    /// A Markdown table
    Markdown,
}

impl Format {
    /// A report in this format.
    ///
    /// # Errors
    ///
    /// For a report that JSON does not have.
    pub fn write<R: Report + ?Sized>(self, report: &R) -> serde_json::Result<String> {
        Ok(match self {
            Self::Text => report.text(),
            Self::Json => json(report)?,
            Self::Csv => report.records().csv(),
            Self::Markdown => report.table().markdown(),
        })
    }
}
