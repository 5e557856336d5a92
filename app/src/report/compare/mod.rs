//! Rows of a comparison, a case each, as tables.

mod earlier;
mod frames;
mod graph;
mod rank;
mod standing;
mod tree;

pub use earlier::{Earlier, Origin, Row};
pub use graph::GraphRow;
pub use rank::rank;
pub use standing::Standing;
pub use tree::{TreeRow, Trees};

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
