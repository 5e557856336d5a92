//! A scene as the readers of all formats return it.

use crate::{CleanReport, Scene, Warning};

/// A cleaned scene and what there is to say about it.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The scene after cleaning.
    pub scene: Scene,
    /// What cleaning found.
    pub report: CleanReport,
    /// What was odd but no reason to refuse the file.
    pub warnings: Vec<Warning>,
}
