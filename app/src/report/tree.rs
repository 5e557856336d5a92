//! The result of building a tree.

pub use heapwood_results::tree::TreeReport;

use super::build_options;
use crate::allocators::Spec;
use crate::backend::DeviceInfo;
use crate::meta;
use crate::tree::{Builder, BuilderKind};
use crate::workload::tree::{BuildMeasurement, Workload};

/// The result of a workload that was measured.
pub fn tree_report(
    workload: &Workload,
    info: &DeviceInfo,
    measured: &BuildMeasurement,
) -> TreeReport {
    let (scene, shape) = (workload.scene, measured.tree.shape());
    let triangles = scene.len();
    let (builder, spec) = match &workload.builder {
        Builder::Kernels { spec, .. } => (BuilderKind::Kernels, Some(spec)),
        Builder::Cores { .. } | Builder::File(_) => (BuilderKind::Cores, None),
    };
    let heap = measured.heap.as_ref();
    let statistics = heap.map(|heap| &heap.statistics);
    // Of blocks, where their sizes are known.
    let granted = heap.filter(|heap| heap.memory.tells_granted);
    let granted = granted.map(|heap| &heap.statistics);
    let frees = spec.is_some_and(|spec| spec.allocator.properties.frees);
    let meta = meta::of_scene(info, scene);
    TreeReport {
        scene: scene.name().to_owned(),
        triangles: triangles as u64,
        backend: info.backend.to_owned(),
        device: info.device.clone(),
        builder,
        allocator: spec.map(Spec::label),
        parameters: spec.map(Spec::parameters),
        options: build_options(&shape.options, spec),
        root_bytes: 4 * triangles as u64,
        pool_bytes: heap.map(|heap| heap.memory.pool_bytes),
        pool_high_water_bytes: granted.map(|statistics| {
            let requested = statistics.allocations as f64 * statistics.mean_bytes;
            match frees {
                true => statistics.peak_bytes,
                false => requested.round() as u64,
            }
        }),
        device_bytes: heap.map(|heap| heap.memory.device_bytes),
        workspace_bytes: heap.map(|heap| heap.memory.workspace_bytes),
        workspace_used_bytes: heap.map(|heap| heap.workspace_used_bytes),
        workspace_tried_bytes: heap.map(|heap| heap.memory.tried_workspace_bytes),
        init_ms: heap.map(|heap| heap.init_ms.clone()),
        build_ms: measured.build_ms.clone(),
        nodes: shape.nodes,
        leaves: shape.leaves,
        max_depth: shape.depth,
        references: shape.references,
        references_per_triangle: f64::from(shape.references) / triangles as f64,
        references_bounded: shape.options.bounded,
        limited_leaves: measured.stats.limited_leaves,
        cut_leaves: measured.stats.cut_leaves,
        sah_cost: measured.sah_cost,
        comparable_sah_cost: measured.comparable_sah_cost,
        allocations: statistics.map(|statistics| statistics.allocations),
        frees: statistics.map(|statistics| statistics.frees),
        allocation_mean_bytes: statistics.map(|statistics| statistics.mean_bytes),
        allocation_std_bytes: statistics.map(|statistics| statistics.deviation_bytes),
        internal_fragmentation: granted.map(|statistics| statistics.internal_fragmentation),
        external_fragmentation: heap.and_then(|heap| heap.external_fragmentation),
        tree_hash: measured.hash.to_string(),
        saved: None,
        render: None,
        meta: match spec {
            Some(spec) => meta::over(meta, spec, info),
            None => meta,
        },
    }
}
