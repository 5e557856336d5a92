//! Markdown: a table that is aligned in its source too.

use super::table::pad;
use super::{Column, Table};

impl Table {
    /// A Markdown table, aligned in its source too.
    pub fn markdown(&self) -> String {
        let titles = self.titles();
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
}
