//! Rows whose cases differ in their allocators only.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{ComparedRow, Origin, Row, Standing};
use crate::workload::compare::Outcome;

/// A report of work over an allocator, where cases differ in nothing else.
pub trait Compared: Serialize + DeserializeOwned {
    /// The time by which results are compared, in milliseconds.
    fn time(&self) -> f64;

    /// The hash that all results must have.
    fn hash(&self) -> &str;

    /// The words for two cases whose hashes differ.
    const DIFFER: &'static str;

    /// Where it comes from.
    fn origin(&self) -> Origin;
}

impl<R: Compared> Row for ComparedRow<R> {
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

    const DIFFER: &'static str = R::DIFFER;

    fn origin(result: &R) -> Origin {
        result.origin()
    }
}
