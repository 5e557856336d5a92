//! The result of building the trees of a moving scene.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::build::BuildOptions;
use crate::cells::{self, option, used_part};
use crate::{Meta, Report, Samples, Table, display, milliseconds};

/// A frame of `heapwood kdtree --frames`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FrameReport {
    /// The scene's name.
    pub scene: String,
    /// Triangles after cleaning.
    pub triangles: u64,
    /// Nodes, leaves among them.
    pub nodes: u32,
    /// References of all leaves.
    pub references: u32,
    /// Expected cost of a ray, with traversal 1 and intersection 5, whatever the tree was built
    /// with.
    pub comparable_sah_cost: f64,
    /// Fingerprint of nodes and references, 16 hexadecimal digits.
    pub tree_hash: String,
    /// The frame in milliseconds: the build, moving the tree into the pool, and freeing the tree
    /// before it. A sample a run.
    pub build_ms: Samples,
    /// Bytes granted to the tree in the pool; null if the allocator does not tell.
    pub tree_bytes: Option<u64>,
    /// Bytes in use in the pool after the frame.
    pub used_bytes: Option<u64>,
    /// Bytes free in the pool after the frame.
    pub free_bytes: Option<u64>,
}

/// The result of `heapwood kdtree --frames`; the keys are stable, what cannot be measured is
/// null.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FramesReport {
    /// `cpu` or `cuda`.
    pub backend: String,
    /// The product.
    pub device: String,
    /// The allocator.
    pub allocator: String,
    /// All of its parameters.
    pub parameters: BTreeMap<String, String>,
    /// How the trees were built.
    pub options: BuildOptions,
    /// Bytes of the allocator's pool.
    pub pool_bytes: u64,
    /// The most bytes granted at a time; null if the allocator does not tell.
    pub pool_high_water_bytes: Option<u64>,
    /// The most bytes of the device's memory beside the pool.
    pub device_bytes: u64,
    /// Bytes of the workspace that all frames were built in.
    pub workspace_bytes: u64,
    /// The only initialisation of the heap, in milliseconds.
    pub init_ms: f64,
    /// The frames, in their order.
    pub frames: Vec<FrameReport>,
    /// The median of the frames' medians, in milliseconds.
    pub build_ms_median: f64,
    /// The largest sample of all frames, in milliseconds.
    pub build_ms_max: f64,
    /// Bytes in use in the pool after the last tree was freed.
    pub left_bytes: Option<u64>,
    /// Fingerprint of the trees' hashes in their order, 16 hexadecimal digits.
    pub trees_hash: String,
    /// Machine, program and input.
    pub meta: Meta,
}

impl FramesReport {
    /// The name of the whole: those of the frames.
    pub fn name(&self) -> String {
        name_of(self.frames.iter().map(|frame| frame.scene.as_str()))
    }

    /// All frames together: the sum of their medians, in milliseconds.
    pub fn all_ms(&self) -> f64 {
        self.frames.iter().map(|frame| frame.build_ms.median).sum()
    }

    /// Lines for people about all frames together.
    fn lines(&self) -> Vec<cells::Line> {
        let runs = self.frames.first().map_or(0, |f| f.build_ms.samples.len());
        let mut lines = vec![
            ("backend", format!("{}, {}", self.backend, self.device)),
            ("allocator", self.allocator.clone()),
            (
                "pool",
                format!(
                    "{}, {} of it used at most; {} after the last tree was freed",
                    display(self.pool_bytes),
                    used_part(self.pool_high_water_bytes),
                    match self.left_bytes {
                        Some(left) => format!("{} in use", display(left)),
                        None => "what is in use is unknown".to_owned(),
                    }
                ),
            ),
            (
                "beside it",
                format!(
                    "{}: a workspace of {}, and the triangles",
                    display(self.device_bytes),
                    display(self.workspace_bytes)
                ),
            ),
            (
                "frames",
                format!(
                    "{}, {} runs; {} ms is their median, {} ms the longest",
                    self.frames.len(),
                    runs,
                    milliseconds(self.build_ms_median),
                    milliseconds(self.build_ms_max)
                ),
            ),
        ];
        lines.extend(self.meta.link_line());
        lines
    }
}

impl Report for FramesReport {
    fn table(&self) -> Table {
        let mut table = Table::new(&[
            "#frame",
            "scene",
            "#triangles",
            "#nodes",
            "#SAH cost",
            "tree hash",
            "#build ms",
            "#in use",
            "#free",
        ]);
        let bytes = |bytes: Option<u64>| bytes.map_or("unknown".to_owned(), display);
        for (index, frame) in self.frames.iter().enumerate() {
            table.push(vec![
                (index + 1).to_string(),
                frame.scene.clone(),
                frame.triangles.to_string(),
                frame.nodes.to_string(),
                format!("{:.2}", frame.comparable_sah_cost),
                frame.tree_hash.clone(),
                milliseconds(frame.build_ms.median),
                bytes(frame.used_bytes),
                bytes(frame.free_bytes),
            ]);
        }
        table
    }

    fn records(&self) -> Table {
        let mut table = Table::new(&[
            "backend",
            "device",
            "allocator",
            "parameters",
            "#pool_bytes",
            "#pool_high_water_bytes",
            "#device_bytes",
            "#workspace_bytes",
            "#frame",
            "scene",
            "#triangles",
            "#nodes",
            "#references",
            "#comparable_sah_cost",
            "tree_hash",
            "#build_ms",
            "#tree_bytes",
            "#used_bytes",
            "#free_bytes",
            "commit",
        ]);
        for (number, frame) in (1_u32..).zip(&self.frames) {
            table.push(vec![
                self.backend.clone(),
                self.device.clone(),
                self.allocator.clone(),
                cells::parameters(&self.parameters),
                self.pool_bytes.to_string(),
                option(self.pool_high_water_bytes),
                self.device_bytes.to_string(),
                self.workspace_bytes.to_string(),
                number.to_string(),
                frame.scene.clone(),
                frame.triangles.to_string(),
                frame.nodes.to_string(),
                frame.references.to_string(),
                frame.comparable_sah_cost.to_string(),
                frame.tree_hash.clone(),
                frame.build_ms.median.to_string(),
                option(frame.tree_bytes),
                option(frame.used_bytes),
                option(frame.free_bytes),
                option(self.meta.commit.as_ref()),
            ]);
        }
        table
    }

    fn text(&self) -> String {
        format!(
            "{}\n{}",
            self.table().text(),
            cells::text(&self.lines(), 13)
        )
    }
}

/// The name of several scenes.
pub fn name_of<'a>(scenes: impl Iterator<Item = &'a str>) -> String {
    scenes.collect::<Vec<_>>().join(", ")
}
