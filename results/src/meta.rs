//! The origin of a result, which every result records.

use serde::{Deserialize, Serialize};

use crate::cells::Line;
use crate::samples::milliseconds;

/// Machine, program and input of a result; what does not apply is null.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    /// The GPU's product name.
    pub gpu: Option<String>,
    /// The GPU driver's release.
    pub driver: Option<String>,
    /// The compiler of the program.
    pub compiler: Option<String>,
    /// The commit of the program's sources.
    pub commit: Option<String>,
    /// The seed of random inputs.
    pub seed: Option<u64>,
    /// Fingerprint of the input, 16 hexadecimal digits.
    pub input_hash: Option<String>,
    /// The offset of a scene: its positions plus this are the coordinates of its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<[f64; 3]>,
    /// The files that the kernels were linked with, for an allocator of the user's.
    #[serde(default)]
    pub link: Option<LinkMeta>,
}

impl Meta {
    /// The files that the kernels were linked with, as a line for people.
    pub fn link_line(&self) -> Option<Line> {
        let link = self.link.as_ref()?;
        Some(("linked", link.text()))
    }
}

/// The files that kernels were linked with.
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
    /// The cost of a call on this device in the same run. Only microbenchmarks measure it.
    #[serde(default)]
    pub call: Vec<CallCost>,
}

/// The cost of a call of the user's allocator, by the kernel of `threads` that allocates: medians
/// in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallCost {
    /// Threads; each makes one request.
    pub threads: u32,
    /// Bytes of a request.
    pub bytes: u64,
    /// With the allocator in the kernel.
    pub inlined_ms: f64,
    /// With the allocator called.
    pub called_ms: f64,
    /// The additional time of a request in nanoseconds: the difference divided by the requests,
    /// which are served in parallel.
    pub more_ns: f64,
}

impl LinkMeta {
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

/// The lines below a table: what its rows were linked with, and what a call costs; empty if no row
/// was linked.
pub(crate) fn linked_below<'a>(mut rows: impl Iterator<Item = &'a Meta>) -> String {
    let Some(link) = rows.find_map(|meta| meta.link.as_ref()) else {
        return String::new();
    };
    let calls = link.call_lines();
    let calls = calls.iter().map(|line| format!("a call  {line}\n"));
    let linked = format!("linked  {}\n", link.text());
    std::iter::once(linked).chain(calls).collect()
}

/// The record of a linked file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AboutFile {
    /// Its path, as it was given.
    pub file: String,
    /// Its format.
    pub kind: FileKind,
    /// Fingerprint of its bytes, 16 hexadecimal digits.
    pub hash: String,
}

/// A kind of file with compiled functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileKind {
    /// Relocatable code of a GPU.
    Cubin,
    /// Code of several GPUs, or PTX, in one file.
    Fatbin,
    /// An object of the host with relocatable device code in it.
    Object,
    /// An archive of such objects.
    Archive,
    /// PTX as text.
    Ptx,
    /// A shared library of the host.
    SharedLibrary,
    /// Device code that was linked already: by itself, or in an object.
    Whole,
    /// An object of the host without device code.
    HostObject,
}

impl FileKind {
    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cubin => "a cubin",
            Self::Fatbin => "a fatbin",
            Self::Object => "an object with device code",
            Self::Archive => "an archive of objects",
            Self::Ptx => "PTX",
            Self::SharedLibrary => "a shared library",
            Self::Whole => "device code that is linked already",
            Self::HostObject => "an object",
        }
    }
}
