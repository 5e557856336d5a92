//! Updates apart from sorting, beside the lower bound.

use super::freeing::{can_free, shown};
use super::graph::{check_same, short};
use super::means::means_by_name;
use super::outcome::{CUDA, DEFAULT, LOWER_BOUND};
use super::results::{GraphReport, GraphRow, Results, UpdateReport, origin_line};
use super::{NOT_MEASURED, distinct, markdown};
use crate::Result;
use heapwood_results::geometric_mean;

/// The time of one batch over one allocator that frees, as a multiple of the lower bound's.
struct Ratio<'r> {
    graph: &'r str,
    result: &'r GraphReport,
    bound: &'r GraphReport,
    layout: &'r str,
    update: &'r UpdateReport,
    times: f64,
}

impl Ratio<'_> {
    /// The batch in a cell.
    fn batch(&self) -> String {
        let pattern = self.update.pattern.as_deref().unwrap_or_default();
        let kind = &self.update.kind;
        format!("{kind} {}, {pattern}", short(self.update.edges))
    }
}

/// The ratios of all batches that have a time apart from sorting.
fn ratios(results: &Results) -> Result<Vec<Ratio<'_>>> {
    let ran = |row: &'_ &GraphRow| {
        let result = row.outcome.result.as_ref();
        result.is_some_and(|result| !result.updates.is_empty())
    };
    let mut found = Vec::new();
    for graph in distinct(results.graphs.iter().map(|row| row.graph.as_str())) {
        // The input of a row may be a file or a specification: the hashes say that it is one graph.
        let rows = results.graphs.iter().filter(|row| row.graph == graph);
        let rows: Vec<&GraphRow> = rows.filter(ran).collect();
        check_same(graph, &rows)?;
        for bound in rows.iter().filter(|row| row.allocator == LOWER_BOUND) {
            let others = rows.iter();
            let others =
                others.filter(|row| row.layout == bound.layout && can_free(&row.allocator));
            for other in others {
                add(&mut found, bound, other)?;
            }
        }
    }
    Ok(found)
}

/// Adds the ratios of the batches of one case.
fn add<'r>(found: &mut Vec<Ratio<'r>>, bound: &'r GraphRow, row: &'r GraphRow) -> Result<()> {
    let (Some(bound), Some(result)) = (&bound.outcome.result, &row.outcome.result) else {
        return Ok(());
    };
    for (position, least) in bound.updates.iter().enumerate() {
        let update = result.updates.get(position);
        let update = update
            .filter(|update| is_same(update, least))
            .ok_or_else(|| format!("{}: {} has other batches", row.graph, row.allocator))?;
        let times = update.ms.apply.median / least.ms.apply.median;
        // Without a time apart from sorting, there is no ratio.
        if !times.is_nan() {
            found.push(Ratio {
                graph: &row.graph,
                result,
                bound,
                layout: &row.layout,
                update,
                times,
            });
        }
    }
    Ok(())
}

/// A row for each graph and pattern, contiguous: the best allocator of each batch, the default
/// and the slowest apart from CUDA's, each as the geometric mean and the max over the batches.
pub fn by_graph(results: &Results) -> Result<String> {
    let titles = [
        "graph",
        "pattern",
        "batches",
        "best, mean",
        "max",
        "default, mean",
        "max",
        "slowest, mean",
        "max",
        "of",
        "in",
    ];
    let all = ratios(results)?;
    let contiguous: Vec<&Ratio> = all
        .iter()
        .filter(|one| one.layout == "contiguous" && one.result.allocator != CUDA)
        .collect();
    let key = |one: &Ratio| (one.graph.to_owned(), one.update.pattern.clone());
    let mut rows = Vec::new();
    for (graph, pattern) in distinct(contiguous.iter().map(|one| key(one))) {
        let of_row = contiguous.iter().copied();
        let of_row: Vec<&Ratio> = of_row
            .filter(|one| key(one) == (graph.clone(), pattern.clone()))
            .collect();
        let batches = distinct(of_row.iter().map(|one| one.batch()));
        let (mut best, mut slowest) = (Vec::new(), Vec::new());
        for batch in &batches {
            let of_batch = || of_row.iter().copied().filter(|one| one.batch() == *batch);
            best.extend(of_batch().min_by(|a, b| a.times.total_cmp(&b.times)));
            slowest.extend(of_batch().max_by(|a, b| a.times.total_cmp(&b.times)));
        }
        let default = of_row.iter().copied();
        let default: Vec<&Ratio> = default
            .filter(|one| one.result.allocator == DEFAULT)
            .collect();
        let mut row = vec![
            graph,
            pattern.unwrap_or_default(),
            batches.len().to_string(),
        ];
        for group in [&best, &default, &slowest] {
            row.extend(mean_and_max(group).0);
        }
        let max = mean_and_max(&slowest).1;
        row.push(max.map_or("-".to_owned(), |max| max.result.allocator.clone()));
        row.push(max.map_or("-".to_owned(), Ratio::batch));
        rows.push(row);
    }
    Ok(finished(&titles, &rows, &contiguous))
}

/// A row for each allocator: the geometric mean and the max over all batches of all graphs, in
/// either layout.
pub fn by_allocator(results: &Results) -> Result<String> {
    let titles = [
        "allocator",
        "contiguous, mean",
        "max",
        "graph and batch of the max",
        "linked, mean",
        "max",
        "graph and batch of the max",
    ];
    let all = ratios(results)?;
    let all: Vec<&Ratio> = all.iter().collect();
    let mut rows = Vec::new();
    for allocator in distinct(all.iter().map(|one| one.result.allocator.as_str())) {
        let mut row = vec![shown(allocator)];
        for layout in ["contiguous", "linked"] {
            let group = all.iter().copied();
            let group: Vec<&Ratio> = group
                .filter(|one| one.result.allocator == allocator && one.layout == layout)
                .collect();
            let (cells, max) = mean_and_max(&group);
            row.extend(cells);
            row.push(max.map_or("-".to_owned(), |max| {
                format!("{}, {}", max.graph, max.batch())
            }));
        }
        rows.push(row);
    }
    Ok(finished(&titles, &rows, &all))
}

/// The geometric mean of each allocator that frees in a layout.
pub fn means(results: &Results, layout: &str) -> Result<Vec<(String, f64)>> {
    let all = ratios(results)?;
    let of_layout = all.iter().filter(|one| one.layout == layout);
    let values = of_layout.map(|one| (one.result.allocator.clone(), one.times));
    Ok(means_by_name(values.collect()))
}

/// The geometric mean and the max as cells, and the ratio that is the max.
fn mean_and_max<'a, 'r>(group: &[&'a Ratio<'r>]) -> ([String; 2], Option<&'a Ratio<'r>>) {
    let cell = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.2}"));
    let mean = geometric_mean(group.iter().map(|one| one.times));
    let max = group.iter().copied();
    let max = max.max_by(|a, b| a.times.total_cmp(&b.times));
    ([cell(mean), cell(max.map(|max| max.times))], max)
}

/// The table with its line of machines and commits.
fn finished(titles: &[&str], rows: &[Vec<String>], shown: &[&Ratio]) -> String {
    if rows.is_empty() {
        return NOT_MEASURED.to_owned();
    }
    let titles: Vec<String> = titles.iter().map(|title| (*title).to_owned()).collect();
    let line = origin_line(shown.iter().map(|one| &one.result.meta));
    markdown(&titles, rows) + &bound_line(shown) + &line
}

/// The commits of the lower bounds, if a ratio is of rows of two commits.
fn bound_line(shown: &[&Ratio]) -> String {
    let commit = |result: &GraphReport| result.meta.commit.clone().unwrap_or_default();
    let differ = shown
        .iter()
        .filter(|one| commit(one.bound) != commit(one.result));
    let commits = distinct(differ.map(|one| commit(one.bound)));
    match commits.is_empty() {
        true => String::new(),
        false => format!(
            "\nThe lower bound is of commit {}: ratios of rows of other commits divide times of two \
             commits.\n",
            commits.join(" and ")
        ),
    }
}

/// The batches whose slowest allocator with contiguous rows is CUDA's, and all that it has.
pub fn cuda_is_last(results: &Results) -> Result<[usize; 2]> {
    let all = ratios(results)?;
    let contiguous = || all.iter().filter(|one| one.layout == "contiguous");
    let cuda = contiguous().filter(|one| one.result.allocator == CUDA);
    let is_last = |one: &Ratio| {
        let mut same =
            contiguous().filter(|other| other.graph == one.graph && other.batch() == one.batch());
        same.all(|other| other.times <= one.times)
    };
    let found: Vec<bool> = cuda.map(is_last).collect();
    Ok([
        found.iter().filter(|is_last| **is_last).count(),
        found.len(),
    ])
}

/// Whether two updates are the same batch.
fn is_same(one: &UpdateReport, other: &UpdateReport) -> bool {
    (&one.kind, &one.pattern, one.edges) == (&other.kind, &other.pattern, other.edges)
}

#[cfg(test)]
mod tests {
    use super::super::fixtures;
    use super::*;

    fn results() -> Results {
        let row = |allocator: &str, ms: [f64; 2]| {
            let update = |kind: &str, ms: f64| {
                format!(
                    r#"{{"kind": "{kind}", "pattern": "uniform", "edges": 10000,
                        "ms": {{"total": {{"median": 9.0}}, "apply": {{"median": {ms}}}}}}}"#
                )
            };
            let updates = format!("{},{}", update("insert", ms[0]), update("delete", ms[1]));
            let row = format!(
                r#"{{"graph": "g", "allocator": "{allocator}", "layout": "contiguous",
                "status": "ok", "result": {{"graph": "g", "vertices": 9, "edges_stored": 40,
                    "directed": false, "allocator": "{allocator}", "init_ms": {{"median": 0.5}},
                    "memory": {{"loaded_bytes": 1, "high_water_bytes": 1}},
                    "updates": [{updates}], "graph_hash": "b", "meta": {{}}}}}}"#
            );
            fixtures::row(&row)
        };
        Results {
            graphs: vec![
                row(LOWER_BOUND, [2.0, 1.0]),
                row("awmalloc", [1.0, 1.0]),
                row("cmalloc", [8.0, 1.0]),
                row(DEFAULT, [4.0, 2.0]),
            ],
            ..Results::default()
        }
    }

    #[test]
    fn graphs_have_the_best_the_default_and_the_slowest_of_each_batch() {
        let text = by_graph(&results()).expect("a table");
        let row = "| g | uniform | 2 | 1.41 | 2.00 | 2.00 | 2.00 | 2.83 | 4.00 | cmalloc \
            | insert 10 K, uniform |";
        assert!(text.contains(row), "{text}");
    }

    #[test]
    fn allocators_have_their_mean_and_their_worst_batch() {
        let text = by_allocator(&results()).expect("a table");
        let row = "| cmalloc | 2.00 | 4.00 | g, insert 10 K, uniform | - | - | - |";
        assert!(text.contains(row), "{text}");
        assert!(!text.contains("awmalloc"), "{text}");
    }

    #[test]
    fn ratios_of_two_commits_are_said_to_be() {
        let mut results = results();
        assert!(
            !by_allocator(&results)
                .expect("a table")
                .contains("lower bound is of")
        );
        for (row, commit) in results.graphs.iter_mut().zip(["old", "new", "new", "new"]) {
            let result = row.outcome.result.as_mut().expect("a result");
            result.meta.commit = Some(commit.to_owned());
        }
        let text = by_allocator(&results).expect("a table");
        assert!(
            text.contains("\nThe lower bound is of commit old: "),
            "{text}"
        );
    }

    #[test]
    fn nothing_is_measured_without_results() {
        assert_eq!(
            by_graph(&Results::default()).expect("a table"),
            NOT_MEASURED
        );
    }
}
