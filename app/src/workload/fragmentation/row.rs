//! The row of a case.

use super::{Case, Range, Row, Step};
use crate::Error;
use crate::backend::DeviceInfo;
use crate::meta::{self, Meta};
use crate::workload::{BenchRow, Status, check_statuses};

/// Every block is aligned to so many bytes.
const ALIGNMENT: u64 = 16;
/// Most steps of growth that a row keeps.
const MAX_STEPS_KEPT: usize = 64;

/// The fewest bytes that could hold so many blocks of `bytes` each side by side.
pub(super) fn least_bytes(blocks: u64, bytes: u64) -> u64 {
    match blocks {
        0 => 0,
        _ => (blocks - 1) * bytes.next_multiple_of(ALIGNMENT) + bytes,
    }
}

/// The range of so many blocks, at least one, of `bytes` each.
pub(super) fn range(blocks: u64, range_bytes: u64, bytes: u64) -> Range {
    let least_bytes = least_bytes(blocks, bytes);
    Range {
        blocks,
        range_bytes,
        least_bytes,
        ratio: range_bytes as f64 / least_bytes as f64,
    }
}

/// Some of the steps, evenly distributed, with the last one.
pub(super) fn thinned(steps: &[Step]) -> Vec<Step> {
    let stride = steps.len().div_ceil(MAX_STEPS_KEPT).max(1);
    // From the last one backwards, so that it is among them.
    let mut kept: Vec<Step> = steps.iter().rev().step_by(stride).copied().collect();
    kept.reverse();
    kept
}

/// The row of a case before anything is measured.
pub(super) fn new(case: &Case, info: &DeviceInfo) -> Row {
    let spec = &case.allocator;
    Row {
        allocator: spec.label(),
        parameters: spec.parameters(),
        backend: info.backend.to_owned(),
        device: info.device.clone(),
        pool_bytes: case.pool_bytes,
        threads: case.threads,
        bytes: case.bytes,
        status: Status::Ok,
        error: None,
        overlap: None,
        range: None,
        fill: None,
        growth: None,
        meta: meta::over(meta::of_device(info), spec, info),
    }
}

impl BenchRow for Row {
    fn status(&self) -> Status {
        self.status
    }

    fn ending(&mut self) -> (&mut Status, &mut Option<String>, &mut Meta) {
        (&mut self.status, &mut self.error, &mut self.meta)
    }
}

/// Makes sure that no blocks overlap, that a case has succeeded, and that none has failed.
///
/// # Errors
///
/// [`Error::Verification`], and those of [`check_statuses`].
pub fn verdict(rows: &[Row]) -> Result<(), Error> {
    let cases = rows.len();
    match rows.iter().filter(|row| row.overlap.is_some()).count() {
        0 => check_statuses(rows.iter().map(|row| row.status)),
        count => Err(Error::Verification(format!(
            "in {count} of {cases} cases live blocks overlap"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fewest_bytes_are_those_of_aligned_neighbours() {
        let three = range(3, 84, 20);
        assert_eq!(three.least_bytes, 32 + 32 + 20);
        assert_eq!(three.ratio, 1.0);
        assert_eq!(range(1, 48, 16).ratio, 3.0);
    }

    #[test]
    fn steps_are_thinned_evenly_to_the_last() {
        let step = |number| Step {
            number,
            live_bytes: 0,
            range_bytes: 0,
            alloc_ms: 0.0,
            free_ms: 0.0,
        };
        let of = |count: u32| -> Vec<u32> {
            let steps: Vec<Step> = (1..=count).map(step).collect();
            thinned(&steps).iter().map(|step| step.number).collect()
        };
        assert!(of(0).is_empty());
        assert_eq!(of(64), (1..=64).collect::<Vec<u32>>());
        assert_eq!(of(65)[..2], [1, 3]);
        let many = of(10_000);
        assert_eq!((many.len(), many.last()), (64, Some(&10_000)));
        assert!(many.is_sorted());
    }
}
