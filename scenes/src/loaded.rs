//! A scene as the readers of all formats return it.

use std::path::PathBuf;

use crate::{CleanReport, Scene, Warning};

/// A cleaned scene, and the counts and warnings of its reading.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The scene after cleaning.
    pub scene: Scene,
    /// The counts of the cleaning pass.
    pub report: CleanReport,
    /// Recoverable problems of the file.
    pub warnings: Vec<Warning>,
    /// The files that are there of the scene: its own and those that it names, read or refused.
    /// Scenes read from bytes have none.
    pub files: Vec<PathBuf>,
}
