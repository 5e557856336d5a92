//! Edge lists with commas, and ids with gaps: what `--compact-ids` makes of them, in
//! arguments and in results.

use serde_json::Value;

use crate::graph::{ALL, KITE, graph, hash};
use crate::program::{Folder, has, rows, text};

/// The kite of the other tests, its vertices 1 to 6 called otherwise.
const IDS: [u64; 6] = [
    3,
    900,
    4_294_967_296,
    10_000_000_000,
    u64::MAX - 9,
    u64::MAX - 5,
];
const EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3], [3, 4]];

/// The kite's edges with these ids; the sixth vertex is alone, but for a loop.
fn kite(separator: &str) -> String {
    let line = |[u, v]: [usize; 2]| format!("{}{separator}{}\n", IDS[u], IDS[v]);
    let edges = EDGES.into_iter().rev().chain([[5, 5]]);
    edges.map(line).collect()
}

fn put(folder: &Folder) {
    folder.put("kite.graph", KITE);
    folder.put(
        "kite.csv",
        format!("# Undirected graph\na,b\n{}", kite(",")),
    );
    folder.put("kite.el", format!("# Undirected graph\n{}", kite(" ")));
}

/// Updates without what differs from time to time.
fn counts(report: &Value) -> Vec<Value> {
    let updates = report["updates"].as_array().unwrap();
    let keys = [
        "kind",
        "edges",
        "inserted",
        "duplicates",
        "deleted",
        "missing",
        "rejected",
    ];
    updates
        .iter()
        .flat_map(|update| keys.map(|key| update[key].clone()))
        .collect()
}

#[test]
fn results_are_in_the_ids_of_the_file() {
    let folder = Folder::new();
    put(&folder);
    folder.put("more.graph", "6 1\n6\n\n\n\n\n1\n");
    folder.put("less.graph", "6 2\n2 5\n1\n\n\n1\n\n");
    folder.put(
        "more.csv",
        format!("# Undirected graph\n{},{}\n", IDS[5], IDS[0]),
    );
    folder.put(
        "less.el",
        format!("{} {}\n{} {}\n", IDS[1], IDS[0], IDS[0], IDS[4]),
    );
    let plain = graph(
        &folder,
        &format!("@kite.graph {ALL} --bfs 5 --insert @more.graph --delete @less.graph"),
    );
    for name in ["kite.csv", "kite.el"] {
        let command = format!(
            "@{name} --compact-ids {ALL} --bfs {} --insert @more.csv --delete @less.el",
            IDS[4]
        );
        let report = graph(&folder, &command);
        for key in ["vertices", "edges_final", "graph_hash"] {
            assert_eq!(report[key], plain[key], "{key}");
        }
        assert_eq!(
            (&report["first_vertex"], &report["compact_ids"]),
            (&3.into(), &true.into())
        );
        assert_eq!(plain["compact_ids"], false);
        assert_eq!(counts(&report), counts(&plain));
        assert_eq!(report["bfs"]["source"], IDS[4]);
        assert_eq!(report["bfs"]["reached"], plain["bfs"]["reached"]);
        for key in ["triangles", "components"] {
            assert_eq!(report[key]["count"], plain[key]["count"]);
        }
        let top = |report: &Value| report["pagerank"]["top"].as_array().unwrap().clone();
        for (found, plain) in top(&report).iter().zip(&top(&plain)) {
            let vertex = plain["vertex"].as_u64().unwrap() as usize;
            assert_eq!(found["vertex"], IDS[vertex - 1]);
            assert_eq!(found["rank"], plain["rank"]);
        }
    }
    let people = folder.run("graph @kite.csv --compact-ids --backend cpu --runs 1");
    has(&people.stdout, "6 vertices with ids from 3\n");
    has(&people.stderr, "edges lead from `a` to `b`");
}

#[test]
fn a_graph_is_saved_with_its_ids() {
    let folder = Folder::new();
    put(&folder);
    folder
        .run("graph @kite.el --compact-ids --self-loops --save @saved.el --backend cpu --runs 1")
        .succeeds();
    let lines = std::fs::read_to_string(folder.path("saved.el")).unwrap();
    assert!(lines.ends_with(&format!("\n{0} {0}\n", IDS[5])), "{lines}");
    let hash = |name: &str| {
        let command = format!("@{name} --compact-ids --runs 1 --format json --backend cpu");
        text(&graph(&folder, &command), "graph_hash").to_owned()
    };
    assert_eq!(hash("saved.el"), hash("kite.el"));
    folder
        .run("graph @kite.el --compact-ids --save @saved.gr")
        .fails(2, "for edge lists");
}

#[test]
fn comparisons_have_the_ids_of_the_file_too() {
    let folder = Folder::new();
    put(&folder);
    let rows = folder.json(
        "compare graph @kite.csv --compact-ids --allocators cmalloc --runs 1 --pagerank \
         --insert 5 --verify --backend cpu --format json",
    );
    assert_eq!(rows[0]["result"]["first_vertex"], 3, "{rows}");
}

#[test]
fn what_has_no_such_ids_is_refused() {
    let folder = Folder::new();
    put(&folder);
    folder.put("unknown.csv", "# c\n3,900\n900,901\n");
    folder.put("flat.csv", "a,b\n0,1\n1,5\n");
    for [code, command, why] in rows(
        "3 | @kite.csv | kite.csv:3: vertex id 10000000000: ids without gaps
         3 | @kite.csv | --compact-ids
         3 | @kite.el --compact-ids --insert @unknown.csv | unknown.csv:3: vertex id 901 is not
         3 | @kite.el --compact-ids --delete @unknown.csv | unknown.csv:3
         3 | @kite.graph --compact-ids | kite.graph: DIMACS-10/METIS
         3 | @kite.el --compact-ids --insert @kite.graph | kite.graph: DIMACS-10/METIS
         2 | @kite.el --compact-ids --one-based | cannot be used with
         2 | @kite.el --compact-ids --bfs 4 | some of those from 3 to 18446744073709551610
         2 | gen:road,vertices=9 --compact-ids | for edge lists, not for gen:road
         2 | @kite.el --compact-ids --insert gen:road,vertices=9 | not for gen:road",
    ) {
        let outcome = folder.run(format!("graph {command} --backend cpu --runs 1"));
        // The note about the header comes first.
        let error = outcome.stderr.lines().last().unwrap_or_default();
        assert_eq!(
            (outcome.code, outcome.stdout.as_str()),
            (code.parse().unwrap(), ""),
            "{command}: {outcome:?}"
        );
        assert!(error.contains(why), "{command}: {error}");
    }
    // Small ids need no flag; with it, gaps are closed.
    let vertices = |flag: &str| {
        let command = format!("@flat.csv {flag} --runs 1 --format json --backend cpu");
        graph(&folder, &command)["vertices"].clone()
    };
    assert_eq!(
        (vertices(""), vertices("--compact-ids")),
        (6.into(), 3.into())
    );
    folder.put("flat.el", "0 1\n1 5\n");
    assert_eq!(hash(&folder, "flat.csv"), hash(&folder, "flat.el"));
}
