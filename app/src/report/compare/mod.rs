//! Rows of a comparison, a case each, as tables.

mod graph;
mod tree;

pub use graph::{GraphRow, graph_table};
pub use tree::{TreeRow, set_ratios, tree_table};

use crate::workload::compare::Outcome;

/// How a case ended, for people.
fn status<R>(outcome: &Outcome<R>) -> String {
    match &outcome.error {
        Some(why) => format!("{}: {why}", outcome.status.name()),
        None => outcome.status.name().to_owned(),
    }
}

/// A cell of a table.
fn cell(value: Option<String>) -> String {
    value.unwrap_or_else(|| "-".to_owned())
}
