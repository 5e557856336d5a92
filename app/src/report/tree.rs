//! The result of building a tree.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::build_options::BuildOptions;
use super::kept::SavedReport;
use super::picture::PictureReport;
use super::{milliseconds, triangles, used_part};
use crate::allocators::Spec;
use crate::backend::DeviceInfo;
use crate::meta::Meta;
use crate::samples::Samples;
use crate::size::display;
use crate::tree::{Builder, BuilderKind};
use crate::workload::tree::{BuildMeasurement, Workload};

/// The result of `heapwood kdtree`; the keys are stable, what cannot be measured or does not
/// apply is null.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TreeReport {
    /// The scene's name.
    pub scene: String,
    /// Triangles after cleaning.
    pub triangles: u64,
    /// `cpu` or `cuda`.
    pub backend: String,
    /// The product.
    pub device: String,
    /// `kernels`, or `cores`, which has no allocator.
    #[serde(default)]
    pub builder: BuilderKind,
    /// The allocator.
    pub allocator: Option<String>,
    /// All of its parameters.
    pub parameters: Option<BTreeMap<String, String>>,
    /// How the tree was built.
    pub options: BuildOptions,
    /// Bytes of the root's reference array, the unit of `--pool 200x`.
    pub root_bytes: u64,
    /// Bytes of the allocator's pool.
    pub pool_bytes: Option<u64>,
    /// The most bytes granted at a time; for an allocator that cannot free, the sum of all
    /// requests, without what it rounds them up to. Null if the allocator does not tell what it
    /// grants.
    pub pool_high_water_bytes: Option<u64>,
    /// Bytes of the device's memory beside the pool: the triangles and the workspace.
    pub device_bytes: Option<u64>,
    /// Bytes of the workspace, in which the finished tree is.
    pub workspace_bytes: Option<u64>,
    /// What the build took of them.
    pub workspace_used_bytes: Option<u64>,
    /// Bytes of the workspace of the first build, which found how much is taken.
    pub workspace_tried_bytes: Option<u64>,
    /// Initialisation of the heap, in milliseconds.
    pub init_ms: Option<Samples>,
    /// The build, in milliseconds.
    pub build_ms: Samples,
    /// Nodes, leaves among them.
    pub nodes: u32,
    /// Leaves.
    pub leaves: u32,
    /// Depth of the deepest leaf.
    pub max_depth: u32,
    /// References of all leaves.
    pub references: u32,
    /// The same for each triangle.
    pub references_per_triangle: f64,
    /// Whether nodes had budgets of references, since the tree would have had more
    /// than 64 a triangle and 1,024.
    pub references_bounded: bool,
    /// Leaves that would have been split but for their budget.
    pub limited_leaves: u32,
    /// Leaves that would have been split but for the limit of depth.
    pub cut_leaves: u32,
    /// Expected cost of a ray, in the unit of the build's costs.
    pub sah_cost: f64,
    /// The same where a step costs 1 and an intersection 5, whatever the tree was built
    /// with, so that trees can be compared.
    pub comparable_sah_cost: f64,
    /// Requests served.
    pub allocations: Option<u64>,
    /// Blocks freed.
    pub frees: Option<u64>,
    /// Mean size of requests, in bytes.
    pub allocation_mean_bytes: Option<f64>,
    /// Standard deviation of sizes, in bytes.
    pub allocation_std_bytes: Option<f64>,
    /// Unused part of blocks, averaged over requests, 0 to 1; null if the allocator does not tell
    /// how large they are.
    pub internal_fragmentation: Option<f64>,
    /// Part of free memory outside of the largest free block, after the last
    /// free, 0 to 1.
    pub external_fragmentation: Option<f64>,
    /// Fingerprint of nodes and references, 16 hexadecimal digits.
    pub tree_hash: String,
    /// The file of the tree, if there is one.
    #[serde(default)]
    pub saved: Option<SavedReport>,
    /// The picture, if there is one.
    pub render: Option<PictureReport>,
    /// Machine, program and input.
    pub meta: Meta,
}

impl TreeReport {
    /// For a workload that was measured.
    pub fn new(workload: &Workload, info: &DeviceInfo, measured: &BuildMeasurement) -> Self {
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
        let meta = Meta::of_scene(info, scene);
        Self {
            scene: scene.name().to_owned(),
            triangles: triangles as u64,
            backend: info.backend.to_owned(),
            device: info.device.clone(),
            builder,
            allocator: spec.map(Spec::label),
            parameters: spec.map(Spec::parameters),
            options: BuildOptions::new(&shape.options, spec),
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
                Some(spec) => meta.over(spec, info),
                None => meta,
            },
        }
    }

    /// Names and values for people, or for a table of one row.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let mut lines = vec![
            (
                "scene",
                format!("{}, {}", self.scene, triangles(self.triangles)),
            ),
            ("backend", format!("{}, {}", self.backend, self.device)),
            ("builder", self.builder.to_string()),
        ];
        lines.extend(self.heap_lines());
        lines.extend(self.tree_lines());
        lines.extend(self.allocation_lines());
        lines.push(("tree hash", self.tree_hash.clone()));
        lines.extend(self.saved.as_ref().map(SavedReport::line));
        lines
    }

    /// The allocator and memory; nothing without an allocator.
    fn heap_lines(&self) -> Vec<(&'static str, String)> {
        let shown = |bytes: Option<u64>| bytes.map_or("unknown".to_owned(), display);
        let Some(allocator) = &self.allocator else {
            return Vec::new();
        };
        let mut lines = vec![("allocator", allocator.clone())];
        lines.extend(self.meta.link_line());
        lines.extend([
            (
                "pool",
                format!(
                    "{}, {} of it used at most; the root's references take {}",
                    shown(self.pool_bytes),
                    used_part(self.pool_high_water_bytes),
                    display(self.root_bytes)
                ),
            ),
            (
                "beside it",
                format!(
                    "{}: a workspace of {}, {} of it used, and the triangles; {} in the first build",
                    shown(self.device_bytes),
                    shown(self.workspace_bytes),
                    shown(self.workspace_used_bytes),
                    shown(self.workspace_tried_bytes)
                ),
            ),
        ]);
        lines
    }

    /// The build and the tree.
    fn tree_lines(&self) -> Vec<(&'static str, String)> {
        let (least, most) = self.build_ms.range();
        vec![
            (
                "build",
                format!(
                    "{} ms, the median of {} runs from {} to {}",
                    milliseconds(self.build_ms.median),
                    self.build_ms.samples.len(),
                    milliseconds(least),
                    milliseconds(most)
                ),
            ),
            (
                "tree",
                format!(
                    "{} nodes, {} leaves, depth {}; the limit of depth cut off {}",
                    self.nodes, self.leaves, self.max_depth, self.cut_leaves
                ),
            ),
            (
                "references",
                format!(
                    "{}, {:.2} for each triangle{}",
                    self.references,
                    self.references_per_triangle,
                    match self.references_bounded {
                        true => format!(
                            "; bounded: {} leaves would have been split",
                            self.limited_leaves
                        ),
                        false => String::new(),
                    }
                ),
            ),
            (
                "SAH cost",
                format!(
                    "{:.2} by the costs of the build, {:.2} with costs 1 and 5",
                    self.sah_cost, self.comparable_sah_cost
                ),
            ),
        ]
    }

    /// What was allocated; nothing without an allocator.
    fn allocation_lines(&self) -> Vec<(&'static str, String)> {
        let (Some(allocations), Some(frees)) = (self.allocations, self.frees) else {
            return Vec::new();
        };
        let part =
            |part: Option<f64>| part.map_or("unknown".to_owned(), |part| format!("{part:.4}"));
        let bytes =
            |bytes: Option<f64>| bytes.map_or("unknown".to_owned(), |bytes| format!("{bytes:.0}"));
        vec![
            (
                "allocations",
                format!(
                    "{allocations}, {frees} freed; {} bytes on average, standard deviation {}",
                    bytes(self.allocation_mean_bytes),
                    bytes(self.allocation_std_bytes)
                ),
            ),
            (
                "fragmentation",
                format!(
                    "{} internal, {} external",
                    part(self.internal_fragmentation),
                    part(self.external_fragmentation)
                ),
            ),
        ]
    }

    /// The report for people.
    pub fn text(&self) -> String {
        let lines = self.lines();
        let mut text: String = lines
            .iter()
            .map(|(name, value)| format!("{name:<13}  {value}\n"))
            .collect();
        if let Some(render) = &self.render {
            text += &format!("{:<13}  {}", "picture", render.text());
        }
        text
    }
}
