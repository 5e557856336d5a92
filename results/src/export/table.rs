//! A table of text, which every format but JSON is written from.

/// A column: its title, and whether it holds numbers.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// The title.
    pub title: &'static str,
    /// Numbers are aligned to the right.
    pub numeric: bool,
}

/// A column of rows: its title, and what a row has in it.
pub type Cells<R> = (&'static str, fn(&R) -> String);

/// Rows of text under columns.
#[derive(Clone, Debug, Default)]
pub struct Table {
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<Vec<String>>,
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

    /// Rows in these columns: a title as for [`Self::new`], and a row's cell.
    pub fn of<'r, R: 'r>(columns: &[Cells<R>], rows: impl IntoIterator<Item = &'r R>) -> Self {
        let titles: Vec<&'static str> = columns.iter().map(|(title, _)| *title).collect();
        let mut table = Self::new(&titles);
        for row in rows {
            table.push(columns.iter().map(|(_, cell)| cell(row)).collect());
        }
        table
    }

    /// Adds a row with a cell for each column.
    pub fn push(&mut self, row: Vec<String>) {
        debug_assert_eq!(row.len(), self.columns.len());
        self.rows.push(row);
    }

    /// The titles, as a row.
    pub(super) fn titles(&self) -> Vec<String> {
        let columns = self.columns.iter();
        columns.map(|column| column.title.to_owned()).collect()
    }

    /// Characters of the widest cell of each column.
    pub(super) fn widths(&self) -> Vec<usize> {
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
}

/// A cell, padded to the width of its column.
pub(super) fn pad(cell: &str, width: usize, right: bool) -> String {
    match right {
        true => format!("{cell:>width$}"),
        false => format!("{cell:<width$}"),
    }
}
