//! The contents of a run's folder: its files, their rows, machine and commits.

use std::path::Path;

use super::sheets::SHEETS;
use super::{distinct, markdown};
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
        let contents = (sheet.read)(&runs.join(format!("{}.json", sheet.file)))?;
        let csv = sheet.csv();
        let csv = csv.rsplit('/').next().unwrap_or_default();
        lines.push(vec![
            format!("[{name}.json]({name}.json)"),
            contents.rows.to_string(),
            format!("[{csv}]({csv})"),
            all(contents.machines),
            all(contents.drivers),
            all(contents.commits),
        ]);
    }
    if lines.is_empty() {
        return Err(format!("there is no run `{run}`"));
    }
    Ok(markdown(&titles.map(str::to_owned), &lines))
}

/// Each of these values once.
fn all(values: Vec<String>) -> String {
    let values = distinct(values);
    match values.is_empty() {
        true => "-".to_owned(),
        false => values.join(", "),
    }
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
