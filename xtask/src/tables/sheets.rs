//! The files of measurements, and what the CSV beside each and the page of its run have of it.

use std::fs;
use std::path::Path;

use heapwood_results::host_pool::HostPoolRow;
use serde::de::DeserializeOwned;

use super::lines::{self, Line};
use super::results::{
    AllocatorRow, DeviceRow, EmbreeRow, GraphCrateRow, GraphRow, KdtreeRayRow, Meta, MicroRow,
    Published, PublishedCell, TreeReport,
};
use crate::Result;

/// A file of measurements as a table.
pub struct Sheet {
    /// The file in `docs/results/runs`, without its ending.
    pub file: &'static str,
    /// Whether the CSV is compressed, since it would have more than 200 KB.
    pub compressed: bool,
    /// Columns that its CSV leaves out, since all of its rows are empty there.
    pub left_out: &'static [&'static str],
    /// Reads the file.
    pub read: fn(&Path) -> Result<Contents>,
}

impl Sheet {
    /// The path of the CSV in `docs/results/runs`.
    pub fn csv(&self) -> String {
        let ending = if self.compressed { "csv.gz" } else { "csv" };
        format!("{}.{ending}", self.file)
    }
}

/// The contents of a file.
pub struct Contents {
    /// Rows in the JSON.
    pub rows: usize,
    /// Lines of the CSV.
    pub lines: Vec<Line>,
    /// The GPU or else the processor of each row that has one.
    pub machines: Vec<String>,
    /// The driver of each row that has one.
    pub drivers: Vec<String>,
    /// The commit of each row that has one.
    pub commits: Vec<String>,
}

/// Where a row comes from.
trait Origin {
    fn meta(&self) -> Option<&Meta>;

    fn machine(&self) -> Option<&String> {
        self.meta()?.gpu.as_ref()
    }

    fn driver(&self) -> Option<&String> {
        self.meta()?.driver.as_ref()
    }
}

/// Rows with a member `meta`, and where they have their machine unless it is there.
macro_rules! origins {
    ($($row:ident: $($meta:ident).+ $(, $($machine:ident).+)?;)+) => {
        $(impl Origin for $row {
            fn meta(&self) -> Option<&Meta> {
                Some(&self.$($meta).+)
            }

            $(fn machine(&self) -> Option<&String> {
                Some(&self.$($machine).+)
            })?
        })+
    };
}

origins! {
    MicroRow: meta;
    TreeReport: meta;
    HostPoolRow: meta;
    EmbreeRow: meta, cpu;
    KdtreeRayRow: meta, cpu;
    GraphCrateRow: origin.meta, origin.machine.cpu;
}

impl Origin for GraphRow {
    fn meta(&self) -> Option<&Meta> {
        Some(&self.outcome.result.as_ref()?.meta)
    }
}

impl Origin for DeviceRow {
    fn meta(&self) -> Option<&Meta> {
        None
    }

    fn machine(&self) -> Option<&String> {
        Some(&self.name)
    }

    fn driver(&self) -> Option<&String> {
        self.driver.as_ref()
    }
}

impl Origin for AllocatorRow {
    fn meta(&self) -> Option<&Meta> {
        None
    }
}

impl Origin for PublishedCell {
    fn meta(&self) -> Option<&Meta> {
        None
    }
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let error = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let text = fs::read_to_string(path).map_err(|found| error(&found))?;
    serde_json::from_str(&text).map_err(|found| error(&found))
}

fn contents<R: Origin>(rows: &[R], lines: impl Fn(&R) -> Vec<Line>) -> Contents {
    let all = |of: fn(&R) -> Option<&String>| rows.iter().filter_map(of).cloned().collect();
    Contents {
        rows: rows.len(),
        lines: rows.iter().flat_map(lines).collect(),
        machines: all(R::machine),
        drivers: all(R::driver),
        commits: all(|row| row.meta()?.commit.as_ref()),
    }
}

/// A file whose rows are lines.
fn rows<R: Origin + DeserializeOwned>(path: &Path, line: fn(&R) -> Line) -> Result<Contents> {
    Ok(contents(&read::<Vec<R>>(path)?, |row| vec![line(row)]))
}

fn micro(path: &Path) -> Result<Contents> {
    rows(path, lines::micro)
}

fn trees(path: &Path) -> Result<Contents> {
    rows(path, lines::tree)
}

fn graphs(path: &Path) -> Result<Contents> {
    Ok(contents(&read::<Vec<GraphRow>>(path)?, lines::graph))
}

const fn sheet(
    file: &'static str,
    left_out: &'static [&'static str],
    read: fn(&Path) -> Result<Contents>,
) -> Sheet {
    Sheet {
        file,
        compressed: false,
        left_out,
        read,
    }
}

/// All files of measurements.
pub const SHEETS: &[Sheet] = &[
    sheet("2026-11-22-h200/devices", &[], |path| {
        rows(path, lines::device)
    }),
    sheet(
        "2026-11-23-h200/forms",
        &["turns", "kernel_ms", "meta.link.merged"],
        micro,
    ),
    sheet("2026-11-24-epyc/graph-crate", &[], |path| {
        rows(path, lines::graph_crate)
    }),
    sheet("2026-11-24-h200/host-pool", &[], |path| {
        rows(path, lines::host_pool)
    }),
    sheet("2026-11-25-epyc/kdtree-ray", &[], |path| {
        rows(path, lines::kdtree_ray)
    }),
    sheet(
        "2026-11-25-h200/bench",
        &["turns", "meta.link.merged"],
        micro,
    ),
    sheet("2026-11-25-h200/published", &[], |path| {
        let published: Published = read(path)?;
        let line = |cell: &PublishedCell| vec![lines::published(cell)];
        Ok(contents(&published.cells, line))
    }),
    sheet("2026-11-25-h200/soak", &[], |path| {
        Ok(contents(&read::<Vec<GraphRow>>(path)?, lines::soak))
    }),
    sheet(
        "2026-11-25-h200/turns",
        &["alloc_ms", "free_ms", "meta.link.merged"],
        micro,
    ),
    sheet("2026-11-26-epyc/embree", &[], |path| {
        rows(path, lines::embree)
    }),
    sheet("2026-11-26-h200/external-bench", &["turns"], micro),
    sheet(
        "2026-11-26-h200/external-graph",
        &["pagerank.ms", "triangles.ms"],
        graphs,
    ),
    sheet("2026-11-26-h200/external-kdtree", &[], trees),
    Sheet {
        compressed: true,
        ..sheet("2026-11-30-h200/graph", &[], graphs)
    },
    sheet("2026-11-26-h200/kdtree", &["meta.link.merged"], trees),
    sheet("2026-11-26-h200/registers", &[], |path| {
        rows(path, lines::allocator)
    }),
    sheet("2026-11-26-h200/slowdowns", &["meta.link.merged"], trees),
];
