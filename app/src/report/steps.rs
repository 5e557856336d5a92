//! The result of steps over an allocator.

use heapwood_results::steps::{StepsReport, StepsResult};

use crate::backend::DeviceInfo;
use crate::meta::{self, Meta};
use crate::workload::steps::{Picture, Stepped, StepsMeasurement, Workload};

/// The result of a workload that was measured, and its picture if one was drawn.
pub fn steps_report<S: Stepped>(
    workload: &Workload<S>,
    check_heap: bool,
    info: &DeviceInfo,
    measured: StepsMeasurement<S::Result>,
) -> (StepsReport<S::Result>, Option<Picture>) {
    let (spec, counts) = (&workload.spec, &measured.counts);
    let (live, granted) = (counts.live_bytes as f64, measured.granted_bytes as f64);
    let input = measured.result.input();
    let input_hash = input.map(|(_, hash)| hash.to_owned());
    let report = StepsReport {
        backend: info.backend.to_owned(),
        device: info.device.clone(),
        allocator: spec.label(),
        parameters: spec.parameters(),
        check_heap,
        result: measured.result,
        pool_bytes: measured.pool_bytes,
        init_ms: measured.init_ms,
        begin_ms: measured.begin_ms,
        steps: workload.steps,
        step_ms: measured.step_ms,
        steps_per_sample: measured.steps_per_sample,
        steps_per_second: 1e3 * f64::from(workload.steps) / measured.all_ms,
        baseline_ms: measured.baseline_ms,
        requests: counts.granted + counts.refused,
        refused: counts.refused,
        freed: counts.freed,
        allocator_share: measured.allocator_share,
        high_water_bytes: measured.high_water_bytes,
        allocated_bytes: measured.granted_bytes,
        internal_fragmentation: (granted > 0.0).then(|| 1.0 - live / granted),
        external_fragmentation: measured.external_fragmentation,
        left_bytes: measured.walked.then_some(0),
        hash: format!("{:016x}", measured.hash),
        verified: workload.verify,
        meta: Meta {
            input_hash,
            ..meta::over(meta::of_device(info), spec, info)
        },
    };
    (report, measured.picture)
}
