//! The row of a case.

use super::{Case, Row};
use crate::meta::Meta;
use crate::workload::Status;

/// The row of a case that has not run.
pub(super) fn new(source: &'static str, case: Case, meta: Meta) -> Row {
    Row {
        source: source.to_owned(),
        pattern: case.pattern,
        bytes: case.bytes,
        threads: case.threads,
        status: Status::Ok,
        error: None,
        pairs: 0,
        allocate: None,
        deallocate: None,
        pairs_per_s: None,
        hits: None,
        misses: None,
        meta,
    }
}
