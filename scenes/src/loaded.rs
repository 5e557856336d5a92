//! A scene as the readers of all formats return it.

use std::path::PathBuf;

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
    /// The files that are there of the scene: its own and those that it names, read or refused.
    /// Scenes read from bytes have none.
    pub files: Vec<PathBuf>,
}
