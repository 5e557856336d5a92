//! The rows of each file of measurements as CSV beside it, for spreadsheets and scripts that
//! the pages' summaries do not suffice for.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use heapwood_results::quoted;

use super::lines::Line;
use super::renew_bytes;
use super::sheets::{SHEETS, Sheet};
use crate::Result;

/// Renews the CSV of each file in the folder of all runs or, with `check`, fails if one of them
/// would change.
pub fn run(root: &Path, check: bool) -> Result<()> {
    let runs = root.join("docs/results/runs");
    for sheet in SHEETS {
        let contents = (sheet.read)(&runs.join(format!("{}.json", sheet.file)))?;
        let new = csv(sheet, &contents.lines)?;
        let path = format!("docs/results/runs/{}", sheet.csv());
        let old = fs::read(root.join(&path)).unwrap_or_default();
        if !sheet.compressed {
            renew_bytes(root, &path, old == new.as_bytes(), new.as_bytes(), check)?;
            continue;
        }
        // Another version of the compressor may write other bytes of the same text.
        let mut text = String::new();
        let is_read = GzDecoder::new(&old[..]).read_to_string(&mut text).is_ok();
        let is_same = is_read && text == new;
        if !is_same {
            let bytes = compressed(&new).map_err(|error| format!("{path}: {error}"))?;
            renew_bytes(root, &path, false, &bytes, check)?;
        }
    }
    Ok(())
}

fn compressed(text: &str) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text.as_bytes())?;
    encoder.finish()
}

/// The text of a file's lines, without the columns that its sheet leaves out. A column without a
/// value must be left out, and one with a value must not.
fn csv(sheet: &Sheet, lines: &[Line]) -> Result<String> {
    let file = sheet.file;
    let first = lines.first().ok_or_else(|| format!("{file}: no rows"))?;
    let is_of = |title: &str, column: &str| {
        let rest = title.strip_prefix(column);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let titles = || first.cells().iter().map(|(title, _)| title);
    if let Some(name) = (sheet.left_out.iter()).find(|name| !titles().any(|of| is_of(of, name))) {
        return Err(format!(
            "{file}: its sheet leaves out `{name}`, and there is no such column"
        ));
    }
    let mut columns = Vec::new();
    for (column, (title, _)) in first.cells().iter().enumerate() {
        let is_left_out = sheet.left_out.iter().any(|name| is_of(title, name));
        let is_empty = lines.iter().all(|line| line.cells()[column].1.is_empty());
        match (is_left_out, is_empty) {
            (false, false) => columns.push(column),
            (true, true) => {}
            (false, true) => {
                return Err(format!(
                    "{file}: the column `{title}` is empty in all rows; leave it out of its sheet"
                ));
            }
            (true, false) => {
                return Err(format!(
                    "{file}: the column `{title}` has values, but its sheet leaves it out"
                ));
            }
        }
    }
    let row = |cell: &dyn Fn(usize) -> String| {
        let cells: Vec<String> = columns.iter().map(|&column| cell(column)).collect();
        cells.join(",") + "\n"
    };
    let mut text = row(&|column| quoted(&first.cells()[column].0));
    for line in lines {
        text += &row(&|column| quoted(&line.cells()[column].1));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet(left_out: &'static [&'static str]) -> Sheet {
        Sheet {
            file: "f",
            compressed: false,
            left_out,
            read: |_| Err("not read".to_owned()),
        }
    }

    fn line(name: &str, edges: Option<u32>) -> Line {
        Line::default()
            .text("name", name)
            .option("edges", edges)
            .samples("ms", None)
    }

    #[test]
    fn a_row_is_a_line() {
        let lines = [line("a,b", Some(3)), line("c", None)];
        let text = csv(&sheet(&["ms"]), &lines);
        assert_eq!(text.as_deref(), Ok("name,edges\n\"a,b\",3\nc,\n"));
    }

    #[test]
    fn empty_columns_are_refused_unless_they_are_left_out() {
        let refused = csv(&sheet(&[]), &[line("a", Some(3))]);
        assert!(refused.is_err_and(|error| error.contains("`ms.median` is empty")));
        let refused = csv(&sheet(&["ms", "edges"]), &[line("a", Some(3))]);
        assert!(refused.is_err_and(|error| error.contains("`edges` has values")));
        assert!(csv(&sheet(&[]), &[]).is_err());
    }
}
