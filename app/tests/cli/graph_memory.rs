//! The memory that `graph` reports: at the end, round by round, and its fragmentation.

use serde_json::Value;

use crate::graph::graph;
use crate::program::{Folder, keys, number, text};

const GRAPH: &str = "gen:uniform,vertices=300,edges=900 --backend cpu --runs 1 --insert 200";

fn list(rounds: &Value, key: &str) -> Vec<f64> {
    rounds[key].as_array().unwrap().iter().map(number).collect()
}

#[test]
fn each_of_several_rounds_has_its_memory() {
    let folder = Folder::new();
    for layout in ["contiguous", "linked"] {
        let command = format!("{GRAPH} --delete 150 --rounds 4 --layout {layout}");
        let report = graph(&folder, &format!("{command} --format json"));
        let memory = &report["memory"];
        let rounds = &memory["rounds"];
        assert_eq!(
            keys(rounds),
            ["allocated_bytes", "high_water_bytes", "payload_bytes"]
        );
        // Every edge that comes or goes has two entries of 4 bytes.
        let mut payload = 4.0 * number(&report["edges_stored"]);
        let mut expected = Vec::new();
        for update in report["updates"].as_array().unwrap() {
            payload += 8.0 * (number(&update["inserted"]) - number(&update["deleted"]));
            if text(update, "kind") == "delete" {
                expected.push(payload);
            }
        }
        assert_eq!(expected.len(), 4);
        assert_eq!(list(rounds, "payload_bytes"), expected);
        let (allocated, most) = (
            list(rounds, "allocated_bytes"),
            list(rounds, "high_water_bytes"),
        );
        assert_eq!((allocated.len(), most.len()), (4, 4));
        assert!(most.is_sorted());
        for round in 0..4 {
            assert!(expected[round] <= allocated[round] && allocated[round] <= most[round]);
        }
        for (list, key) in [
            (&expected, "payload_bytes"),
            (&allocated, "allocated_bytes"),
            (&most, "high_water_bytes"),
        ] {
            assert_eq!(list[3], number(&memory[key]), "{key}");
        }

        let shown = folder.run(format!("graph {command}"));
        let lines = |start: &str| {
            let lines = shown.stdout.lines();
            lines.filter(|line| line.starts_with(start)).count()
        };
        assert_eq!(lines("memory        round "), 4, "{shown:?}");
        // After the updates of the round.
        let at = |what: &str| shown.stdout.find(what).unwrap_or_else(|| panic!("{what}"));
        assert!(at("delete        round 2: ") < at("memory        round 2: "));
        assert!(at("memory        round 2: ") < at("insert        round 3: "));
    }
}

#[test]
fn a_round_alone_has_the_memory_of_the_end() {
    let folder = Folder::new();
    for updates in ["", "--rounds 1", "--delete 10"] {
        let report = graph(&folder, &format!("{GRAPH} {updates} --format json"));
        assert!(report["memory"]["rounds"].is_null());
    }
    let shown = folder.run(format!("graph {GRAPH}"));
    assert_eq!(shown.stdout.matches("memory  ").count(), 1, "{shown:?}");
}

#[test]
fn fragmentation_is_of_blocks_and_of_what_is_free() {
    let folder = Folder::new();
    for (allocator, layout) in [
        ("cfmmalloc", "contiguous"),
        ("cmalloc", "linked"),
        ("ouroboros-p-va", "contiguous"),
        ("atomicmalloc", "linked"),
    ] {
        let command = format!("{GRAPH} --delete 900 --allocator {allocator} --layout {layout}");
        let memory = &graph(&folder, &format!("{command} --format json"))["memory"];
        let internal = number(&memory["internal_fragmentation"]);
        let [payload, allocated] =
            ["payload_bytes", "allocated_bytes"].map(|key| number(&memory[key]));
        assert!((internal - (1.0 - payload / allocated)).abs() < 1e-12);
        assert!(internal > 0.0 && internal < 1.0, "{internal}");
        let external = &memory["external_fragmentation"];
        let shown = folder.run(format!("graph {command}")).stdout;
        // Nothing walks over the blocks of the one that cannot free.
        let expected = match allocator {
            "atomicmalloc" => {
                assert!(external.is_null());
                format!("fragmentation {internal:.4} internal, unknown external\n")
            }
            _ => {
                let external = number(external);
                // Blocks have come free between others.
                assert!(external > 0.0 && external < 1.0, "{external}");
                format!("fragmentation {internal:.4} internal, ")
            }
        };
        assert!(shown.contains(&expected), "{expected}{shown}");
    }
}

#[test]
fn a_graph_without_edges_is_not_fragmented() {
    let folder = Folder::new();
    folder.put("none.el", "# Nodes: 5\n");
    let report = graph(&folder, "@none.el --backend cpu --runs 1 --format json");
    assert_eq!(report["memory"]["internal_fragmentation"], 0.0);
    assert_eq!(report["memory"]["allocated_bytes"], 0);
}

/// The ratio of a report by the definition, from the numbers beside it: of blocks, of edges in one
/// direction, of vertices and of records for them.
fn per_csr(report: &Value, blocks: &str, edges: &str, [vertices, records]: [f64; 2]) -> f64 {
    let stores = if report["directed"] == true { 2.0 } else { 1.0 };
    let memory = number(&report["memory"][blocks]) + stores * records * (16.0 + 4.0);
    memory / (stores * (4.0 * number(&report[edges]) + 4.0 * (vertices + 1.0)))
}

#[test]
fn memory_is_beside_that_of_a_csr() {
    let folder = Folder::new();
    for layout in ["contiguous", "linked"] {
        for direction in ["directed", "undirected"] {
            let command = format!("{GRAPH} --{direction} --layout {layout}");
            // Records for half more vertices are made when one is inserted.
            for (updates, end) in [
                ("", [300.0, 300.0]),
                ("--insert-vertices 1", [301.0, 450.0]),
            ] {
                let command = format!("{command} {updates}");
                let report = graph(&folder, &format!("{command} --format json"));
                let loaded = per_csr(&report, "loaded_bytes", "edges_stored", [300.0, 300.0]);
                let last = per_csr(&report, "allocated_bytes", "edges_final", end);
                let memory = &report["memory"];
                assert_eq!(number(&memory["loaded_memory_per_csr"]), loaded);
                assert_eq!(number(&memory["memory_per_csr"]), last);
                let shown = folder.run(format!("graph {command}")).stdout;
                let line = format!(
                    "\nmemory / CSR  {loaded:.2} after loading, {last:.2} after all updates\n"
                );
                assert!(shown.contains(&line), "{line}{shown}");
            }
        }
    }
    let unchanged = "gen:uniform,vertices=300,edges=900 --backend cpu --runs 1";
    let memory = &graph(&folder, &format!("{unchanged} --format json"))["memory"];
    assert_eq!(memory["memory_per_csr"], memory["loaded_memory_per_csr"]);
    let shown = folder.run(format!("graph {unchanged}")).stdout;
    let line = format!("\nmemory / CSR  {:.2}\n", number(&memory["memory_per_csr"]));
    assert!(shown.contains(&line), "{line}{shown}");
}

#[test]
fn compared_layouts_have_their_memory_beside_that_of_a_csr() {
    let folder = Folder::new();
    let compare = format!("compare graph {GRAPH} --allocators cfmalloc,cudamalloc");
    let rows = folder.json(format!("{compare} --format json"));
    let table = folder.run(format!("{compare} --format csv")).stdout;
    let mut lines = table
        .lines()
        .map(|line| line.split(',').collect::<Vec<_>>());
    let titles = lines.next().unwrap();
    let column = titles
        .iter()
        .position(|title| *title == "memory / CSR")
        .unwrap();
    for row in rows.as_array().unwrap() {
        let ratio = &row["result"]["memory"]["memory_per_csr"];
        let ratio = ratio
            .as_f64()
            .map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
        assert_eq!(ratio == "-", row["allocator"] == "cudamalloc");
        assert_eq!(lines.next().unwrap()[column], ratio, "{table}");
    }
    assert!(lines.next().is_none());
}
