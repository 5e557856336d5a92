//! Steps over allocators, compared.

use heapwood_results::steps::{StepsReport, StepsResult};

use super::{Compared, Origin};

impl<R: StepsResult> Compared for StepsReport<R> {
    /// All steps together.
    fn time(&self) -> f64 {
        self.all_ms()
    }

    fn hash(&self) -> &str {
        &self.hash
    }

    const DIFFER: &'static str = "ended differently";

    fn origin(&self) -> Origin {
        let input = self.result.input();
        Origin {
            input: input.map_or(R::COMMAND, |(name, _)| name).to_owned(),
            backend: self.backend.clone(),
            device: self.device.clone(),
            meta: self.meta.clone(),
        }
    }
}
