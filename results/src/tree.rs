//! The result of building a tree.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::build::{BuildOptions, BuilderKind, SavedReport};
use crate::cells::{self, Line, median, option, triangles, used_part};
use crate::picture::PictureReport;
use crate::{Cells, Meta, Report, Samples, Table, display, milliseconds};

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
    /// Bytes of the workspace that the build used.
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
    /// Names and values for people, or for a table of one row.
    pub fn lines(&self) -> Vec<Line> {
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
    fn heap_lines(&self) -> Vec<Line> {
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
    fn tree_lines(&self) -> Vec<Line> {
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

    /// Lines about allocations; none without an allocator.
    fn allocation_lines(&self) -> Vec<Line> {
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
}

/// A build for programs. Times are medians.
const RECORDS: &[Cells<TreeReport>] = &[
    ("scene", |report| report.scene.clone()),
    ("#triangles", |report| report.triangles.to_string()),
    ("backend", |report| report.backend.clone()),
    ("device", |report| report.device.clone()),
    ("builder", |report| report.builder.to_string()),
    ("allocator", |report| option(report.allocator.as_ref())),
    ("parameters", |report| {
        report
            .parameters
            .as_ref()
            .map_or(String::new(), cells::parameters)
    }),
    ("#traversal_cost", |report| {
        report.options.traversal_cost.to_string()
    }),
    ("#intersection_cost", |report| {
        report.options.intersection_cost.to_string()
    }),
    ("#empty_bonus", |report| {
        report.options.empty_bonus.to_string()
    }),
    ("#depth_limit", |report| option(report.options.max_depth)),
    ("clip", |report| report.options.clip.to_string()),
    ("alloc_per_split", |report| {
        report.options.alloc_per_split.to_string()
    }),
    ("check_heap", |report| report.options.check_heap.to_string()),
    ("#root_bytes", |report| report.root_bytes.to_string()),
    ("#pool_bytes", |report| option(report.pool_bytes)),
    ("#pool_high_water_bytes", |report| {
        option(report.pool_high_water_bytes)
    }),
    ("#device_bytes", |report| option(report.device_bytes)),
    ("#workspace_bytes", |report| option(report.workspace_bytes)),
    ("#workspace_used_bytes", |report| {
        option(report.workspace_used_bytes)
    }),
    ("#workspace_tried_bytes", |report| {
        option(report.workspace_tried_bytes)
    }),
    ("#init_ms", |report| median(report.init_ms.as_ref())),
    ("#build_ms", |report| report.build_ms.median.to_string()),
    ("#nodes", |report| report.nodes.to_string()),
    ("#leaves", |report| report.leaves.to_string()),
    ("#max_depth", |report| report.max_depth.to_string()),
    ("#references", |report| report.references.to_string()),
    ("#references_per_triangle", |report| {
        report.references_per_triangle.to_string()
    }),
    ("references_bounded", |report| {
        report.references_bounded.to_string()
    }),
    ("#limited_leaves", |report| {
        report.limited_leaves.to_string()
    }),
    ("#cut_leaves", |report| report.cut_leaves.to_string()),
    ("#sah_cost", |report| report.sah_cost.to_string()),
    ("#comparable_sah_cost", |report| {
        report.comparable_sah_cost.to_string()
    }),
    ("#allocations", |report| option(report.allocations)),
    ("#frees", |report| option(report.frees)),
    ("#allocation_mean_bytes", |report| {
        option(report.allocation_mean_bytes)
    }),
    ("#allocation_std_bytes", |report| {
        option(report.allocation_std_bytes)
    }),
    ("#internal_fragmentation", |report| {
        option(report.internal_fragmentation)
    }),
    ("#external_fragmentation", |report| {
        option(report.external_fragmentation)
    }),
    ("tree_hash", |report| report.tree_hash.clone()),
    ("commit", |report| option(report.meta.commit.as_ref())),
];

impl Report for TreeReport {
    fn table(&self) -> Table {
        let mut lines = self.lines();
        lines.extend(self.render.as_ref().map(PictureReport::line));
        cells::table(lines)
    }

    fn records(&self) -> Table {
        Table::of(RECORDS, [self])
    }

    fn text(&self) -> String {
        let picture = self.render.as_ref();
        let picture = picture.map(|picture| format!("{:<13}  {}", "picture", picture.text()));
        cells::text(&self.lines(), 13) + &picture.unwrap_or_default()
    }
}
