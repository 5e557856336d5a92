//! Builds of trees, compared.

use super::{Compared, Origin};
use crate::report::TreeReport;

impl Compared for TreeReport {
    fn time(&self) -> f64 {
        self.build_ms.median
    }

    fn hash(&self) -> &str {
        &self.tree_hash
    }

    const DIFFER: &'static str = "built different trees";

    fn origin(&self) -> Origin {
        Origin {
            input: self.scene.clone(),
            backend: self.backend.clone(),
            device: self.device.clone(),
            meta: self.meta.clone(),
        }
    }
}
