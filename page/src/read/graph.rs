//! Graphs, alone, in comparisons, and in runs of the GAP benchmark suite.

use std::collections::BTreeMap;

use heapwood_results::compare::GraphRow;
use heapwood_results::graph::{GapReport, GraphReport, UpdateReport};
use heapwood_results::{Samples, Status};

use super::adder::{Adder, Row, scale};
use crate::{Command, Section};

/// Adds a row of a comparison.
pub fn add_compared(adder: &mut Adder, row: GraphRow) {
    let mut command = Command::new("compare graph").word(&row.graph);
    command.words.extend(row.options.iter().cloned());
    command = command
        .list("--layouts", &row.layout)
        .list("--allocators", &row.allocator);
    match &row.outcome.result {
        Some(graph) => push(adder, graph, &row.graph, command),
        None => failed(adder, &row, command),
    }
}

/// Adds a graph.
pub fn add(adder: &mut Adder, graph: GraphReport) {
    let command = alone("graph", &graph);
    push(adder, &graph, &graph.graph, command);
}

/// Adds the kernels of a run of the GAP benchmark suite.
pub fn add_gap(adder: &mut Adder, gap: GapReport) {
    let graph = &gap.graph;
    let common = common(graph, Section::Algorithms, alone("gap", graph));
    for kernel in &gap.kernels {
        let case = format!("gap {}, {}, {}", kernel.kernel, graph.graph, graph.layout);
        adder.time(&common, case, Some(&kernel.ms), Vec::new());
    }
}

/// The command of a report, which does not have all options.
fn alone(command: &str, graph: &GraphReport) -> Command {
    Command::new(command)
        .word(&graph.graph)
        .word(format!("--allocator={}", graph.allocator))
        .word(format!("--layout={}", graph.layout))
        .word(format!("--pool={}", graph.pool_bytes))
}

fn common(graph: &GraphReport, section: Section, command: Command) -> Row<'_> {
    Row {
        section,
        allocator: &graph.allocator,
        device: &graph.device,
        meta: &graph.meta,
        status: Status::Ok,
        error: None,
        command,
        memory: None,
        hash: None,
    }
}

/// Adds the times of a graph of this name.
fn push(adder: &mut Adder, graph: &GraphReport, name: &str, command: Command) {
    let place = format!("{name}, {}", graph.layout);
    let mut row = common(graph, Section::Updates, command);
    let is_changed =
        !graph.updates.is_empty() || !graph.vertex_updates.is_empty() || graph.stream.is_some();
    row.hash = is_changed.then_some(&graph.graph_hash);
    row.memory = graph.memory.high_water_bytes.map(|bytes| bytes as f64);
    if is_changed {
        let all = Samples::new(vec![graph.changes_ms()]);
        adder.time(
            &row,
            format!("all changes, {place}"),
            all.as_ref(),
            Vec::new(),
        );
    } else {
        adder.time(
            &row,
            format!("load, {place}"),
            Some(&graph.init_ms),
            Vec::new(),
        );
    }
    // The memory is that of all changes together.
    row.memory = None;
    row.hash = None;
    for (update, ms) in rounds(&graph.updates) {
        let pattern = update.pattern.as_deref().unwrap_or("listed");
        let curve = format!("{} {pattern} edges, {place}", update.kind);
        let case = format!("{} {} {pattern} edges, {place}", update.kind, update.edges);
        let scales = vec![scale("edges", update.edges as f64, curve)];
        adder.time(&row, case, Some(&ms), scales);
    }
    if let Some(stream) = &graph.stream {
        let batches = stream.batches.iter();
        let latencies = batches.filter_map(|batch| Samples::new(batch.latency_ms.clone()));
        let latencies = Samples::new(latencies.map(|ms| ms.median).collect());
        let case = format!("a batch of a stream, {place}");
        adder.time(&row, case, latencies.as_ref(), Vec::new());
    }
    row.section = Section::Algorithms;
    for (algorithm, ms) in algorithms(graph) {
        adder.time(&row, format!("{algorithm}, {place}"), Some(ms), Vec::new());
    }
}

/// Updates of a kind, pattern and size. If there are several rounds, each is a sample.
fn rounds(updates: &[UpdateReport]) -> Vec<(&UpdateReport, Samples)> {
    let mut rounds: BTreeMap<(u64, &str, Option<&str>), Vec<&UpdateReport>> = BTreeMap::new();
    for update in updates {
        let key = (update.edges, &*update.kind, update.pattern.as_deref());
        rounds.entry(key).or_default().push(update);
    }
    let samples = |updates: Vec<&UpdateReport>| match updates[..] {
        [one] => one.ms.total.clone(),
        _ => {
            let medians = updates.iter().map(|update| update.ms.total.median);
            Samples::new(medians.collect()).unwrap_or_default()
        }
    };
    let rounds = rounds.into_values();
    rounds
        .map(|updates| (updates[0], samples(updates)))
        .collect()
}

/// The times of algorithms.
fn algorithms(graph: &GraphReport) -> impl Iterator<Item = (&'static str, &Samples)> {
    let all = &graph.algorithms;
    let times = [
        ("PageRank", all.ranks.as_ref().map(|found| &found.ms)),
        ("triangles", all.triangles.as_ref().map(|found| &found.ms)),
        ("components", all.components.as_ref().map(|found| &found.ms)),
        (
            "breadth-first search",
            all.search.as_ref().map(|found| &found.ms),
        ),
        ("shortest paths", all.paths.as_ref().map(|found| &found.ms)),
        ("clustering", all.clustering.as_ref().map(|found| &found.ms)),
        (
            "communities",
            all.communities.as_ref().map(|found| &found.ms),
        ),
        ("core numbers", all.cores.as_ref().map(|found| &found.ms)),
        (
            "betweenness",
            all.betweenness.as_ref().map(|found| &found.ms),
        ),
    ];
    times.into_iter().filter_map(|(name, ms)| Some((name, ms?)))
}

/// Adds a row whose work failed, at the case that a success would have had.
fn failed(adder: &mut Adder, row: &GraphRow, command: Command) {
    let changes = ["--insert", "--delete", "--events", "--stream", "--updates"];
    let is_change = |option: &String| changes.iter().any(|change| option.starts_with(change));
    let work = match row.options.iter().any(is_change) {
        true => "all changes",
        false => "load",
    };
    let case = format!("{work}, {}, {}", row.graph, row.layout);
    adder.failed(
        Section::Updates,
        &row.allocator,
        &row.outcome,
        command,
        case,
    );
}
