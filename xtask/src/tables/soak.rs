//! Many rounds of updates on one graph: whether they get slower, and whether memory grows.

use super::freeing::shown;
use super::graph::check_same;
use super::memory;
use super::results::{GraphReport, GraphRow, Meta, Results, origin_line};
use super::{NOT_MEASURED, distinct, markdown, milliseconds};
use crate::Result;

/// The rounds that a table has.
const ROUNDS: [u32; 4] = [1, 10, 100, 1000];
/// A time is the median over so many rounds. The title names the last one.
const WINDOW: u32 = 10;
/// Growth is measured between these rounds. The first few rounds fill a tightly loaded graph.
const GROWTH: [u32; 2] = [10, 1000];

/// A row for each graph, allocator and layout: times of insertions and deletions early and
/// late, growth of the blocks, and fragmentation at the end.
pub fn table(results: &Results) -> Result<String> {
    let mut titles = ["graph", "allocator", "layout"].map(str::to_owned).to_vec();
    for kind in ["insert", "delete"] {
        titles.extend(ROUNDS.map(|round| format!("{kind} ms, round {round}")));
    }
    let [early, late] = GROWTH;
    titles.push(format!("growth of blocks, rounds {early} to {late}"));
    titles.extend(["internal", "external"].map(|kind| format!("{kind} fragmentation")));
    titles.push("memory / CSR, loaded / end".to_owned());

    let mut rows = Vec::new();
    for graph in distinct(results.soak.iter().map(|row| row.graph.as_str())) {
        let of_graph = results.soak.iter().filter(|row| row.graph == graph);
        let of_graph: Vec<&GraphRow> = of_graph.collect();
        check_same(graph, &of_graph)?;
        for row in of_graph {
            let names = [graph.to_owned(), shown(&row.allocator), row.layout.clone()];
            let cells = match &row.outcome.result {
                Some(result) => {
                    let mut cells = figures(result);
                    cells.push(memory::ratio(result, &results.allocators));
                    cells
                }
                None => vec![row.outcome.status.name().to_owned(); titles.len() - names.len()],
            };
            rows.push(names.into_iter().chain(cells).collect());
        }
    }
    let ran = results
        .soak
        .iter()
        .filter_map(|row| row.outcome.result.as_ref());
    let metas: Vec<&Meta> = ran.map(|result| &result.meta).collect();
    Ok(match metas.is_empty() {
        true => NOT_MEASURED.to_owned(),
        false => markdown(&titles, &rows) + &origin_line(metas),
    })
}

/// The growths of all runs.
pub fn growths(results: &Results) -> Vec<f64> {
    let ran = results
        .soak
        .iter()
        .filter_map(|row| row.outcome.result.as_ref());
    ran.filter_map(growth).collect()
}

/// The cells behind the names.
fn figures(result: &GraphReport) -> Vec<String> {
    let mut cells = Vec::new();
    for kind in ["insert", "delete"] {
        cells.extend(ROUNDS.map(|round| or_dash(time(result, kind, round).map(milliseconds))));
    }
    let growth = growth(result).map(|part| format!("{:+.1} %", 100.0 * part));
    let memory = &result.memory;
    let fragmentation = [memory.internal_fragmentation, memory.external_fragmentation];
    let part = |part: Option<f64>| or_dash(part.map(|part| format!("{part:.3}")));
    cells.push(or_dash(growth));
    cells.extend(fragmentation.map(part));
    cells
}

fn or_dash(cell: Option<String>) -> String {
    cell.unwrap_or_else(|| "-".to_owned())
}

/// The median time of the insertions or deletions of a round and those of the window before
/// it, if there are so many rounds.
fn time(result: &GraphReport, kind: &str, last: u32) -> Option<f64> {
    let of = |round: u32| {
        let updates = result.updates.iter();
        let updates = updates.filter(|update| update.kind == kind && update.round == round);
        updates
            .map(|update| update.ms.total.median)
            .reduce(|a, b| a + b)
    };
    let first = last.saturating_sub(WINDOW - 1).max(1);
    let mut times: Vec<f64> = (first..=last).map(of).collect::<Option<_>>()?;
    times.sort_by(f64::total_cmp);
    let middle = times.len() / 2;
    Some(match times.len() % 2 {
        1 => times[middle],
        _ => (times[middle - 1] + times[middle]) / 2.0,
    })
}

/// The growth of the bytes of blocks between the two rounds, as a part of the earlier.
fn growth(result: &GraphReport) -> Option<f64> {
    let bytes = result.memory.rounds.as_ref()?.allocated_bytes.as_ref()?;
    let at = |round: u32| bytes.get(round as usize - 1).map(|&bytes| bytes as f64);
    let [early, late] = GROWTH.map(at);
    Some(late? / early? - 1.0)
}

#[cfg(test)]
mod tests {
    use super::super::fixtures;
    use super::*;

    /// A row of so many rounds. An insertion of round r takes r ms and a deletion twice that;
    /// round r leaves 1000 + r bytes.
    fn row(allocator: &str, rounds: u32, hash: &str) -> GraphRow {
        let update = |round: u32, kind: &str, ms: u32| {
            format!(
                r#"{{"kind": "{kind}", "pattern": "uniform", "round": {round}, "edges": 5,
                    "ms": {{"total": {{"median": {ms}}}}}}}"#
            )
        };
        let updates = (1..=rounds).flat_map(|round| {
            [
                update(round, "insert", round),
                update(round, "delete", 2 * round),
            ]
        });
        let updates: Vec<String> = updates.collect();
        let bytes: Vec<u32> = (1..=rounds).map(|round| 1000 + round).collect();
        let text = format!(
            r#"{{"graph": "g", "allocator": "{allocator}", "layout": "contiguous", "status": "ok",
                "error": null, "options": [], "result": {{"graph": "g", "vertices": 9,
                    "edges_stored": 40, "directed": false, "allocator": "{allocator}",
                    "init_ms": {{"median": 0.5}},
                    "memory": {{"loaded_bytes": 1, "high_water_bytes": 3,
                        "internal_fragmentation": 0.25, "external_fragmentation": null,
                        "rounds": {{"payload_bytes": [], "allocated_bytes": {bytes:?},
                            "high_water_bytes": []}}}},
                    "updates": [{}], "graph_hash": "{hash}", "meta": {{"gpu": "G"}}}}}}"#,
            updates.join(",")
        );
        fixtures::row(&text)
    }

    fn soak(rows: Vec<GraphRow>) -> Result<String> {
        table(&Results {
            soak: rows,
            ..Results::default()
        })
    }

    #[test]
    fn rounds_stand_beside_each_other() {
        let oom = fixtures::failed(
            r#"{"graph": "g", "allocator": "atomicmalloc", "layout": "contiguous", "status": "oom"}"#,
        );
        let text = soak(vec![
            row("cmalloc", 1000, "a"),
            row("awmalloc", 99, "a"),
            oom,
        ]);
        let text = text.expect("a table");
        let titles = "| graph | allocator | layout | insert ms, round 1 | insert ms, round 10 |";
        assert!(text.starts_with(titles), "{text}");
        // Rounds 1 to 10 have the median 5.5; 1011 bytes have grown to 2000.
        let cells =
            "| 1.00 | 5.50 | 95.5 | 996 | 2.00 | 11.0 | 191 | 1991 | +98.0 % | 0.250 | - | - |";
        let whole = format!("| g | cmalloc | contiguous {cells}");
        assert!(text.contains(&whole), "{text}");
        let short = "| g | awmalloc (overwrites) | contiguous | 1.00 | 5.50 | - | - | 2.00 | 11.0 \
                     | - | - | - | 0.250 | - | - |";
        assert!(text.contains(short), "{text}");
        let failed = "| g | atomicmalloc (cannot free) | contiguous | oom | oom |";
        assert!(text.contains(failed), "{text}");
        assert!(text.contains("\nG, driver unknown"), "{text}");
    }

    #[test]
    fn different_graphs_are_refused() {
        assert!(soak(vec![row("cmalloc", 2, "a"), row("cfmalloc", 2, "b")]).is_err());
    }
}
