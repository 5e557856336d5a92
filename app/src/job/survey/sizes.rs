//! The sizes of the survey's tests.

use crate::generate::{GraphSpec, ParseSpecError, Source};
use crate::workload::micro::size_range;

/// How large the tests are.
#[derive(Clone, Debug)]
pub struct SurveySizes {
    /// Threads that allocate one block each, in thread allocation, address range and out of memory.
    pub threads: u32,
    /// Warps and threads in warp and mixed allocation, and edges of a batch.
    pub fewer: u32,
    /// Bytes of blocks.
    pub bytes: Vec<u64>,
    /// Numbers of threads in scaling and work generation.
    pub scaling_threads: Vec<u32>,
    /// Bytes of blocks in scaling.
    pub scaling_bytes: Vec<u64>,
    /// The graphs.
    pub graphs: Vec<Source<GraphSpec>>,
    /// Max runs of graph initialization, and rounds of graph updates.
    pub graph_runs: u32,
}

impl SurveySizes {
    /// Those of the commands in the README of the survey's framework, with powers of two where it has
    /// each multiple of 4 bytes. Four generated graphs stand for its list of files: two have the
    /// structure and the size of `delaunay_n20` and `rgg_n_2_20_s0`, and two those of
    /// `coAuthorsCiteseer` and `luxembourg_osm`.
    ///
    /// # Errors
    ///
    /// None, unless a generator loses an option.
    pub fn published() -> Result<Self, ParseSpecError> {
        let graphs = [
            "gen:delaunay,vertices=2^20",
            "gen:geometric,vertices=2^20",
            "gen:coauthors,vertices=227320",
            "gen:road,vertices=114599",
        ];
        Ok(Self {
            threads: 100_000,
            fewer: 10_000,
            bytes: size_range(4, 8192, 0),
            scaling_threads: (0..=20).map(|power| 1 << power).collect(),
            scaling_bytes: vec![16, 64, 512, 8192],
            graphs: sources(&graphs)?,
            graph_runs: 10,
        })
    }

    /// Small ones, for a trial.
    ///
    /// # Errors
    ///
    /// As for [`Self::published`].
    pub fn quick() -> Result<Self, ParseSpecError> {
        Ok(Self {
            threads: 1024,
            fewer: 256,
            bytes: vec![16, 1024],
            scaling_threads: vec![1, 1024],
            scaling_bytes: vec![16],
            graphs: sources(&["gen:coauthors,vertices=1000"])?,
            graph_runs: 2,
        })
    }
}

fn sources(texts: &[&str]) -> Result<Vec<Source<GraphSpec>>, ParseSpecError> {
    let texts = texts.iter();
    texts.map(|text| Source::parse(text.into())).collect()
}
