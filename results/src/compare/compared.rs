//! A row of a comparison whose cases differ in their allocators only.

use serde::{Deserialize, Serialize};

use super::Standing;
use crate::Outcome;

/// An allocator's result: of a tree, of the trees of a moving scene, or of steps.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ComparedRow<R> {
    /// The allocator, as on the command line.
    pub allocator: String,
    /// Its time beside those of the others.
    #[serde(flatten)]
    pub standing: Standing,
    /// The options that all cases have in common, as given to its command.
    #[serde(default)]
    pub options: Vec<String>,
    /// The report of the case or its error.
    #[serde(flatten)]
    pub outcome: Outcome<R>,
}
