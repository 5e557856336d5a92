//! What every result says about where it comes from.

use std::sync::OnceLock;

use glam::DVec3;
use heapwood_scenes::Scene;
use serde::{Deserialize, Serialize};

use crate::allocators::Spec;
use crate::backend::DeviceInfo;
use crate::link::{AboutFile, Linked};
use crate::samples::milliseconds;

static COMMIT: OnceLock<&'static str> = OnceLock::new();

/// Notes the commit of the program's sources for all results of this process.
///
/// The library is not compiled with it, since each commit would compile the library again. Calls
/// after the first have no effect.
pub fn set_commit(commit: Option<&'static str>) {
    if let Some(commit) = commit {
        COMMIT.get_or_init(|| commit);
    }
}

/// Machine, program and input of a result; what does not apply is null.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    /// The GPU's product name.
    pub gpu: Option<String>,
    /// The GPU driver's release.
    pub driver: Option<String>,
    /// The compiler of the program.
    pub compiler: Option<String>,
    /// The commit of the program's sources.
    pub commit: Option<String>,
    /// The seed of whatever is random.
    pub seed: Option<u64>,
    /// Fingerprint of the input, 16 hexadecimal digits.
    pub input_hash: Option<String>,
    /// The offset of a scene: its positions plus this are the coordinates of its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<[f64; 3]>,
    /// What the kernels were linked with, for an allocator of the user's.
    #[serde(default)]
    pub link: Option<LinkMeta>,
}

/// The offset of a scene, if it is relative to one.
pub fn offset_of(scene: &Scene) -> Option<[f64; 3]> {
    (scene.offset() != DVec3::ZERO).then(|| scene.offset().to_array())
}

/// What kernels were linked with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkMeta {
    /// The files.
    pub files: Vec<AboutFile>,
    /// Whether they were made a part of the kernels' modules.
    pub merged: bool,
    /// How long linking took, all modules together, in milliseconds; null on the CPU, and where
    /// nothing came of it.
    pub ms: Option<f64>,
    /// The most registers of a thread of the kernels that were linked for this result; null on the
    /// CPU.
    #[serde(default)]
    pub registers: Option<u32>,
    /// What a call costs on this device, in the same run; empty but in
    /// microbenchmarks.
    #[serde(default)]
    pub call: Vec<CallCost>,
}

/// The cost of a call of the user's allocator, by the kernel of `threads` that allocates: medians in
/// milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallCost {
    /// Threads, each of which makes a request.
    pub threads: u32,
    /// Bytes of a request.
    pub bytes: u64,
    /// With the allocator in the kernel.
    pub inlined_ms: f64,
    /// With the allocator called.
    pub called_ms: f64,
    /// What a request takes longer, in nanoseconds: the difference divided by the requests, which
    /// are served side by side.
    pub more_ns: f64,
}

impl LinkMeta {
    /// That of what a backend has linked.
    pub fn of(linked: &Linked) -> Self {
        Self {
            files: linked.files.clone(),
            merged: linked.merged,
            ms: (!linked.time.is_zero()).then_some(linked.time.as_secs_f64() * 1e3),
            registers: linked.registers,
            call: Vec::new(),
        }
    }

    /// For people: the files, how long it took, and the registers.
    pub fn text(&self) -> String {
        let files = self.files_text();
        let time = self.ms.map(|ms| format!(" in {} ms", milliseconds(ms)));
        let registers = self
            .registers
            .map(|count| format!(", up to {count} registers"));
        files + &time.unwrap_or_default() + &registers.unwrap_or_default()
    }

    /// For people: what a call costs, in a line for each number of threads.
    pub fn call_lines(&self) -> Vec<String> {
        let line = |cost: &CallCost| {
            format!(
                "{} threads of {} B: {} ms, and {} ms inlined: {:.3} ns more a request",
                cost.threads,
                cost.bytes,
                milliseconds(cost.called_ms),
                milliseconds(cost.inlined_ms),
                cost.more_ns
            )
        };
        self.call.iter().map(line).collect()
    }

    /// The files, and how they came into the kernels.
    pub fn files_text(&self) -> String {
        let file =
            |file: &AboutFile| format!("{} ({}, hash {})", file.file, file.kind.name(), file.hash);
        let files: Vec<String> = self.files.iter().map(file).collect();
        let merged = if self.merged {
            ", merged with the kernels"
        } else {
            ""
        };
        files.join(", ") + merged
    }
}

impl Meta {
    /// For a result from this backend.
    pub fn new(info: &DeviceInfo) -> Self {
        Self {
            gpu: info.is_gpu.then(|| info.device.clone()),
            driver: info.driver.clone(),
            compiler: option_env!("HEAPWOOD_RUSTC").map(str::to_owned),
            commit: COMMIT.get().map(|&commit| commit.to_owned()),
            seed: None,
            input_hash: None,
            offset: None,
            link: None,
        }
    }

    /// The same for a result over this allocator.
    #[must_use]
    pub fn over(self, spec: &Spec, info: &DeviceInfo) -> Self {
        let linked = info.linked.as_ref().filter(|_| spec.is_external());
        let link = linked.map(LinkMeta::of);
        Self { link, ..self }
    }

    /// What the kernels were linked with, as a line for people.
    pub fn link_line(&self) -> Option<(&'static str, String)> {
        let link = self.link.as_ref()?;
        Some(("linked", link.text()))
    }

    /// For a result of work on a scene.
    pub fn of_scene(info: &DeviceInfo, scene: &Scene) -> Self {
        Self {
            input_hash: Some(format!("{:016x}", scene.input_hash())),
            offset: offset_of(scene),
            ..Self::new(info)
        }
    }
}
