//! Graphs and scenes that are made where a file is asked for: `gen:KIND,OPTION=VALUE`.

use heapwood_graphs::generate::Kind;
use heapwood_scenes::generate::NAMES;

use crate::graph::{graph, hash};
use crate::program::{Folder, has, rows, text};

/// Every key of a report that tells of the graph, not of times.
const OF_THE_GRAPH: [&str; 9] = [
    "vertices",
    "edges_read",
    "edges_symmetrized",
    "edges_stored",
    "self_loops",
    "duplicates",
    "directed",
    "graph_hash",
    "updates",
];

#[test]
fn a_generator_is_the_file_that_the_command_writes() {
    let folder = Folder::new();
    let kinds = Kind::ALL.map(|kind| (kind.name(), "vertices=300 seed=5"));
    let others = [
        ("kronecker", ""),
        (
            "uniform",
            "vertices=2^6 edges=2^9 self-loops directed seed=3",
        ),
        ("kronecker", "vertices=64 edges=600 self-loops"),
    ];
    for (kind, options) in kinds.into_iter().chain(others) {
        // The default is a million vertices.
        let options = match options {
            "" => "vertices=2^9",
            options => options,
        };
        let flags: String = options.split(' ').map(|o| format!(" --{o}")).collect();
        folder
            .run(format!("generate graph {kind} -o @a.el{flags}"))
            .succeeds();
        let spec = format!("gen:{kind},{}", options.replace(' ', ","));
        for more in ["", "--self-loops", "--undirected"] {
            let with = |input: &str| {
                graph(
                    &folder,
                    &format!("{input} {more} --runs 1 --format json --backend cpu"),
                )
            };
            let (from_file, generated) = (with("@a.el"), with(&spec));
            for key in OF_THE_GRAPH {
                assert_eq!(generated[key], from_file[key], "{spec} {more}: {key}");
            }
            assert_eq!(text(&generated, "graph"), spec);
            assert_eq!(generated["first_vertex"], 0);
            assert_eq!(
                generated["meta"]["input_hash"],
                from_file["meta"]["input_hash"]
            );
        }
    }
}

#[test]
fn batches_may_be_generated_too() {
    let folder = Folder::new();
    folder
        .run("generate graph uniform --vertices 200 --seed 1 -o @more.el")
        .succeeds();
    let updates = |source: &str| {
        let command = format!(
            "gen:road,vertices=200 --insert {source} --delete gen:road,vertices=200 --verify \
             --runs 1 --one-based --format json --backend cpu"
        );
        let report = graph(&folder, &command);
        assert_eq!(report["first_vertex"], 1);
        let counts = ["inserted", "deleted"].map(|key| {
            let updates = report["updates"].as_array().unwrap();
            updates
                .iter()
                .map(|update| update[key].as_u64().unwrap())
                .sum::<u64>()
        });
        (counts, text(&report, "graph_hash").to_owned())
    };
    // Numbered from 1, the file's vertex 0 would be none.
    folder.put("one.el", {
        let edges = std::fs::read_to_string(folder.path("more.el")).unwrap();
        let next = |word: &str| {
            word.parse::<u32>()
                .map_or(word.to_owned(), |id| (id + 1).to_string())
        };
        let line = |line: &str| match line.starts_with('#') {
            true => "# Undirected graph".to_owned(),
            false => line.split(' ').map(next).collect::<Vec<_>>().join(" "),
        };
        edges.lines().map(line).collect::<Vec<_>>().join("\n")
    });
    let (counts, generated) = updates("gen:uniform,vertices=200,seed=1");
    assert!(counts[0] > 500 && counts[1] > 100, "{counts:?}");
    assert_eq!(updates("@one.el"), (counts, generated));
}

#[test]
fn a_scene_is_the_file_that_the_command_writes() {
    let folder = Folder::new();
    folder.put("one.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let one = folder.path("one.obj").display().to_string();
    let mut cases: Vec<(&str, &str)> = NAMES.map(|name| (name, "seed=7")).to_vec();
    cases.push(("terrain", "seed=3 triangles=3000 displace=0.3 feature=0.2"));
    cases.push(("knot", "copies=2 gap=0.5"));
    cases.push((&one, "levels=3"));
    for (kind, options) in cases {
        let flags: String = options.split(' ').map(|o| format!(" --{o}")).collect();
        folder
            .run(format!("generate scene {kind} -o @a.obj{flags}"))
            .succeeds();
        let spec = format!("gen:{kind},{}", options.replace(' ', ","));
        let tree = |scene: &str| {
            let command = format!("kdtree {scene} --runs 1 --backend cpu --format json");
            folder.json(&command)
        };
        let (from_file, generated) = (tree("@a.obj"), tree(&spec));
        for key in ["triangles", "tree_hash"] {
            assert_eq!(generated[key], from_file[key], "{spec}: {key}");
        }
        assert_eq!(
            generated["meta"]["input_hash"],
            from_file["meta"]["input_hash"]
        );
        assert_eq!(text(&generated, "scene"), spec);
    }
    folder
        .run("render gen:terrain -o @a.png --size 20x10 --backend cpu")
        .succeeds();
    let larger = folder.run("generate scene gen:terrain,levels=1 --copies 2 -o @b.obj");
    has(&larger.stdout, &(4 * 4 * 2048).to_string());
}

#[test]
fn comparisons_make_their_input_in_every_process() {
    let folder = Folder::new();
    let rows = folder.run(
        "compare graph gen:road,vertices=500,seed=2 --allocators cmalloc,cfmalloc --runs 1 \
         --insert gen:uniform,vertices=500 --backend cpu --format json",
    );
    for row in rows.json().as_array().unwrap() {
        assert_eq!(text(row, "graph"), "gen:road,vertices=500,seed=2");
        assert_eq!(text(row, "status"), "ok", "{row}");
        assert!(row["result"]["updates"][0]["inserted"].as_u64().unwrap() > 1000);
    }
    let rows = folder.run(
        "compare kdtree gen:knot --allocators cmalloc,cfmalloc --runs 1 --backend cpu \
         --format json",
    );
    for row in rows.json().as_array().unwrap() {
        assert_eq!(text(row, "status"), "ok", "{row}");
    }
    assert_eq!(folder.names(), "");
}

#[test]
fn a_file_of_such_a_name_is_named_with_its_folder() {
    let folder = Folder::new();
    folder.put("gen:road", "7 1\n1 2\n");
    // The path begins with a folder.
    let report = graph(&folder, "@gen:road --runs 1 --format json --backend cpu");
    assert_eq!(report["edges_read"], 2);
    assert_eq!(text(&report, "graph_hash"), hash(&folder, "gen:road"));
}

#[test]
fn a_bad_specification_is_a_usage_error() {
    let folder = Folder::new();
    for [command, why] in rows(
        "graph gen: | choose from delaunay, geometric
         graph gen:kroneker | (did you mean `kronecker`?): choose from
         graph gen:road,vertexes=5 | (did you mean `vertices`?): choose from
         graph gen:road,vertices=many | vertices: write a whole number
         graph gen:road,seed=1,seed=2 | seed is given twice
         graph gen:road,edges=5 | edges is for kronecker and uniform
         graph gen:road,vertices=2^27 | more than 67108864
         graph gen:mesh,vertices=0 | too few
         graph gen:road,vertices=9 --file-format gr | --file-format is for files
         graph gen:road,vertices=9 --bfs 9 | numbered from 0 to 8
         graph gen:road,vertices=9 --insert gen:raod | choose from
         compare graph gen:cactus | choose from delaunay
         compare graph gen:mesh,vertices=0 --allocators cmalloc | too few
         kdtree gen:cactus | choose from courtyard, knot, terrain
         kdtree gen:road | choose from courtyard, knot, terrain
         kdtree gen:knot,levels=99 | levels: 99 is not in 0..=15
         kdtree gen:knot,copies=32768 | more than
         render gen:knot,seeds=5 -o @out.png | (did you mean `seed`?): choose from
         compare kdtree gen: | choose from courtyard
         generate scene gen:gen:knot -o @out.obj | stands once",
    ) {
        folder
            .run(
                format!("{command} --backend cpu")
                    .replace("-o @out.obj --backend cpu", "-o @out.obj"),
            )
            .fails(2, why);
    }
    folder
        .run("kdtree gen:absent.obj,levels=1 --backend cpu")
        .fails(3, "absent.obj");
    // An input is never an output.
    folder.put("one.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let path = folder.path("one.obj").display().to_string();
    folder
        .run(format!("compare kdtree gen:{path},levels=1 -o {path}"))
        .fails(2, "named twice");
    assert_eq!(folder.names(), "one.obj");
}
