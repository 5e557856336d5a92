//! What was measured, as a table and as JSON.

use heapwood::backend::DeviceInfo;
use heapwood::meta::Meta;
use heapwood::report::{Table, milliseconds};
use heapwood::samples::Samples;
use serde::Serialize;

/// An algorithm on a graph; the keys are stable, what does not apply is null.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The kind of graph.
    pub graph: &'static str,
    /// Its vertices.
    pub vertices: u32,
    /// Entries of its rows: each edge twice.
    pub entries: u64,
    /// `pagerank`, `pagerank to 1e-6` or `triangles`.
    pub algorithm: &'static str,
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
    /// Where the result comes from.
    #[serde(flatten)]
    pub origin: Origin,
}

/// Where a result comes from.
#[derive(Clone, Debug, Serialize)]
pub struct Origin {
    /// The allocator of our store.
    pub allocator: String,
    /// Threads of either side.
    pub threads: usize,
    meta: Meta,
    machine: Machine,
}

/// The machine.
#[derive(Clone, Debug, Serialize)]
struct Machine {
    cpu: String,
    cores: usize,
}

impl Origin {
    /// Of a graph of this hash.
    pub fn new(info: &DeviceInfo, allocator: &str, threads: usize, seed: u64, hash: u64) -> Self {
        Self {
            allocator: allocator.to_owned(),
            threads,
            meta: Meta {
                seed: Some(seed),
                input_hash: Some(format!("{hash:016x}")),
                ..Meta::new(info)
            },
            machine: Machine {
                cpu: info.device.clone(),
                cores: threads,
            },
        }
    }
}

impl Row {
    /// The other side's time: of triangles the better of its two ways.
    fn theirs(&self) -> f64 {
        let plain = self.theirs_ms.median;
        match (&self.relabel_ms, &self.relabelled_ms) {
            (Some(first), Some(second)) => plain.min(first.median + second.median),
            _ => plain,
        }
    }
}

/// The rows for people.
pub fn table(rows: &[Row]) -> Table {
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
    for row in rows {
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
            row.graph.to_owned(),
            row.vertices.to_string(),
            row.entries.to_string(),
            row.algorithm.to_owned(),
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
