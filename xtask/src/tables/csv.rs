//! The rows of each file of measurements as CSV beside it, for spreadsheets and scripts that
//! the pages' summaries do not suffice for.
//!
//! Samples become their median, min, max and count; the JSON keeps each of them.

use std::fmt::Write as _;
use std::fs;
use std::io::{Read, Write};
use std::path::Path;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde_json::Value;

use super::sheets::{SHEETS, Sheet};
use super::{read_json, renew};
use crate::Result;

/// Renews the CSV of each file in the folder of all runs or, with `check`, fails if one of them
/// would change.
pub fn run(root: &Path, check: bool) -> Result<()> {
    for sheet in SHEETS {
        let value = read_json(&root.join(format!("docs/results/runs/{}.json", sheet.file)))?;
        let new = csv(sheet, &value)?;
        let path = format!("docs/results/runs/{}", sheet.csv());
        let old = fs::read(root.join(&path)).unwrap_or_default();
        if !sheet.compressed {
            renew(root, &path, &String::from_utf8_lossy(&old), &new, check)?;
            continue;
        }
        // Another version of the compressor may write other bytes of the same text.
        let mut text = String::new();
        let is_read = GzDecoder::new(&old[..]).read_to_string(&mut text).is_ok();
        if !is_read || text != new {
            renew(root, &path, "", &new, check)?;
            let error = |error: std::io::Error| format!("{path}: {error}");
            let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
            encoder.write_all(new.as_bytes()).map_err(error)?;
            let bytes = encoder.finish().map_err(error)?;
            fs::write(root.join(&path), bytes).map_err(error)?;
        }
    }
    Ok(())
}

/// The lines of a file: one for each of its rows, or for each element of the list in them that
/// the sheet names.
fn csv(sheet: &Sheet, value: &Value) -> Result<String> {
    let rows = match sheet.root {
        Some(root) => &value[root],
        None => value,
    };
    let rows = rows
        .as_array()
        .ok_or_else(|| format!("{}: not a list of rows", sheet.file))?;
    let titles = sheet.columns.iter().flat_map(|path| titles(path));
    let mut text = titles.collect::<Vec<_>>().join(",");
    text.push('\n');
    for row in rows {
        let inner = sheet.each.and_then(|each| row.pointer(each)?.as_array());
        let empty = Value::Null;
        let lines = match inner {
            Some(inner) if !inner.is_empty() => inner.iter().collect(),
            _ => vec![&empty],
        };
        for element in lines {
            let cells = sheet.columns.iter().map(|path| cells(row, element, path));
            writeln!(text, "{}", cells.collect::<Vec<_>>().join(","))
                .map_err(|error| error.to_string())?;
        }
    }
    Ok(text)
}

/// The titles of a column: one, or four for samples, whose path ends with `*`.
fn titles(path: &str) -> Vec<String> {
    let name = path.trim_start_matches(['.', '/']).replace('/', ".");
    let name = name.strip_prefix("result.").unwrap_or(&name);
    match name.strip_suffix('*') {
        Some(name) => ["median", "min", "max", "count"]
            .map(|part| format!("{name}.{part}"))
            .into(),
        None => vec![name.to_owned()],
    }
}

/// The cells of a column in one line. A path that begins with a point is one of the element,
/// every other one is of the row.
fn cells(row: &Value, element: &Value, path: &str) -> String {
    let (value, path) = match path.strip_prefix('.') {
        Some(path) => (element, path),
        None => (row, path),
    };
    let Some(path) = path.strip_suffix('*') else {
        return value.pointer(path).map_or(String::new(), scalar);
    };
    let Some(found) = value.pointer(path).filter(|found| found.is_object()) else {
        return ",,,".to_owned();
    };
    let samples: Vec<f64> = found["samples"]
        .as_array()
        .map(|samples| samples.iter().filter_map(Value::as_f64).collect())
        .unwrap_or_default();
    let extreme = |pick: fn(f64, f64) -> f64| {
        let found = samples.iter().copied().reduce(pick);
        found.map_or(String::new(), number)
    };
    format!(
        "{},{},{},{}",
        scalar(&found["median"]),
        extreme(f64::min),
        extreme(f64::max),
        samples.len()
    )
}

/// A value in a cell; nothing for one that is absent. A list is joined by blanks.
fn scalar(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Number(found) if found.is_f64() => found.as_f64().map_or(String::new(), number),
        Value::String(text) if text.contains([',', '"', '\n']) => {
            format!("\"{}\"", text.replace('"', "\"\""))
        }
        Value::String(text) => text.clone(),
        Value::Array(all) => all.iter().map(scalar).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}

/// A number with five significant digits, which is more than medians repeat to.
fn number(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let digits = (4 - value.abs().log10().floor() as i32).max(0) as usize;
    let text = format!("{value:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_summed_up_and_lists_have_a_line_for_each_element() {
        let sheet = Sheet {
            file: "f",
            compressed: false,
            root: None,
            each: Some("/result/updates"),
            columns: &["/name", "/result/ms*", "./kind", "./ms*"],
        };
        let rows = serde_json::json!([
            {"name": "a,b", "result": {"ms": {"median": 2.0, "samples": [3.0, 1.0, 2.0]},
                "updates": [{"kind": "x", "ms": {"median": 0.123456, "samples": []}}, {"kind": "y"}]}},
            {"name": "c", "result": null},
        ]);
        let text = csv(&sheet, &rows).expect("a table");
        let expected = "name,ms.median,ms.min,ms.max,ms.count,kind,ms.median,ms.min,ms.max,ms.count\n\
            \"a,b\",2,1,3,3,x,0.12346,,,0\n\"a,b\",2,1,3,3,y,,,,\nc,,,,,,,,,\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn what_is_no_list_is_refused() {
        let sheet = SHEETS.iter().find(|sheet| sheet.root.is_none());
        assert!(csv(sheet.expect("a sheet"), &Value::Null).is_err());
    }

    #[test]
    fn numbers_keep_five_digits() {
        let shown = [0.000_123_456_7, 1.0, 1234.56, 123_456_789.0, 0.0].map(number);
        assert_eq!(shown, ["0.00012346", "1", "1234.6", "123456789", "0"]);
    }
}
