//! Builds of trees, compared.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Origin, Row, Standing, TreeRow};
use crate::report::TreeReport;
use crate::workload::compare::Outcome;

/// A report of `heapwood kdtree`.
pub trait Trees: Serialize + DeserializeOwned {
    /// The time by which results are compared, in milliseconds.
    fn time(&self) -> f64;

    /// The hash that all results must have.
    fn hash(&self) -> &str;

    /// Where it comes from.
    fn origin(&self) -> Origin;
}

impl<R: Trees> Row for TreeRow<R> {
    type Result = R;

    fn case(&self) -> String {
        self.allocator.clone()
    }

    fn allocator(&self) -> &str {
        &self.allocator
    }

    fn standing(&self) -> &Standing {
        &self.standing
    }

    fn standing_mut(&mut self) -> &mut Standing {
        &mut self.standing
    }

    fn time(result: &R) -> f64 {
        result.time()
    }

    fn options(&self) -> &[String] {
        &self.options
    }

    fn outcome(&self) -> &Outcome<R> {
        &self.outcome
    }

    fn hash(result: &R) -> &str {
        result.hash()
    }

    const DIFFER: &'static str = "built different trees";

    fn origin(result: &R) -> Origin {
        result.origin()
    }
}

impl Trees for TreeReport {
    fn time(&self) -> f64 {
        self.build_ms.median
    }

    fn hash(&self) -> &str {
        &self.tree_hash
    }

    fn origin(&self) -> Origin {
        Origin {
            input: self.scene.clone(),
            backend: self.backend.clone(),
            device: self.device.clone(),
            meta: self.meta.clone(),
        }
    }
}
