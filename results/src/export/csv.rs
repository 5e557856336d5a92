//! CSV: comma-separated values (RFC 4180).

use std::fmt::Write;

use super::Table;

impl Table {
    /// Comma-separated values, quoted where needed (RFC 4180).
    pub fn csv(&self) -> String {
        let titles = self.titles();
        let mut text = String::new();
        for row in std::iter::once(&titles).chain(&self.rows) {
            let cells: Vec<String> = row.iter().map(|cell| quoted(cell)).collect();
            // Writing to a string succeeds.
            let _ = writeln!(text, "{}", cells.join(","));
        }
        text
    }
}

/// A cell of CSV, in quotes if it needs them.
pub fn quoted(cell: &str) -> String {
    match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Table;

    fn table() -> Table {
        let mut table = Table::new(&["name", "#ms"]);
        table.push(vec!["one".into(), "1.5".into()]);
        table.push(vec!["a|b, \"c\"".into(), "12.25".into()]);
        table
    }

    #[test]
    fn columns_are_aligned() {
        assert_eq!(
            table().text(),
            "name         ms\none         1.5\na|b, \"c\"  12.25\n"
        );
    }

    #[test]
    fn markdown_and_csv_escape_what_they_must() {
        let markdown = table().markdown();
        assert!(markdown.starts_with("| name     |    ms |\n| -------- | ----: |\n"));
        assert!(markdown.contains("a\\|b"));
        assert_eq!(
            table().csv(),
            "name,ms\none,1.5\n\"a|b, \"\"c\"\"\",12.25\n"
        );
    }
}
