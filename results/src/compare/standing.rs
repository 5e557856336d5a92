//! The standing of a row of a comparison among the others.

use serde::{Deserialize, Serialize};

/// The standing of a row among the others. Everything but `frees` changes with the rows around it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Standing {
    /// Whether its allocator frees blocks one by one; one that does not is a lower bound.
    #[serde(default)]
    pub frees: bool,
    /// The allocator that rows are compared with, as on the command line.
    #[serde(default)]
    pub reference: String,
    /// The row's time to that over the reference; null unless both succeeded with the hash of most
    /// rows.
    pub ratio: Option<f64>,
    /// Whether no row of an allocator that frees has a shorter time, among those with that hash.
    #[serde(default)]
    pub fastest: bool,
}

impl Standing {
    /// The ratio for people.
    pub(super) fn shown_ratio(&self) -> Option<String> {
        self.ratio.map(|ratio| format!("{ratio:.2}"))
    }

    /// A star for the fastest.
    pub(super) fn mark(&self) -> String {
        let mark = if self.fastest { "*" } else { "" };
        mark.to_owned()
    }
}
