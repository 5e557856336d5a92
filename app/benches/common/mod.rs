//! The common parts of the benchmarks beside other crates: how they end, and how rows are written.

use std::process::ExitCode;

use heapwood::Error;
use heapwood::output::{self, Output};
use heapwood::report::Report;
use serde::Serialize;

/// The exit code of a benchmark of this name; says why it failed.
pub fn end(name: &str, result: Result<(), Error>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{name}: error: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}

/// Writes rows to a file or else to the standard output: as JSON, a row a line, or as a table.
pub fn write<Row: Serialize>(to: Option<Output>, rows: &[Row], is_json: bool) -> Result<(), Error>
where
    [Row]: Report,
{
    let text = match is_json {
        true => json_lines(rows)?,
        false => rows.text(),
    };
    match to {
        Some(file) => file.write(text.as_bytes()),
        None => output::print(&text),
    }
}

fn json_lines<Row: Serialize>(rows: &[Row]) -> Result<String, Error> {
    let lines: Result<Vec<String>, _> = rows.iter().map(serde_json::to_string).collect();
    let lines = lines.map_err(|error| Error::Failed(error.to_string()))?;
    Ok(format!("[\n{}\n]\n", lines.join(",\n")))
}
