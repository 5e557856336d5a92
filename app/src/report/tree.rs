//! The result of building a tree.

pub use heapwood_results::tree::TreeReport;

use super::build_options;
use crate::backend::DeviceInfo;
use crate::meta;
use crate::tree::{Builder, PreparedBuild};
use crate::workload::cores::{self, CoresMeasurement};
use crate::workload::tree::{BuildMeasurement, Workload};

/// The result of a workload that was measured, with the memory that it was built in.
pub fn tree_report(
    workload: &Workload,
    info: &DeviceInfo,
    measured: &BuildMeasurement,
    ready: &PreparedBuild,
) -> TreeReport {
    let (scene, spec) = (workload.scene, &workload.spec);
    let triangles = scene.len();
    let options = ready.options();
    let result = &measured.built.result;
    let statistics = &measured.statistics;
    let requested = statistics.allocations as f64 * statistics.mean_bytes;
    let high_water = match spec.allocator.properties.frees {
        true => statistics.peak_bytes,
        false => statistics.peak_bytes.max(requested.round() as u64),
    };
    TreeReport {
        scene: scene.name().to_owned(),
        triangles: triangles as u64,
        backend: info.backend.to_owned(),
        device: info.device.clone(),
        builder: Builder::Kernels,
        allocator: Some(spec.label()),
        parameters: Some(spec.parameters()),
        options: build_options(options, Some(spec)),
        root_bytes: ready.root_bytes(),
        pool_bytes: Some(ready.pool_bytes()),
        pool_high_water_bytes: ready.tells_granted().then_some(high_water),
        device_bytes: Some(ready.device_bytes()),
        workspace_bytes: Some(ready.workspace_bytes()),
        workspace_used_bytes: Some(ready.used_workspace_bytes(&measured.built)),
        workspace_tried_bytes: Some(ready.tried_workspace_bytes()),
        init_ms: Some(measured.init_ms.clone()),
        build_ms: measured.build_ms.clone(),
        nodes: result.nodes,
        leaves: result.leaves,
        max_depth: result.depth,
        references: result.references,
        references_per_triangle: f64::from(result.references) / triangles as f64,
        references_bounded: options.bounded,
        limited_leaves: result.limited_leaves,
        cut_leaves: result.cut_leaves,
        sah_cost: measured.sah_cost,
        comparable_sah_cost: measured.comparable_sah_cost,
        allocations: Some(statistics.allocations),
        frees: Some(statistics.frees),
        allocation_mean_bytes: Some(statistics.mean_bytes),
        allocation_std_bytes: Some(statistics.deviation_bytes),
        internal_fragmentation: ready
            .tells_granted()
            .then_some(statistics.internal_fragmentation),
        external_fragmentation: measured.external_fragmentation,
        tree_hash: measured.hash.to_string(),
        saved: None,
        render: None,
        meta: meta::over(meta::of_scene(info, scene), spec, info),
    }
}

/// The result of a workload that was measured on the cores of the CPU.
pub fn cores_report(
    workload: &cores::Workload,
    info: &DeviceInfo,
    measured: &CoresMeasurement,
) -> TreeReport {
    let (scene, built) = (workload.scene, &measured.built);
    let (triangles, references) = (scene.len(), built.tree.references.len());
    TreeReport {
        scene: scene.name().to_owned(),
        triangles: triangles as u64,
        backend: info.backend.to_owned(),
        device: info.device.clone(),
        builder: Builder::Cores,
        allocator: None,
        parameters: None,
        options: build_options(&workload.options, None),
        root_bytes: 4 * triangles as u64,
        pool_bytes: None,
        pool_high_water_bytes: None,
        device_bytes: None,
        workspace_bytes: None,
        workspace_used_bytes: None,
        workspace_tried_bytes: None,
        init_ms: None,
        build_ms: measured.build_ms.clone(),
        nodes: built.tree.nodes.len() as u32,
        leaves: built.leaves,
        max_depth: built.depth,
        references: references as u32,
        references_per_triangle: references as f64 / triangles as f64,
        references_bounded: built.bounded,
        limited_leaves: built.limited_leaves,
        cut_leaves: built.cut_leaves,
        sah_cost: measured.sah_cost,
        comparable_sah_cost: measured.comparable_sah_cost,
        allocations: None,
        frees: None,
        allocation_mean_bytes: None,
        allocation_std_bytes: None,
        internal_fragmentation: None,
        external_fragmentation: None,
        tree_hash: measured.hash.to_string(),
        saved: None,
        render: None,
        meta: meta::of_scene(info, scene),
    }
}
