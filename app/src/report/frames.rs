//! The result of building the trees of a moving scene.

use std::collections::BTreeMap;

use heapwood_scenes::fnv1a;
use serde::{Deserialize, Serialize};

use super::build_options::BuildOptions;
use super::{Table, milliseconds, used_part};
use crate::backend::DeviceInfo;
use crate::meta::Meta;
use crate::samples::Samples;
use crate::size::display;
use crate::workload::frames::{Measurement, Workload};

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
    /// For a workload that was measured.
    pub fn new(workload: &Workload, info: &DeviceInfo, measured: &Measurement) -> Self {
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
        Self {
            backend: info.backend.to_owned(),
            device: info.device.clone(),
            allocator: spec.label(),
            parameters: spec.parameters(),
            options: BuildOptions::new(&workload.options, Some(spec)),
            pool_bytes: measured.pool_bytes,
            pool_high_water_bytes: measured.peak_bytes,
            device_bytes: measured.device_bytes,
            workspace_bytes: measured.workspace_bytes,
            init_ms: measured.init_ms,
            build_ms_median: Samples::new(medians).map_or(0.0, |samples| samples.median),
            build_ms_max: maxima.fold(0.0, f64::max),
            // What is more is no result.
            left_bytes: measured.walked.then_some(0),
            trees_hash: format!("{trees:016x}"),
            meta: Meta {
                input_hash: Some(format!("{:016x}", hash_of(input))),
                offset: workload.frames.iter().find_map(|frame| frame.offset),
                ..Meta::new(info).over(spec, info)
            },
            frames,
        }
    }

    /// The name of the whole: those of the frames.
    pub fn name(&self) -> String {
        name_of(self.frames.iter().map(|frame| frame.scene.as_str()))
    }

    /// The report for people: a line a frame, and what they have in common.
    pub fn text(&self) -> String {
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
        let runs = self.frames.first().map_or(0, |f| f.build_ms.samples.len());
        let lines = [
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
        let lines: String = lines
            .into_iter()
            .chain(self.meta.link_line())
            .map(|(name, value)| format!("{name:<13}  {value}\n"))
            .collect();
        format!("{}\n{lines}", table.text())
    }
}

/// The name of several scenes.
pub fn name_of<'a>(scenes: impl Iterator<Item = &'a str>) -> String {
    scenes.collect::<Vec<_>>().join(", ")
}

/// Fingerprint of hashes in their order: FNV-1a, 64 bits, over their bytes, least first.
pub fn hash_of(hashes: impl Iterator<Item = u64>) -> u64 {
    fnv1a(hashes.flat_map(u64::to_le_bytes))
}
