//! The result of building the trees of a moving scene.

use heapwood_scenes::fnv1a;

pub use heapwood_results::frames::{FrameReport, FramesReport, name_of};

use super::build_options;
use crate::backend::DeviceInfo;
use crate::meta::{self, Meta};
use crate::samples::Samples;
use crate::workload::frames::{Measurement, Workload};

/// The result of a workload that was measured.
pub fn frames_report(
    workload: &Workload,
    info: &DeviceInfo,
    measured: &Measurement,
) -> FramesReport {
    let frames = workload.frames.iter().zip(&measured.frames);
    let frames: Vec<FrameReport> = frames
        .map(|(frame, measured)| FrameReport {
            scene: frame.name.clone(),
            triangles: frame.triangles.len() as u64,
            nodes: measured.nodes,
            references: measured.references,
            comparable_sah_cost: measured.comparable_sah_cost,
            tree_hash: measured.hash.to_string(),
            build_ms: measured.build_ms.clone(),
            tree_bytes: measured.kept_bytes,
            used_bytes: measured.occupancy.map(|(used, _)| used),
            free_bytes: measured.occupancy.map(|(_, free)| free),
        })
        .collect();
    let medians = frames.iter().map(|frame| frame.build_ms.median).collect();
    let maxima = frames.iter().map(|frame| frame.build_ms.range().1);
    let input = workload.frames.iter().map(|frame| frame.input_hash);
    let trees = hash_of(measured.frames.iter().map(|frame| frame.hash.0));
    let spec = &workload.spec;
    FramesReport {
        backend: info.backend.to_owned(),
        device: info.device.clone(),
        allocator: spec.label(),
        parameters: spec.parameters(),
        options: build_options(&workload.options, Some(spec)),
        pool_bytes: measured.pool_bytes,
        pool_high_water_bytes: measured.peak_bytes,
        device_bytes: measured.device_bytes,
        workspace_bytes: measured.workspace_bytes,
        init_ms: measured.init_ms,
        build_ms_median: Samples::new(medians).map_or(0.0, |samples| samples.median),
        build_ms_max: maxima.fold(0.0, f64::max),
        // More bytes are an error, and no result.
        left_bytes: measured.walked.then_some(0),
        trees_hash: format!("{trees:016x}"),
        meta: Meta {
            input_hash: Some(format!("{:016x}", hash_of(input))),
            offset: workload.frames.iter().find_map(|frame| frame.offset),
            ..meta::over(meta::of_device(info), spec, info)
        },
        frames,
    }
}

/// Fingerprint of hashes in their order: FNV-1a, 64 bits, over their bytes, least first.
pub fn hash_of(hashes: impl Iterator<Item = u64>) -> u64 {
    fnv1a(hashes.flat_map(u64::to_le_bytes))
}
