//! Shares of time that are calls of the allocator, compared.

use heapwood_results::sensitivity::SensitivityReport;

use super::{Compared, Origin};

impl Compared for SensitivityReport {
    /// Without delays.
    fn time(&self) -> f64 {
        self.plain_ms.median
    }

    fn hash(&self) -> &str {
        &self.hash
    }

    const DIFFER: &'static str = "ended differently";

    fn origin(&self) -> Origin {
        Origin {
            input: self.input.as_ref().unwrap_or(&self.command).clone(),
            backend: self.backend.clone(),
            device: self.device.clone(),
            meta: self.meta.clone(),
        }
    }
}
