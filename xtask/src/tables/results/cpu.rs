//! Results of the benchmarks on a CPU, beside other crates and Embree.

use serde::Deserialize;

use super::{Meta, Samples};

/// A result of `cargo bench -p heapwood-benches --bench kdtree_ray`.
#[derive(Clone, Debug, Deserialize)]
pub struct RayCase {
    /// The scene.
    pub scene: String,
    /// Its triangles.
    pub triangles: u64,
    /// Nodes of our tree.
    pub nodes: u64,
    /// Our builds.
    pub ours_ms: Samples,
    /// Those of the crate.
    pub theirs_ms: Samples,
    /// Different triangles in the leaves along a ray: ours, theirs.
    pub triangles_a_ray: [f64; 2],
    /// The processor.
    pub cpu: String,
    /// Threads of either side.
    pub threads: u32,
    /// Program.
    pub meta: Meta,
}

/// A result of `cargo bench -p heapwood-benches --bench embree`.
#[derive(Clone, Debug, Deserialize)]
pub struct EmbreeCase {
    /// The scene.
    pub scene: String,
    /// Primary rays of a picture.
    pub rays: u64,
    /// Pixels where one side hits something and the other nothing.
    pub differing: u64,
    /// Whether Embree ran in robust mode.
    pub is_robust: bool,
    /// Our pictures.
    pub ours_ms: Samples,
    /// Embree's.
    pub theirs_ms: Samples,
    /// The processor.
    pub cpu: String,
    /// Threads of either side.
    pub threads: u32,
    /// Program.
    pub meta: Meta,
}

impl EmbreeCase {
    /// Our rate over Embree's.
    pub fn ratio(&self) -> f64 {
        self.theirs_ms.median / self.ours_ms.median
    }
}

/// A result of `cargo bench -p heapwood-benches --bench graph_crate`.
#[derive(Clone, Debug, Deserialize)]
pub struct GraphCase {
    /// The kind of graph.
    pub graph: String,
    /// Its vertices.
    pub vertices: u32,
    /// Entries of its rows: each edge twice.
    pub entries: u64,
    /// What was computed.
    pub algorithm: String,
    /// Iterations of PageRank: ours, theirs.
    pub iterations: Option<[u32; 2]>,
    /// Our time.
    pub ours_ms: Samples,
    /// Theirs, of triangles on the graph as it is.
    pub theirs_ms: Samples,
    /// Theirs for relabelling before a count.
    pub relabel_ms: Option<Samples>,
    /// Theirs for the count after that.
    pub relabelled_ms: Option<Samples>,
    /// The allocator of our store.
    pub allocator: String,
    /// Threads of either side.
    pub threads: u32,
    /// The program.
    pub meta: Meta,
    /// The machine.
    pub machine: Machine,
}

/// A machine without a GPU.
#[derive(Clone, Debug, Deserialize)]
pub struct Machine {
    /// The processor's product name.
    pub cpu: String,
}
