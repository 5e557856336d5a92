//! A table and the ways to write it.

use std::fmt::Write;

/// A column: its title, and whether it holds numbers.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// The title.
    pub title: &'static str,
    /// Numbers are aligned to the right.
    pub numeric: bool,
}

/// Rows of text under columns.
#[derive(Clone, Debug, Default)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table; titles that start with `#` are those of numeric columns,
    /// without that sign.
    pub fn new(titles: &[&'static str]) -> Self {
        let column = |title: &&'static str| match title.strip_prefix('#') {
            Some(title) => Column {
                title,
                numeric: true,
            },
            None => Column {
                title,
                numeric: false,
            },
        };
        Self {
            columns: titles.iter().map(column).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row with a cell for each column.
    pub fn push(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    fn widths(&self) -> Vec<usize> {
        let width = |index: usize, column: &Column| {
            let cells = self.rows.iter().filter_map(|row| row.get(index));
            cells
                .map(|cell| cell.chars().count())
                .fold(column.title.chars().count(), usize::max)
        };
        let columns = self.columns.iter().enumerate();
        columns
            .map(|(index, column)| width(index, column))
            .collect()
    }

    /// Aligned columns, two spaces apart, under their titles.
    pub fn text(&self) -> String {
        let titles: Vec<String> = self.columns.iter().map(|c| c.title.to_owned()).collect();
        let widths = self.widths();
        let mut text = String::new();
        for row in std::iter::once(&titles).chain(&self.rows) {
            let mut line = String::new();
            for ((cell, column), &width) in row.iter().zip(&self.columns).zip(&widths) {
                let gap = if line.is_empty() { "" } else { "  " };
                line.push_str(gap);
                line.push_str(&pad(cell, width, column.numeric));
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    /// A Markdown table, aligned in its source too.
    pub fn markdown(&self) -> String {
        let titles: Vec<String> = self.columns.iter().map(|c| c.title.to_owned()).collect();
        let widths: Vec<usize> = self
            .widths()
            .into_iter()
            .map(|width| width.max(3))
            .collect();
        let rule = |(column, &width): (&Column, &usize)| match column.numeric {
            true => format!("{}:", "-".repeat(width - 1)),
            false => "-".repeat(width),
        };
        let rule: Vec<String> = self.columns.iter().zip(&widths).map(rule).collect();
        let mut text = String::new();
        for row in [&titles, &rule].into_iter().chain(&self.rows) {
            for ((cell, column), &width) in row.iter().zip(&self.columns).zip(&widths) {
                let cell = cell.replace('|', "\\|");
                text.push_str("| ");
                text.push_str(&pad(&cell, width, column.numeric));
                text.push(' ');
            }
            text.push_str("|\n");
        }
        text
    }

    /// Comma-separated values, quoted where needed (RFC 4180).
    pub fn csv(&self) -> String {
        let titles: Vec<String> = self.columns.iter().map(|c| c.title.to_owned()).collect();
        let mut text = String::new();
        for row in std::iter::once(&titles).chain(&self.rows) {
            let cells: Vec<String> = row.iter().map(|cell| quoted(cell)).collect();
            // Writing to a string succeeds.
            let _ = writeln!(text, "{}", cells.join(","));
        }
        text
    }
}

fn pad(cell: &str, width: usize, right: bool) -> String {
    match right {
        true => format!("{cell:>width$}"),
        false => format!("{cell:<width$}"),
    }
}

fn quoted(cell: &str) -> String {
    match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
