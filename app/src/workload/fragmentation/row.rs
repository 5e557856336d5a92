//! The result of a case.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Case;
use crate::Error;
use crate::allocators::Spec;
use crate::backend::DeviceInfo;
use crate::meta::Meta;
use crate::workload::cases::BenchRow;
use crate::workload::{Status, check_statuses};

/// Every block is aligned to so many bytes.
const ALIGNMENT: u64 = 16;
/// Most steps of growth that a row keeps.
const STEPS_MOST: usize = 64;

/// The result of a case; the keys are stable, what was not found is null.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// The allocator.
    pub allocator: String,
    /// All of its parameters.
    pub parameters: BTreeMap<String, String>,
    /// `cpu` or `cuda`.
    pub backend: String,
    /// The product.
    pub device: String,
    /// Its pool, in bytes.
    pub pool_bytes: u64,
    /// Threads that allocate a block each at a time.
    pub threads: u32,
    /// Bytes of a block.
    pub bytes: u64,
    /// How it ended.
    pub status: Status,
    /// Why it did not end well.
    pub error: Option<String>,
    /// By what addresses live blocks overlap; null if their addresses do not show that.
    #[serde(default)]
    pub overlap: Option<String>,
    /// The addresses of a block a thread.
    pub range: Option<Range>,
    /// All that is granted.
    pub fill: Option<Fill>,
    /// Growth by half; null for allocators that cannot free.
    pub growth: Option<Growth>,
    /// Machine and program.
    pub meta: Meta,
}

/// The addresses that blocks cover, from the lowest to the highest end.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Range {
    /// Blocks; fewer than threads if some were refused.
    pub blocks: u64,
    /// Bytes that they cover.
    pub range_bytes: u64,
    /// The fewest bytes that could hold them side by side, each aligned to 16.
    pub least_bytes: u64,
    /// The former to the latter.
    pub ratio: f64,
}

/// The fewest bytes that could hold so many blocks of `bytes` each side by side.
pub(super) fn least_bytes(blocks: u64, bytes: u64) -> u64 {
    match blocks {
        0 => 0,
        _ => (blocks - 1) * bytes.next_multiple_of(ALIGNMENT) + bytes,
    }
}

impl Range {
    /// That of so many blocks, at least one, of `bytes` each.
    pub(super) fn new(blocks: u64, range_bytes: u64, bytes: u64) -> Self {
        let least_bytes = least_bytes(blocks, bytes);
        Self {
            blocks,
            range_bytes,
            least_bytes,
            ratio: range_bytes as f64 / least_bytes as f64,
        }
    }
}

/// What was granted until nothing was any more.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fill {
    /// Blocks.
    pub blocks: u64,
    /// Their bytes, as requested, to those of the pool.
    pub pool_share: f64,
    /// Bytes that they cover.
    pub range_bytes: u64,
    /// Time of all requests, in milliseconds.
    pub alloc_ms: f64,
}

/// Growth until a request was refused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Growth {
    /// Steps in which all requests were served.
    pub steps_served: u32,
    /// Whether a request was refused in the end; if not, there were too many steps.
    pub exhausted: bool,
    /// The most bytes that were live at a time, as requested.
    pub live_bytes: u64,
    /// These to the bytes of the pool.
    pub pool_share: f64,
    /// Bytes that all blocks cover that there ever were.
    pub range_bytes: u64,
    /// Some of the steps that were served, evenly distributed, and the last one.
    pub steps: Vec<Step>,
}

/// A step of growth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Its number, from 1.
    pub number: u32,
    /// Bytes that are live after it, as requested.
    pub live_bytes: u64,
    /// Bytes that all blocks cover that there were so far.
    pub range_bytes: u64,
    /// Time of its requests, in milliseconds.
    pub alloc_ms: f64,
    /// Time of its frees, in milliseconds.
    pub free_ms: f64,
}

/// Some of the steps, evenly distributed, with the last one.
pub(super) fn thinned(steps: &[Step]) -> Vec<Step> {
    let stride = steps.len().div_ceil(STEPS_MOST).max(1);
    // From the last one backwards, so that it is among them.
    let mut kept: Vec<Step> = steps.iter().rev().step_by(stride).copied().collect();
    kept.reverse();
    kept
}

impl Row {
    /// The row of a case of which nothing is known yet.
    pub fn new(case: &Case, spec: &Spec, info: &DeviceInfo) -> Self {
        Self {
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
            meta: Meta::new(info).over(spec, info),
        }
    }
}

impl BenchRow for Row {
    fn status(&self) -> Status {
        self.status
    }

    fn ended(mut self, status: Status, why: impl ToString) -> Self {
        self.status = status;
        self.error = Some(why.to_string());
        self
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
        let range = Range::new(3, 84, 20);
        assert_eq!(range.least_bytes, 32 + 32 + 20);
        assert_eq!(range.ratio, 1.0);
        assert_eq!(Range::new(1, 48, 16).ratio, 3.0);
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
