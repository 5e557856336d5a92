//! Trees of a moving scene, compared.

use super::{Origin, Trees};
use crate::report::FramesReport;

impl Trees for FramesReport {
    /// All frames together.
    fn time(&self) -> f64 {
        self.all_ms()
    }

    fn hash(&self) -> &str {
        &self.trees_hash
    }

    fn origin(&self) -> Origin {
        Origin {
            input: self.name(),
            backend: self.backend.clone(),
            device: self.device.clone(),
            meta: self.meta.clone(),
        }
    }
}
