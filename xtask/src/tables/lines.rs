//! Rows of results as lines of CSV: the titles are the keys of the JSON, with points between.
//!
//! Samples become their median, min, max and count; the JSON keeps each of them.

use heapwood_results::Samples;
use heapwood_results::host_pool::HostPoolRow;

use super::results::{
    AllocatorRow, DeviceRow, EmbreeRow, GraphCrateRow, GraphRow, KdtreeRayRow, MicroRow,
    PublishedCell, TreeReport, UpdateReport,
};

/// A line: cells with their titles. All lines of a file have the same titles.
#[derive(Clone, Debug, Default)]
pub struct Line {
    cells: Vec<(String, String)>,
}

impl Line {
    /// The cells with their titles.
    pub fn cells(&self) -> &[(String, String)] {
        &self.cells
    }

    /// Adds a cell that every row has.
    pub fn text(mut self, title: &str, value: impl ToString) -> Self {
        self.cells.push((title.to_owned(), value.to_string()));
        self
    }

    /// Adds a cell that is empty in some rows.
    pub fn option(self, title: &str, value: Option<impl ToString>) -> Self {
        self.text(
            title,
            value.map_or(String::new(), |value| value.to_string()),
        )
    }

    /// Adds a measured figure.
    pub fn figure(self, title: &str, value: Option<f64>) -> Self {
        self.option(title, value.map(number))
    }

    /// Adds several figures in one cell.
    pub fn figures(self, title: &str, values: &[f64]) -> Self {
        let values: Vec<String> = values.iter().copied().map(number).collect();
        self.text(title, values.join(" "))
    }

    /// Adds the median of samples.
    pub fn median(self, title: &str, samples: Option<&Samples>) -> Self {
        self.figure(
            &format!("{title}.median"),
            samples.and_then(Samples::measured),
        )
    }

    /// Adds the median, min, max and count of samples.
    pub fn samples(self, title: &str, samples: Option<&Samples>) -> Self {
        let range = samples.filter(|found| !found.samples.is_empty());
        let range = range.map(Samples::range);
        self.median(title, samples)
            .figure(&format!("{title}.min"), range.map(|range| range.0))
            .figure(&format!("{title}.max"), range.map(|range| range.1))
            .option(
                &format!("{title}.count"),
                samples.and_then(|found| found.measured().map(|_| found.samples.len())),
            )
    }
}

/// A number with five significant digits, which is more than medians repeat to.
fn number(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let digits = (4 - value.abs().log10().floor() as i32).max(0) as usize;
    let text = format!("{value:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

pub fn micro(row: &MicroRow) -> Line {
    Line::default()
        .text("workload", row.workload.name())
        .text("heap", row.heap.name())
        .text("allocator", &row.allocator)
        .text("threads", row.threads)
        .option("turns", row.turns)
        .option("bytes", row.bytes)
        .text("pool_bytes", row.pool_bytes)
        .text("status", row.status.name())
        .samples("alloc_ms", row.alloc_ms.as_ref())
        .samples("free_ms", row.free_ms.as_ref())
        .samples("kernel_ms", row.kernel_ms.as_ref())
        .option("meta.commit", row.meta.commit.as_ref())
        .option(
            "meta.link.merged",
            row.meta.link.as_ref().map(|link| link.merged),
        )
}

pub fn tree(row: &TreeReport) -> Line {
    Line::default()
        .text("scene", &row.scene)
        .text("triangles", row.triangles)
        .option("allocator", row.allocator.as_ref())
        .text("options.alloc_per_split", row.options.alloc_per_split)
        .option("pool_bytes", row.pool_bytes)
        .samples("build_ms", Some(&row.build_ms))
        .text("nodes", row.nodes)
        .text("leaves", row.leaves)
        .text("max_depth", row.max_depth)
        .text("references", row.references)
        .figure("sah_cost", Some(row.sah_cost))
        .option("allocations", row.allocations)
        .text("tree_hash", &row.tree_hash)
        .option("meta.commit", row.meta.commit.as_ref())
        .option(
            "meta.link.merged",
            row.meta.link.as_ref().map(|link| link.merged),
        )
}

/// The updates of a case. A case without any still has a line.
fn updates(row: &GraphRow) -> Vec<Option<&UpdateReport>> {
    let updates = row.outcome.result.iter().flat_map(|found| &found.updates);
    let updates: Vec<Option<&UpdateReport>> = updates.map(Some).collect();
    match updates.is_empty() {
        true => vec![None],
        false => updates,
    }
}

/// The cells that all lines of a case begin with.
fn case(row: &GraphRow) -> Line {
    Line::default()
        .text("graph", &row.graph)
        .text("allocator", &row.allocator)
        .text("layout", &row.layout)
        .text("status", row.outcome.status.name())
}

/// A line for each batch. It is narrow, since a file has thousands.
pub fn graph(row: &GraphRow) -> Vec<Line> {
    let result = row.outcome.result.as_ref();
    let ranks = result.and_then(|found| found.algorithms.ranks.as_ref());
    let triangles = result.and_then(|found| found.algorithms.triangles.as_ref());
    let line = |update: Option<&UpdateReport>| {
        let ms = update.map(|update| &update.ms);
        case(row)
            .option("kind", update.map(|update| &update.kind))
            .option("pattern", update.and_then(|update| update.pattern.as_ref()))
            .option("round", update.map(|update| update.round))
            .option("edges", update.map(|update| update.edges))
            .samples("ms.total", ms.map(|ms| &ms.total))
            .median("ms.sort", ms.map(|ms| &ms.sort))
            .median("ms.apply", ms.map(|ms| &ms.apply))
            .median("init_ms", result.map(|found| &found.init_ms))
            .median("pagerank.ms", ranks.map(|found| &found.ms))
            .median("triangles.ms", triangles.map(|found| &found.ms))
            .option(
                "meta.commit",
                result.and_then(|found| found.meta.commit.as_ref()),
            )
    };
    updates(row).into_iter().map(line).collect()
}

/// A line for each update of a round, with the bytes of blocks after the round.
pub fn soak(row: &GraphRow) -> Vec<Line> {
    let result = row.outcome.result.as_ref();
    let memory = result.map(|found| &found.memory);
    let rounds = memory.and_then(|memory| memory.rounds.as_ref());
    let line = |update: Option<&UpdateReport>| {
        let round = update.and_then(|update| (update.round as usize).checked_sub(1));
        let after = rounds.zip(round);
        let after = after.and_then(|(rounds, round)| rounds.allocated_bytes.as_ref()?.get(round));
        case(row)
            .option("kind", update.map(|update| &update.kind))
            .option("round", update.map(|update| update.round))
            .median("ms.total", update.map(|update| &update.ms.total))
            .option("memory.rounds.allocated_bytes", after)
            .option(
                "memory.loaded_bytes",
                memory.and_then(|found| found.loaded_bytes),
            )
            .option(
                "memory.high_water_bytes",
                memory.and_then(|found| found.high_water_bytes),
            )
            .figure(
                "memory.internal_fragmentation",
                memory.and_then(|found| found.internal_fragmentation),
            )
            .figure(
                "memory.external_fragmentation",
                memory.and_then(|found| found.external_fragmentation),
            )
            .option("graph_hash", result.map(|found| &found.graph_hash))
            .option(
                "meta.commit",
                result.and_then(|found| found.meta.commit.as_ref()),
            )
    };
    updates(row).into_iter().map(line).collect()
}

pub fn device(row: &DeviceRow) -> Line {
    Line::default()
        .text("backend", &row.backend)
        .text("name", &row.name)
        .text("processors", row.processors)
        .option("memory_bytes", row.memory_bytes)
        .option("compute_capability", row.compute_capability.as_ref())
        .option("driver", row.driver.as_ref())
        .figure("copy_gb_per_s", row.copy_gb_per_s)
}

pub fn host_pool(row: &HostPoolRow) -> Line {
    let mut line = Line::default()
        .text("source", &row.source)
        .text("pattern", row.pattern.name())
        .option("bytes", row.bytes)
        .text("threads", row.threads)
        .text("status", row.status.name())
        .text("pairs", row.pairs);
    for (name, latency) in [("allocate", row.allocate), ("deallocate", row.deallocate)] {
        line = line
            .option(&format!("{name}.p50_ns"), latency.map(|of| of.p50_ns))
            .option(&format!("{name}.p99_ns"), latency.map(|of| of.p99_ns))
            .option(&format!("{name}.p999_ns"), latency.map(|of| of.p999_ns))
            .option(&format!("{name}.max_ns"), latency.map(|of| of.max_ns));
    }
    line.figure("pairs_per_s", row.pairs_per_s)
        .option("hits", row.hits)
        .option("misses", row.misses)
        .option("meta.commit", row.meta.commit.as_ref())
}

pub fn allocator(row: &AllocatorRow) -> Line {
    let (plain, coalesced) = (row.costs.plain, row.costs.coalesced);
    Line::default()
        .text("name", &row.name)
        .text("frees", row.frees)
        .text("handle_bytes", row.handle_bytes)
        .option("plain.registers", plain.map(|cost| cost.registers))
        .option("plain.local_bytes", plain.map(|cost| cost.local_bytes))
        .option("coalesced.registers", coalesced.map(|cost| cost.registers))
        .option(
            "coalesced.local_bytes",
            coalesced.map(|cost| cost.local_bytes),
        )
}

pub fn graph_crate(row: &GraphCrateRow) -> Line {
    let iterations = row
        .iterations
        .map(|[ours, theirs]| format!("{ours} {theirs}"));
    Line::default()
        .text("graph", &row.graph)
        .text("vertices", row.vertices)
        .text("entries", row.entries)
        .text("algorithm", &row.algorithm)
        .option("iterations", iterations)
        .option("triangles", row.triangles)
        .samples("ours_ms", Some(&row.ours_ms))
        .samples("theirs_ms", Some(&row.theirs_ms))
        .samples("relabel_ms", row.relabel_ms.as_ref())
        .samples("relabelled_ms", row.relabelled_ms.as_ref())
        .text("threads", row.origin.threads)
        .option("meta.commit", row.origin.meta.commit.as_ref())
}

pub fn kdtree_ray(row: &KdtreeRayRow) -> Line {
    Line::default()
        .text("scene", &row.scene)
        .text("triangles", row.triangles)
        .text("nodes", row.nodes)
        .samples("ours_ms", Some(&row.ours_ms))
        .samples("theirs_ms", Some(&row.theirs_ms))
        .figures("triangles_a_ray", &row.triangles_a_ray)
        .text("threads", row.threads)
        .option("meta.commit", row.meta.commit.as_ref())
}

pub fn embree(row: &EmbreeRow) -> Line {
    Line::default()
        .text("scene", &row.scene)
        .text("triangles", row.triangles)
        .text("rays", row.rays)
        .text("hits", row.hits)
        .text("differing", row.differing)
        .text("is_robust", row.is_robust)
        .samples("ours_ms", Some(&row.ours_ms))
        .samples("theirs_ms", Some(&row.theirs_ms))
        .text("threads", row.threads)
        .option("meta.commit", row.meta.commit.as_ref())
}

pub fn published(cell: &PublishedCell) -> Line {
    Line::default()
        .text("workload", &cell.workload)
        .text("heap", &cell.heap)
        .text("allocator", &cell.allocator)
        .text("kernel", &cell.kernel)
        .text("threads", cell.threads)
        .option("bytes", cell.bytes)
        .text("status", &cell.status)
        .figure("ms", cell.ms)
        .option("build", cell.build.as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_summed_up() {
        let samples = Samples::new(vec![3.0, 1.0, 2.0]);
        let line = Line::default()
            .samples("ms", samples.as_ref())
            .samples("none", None);
        let cells = line.cells().iter();
        let cells: Vec<(&str, &str)> = cells.map(|(a, b)| (a.as_str(), b.as_str())).collect();
        let expected = [
            ("ms.median", "2"),
            ("ms.min", "1"),
            ("ms.max", "3"),
            ("ms.count", "3"),
            ("none.median", ""),
            ("none.min", ""),
            ("none.max", ""),
            ("none.count", ""),
        ];
        assert_eq!(cells, expected);
    }

    #[test]
    fn numbers_keep_five_digits() {
        let shown = [0.000_123_456_7, 1.0, 1234.56, 123_456_789.0, 0.0].map(number);
        assert_eq!(shown, ["0.00012346", "1", "1234.6", "123456789", "0"]);
    }
}
