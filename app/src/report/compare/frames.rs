//! Compared of a moving scene, compared.

use super::{Compared, Origin};
use crate::report::FramesReport;

impl Compared for FramesReport {
    /// All frames together.
    fn time(&self) -> f64 {
        self.all_ms()
    }

    fn hash(&self) -> &str {
        &self.trees_hash
    }

    const DIFFER: &'static str = "built different trees";

    fn origin(&self) -> Origin {
        Origin {
            input: self.name(),
            backend: self.backend.clone(),
            device: self.device.clone(),
            meta: self.meta.clone(),
        }
    }
}
