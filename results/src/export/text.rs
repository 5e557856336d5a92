//! Text: an aligned table.

use super::Table;
use super::table::pad;

impl Table {
    /// Aligned columns, two spaces apart, under their titles.
    pub fn text(&self) -> String {
        let titles = self.titles();
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
}
