//! The contents of a run's folder: its files, their rows, machine and commits.

use std::path::Path;

use serde_json::Value;

use super::sheets::SHEETS;
use super::{distinct, markdown, read_json};
use crate::Result;

/// A row for each file of measurements in the folder of a run.
pub fn table(runs: &Path, run: &str) -> Result<String> {
    let titles = [
        "data",
        "rows",
        "all rows",
        "GPU or processor",
        "driver",
        "commits",
    ];
    let mut lines = Vec::new();
    for sheet in SHEETS {
        let Some(name) = sheet
            .file
            .strip_prefix(run)
            .and_then(|rest| rest.strip_prefix('/'))
        else {
            continue;
        };
        let value = read_json(&runs.join(format!("{}.json", sheet.file)))?;
        let rows = sheet.root.map_or(&value, |root| &value[root]);
        let rows = rows.as_array().map_or(&[][..], Vec::as_slice);
        lines.push(vec![
            format!("[{name}.json]({name}.json)"),
            rows.len().to_string(),
            {
                let csv = sheet.csv();
                let csv = csv.rsplit('/').next().unwrap_or_default();
                format!("[{csv}]({csv})")
            },
            all(
                rows,
                &[
                    "/meta/gpu",
                    "/result/meta/gpu",
                    "/cpu",
                    "/machine/cpu",
                    "/name",
                ],
            ),
            all(rows, &["/meta/driver", "/result/meta/driver", "/driver"]),
            all(rows, &["/meta/commit", "/result/meta/commit"]),
        ]);
    }
    if lines.is_empty() {
        return Err(format!("there is no run `{run}`"));
    }
    Ok(markdown(&titles.map(str::to_owned), &lines))
}

/// The values of all rows at the first of these paths that any row has.
fn all(rows: &[Value], paths: &[&str]) -> String {
    let at = |path: &&str| {
        let values = rows.iter().filter_map(|row| row.pointer(path)?.as_str());
        Some(distinct(values)).filter(|values| !values.is_empty())
    };
    // A list of allocators has names of its own.
    let found = paths.iter().find_map(at).filter(|found| found.len() < 8);
    found.map_or("-".to_owned(), |values| values.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_those_of_the_sheets() {
        let runs = crate::root().join("docs/results/runs");
        let text = table(&runs, "2026-11-26-epyc").expect("a run");
        assert!(
            text.contains("| [embree.json](embree.json) | 8 |"),
            "{text}"
        );
        assert!(table(&runs, "2026-11-26").is_err());
    }
}
