//! `graph`: betweenness and core numbers, whose values are known by hand.

use crate::graph::{KITE, graph};
use crate::program::Folder;

const FLAGS: &str = "--verify --format json --runs 1 --backend cpu";

fn read(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.path(name)).unwrap()
}

/// Vertex 4 is between 5 and the others; of the two paths between 1 and 4 one each leads through 2 and 3.
#[test]
fn betweenness_is_the_sum_of_dependencies() {
    let folder = Folder::new();
    folder.put("kite.graph", KITE);
    folder.put("list", "5\n1\n5\n");
    let vector = "%%MatrixMarket matrix coordinate integer general\n3 1 3\n2 1 1\n1 1 5\n3 1 5\n";
    folder.put("vector.mtx", vector);
    for layout in ["contiguous", "linked"] {
        let command = format!("@kite.graph {FLAGS} --layout {layout} --save-betweenness @scores");
        let report = graph(&folder, &format!("{command} --betweenness all"));
        let found = &report["betweenness"];
        assert_eq!(found["sources"], 6);
        assert_eq!(found["top"][0]["vertex"], 4);
        assert_eq!(found["top"][0]["score"], 6.0);
        // The others have a score of 0.
        assert_eq!(found["top"].as_array().unwrap().len(), 3);
        assert_eq!(report["verified"][1], "betweenness");
        let expected = [0, 2, 2, 6, 0, 0];
        let expected: String = (1..)
            .zip(expected)
            .map(|(id, score)| format!("{id} {score}.00000000000000e+00\n"))
            .collect();
        assert_eq!(read(&folder, "scores"), expected);
        for sources in ["5,1,5", "@list", "@vector.mtx"] {
            let report = graph(&folder, &format!("{command} --betweenness {sources}"));
            assert_eq!(report["betweenness"]["sources"], 3);
            assert_eq!(report["betweenness"]["top"][0]["score"], 7.0);
        }
    }
    let people = folder.run("graph @kite.graph --betweenness 5 --runs 1 --backend cpu");
    let people = people.succeeds();
    for line in ["betweenness   1 source; ", "4  3.0000e0\n"] {
        assert!(people.stdout.contains(line), "{line}: {people:?}");
    }
}

#[test]
fn comparisons_pass_sources_on() {
    let folder = Folder::new();
    folder.put("kite.graph", KITE);
    folder.put("list", "5\n1\n");
    for sources in ["5,1", "all", "@list"] {
        let command = "compare graph @kite.graph --allocators cmalloc,cfmalloc";
        let outcome = folder.run(format!("{command} {FLAGS} --betweenness {sources}"));
        for row in outcome.json().as_array().unwrap() {
            let name = match sources.strip_prefix('@') {
                Some(name) => folder.path(name).display().to_string(),
                None => sources.to_owned(),
            };
            let option = format!("--betweenness={name}").into();
            assert!(
                row["options"].as_array().unwrap().contains(&option),
                "{row}"
            );
            let count = if sources == "all" { 6 } else { 2 };
            assert_eq!(row["result"]["betweenness"]["sources"], count);
        }
    }
}

#[test]
fn directions_are_followed() {
    let folder = Folder::new();
    folder.put("arcs.el", "0 1\n1 2\n2 3\n");
    for layout in ["contiguous", "linked"] {
        let command = format!("@arcs.el {FLAGS} --directed --layout {layout} --betweenness all");
        let found = &graph(&folder, &command)["betweenness"];
        for (place, (vertex, score)) in [(1, 2.0), (2, 2.0)].into_iter().enumerate() {
            assert_eq!(found["top"][place]["vertex"], vertex);
            assert_eq!(found["top"][place]["score"], score);
        }
    }
}

#[test]
fn core_numbers_are_those_of_peeling() {
    let folder = Folder::new();
    folder.put("kite.graph", KITE);
    for layout in ["contiguous", "linked"] {
        let command = format!("@kite.graph {FLAGS} --layout {layout} --save-kcore @cores");
        let report = graph(&folder, &command);
        assert_eq!(report["kcore"]["degeneracy"], 2);
        assert_eq!(report["kcore"]["innermost"], 4);
        assert_eq!(read(&folder, "cores"), "1 2\n2 2\n3 2\n4 2\n5 1\n6 0\n");
    }
}

#[test]
fn questions_without_an_answer_are_refused() {
    let folder = Folder::new();
    folder.put("kite.graph", KITE);
    folder.put("arcs.el", "0 1\n1 2\n2 3\n");
    folder.put("seven", "7\n");
    folder.put("none", "");
    for (code, command, why) in [
        (2, "@kite.graph --betweenness 7", "no vertex 7"),
        (2, "@kite.graph --betweenness 1,,2", "commas"),
        (2, "@kite.graph --save-betweenness @scores", "--betweenness"),
        (2, "@arcs.el --directed --kcore", "--undirected"),
        (3, "@kite.graph --betweenness @absent", "absent"),
        (
            3,
            "@kite.graph --betweenness @seven",
            "seven:1: vertex id 7",
        ),
        (
            3,
            "@kite.graph --betweenness @none",
            "none is empty: there are no sources",
        ),
        (
            2,
            "@kite.graph --betweenness @seven -o @seven",
            "seven is named twice",
        ),
    ] {
        folder
            .run(format!("graph {command} --backend cpu"))
            .fails(code, why);
    }
    assert_eq!(folder.names(), "arcs.el kite.graph none seven");
}
