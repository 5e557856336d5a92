//! The benchmarks in `app/benches`, beside other crates and libraries on a CPU.

use serde::{Deserialize, Serialize};

use crate::{Meta, Report, Samples, Table, milliseconds};

/// An algorithm on a graph; the keys are stable, what does not apply is null.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GraphCrateRow {
    /// The kind of graph.
    pub graph: String,
    /// Its vertices.
    pub vertices: u32,
    /// Entries of its rows: each edge twice.
    pub entries: u64,
    /// `pagerank`, `pagerank to 1e-6` or `triangles`.
    pub algorithm: String,
    /// Iterations of PageRank: ours, theirs; medians.
    pub iterations: Option<[u32; 2]>,
    /// Triangles, the same on both sides.
    pub triangles: Option<u64>,
    /// Our time.
    pub ours_ms: Samples,
    /// Theirs, of triangles on the graph as it is.
    pub theirs_ms: Samples,
    /// Theirs for relabelling before a count.
    pub relabel_ms: Option<Samples>,
    /// Theirs for the count after that.
    pub relabelled_ms: Option<Samples>,
    /// The source of the result.
    #[serde(flatten)]
    pub origin: Origin,
}

/// The source of a result.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Origin {
    /// The allocator of our store.
    pub allocator: String,
    /// Threads of either side.
    pub threads: u64,
    /// Program and input.
    pub meta: Meta,
    /// The machine.
    pub machine: Machine,
}

/// A machine without a GPU.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's product name.
    pub cpu: String,
    /// Cores that are used.
    pub cores: u64,
}

impl GraphCrateRow {
    /// The other side's time, in milliseconds: of triangles the better of its two ways.
    pub fn theirs(&self) -> f64 {
        let plain = self.theirs_ms.median;
        match (&self.relabel_ms, &self.relabelled_ms) {
            (Some(first), Some(second)) => plain.min(first.median + second.median),
            _ => plain,
        }
    }
}

impl Report for [GraphCrateRow] {
    fn table(&self) -> Table {
        let mut table = Table::new(&[
            "graph",
            "#vertices",
            "#entries",
            "algorithm",
            "#ours ms",
            "#graph ms",
            "#ratio",
            "#ours ms/iteration",
            "#graph ms/iteration",
            "#as it is ms",
            "#relabel ms",
            "#relabelled ms",
        ]);
        for row in self {
            let (ours, theirs) = (row.ours_ms.median, row.theirs());
            let [our_step, their_step] = match row.iterations {
                Some([one, two]) => [
                    format!("{} x {one}", milliseconds(ours / f64::from(one))),
                    format!("{} x {two}", milliseconds(theirs / f64::from(two))),
                ],
                None => ["-", "-"].map(str::to_owned),
            };
            let shown = |samples: &Option<Samples>| match samples {
                Some(samples) => milliseconds(samples.median),
                None => "-".to_owned(),
            };
            let plain = match row.triangles {
                Some(_) => milliseconds(row.theirs_ms.median),
                None => "-".to_owned(),
            };
            table.push(vec![
                row.graph.clone(),
                row.vertices.to_string(),
                row.entries.to_string(),
                row.algorithm.clone(),
                milliseconds(ours),
                milliseconds(theirs),
                format!("{:.2}", ours / theirs),
                our_step,
                their_step,
                plain,
                shown(&row.relabel_ms),
                shown(&row.relabelled_ms),
            ]);
        }
        table
    }
}

/// Primary rays of a scene beside Embree; the keys are stable.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EmbreeRow {
    /// Its name.
    pub scene: String,
    /// Its triangles.
    pub triangles: u64,
    /// Rays of a picture, one a pixel.
    pub rays: u64,
    /// Those that hit something.
    pub hits: u64,
    /// Those that hit something with one of the two alone.
    pub differing: u64,
    /// Our pictures.
    pub ours_ms: Samples,
    /// Those of Embree.
    pub theirs_ms: Samples,
    /// Whether Embree was in its robust mode.
    pub is_robust: bool,
    /// The machine.
    pub cpu: String,
    /// Threads of either side.
    pub threads: u64,
    /// The source of the result.
    pub meta: Meta,
}

impl EmbreeRow {
    /// Our rate over Embree's.
    pub fn ratio(&self) -> f64 {
        self.theirs_ms.median / self.ours_ms.median
    }
}

impl Report for [EmbreeRow] {
    fn table(&self) -> Table {
        let mut table = Table::new(&[
            "scene",
            "#triangles",
            "#hits",
            "#differing",
            "#ours ms",
            "#Embree ms",
            "#ours Mrays/s",
            "#Embree Mrays/s",
            "#speed / Embree",
            "#speed / Embree, best runs",
        ]);
        for row in self {
            let (ours, theirs) = (row.ours_ms.median, row.theirs_ms.median);
            let best = |samples: &Samples| samples.range().0;
            let rate = |ms: f64| format!("{:.2}", row.rays as f64 / ms * 1e-3);
            table.push(vec![
                row.scene.clone(),
                row.triangles.to_string(),
                row.hits.to_string(),
                row.differing.to_string(),
                milliseconds(ours),
                milliseconds(theirs),
                rate(ours),
                rate(theirs),
                format!("{:.2}", theirs / ours),
                format!("{:.2}", best(&row.theirs_ms) / best(&row.ours_ms)),
            ]);
        }
        table
    }
}

/// The tree of a scene beside the crate `kdtree-ray`; the keys are stable.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KdtreeRayRow {
    /// Its name.
    pub scene: String,
    /// Its triangles.
    pub triangles: u64,
    /// Nodes of our tree.
    pub nodes: u64,
    /// Our builds.
    pub ours_ms: Samples,
    /// Those of `kdtree-ray`.
    pub theirs_ms: Samples,
    /// Different triangles in the leaves along a ray, on average: ours, theirs.
    pub triangles_a_ray: [f64; 2],
    /// The machine.
    pub cpu: String,
    /// Threads of either side.
    pub threads: u64,
    /// The source of the result.
    pub meta: Meta,
}

impl Report for [KdtreeRayRow] {
    fn table(&self) -> Table {
        let mut table = Table::new(&[
            "scene",
            "#triangles",
            "#nodes",
            "#ours ms",
            "#kdtree-ray ms",
            "#times as fast",
            "#ours triangles/ray",
            "#kdtree-ray triangles/ray",
        ]);
        for row in self {
            let (ours, theirs) = (row.ours_ms.median, row.theirs_ms.median);
            table.push(vec![
                row.scene.clone(),
                row.triangles.to_string(),
                row.nodes.to_string(),
                milliseconds(ours),
                milliseconds(theirs),
                format!("{:.2}", theirs / ours),
                format!("{:.1}", row.triangles_a_ray[0]),
                format!("{:.1}", row.triangles_a_ray[1]),
            ]);
        }
        table
    }
}
