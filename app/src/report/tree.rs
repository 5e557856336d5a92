//! The result of building a tree.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::build_options::BuildOptions;
use super::kept::SavedReport;
use super::picture::PictureReport;
use super::{milliseconds, triangles, used_part};
use crate::backend::DeviceInfo;
use crate::meta::Meta;
use crate::samples::Samples;
use crate::size::display;
use crate::tree::{Builder, PreparedBuild};
use crate::workload::cores::{self, CoresMeasurement};
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
    pub builder: Builder,
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
    /// For a workload that was measured, with the memory that it was built in.
    pub fn new(
        workload: &Workload,
        info: &DeviceInfo,
        measured: &BuildMeasurement,
        ready: &PreparedBuild,
    ) -> Self {
        let (scene, spec) = (workload.scene, &workload.spec);
        let triangles = scene.len();
        let options = ready.options();
        let result = &measured.built.result;
        let statistics = &measured.statistics;
        let requested = statistics.allocations as f64 * statistics.mean_bytes;
        let high_water = match spec.allocator.properties.frees {
            true => statistics.peak_bytes,
            false => requested.round() as u64,
        };
        Self {
            scene: scene.name().to_owned(),
            triangles: triangles as u64,
            backend: info.backend.to_owned(),
            device: info.device.clone(),
            builder: Builder::Kernels,
            allocator: Some(spec.label()),
            parameters: Some(spec.parameters()),
            options: BuildOptions::new(options, spec),
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
            meta: Meta::of_scene(info, scene).over(spec, info),
        }
    }

    /// For a workload that was measured on the cores of the CPU.
    pub fn of_cores(
        workload: &cores::Workload,
        info: &DeviceInfo,
        measured: &CoresMeasurement,
    ) -> Self {
        let (scene, built) = (workload.scene, &measured.built);
        let (triangles, references) = (scene.len(), built.tree.references.len());
        Self {
            scene: scene.name().to_owned(),
            triangles: triangles as u64,
            backend: info.backend.to_owned(),
            device: info.device.clone(),
            builder: Builder::Cores,
            allocator: None,
            parameters: None,
            options: BuildOptions::of_cores(&workload.options),
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
            meta: Meta::of_scene(info, scene),
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
