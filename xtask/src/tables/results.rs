//! The files of measurements, in the types that `heapwood` writes them with, and the published
//! reference figures.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::distinct;
use crate::Result;

pub use heapwood_results::allocators::{AllocatorRow, Cost};
pub use heapwood_results::benches::{EmbreeRow, GraphCrateRow, KdtreeRayRow};
pub use heapwood_results::compare::GraphRow;
pub use heapwood_results::devices::DeviceRow;
pub use heapwood_results::graph::{GraphReport, UpdateReport};
pub use heapwood_results::host_pool::HostPoolRow;
pub use heapwood_results::micro::MicroRow;
pub use heapwood_results::tree::TreeReport;
pub use heapwood_results::{Meta, Status};

/// The reference figures, in the folder of all runs.
const PUBLISHED: &str = "2026-11-25-h200/published.json";

/// Reference figures.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Published {
    /// Times.
    pub cells: Vec<PublishedCell>,
    /// Registers.
    pub registers: Vec<PublishedRegisters>,
}

/// A reference time.
#[derive(Clone, Debug, Deserialize)]
pub struct PublishedCell {
    /// As in [`MicroRow`].
    pub workload: String,
    /// As in [`MicroRow`].
    pub heap: String,
    /// `malloc`, `free` or `both`.
    pub kernel: String,
    /// As in [`MicroRow`].
    pub allocator: String,
    /// As in [`MicroRow`].
    pub threads: u32,
    /// As in [`MicroRow`].
    pub bytes: Option<u64>,
    /// Milliseconds; nothing if it did not finish.
    pub ms: Option<f64>,
    /// `ok`, `timeout` or `fault`.
    pub status: String,
    /// Which of two published builds was the faster one.
    pub build: Option<String>,
}

/// Registers of a kernel with one malloc and one free.
#[derive(Clone, Debug, Deserialize)]
pub struct PublishedRegisters {
    /// The allocator.
    pub allocator: String,
    /// The published code, if its registers can be counted.
    pub plain: Option<u32>,
    /// The published code, with the requests of a warp together, where it has
    /// such a form.
    pub coalesced: Option<u32>,
    /// Table 1 of Vinkler and Havran, if the allocator is in it.
    pub paper: Option<u32>,
    /// The same with the requests of a warp together.
    pub paper_coalesced: Option<u32>,
}

/// The allocator of a tree; empty for one of cores.
pub fn allocator_of(tree: &TreeReport) -> &str {
    tree.allocator.as_deref().unwrap_or_default()
}

/// The line under a table of results: machines and commits.
pub fn origin_line<'a>(metas: impl IntoIterator<Item = &'a Meta>) -> String {
    let part = |value: &Option<String>| value.clone().unwrap_or_else(|| "unknown".to_owned());
    let machine = |meta: &Meta| format!("{}, driver {}", part(&meta.gpu), part(&meta.driver));
    line_of(metas.into_iter().map(|meta| (machine(meta), meta)))
}

/// The same for machines that were named already, as those of results of CPUs.
pub fn line_of<'a>(origins: impl IntoIterator<Item = (String, &'a Meta)>) -> String {
    let commit = |meta: &Meta| meta.commit.clone().unwrap_or_else(|| "unknown".to_owned());
    let origins = origins.into_iter();
    let (machines, commits): (Vec<_>, Vec<_>) = origins
        .map(|(machine, meta)| (machine, commit(meta)))
        .unzip();
    let (machines, commits) = (distinct(machines), distinct(commits));
    format!(
        "\n{}, commit {}.\n",
        machines.join("; "),
        commits.join(" and ")
    )
}

/// All there is; what was not measured is empty.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// The folder of all runs.
    pub folder: PathBuf,
    /// Microbenchmarks.
    pub bench: Vec<MicroRow>,
    /// Microbenchmarks of published forms.
    pub forms: Vec<MicroRow>,
    /// Malloc and free by turns.
    pub turns: Vec<MicroRow>,
    /// Trees.
    pub kdtree: Vec<TreeReport>,
    /// Trees with an allocation at every split, in pools that are a multiple of the root.
    pub slowdowns: Vec<TreeReport>,
    /// Graphs.
    pub graphs: Vec<GraphRow>,
    /// Graphs under many rounds of updates.
    pub soak: Vec<GraphRow>,
    /// Trees beside the crate `kdtree-ray`, on the CPU.
    pub kdtree_ray: Vec<KdtreeRayRow>,
    /// Primary rays beside Embree, on the CPU.
    pub embree: Vec<EmbreeRow>,
    /// Microbenchmarks of published allocators that were linked, and of ours beside them.
    pub external_bench: Vec<MicroRow>,
    /// Trees over them.
    pub external_trees: Vec<TreeReport>,
    /// Graphs over them.
    pub external_graphs: Vec<GraphRow>,
    /// PageRank and triangles beside the crate `graph`, on the CPU.
    pub graph_crate: Vec<GraphCrateRow>,
    /// The pool of the host beside the driver.
    pub host_pool: Vec<HostPoolRow>,
    /// Registers.
    pub allocators: Vec<AllocatorRow>,
    /// Devices with their bandwidths.
    pub devices: Vec<DeviceRow>,
    /// Reference figures.
    pub published: Published,
}

impl Results {
    /// Reads the files in `folder`; all but the reference figures may be absent.
    pub fn read(folder: &Path) -> Result<Self> {
        let results = Self {
            folder: folder.to_owned(),
            bench: list(folder, "2026-11-25-h200/bench.json")?,
            forms: list(folder, "2026-11-23-h200/forms.json")?,
            turns: list(folder, "2026-11-25-h200/turns.json")?,
            kdtree: list(folder, "2026-11-26-h200/kdtree.json")?,
            slowdowns: list(folder, "2026-11-26-h200/slowdowns.json")?,
            graphs: list(folder, "2026-11-30-h200/graph.json")?,
            soak: list(folder, "2026-11-25-h200/soak.json")?,
            kdtree_ray: list(folder, "2026-11-25-epyc/kdtree-ray.json")?,
            embree: list(folder, "2026-11-26-epyc/embree.json")?,
            graph_crate: list(folder, "2026-11-24-epyc/graph-crate.json")?,
            external_bench: list(folder, "2026-11-26-h200/external-bench.json")?,
            external_trees: list(folder, "2026-11-26-h200/external-kdtree.json")?,
            external_graphs: list(folder, "2026-11-26-h200/external-graph.json")?,
            host_pool: list(folder, "2026-11-24-h200/host-pool.json")?,
            allocators: list(folder, "2026-11-26-h200/registers.json")?,
            devices: list(folder, "2026-11-22-h200/devices.json")?,
            published: parse(folder, PUBLISHED)?
                .ok_or_else(|| format!("docs/results/runs/{PUBLISHED} is missing"))?,
        };
        results.check()?;
        Ok(results)
    }

    /// Refuses results of the CPU backend, which say nothing beside a GPU's.
    fn check(&self) -> Result<()> {
        let benches = self.bench.iter().chain(&self.forms).chain(&self.turns);
        let benches = benches.chain(&self.external_bench);
        let benches = benches.map(|case| &case.meta);
        let trees = self.kdtree.iter().chain(&self.slowdowns);
        let trees = trees.chain(&self.external_trees);
        let trees = trees.map(|tree| &tree.meta);
        let graphs = self.graphs.iter().chain(&self.soak);
        let graphs = graphs.chain(&self.external_graphs);
        let graphs = graphs.filter_map(|row| row.outcome.result.as_ref());
        let mut all = benches.chain(trees).chain(graphs.map(|graph| &graph.meta));
        if all.any(|meta| meta.gpu.is_none()) {
            return Err("docs/results has a result that is not from a GPU".to_owned());
        }
        Ok(())
    }
}

fn list<T: DeserializeOwned>(folder: &Path, name: &str) -> Result<Vec<T>> {
    Ok(parse(folder, name)?.unwrap_or_default())
}

/// A file, or nothing if there is none.
fn parse<T: DeserializeOwned>(folder: &Path, name: &str) -> Result<Option<T>> {
    let path = folder.join(name);
    if !path.exists() {
        return Ok(None);
    }
    let text = fs::read_to_string(&path).map_err(|error| format!("{name}: {error}"))?;
    let value = serde_json::from_str(&text).map_err(|error| format!("{name}: {error}"))?;
    Ok(Some(value))
}

#[cfg(test)]
mod tests {
    use super::super::fixtures;
    use super::*;

    #[test]
    fn the_reference_figures_are_whole() {
        let results = Results::read(&crate::root().join("docs/results/runs")).expect("results");
        let published = results.published;
        assert_eq!(published.registers.len(), 18);
        assert_eq!(published.cells.len(), 916);
        for cell in &published.cells {
            assert_eq!(cell.ms.is_some(), cell.status == "ok", "{cell:?}");
            assert!(cell.ms.is_none_or(|ms| ms > 0.004), "{cell:?}");
            assert!(["malloc", "free", "both"].contains(&cell.kernel.as_str()));
        }
    }

    #[test]
    fn results_of_the_cpu_are_refused() {
        let tree = r#"{"scene": "s", "triangles": 1, "allocator": "a",
            "options": {"alloc_per_split": false}, "build_ms": {"median": 1.0}, "nodes": 1,
            "leaves": 1, "max_depth": 0, "references_per_triangle": 1.0, "sah_cost": 1.0,
            "tree_hash": "0", "meta": {"gpu": null}}"#;
        let mut results = Results::default();
        assert_eq!(results.check(), Ok(()));
        results.kdtree = vec![fixtures::tree(tree)];
        assert!(results.check().is_err());
    }
}
